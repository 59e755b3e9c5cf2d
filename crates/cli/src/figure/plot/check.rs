//! What all kinds of charts refuse.

use anyhow::{Result, bail};

use crate::figure::scheme::COLOURS;

/// Letters of a title, and of any other text.
const TITLE: usize = 90;
const LETTERS: usize = 60;
/// Larger numbers leave floating point nothing to tell neighbours apart with.
const LARGEST: f64 = 1e12;

/// The title and the labels of axes.
pub fn labels(title: &str, axes: &[&str]) -> Result<()> {
    text("the title", title, TITLE)?;
    axes.iter().try_for_each(|axis| text("an axis's label", axis, LETTERS))
}

/// The names of what is of one sort, such as series.
pub fn names<'a>(sort: &str, names: impl Iterator<Item = &'a str>) -> Result<()> {
    for (i, name) in names.enumerate() {
        if name.trim().is_empty() {
            bail!("{sort}[{i}] has an empty name");
        }
        text(&format!("the name of {sort}[{i}]"), name, LETTERS)?;
    }
    Ok(())
}

/// Text that fits, and that XML can hold.
fn text(what: &str, text: &str, most: usize) -> Result<()> {
    let letters = text.chars().count();
    if letters > most {
        bail!("{what} has {letters} letters, and there is room for {most}");
    }
    if text.chars().any(|c| c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}')) {
        bail!("{what} has a line break or another control character");
    }
    Ok(())
}

/// At least one series, and no more than there are colours.
pub fn series(count: usize) -> Result<()> {
    match count {
        0 => bail!("`series` is empty: describe at least one"),
        count if count > COLOURS.len() => {
            bail!("{count} series, and there are colours for {}", COLOURS.len())
        }
        _ => Ok(()),
    }
}

/// A place among the series that something refers to.
pub fn place(what: &str, place: usize, count: usize) -> Result<()> {
    if place >= count {
        bail!(
            "{what} refers to series {place}, but the last of {count} is {}: they are counted from 0",
            count - 1
        );
    }
    Ok(())
}

/// Numbers that can be drawn.
pub fn numbers(what: &str, numbers: impl Iterator<Item = f64>) -> Result<()> {
    for number in numbers {
        // NaN is in no range.
        if !(-LARGEST..=LARGEST).contains(&number) {
            bail!("{what} has {number}: numbers must be between {:e} and {LARGEST:e}", -LARGEST);
        }
    }
    Ok(())
}

/// The ends of error bars around points, for those that have some: x, low, high.
pub fn errors(
    what: &str,
    points: &[Option<(f64, f64)>],
    low: Option<&[Option<f64>]>,
    high: Option<&[Option<f64>]>,
) -> Result<Vec<(f64, f64, f64)>> {
    let (low, high) = match (low, high) {
        (None, None) => return Ok(Vec::new()),
        (Some(low), Some(high)) => (low, high),
        (Some(_), None) => bail!("{what} has `low` but no `high`"),
        (None, Some(_)) => bail!("{what} has `high` but no `low`"),
    };
    for (name, list) in [("low", low), ("high", high)] {
        if list.len() != points.len() {
            bail!(
                "`{name}` of {what} has {} number(s), and there are {} to go with",
                list.len(),
                points.len()
            );
        }
        numbers(&format!("`{name}` of {what}"), list.iter().flatten().copied())?;
    }
    let mut errors = Vec::new();
    for (i, (point, ends)) in points.iter().zip(low.iter().zip(high)).enumerate() {
        match (*point, ends) {
            (_, (None, None)) => {}
            (Some((x, y)), (&Some(low), &Some(high))) if low <= y && y <= high => errors.push((x, low, high)),
            (Some((_, y)), (Some(low), Some(high))) => {
                bail!(
                    "number {i} of {what} is {y}, not between its `low` {low} and its `high` {high}: these are the bar's ends"
                )
            }
            (None, _) => bail!("number {i} of {what} is missing, but has an error bar"),
            _ => bail!("number {i} of {what} has only one end of its error bar"),
        }
    }
    Ok(errors)
}
