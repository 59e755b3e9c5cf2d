//! The report: every exhibit of the suite, as one HTML file and as Markdown. Numbers come from results, and
//! words and the paper's numbers from the suite; nothing else is typed by hand.

mod charts;
mod document;
mod facts;
mod html;
mod interval;
mod markdown;
mod metric;
mod results;
mod section;
mod tables;
#[cfg(test)]
mod tests;
mod verdict;

use anyhow::Result;

use crate::layout::{Layout, Scale, write_file};
use crate::suite::Suite;
use document::{Report, Section};
use results::Results;

/// Writes `report.html` and `REPORT.md`.
pub fn write(suite: &Suite, layout: &Layout) -> Result<()> {
    let results = Results::read(suite, layout)?;
    let report = compose(suite, layout, &results)?;
    write_file(&layout.out.join("report.html"), html::render(&report).as_bytes())?;
    write_file(&layout.out.join("REPORT.md"), markdown::render(&report).as_bytes())
}

/// The report of these results.
fn compose(suite: &Suite, layout: &Layout, results: &Results) -> Result<Report> {
    let sections: Result<Vec<Section>> =
        suite.exhibits.iter().map(|exhibit| section::fill(suite, exhibit, layout, results)).collect();
    Ok(Report {
        title: "LogicVAE: reproduction of the paper".into(),
        summary: summary(suite, layout.scale, results),
        sections: sections?,
        facts: facts::facts(suite, layout, results),
    })
}

/// The paragraphs at the top.
fn summary(suite: &Suite, scale: Scale, results: &Results) -> Vec<String> {
    let sizes = match scale {
        Scale::Paper => {
            "This report has three parts. The first shows the paper's tables and figures under the \
             conditions of the program that the authors published, and the same models on formulae that \
             they have never seen: **What the paper's tables measure** explains the difference. The second \
             has our own models. The appendix has the paper's models on larger formulae with disjoint test \
             sets, as its text describes them; there, the number of training epochs is often smaller. It is \
             given in each row."
                .to_owned()
        }
        Scale::Quick => format!(
            "**This report was made at reduced size**, to check that everything runs. {} The text of each \
             section describes the results at the paper's size.",
            suite.quick.about
        ),
    };
    let progress = match (results.records.len(), suite.experiments.len()) {
        (found, all) if found == all => format!("All {all} experiments have results."),
        (found, all) => {
            format!("{found} of {all} experiments have results. The others are marked as not run.")
        }
    };
    let cells = "Each cell shows our number, its 95 % confidence interval, the paper's number, and the \
         difference. Metrics that are averages over formulae have bootstrap intervals over test formulae. \
         Other proportions have Wilson intervals, in which each formula or each sample from the prior counts \
         as one draw.";
    let mut summary = vec![sizes, progress, cells.to_owned()];
    if scale == Scale::Paper {
        summary.extend(verdict::verdict(suite, results));
    }
    if !results.outdated.is_empty() {
        summary.push(format!(
            "These results were made with other settings or by older code and are marked with †: {}.",
            results.outdated.join(", ")
        ));
    }
    summary
}
