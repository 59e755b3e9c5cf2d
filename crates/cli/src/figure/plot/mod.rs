//! Charts described by a JSON file. Each kind of chart has its own module.
//!
//! A description is turned into a [`Chart`], or into an error that names the problem. Unknown fields are
//! errors.

mod bars;
mod check;
mod histogram;
mod lines;

use anyhow::{Error, Result, bail};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::error::Category;

use super::Chart;

/// A chart that can be drawn.
pub struct Plot {
    /// The kind, as in the description.
    pub kind: &'static str,
    /// The number of series in the description.
    pub series: usize,
    pub chart: Chart,
}

/// The field that all descriptions have in common.
#[derive(Deserialize)]
struct Header {
    kind: String,
}

/// Reads a description: first its kind, then all fields of that kind. An enum tagged with `kind` would lose
/// the line number of errors.
pub fn read(text: &str) -> Result<Plot> {
    let kind = parse::<Header>(text)?.kind;
    match kind.as_str() {
        "histogram" => parse::<histogram::Histogram>(text)?.plot(),
        "lines" => parse::<lines::Lines>(text)?.plot(),
        "bars" => parse::<bars::Bars>(text)?.plot(),
        _ => bail!("unknown kind `{kind}`: use histogram, lines or bars"),
    }
}

fn parse<T: DeserializeOwned>(text: &str) -> Result<T> {
    serde_json::from_str(text).map_err(|e| {
        let hint = if e.classify() == Category::Syntax {
            " (JSON has no comments, no NaN and no infinity)"
        } else {
            ""
        };
        Error::msg(format!("invalid chart description: {e}{hint}"))
    })
}

#[cfg(test)]
mod tests {
    use resvg::usvg::roxmltree::Document;

    use super::*;

    /// How often the style sheet contains the colour of labels.
    const STYLED: usize = 3;

    fn message(text: &str) -> String {
        read(text).map(drop).expect_err(text).to_string()
    }

    /// Draws a chart, checks that it is valid XML, and counts the occurrences of some strings.
    fn count(text: &str, parts: &[&str]) -> Vec<usize> {
        let svg = read(text).and_then(|plot| plot.chart.svg()).unwrap_or_else(|e| panic!("{text}: {e}"));
        Document::parse(&svg).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        crate::figure::png::render(&svg).expect("a picture");
        parts.iter().map(|part| svg.matches(part).count()).collect()
    }

    #[test]
    fn everything_described_is_drawn() {
        let histogram = r#"{"kind":"histogram","title":"<&>","x":"k","y":"share",
            "series":[{"name":"a \"b\"","values":[0,1,1]},{"name":"c","values":[2]}],
            "marks":[{"name":"far","at":9,"series":1}]}"#;
        assert_eq!(count(histogram, &["<polygon", ">\nfar\n<"]), [2, 1]);
        let lines = r#"{"kind":"lines","title":"","x":"n","y":"y","series":[
            {"name":"a","points":[[1,2],[2,3]],"low":[1,null],"high":[2,null]},
            {"name":"b","points":[[5,-1]],"dashed":true,"like":0}]}"#;
        assert_eq!(count(lines, &["<circle"]), [2]);
        let bars = r#"{"kind":"bars","title":"t","y":"y","groups":["g","h"],"series":[
            {"name":"a","values":[-1,null]},
            {"name":"b","values":[0,3],"low":[null,2],"high":[null,4]}]}"#;
        let compared = r#"{"kind":"bars","title":"t","y":"y","groups":["g","h"],"reference":"paper","series":[
            {"name":"a","values":[1,2],"reference":[1.5,null],"colour":3}]}"#;
        // The line across the first bar and its symbol in the legend; two bars and a symbol in their colour.
        assert_eq!(count(compared, &["#242930", ">\npaper\n<", "#CC79A7"]), [2 + STYLED, 1, 3]);
        // Three bars, one of them without height, and two symbols in the legend.
        assert_eq!(count(bars, &["<rect"]), [5]);
    }

    #[test]
    fn extreme_numbers_are_drawn() {
        for values in
            ["[0]", "[3,3,3]", "[1e12,-1e12]", "[0,1e-300]", "[1000000000000,999999999999.999]", "[-0.0]"]
        {
            count(
                &format!(
                    r#"{{"kind":"histogram","title":"t","x":"x","y":"y","bins":200,
                        "series":[{{"name":"a","values":{values}}}]}}"#
                ),
                &[],
            );
            let groups = vec!["\"a name of several words\""; values.split(',').count()].join(",");
            count(
                &format!(
                    r#"{{"kind":"bars","title":"t","y":"y","groups":[{groups}],
                        "series":[{{"name":"a","values":{values}}}]}}"#
                ),
                &[],
            );
        }
        for points in ["[[0,0]]", "[[1e12,1],[-1e12,1]]", "[[1,1],[1,1]]", "[[0.5,1e-12],[0.25,-1e-12]]"] {
            count(
                &format!(
                    r#"{{"kind":"lines","title":"t","x":"x","y":"y",
                        "series":[{{"name":"{0}","points":{points}}}]}}"#,
                    "n".repeat(60)
                ),
                &[],
            );
        }
    }

    #[test]
    fn error_messages_name_the_problem_and_its_position() {
        assert_eq!(
            message("{\n\"kind\": NaN}"),
            "invalid chart description: expected value at line 2 column 9 \
             (JSON has no comments, no NaN and no infinity)"
        );
        assert_eq!(message(r#"{"kind":"pie"}"#), "unknown kind `pie`: use histogram, lines or bars");
        assert!(
            message(r#"{"kind":"bars","titel":"t"}"#)
                .contains("unknown field `titel`, expected one of `kind`, `title`")
        );
        let bars = r#"{"kind":"bars","title":"t","y":"y","groups":["g"],"series":[{"name":"a","values":[1],"#;
        assert!(message(&format!("{bars}\"reference\":[1,2]}}]}}")).contains("2 value(s) for 1 group(s)"));
        assert!(message(&format!("{bars}\"colour\":9}}]}}")).contains("colour 9, but the last one is 7"));
        assert!(message("{\"kind\":\"lines\",\n\"title\":3}").contains("line 2 column 9"));
    }
}
