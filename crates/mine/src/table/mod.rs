//! Tables of observations: CSV files to distinct, bit-packed rows.
//!
//! A file is read twice, so that memory does not grow with the number of rows, only with the number of
//! distinct ones. The first pass looks at the values of each column and decides which questions are asked
//! about it; the second pass answers them for every row. Standard input is copied to a temporary file first.

mod answers;
mod apply;
mod columns;
mod source;

use std::path::Path;
use std::sync::Arc;

use csv::ByteRecord;
use serde::Serialize;

use crate::error::MineError;
use crate::feature::{Feature, Test};
use crate::observations::{Line, Lines, Numbers, Observations};
use crate::rows::{RowCounter, Rows};
use answers::ColumnPlan;
pub use apply::{Predictions, WrongRow, predict, wrong_rows};
pub(crate) use columns::MISSING;
use columns::Survey;
use source::Source;

/// What to read from a table.
#[derive(Clone, Debug)]
pub struct TableOptions {
    /// The column to explain.
    pub target: String,
    /// The value of the target that counts as true, if it is not 0/1, true/false, yes/no or two numbers.
    pub positive: Option<String>,
    /// The column with the weights of the rows.
    pub weights: Option<String>,
    /// Columns to leave out.
    pub ignore: Vec<String>,
    /// The largest number of cut points for a column of numbers.
    pub cuts: usize,
    /// Questions to ask in addition, such as those of a formula to start from.
    pub also: Vec<Feature>,
}

impl TableOptions {
    /// All columns explain this one.
    pub fn new(target: impl Into<String>) -> Self {
        let target = target.into();
        Self { target, positive: None, weights: None, ignore: Vec::new(), cuts: 6, also: Vec::new() }
    }
}

/// A table that is ready to be mined.
#[derive(Clone, Debug)]
pub struct Table {
    /// The questions about each row.
    pub features: Vec<Feature>,
    /// The distinct rows.
    pub rows: Rows,
    /// The condition under which a row is positive.
    pub target: Feature,
    /// What was found in the file.
    pub summary: Summary,
    /// The lines, if formulae cannot be judged by the distinct rows alone.
    lines: Option<Lines>,
    /// Where it was read from.
    source: Option<Arc<Source>>,
}

/// What was found in a file.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Summary {
    /// Rows with a target.
    pub rows: u64,
    /// Rows that differ in their features.
    pub distinct: usize,
    /// Rows without a target, which are left out.
    pub without_target: u64,
    /// Values that are missing, without those of the target.
    pub missing_values: u64,
    /// Rows whose features occur with both targets.
    pub contradictory: u64,
    /// Rows whose target is true.
    pub positive: u64,
    /// What `true` means: the condition on the target.
    pub target: String,
    /// One unit of weight, if rows have weights that are not integers.
    pub weight_unit: f64,
    /// How each column is used.
    pub columns: Vec<ColumnUse>,
}

/// How a column is used.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ColumnUse {
    /// Its name.
    pub name: String,
    /// The kind of its values, or why it is left out.
    pub kind: String,
    /// The number of questions about it.
    pub questions: usize,
}

impl Table {
    /// Reads a CSV or TSV file, which may be compressed with gzip; `-` is standard input.
    pub fn read(path: &Path, options: &TableOptions) -> Result<Self, MineError> {
        Self::from_source(Arc::new(Source::open(path)?), options)
    }

    /// Reads a table from bytes.
    ///
    /// ```
    /// use logicvae_mine::{Table, TableOptions};
    /// let csv = "hot,door,alarm\n1,open,1\n1,shut,0\n0,open,0\n0,shut,0\n";
    /// let table = Table::from_bytes(csv.as_bytes(), &TableOptions::new("alarm"))?;
    /// assert_eq!(table.rows.len(), 4);
    /// assert_eq!(table.features[1].to_string(), "door = shut");
    /// # Ok::<(), logicvae_mine::MineError>(())
    /// ```
    pub fn from_bytes(bytes: &[u8], options: &TableOptions) -> Result<Self, MineError> {
        Self::from_source(Arc::new(Source::from_bytes(bytes)?), options)
    }

    /// A table from rows that are bits already. Its target is called `target`.
    pub fn from_rows(features: Vec<Feature>, counter: RowCounter) -> Self {
        let rows = counter.finish(features.len());
        let target = Feature::new("target", Test::True);
        let summary = Summary {
            rows: rows.total(),
            distinct: rows.len(),
            positive: rows.positive(),
            target: target.to_string(),
            weight_unit: 1.0,
            ..Summary::default()
        };
        Self { features, rows, target, summary, lines: None, source: None }
    }

