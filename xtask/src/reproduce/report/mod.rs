//! The report: every exhibit of the suite from the results that are there, as one HTML file and as Markdown. Nothing in it is
//! typed by hand: numbers come from results, words and the paper's numbers from the suite.

mod charts;
mod html;
mod interval;
mod machine;
mod markdown;
mod tables;

pub use machine::processor;

use std::collections::BTreeMap;
use std::fs;

use anyhow::Result;
use serde_json::Value;

use crate::reproduce::place::{self, Place, Scale, read_json};
use crate::reproduce::plan;
use crate::reproduce::suite::{Exhibit, Suite};

/// The report before it is HTML or Markdown.
pub struct Report {
    pub title: String,
    /// Paragraphs at the top.
    pub summary: Vec<String>,
    /// Facts about the machine and the run: name and value.
    pub facts: Vec<(String, String)>,
    pub sections: Vec<Section>,
}

/// One exhibit.
pub struct Section {
    pub id: String,
    pub title: String,
    pub about: String,
    pub tables: Vec<Table>,
    pub figures: Vec<Figure>,
    /// What is missing, in words.
    pub missing: Vec<String>,
}

pub struct Table {
    pub head: Vec<String>,
    pub rows: Vec<Vec<Cell>>,
}

/// A cell: a number and what surrounds it, or words.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cell {
    pub main: String,
    /// The confidence interval.
    pub interval: Option<String>,
    /// What the paper reports.
    pub paper: Option<String>,
    /// Ours less the paper's.
    pub difference: Option<String>,
}

impl Cell {
    pub fn text(text: impl Into<String>) -> Self {
        Self { main: text.into(), ..Self::default() }
    }
}

/// A picture in the folder of figures.
pub struct Figure {
    pub file: String,
    pub svg: String,
    pub caption: String,
}

/// Results by experiment.
pub struct Results {
    found: BTreeMap<String, Value>,
    /// Those made with other settings or by other code than the suite now has.
    stale: Vec<String>,
}

impl Results {
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.found.get(name)
    }

    pub fn is_stale(&self, name: &str) -> bool {
        self.stale.iter().any(|stale| stale == name)
    }
}

/// Writes `report.html` and `REPORT.md`.
pub fn write(suite: &Suite, place: &Place) -> Result<()> {
    let mut results = Results { found: BTreeMap::new(), stale: Vec::new() };
    for step in plan::plan(suite, place, &[])? {
        let Some(found) = read_json(&place.result(&step.name)) else { continue };
        if !step.known {
            results.stale.push(step.name.clone());
        }
        results.found.insert(step.name, found);
    }
    let report = compose(suite, place, &results)?;
    place::write(&place.out.join("report.html"), html::render(&report).as_bytes())?;
    place::write(&place.out.join("REPORT.md"), markdown::render(&report).as_bytes())
}

/// The report of these results.
fn compose(suite: &Suite, place: &Place, results: &Results) -> Result<Report> {
    let sections: Result<Vec<Section>> =
        suite.exhibit.iter().map(|exhibit| section(suite, exhibit, place, results)).collect();
    let size = match place.scale {
        Scale::Paper => {
            "The paper's data, models and measures; how many epochs each model was trained stands in its row."
                .to_owned()
        }
        Scale::Quick => format!(
            "**Reduced sizes**, to see that everything runs. {} The words in each section are about the paper's sizes.",
            suite.quick_about
        ),
    };
    let done = suite.experiment.iter().filter(|e| results.get(&e.name).is_some()).count();
    let mut summary = vec![
        size,
        format!("{done} of {} experiments have results; what was not run says so.", suite.experiment.len()),
        "A cell has our number, its 95 % confidence interval, the paper's number, and the difference. Intervals are by bootstrap \
         over test formulae where there is a number for each; of other shares they are Wilson's, with each formula, or each sample \
         of the prior, as one draw."
            .into(),
    ];
    if place.scale == Scale::Paper {
        summary.extend(tables::verdict(suite, results));
    }
    if !results.stale.is_empty() {
        summary.push(format!(
            "Made with other settings or by older code, and marked †: {}.",
            results.stale.join(", ")
        ));
    }
    Ok(Report {
        title: "LogicVAE: the paper, reproduced".into(),
        summary,
        facts: machine::facts(suite, place, results),
        sections: sections?,
    })
}

