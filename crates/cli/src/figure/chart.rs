//! A chart with two axes, drawn with plotters: title, axes, grid and legend. The series are drawn by
//! [`super::marks`].

use std::ops::Range;

use anyhow::{Result, anyhow};
use plotters::coord::ranged1d::{Ranged, ValueFormatter};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::marks::{Canvas, DrawResult, Series};
use super::scheme::{GRID, TEXT, with_style};

/// The kind of the horizontal axis.
pub enum Axis {
    Linear,
    Log,
    /// Names instead of numbers; group `i` is between `i` and `i + 1`.
    Groups(Vec<String>),
}

/// A chart to draw. `x` and `y` are the ranges of the axes.
pub struct Chart {
    pub title: String,
    pub x_label: String,
    pub y_label: String,
    pub x: Range<f64>,
    pub axis: Axis,
    pub y: Range<f64>,
    pub series: Vec<Series>,
}

/// Width and height of the figure. It is wider if the legend would leave less than [`MIN_PLOT_WIDTH`] for the
/// rest.
const SIZE: (u32, u32) = (760, 440);
const MIN_PLOT_WIDTH: u32 = 480;
const MARGIN: u32 = 12;
/// Width of the vertical axis and height of the horizontal axis, with their numbers and labels. The vertical
/// axis is wider if its numbers are long.
const AXIS_SIZE: (u32, u32) = (58, 42);
/// Distance between two lines of the name of a group.
const LINE_HEIGHT: u32 = 15;
/// Largest number of ticks on an axis.
const MAX_TICKS: usize = 9;

impl Chart {
    /// The chart as an SVG document.
    pub fn svg(&self) -> Result<String> {
        let mut svg = String::new();
        self.draw(&mut svg).map_err(|e| anyhow!("cannot draw the chart `{}`: {e}", self.title))?;
        Ok(with_style(svg))
    }

    fn draw(&self, svg: &mut String) -> DrawResult {
        let legend_width =
            12 + 8 * self.series.iter().map(|s| s.name.chars().count()).max().unwrap_or(0) as u32 + 34;
        let width = SIZE.0.max(legend_width + MIN_PLOT_WIDTH) - legend_width;
        let area = SVGBackend::with_string(svg, (width + legend_width, SIZE.1)).into_drawing_area();
        let (plot, legend) = area.split_horizontally(width);
        let axis_width = self.y_axis_width();
        let inside = width - 2 * MARGIN - axis_width;
        let names = self.group_names(inside);
        let axis_height =
            names.iter().map(Vec::len).max().map_or(AXIS_SIZE.1, |lines| 14 + LINE_HEIGHT * lines as u32);
        let mut builder = ChartBuilder::on(&plot);
        let title = text_style(fitting_size(&self.title, 17, width - 2 * MARGIN));
        builder
            .caption(&self.title, title)
            .margin(MARGIN)
            .x_label_area_size(axis_height)
            .y_label_area_size(axis_width);
        if let Axis::Log = self.axis {
            self.draw_contents(&mut builder.build_cartesian_2d(self.x.clone().log_scale(), self.y.clone())?)?;
        } else {
            let mut chart = builder.build_cartesian_2d(self.x.clone(), self.y.clone())?;
            self.draw_contents(&mut chart)?;
            let centred = text_style(13).pos(Pos::new(HPos::Center, VPos::Center));
            for (i, lines) in names.into_iter().enumerate() {
                let (x, y) = chart.backend_coord(&(i as f64 + 0.5, self.y.start));
                for (line, down) in lines.into_iter().zip((14..).step_by(LINE_HEIGHT as usize)) {
                    area.draw(&Text::new(line, (x, y + down), centred.clone()))?;
                }
            }
        }
        let left = text_style(13).pos(Pos::new(HPos::Left, VPos::Center));
        for (i, series) in self.series.iter().enumerate() {
            let y = 60 + 22 * i as i32;
            series.draw_legend_symbol(&legend, i, y)?;
            legend.draw(&Text::new(series.name.clone(), (30, y), left.clone()))?;
        }
        area.present()?;
        Ok(())
    }

    /// Draws axes, grid and series, for any kind of horizontal axis.
    fn draw_contents<X>(&self, chart: &mut Canvas<'_, '_, X>) -> DrawResult
    where
        X: Ranged<ValueType = f64> + ValueFormatter<f64>,
    {
        let (x, y) =
            (|value: &f64| format_number(*value, &self.x), |value: &f64| format_number(*value, &self.y));
        let mut mesh = chart.configure_mesh();
        if matches!(self.axis, Axis::Groups(_)) {
            mesh.disable_x_mesh();
        }
        if !self.x_label.is_empty() {
            mesh.x_desc(&self.x_label);
        }
        mesh.y_desc(&self.y_label)
            .x_label_formatter(&x)
            .y_label_formatter(&y)
            .label_style(text_style(13))
            .axis_desc_style(text_style(fitting_size(
                &self.y_label,
                fitting_size(&self.x_label, 14, MIN_PLOT_WIDTH - 80),
                SIZE.1 - 100,
            )))
            .axis_style(TEXT)
            .bold_line_style(GRID)
            .light_line_style(TRANSPARENT)
            .x_labels(self.x_tick_count())
            .y_labels(MAX_TICKS)
            .draw()?;
        self.series.iter().enumerate().try_for_each(|(i, series)| series.draw_background(chart, i))?;
        self.series.iter().enumerate().try_for_each(|(i, series)| series.draw(chart, i, &self.y))?;
        if matches!(self.axis, Axis::Groups(_)) && self.y.start < 0.0 {
            // The line at 0, where bars start in both directions.
            chart.draw_series([PathElement::new([(self.x.start, 0.0), (self.x.end, 0.0)], TEXT)])?;
        }
        Ok(())
    }

