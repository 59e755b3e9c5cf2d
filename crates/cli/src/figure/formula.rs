//! A figure of one formula: its syntax tree, its text and a legend of the node colours.

use anyhow::{Result, bail};
use logicvae_logic::{Formula, Names};

use super::scheme::{TEXT, hex};
use super::strip::{shorten, with_symbols};
use super::svg::{Anchor, Area, document, write_text};
use super::{legend, tree};

/// Margin around the figure and between its parts.
const MARGIN: f64 = 16.0;
/// Largest size of one unit of the tree layout, across and down.
const MAX_UNIT: (f64, f64) = (58.0, 64.0);
/// Smallest size of one unit: smaller nodes would be unreadable.
const MIN_UNIT: f64 = 10.0;
/// Largest width and height of the tree. A larger tree is drawn with smaller nodes.
const MAX_SIZE: (f64, f64) = (2400.0, 2000.0);
/// Smallest width of the figure, so that the legend fits.
const MIN_WIDTH: f64 = 360.0;
/// Font size of the formula.
const FONT_SIZE: f64 = 14.0;

/// Draws a formula. A tree that is too large to be readable is an error.
pub fn draw_formula(formula: &Formula, names: &Names) -> Result<String> {
    let (across, down) = tree::size(formula);
    if across * MIN_UNIT > MAX_SIZE.0 || down * MIN_UNIT > MAX_SIZE.1 {
        bail!(
            "the tree has {} nodes ({across:.0} wide, {down:.0} deep): this is too large for a picture",
            formula.size()
        );
    }
    let (width, height) = ((across * MAX_UNIT.0).min(MAX_SIZE.0), (down * MAX_UNIT.1).min(MAX_SIZE.1));
    let full_width = width.max(MIN_WIDTH) + 2.0 * MARGIN;
    let inner = Area { x: MARGIN, y: MARGIN, width: full_width - 2.0 * MARGIN, height };
    let mut body = String::new();
    let top = legend::draw(&mut body, &legend::distinct_nodes([formula].into_iter()), names, false, inner);
    tree::draw(&mut body, formula, Area { y: top + MARGIN, ..inner }, MAX_UNIT);
    let formula_text = with_symbols(formula, names);
    let below = top + MARGIN + height + 2.0 * MARGIN;
    let line = shorten(&formula_text, inner.width / FONT_SIZE);
    write_text(&mut body, (full_width / 2.0, below), FONT_SIZE, Anchor::Middle, &hex(TEXT), &line);
    Ok(document(full_width, below + MARGIN, &shorten(&formula_text, 500.0), &body))
}
