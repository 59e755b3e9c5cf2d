//! Checks that all kinds of charts have in common.

use anyhow::{Result, bail};

use crate::figure::scheme::COLOURS;

/// Largest number of characters in a title, and in any other text.
const MAX_TITLE_LENGTH: usize = 90;
const MAX_TEXT_LENGTH: usize = 60;
/// Largest absolute value. Beyond it, floating-point numbers are too coarse for an axis.
const MAX_NUMBER: f64 = 1e12;

/// Checks the title and the labels of the axes.
pub fn labels(title: &str, axes: &[&str]) -> Result<()> {
    text("the title", title, MAX_TITLE_LENGTH)?;
    axes.iter().try_for_each(|axis| text("the label of an axis", axis, MAX_TEXT_LENGTH))
}

/// Checks the names in a list, such as `series`.
pub fn names<'a>(list: &str, names: impl Iterator<Item = &'a str>) -> Result<()> {
    for (i, name) in names.enumerate() {
        if name.trim().is_empty() {
            bail!("{list}[{i}] has an empty name");
        }
        text(&format!("the name of {list}[{i}]"), name, MAX_TEXT_LENGTH)?;
    }
    Ok(())
}

/// Checks that a text is not too long and contains only characters that XML allows.
fn text(what: &str, text: &str, max_length: usize) -> Result<()> {
    let length = text.chars().count();
    if length > max_length {
        bail!("{what} has {length} characters, but at most {max_length} are allowed");
    }
    if text.chars().any(|c| c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}')) {
        bail!("{what} contains a line break or another control character: remove it");
    }
    Ok(())
}

/// Checks that there is at least one series, and no more than there are colours.
pub fn series_count(count: usize) -> Result<()> {
    match count {
        0 => bail!("`series` is empty: add at least one series"),
        count if count > COLOURS.len() => {
            bail!("there are {count} series, but at most {} are allowed", COLOURS.len())
        }
        _ => Ok(()),
    }
}

/// Checks a reference to one of `count` series.
pub fn series_index(what: &str, index: usize, count: usize) -> Result<()> {
    if index >= count {
        bail!("{what} refers to series {index}, but the last one is {}: indices start at 0", count - 1);
    }
    Ok(())
}

/// Checks that a colour, if one is given, is one of those of a chart.
pub fn colour(what: &str, colour: Option<usize>) -> Result<()> {
    match colour {
        Some(colour) if colour >= COLOURS.len() => {
            bail!("{what} has the colour {colour}, but the last one is {}", COLOURS.len() - 1)
        }
        _ => Ok(()),
    }
}

/// Checks that numbers are finite and not too large.
pub fn numbers(what: &str, numbers: impl Iterator<Item = f64>) -> Result<()> {
    for number in numbers {
        // NaN is not in the range either.
        if !(-MAX_NUMBER..=MAX_NUMBER).contains(&number) {
            bail!("{what} contains {number}: numbers must be between {:e} and {MAX_NUMBER:e}", -MAX_NUMBER);
        }
    }
    Ok(())
}

/// Checks error bars and returns them as x, lower end and upper end, for those points that have one.
pub fn error_bars(
    what: &str,
    points: &[Option<(f64, f64)>],
    low: Option<&[Option<f64>]>,
    high: Option<&[Option<f64>]>,
) -> Result<Vec<(f64, f64, f64)>> {
    let (low, high) = match (low, high) {
        (None, None) => return Ok(Vec::new()),
        (Some(low), Some(high)) => (low, high),
        (Some(_), None) => bail!("{what} has `low` but no `high`: give both or neither"),
        (None, Some(_)) => bail!("{what} has `high` but no `low`: give both or neither"),
    };
    for (name, ends) in [("low", low), ("high", high)] {
        if ends.len() != points.len() {
            bail!(
                "`{name}` of {what} has {} value(s), but the series has {}: use null for a missing error bar",
                ends.len(),
                points.len()
            );
        }
        numbers(&format!("`{name}` of {what}"), ends.iter().flatten().copied())?;
    }
    let mut errors = Vec::new();
    for (i, (point, ends)) in points.iter().zip(low.iter().zip(high)).enumerate() {
        match (*point, ends) {
            (_, (None, None)) => {}
            (Some((x, y)), (&Some(low), &Some(high))) if low <= y && y <= high => errors.push((x, low, high)),
            (Some((_, y)), (Some(low), Some(high))) => {
                bail!(
                    "value {i} of {what} is {y}, which is not between `low` {low} and `high` {high}: \
                     these are the ends of its error bar"
                )
            }
            (None, _) => {
                bail!("value {i} of {what} is missing, but has an error bar: set `low` and `high` to null")
            }
            _ => bail!("value {i} of {what} has only one end of its error bar: give `low` and `high`"),
        }
    }
    Ok(errors)
}
