//! The rows behind a table, to be divided, shuffled and drawn again.
//!
//! Cut points of numbers are chosen with the help of the labels. If a formula is tried on rows that have
//! helped to choose its cut points, or if shuffled labels have to do with the cut points of the true ones,
//! it looks better than it is. So a table with numbers keeps its lines (a sample of very many), and every
//! [`Trial`] chooses its own cut points. Where all questions are fixed, the distinct rows are enough.

use crate::cuts::with_named;
use crate::expr::Expr;
use crate::feature::{Feature, Test};
use crate::rows::{Bits, Labels, RowCounter, Rows};

/// A line of a file, as far as it is needed.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    /// The answers to the questions of the table.
    pub answers: Box<[u64]>,
    /// The values of the columns of numbers; not a number if missing.
    pub numbers: Vec<f64>,
}

/// A column of numbers.
#[derive(Clone, Debug)]
pub(crate) struct Numbers {
    pub column: String,
    /// Whether no value is missing.
    pub complete: bool,
    /// The largest number of cut points.
    pub cuts: usize,
    /// Cut points that the user has named.
    pub named: Vec<f64>,
}

/// Lines of a file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lines {
    pub lines: Vec<Line>,
    /// The weight of each line, at its label.
    pub weights: Vec<Labels>,
    pub numbers: Vec<Numbers>,
}

/// What can be divided, shuffled and drawn again: the items are distinct rows or lines.
#[derive(Clone, Copy)]
pub(crate) struct Observations<'a> {
    pub rows: &'a Rows,
    pub features: &'a [Feature],
    pub lines: Option<&'a Lines>,
}

/// Some of the items with their own questions.
pub(crate) struct Trial {
    pub rows: Rows,
    pub features: Vec<Feature>,
    /// For questions about numbers: the place of the column.
    places: Vec<Option<usize>>,
    /// For other questions: the place of the question in the table.
    fixed: Vec<u32>,
}

impl Observations<'_> {
    /// The weights of the labels of each item.
    pub fn weights(&self) -> &[Labels] {
        self.lines.map_or(self.rows.weights(), |lines| &lines.weights)
    }

    /// The items with other weights.
    pub fn trial(&self, weights: Vec<Labels>) -> Trial {
        let Some(lines) = self.lines else {
            let count = self.features.len();
            return Trial {
                rows: self.rows.reweighted(weights),
                features: self.features.to_vec(),
                places: vec![None; count],
                fixed: (0..count as u32).collect(),
            };
        };
        let about_numbers =
            |feature: &Feature| lines.numbers.iter().any(|numbers| numbers.column == feature.column);
        let mut trial = Trial {
            rows: RowCounter::default().finish(0),
            features: Vec::new(),
            places: Vec::new(),
            fixed: Vec::new(),
        };
        for (at, feature) in (0..).zip(self.features).filter(|(_, feature)| !about_numbers(feature)) {
            trial.features.push(feature.clone());
            trial.places.push(None);
            trial.fixed.push(at);
        }
        let labels: Vec<Option<bool>> =
            weights.iter().map(|[no, yes]| (no != yes).then_some(yes > no)).collect();
        for (place, numbers) in lines.numbers.iter().enumerate() {
            let values: Vec<f64> = lines.lines.iter().map(|line| line.numbers[place]).collect();
            let points = with_named(&values, &labels, numbers.cuts, &numbers.named);
            let mut tests: Vec<Test> = points.iter().copied().map(Test::AtLeast).collect();
            if !numbers.complete {
                tests.extend(points.into_iter().map(Test::Below));
                tests.push(Test::Missing);
            }
            for test in tests {
                let feature = Feature::new(numbers.column.clone(), test);
                trial.features.push(Feature { complete: numbers.complete, ..feature });
                trial.places.push(Some(place));
                trial.fixed.push(0);
            }
        }
        let mut counter = RowCounter::default();
        let mut bits = vec![0u64; trial.features.len().div_ceil(64).max(1)];
        for (line, labels) in lines.lines.iter().zip(&weights).filter(|(_, labels)| **labels != [0, 0]) {
            bits.fill(0);
            let yes = (0..trial.features.len()).filter(|&at| trial.answer(line, at));
            yes.for_each(|at| bits[at / 64] |= 1 << (at % 64));
            for (label, &weight) in [false, true].into_iter().zip(labels) {
                if weight > 0 {
                    counter.add(&bits, label, weight);
                }
            }
        }
        trial.rows = counter.finish(trial.features.len()).with_grain(self.rows.grain());
        trial
    }

    /// The values of a formula over the questions of a trial at all items.
    pub fn values(&self, trial: &Trial, expr: &Expr) -> Bits {
        match self.lines {
            None => expr.values(self.rows),
            Some(lines) => {
                packed(lines.lines.iter().map(|line| expr.value(&|f| trial.answer(line, f as usize))))
            }
        }
    }

    /// The values of a formula over the questions of the table at all items.
    pub fn own_values(&self, expr: &Expr) -> Bits {
        let answer =
            |line: &Line, feature: u32| line.answers[feature as usize / 64] >> (feature % 64) & 1 == 1;
        match self.lines {
            None => expr.values(self.rows),
            Some(lines) => packed(lines.lines.iter().map(|line| expr.value(&|f| answer(line, f)))),
        }
    }
}

impl Trial {
    /// The answer to a question of this trial.
    fn answer(&self, line: &Line, feature: usize) -> bool {
        match self.places[feature] {
            Some(place) => match &self.features[feature].test {
                Test::Missing => line.numbers[place].is_nan(),
                test => test.holds(line.numbers[place]),
            },
            None => {
                let at = self.fixed[feature] as usize;
                line.answers[at / 64] >> (at % 64) & 1 == 1
            }
        }
    }
}

/// Values as bits.
fn packed(values: impl Iterator<Item = bool>) -> Bits {
    let mut bits = Vec::new();
    for (at, value) in values.enumerate() {
        if at % 64 == 0 {
            bits.push(0);
        }
        bits[at / 64] |= u64::from(value) << (at % 64);
    }
    bits
}
