//! The result of mining: errors by size, and the chosen formula as an outline.

use anyhow::Result;
use logicvae_mine::Mined;

use super::scheme::{EDGE, TEXT, hex};
use super::strip::shorten;
use super::svg::{Anchor, document, write_text};
use super::{Axis, Chart, Mark, Series};

/// Width of the figure, and height of the chart.
const CHART: (f64, f64) = (760.0, 440.0);
const MARGIN: f64 = 24.0;
const LINE: f64 = 22.0;
const INDENT: f64 = 26.0;
const FONT_SIZE: f64 = 14.0;

/// Draws the front, and below it the chosen formula as an outline: each line is an operator or a question,
/// and operands are indented.
pub fn draw_front(mined: &Mined, target: &str, outline: &[(usize, String)]) -> Result<String> {
    // The chosen formula can have parts that are alike instead of the fewest errors of its size.
    let front = || mined.formulae.iter().filter(|formula| formula.front);
    let percent = |accuracy: f64| 100.0 * (1.0 - accuracy);
    let training: Vec<(f64, f64)> = front().map(|f| (f.size as f64, percent(f.accuracy))).collect();
    let held_out: Vec<(f64, f64)> =
        front().filter_map(|f| Some((f.size as f64, percent(f.cv_accuracy?)))).collect();
    let intervals: Vec<(f64, f64, f64)> = front()
        .filter_map(|f| f.cv_interval.map(|(low, high)| (f.size as f64, percent(high), percent(low))))
        .collect();
    let chosen: Vec<(f64, f64)> =
        mined.chosen().iter().map(|f| (f.size as f64, percent(f.accuracy))).collect();
    let widest = training.iter().map(|point| point.0).fold(5.0, f64::max);
    let tops = training.iter().map(|point| point.1).chain(intervals.iter().map(|interval| interval.2));
    let highest = tops.fold(5.0, f64::max);
    let mut series = vec![Series::new("all rows", Mark::Dotted, training)];
    if !held_out.is_empty() {
        let mut list = Series::new("held-out rows", Mark::Dotted, held_out);
        list.errors = intervals;
        series.push(list);
    }
    series.push(Series::new("chosen", Mark::Rule, chosen));
    let chart = Chart {
        title: format!("Formulae for {}", shorten(target, 60.0)),
        x_label: "size (nodes)".into(),
        y_label: "wrong rows (%)".into(),
        x: 0.0..widest * 1.05,
        axis: Axis::Linear,
        y: 0.0..highest * 1.05,
        series,
    };
    let mut body = chart.svg()?;
    let top = CHART.1 + MARGIN;
    let centre = |row: usize| top + row as f64 * LINE;
    for (row, (depth, text)) in outline.iter().enumerate() {
        let (x, y) = (MARGIN + *depth as f64 * INDENT, centre(row));
        if let Some(parent) = outline[..row].iter().rposition(|(other, _)| other < depth) {
            let from = x - INDENT + 7.0;
            body.push_str(&format!(
                "<polyline points=\"{from:.1},{:.1} {from:.1},{y:.1} {:.1},{y:.1}\" fill=\"none\" \
                 stroke=\"{}\"/>",
                centre(parent) + 0.4 * LINE,
                x - 4.0,
                hex(EDGE)
            ));
        }
        let text = shorten(text, (CHART.0 - x - MARGIN) / FONT_SIZE);
        write_text(&mut body, (x, y + 0.35 * FONT_SIZE), FONT_SIZE, Anchor::Start, &hex(TEXT), &text);
    }
    let height = centre(outline.len()) + MARGIN;
    Ok(document(CHART.0, height, &format!("Formulae for {target}"), &body))
}
