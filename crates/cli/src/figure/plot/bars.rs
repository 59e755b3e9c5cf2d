//! Numbers side by side: a group of bars for each name on the axis.

use anyhow::{Result, bail};
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{Plot, check};
use crate::figure::extent::extent;
use crate::figure::{Axis, Chart, Mark, Series};

/// More would leave no room for their names.
const MOST_GROUPS: usize = 12;
/// Of a group's place, what its bars take together, and what one may take at most.
const TOGETHER: f64 = 0.8;
const ALONE: f64 = 0.4;
/// Of a bar's place, what it fills.
const FILLED: f64 = 0.9;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bars {
    #[serde(rename = "kind")]
    _kind: IgnoredAny,
    title: String,
    y: String,
    groups: Vec<String>,
    series: Vec<Heights>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Heights {
    name: String,
    /// A number a group, `null` where there is none.
    values: Vec<Option<f64>>,
    /// Ends of error bars, `null` for a bar without one.
    low: Option<Vec<Option<f64>>>,
    high: Option<Vec<Option<f64>>>,
}

impl Heights {
    /// Bars of a width, the first in the middle of `start`.
    fn series(self, groups: usize, start: f64, width: f64) -> Result<Series> {
        let what = format!("series `{}`", self.name);
        if self.values.len() != groups {
            bail!(
                "{what} has {} value(s) for {groups} group(s): write null where one is missing",
                self.values.len()
            );
        }
        check::numbers(&what, self.values.iter().flatten().copied())?;
        let points: Vec<_> =
            self.values.iter().enumerate().map(|(i, v)| v.map(|v| (i as f64 + start, v))).collect();
        if points.iter().all(Option::is_none) {
            bail!("{what} has no values");
        }
        let errors = check::errors(&what, &points, self.low.as_deref(), self.high.as_deref())?;
        Ok(Series {
            errors,
            ..Series::new(self.name, Mark::Bars(width), points.into_iter().flatten().collect())
        })
    }
}

impl Bars {
    pub fn plot(self) -> Result<Plot> {
        check::labels(&self.title, &[&self.y])?;
        check::series(self.series.len())?;
        check::names("series", self.series.iter().map(|s| s.name.as_str()))?;
        check::names("groups", self.groups.iter().map(String::as_str))?;
        let (count, groups) = (self.series.len(), self.groups.len());
        if !(1..=MOST_GROUPS).contains(&groups) {
            bail!("there must be at least 1 group and at most {MOST_GROUPS}, not {groups}");
        }
        let place = (TOGETHER / count as f64).min(ALONE);
        let mut series: Vec<Series> = Vec::new();
        for (i, heights) in self.series.into_iter().enumerate() {
            let start = 0.5 + (i as f64 + 0.5 - count as f64 / 2.0) * place;
            series.push(heights.series(groups, start, FILLED * place)?);
        }
        let ends = series.iter().flat_map(|s| &s.errors).flat_map(|e| [e.1, e.2]);
        let heights: Vec<f64> =
            series.iter().flat_map(|s| &s.points).map(|p| p.1).chain(ends).chain([0.0]).collect();
        // Bars begin at 0, so it is on the axis. Beyond the farthest there is some air, beyond 0 only if something is there.
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
    fn bars_of_a_group_stand_around_its_middle() {
        let plot = bars(r#"{"name":"a","values":[1,null]},{"name":"b","values":[2,3]}"#).expect("good");
        let places: Vec<f64> = plot.chart.series.iter().flat_map(|s| &s.points).map(|p| p.0).collect();
        assert_eq!(places.len(), 3);
        for (place, expected) in places.into_iter().zip([0.3, 0.7, 1.7]) {
            assert!((place - expected).abs() < 1e-12, "{place}");
        }
        assert_eq!(plot.chart.y.start, 0.0);
        let below = bars(r#"{"name":"a","values":[-1,-2]}"#).expect("good").chart.y;
        assert!(below.start < -2.0 && below.end == 0.0);
        assert!(bars(r#"{"name":"a","values":[0,0]}"#).expect("good").chart.y.end > 0.0);
    }

    #[test]
    fn what_cannot_be_drawn_is_named() {
        let message = |series: &str| bars(series).map(drop).expect_err(series).to_string();
        assert!(message(r#"{"name":"a","values":[1]}"#).contains("1 value(s) for 2 group(s): write null"));
        assert_eq!(message(r#"{"name":"a","values":[null,null]}"#), "series `a` has no values");
        assert!(
            message(r#"{"name":"a","values":[1,null],"low":[0,0],"high":[2,2]}"#)
                .contains("number 1 of series `a` is missing")
        );
    }
}
