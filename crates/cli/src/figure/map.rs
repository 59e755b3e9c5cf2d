//! A scatter plot of latent vectors in two dimensions, coloured by a value.

use std::ops::Range;

use anyhow::{Result, anyhow};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::extent::extent;
use super::scheme::{GRID, LABEL, TEXT, with_style};
use super::svg::escaped;

/// Width and height of the figure.
const SIZE: (u32, u32) = (760, 560);
/// Width of the colour bar.
const COLOUR_BAR_WIDTH: u32 = 92;
/// Largest number of characters in a label. Longer ones end in an ellipsis.
const MAX_CHARACTERS: usize = 40;
/// Vertical distance between two labels.
const LINE_HEIGHT: i32 = 18;

/// The colour scale from low to high. Its steps look even, and all colours are visible on light and dark
/// backgrounds.
const COLOUR_SCALE: [RGBColor; 5] = [
    RGBColor(0x3d, 0x6f, 0xe0),
    RGBColor(0x93, 0x60, 0xd4),
    RGBColor(0xd2, 0x5a, 0x9f),
    RGBColor(0xe9, 0x78, 0x55),
    RGBColor(0xe8, 0xa8, 0x2a),
];

/// What a map shows.
pub struct MapContent<'a> {
    pub title: &'a str,
    /// What the colours stand for, in a few words.
    pub colour: &'a str,
    pub points: &'a [(f64, f64)],
    /// The values of the points, which are shown as colours.
    pub values: &'a [f64],
    /// What viewers show when the pointer is on a point. There may be fewer than points.
    pub names: &'a [String],
    /// The labels, of which most may be empty. There may be fewer than points.
    pub labels: &'a [String],
}

/// Draws a title, each point in the colour of its value, and its label unless that is empty. Points and
/// values that are not finite are left out.
pub fn map(content: &MapContent<'_>) -> Result<String> {
    let texts = |list: &'_ [String], at: usize| list.get(at).cloned().unwrap_or_default();
    let mut dots: Vec<Dot> = content
        .points
        .iter()
        .zip(content.values)
        .enumerate()
        .map(|(i, (&at, &value))| Dot {
            at,
            value,
            name: texts(content.names, i),
            label: texts(content.labels, i),
        })
        .filter(|dot| [dot.at.0, dot.at.1, dot.value].iter().all(|v| v.is_finite()))
        .collect();
    // Labelled points are drawn last, above the others.
    dots.sort_by_key(|dot| !dot.label.is_empty());
    let mut svg = String::new();
    draw(&mut svg, content, &dots).map_err(|e| anyhow!("cannot draw the map: {e}"))?;
    Ok(with_style(with_tooltips(&svg, &dots)))
}

/// Gives the circles of the points, which are drawn first and in this order, a title that viewers show.
fn with_tooltips(svg: &str, dots: &[Dot]) -> String {
    let mut out = String::with_capacity(svg.len());
    let mut rest = svg;
    for dot in dots {
        let Some(start) = rest.find("<circle") else { break };
        let Some(end) = rest[start..].find("/>").map(|end| start + end) else { break };
        out.push_str(&rest[..end]);
        if dot.name.is_empty() {
            out.push_str("/>");
        } else {
            out.push_str(&format!("><title>{}</title></circle>", escaped(&dot.name)));
        }
        rest = &rest[end + 2..];
    }
    out + rest
}

/// A point to draw. Its label is empty if it has none.
struct Dot {
    at: (f64, f64),
    value: f64,
    name: String,
    label: String,
}

