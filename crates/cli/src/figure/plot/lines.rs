//! Line charts: points connected by lines.

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{Plot, check};
use crate::figure::extent::extent;
use crate::figure::{Axis, Chart, Mark, Series};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lines {
    #[serde(rename = "kind")]
    _kind: IgnoredAny,
    title: String,
    x: String,
    y: String,
    series: Vec<Line>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    name: String,
    points: Vec<(f64, f64)>,
    /// Ends of the error bars; `null` for a point without one.
    low: Option<Vec<Option<f64>>>,
    high: Option<Vec<Option<f64>>>,
    #[serde(default)]
    dashed: bool,
    /// The index of the series whose colour it uses, such as for two results of one method.
    like: Option<usize>,
    /// The number of its colour, if it is not the index of the series.
    colour: Option<usize>,
}

impl Line {
    fn series(self) -> Result<Series> {
        let what = format!("series `{}`", self.name);
        if self.points.is_empty() {
            bail!("{what} has no points: add at least one");
        }
        check::numbers(&what, self.points.iter().flat_map(|p| [p.0, p.1]))?;
        let points: Vec<_> = self.points.iter().copied().map(Some).collect();
        let errors = check::error_bars(&what, &points, self.low.as_deref(), self.high.as_deref())?;
        let mark = if self.dashed { Mark::Dashed } else { Mark::Dotted };
        check::colour(&what, self.colour)?;
        Ok(Series { errors, colour: self.colour, ..Series::new(self.name, mark, self.points) })
    }
}

impl Lines {
    pub fn plot(self) -> Result<Plot> {
        check::labels(&self.title, &[&self.x, &self.y])?;
        check::series_count(self.series.len())?;
        check::names("series", self.series.iter().map(|s| s.name.as_str()))?;
        let count = self.series.len();
        for line in &self.series {
            line.like
                .map_or(Ok(()), |like| check::series_index("`like`", like, count))
                .with_context(|| format!("series `{}`", line.name))?;
        }
        let like: Vec<Option<usize>> = self.series.iter().map(|line| line.like).collect();
        let mut series: Vec<Series> = self.series.into_iter().map(Line::series).collect::<Result<_>>()?;
        for (at, like) in like.into_iter().enumerate().filter_map(|(at, like)| Some((at, like?))) {
            series[at].colour = Some(series[like].colour.unwrap_or(like));
        }
        let points = || series.iter().flat_map(|s| s.points.iter().copied());
        let ends = series.iter().flat_map(|s| &s.errors).flat_map(|e| [e.1, e.2]);
        let (x, y) = (extent(points().map(|p| p.0), 0.05), extent(points().map(|p| p.1).chain(ends), 0.06));
        let chart =
            Chart { title: self.title, x_label: self.x, y_label: self.y, x, axis: Axis::Linear, y, series };
        Ok(Plot { kind: "lines", series: count, chart })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_descriptions_are_errors() {
        let message = |line: &str| {
            let text =
                format!(r#"{{"kind":"lines","title":"t","x":"x","y":"y","series":[{{"name":"a",{line}}}]}}"#);
            let error = serde_json::from_str::<Lines>(&text).expect(&text).plot().map(drop).expect_err(&text);
            format!("{error:#}")
        };
        assert_eq!(message(r#""points":[]"#), "series `a` has no points: add at least one");
        assert_eq!(
            message(r#""points":[[1,2]],"low":[1]"#),
            "series `a` has `low` but no `high`: give both or neither"
        );
        assert!(
            message(r#""points":[[1,2]],"low":[1],"high":[3,4]"#)
                .contains("`high` of series `a` has 2 value(s), but the series has 1")
        );
        assert!(
            message(r#""points":[[1,2]],"low":[0.1],"high":[0.1]"#)
                .contains("is 2, which is not between `low` 0.1")
        );
        assert!(message(r#""points":[[1,2]],"low":[null],"high":[3]"#).contains("only one end"));
        assert!(message(r#""points":[[1,2]],"like":3"#).contains("series `a`: `like` refers to series 3"));
    }
}
