//! The series of a chart, and how each kind is drawn in the chart and in its legend.

use std::ops::Range;

use plotters::coord::Shift;
use plotters::coord::ranged1d::{Ranged, ValueFormatter};
use plotters::coord::types::RangedCoordf64;
use plotters::element::DashedPathElement;
use plotters::prelude::*;

use super::scheme::{COLOURS, LABEL};

/// How a series is drawn.
#[derive(Clone, Copy, PartialEq)]
pub enum Mark {
    Line,
    /// A line with a dot at each point.
    Dotted,
    /// A dashed line with a cross at each point, for results of others to compare with.
    Dashed,
    Points,
    /// Bars that start at 0, with this width on the axis.
    Bars(f64),
    /// Adjacent, transparent bars that start at 0, with this width on the axis.
    Histogram(f64),
    /// A dashed vertical line at each point.
    Rule,
    /// A short horizontal line at each point, with this width on the axis: what a bar is compared with.
    Level(f64),
}

/// A set of points with a name for the legend.
pub struct Series {
    pub name: String,
    pub mark: Mark,
    pub points: Vec<(f64, f64)>,
    /// Shaded ranges around a line: x, lower end, upper end.
    pub bands: Vec<Vec<(f64, f64, f64)>>,
    /// Error bars: x, lower end, upper end.
    pub errors: Vec<(f64, f64, f64)>,
    /// Index into [`COLOURS`], if it is not the index of the series.
    pub colour: Option<usize>,
}

/// A chart to draw series in.
pub type Canvas<'a, 'b, X> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<X, RangedCoordf64>>;
/// The result of drawing.
pub type DrawResult = Result<(), Box<dyn std::error::Error>>;

/// Length of a dash and of the gap after it.
const DASH: (u32, u32) = (8, 5);

impl Series {
    pub fn new(name: impl Into<String>, mark: Mark, points: Vec<(f64, f64)>) -> Self {
        Self { name: name.into(), mark, points, bands: Vec::new(), errors: Vec::new(), colour: None }
    }

    /// The colour of the series with this index.
    fn colour(&self, index: usize) -> RGBColor {
        COLOURS[self.colour.unwrap_or(index) % COLOURS.len()]
    }

    /// Draws what is behind the lines of all series: shaded ranges, and the area of histograms.
    pub fn draw_background<X>(&self, chart: &mut Canvas<'_, '_, X>, index: usize) -> DrawResult
    where
        X: Ranged<ValueType = f64> + ValueFormatter<f64>,
    {
        let colour = self.colour(index);
        for band in &self.bands {
            let outline = band.iter().map(|b| (b.0, b.2)).chain(band.iter().rev().map(|b| (b.0, b.1)));
            chart.draw_series([Polygon::new(outline.collect::<Vec<_>>(), colour.mix(0.18).filled())])?;
        }
        if let Mark::Histogram(width) = self.mark {
            // One polygon instead of many bars: transparent bars would have visible seams.
            chart.draw_series([Polygon::new(
                histogram_outline(&self.points, width),
                colour.mix(0.3).filled(),
            )])?;
        }
        Ok(())
    }

    /// Draws the series with this index. `y` is the range of the vertical axis.
    pub fn draw<X>(&self, chart: &mut Canvas<'_, '_, X>, index: usize, y: &Range<f64>) -> DrawResult
    where
        X: Ranged<ValueType = f64> + ValueFormatter<f64>,
    {
        let colour = self.colour(index);
        let line = colour.stroke_width(2);
        let points = || self.points.iter().copied();
        match self.mark {
            // One point makes no line.
            Mark::Line if self.points.len() == 1 => {
                chart.draw_series(points().map(|at| Circle::new(at, 4, colour.filled())))?;
            }
            Mark::Line | Mark::Dotted => {
                chart.draw_series(LineSeries::new(points(), line))?;
            }
            Mark::Dashed => {
                chart.draw_series(DashedLineSeries::new(points(), DASH.0, DASH.1, line))?;
                chart.draw_series(points().map(|at| Cross::new(at, 4, line)))?;
            }
            Mark::Points => {
                chart.draw_series(points().map(|at| Circle::new(at, 2, colour.mix(0.35).filled())))?;
            }
            Mark::Bars(width) => {
                let bar =
                    |(x, y)| Rectangle::new([(x - width / 2.0, y), (x + width / 2.0, 0.0)], colour.filled());
                chart.draw_series(points().map(bar))?;
            }
            Mark::Histogram(width) => {
                chart.draw_series([PathElement::new(histogram_outline(&self.points, width), line)])?;
            }
            Mark::Rule => {
                for (x, _) in points() {
                    chart.draw_series(DashedLineSeries::new(
                        [(x, y.start), (x, y.end)],
                        DASH.0,
                        DASH.1,
                        line,
                    ))?;
                }
            }
            Mark::Level(width) => {
                let level = |(x, y)| {
                    PathElement::new([(x - width / 2.0, y), (x + width / 2.0, y)], LABEL.stroke_width(3))
                };
                chart.draw_series(points().map(level))?;
            }
        }
        if self.mark == Mark::Dotted {
            chart.draw_series(points().map(|at| Circle::new(at, 4, colour.filled())))?;
        }
        // Error bars of bars have another colour, since they would be invisible otherwise, and they are
        // narrower.
        let (style, half) =
            if matches!(self.mark, Mark::Bars(_)) { (LABEL.stroke_width(1), 3) } else { (line, 4) };
        for &(x, low, high) in &self.errors {
            chart.draw_series([PathElement::new([(x, low), (x, high)], style)])?;
            let cap = |y| EmptyElement::at((x, y)) + PathElement::new([(-half, 0), (half, 0)], style);
            chart.draw_series([low, high].map(cap))?;
        }
        Ok(())
    }

    /// Draws the symbol in front of the name in the legend, 20 pixels wide and centred at a height.
    pub fn draw_legend_symbol(
        &self,
        legend: &DrawingArea<SVGBackend<'_>, Shift>,
        index: usize,
        height: i32,
    ) -> DrawResult {
        let (colour, ends) = (self.colour(index), [(2, height), (22, height)]);
        let corners = [(2, height - 4), (22, height + 4)];
        match self.mark {
            Mark::Dashed | Mark::Rule => {
                legend.draw(&DashedPathElement::new(ends, DASH.0, DASH.1, colour.stroke_width(2)))?;
            }
            Mark::Level(_) => legend.draw(&PathElement::new(ends, LABEL.stroke_width(3)))?,
            Mark::Histogram(_) => {
                legend.draw(&Rectangle::new(corners, colour.mix(0.3).filled()))?;
                legend.draw(&Rectangle::new(corners, colour))?;
            }
            _ => legend.draw(&Rectangle::new(corners, colour.filled()))?,
        }
        Ok(())
    }
}

/// The outline of adjacent bars of one width around their points, which starts and ends at 0.
fn histogram_outline(points: &[(f64, f64)], width: f64) -> Vec<(f64, f64)> {
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return Vec::new() };
    let half = width / 2.0;
    let tops = points.iter().flat_map(|&(x, y)| [(x - half, y), (x + half, y)]);
    [(first.0 - half, 0.0)].into_iter().chain(tops).chain([(last.0 + half, 0.0)]).collect()
}
