//! How values are spread: shares of each series in common bins.

use anyhow::{Result, bail};
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{Plot, check};
use crate::figure::extent::extent;
use crate::figure::{Axis, Chart, Mark, Series};

/// More would be narrower than can be seen.
const MOST_BINS: usize = 200;
/// More would leave the legend.
const MOST_MARKS: usize = 8;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Histogram {
    #[serde(rename = "kind")]
    _kind: IgnoredAny,
    title: String,
    x: String,
    y: String,
    #[serde(default = "bins")]
    bins: usize,
    series: Vec<Values>,
    #[serde(default)]
    marks: Vec<Place>,
}

fn bins() -> usize {
    30
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Values {
    name: String,
    values: Vec<f64>,
}

/// A number to compare with, in the colour of a series.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Place {
    name: String,
    at: f64,
    series: usize,
}

impl Histogram {
    fn check(&self) -> Result<()> {
        check::labels(&self.title, &[&self.x, &self.y])?;
        check::series(self.series.len())?;
        check::names("series", self.series.iter().map(|s| s.name.as_str()))?;
        check::names("marks", self.marks.iter().map(|m| m.name.as_str()))?;
        if !(1..=MOST_BINS).contains(&self.bins) {
            bail!("`bins` must be at least 1 and at most {MOST_BINS}, not {}", self.bins);
        }
        if self.marks.len() > MOST_MARKS {
            bail!("{} marks, and there is room for {MOST_MARKS}", self.marks.len());
        }
        for series in &self.series {
            if series.values.is_empty() {
                bail!("series `{}` has no values", series.name);
            }
            check::numbers(&format!("series `{}`", series.name), series.values.iter().copied())?;
        }
        for mark in &self.marks {
            check::place(&format!("mark `{}`", mark.name), mark.series, self.series.len())?;
            check::numbers(&format!("mark `{}`", mark.name), [mark.at].into_iter())?;
        }
        Ok(())
    }

    pub fn plot(self) -> Result<Plot> {
        self.check()?;
        let range = extent(self.series.iter().flat_map(|s| &s.values).copied(), 0.0);
        let width = (range.end - range.start) / self.bins as f64;
        let count = self.series.len();
        let mut series: Vec<Series> = Vec::new();
        for Values { name, values } in self.series {
            let mut counts = vec![0usize; self.bins];
            for value in &values {
                // The last bin has both its ends.
                counts[(((value - range.start) / width) as usize).min(self.bins - 1)] += 1;
            }
            let centre = |bin: usize| range.start + (bin as f64 + 0.5) * width;
            let shares =
                counts.iter().enumerate().map(|(bin, &n)| (centre(bin), n as f64 / values.len() as f64));
            series.push(Series::new(name, Mark::Histogram(width), shares.collect()));
        }
        let top = series.iter().flat_map(|s| &s.points).map(|p| p.1).fold(0.0, f64::max);
        let reach = extent([range.start, range.end].into_iter().chain(self.marks.iter().map(|m| m.at)), 0.03);
        for Place { name, at, series: of } in self.marks {
            series.push(Series { colour: Some(of), ..Series::new(name, Mark::Rule, vec![(at, 0.0)]) });
        }
        let chart = Chart {
            title: self.title,
            x_label: self.x,
            y_label: self.y,
            x: reach,
            axis: Axis::Linear,
            y: 0.0..1.06 * top,
            series,
        };
        Ok(Plot { kind: "histogram", series: count, chart })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn histogram(rest: &str) -> Result<Plot> {
        let text = format!(r#"{{"kind":"histogram","title":"t","x":"x","y":"y",{rest}}}"#);
        serde_json::from_str::<Histogram>(&text).expect(&text).plot()
    }

    #[test]
    fn bins_are_common_and_shares_sum_to_one() {
        let plot = histogram(
            r#""bins":4,"series":[{"name":"a","values":[0,0.5,1,4]},{"name":"b","values":[2,3,3.9]}]"#,
        )
        .expect("good");
        let shares = |i: usize| plot.chart.series[i].points.iter().map(|p| p.1).collect::<Vec<_>>();
        assert_eq!(shares(0), [0.5, 0.25, 0.0, 0.25]);
        assert_eq!(shares(1), [0.0, 0.0, 1.0 / 3.0, 2.0 / 3.0]);
        assert_eq!(plot.chart.series[1].points[0].0, 0.5);
    }

    #[test]
    fn what_cannot_be_drawn_is_named() {
        let message = |rest: &str| histogram(rest).map(drop).expect_err(rest).to_string();
        assert_eq!(message(r#""series":[]"#), "`series` is empty: describe at least one");
        assert_eq!(message(r#""series":[{"name":"a","values":[]}]"#), "series `a` has no values");
        assert!(message(r#""series":[{"name":"a","values":[1e13]}]"#).contains("between -1e12 and 1e12"));
        assert!(message(r#""series":[{"name":" ","values":[1]}]"#).contains("series[0] has an empty name"));
        assert!(
            message(r#""bins":0,"series":[{"name":"a","values":[1]}]"#)
                .contains("at least 1 and at most 200, not 0")
        );
        let marks = r#""series":[{"name":"a","values":[1]}],"marks":[{"name":"m","at":1,"series":1}]"#;
        assert_eq!(
            message(marks),
            "mark `m` refers to series 1, but the last of 1 is 0: they are counted from 0"
        );
    }
}
