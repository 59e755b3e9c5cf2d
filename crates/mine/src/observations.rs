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

impl Line {
    /// The answer to a question of the table.
    fn answer(&self, question: usize) -> bool {
        self.answers[question / 64] >> (question % 64) & 1 == 1
    }
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
    /// Where the answer to each question is.
    answers: Vec<Answer>,
}

/// Where the answer to a question is.
#[derive(Clone, Copy)]
enum Answer {
    /// It follows from the number in this column of numbers.
    Number(usize),
    /// It is the answer to this question of the table.
    Fixed(usize),
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
                answers: (0..count).map(Answer::Fixed).collect(),
            };
        };
        let about_numbers =
            |feature: &Feature| lines.numbers.iter().any(|numbers| numbers.column == feature.column);
        let rows = RowCounter::default().finish(0);
        let mut trial = Trial { rows, features: Vec::new(), answers: Vec::new() };
        for (at, feature) in self.features.iter().enumerate().filter(|(_, feature)| !about_numbers(feature)) {
            trial.features.push(feature.clone());
            trial.answers.push(Answer::Fixed(at));
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
                trial.answers.push(Answer::Number(place));
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
        match self.lines {
            None => expr.values(self.rows),
            Some(lines) => packed(lines.lines.iter().map(|line| expr.value(&|f| line.answer(f as usize)))),
        }
    }
}

impl Trial {
    /// The answer to a question of this trial.
    fn answer(&self, line: &Line, feature: usize) -> bool {
        match self.answers[feature] {
            Answer::Number(place) => match &self.features[feature].test {
                Test::Missing => line.numbers[place].is_nan(),
                test => test.holds(line.numbers[place]),
            },
            Answer::Fixed(at) => line.answer(at),
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