    /// Width of the vertical axis, with its numbers and its label.
    fn y_axis_width(&self) -> u32 {
        let ticks = RangedCoordf64::from(self.y.clone()).key_points(MAX_TICKS);
        let characters =
            ticks.iter().map(|&tick| format_number(tick, &self.y).chars().count()).max().unwrap_or(0);
        AXIS_SIZE.0.max(28 + 7 * characters as u32)
    }

    /// Number of ticks on the horizontal axis. If all points are at whole numbers, there are no ticks between
    /// them.
    fn x_tick_count(&self) -> usize {
        let whole = || self.series.iter().flat_map(|s| &s.points).all(|p| p.0.fract() == 0.0);
        match self.axis {
            Axis::Groups(_) => 0,
            Axis::Linear if whole() => MAX_TICKS.min((self.x.end.floor() - self.x.start.ceil()) as usize + 1),
            _ => MAX_TICKS,
        }
    }

    /// The names of the groups, each wrapped to the width of its group on the axis.
    fn group_names(&self, width: u32) -> Vec<Vec<String>> {
        let Axis::Groups(names) = &self.axis else { return Vec::new() };
        let characters = (width as usize / names.len().max(1) / 7).max(1);
        names.iter().map(|name| wrap(name, characters)).collect()
    }
}

/// The style of text with a font size.
fn text_style(size: u32) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&TEXT)
}

/// The font size, at most `size`, at which a line fits into a width. A character is about half as wide as the
/// font size.
fn fitting_size(line: &str, size: u32, width: u32) -> u32 {
    size.min(2 * width / line.chars().count().max(1) as u32)
}

/// Wraps text to lines of a number of characters. Longer words are split.
fn wrap(text: &str, characters: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let word: Vec<char> = word.chars().collect();
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.len() <= characters => {
                line.push(' ');
                line.extend(word);
            }
            _ => lines.extend(word.chunks(characters).map(String::from_iter)),
        }
    }
    lines
}

/// Formats a number of an axis with as many digits as the range requires, such as 3, 0.5 or 0.25. Very large
/// and very small numbers have an exponent.
fn format_number(value: f64, range: &Range<f64>) -> String {
    let largest = range.start.abs().max(range.end.abs());
    let order = |value: f64| value.max(f64::MIN_POSITIVE).log10().floor() as i32;
    let span = order(range.end - range.start);
    if value != 0.0 && !(1e-3..1e6).contains(&largest) {
        let digits = (order(largest) - span + 2).clamp(0, 15) as usize;
        // Parsing and formatting the rounded number again removes trailing zeros.
        return format!("{value:.digits$e}")
            .parse()
            .map_or_else(|_| value.to_string(), |rounded: f64| format!("{rounded:e}"));
    }
    let scale = 10f64.powi((2 - span).clamp(2, 15));
    // Adding 0 turns -0 into 0.
    format!("{}", (value * scale).round() / scale + 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_an_axis_are_short_and_distinct() {
        let shown = |range: Range<f64>, values: &[f64]| {
            values.iter().map(|&v| format_number(v, &range)).collect::<Vec<_>>()
        };
        assert_eq!(shown(0.4..1.02, &[0.5, 0.95, 1.0]), ["0.5", "0.95", "1"]);
        assert_eq!(shown(-0.02..0.02, &[-0.0, 0.0025, 0.1 + 0.2 - 0.295]), ["0", "0.0025", "0.005"]);
        assert_eq!(shown(0.0..3e-4, &[0.0, 5e-5, 2.5e-4]), ["0", "5e-5", "2.5e-4"]);
        assert_eq!(shown(0.0..4e7, &[0.0, 2.5e7]), ["0", "2.5e7"]);
        assert_eq!(shown(99.0..99.01, &[99.0, 99.002]), ["99", "99.002"]);
    }

    #[test]
    fn a_line_of_one_point_is_visible() {
        use crate::figure::{Mark, Series};

        let circles = |points: &[(f64, f64)]| {
            let series = vec![Series::new("validation", Mark::Line, points.to_vec())];
            let (x_label, y_label) = ("epoch".into(), "loss".into());
            let (title, axis) = ("t".into(), Axis::Linear);
            let chart = Chart { title, x_label, y_label, x: 0.0..5.0, axis, y: 0.0..1.0, series };
            chart.svg().expect("a chart").matches("<circle").count()
        };
        assert_eq!((circles(&[(5.0, 0.4)]), circles(&[(1.0, 0.4), (5.0, 0.3)])), (1, 0));
    }

    #[test]
    fn names_are_wrapped_between_words_if_possible() {
        assert_eq!(wrap("n = 3", 22), ["n = 3"]);
        assert_eq!(wrap("no teacher forcing", 10), ["no teacher", "forcing"]);
        assert_eq!(wrap("reconstruction", 5), ["recon", "struc", "tion"]);
    }
}
