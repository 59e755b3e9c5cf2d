//! A chart with two axes, drawn by plotters: title, axes, grid and legend around the series of [`super::marks`].

use std::ops::Range;

use anyhow::{Result, anyhow};
use plotters::coord::ranged1d::{Ranged, ValueFormatter};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::marks::{Canvas, Drawn, Series};
use super::scheme::{GRID, TEXT, with_style};

/// What the horizontal axis shows.
pub enum Axis {
    Linear,
    Log,
    /// Names instead of numbers; group `i` stands between `i` and `i + 1`.
    Groups(Vec<String>),
}

pub struct Chart {
    pub title: String,
    pub x_label: String,
    pub y_label: String,
    pub x: Range<f64>,
    pub axis: Axis,
    pub y: Range<f64>,
    pub series: Vec<Series>,
}

/// Width and height of the figure. It is wider if the legend would leave less than [`PLOT`] to the rest.
const SIZE: (u32, u32) = (760, 440);
const PLOT: u32 = 480;
const MARGIN: u32 = 12;
/// Room for numbers and label of the vertical axis, if the numbers are not long, and of the horizontal one.
const LABELS: (u32, u32) = (58, 42);
/// From line to line of a group's name.
const LINE: u32 = 15;
/// Labels of an axis.
const TICKS: usize = 9;

impl Chart {
    pub fn svg(&self) -> Result<String> {
        let mut svg = String::new();
        self.draw(&mut svg).map_err(|e| anyhow!("drawing {}: {e}", self.title))?;
        Ok(with_style(svg))
    }

    fn draw(&self, svg: &mut String) -> Drawn {
        let legend_width =
            12 + 8 * self.series.iter().map(|s| s.name.chars().count()).max().unwrap_or(0) as u32 + 34;
        let width = SIZE.0.max(legend_width + PLOT) - legend_width;
        let area = SVGBackend::with_string(svg, (width + legend_width, SIZE.1)).into_drawing_area();
        let (plot, legend) = area.split_horizontally(width);
        let beside = self.y_room();
        let inside = width - 2 * MARGIN - beside;
        let names = self.group_names(inside);
        let below = names.iter().map(Vec::len).max().map_or(LABELS.1, |lines| 14 + LINE * lines as u32);
        let mut builder = ChartBuilder::on(&plot);
        let title = text(fitting(&self.title, 17, width - 2 * MARGIN));
        builder.caption(&self.title, title).margin(MARGIN).x_label_area_size(below).y_label_area_size(beside);
        if let Axis::Log = self.axis {
            self.fill(&mut builder.build_cartesian_2d(self.x.clone().log_scale(), self.y.clone())?)?;
        } else {
            let mut chart = builder.build_cartesian_2d(self.x.clone(), self.y.clone())?;
            self.fill(&mut chart)?;
            let centred = text(13).pos(Pos::new(HPos::Center, VPos::Center));
            for (i, lines) in names.into_iter().enumerate() {
                let (x, y) = chart.backend_coord(&(i as f64 + 0.5, self.y.start));
                for (line, down) in lines.into_iter().zip((14..).step_by(LINE as usize)) {
                    area.draw(&Text::new(line, (x, y + down), centred.clone()))?;
                }
            }
        }
        let left = text(13).pos(Pos::new(HPos::Left, VPos::Center));
        for (i, series) in self.series.iter().enumerate() {
            let y = 60 + 22 * i as i32;
            series.sign(&legend, i, y)?;
            legend.draw(&Text::new(series.name.clone(), (30, y), left.clone()))?;
        }
        area.present()?;
        Ok(())
    }

    /// Axes, grid and series, for any kind of horizontal axis.
    fn fill<X>(&self, chart: &mut Canvas<'_, '_, X>) -> Drawn
    where
        X: Ranged<ValueType = f64> + ValueFormatter<f64>,
    {
        let (x, y) = (|value: &f64| number(*value, &self.x), |value: &f64| number(*value, &self.y));
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
            .label_style(text(13))
            .axis_desc_style(text(fitting(
                &self.y_label,
                fitting(&self.x_label, 14, PLOT - 80),
                SIZE.1 - 100,
            )))
            .axis_style(TEXT)
            .bold_line_style(GRID)
            .light_line_style(TRANSPARENT)
            .x_labels(self.x_ticks())
            .y_labels(TICKS)
            .draw()?;
        self.series.iter().enumerate().try_for_each(|(i, series)| series.draw_ground(chart, i))?;
        self.series.iter().enumerate().try_for_each(|(i, series)| series.draw(chart, i, &self.y))?;
        if matches!(self.axis, Axis::Groups(_)) && self.y.start < 0.0 {
            // Bars up and bars down begin at one line.
            chart.draw_series([PathElement::new([(self.x.start, 0.0), (self.x.end, 0.0)], TEXT)])?;
        }
        Ok(())
    }