    /// What cross-validation and other tests divide and draw again.
    pub(crate) fn observations(&self) -> Observations<'_> {
        Observations { rows: &self.rows, features: &self.features, lines: self.lines.as_ref() }
    }

    fn from_source(source: Arc<Source>, options: &TableOptions) -> Result<Self, MineError> {
        let survey = Survey::read(&source, options)?;
        let plan = survey.plan(options)?;
        let mut summary = Summary { target: plan.target.to_string(), ..Summary::default() };
        summary.weight_unit = plan.unit;
        let mut counter = RowCounter::default();
        let mut reader = source.reader()?;
        let mut record = ByteRecord::new();
        let mut bits = vec![0; plan.features.len().div_ceil(64).max(1)];
        let mut lines = plan.lines();
        while source.next(&mut reader, &mut record)? {
            let line = source::line(&record);
            let Some(label) = plan.label(&record, line)? else {
                summary.without_target += 1;
                continue;
            };
            let weight = plan.weight(&record, line)?;
            bits.fill(0);
            for column in &plan.columns {
                summary.missing_values += u64::from(column.answer(&record, &mut bits));
            }
            summary.rows += 1;
            summary.positive += u64::from(label);
            if weight > 0 {
                counter.add(&bits, label, weight);
                if let Some(lines) = lines.as_mut().filter(|_| summary.rows.is_multiple_of(plan.stride)) {
                    let numbers = plan.columns.iter().filter_map(|column| column.number(&record)).collect();
                    lines.lines.push(Line { answers: bits.clone().into(), numbers });
                    lines.weights.push(if label { [0, weight] } else { [weight, 0] });
                }
            }
        }
        drop(reader);
        let rows = counter.finish(plan.features.len()).with_grain(plan.grain);
        summary.distinct = rows.len();
        let both = rows.weights().iter().filter(|[no, yes]| *no > 0 && *yes > 0);
        summary.contradictory = both.map(|[no, yes]| no + yes).sum::<u64>() / rows.grain();
        summary.columns = plan.uses;
        if rows.total() == 0 {
            return Err(MineError::Table("all rows that have a target have the weight 0".into()));
        }
        if rows.positive() == 0 || rows.positive() == rows.total() {
            let value = if rows.positive() == 0 { "false" } else { "true" };
            let left_out = match summary.without_target {
                0 => String::new(),
                count => format!(" (and {count} rows without a target are left out)"),
            };
            return Err(MineError::Table(format!(
                "`{}` is {value} in every row{left_out}: there is nothing to explain",
                summary.target
            )));
        }
        if plan.features.is_empty() {
            let message = "no column can be used besides the target: all are constant, ignored or free text";
            return Err(MineError::Table(message.into()));
        }
        Ok(Self { features: plan.features, rows, target: plan.target, summary, lines, source: Some(source) })
    }
}

/// The plan of a table: questions, and how they are answered.
struct Plan {
    features: Vec<Feature>,
    columns: Vec<ColumnPlan>,
    uses: Vec<ColumnUse>,
    target: Feature,
    target_place: usize,
    weights_place: Option<usize>,
    /// The weight that becomes 1.
    unit: f64,
    /// The weight, in these units, that counts as one row.
    grain: u64,
    /// One of this many lines is kept, if lines are needed.
    stride: u64,
    /// The largest number of cut points.
    cuts: usize,
}

impl Plan {
    /// An empty list of lines, if cut points depend on labels, or weights are no counts.
    fn lines(&self) -> Option<Lines> {
        let about = |column: &ColumnPlan| {
            let feature = &self.features[column.first_question()];
            column.is_number().then(|| Numbers {
                column: feature.column.clone(),
                complete: feature.complete,
                cuts: self.cuts,
                named: column.named.clone(),
            })
        };
        let numbers: Vec<Numbers> = self.columns.iter().filter_map(about).collect();
        (!numbers.is_empty() || self.grain > 1).then(|| Lines { numbers, ..Lines::default() })
    }

    /// The label of a row; `None` if it is missing.
    fn label(&self, record: &ByteRecord, line: u64) -> Result<Option<bool>, MineError> {
        let Some(value) = columns::value(record.get(self.target_place).unwrap_or_default()) else {
            return Ok(None);
        };
        let text = String::from_utf8_lossy(value);
        let answer = self.target.answer(Some(&text));
        let within =
            |reason| MineError::Table(format!("line {line}, column `{}`: {reason}", self.target.column));
        answer.map(Some).map_err(within)
    }

    fn weight(&self, record: &ByteRecord, line: u64) -> Result<u64, MineError> {
        let Some(place) = self.weights_place else { return Ok(1) };
        let weight = columns::weight(record.get(place).unwrap_or_default(), line)?;
        Ok((weight / self.unit).round() as u64)
    }
}
