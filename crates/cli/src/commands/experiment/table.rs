//! The results of an experiment as text: a line of headers, and one line per result.

use std::io::{self, Write};

use serde_json::Value;

use crate::args::Experiment;

/// A column: its header, and where its values are.
struct Column(&'static str, &'static str);

/// The columns of an experiment. A path such as `/quantiles/2` leads into a result.
fn columns(experiment: Experiment) -> &'static [Column] {
    match experiment {
        Experiment::Variance => &[
            Column("kernel", "/form"),
            Column("variables", "/variables"),
            Column("components", "/components"),
            Column("variance of 100", "/at_100"),
            Column("of all", "/at_all"),
        ],
        Experiment::Correlation => &[
            Column("kernel", "/form"),
            Column("variables", "/variables"),
            Column("pairs", "/pairs"),
            Column("Pearson", "/pearson"),
            Column("Spearman", "/spearman"),
        ],
        Experiment::Classification => &[
            Column("variables", "/variables"),
            Column("5 %", "/quantiles/0"),
            Column("25 %", "/quantiles/1"),
            Column("median", "/quantiles/2"),
            Column("75 %", "/quantiles/3"),
            Column("95 %", "/quantiles/4"),
            Column("mean", "/mean"),
            Column("guessing", "/guessing"),
        ],
        Experiment::Agreement => &[
            Column("pairs", "/pairs"),
            Column("largest deviation from k = 2 · agreement - 1", "/largest_deviation_from_identity"),
        ],
        Experiment::Pool => &[
            Column("kernel", "/form"),
            Column("variables", "/variables"),
            Column("mean kernel", "/mean_kernel"),
            Column("mean distance", "/mean_distance"),
            Column("components", "/components"),
            Column("variance", "/explained_variance"),
        ],
    }
}

/// Writes results with aligned columns: names to the left, numbers to the right.
pub fn write(out: &mut dyn Write, experiment: Experiment, results: &Value) -> io::Result<()> {
    let columns = columns(experiment);
    let results = results.as_array().map_or(std::slice::from_ref(results), Vec::as_slice);
    let cell = |result: &Value, column: &Column| match result.pointer(column.1) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) if number.is_f64() => {
            format!("{:.4}", number.as_f64().unwrap_or_default())
        }
        Some(value) if !value.is_null() => value.to_string(),
        _ => "-".to_owned(),
    };
    let mut rows: Vec<Vec<String>> = vec![columns.iter().map(|column| column.0.to_owned()).collect()];
    rows.extend(results.iter().map(|result| columns.iter().map(|column| cell(result, column)).collect()));
    let width = |at: usize| rows.iter().map(|row| row[at].chars().count()).max().unwrap_or_default();
    let widths: Vec<usize> = (0..columns.len()).map(width).collect();
    for row in &rows {
        let cells = row.iter().zip(columns).zip(&widths).map(|((cell, column), &width)| {
            if column.1 == "/form" { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
        writeln!(out, "{}", cells.collect::<Vec<String>>().join("  ").trim_end())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn columns_are_aligned_below_their_headers() {
        let results = json!([
            { "form": "plain", "variables": 3, "pairs": 4950, "pearson": -0.98765, "spearman": null },
            { "form": "gaussian", "variables": 10, "pairs": 50, "pearson": -1.0, "spearman": 0.5 },
        ]);
        let mut text = Vec::new();
        write(&mut text, Experiment::Correlation, &results).unwrap();
        assert_eq!(
            String::from_utf8(text).unwrap(),
            "kernel    variables  pairs  Pearson  Spearman\n\
             plain             3   4950  -0.9877         -\n\
             gaussian         10     50  -1.0000    0.5000\n"
        );
    }
}
