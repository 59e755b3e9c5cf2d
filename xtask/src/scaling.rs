//! `cargo xtask bench scaling`: time and memory of semantic embeddings.

use std::fmt::Write;

use anyhow::Result;
use serde_json::Value;

use crate::cells::{self, Request};

const FORMS: [&str; 2] = ["plain", "gaussian"];
const FORMULAE: [usize; 4] = [1_000, 5_000, 20_000, 100_000];
const VARIABLES: [usize; 3] = [5, 10, 15];

pub fn run(json: bool) -> Result<()> {
    let requests = cells::combinations(&FORMS, &VARIABLES, &FORMULAE, |form, variables, formulae| Request {
        label: format!("{form}, {variables} variables, {formulae} formulae"),
        flag: format!("--scaling={formulae},{variables},{form}"),
    });
    cells::run(json, &requests, "scaling.md", table)
}

fn table(cells: &[Value]) -> Result<String> {
    let mut out = String::from(
        "# Growth of time and memory\n\n\
         Seconds on two cores, measured by `cargo xtask bench scaling`. *Compare*: the kernel between all\n\
         formulae and the first 5,000 of them, in blocks. *Fit*: gram-pca with 100 components, or as many\n\
         as there are. Formulae with 15 variables are compared at 1,024 sampled assignments.\n\n\
         | kernel | variables | assignments | formulae | evaluate | compare | fit | peak MiB |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    let mut notes = Vec::new();
    for cell in cells {
        let number = |key: &str| cell[key].as_f64();
        let seconds = |key: &str| number(key).map_or("-".to_owned(), |s| format!("{s:.3}"));
        writeln!(
            out,
            "| {} | {} | {} | {} | {} | {} | {} | {:.0} |",
            cell["form"].as_str().unwrap_or_default(),
            cell["variables"],
            cell["assignments"],
            cell["formulae"],
            seconds("evaluate_seconds"),
            seconds("gram_seconds"),
            seconds("fit_seconds"),
            number("peak_mebibytes").unwrap_or(f64::NAN),
        )?;
        if let Some(reason) = cell["not_fitted"].as_str() {
            notes.push(format!(
                "- {} variables, {} formulae, {}: {reason}",
                cell["variables"],
                cell["formulae"],
                cell["form"].as_str().unwrap_or_default()
            ));
        }
    }
    out.push_str(
        "\nExpected growth: evaluating and comparing grow with formulae × assignments, a plain fit with\n\
         formulae × assignments² / 64 + assignments³, and a Gaussian fit with the square of the number of\n\
         *distinct* rows of values, times components.\n",
    );
    if !notes.is_empty() {
        write!(out, "\nNot fitted:\n\n{}\n", notes.join("\n"))?;
    }
    Ok(out)
}
