//! A chart with two axes, drawn by plotters.

use std::ops::Range;

use anyhow::{Result, anyhow};
use plotters::coord::ranged1d::{Ranged, ValueFormatter};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::scheme::{COLOURS, GRID, TEXT, with_style};

/// What a series looks like.
#[derive(Clone, Copy, PartialEq)]
pub enum Mark {
    Line,
    /// A line with a dot at each point.
    Dotted,
    Points,
}

/// One set of points with a name for the legend.
pub struct Series {
    pub name: String,
    pub mark: Mark,
    pub points: Vec<(f64, f64)>,
    /// A shaded range around a line: x, lower, upper.
    pub bands: Vec<Vec<(f64, f64, f64)>>,
}

impl Series {
    pub fn new(name: impl Into<String>, mark: Mark, points: Vec<(f64, f64)>) -> Self {
        Self { name: name.into(), mark, points, bands: Vec::new() }
    }
}

pub struct Chart {
    pub title: String,
    pub x_label: String,
    pub y_label: String,
    pub x: Range<f64>,
    /// Whether the horizontal axis is logarithmic.
    pub x_log: bool,
    pub y: Range<f64>,
    pub series: Vec<Series>,
}

const SIZE: (u32, u32) = (760, 440);

impl Chart {
    pub fn svg(&self) -> Result<String> {
        let mut svg = String::new();
        self.draw(&mut svg).map_err(|e| anyhow!("drawing {}: {e}", self.title))?;
        Ok(with_style(svg))
    }

    fn draw(&self, svg: &mut String) -> Result<(), Box<dyn std::error::Error>> {
        let area = SVGBackend::with_string(svg, SIZE).into_drawing_area();
        let legend_width = 12 + 8 * self.series.iter().map(|s| s.name.chars().count()).max().unwrap_or(0) as u32 + 34;
        let (plot, legend) = area.split_horizontally(SIZE.0 - legend_width);
        let text = |size: u32| ("sans-serif", size).into_font().color(&TEXT);
        let mut builder = ChartBuilder::on(&plot);
        builder.caption(&self.title, text(17)).margin(12).x_label_area_size(42).y_label_area_size(58);
        if self.x_log {
            self.fill(builder.build_cartesian_2d(self.x.clone().log_scale(), self.y.clone())?)?;
        } else {
            self.fill(builder.build_cartesian_2d(self.x.clone(), self.y.clone())?)?;
        }
        let left = text(13).pos(Pos::new(HPos::Left, VPos::Center));
        for (i, (series, colour)) in self.series.iter().zip(COLOURS.iter().cycle()).enumerate() {
            let y = 60 + 22 * i as i32;
            legend.draw(&Rectangle::new([(2, y - 4), (22, y + 4)], colour.filled()))?;
            legend.draw(&Text::new(series.name.clone(), (30, y), left.clone()))?;
        }
        area.present()?;
        Ok(())
    }

    /// Axes, grid and series, for any kind of horizontal axis.
    fn fill<X>(
        &self,
        mut chart: ChartContext<'_, SVGBackend<'_>, Cartesian2d<X, RangedCoordf64>>,
    ) -> Result<(), Box<dyn std::error::Error>>
    where
        X: Ranged<ValueType = f64> + ValueFormatter<f64>,
    {
        let text = |size: u32| ("sans-serif", size).into_font().color(&TEXT);
        // As many digits as the number needs: 3, 0.5, 0.25.
        let short = |value: &f64| format!("{}", (value * 100.0).round() / 100.0);
        chart
            .configure_mesh()
            .x_desc(&self.x_label)
            .y_desc(&self.y_label)
            .x_label_formatter(&short)
            .y_label_formatter(&short)
            .label_style(text(13))
            .axis_desc_style(text(14))
            .axis_style(TEXT)
            .bold_line_style(GRID)
            .light_line_style(TRANSPARENT)
            .x_labels(9)
            .y_labels(9)
            .draw()?;
        for (series, colour) in self.series.iter().zip(COLOURS.iter().cycle()) {
            for band in &series.bands {
                let outline = band.iter().map(|b| (b.0, b.2)).chain(band.iter().rev().map(|b| (b.0, b.1)));
                chart.draw_series(std::iter::once(Polygon::new(outline.collect::<Vec<_>>(), colour.mix(0.18).filled())))?;
            }
            if series.mark != Mark::Points {
                chart.draw_series(LineSeries::new(series.points.iter().copied(), colour.stroke_width(2)))?;
            }
            match series.mark {
                Mark::Line => {}
                Mark::Dotted => {
                    chart.draw_series(series.points.iter().map(|&at| Circle::new(at, 4, colour.filled())))?;
                }
                Mark::Points => {
                    chart.draw_series(series.points.iter().map(|&at| Circle::new(at, 2, colour.mix(0.35).filled())))?;
                }
            }
        }
        Ok(())
    }
}
