//! Histograms: the share of the values of each series in common bins.

use anyhow::{Result, bail};
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{Plot, check};
use crate::figure::extent::extent;
use crate::figure::{Axis, Chart, Mark, Series};

/// Largest number of bins: more would be too narrow to be visible.
const MAX_BINS: usize = 200;
/// Largest number of marks, so that they fit into the legend.
const MAX_MARKS: usize = 8;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Histogram {
    #[serde(rename = "kind")]
    _kind: IgnoredAny,
    title: String,
    x: String,
    y: String,
    #[serde(default = "default_bins")]
    bins: usize,
    series: Vec<Values>,
    #[serde(default)]
    marks: Vec<Reference>,
}

fn default_bins() -> usize {
    30
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Values {
    name: String,
    values: Vec<f64>,
    /// The number of its colour, if it is not the index of the series.
    colour: Option<usize>,
}

/// A value to compare with, drawn as a vertical line in the colour of a series.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reference {
    name: String,
    at: f64,
    series: usize,
}

impl Histogram {
    fn check(&self) -> Result<()> {
        check::labels(&self.title, &[&self.x, &self.y])?;
        check::series_count(self.series.len())?;
        check::names("series", self.series.iter().map(|s| s.name.as_str()))?;
        check::names("marks", self.marks.iter().map(|m| m.name.as_str()))?;
        if !(1..=MAX_BINS).contains(&self.bins) {
            bail!("`bins` is {}, but must be at least 1 and at most {MAX_BINS}", self.bins);
        }
        if self.marks.len() > MAX_MARKS {
            bail!("there are {} marks, but at most {MAX_MARKS} are allowed", self.marks.len());
        }
        for series in &self.series {
            if series.values.is_empty() {
                bail!("series `{}` has no values: add at least one", series.name);
            }
            check::numbers(&format!("series `{}`", series.name), series.values.iter().copied())?;
            check::colour(&format!("series `{}`", series.name), series.colour)?;
        }
        for mark in &self.marks {
            check::series_index(&format!("mark `{}`", mark.name), mark.series, self.series.len())?;
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
        for Values { name, values, colour } in self.series {
            let mut counts = vec![0usize; self.bins];
            for value in &values {
                // The last bin includes its upper end.
                counts[(((value - range.start) / width) as usize).min(self.bins - 1)] += 1;
            }
            let centre = |bin: usize| range.start + (bin as f64 + 0.5) * width;
            let shares =
                counts.iter().enumerate().map(|(bin, &n)| (centre(bin), n as f64 / values.len() as f64));
            series.push(Series { colour, ..Series::new(name, Mark::Histogram(width), shares.collect()) });
        }
        let top = series.iter().flat_map(|s| &s.points).map(|p| p.1).fold(0.0, f64::max);
        let x = extent([range.start, range.end].into_iter().chain(self.marks.iter().map(|m| m.at)), 0.03);
        for Reference { name, at, series: of } in self.marks {
            let colour = Some(series[of].colour.unwrap_or(of));
            series.push(Series { colour, ..Series::new(name, Mark::Rule, vec![(at, 0.0)]) });
        }
        let chart = Chart {
            title: self.title,
            x_label: self.x,
            y_label: self.y,
            x,
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
    fn series_have_common_bins_and_shares_sum_to_one() {
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
    fn invalid_descriptions_are_errors() {
        let message = |rest: &str| histogram(rest).map(drop).expect_err(rest).to_string();
        assert_eq!(message(r#""series":[]"#), "`series` is empty: add at least one series");
        assert_eq!(
            message(r#""series":[{"name":"a","values":[]}]"#),
            "series `a` has no values: add at least one"
        );
        assert!(message(r#""series":[{"name":"a","values":[1e13]}]"#).contains("between -1e12 and 1e12"));
        assert!(message(r#""series":[{"name":" ","values":[1]}]"#).contains("series[0] has an empty name"));
        assert!(
            message(r#""bins":0,"series":[{"name":"a","values":[1]}]"#)
                .contains("`bins` is 0, but must be at least 1 and at most 200")
        );
        let marks = r#""series":[{"name":"a","values":[1]}],"marks":[{"name":"m","at":1,"series":1}]"#;
        assert_eq!(message(marks), "mark `m` refers to series 1, but the last one is 0: indices start at 0");
    }
}
