//! Tables of requirements, with a column for the formula and one for its identifier.

use crate::formula::Formula;
use crate::io::{Entry, ReadError};
use crate::names::Names;
use crate::parse::{parse_new, reserve_indices};

use super::FormulaFile;

const FORMULA: [&str; 4] = ["formula", "requirement", "expression", "condition"];
const LABEL: [&str; 7] = ["id", "label", "key", "name", "title", "description", "text"];

pub(super) fn read(text: &str, mut names: Names) -> Result<FormulaFile, ReadError> {
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter(text))
        .trim(csv::Trim::All)
        .comment(Some(b'#'))
        .from_reader(text.as_bytes());
    let header = reader.headers().map_err(failed)?.clone();
    let is_one_of = |name: &str, list: &[&str]| list.iter().any(|known| name.eq_ignore_ascii_case(known));
    let Some(formula) = header.iter().position(|name| is_one_of(name, &FORMULA)) else {
        let columns: Vec<&str> = header.iter().collect();
        let what = format!(
            "no column is called `formula`: the columns are {}; name the one with the formulae `formula`, \
             and the one with their identifiers `id`",
            columns.join(", ")
        );
        return Err(ReadError::Format { line: 1, what });
    };
    let labels: Vec<usize> =
        (0..header.len()).filter(|&at| at != formula && is_one_of(&header[at], &LABEL)).collect();
    let records: Vec<csv::StringRecord> = reader.records().collect::<Result<_, _>>().map_err(failed)?;
    // Names must not take an index that any formula uses as x1, x2, …
    records.iter().for_each(|record| reserve_indices(record.get(formula).unwrap_or(""), 0, &mut names));
    let mut entries = Vec::new();
    for record in &records {
        let line = record.position().map_or(0, |place| line(text, place));
        let parsed: Formula = parse_new(record.get(formula).unwrap_or(""), 0, &mut names)
            .map_err(|e| e.after_lines(line.saturating_sub(1)))?;
        let label: Vec<&str> =
            labels.iter().filter_map(|&at| record.get(at)).filter(|l| !l.is_empty()).collect();
        let label = (!label.is_empty()).then(|| label.join(" "));
        entries.push(Entry { formula: parsed, label, line });
    }
    Ok(FormulaFile { names, entries })
}

/// The line of a record. The reader names the place before the empty lines and comments that it skips.
fn line(text: &str, place: &csv::Position) -> usize {
    let rest = text.get(place.byte() as usize..).unwrap_or("");
    let skipped = rest.lines().take_while(|line| line.is_empty() || line.starts_with('#')).count();
    place.line() as usize + skipped
}

/// The separator that occurs most often in the first line: a comma, a semicolon or a tab.
fn delimiter(text: &str) -> u8 {
    let first = text.lines().find(|line| !line.starts_with('#')).unwrap_or("");
    let count = |separator: &u8| first.bytes().filter(|byte| byte == separator).count();
    b";\t,".iter().copied().max_by_key(count).unwrap_or(b',')
}

fn failed(error: csv::Error) -> ReadError {
    let line = error.position().map_or(1, |p| p.line() as usize);
    ReadError::Format { line, what: format!("this is not a table: {error}") }
}
