//! A map of latent points in two dimensions, each in the colour of a number of its own.

use std::ops::Range;

use anyhow::{Result, anyhow};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::extent::extent;
use super::scheme::{GRID, LABEL, TEXT, with_style};

/// Width and height of the figure.
const SIZE: (u32, u32) = (760, 560);
/// Room for the colour bar.
const BAR: u32 = 84;
/// Letters of a label; what is longer ends in an ellipsis.
const LETTERS: usize = 40;
/// From one label to the next.
const LINE: i32 = 18;

/// From low to high: even steps to the eye, and none that fades on a light or a dark ground.
const RAMP: [RGBColor; 5] = [
    RGBColor(0x3d, 0x6f, 0xe0),
    RGBColor(0x93, 0x60, 0xd4),
    RGBColor(0xd2, 0x5a, 0x9f),
    RGBColor(0xe9, 0x78, 0x55),
    RGBColor(0xe8, 0xa8, 0x2a),
];

/// Draws each point in the colour of its number, and its label if that is not empty. Points and numbers that are not
/// finite are left out, as are those without a partner in the other list; labels may be fewer than points.
pub fn map(points: &[(f64, f64)], colour: &[f64], labels: &[String]) -> Result<String> {
    let labels = labels.iter().map(String::as_str).chain(std::iter::repeat(""));
    let mut dots: Vec<Dot> = points
        .iter()
        .zip(colour)
        .zip(labels)
        .map(|((&at, &value), label)| Dot { at, value, label })
        .filter(|dot| [dot.at.0, dot.at.1, dot.value].iter().all(|v| v.is_finite()))
        .collect();
    // What is labelled lies on top.
    dots.sort_by_key(|dot| !dot.label.is_empty());
    let mut svg = String::new();
    draw(&mut svg, &dots).map_err(|e| anyhow!("drawing the map: {e}"))?;
    Ok(with_style(svg))
}

/// A point to draw, with an empty label if it has none.
struct Dot<'a> {
    at: (f64, f64),
    value: f64,
    label: &'a str,
}

