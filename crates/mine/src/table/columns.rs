//! The kinds of columns, and which questions are asked about them.

use csv::ByteRecord;
use rustc_hash::FxHashMap;

use super::answers::ColumnPlan;
use super::source::{self, Source};
use super::{ColumnUse, Plan, TableOptions};
use crate::cuts;
use crate::error::MineError;
use crate::feature::{Feature, Test, number, truth};

/// More different values than this are counted only as numbers.
const COUNTED: usize = 256;
/// Up to this number of different values, every value has a question.
const CATEGORIES: usize = 40;
/// Up to this number of different values, numbers are categories.
const FEW_NUMBERS: usize = 5;
/// If at most one value in this many is not a number, or neither true nor false, and all others are, these
/// values are missing.
pub(super) const ODD_ONE_IN: u64 = 20;
/// The largest number of rows from which cut points are found.
const SAMPLED: usize = 50_000;
/// The largest number of questions.
const QUESTIONS: usize = 4_096;

/// What stands in a file for a missing value.
pub(crate) const MISSING: [&str; 11] =
    ["", "?", "-", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None"];

/// A value, or `None` if it is missing.
pub(super) fn value(field: &[u8]) -> Option<&[u8]> {
    (!MISSING.iter().any(|word| word.as_bytes() == field)).then_some(field)
}

/// A weight that is not negative.
pub(super) fn weight(field: &[u8], line: u64) -> Result<f64, MineError> {
    let text = String::from_utf8_lossy(field);
    number(&text).filter(|weight| *weight >= 0.0).ok_or_else(|| {
        MineError::Table(format!("line {line}: the weight `{text}` is not a number that is at least 0"))
    })
}

/// The place of a column.
pub(super) fn find(header: &[String], name: &str) -> Result<usize, MineError> {
    header.iter().position(|known| known == name).ok_or_else(|| {
        let mut known: Vec<String> = header.iter().take(12).map(|name| format!("`{name}`")).collect();
        if header.len() > known.len() {
            known.push("…".into());
        }
        MineError::Column { name: name.into(), known: known.join(", ") }
    })
}

/// What the first pass found out about a column.
#[derive(Default)]
struct Column {
    /// How often each value occurs; incomplete once there are too many.
    values: FxHashMap<Box<[u8]>, u64>,
    too_many: bool,
    missing: u64,
    /// Values that are not numbers.
    not_numbers: u64,
    numbers: u64,
    /// The numbers of sampled rows; not a number for other values.
    sampled: Vec<f64>,
}

/// What the first pass found out.
pub(super) struct Survey {
    header: Vec<String>,
    columns: Vec<Column>,
    /// The target's text in sampled rows.
    labels: Vec<Box<[u8]>>,
    rows: u64,
    target: usize,
    weights: Option<usize>,
    unit: f64,
    /// The weight, in units, that counts as one row.
    grain: u64,
}

impl Survey {
    pub fn read(source: &Source, options: &TableOptions) -> Result<Self, MineError> {
        let mut reader = source.reader()?;
        let header = source::header(&mut reader)?;
        let target = find(&header, &options.target)?;
        let weights = options.weights.as_ref().map(|name| find(&header, name)).transpose()?;
        options.ignore.iter().try_for_each(|name| find(&header, name).map(drop))?;
        if weights == Some(target) {
            return Err(MineError::Settings("the target cannot be the column of weights".into()));
        }
        let mut columns: Vec<Column> = header.iter().map(|_| Column::default()).collect();
        let mut labels = Vec::new();
        let (mut rows, mut total, mut squares, mut integers) = (0u64, 0.0, 0.0, true);
        let mut record = ByteRecord::new();
        // Rows are sampled evenly: every row at first, then every second, and so on.
        let mut stride = 1;
        while source.next(&mut reader, &mut record)? {
            rows += 1;
            if let Some(place) = weights {
                let weight = weight(&record[place], source::line(&record))?;
                total += weight;
                squares += weight * weight;
                integers &= weight.fract() == 0.0 && weight < 1e9;
            }
            let sampled = rows % stride == 0;
            if sampled && labels.len() == SAMPLED {
                stride *= 2;
                let thin = |at: usize| at % 2 == 1;
                labels = labels.into_iter().enumerate().filter(|(at, _)| thin(*at)).map(|(_, l)| l).collect();
                for column in &mut columns {
                    let old = std::mem::take(&mut column.sampled);
                    column.sampled =
                        old.into_iter().enumerate().filter(|(at, _)| thin(*at)).map(|(_, v)| v).collect();
                }
            }
            let sampled = rows % stride == 0;
            if sampled {
                labels.push(record[target].into());
            }
            for (column, field) in columns.iter_mut().zip(record.iter()) {
                column.add(field, sampled);
            }
        }
        if rows == 0 {
            return Err(MineError::Table("the table has a header, but no rows".into()));
        }
        // Whole numbers are counts of equal rows. Other weights get a resolution of 1/64 of their mean, and
        // all of them together count as Kish's effective number of rows.
        let unit = if weights.is_none() || integers { 1.0 } else { total / rows as f64 / 64.0 };
        if !(unit > 0.0 && unit.is_finite()) || total / unit > 1e15 {
            return Err(MineError::Table("the weights are all 0, or too large".into()));
        }
        let counts = weights.is_none() || integers;
        let grain = if counts { 1 } else { (total / unit * squares / (total * total)).round() as u64 };
        Ok(Self { header, columns, labels, rows, target, weights, unit, grain })
    }

    /// Decides which questions are asked.
    pub fn plan(&self, options: &TableOptions) -> Result<Plan, MineError> {
        let target = self.target(options)?;
        let label = |text: &[u8]| {
            let text = value(text).map(String::from_utf8_lossy)?;
            target.answer(Some(&text)).ok()
        };
        let labels: Vec<Option<bool>> = self.labels.iter().map(|text| label(text)).collect();
        let mut plan = Plan {
            features: Vec::new(),
            columns: Vec::new(),
            uses: Vec::new(),
            target,
            target_place: self.target,
            weights_place: self.weights,
            unit: self.unit,
            grain: self.grain,
            stride: self.rows.div_ceil(SAMPLED as u64).max(1),
            cuts: options.cuts,
        };
        for (place, (name, column)) in self.header.iter().zip(&self.columns).enumerate() {
            let before = plan.features.len();
            let kind = match () {
                () if place == self.target => "the target".to_owned(),
                () if Some(place) == self.weights => "weights".to_owned(),
                () if options.ignore.contains(name) => "ignored".to_owned(),
                () => {
                    let also: Vec<&Test> =
                        options.also.iter().filter(|f| f.column == *name).map(|f| &f.test).collect();
                    let (tests, kind) = column.tests(&labels, options.cuts, self.rows, &also);
                    if plan.features.len() + tests.len() > QUESTIONS {
                        return Err(MineError::Table(format!(
                            "the columns up to `{name}` lead to more than {QUESTIONS} questions: leave \
                             columns out with --ignore, or reduce --cuts"
                        )));
                    }
                    let first = plan.features.len();
                    let opposite = column.opposite(&tests);
                    let complete = !tests.contains(&Test::Missing);
                    let feature = |test| Feature {
                        opposite: opposite.clone(),
                        complete,
                        ..Feature::new(name.clone(), test)
                    };
                    plan.features.extend(tests.into_iter().map(feature));
                    let features = &plan.features[first..];
                    if !features.is_empty() {
                        let mut answers = ColumnPlan::new(place, first, features, column.few());
                        answers.named = named(&also);
                        plan.columns.push(answers);
                    }
                    kind
                }
            };
            let questions = plan.features.len() - before;
            plan.uses.push(ColumnUse { name: name.clone(), kind, questions });
        }
        Ok(plan)
    }

    /// The condition under which the target is true.
    fn target(&self, options: &TableOptions) -> Result<Feature, MineError> {
        let column = &self.columns[self.target];
        let name = &options.target;
        let feature = |test| Feature::new(name.clone(), test);
        let values = column.sorted();
        if values.is_empty() {
            return Err(MineError::Table(format!("`{name}` has no values")));
        }
        if let Some(positive) = &options.positive {
            if !column.too_many && !values.contains(positive) {
                return Err(MineError::Settings(format!(
                    "`{name}` is never `{positive}`: it is {}",
                    some(&values)
                )));
            }
            return Ok(feature(Test::Equals(positive.clone())));
        }
        if !column.too_many && values.iter().all(|value| truth(value).is_some()) {
            return Ok(feature(Test::True));
        }
        if column.too_many || values.len() > 2 {
            let count =
                if column.too_many { format!("more than {COUNTED}") } else { values.len().to_string() };
            return Err(MineError::Table(format!(
                "`{name}` has {count} different values ({}), but a target needs two: say which one counts as \
                 true with --positive VALUE",
                some(&values)
            )));
        }
        // Two values: the larger number, or the later text.
        Ok(feature(Test::Equals(values[values.len() - 1].clone())))
    }
}

/// A few values for a message.
fn some(values: &[String]) -> String {
    let mut list: Vec<String> = values.iter().take(6).map(|value| format!("`{value}`")).collect();
    if values.len() > 6 {
        list.push("…".into());
    }
    list.join(", ")
}

impl Column {
    fn add(&mut self, field: &[u8], sampled: bool) {
        let Some(value) = value(field) else {
            self.missing += 1;
            if sampled {
                self.sampled.push(f64::NAN);
            }
            return;
        };
        let known = self.values.get_mut(value).map(|count| *count += 1).is_some();
        if !known && !self.too_many {
            self.values.insert(value.into(), 1);
            self.too_many = self.values.len() > COUNTED;
        }
        // A known value of few has been looked at before.
        let numeric = if known && !sampled && !self.too_many {
            None
        } else {
            Some(std::str::from_utf8(value).ok().and_then(number))
        };
        match numeric {
            Some(Some(_)) => self.numbers += 1,
            Some(None) => self.not_numbers += 1,
            None => {}
        }
        if sampled {
            self.sampled.push(numeric.flatten().unwrap_or(f64::NAN));
        }
    }

    /// The values in any order, if there are few.
    fn few(&self) -> impl Iterator<Item = &[u8]> {
        #[expect(clippy::disallowed_methods, reason = "each value is handled by itself")]
        let values = self.values.keys().map(|value| &value[..]);
        values.filter(|_| !self.too_many)
    }

    /// The values, as numbers if all are, otherwise as text. At most a few hundred.
    fn sorted(&self) -> Vec<String> {
        #[expect(clippy::disallowed_methods, reason = "the list is sorted")]
        let mut values: Vec<String> =
            self.values.keys().map(|value| String::from_utf8_lossy(value).into_owned()).collect();
        values.sort_by(|a, b| match (number(a), number(b)) {
            (Some(x), Some(y)) => x.total_cmp(&y).then_with(|| a.cmp(b)),
            (x, y) => x.is_none().cmp(&y.is_none()).then_with(|| a.cmp(b)),
        });
        values
    }

    /// How many values are not numbers.
    fn odd(&self) -> u64 {
        if self.too_many {
            return self.not_numbers;
        }
        let is_odd = |value: &[u8]| std::str::from_utf8(value).ok().and_then(number).is_none();
        #[expect(clippy::disallowed_methods, reason = "the order of a sum does not matter")]
        self.values.iter().filter(|(value, _)| is_odd(value)).map(|(_, count)| count).sum()
    }

    /// Whether almost all values are numbers, and there are too many different ones for categories.
    fn is_numeric(&self, rows: u64) -> bool {
        let odd = self.odd();
        let different = self.values.len();
        odd * ODD_ONE_IN <= rows && different > FEW_NUMBERS && (odd == 0 || different > 2 * FEW_NUMBERS)
    }

    /// How many values are neither true nor false, if almost all others are the one or the other.
    fn almost_truths(&self, rows: u64) -> Option<u64> {
        #[expect(clippy::disallowed_methods, reason = "sums do not depend on the order")]
        let values = self.values.iter().map(|(value, &count)| {
            let truth = std::str::from_utf8(value).ok().and_then(truth);
            let at = truth.map_or(2, usize::from);
            (at, count)
        });
        let mut counts = [0; 3];
        values.for_each(|(at, count)| counts[at] += count);
        let [no, yes, odd] = counts;
        // One value of three is no accident in a table of a few rows.
        (!self.too_many && no > 0 && yes > 0 && odd * ODD_ONE_IN <= rows).then_some(odd)
    }

    /// The questions about this column, and what it contains.
    fn tests(&self, labels: &[Option<bool>], cuts: usize, rows: u64, also: &[&Test]) -> (Vec<Test>, String) {
        let values = self.sorted();
        let neither = self.almost_truths(rows);
        let mut missing = self.missing;
        let (mut tests, mut kind) = match values.len() {
            0 => return (Vec::new(), "left out: all values are missing".into()),
            1 if self.missing == 0 => return (Vec::new(), "left out: always the same value".into()),
            1 => (Vec::new(), "one value".to_owned()),
            _ if neither.is_some() => {
                missing += neither.unwrap_or_default();
                (vec![Test::True], "true or false".to_owned())
            }
            2 => (vec![Test::Equals(values[1].clone())], "two values".to_owned()),
            _ if self.is_numeric(rows) => {
                let points = cuts::with_named(&self.sampled, labels, cuts, &named(also));
                let kind = format!("a number, cut at {}", cuts::listed(&points));
                missing += self.odd();
                (points.into_iter().map(Test::AtLeast).collect(), kind)
            }
            few if !self.too_many && few <= CATEGORIES => {
                (values.iter().cloned().map(Test::Equals).collect(), format!("{few} categories"))
            }
            _ => {
                let frequent = self.frequent(rows);
                let kind = match frequent.len() {
                    0 => "left out: free text".to_owned(),
                    count => format!("text, of which the {count} most frequent values are used"),
                };
                (frequent.into_iter().map(Test::Equals).collect(), kind)
            }
        };
        for test in also.iter().filter(|test| matches!(test, Test::Equals(value) if values.contains(value))) {
            if matches!(tests.first(), Some(Test::Equals(_))) && values.len() > 2 && !tests.contains(test) {
                tests.push((*test).clone());
            }
        }
        if missing > 0 {
            tests.extend(opposites(&tests, &values));
            tests.push(Test::Missing);
            kind += &format!(", {missing} missing");
        }
        if missing > self.missing {
            let are = if tests[0] == Test::True { "neither true nor false" } else { "no numbers" };
            kind += &format!(" (of which {} are {are})", missing - self.missing);
        }
        (tests, kind)
    }

    /// The other value of a column with exactly two.
    fn opposite(&self, tests: &[Test]) -> Option<String> {
        let values = self.sorted();
        match (&values[..], tests) {
            ([other, _], [Test::Equals(_)]) if self.missing == 0 && !self.too_many => Some(other.clone()),
            _ => None,
        }
    }

    /// The most frequent values of a text, each in at least one of 50 rows.
    fn frequent(&self, rows: u64) -> Vec<String> {
        let text = |value: &[u8], count: u64| (count, String::from_utf8_lossy(value).into_owned());
        #[expect(clippy::disallowed_methods, reason = "the list is sorted")]
        let mut values: Vec<(u64, String)> =
            self.values.iter().map(|(value, count)| text(value, *count)).collect();
        values.retain(|(count, _)| count * 50 >= rows && *count >= 2);
        values.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        values.truncate(CATEGORIES);
        values.into_iter().map(|(_, value)| value).collect()
    }
}

/// The cut points of questions that the user asks.
fn named(also: &[&Test]) -> Vec<f64> {
    let limit = |test: &&Test| match test {
        Test::AtLeast(limit) | Test::Below(limit) => Some(*limit),
        _ => None,
    };
    let mut limits: Vec<f64> = also.iter().filter_map(limit).collect();
    limits.sort_by(f64::total_cmp);
    limits.dedup();
    limits
}

/// What to ask about a column with missing values in addition: `speed < 30` is not the negation of `speed
/// >= 30` there.
fn opposites(tests: &[Test], values: &[String]) -> Vec<Test> {
    let opposite = |test: &Test| match test {
        Test::AtLeast(least) => Some(Test::Below(*least)),
        Test::Equals(value) if values.len() == 2 => {
            values.iter().find(|other| *other != value).map(|other| Test::Equals(other.clone()))
        }
        _ => None,
    };
    tests.iter().filter_map(opposite).collect()
}