/// Draws axes, points, labels and the colour bar.
fn draw(svg: &mut String, content: &MapContent<'_>, dots: &[Dot]) -> Result<(), Box<dyn std::error::Error>> {
    let area = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    let (plot, side) = area.split_horizontally(SIZE.0 - COLOUR_BAR_WIDTH);
    let (x, y) = (extent(dots.iter().map(|d| d.at.0), 0.05), extent(dots.iter().map(|d| d.at.1), 0.05));
    let values = extent(dots.iter().map(|d| d.value), 0.0);
    let text = ("sans-serif", 13).into_font().color(&TEXT);
    let mut chart = ChartBuilder::on(&plot)
        .caption(content.title, ("sans-serif", 15).into_font().color(&TEXT))
        .margin(14)
        .x_label_area_size(44)
        .y_label_area_size(60)
        .build_cartesian_2d(x.clone(), y)?;
    chart
        .configure_mesh()
        .x_label_formatter(&format_number)
        .y_label_formatter(&format_number)
        .label_style(text.clone())
        .axis_desc_style(text)
        .x_desc("first principal component")
        .y_desc("second principal component")
        .axis_style(TEXT)
        .bold_line_style(GRID)
        .light_line_style(TRANSPARENT)
        .x_labels(9)
        .y_labels(9)
        .draw()?;
    // Smaller points if there are many, so that they overlap less.
    let radius = if dots.len() > 500 { 3 } else { 5 };
    chart
        .draw_series(dots.iter().map(|d| {
            Circle::new(d.at, radius, scale_colour(fraction(d.value, &values)).mix(0.8).filled())
        }))?;
    let labelled = dots.iter().filter(|d| !d.label.is_empty());
    let labels: Vec<Label> = labelled
        .map(|d| Label::new(&d.label, chart.backend_coord(&d.at), fraction(d.at.0, &x) > 0.5))
        .collect();
    for label in spread(labels) {
        label.draw(&area, radius)?;
    }
    draw_colour_bar(&side, &values)?;
    let centred = ("sans-serif", 13).into_font().transform(FontTransform::Rotate270).color(&TEXT);
    let centred = centred.pos(Pos::new(HPos::Center, VPos::Center));
    side.draw(&Text::new(content.colour, (COLOUR_BAR_WIDTH as i32 - 14, SIZE.1 as i32 / 2), centred))?;
    area.present()?;
    Ok(())
}

/// A label and its position in pixels.
struct Label {
    /// The text, with at most [`MAX_CHARACTERS`] characters.
    text: String,
    /// The point that it belongs to.
    point: (i32, i32),
    /// Whether it is to the left of its point, since it would not fit on the right.
    left: bool,
    /// Its distance below the point.
    offset: i32,
}

impl Label {
    /// A label at the height of its point.
    fn new(label: &str, point: (i32, i32), left: bool) -> Self {
        let text = match label.char_indices().nth(MAX_CHARACTERS) {
            Some((cut, _)) => format!("{}…", &label[..cut]),
            None => label.to_string(),
        };
        Self { text, point, left, offset: 0 }
    }

    /// The horizontal range from its point to the end of the text. A character is about 8 pixels wide.
    fn span(&self) -> Range<i32> {
        let width = 14 + 8 * self.text.chars().count() as i32;
        if self.left {
            self.point.0 - width..self.point.0 + 8
        } else {
            self.point.0 - 8..self.point.0 + width
        }
    }

    /// The vertical centre of the text, from the top.
    fn height(&self) -> i32 {
        self.point.1 + self.offset
    }

    /// Whether the two texts overlap, or this text covers the point of the other label.
    fn overlaps(&self, other: &Label) -> bool {
        let (a, b) = (self.span(), other.span());
        let near = |height: i32| (self.height() - height).abs() < LINE_HEIGHT;
        a.start < b.end && b.start < a.end && (near(other.height()) || near(other.point.1))
    }

    /// Draws a ring around the point, the text, and a line between them if the text was moved.
    fn draw(
        &self,
        area: &DrawingArea<SVGBackend<'_>, Shift>,
        radius: i32,
    ) -> Result<(), Box<dyn std::error::Error>> {
        let (anchor, offset) = if self.left { (HPos::Right, -11) } else { (HPos::Left, 11) };
        let end = (self.point.0 + offset, self.height());
        area.draw(&Circle::new(self.point, radius + 2, LABEL.stroke_width(2)))?;
        if self.offset != 0 {
            area.draw(&PathElement::new([self.point, end], LABEL))?;
        }
        let style = ("sans-serif", 13).into_font().color(&LABEL).pos(Pos::new(anchor, VPos::Center));
        area.draw(&Text::new(self.text.as_str(), end, style))?;
        Ok(())
    }
}

/// Moves labels up or down, as little as possible, until none overlaps an earlier one.
fn spread(labels: Vec<Label>) -> Vec<Label> {
    let mut placed: Vec<Label> = Vec::new();
    for mut label in labels {
        let free =
            (0..40).map(|i| (i + 1) / 2 * LINE_HEIGHT * if i % 2 == 0 { 1 } else { -1 }).find(|&offset| {
                label.offset = offset;
                !placed.iter().any(|other| label.overlaps(other))
            });
        label.offset = free.unwrap_or(0);
        placed.push(label);
    }
    placed
}

