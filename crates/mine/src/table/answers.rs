//! How the questions about a column are answered for each row of a file.

use csv::ByteRecord;
use rustc_hash::FxHashMap;

use super::columns::value;
use crate::feature::{Feature, Test, number, truth};

/// How the questions about one column are answered.
pub(super) struct ColumnPlan {
    place: usize,
    first: usize,
    tests: Vec<Test>,
    /// Cut points that the user has named.
    pub named: Vec<f64>,
    /// The questions that are answered with yes, by value; for columns with few values.
    known: FxHashMap<Box<[u8]>, Vec<u32>>,
}

impl ColumnPlan {
    /// The questions `features` about the column at a place, the first of which has the number `first`.
    /// `values` are those of the column, if there are few.
    pub fn new<'a>(
        place: usize,
        first: usize,
        features: &[Feature],
        values: impl Iterator<Item = &'a [u8]>,
    ) -> Self {
        let tests: Vec<Test> = features.iter().map(|feature| feature.test.clone()).collect();
        let mut known = FxHashMap::default();
        for value in values {
            let text = String::from_utf8_lossy(value);
            // A text among numbers, or among true and false, counts as missing, and is answered below.
            if tests.iter().any(|test| !test.can_read(&text)) {
                continue;
            }
            let yes = |(_, feature): &(u32, &Feature)| feature.answer(Some(&text)) == Ok(true);
            let list = (first as u32..).zip(features).filter(yes).map(|(at, _)| at).collect();
            known.insert(value.into(), list);
        }
        Self { place, first, tests, named: Vec::new(), known }
    }

    /// The place of the first question about the column.
    pub fn first_question(&self) -> usize {
        self.first
    }

    /// The number in a row, if the column is one of numbers; not a number if it is missing.
    pub fn number(&self, record: &ByteRecord) -> Option<f64> {
        let value = value(record.get(self.place).unwrap_or_default());
        let found = value.and_then(|value| std::str::from_utf8(value).ok()).and_then(number);
        self.is_number().then(|| found.unwrap_or(f64::NAN))
    }

    /// Whether the column is one of numbers.
    pub fn is_number(&self) -> bool {
        self.tests.iter().any(|test| matches!(test, Test::AtLeast(_)))
    }

    /// Sets the bits of the questions that are answered with yes. Returns whether the value is missing.
    pub fn answer(&self, record: &ByteRecord, bits: &mut [u64]) -> bool {
        let mut set = |at: usize| bits[at / 64] |= 1 << (at % 64);
        let Some(value) = value(record.get(self.place).unwrap_or_default()) else {
            if let Some(at) = self.tests.iter().position(|test| *test == Test::Missing) {
                set(self.first + at);
            }
            return true;
        };
        if let Some(list) = self.known.get(value) {
            list.iter().for_each(|&at| set(at as usize));
            return false;
        }
        let text = String::from_utf8_lossy(value);
        let parsed = number(&text);
        // The first question tells what kind of values the column has.
        let is_odd = self.tests.first().is_some_and(|test| !test.can_read(&text));
        for (at, test) in self.tests.iter().enumerate() {
            let yes = match test {
                Test::True => truth(&text) == Some(true),
                Test::Equals(wanted) => *wanted == text,
                Test::Differs(other) => *other != text,
                Test::AtLeast(_) | Test::Below(_) => parsed.is_some_and(|number| test.holds(number)),
                Test::Missing => is_odd,
            };
            if yes {
                set(self.first + at);
            }
        }
        is_odd
    }
}
