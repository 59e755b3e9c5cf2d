//! Clusters as a matrix: the correlation of every pair of formulae, ordered by cluster.

use anyhow::{Result, bail};
use logicvae_kernel::Clustering;
use plotters::style::RGBColor;

use super::scheme::{ACCENT, COLOURS, GRID, MUTED, TEXT, hex};
use super::strip::shorten;
use super::svg::{Anchor, Area, document, escaped, write_text};

/// Width and height of the matrix.
const SIDE: f64 = 560.0;
/// Room for the labels on the right.
const LABELS: f64 = 330.0;
const MARGIN: f64 = 16.0;
/// Height of the title and the legend.
const TOP: f64 = 64.0;
const FONT_SIZE: f64 = 11.0;
/// Correlations below this one are left white.
const SMALLEST: f64 = 0.08;
/// The largest number of formulae: smaller cells could not be seen.
const MOST: usize = 1500;

const POSITIVE: RGBColor = COLOURS[0];
const NEGATIVE: RGBColor = ACCENT;

/// Draws the matrix with a frame around each cluster. `name` is the label of a formula.
pub fn draw_clusters(found: &Clustering, name: &dyn Fn(usize) -> String) -> Result<String> {
    let order: Vec<usize> = found.clusters.iter().flat_map(|cluster| cluster.members.clone()).collect();
    if order.len() > MOST {
        bail!("{} formulae are too many for a picture: use at most {MOST}", order.len());
    }
    let cell = SIDE / order.len() as f64;
    let mut body = String::new();
    let title = format!("{} formulae in {} clusters by meaning", order.len(), found.clusters.len());
    write_text(&mut body, (MARGIN, MARGIN + 14.0), 15.0, Anchor::Start, &hex(TEXT), &title);
    legend(&mut body);
    for (row, &a) in order.iter().enumerate() {
        for (column, &b) in order.iter().enumerate() {
            let r = found.correlations[[a, b]];
            if r.abs() < SMALLEST {
                continue;
            }
            let area = Area {
                x: MARGIN + column as f64 * cell,
                y: TOP + row as f64 * cell,
                width: cell,
                height: cell,
            };
            let colour = hex(if r > 0.0 { POSITIVE } else { NEGATIVE });
            area.rectangle(&mut body, &format!("fill=\"{colour}\" fill-opacity=\"{:.2}\"", r.abs()));
        }
    }
    frames(&mut body, found, cell, name);
    // What viewers show when the pointer is on a row.
    for (row, &at) in order.iter().enumerate() {
        let area = Area { x: MARGIN, y: TOP + row as f64 * cell, width: SIDE, height: cell };
        body.push_str(&format!("<g><title>{}</title>", escaped(&name(at))));
        area.rectangle(&mut body, "fill=\"none\" pointer-events=\"all\"");
        body.push_str("</g>");
    }
    let (width, height) = (2.0 * MARGIN + SIDE + LABELS, TOP + SIDE + MARGIN);
    Ok(document(width, height, &title, &body))
}

fn legend(body: &mut String) {
    let mut x = MARGIN;
    for (colour, word) in
        [(POSITIVE, "correlated truth values (1 on the diagonal)"), (NEGATIVE, "opposed truth values")]
    {
        let sample = Area { x, y: MARGIN + 24.0, width: 11.0, height: 11.0 };
        sample.rectangle(body, &format!("fill=\"{}\" fill-opacity=\"0.8\"", hex(colour)));
        write_text(body, (x + 16.0, MARGIN + 33.5), FONT_SIZE, Anchor::Start, &hex(TEXT), word);
        x += 32.0 + 0.62 * FONT_SIZE * word.chars().count() as f64;
    }
}

/// A frame around each cluster, and the label of its representative beside it.
fn frames(body: &mut String, found: &Clustering, cell: f64, name: &dyn Fn(usize) -> String) {
    let whole = Area { x: MARGIN, y: TOP, width: SIDE, height: SIDE };
    whole.rectangle(body, &format!("fill=\"none\" stroke=\"{}\"", hex(GRID)));
    let (mut at, mut text_bottom) = (0, TOP);
    for cluster in &found.clusters {
        let (start, side) = (at as f64 * cell, cluster.members.len() as f64 * cell);
        let frame = Area { x: MARGIN + start, y: TOP + start, width: side, height: side };
        frame.rectangle(body, &format!("fill=\"none\" stroke=\"{}\" stroke-width=\"1.2\"", hex(TEXT)));
        at += cluster.members.len();
        // Labels of small clusters move down so that they do not overlap; those without room are left out.
        let middle = TOP + start + side / 2.0;
        let y = (middle + 0.35 * FONT_SIZE).max(text_bottom + FONT_SIZE);
        if y > TOP + SIDE {
            continue;
        }
        text_bottom = y + 2.0;
        let line = format!(
            "<polyline points=\"{:.1},{middle:.1} {:.1},{middle:.1} {:.1},{:.1}\" fill=\"none\" \
             stroke=\"{}\" stroke-opacity=\"0.5\"/>",
            MARGIN + start + side,
            MARGIN + SIDE,
            MARGIN + SIDE + 10.0,
            y - 0.35 * FONT_SIZE,
            hex(MUTED)
        );
        body.push_str(&line);
        let label = format!("{} × {}", cluster.members.len(), name(cluster.representative));
        let label = shorten(&label, (LABELS - 16.0) / FONT_SIZE);
        write_text(body, (MARGIN + SIDE + 14.0, y), FONT_SIZE, Anchor::Start, &hex(TEXT), &label);
    }
}
