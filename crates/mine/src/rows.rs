//! Distinct rows, bit-packed, with the weight of each label.
//!
//! A formula is evaluated on 64 rows per instruction. Rows with the same features are stored once. If such a
//! row has positive and negative labels, the smaller weight is an error of every formula; what remains is the
//! difference of the weights, with the label of the larger one. Differences are stored as bit planes, so that
//! the weighted number of errors is a sum of population counts. Rows are sorted by their difference, so that
//! the planes of large weights are short.

use rustc_hash::FxHashMap;

/// Values of a formula or a feature at all rows, 64 per word.
pub type Bits = Vec<u64>;

/// The labels of equal rows: the weight of the negative and of the positive ones.
pub type Labels = [u64; 2];

/// A table of distinct rows. See the module's documentation.
#[derive(Clone, Debug)]
pub struct Rows {
    features: usize,
    words: usize,
    /// The features' values, one after the other, `words` words each.
    columns: Vec<u64>,
    /// The label with the larger weight.
    label: Bits,
    /// Plane b: the rows whose difference has bit b. Trailing zero words are left out.
    planes: Vec<Bits>,
    weights: Vec<Labels>,
    unavoidable: u64,
    total: u64,
    positive: u64,
    grain: u64,
}

/// How predictions compare with labels, by weight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Confusion {
    /// Positive rows that are predicted as positive.
    pub(crate) true_positive: u64,
    /// Negative rows that are predicted as positive.
    pub(crate) false_positive: u64,
    /// Positive rows that are predicted as negative.
    pub(crate) false_negative: u64,
    /// Negative rows that are predicted as negative.
    pub(crate) true_negative: u64,
}

impl Confusion {
    /// Counts one row.
    pub(crate) fn add(&mut self, predicted: bool, label: bool) {
        match (predicted, label) {
            (true, true) => self.true_positive += 1,
            (true, false) => self.false_positive += 1,
            (false, true) => self.false_negative += 1,
            (false, false) => self.true_negative += 1,
        }
    }

    /// The share of correct predictions; 1 without rows.
    pub fn accuracy(&self) -> f64 {
        let right = self.true_positive + self.true_negative;
        let all = right + self.false_positive + self.false_negative;
        if all == 0 { 1.0 } else { right as f64 / all as f64 }
    }

    /// F1, the harmonic mean of precision and recall of the positive label; 0 if nothing positive is found.
    pub fn f1(&self) -> f64 {
        let twice = 2 * self.true_positive;
        let all = twice + self.false_positive + self.false_negative;
        if all == 0 { 0.0 } else { twice as f64 / all as f64 }
    }
}

/// Collects rows one by one.
#[derive(Default)]
pub struct RowCounter {
    index: FxHashMap<Box<[u64]>, u32>,
    rows: Vec<(Box<[u64]>, Labels)>,
}

impl RowCounter {
    /// Adds a row: its features as bits, its label and its weight.
    pub fn add(&mut self, features: &[u64], label: bool, weight: u64) {
        let at = match self.index.get(features) {
            Some(&at) => at,
            None => {
                let at = self.rows.len() as u32;
                self.index.insert(features.into(), at);
                self.rows.push((features.into(), [0, 0]));
                at
            }
        };
        self.rows[at as usize].1[usize::from(label)] += weight;
    }

    /// The table.
    pub(crate) fn finish(self, features: usize) -> Rows {
        drop(self.index);
        Rows::new(features, self.rows)
    }
}

impl Rows {
    /// A table of distinct rows, each with its features as bits.
    fn new(features: usize, mut rows: Vec<(Box<[u64]>, Labels)>) -> Self {
        let difference = |&[negative, positive]: &Labels| negative.abs_diff(positive);
        // The order does not depend on the order in the file.
        rows.sort_by(|a, b| difference(&b.1).cmp(&difference(&a.1)).then_with(|| a.0.cmp(&b.0)));
        let words = rows.len().div_ceil(64);
        let mut columns = vec![0; features * words];
        for (at, (bits, _)) in rows.iter().enumerate() {
            for feature in 0..features {
                let value = bits[feature / 64] >> (feature % 64) & 1;
                columns[feature * words + at / 64] |= value << (at % 64);
            }
        }
        Self::with(features, words, columns, rows.into_iter().map(|(_, labels)| labels).collect())
    }

    fn with(features: usize, words: usize, columns: Vec<u64>, weights: Vec<Labels>) -> Self {
        let mut label = vec![0; words];
        let mut planes: Vec<Bits> = Vec::new();
        let (mut unavoidable, mut total, mut positive) = (0, 0, 0);
        for (at, &[no, yes]) in weights.iter().enumerate() {
            label[at / 64] |= u64::from(yes > no) << (at % 64);
            unavoidable += no.min(yes);
            total += no + yes;
            positive += yes;
            let difference = no.abs_diff(yes);
            for bit in (0..64).filter(|bit| difference >> bit & 1 == 1) {
                if planes.len() <= bit {
                    planes.resize(bit + 1, Vec::new());
                }
                let plane = &mut planes[bit];
                plane.resize(plane.len().max(at / 64 + 1), 0);
                plane[at / 64] |= 1 << (at % 64);
            }
        }
        Self { features, words, columns, label, planes, weights, unavoidable, total, positive, grain: 1 }
    }