    /// Room for numbers and label of the vertical axis.
    fn y_room(&self) -> u32 {
        let ticks = RangedCoordf64::from(self.y.clone()).key_points(TICKS);
        let letters = ticks.iter().map(|&tick| number(tick, &self.y).chars().count()).max().unwrap_or(0);
        LABELS.0.max(28 + 7 * letters as u32)
    }

    /// Labels of the horizontal axis: none between whole numbers if there is no point.
    fn x_ticks(&self) -> usize {
        let whole = || self.series.iter().flat_map(|s| &s.points).all(|p| p.0.fract() == 0.0);
        match self.axis {
            Axis::Groups(_) => 0,
            Axis::Linear if whole() => TICKS.min((self.x.end.floor() - self.x.start.ceil()) as usize + 1),
            _ => TICKS,
        }
    }

    /// Names of groups, each in lines that are no wider than its share of the axis.
    fn group_names(&self, width: u32) -> Vec<Vec<String>> {
        let Axis::Groups(names) = &self.axis else { return Vec::new() };
        let letters = (width as usize / names.len().max(1) / 7).max(1);
        names.iter().map(|name| wrap(name, letters)).collect()
    }
}

/// The style of text of a size, in plotters' measure.
fn text(size: u32) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&TEXT)
}

/// The size for a line of text in a room, at most the given one; a letter is about half as wide.
fn fitting(line: &str, size: u32, room: u32) -> u32 {
    size.min(2 * room / line.chars().count().max(1) as u32)
}

/// Breaks text between words where it would be longer than a line, and inside words that are longer themselves.
fn wrap(text: &str, letters: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let word: Vec<char> = word.chars().collect();
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.len() <= letters => {
                line.push(' ');
                line.extend(word);
            }
            _ => lines.extend(word.chunks(letters).map(String::from_iter)),
        }
    }
    lines
}

/// As many digits as numbers of the range need to differ: 3, 0.5, 0.25; with a power of ten where they would be long.
fn number(value: f64, range: &Range<f64>) -> String {
    let largest = range.start.abs().max(range.end.abs());
    let order = |value: f64| value.max(f64::MIN_POSITIVE).log10().floor() as i32;
    let span = order(range.end - range.start);
    if value != 0.0 && !(1e-3..1e6).contains(&largest) {
        let digits = (order(largest) - span + 2).clamp(0, 15) as usize;
        // Read back and written again, it is without zeros at the end.
        return format!("{value:.digits$e}")
            .parse()
            .map_or_else(|_| value.to_string(), |rounded: f64| format!("{rounded:e}"));
    }
    let scale = 10f64.powi((2 - span).clamp(2, 15));
    // Adding 0 makes -0 a plain 0.
    format!("{}", (value * scale).round() / scale + 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_an_axis_are_short_and_differ() {
        let shown =
            |range: Range<f64>, values: &[f64]| values.iter().map(|&v| number(v, &range)).collect::<Vec<_>>();
        assert_eq!(shown(0.4..1.02, &[0.5, 0.95, 1.0]), ["0.5", "0.95", "1"]);
        assert_eq!(shown(-0.02..0.02, &[-0.0, 0.0025, 0.1 + 0.2 - 0.295]), ["0", "0.0025", "0.005"]);
        assert_eq!(shown(0.0..3e-4, &[0.0, 5e-5, 2.5e-4]), ["0", "5e-5", "2.5e-4"]);
        assert_eq!(shown(0.0..4e7, &[0.0, 2.5e7]), ["0", "2.5e7"]);
        assert_eq!(shown(99.0..99.01, &[99.0, 99.002]), ["99", "99.002"]);
    }

    #[test]
    fn names_break_between_words_if_they_can() {
        assert_eq!(wrap("n = 3", 22), ["n = 3"]);
        assert_eq!(wrap("no teacher forcing", 10), ["no teacher", "forcing"]);
        assert_eq!(wrap("reconstruction", 5), ["recon", "struc", "tion"]);
    }
}