/// Axes, points, names and the colour bar.
fn draw(svg: &mut String, dots: &[Dot<'_>]) -> Result<(), Box<dyn std::error::Error>> {
    let area = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    let (plot, side) = area.split_horizontally(SIZE.0 - BAR);
    let (x, y) = (extent(dots.iter().map(|d| d.at.0), 0.05), extent(dots.iter().map(|d| d.at.1), 0.05));
    let values = extent(dots.iter().map(|d| d.value), 0.0);
    let text = ("sans-serif", 13).into_font().color(&TEXT);
    let mut chart = ChartBuilder::on(&plot)
        .margin(14)
        .x_label_area_size(26)
        .y_label_area_size(44)
        .build_cartesian_2d(x.clone(), y)?;
    chart
        .configure_mesh()
        .x_label_formatter(&short)
        .y_label_formatter(&short)
        .label_style(text)
        .axis_style(TEXT)
        .bold_line_style(GRID)
        .light_line_style(TRANSPARENT)
        .x_labels(9)
        .y_labels(9)
        .draw()?;
    // Many points must not become one blot, few ones should be seen.
    let radius = if dots.len() > 500 { 3 } else { 5 };
    chart.draw_series(
        dots.iter().map(|d| Circle::new(d.at, radius, ramp(share(d.value, &values)).mix(0.8).filled())),
    )?;
    let labelled = dots.iter().filter(|d| !d.label.is_empty());
    let names: Vec<Name> =
        labelled.map(|d| Name::new(d.label, chart.backend_coord(&d.at), share(d.at.0, &x) > 0.5)).collect();
    for name in apart(names) {
        name.draw(&area, radius)?;
    }
    bar(&side, &values)?;
    area.present()?;
    Ok(())
}

/// A label and where it stands, in pixels.
struct Name {
    /// The label, cut to [`LETTERS`].
    text: String,
    /// What it names.
    point: (i32, i32),
    /// Whether it ends at its point instead of beginning there: on the right it would leave the plot.
    left: bool,
    /// How far below its point.
    lower: i32,
}

impl Name {
    /// At the height of its point.
    fn new(label: &str, point: (i32, i32), left: bool) -> Self {
        let text = match label.char_indices().nth(LETTERS) {
            Some((cut, _)) => format!("{}…", &label[..cut]),
            None => label.to_string(),
        };
        Self { text, point, left, lower: 0 }
    }

    /// From its point to the end of the text; a letter is about 8 wide.
    fn span(&self) -> Range<i32> {
        let width = 14 + 8 * self.text.chars().count() as i32;
        if self.left {
            self.point.0 - width..self.point.0 + 8
        } else {
            self.point.0 - 8..self.point.0 + width
        }
    }

    /// Where the text's middle is, from the top.
    fn height(&self) -> i32 {
        self.point.1 + self.lower
    }

    /// Whether the two texts run into each other, or this one covers the other's point.
    fn touches(&self, other: &Name) -> bool {
        let (a, b) = (self.span(), other.span());
        let near = |height: i32| (self.height() - height).abs() < LINE;
        a.start < b.end && b.start < a.end && (near(other.height()) || near(other.point.1))
    }

    /// A ring around the point, the text, and a line between the two where the text had to give way.
    fn draw(
        &self,
        area: &DrawingArea<SVGBackend<'_>, Shift>,
        radius: i32,
    ) -> Result<(), Box<dyn std::error::Error>> {
        let (anchor, offset) = if self.left { (HPos::Right, -11) } else { (HPos::Left, 11) };
        let end = (self.point.0 + offset, self.height());
        area.draw(&Circle::new(self.point, radius + 2, LABEL.stroke_width(2)))?;
        if self.lower != 0 {
            area.draw(&PathElement::new([self.point, end], LABEL))?;
        }
        let style = ("sans-serif", 13).into_font().color(&LABEL).pos(Pos::new(anchor, VPos::Center));
        area.draw(&Text::new(self.text.as_str(), end, style))?;
        Ok(())
    }
}

/// Moves names up or down, as little as is needed, until none touches an earlier one; they are few, so trying is quick.
fn apart(names: Vec<Name>) -> Vec<Name> {
    let mut placed: Vec<Name> = Vec::new();
    for mut name in names {
        let free = (0..40).map(|i| (i + 1) / 2 * LINE * if i % 2 == 0 { 1 } else { -1 }).find(|&lower| {
            name.lower = lower;
            !placed.iter().any(|other| name.touches(other))
        });
        name.lower = free.unwrap_or(0);
        placed.push(name);
    }
    placed
}

/// The colours with their numbers, from bottom to top.
fn bar(
    side: &DrawingArea<SVGBackend<'_>, Shift>,
    values: &Range<f64>,
) -> Result<(), Box<dyn std::error::Error>> {
    const PIECES: i32 = 100;
    let (top, bottom) = (14, SIZE.1 as i32 - 40);
    let height = |piece: i32| bottom - (bottom - top) * piece / PIECES;
    for piece in 0..PIECES {
        let colour = ramp((f64::from(piece) + 0.5) / f64::from(PIECES));
        side.draw(&Rectangle::new([(4, height(piece + 1)), (20, height(piece))], colour.filled()))?;
    }
    let text = ("sans-serif", 13).into_font().color(&TEXT).pos(Pos::new(HPos::Left, VPos::Center));
    for piece in [0, 25, 50, 75, 100] {
        let value = values.start + (values.end - values.start) * f64::from(piece) / f64::from(PIECES);
        side.draw(&Text::new(short(&value), (26, height(piece)), text.clone()))?;
    }
    Ok(())
}

/// Where a number lies in a range, from 0 to 1.
fn share(value: f64, range: &Range<f64>) -> f64 {
    (value - range.start) / (range.end - range.start)
}

/// The colour at a share of the ramp.
fn ramp(share: f64) -> RGBColor {
    let place = share.clamp(0.0, 1.0) * (RAMP.len() - 1) as f64;
    let low = (place as usize).min(RAMP.len() - 2);
    let mix = |from: u8, to: u8| {
        (f64::from(from) + (f64::from(to) - f64::from(from)) * (place - low as f64)).round() as u8
    };
    let (from, to) = (RAMP[low], RAMP[low + 1]);
    RGBColor(mix(from.0, to.0), mix(from.1, to.1), mix(from.2, to.2))
}

/// As many digits as the number needs: 3, 0.5, 0.25.
fn short(value: &f64) -> String {
    // Adding 0 makes -0 a plain 0.
    format!("{}", (value * 100.0).round() / 100.0 + 0.0)
}

#[cfg(test)]
mod tests {
    use resvg::usvg::roxmltree::Document;

    use super::*;

    fn circles(points: &[(f64, f64)], colour: &[f64], labels: &[String]) -> usize {
        let svg = map(points, colour, labels).expect("a map");
        Document::parse(&svg).expect("XML");
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        crate::figure::png::render(&svg).expect("a picture");
        svg.matches("<circle").count()
    }

    #[test]
    fn every_point_is_there_and_labels_have_rings() {
        let points: Vec<(f64, f64)> =
            (0..2000).map(|i| f64::from(i) * 0.01).map(|t| (t * t.sin(), t * t.cos())).collect();
        let colour: Vec<f64> = (0..2000).map(|i| f64::from(i) / 2000.0).collect();
        let mut labels = vec![String::new(); 2000];
        assert_eq!(circles(&points, &colour, &labels), 2000);
        labels[7] = "x1 & !x2 < x3".into();
        labels[1900] = "x".repeat(300);
        assert_eq!(circles(&points, &colour, &labels), 2002);
        assert_eq!(circles(&points, &colour, &[]), 2000);
    }

    #[test]
    fn odd_input_is_drawn_as_far_as_it_goes() {
        assert_eq!(circles(&[], &[], &[]), 0);
        assert_eq!(circles(&[(3.0, -1.0)], &[0.5], &[]), 1);
        assert_eq!(circles(&[(1.0, 1.0), (1.0, 1.0)], &[0.5, 0.5], &["a".into()]), 3);
        assert_eq!(
            circles(&[(f64::NAN, 0.0), (0.0, 0.0), (1.0, f64::INFINITY)], &[0.0, f64::NAN, 1.0], &[]),
            0
        );
        assert_eq!(circles(&[(1e300, -1e300), (-1e300, 1e300)], &[-1e300, 1e300], &[]), 2);
    }

    #[test]
    fn names_of_close_points_do_not_touch() {
        let names = (0..12).map(|i| Name::new("x1 & x2", (300 + i, 200 - i), i % 2 == 0)).collect();
        let placed = apart(names);
        for (i, name) in placed.iter().enumerate() {
            assert!(placed[..i].iter().all(|other| !name.touches(other)), "{i}");
        }
    }

    #[test]
    fn the_ramp_begins_and_ends_where_it_should() {
        assert_eq!((ramp(0.0), ramp(0.25), ramp(1.0)), (RAMP[0], RAMP[1], RAMP[4]));
    }
}