/// Draws the colour scale with its values, from bottom to top.
fn draw_colour_bar(
    side: &DrawingArea<SVGBackend<'_>, Shift>,
    values: &Range<f64>,
) -> Result<(), Box<dyn std::error::Error>> {
    const PIECES: i32 = 100;
    let (top, bottom) = (40, SIZE.1 as i32 - 58);
    let height = |piece: i32| bottom - (bottom - top) * piece / PIECES;
    for piece in 0..PIECES {
        let colour = scale_colour((f64::from(piece) + 0.5) / f64::from(PIECES));
        side.draw(&Rectangle::new([(4, height(piece + 1)), (20, height(piece))], colour.filled()))?;
    }
    let text = ("sans-serif", 13).into_font().color(&TEXT).pos(Pos::new(HPos::Left, VPos::Center));
    for piece in [0, 25, 50, 75, 100] {
        let value = values.start + (values.end - values.start) * f64::from(piece) / f64::from(PIECES);
        side.draw(&Text::new(format_number(&value), (26, height(piece)), text.clone()))?;
    }
    Ok(())
}

/// The relative position of a value in a range: 0 at its start, 1 at its end.
fn fraction(value: f64, range: &Range<f64>) -> f64 {
    (value - range.start) / (range.end - range.start)
}

/// The colour at a relative position of the colour scale.
fn scale_colour(fraction: f64) -> RGBColor {
    let position = fraction.clamp(0.0, 1.0) * (COLOUR_SCALE.len() - 1) as f64;
    let low = (position as usize).min(COLOUR_SCALE.len() - 2);
    let mix = |from: u8, to: u8| {
        (f64::from(from) + (f64::from(to) - f64::from(from)) * (position - low as f64)).round() as u8
    };
    let (from, to) = (COLOUR_SCALE[low], COLOUR_SCALE[low + 1]);
    RGBColor(mix(from.0, to.0), mix(from.1, to.1), mix(from.2, to.2))
}

/// Formats a number with at most two decimals and without trailing zeros, such as 3, 0.5 or 0.25.
fn format_number(value: &f64) -> String {
    // Adding 0 turns -0 into 0.
    format!("{}", (value * 100.0).round() / 100.0 + 0.0)
}

#[cfg(test)]
mod tests {
    use resvg::usvg::roxmltree::Document;

    use super::*;

    fn drawn(points: &[(f64, f64)], values: &[f64], names: &[String], labels: &[String]) -> String {
        map(&MapContent { title: "a title", colour: "share of x", points, values, names, labels })
            .expect("a map")
    }

    fn circles(points: &[(f64, f64)], colour: &[f64], labels: &[String]) -> usize {
        let svg = drawn(points, colour, &[], labels);
        Document::parse(&svg).expect("XML");
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        crate::figure::png::render(&svg).expect("a picture");
        svg.matches("<circle").count()
    }

    #[test]
    fn every_point_is_drawn_and_labels_have_rings() {
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
    fn points_can_be_identified_and_everything_is_explained() {
        let points = [(0.0, 0.0), (1.0, 0.5), (f64::NAN, 0.0), (0.2, 0.9)];
        let names = ["REQ-1: a < b", "REQ-2", "REQ-3", "REQ-4"].map(str::to_owned);
        let labels = ["", "second", "", ""].map(str::to_owned);
        let svg = drawn(&points, &[0.0, 0.5, 1.0, 1.0], &names, &labels);
        let document = Document::parse(&svg).expect("XML");
        let circles = document.descendants().filter(|node| node.has_tag_name("circle"));
        let titles: Vec<&str> = circles.filter_map(|circle| circle.first_element_child()?.text()).collect();
        // The labelled point is drawn last, and the one without a position not at all.
        assert_eq!(titles, ["REQ-1: a < b", "REQ-4", "REQ-2"]);
        for text in ["a title", "first principal component", "second principal component", "share of x"] {
            assert!(svg.contains(text), "{text}");
        }
    }

    #[test]
    fn incomplete_or_extreme_input_is_drawn() {
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
    fn labels_of_close_points_do_not_overlap() {
        let labels = (0..12).map(|i| Label::new("x1 & x2", (300 + i, 200 - i), i % 2 == 0)).collect();
        let placed = spread(labels);
        for (i, label) in placed.iter().enumerate() {
            assert!(placed[..i].iter().all(|other| !label.overlaps(other)), "{i}");
        }
    }

    #[test]
    fn the_colour_scale_has_the_expected_ends() {
        assert_eq!(
            (scale_colour(0.0), scale_colour(0.25), scale_colour(1.0)),
            (COLOUR_SCALE[0], COLOUR_SCALE[1], COLOUR_SCALE[4])
        );
    }
}
