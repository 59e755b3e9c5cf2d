//! One formula as a figure of its own: its tree, its text and what the colours mean.

use anyhow::{Result, bail};
use logicvae_logic::Formula;

use super::scheme::{TEXT, hex};
use super::strip::{shorten, signs};
use super::svg::{Anchor, Area, document, text};
use super::{legend, tree};

/// Around the figure and between its parts.
const MARGIN: f64 = 16.0;
/// The most that a unit of a tree becomes.
const UNIT: (f64, f64) = (58.0, 64.0);
/// The least: in smaller nodes nothing can be read.
const LEAST: f64 = 10.0;
/// Width and height that a tree may have; a larger one has smaller nodes instead.
const MOST: (f64, f64) = (2400.0, 2000.0);
/// Room for the legend, even if the tree is narrow.
const MIN_WIDTH: f64 = 360.0;
/// The size of the formula's letters.
const LETTERS: f64 = 14.0;

/// Draws the formula; refuses a tree whose nodes would be too small to be read.
pub fn portrait(formula: &Formula) -> Result<String> {
    let (across, down) = tree::size(formula);
    if across * LEAST > MOST.0 || down * LEAST > MOST.1 {
        bail!(
            "a tree of {} nodes, {across:.0} wide and {down:.0} deep, is too large to be read as a picture",
            formula.size()
        );
    }
    let (width, height) = ((across * UNIT.0).min(MOST.0), (down * UNIT.1).min(MOST.1));
    let whole = width.max(MIN_WIDTH) + 2.0 * MARGIN;
    let inner = Area { x: MARGIN, y: MARGIN, width: whole - 2.0 * MARGIN, height };
    let mut body = String::new();
    let top = legend::draw(&mut body, &legend::nodes([formula].into_iter()), false, inner);
    tree::draw(&mut body, formula, Area { y: top + MARGIN, ..inner }, UNIT);
    let signs = signs(formula);
    let below = top + MARGIN + height + 2.0 * MARGIN;
    let line = shorten(&signs, inner.width / LETTERS);
    text(&mut body, (whole / 2.0, below), LETTERS, Anchor::Middle, &hex(TEXT), &line);
    Ok(document(whole, below + MARGIN, &shorten(&signs, 500.0), &body))
}
