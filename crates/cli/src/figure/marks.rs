//! The series of a chart, and what each kind looks like in it and in its legend.

use std::ops::Range;

use plotters::coord::Shift;
use plotters::coord::ranged1d::{Ranged, ValueFormatter};
use plotters::coord::types::RangedCoordf64;
use plotters::element::DashedPathElement;
use plotters::prelude::*;

use super::scheme::{COLOURS, LABEL};

/// What a series looks like.
#[derive(Clone, Copy, PartialEq)]
pub enum Mark {
    Line,
    /// A line with a dot at each point.
    Dotted,
    /// A dashed line with a cross at each point: numbers of others, beside ours.
    Dashed,
    Points,
    /// Bars from 0, this wide on the axis.
    Bars(f64),
    /// Bars from 0 without a gap, this wide on the axis, through which those of other series can be seen.
    Histogram(f64),
    /// A dashed line from bottom to top at each point.
    Rule,
}

/// One set of points with a name for the legend.
pub struct Series {
    pub name: String,
    pub mark: Mark,
    pub points: Vec<(f64, f64)>,
    /// A shaded range around a line: x, lower, upper.
    pub bands: Vec<Vec<(f64, f64, f64)>>,
    /// Error bars: x, lower, upper.
    pub errors: Vec<(f64, f64, f64)>,
    /// Which of [`COLOURS`], if not that of its place among the series.
    pub colour: Option<usize>,
}

/// A chart that series are drawn in.
pub type Canvas<'a, 'b, X> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<X, RangedCoordf64>>;
/// Whether something could be drawn.
pub type Drawn = Result<(), Box<dyn std::error::Error>>;

/// Lengths of a dash and of the gap after it.
const DASH: (u32, u32) = (8, 5);

impl Series {
    pub fn new(name: impl Into<String>, mark: Mark, points: Vec<(f64, f64)>) -> Self {
        Self { name: name.into(), mark, points, bands: Vec::new(), errors: Vec::new(), colour: None }
    }

    /// The colour of a series at a place among others.
    fn colour(&self, place: usize) -> RGBColor {
        COLOURS[self.colour.unwrap_or(place) % COLOURS.len()]
    }

    /// Draws what lies behind the lines of all series: shaded ranges, and the inside of histograms.
    pub fn draw_ground<X>(&self, chart: &mut Canvas<'_, '_, X>, place: usize) -> Drawn
    where
        X: Ranged<ValueType = f64> + ValueFormatter<f64>,
    {
        let colour = self.colour(place);
        for band in &self.bands {
            let outline = band.iter().map(|b| (b.0, b.2)).chain(band.iter().rev().map(|b| (b.0, b.1)));
            chart.draw_series([Polygon::new(outline.collect::<Vec<_>>(), colour.mix(0.18).filled())])?;
        }
        if let Mark::Histogram(width) = self.mark {
            // One shape instead of many bars: where half-transparent bars meet, seams would show.
            chart.draw_series([Polygon::new(steps(&self.points, width), colour.mix(0.3).filled())])?;
        }
        Ok(())
    }

    /// Draws the series that stands at `place` among others; `y` is the whole range of the vertical axis.
    pub fn draw<X>(&self, chart: &mut Canvas<'_, '_, X>, place: usize, y: &Range<f64>) -> Drawn
    where
        X: Ranged<ValueType = f64> + ValueFormatter<f64>,
    {
        let colour = self.colour(place);
        let line = colour.stroke_width(2);
        let points = || self.points.iter().copied();
        match self.mark {
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
                chart.draw_series([PathElement::new(steps(&self.points, width), line)])?;
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
        }
        if self.mark == Mark::Dotted {
            chart.draw_series(points().map(|at| Circle::new(at, 4, colour.filled())))?;
        }
        // On a bar of its own colour an error bar would not be seen, and beside others it must be narrow.
        let (ink, half) =
            if matches!(self.mark, Mark::Bars(_)) { (LABEL.stroke_width(1), 3) } else { (line, 4) };
        for &(x, low, high) in &self.errors {
            chart.draw_series([PathElement::new([(x, low), (x, high)], ink)])?;
            let cap = |y| EmptyElement::at((x, y)) + PathElement::new([(-half, 0), (half, 0)], ink);
            chart.draw_series([low, high].map(cap))?;
        }
        Ok(())
    }

    /// The sign in front of the name in the legend, 20 wide, around a height.
    pub fn sign(&self, legend: &DrawingArea<SVGBackend<'_>, Shift>, place: usize, height: i32) -> Drawn {
        let (colour, ends) = (self.colour(place), [(2, height), (22, height)]);
        let corners = [(2, height - 4), (22, height + 4)];
        match self.mark {
            Mark::Dashed | Mark::Rule => {
                legend.draw(&DashedPathElement::new(ends, DASH.0, DASH.1, colour.stroke_width(2)))?;
            }
            Mark::Histogram(_) => {
                legend.draw(&Rectangle::new(corners, colour.mix(0.3).filled()))?;
                legend.draw(&Rectangle::new(corners, colour))?;
            }
            _ => legend.draw(&Rectangle::new(corners, colour.filled()))?,
        }
        Ok(())
    }
}

/// The outline of bars of one width around their points, from 0 at the left to 0 at the right.
fn steps(points: &[(f64, f64)], width: f64) -> Vec<(f64, f64)> {
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return Vec::new() };
    let half = width / 2.0;
    let tops = points.iter().flat_map(|&(x, y)| [(x - half, y), (x + half, y)]);
    [(first.0 - half, 0.0)].into_iter().chain(tops).chain([(last.0 + half, 0.0)]).collect()
}