    /// The same rows with other weights, in the same order. Used for folds and resamples.
    pub(crate) fn reweighted(&self, weights: Vec<Labels>) -> Self {
        let rows: Vec<usize> = (0..weights.len()).filter(|&at| weights[at] != [0, 0]).collect();
        let mut order = rows;
        let difference = |at: usize| weights[at][0].abs_diff(weights[at][1]);
        order.sort_by_key(|&at| std::cmp::Reverse(difference(at)));
        self.selected(&order, &weights)
    }

    /// Some rows, in this order, with weights for all rows of this table.
    pub(crate) fn selected(&self, order: &[usize], weights: &[Labels]) -> Self {
        let words = order.len().div_ceil(64);
        let mut columns = vec![0; self.features * words];
        for feature in 0..self.features {
            let source = self.column(feature);
            let target = &mut columns[feature * words..][..words];
            for (new, &old) in order.iter().enumerate() {
                target[new / 64] |= (source[old / 64] >> (old % 64) & 1) << (new % 64);
            }
        }
        let weights = order.iter().map(|&at| weights[at]).collect();
        Self::with(self.features, words, columns, weights).with_grain(self.grain)
    }

    /// The same rows, where this much weight counts as one row. Weights that are not counts of equal rows
    /// need this, or a table would seem to have more evidence than it has.
    pub(crate) fn with_grain(self, grain: u64) -> Self {
        Self { grain: grain.max(1), ..self }
    }

    /// The weight that counts as one row.
    pub(crate) fn grain(&self) -> u64 {
        self.grain
    }

    /// The number of rows that the weights amount to.
    pub(crate) fn evidence(&self) -> f64 {
        self.total as f64 / self.grain as f64
    }

    /// The number of features.
    pub(crate) fn features(&self) -> usize {
        self.features
    }

    /// The number of distinct rows.
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// The number of words per feature.
    pub(crate) fn words(&self) -> usize {
        self.words
    }

    /// The values of a feature.
    pub(crate) fn column(&self, feature: usize) -> &[u64] {
        &self.columns[feature * self.words..][..self.words]
    }

    /// The label with the larger weight, for each row.
    pub(crate) fn label(&self) -> &[u64] {
        &self.label
    }

    pub(crate) fn planes(&self) -> &[Bits] {
        &self.planes
    }

    /// The weights of the labels of each row.
    pub(crate) fn weights(&self) -> &[Labels] {
        &self.weights
    }

    /// The weight of all rows.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// The weight of the positive rows.
    pub(crate) fn positive(&self) -> u64 {
        self.positive
    }

    /// The weight of errors that no formula can avoid: equal rows with both labels.
    pub(crate) fn unavoidable(&self) -> u64 {
        self.unavoidable
    }

    /// Whether every combination of feature values is there, each with one label only.
    pub(crate) fn is_complete(&self) -> bool {
        self.features < 24 && self.len() == 1 << self.features && self.unavoidable == 0
    }

    /// The weight of the rows at which these values differ from the label.
    pub(crate) fn errors(&self, values: &[u64]) -> u64 {
        let wrong = |plane: &Bits| -> u64 {
            let words = plane.iter().zip(values.iter().zip(&self.label));
            words.map(|(plane, (value, label))| u64::from(((value ^ label) & plane).count_ones())).sum()
        };
        let planes = self.planes.iter().enumerate();
        self.unavoidable + planes.map(|(bit, plane)| wrong(plane) << bit).sum::<u64>()
    }

    /// How these values compare with the labels.
    pub(crate) fn confusion(&self, values: &[u64]) -> Confusion {
        let mut all = Confusion::default();
        for (at, &[no, yes]) in self.weights.iter().enumerate() {
            if values[at / 64] >> (at % 64) & 1 == 1 {
                all.true_positive += yes;
                all.false_positive += no;
            } else {
                all.false_negative += yes;
                all.true_negative += no;
            }
        }
        all
    }
}

/// Whether the first `count` bits are equal.
pub(crate) fn same_bits(a: &Bits, b: &Bits, count: usize) -> bool {
    let (whole, rest) = (count / 64, count % 64);
    a[..whole] == b[..whole] && (rest == 0 || (a[whole] ^ b[whole]) << (64 - rest) == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_the_weights_of_wrong_rows() {
        let mut counter = RowCounter::default();
        for (features, label, weight) in
            [(0b00, false, 3), (0b01, true, 5), (0b01, false, 2), (0b10, true, 1), (0b11, true, 9)]
        {
            counter.add(&[features], label, weight);
        }
        let rows = counter.finish(2);
        assert_eq!((rows.len(), rows.total(), rows.positive(), rows.unavoidable()), (4, 20, 15, 2));
        // x1: wrong at 10 (weight 1), and at the negative rows of 01.
        assert_eq!(rows.errors(rows.column(0)), 3);
        let confusion = rows.confusion(rows.column(0));
        assert_eq!((confusion.true_positive, confusion.false_positive), (14, 2));
        assert_eq!((confusion.false_negative, confusion.true_negative), (1, 3));
        assert_eq!(rows.errors(&vec![u64::MAX; rows.words()]), 5);
        assert!(!rows.is_complete());
    }
}