fn section(suite: &Suite, exhibit: &Exhibit, place: &Place, results: &Results) -> Result<Section> {
    let mut section = Section {
        id: exhibit.id.clone(),
        title: exhibit.title.clone(),
        about: exhibit.about.clone(),
        tables: Vec::new(),
        figures: Vec::new(),
        missing: Vec::new(),
    };
    if !exhibit.rows.is_empty() {
        section.tables.push(tables::by_experiment(suite, exhibit, results));
    }
    if let Some(list) = &exhibit.list {
        match results.get(&list.experiment) {
            Some(found) => {
                section.tables.push(tables::by_entry(list, found));
                if results.is_stale(&list.experiment) {
                    section.missing.push("†: made with other settings or by older code".into());
                }
            }
            None => section.missing.push(format!("{}: not run", list.experiment)),
        }
    }
    let mut picture = |name: &str, caption: &str, experiments: &[&str]| {
        let file = format!("{name}.svg");
        let mark = if experiments.iter().any(|name| results.is_stale(name)) { " †" } else { "" };
        match fs::read_to_string(place.figures().join(&file)) {
            Ok(svg) if experiments.iter().any(|name| results.get(name).is_some()) => {
                section.figures.push(Figure { file, svg, caption: format!("{caption}{mark}") });
            }
            _ => section.missing.push(format!("{caption}: not run")),
        }
    };
    for chart in &exhibit.chart {
        charts::draw(suite, chart, place, results)?;
        picture(&chart.name, &chart.title, &chart.experiments());
    }
    for shown in &exhibit.pictures {
        picture(&shown.name, &shown.caption, &[&shown.experiment]);
    }
    Ok(section)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::shell::root;

    /// Every table and figure of the paper, by its label.
    const PAPER: [&str; 12] = [
        "tab:vae-abilities",
        "tab:cvae-abilities",
        "fig:slerp",
        "fig:ast",
        "fig:kernel-class",
        "fig:kpca-variance",
        "fig:kerndistance",
        "tab:vae-abilities-app",
        "tab:cvae-abilities-app",
        "fig:hist-cvae",
        "tab:cvae-abilities-quantiles",
        "tab:ablations",
    ];

    fn place(out: &std::path::Path) -> Place {
        Place::new(Scale::Paper, Some(out), Some(&out.join("runs"))).unwrap()
    }

    #[test]
    fn every_table_and_figure_of_the_paper_is_in_the_report() {
        let suite = Suite::committed().unwrap();
        let ids: BTreeSet<&str> = suite.exhibit.iter().map(|e| e.id.as_str()).collect();
        for label in PAPER {
            assert!(ids.contains(label), "{label} is not in the suite");
        }
        let others: Vec<&&str> =
            ids.iter().filter(|id| !PAPER.contains(id) && !id.starts_with("ours:")).collect();
        assert!(others.is_empty(), "the paper has no {others:?}");
        // Even before anything has run: then it says so.
        let folder = tempfile::tempdir().unwrap();
        let results = Results { found: BTreeMap::new(), stale: Vec::new() };
        let report = compose(&suite, &place(folder.path()), &results).unwrap();
        let (html, markdown) = (html::render(&report), markdown::render(&report));
        for exhibit in &suite.exhibit {
            assert!(html.contains(&format!("id=\"{}\"", exhibit.id)), "{} is not in report.html", exhibit.id);
            assert!(markdown.contains(&exhibit.title), "{} is not in REPORT.md", exhibit.id);
        }
        assert!(html.contains("not run") && markdown.contains("not run"));
    }

    #[test]
    fn what_is_below_the_paper_is_said_with_what_explains_it() {
        let suite = Suite::committed().unwrap();
        let found = |accuracy: f64| serde_json::json!({ "values": { "accuracy": accuracy } });
        let verdict = |names: &[(&str, f64)]| {
            let found = names.iter().map(|(name, accuracy)| ((*name).to_owned(), found(*accuracy))).collect();
            tables::verdict(&suite, &Results { found, stale: Vec::new() }).join(" ")
        };
        let text = verdict(&[("gat-3", 0.95), ("gcn-3", 0.9), ("gcn-5", 0.5)]);
        assert!(text.contains("at or above 1, within 3 points of 1 more, and further below 1;"), "{text}");
        assert!(
            text.contains("no experiment says why: `gcn-5`"),
            "what would explain it was not run: {text}"
        );
        let half = verdict(&[("gcn-5", 0.5), ("gcn-5-written", 0.1)]);
        assert!(half.contains("no experiment says why: `gcn-5`"), "{half}");
        let text = verdict(&[("gcn-5", 0.5), ("gcn-5-written", 0.1), ("gcn-5-written-seen", 0.9)]);
        assert!(text.contains("shown under") && !text.contains("no experiment"), "{text}");
    }

    #[test]
    fn the_readme_says_what_the_results_say() {
        let suite = Suite::committed().unwrap();
        let readme = fs::read_to_string(root().join("README.md")).unwrap();
        let cells = |line: &str| {
            line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<String>>()
        };
        let mut lines = readme.lines().skip_while(|line| !line.starts_with("| | accuracy"));
        let head = cells(lines.next().unwrap());
        let mut rows = 0;
        for row in lines.skip(1).take_while(|line| line.starts_with('|')).map(cells) {
            let name = row[0].split('`').nth(1).unwrap();
            let found = read_json(&root().join(format!("results/{name}.json")))
                .unwrap_or_else(|| panic!("no result of {name}"));
            for (column, cell) in row.iter().enumerate().skip(1) {
                let of_paper = head[column] == "paper";
                let key = match head[if of_paper { column - 1 } else { column }].as_str() {
                    "mode" => "mode_accuracy",
                    "ordered" => "ordered_accuracy",
                    "meaning" => "semantic_accuracy",
                    other => other,
                };
                let measure = &suite.measure[key];
                let value = match of_paper {
                    true => suite.get(name).unwrap().paper.get(key).copied(),
                    false => tables::number(measure, &found),
                };
                let wanted = value.map_or(String::new(), |value| format!("{value:.*}", measure.digits));
                assert_eq!(*cell, wanted, "{name}, {key}");
            }
            rows += 1;
        }
        assert!(rows > 0, "there is no table");
    }

    #[test]
    fn a_result_stands_beside_the_papers() {
        let suite = Suite::committed().unwrap();
        let found = serde_json::json!({ "training": { "epochs": 150 }, "values": { "accuracy": 0.9584, "mode_accuracy": 0.97, "validity": 1.0,
            "protocol": { "prior_samples": 1000 }, "by_formula": { "accuracy": [0.9, 1.0, 1.0, 0.95], "mode_accuracy": [1.0, 1.0, 1.0, 1.0] } } });
        let results = Results { found: [("gat-3".to_owned(), found)].into(), stale: vec!["gat-3".into()] };
        let exhibit = suite.exhibit.iter().find(|e| e.id == "tab:vae-abilities-app").unwrap();
        let table = tables::by_experiment(&suite, exhibit, &results);
        let row = table.rows.iter().find(|row| row[0].main.starts_with("GAT, n = 3")).unwrap();
        assert!(row[0].main.ends_with('†'), "stale results are marked");
        assert!(row[0].main.contains("150 epochs"), "{}", row[0].main);
        assert_eq!(row[1].main, "95.84");
        assert_eq!(row[1].paper.as_deref(), Some("93.45"));
        assert_eq!(row[1].difference.as_deref(), Some("+2.39"));
        let interval = row[1].interval.as_deref().unwrap();
        let (low, high) = interval.split_once('–').unwrap();
        assert!(low.parse::<f64>().unwrap() >= 90.0 && high.parse::<f64>().unwrap() <= 100.0);
        assert_eq!(row[3].interval.as_deref(), Some("99.62–100.00"), "of 1,000 prior samples");
    }
}
