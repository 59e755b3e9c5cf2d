//! Bar charts: one group of bars per name on the horizontal axis.

use anyhow::{Result, bail};
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{Plot, check};
use crate::figure::extent::extent;
use crate::figure::{Axis, Chart, Mark, Series};

/// Largest number of groups, so that their names fit.
const MAX_GROUPS: usize = 12;
/// The share of a group's width that all of its bars take, and the largest share of one bar.
const ALL_BARS: f64 = 0.8;
const ONE_BAR: f64 = 0.4;
/// The width of a bar relative to the distance between two bars.
const BAR_WIDTH: f64 = 0.9;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bars {
    #[serde(rename = "kind")]
    _kind: IgnoredAny,
    title: String,
    y: String,
    groups: Vec<String>,
    series: Vec<Heights>,
    /// What the references are, for the legend.
    #[serde(default = "default_reference")]
    reference: String,
}

fn default_reference() -> String {
    "reference".into()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Heights {
    name: String,
    /// One number per group; `null` if it is missing.
    values: Vec<Option<f64>>,
    /// Ends of the error bars; `null` for a bar without one.
    low: Option<Vec<Option<f64>>>,
    high: Option<Vec<Option<f64>>>,
    /// Values to compare with, one per group, each drawn as a line across its bar; `null` for none.
    reference: Option<Vec<Option<f64>>>,
    /// The number of its colour, if it is not the index of the series.
    colour: Option<usize>,
}

impl Heights {
    /// The references, at the positions of their bars.
    fn references(&self, groups: usize, start: f64) -> Result<Vec<(f64, f64)>> {
        let Some(values) = &self.reference else { return Ok(Vec::new()) };
        let what = format!("`reference` of series `{}`", self.name);
        if values.len() != groups {
            bail!("{what} has {} value(s) for {groups} group(s): use null for a missing value", values.len());
        }
        check::numbers(&what, values.iter().flatten().copied())?;
        let at = |(i, value): (usize, &Option<f64>)| value.map(|value| (i as f64 + start, value));
        Ok(values.iter().enumerate().filter_map(at).collect())
    }

    /// The bars with this width, the first one centred at `start`.
    fn series(self, groups: usize, start: f64, width: f64) -> Result<Series> {
        let what = format!("series `{}`", self.name);
        if self.values.len() != groups {
            bail!(
                "{what} has {} value(s) for {groups} group(s): use null for a missing value",
                self.values.len()
            );
        }
        check::numbers(&what, self.values.iter().flatten().copied())?;
        check::colour(&what, self.colour)?;
        let points: Vec<_> =
            self.values.iter().enumerate().map(|(i, v)| v.map(|v| (i as f64 + start, v))).collect();
        if points.iter().all(Option::is_none) {
            bail!("{what} has no values: add at least one");
        }
        let errors = check::error_bars(&what, &points, self.low.as_deref(), self.high.as_deref())?;
        Ok(Series {
            errors,
            colour: self.colour,
            ..Series::new(self.name, Mark::Bars(width), points.into_iter().flatten().collect())
        })
    }
}

impl Bars {
    pub fn plot(self) -> Result<Plot> {
        check::labels(&self.title, &[&self.y])?;
        check::series_count(self.series.len())?;
        check::names("series", self.series.iter().map(|s| s.name.as_str()))?;
        check::names("groups", self.groups.iter().map(String::as_str))?;
        let (count, groups) = (self.series.len(), self.groups.len());
        if !(1..=MAX_GROUPS).contains(&groups) {
            bail!("there are {groups} groups, but there must be at least 1 and at most {MAX_GROUPS}");
        }
        let distance = (ALL_BARS / count as f64).min(ONE_BAR);
        check::names("reference", std::iter::once(self.reference.as_str()))?;
        let mut series: Vec<Series> = Vec::new();
        let mut references: Vec<(f64, f64)> = Vec::new();
        for (i, heights) in self.series.into_iter().enumerate() {
            let start = 0.5 + (i as f64 + 0.5 - count as f64 / 2.0) * distance;
            references.extend(heights.references(groups, start)?);
            series.push(heights.series(groups, start, BAR_WIDTH * distance)?);
        }
        if !references.is_empty() {
            series.push(Series::new(self.reference, Mark::Level(distance), references));
        }
        let ends = series.iter().flat_map(|s| &s.errors).flat_map(|e| [e.1, e.2]);
        let heights: Vec<f64> =
            series.iter().flat_map(|s| &s.points).map(|p| p.1).chain(ends).chain([0.0]).collect();
        // The axis includes 0, where bars start. There is a margin beyond the longest bars, but none beyond 0
        // if no bar is there.
        let mut y = extent(heights.iter().copied(), 0.06);
        if heights.iter().all(|&h| h >= 0.0) {
            y.start = 0.0;
        } else if heights.iter().all(|&h| h <= 0.0) {
            y.end = 0.0;
        }
        let chart = Chart {
            title: self.title,
            x_label: String::new(),
            y_label: self.y,
            x: 0.0..groups as f64,
            axis: Axis::Groups(self.groups),
            y,
            series,
        };
        Ok(Plot { kind: "bars", series: count, chart })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bars(series: &str) -> Result<Plot> {
        let text = format!(r#"{{"kind":"bars","title":"t","y":"y","groups":["g","h"],"series":[{series}]}}"#);
        serde_json::from_str::<Bars>(&text).expect(&text).plot()
    }

    #[test]
    fn bars_of_a_group_are_centred() {
        let plot = bars(r#"{"name":"a","values":[1,null]},{"name":"b","values":[2,3]}"#).expect("good");
        let positions: Vec<f64> = plot.chart.series.iter().flat_map(|s| &s.points).map(|p| p.0).collect();
        assert_eq!(positions.len(), 3);
        for (position, expected) in positions.into_iter().zip([0.3, 0.7, 1.7]) {
            assert!((position - expected).abs() < 1e-12, "{position}");
        }
        assert_eq!(plot.chart.y.start, 0.0);
        let below = bars(r#"{"name":"a","values":[-1,-2]}"#).expect("good").chart.y;
        assert!(below.start < -2.0 && below.end == 0.0);
        assert!(bars(r#"{"name":"a","values":[0,0]}"#).expect("good").chart.y.end > 0.0);
    }

    #[test]
    fn invalid_descriptions_are_errors() {
        let message = |series: &str| bars(series).map(drop).expect_err(series).to_string();
        assert!(message(r#"{"name":"a","values":[1]}"#).contains("1 value(s) for 2 group(s): use null"));
        assert_eq!(
            message(r#"{"name":"a","values":[null,null]}"#),
            "series `a` has no values: add at least one"
        );
        assert!(
            message(r#"{"name":"a","values":[1,null],"low":[0,0],"high":[2,2]}"#)
                .contains("value 1 of series `a` is missing")
        );
    }
}
