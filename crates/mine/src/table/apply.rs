//! Applying a formula to the rows of a file: predictions, and the rows that it gets wrong.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use csv::ByteRecord;
use rustc_hash::FxHashMap;
use serde::Serialize;

use super::source::{self, Source};
use super::{Table, columns};
use crate::error::MineError;
use crate::expr::Expr;
use crate::feature::{Feature, Test};

/// Answers questions for every row of a file, in its order, to apply a formula. Columns that the questions do
/// not need are not looked at.
pub fn predict(
    path: &Path,
    formula: &crate::parse::ParsedFormula,
    target: Option<&Feature>,
) -> Result<Predictions, MineError> {
    let source = Source::open(path)?;
    let mut reader = source.reader()?;
    let header = source::header(&mut reader)?;
    let find = |feature: &Feature| columns::find(&header, &feature.column);
    let places: Vec<usize> = formula.features.iter().map(find).collect::<Result<_, _>>()?;
    let target = target.and_then(|feature| Some((feature, find(feature).ok()?)));
    let mut found = Predictions::default();
    let mut odd: BTreeMap<usize, u64> = BTreeMap::new();
    let mut record = ByteRecord::new();
    let mut cache: FxHashMap<Vec<u8>, bool> = FxHashMap::default();
    let mut key = Vec::new();
    while source.next(&mut reader, &mut record)? {
        let line = source::line(&record);
        let answer = |feature: &Feature, place: usize| -> Result<bool, MineError> {
            feature.answer(text(&record, place).as_deref()).map_err(|reason| {
                MineError::Table(format!("line {line}, column `{}`: {reason}", feature.column))
            })
        };
        key.clear();
        for &place in &places {
            let field = record.get(place).unwrap_or_default();
            key.extend_from_slice(&field.len().to_le_bytes());
            key.extend_from_slice(field);
        }
        let predicted = match cache.get(&key) {
            Some(&known) => known,
            None => {
                // A few texts among numbers, or among true and false, count as missing, as in mining.
                let mut unreadable = BTreeSet::new();
                for (feature, &place) in formula.features.iter().zip(&places) {
                    if text(&record, place).is_some_and(|value| !feature.test.can_read(&value)) {
                        unreadable.insert(place);
                    }
                }
                unreadable.iter().for_each(|&place| *odd.entry(place).or_default() += 1);
                let pairs = formula.features.iter().zip(&places);
                let value = |(feature, &place): (&Feature, &usize)| match unreadable.contains(&place) {
                    true => Ok(feature.test == Test::Missing),
                    false => answer(feature, place),
                };
                let values: Vec<bool> = pairs.map(value).collect::<Result<_, _>>()?;
                let predicted = formula.expr.value(&|feature| values[feature as usize]);
                if cache.len() < 100_000 && unreadable.is_empty() {
                    cache.insert(key.clone(), predicted);
                }
                predicted
            }
        };
        found.values.push(predicted);
        if let Some((feature, place)) = target
            && text(&record, place).is_some()
        {
            found.confusion.add(predicted, answer(feature, place)?);
            found.with_target += 1;
        }
    }
    let rows = found.values.len() as u64;
    for (place, count) in odd {
        let column = &header[place];
        if count * columns::ODD_ONE_IN > rows {
            let message = format!(
                "column `{column}`: {count} of {rows} values are not of the kind that the formula needs"
            );
            return Err(MineError::Table(message));
        }
        found.unreadable.push((column.clone(), count));
    }
    Ok(found)
}

/// The result of [`predict`].
#[derive(Clone, Debug, Default)]
pub struct Predictions {
    /// The value of the formula at each row.
    pub values: Vec<bool>,
    /// How the values compare with the target, if that is in the file.
    pub confusion: crate::rows::Confusion,
    /// Rows with a target.
    pub with_target: u64,
    /// Columns with values that are not numbers, or neither true nor false, as the formula needs them, and
    /// how many. They count as missing.
    pub unreadable: Vec<(String, u64)>,
}

/// A row that a formula gets wrong.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WrongRow {
    /// Its line in the file.
    pub line: u64,
    /// The value of the target.
    pub label: bool,
    /// Its values, as they stand in the file.
    pub values: Vec<String>,
}

/// The first rows of a table's file that a formula over its features gets wrong.
pub fn wrong_rows(table: &Table, expr: &Expr, most: usize) -> Result<Vec<WrongRow>, MineError> {
    let Some(source) = &table.source else { return Ok(Vec::new()) };
    let mut reader = source.reader()?;
    let header = source::header(&mut reader)?;
    let used: Vec<(u32, usize)> = expr
        .features()
        .into_iter()
        .map(|f| Ok((f, columns::find(&header, &table.features[f as usize].column)?)))
        .collect::<Result<_, MineError>>()?;
    let target = columns::find(&header, &table.target.column)?;
    let mut record = ByteRecord::new();
    let mut found = Vec::new();
    while found.len() < most && source.next(&mut reader, &mut record)? {
        let Some(label) = text(&record, target) else { continue };
        let Ok(label) = table.target.answer(Some(&label)) else { continue };
        let answer = |feature: u32| {
            let place = used.iter().find(|(f, _)| *f == feature).map_or(0, |(_, place)| *place);
            table.features[feature as usize].answer(text(&record, place).as_deref()).unwrap_or(false)
        };
        if expr.value(&answer) != label {
            let values = record.iter().map(|v| String::from_utf8_lossy(v).into_owned()).collect();
            found.push(WrongRow { line: source::line(&record), label, values });
        }
    }
    Ok(found)
}

/// The text of a field; `None` if it is missing.
fn text(record: &ByteRecord, place: usize) -> Option<Cow<'_, str>> {
    columns::value(record.get(place).unwrap_or_default()).map(String::from_utf8_lossy)
}
