//! Tests of the report as a whole.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::document::{Cell, Figure, Report, Section, Table};
use super::results::Results;
use super::{charts, compose, html, markdown, tables, verdict};
use crate::layout::{Layout, Scale, root};
use crate::record::{Record, read_result};
use crate::suite::Suite;

/// The labels of all tables and figures of the paper.
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

fn layout(out: &Path) -> Layout {
    Layout::new(Scale::Paper, Some(out), Some(&out.join("runs"))).unwrap()
}

#[test]
fn every_table_and_figure_of_the_paper_is_in_the_report() {
    let suite = Suite::committed().unwrap();
    let ids: BTreeSet<&str> = suite.exhibits.iter().map(|e| e.id.as_str()).collect();
    for label in PAPER {
        assert!(ids.contains(label), "{label} is not in the suite");
    }
    let others: Vec<&&str> =
        ids.iter().filter(|id| !PAPER.contains(id) && !id.starts_with("ours:")).collect();
    assert!(others.is_empty(), "the paper has no {others:?}");
    // Even before anything has run.
    let folder = tempfile::tempdir().unwrap();
    let report = compose(&suite, &layout(folder.path()), &Results::default()).unwrap();
    let (html, markdown) = (html::render(&report), markdown::render(&report));
    for exhibit in &suite.exhibits {
        assert!(html.contains(&format!("id=\"{}\"", exhibit.id)), "{} is not in report.html", exhibit.id);
        assert!(markdown.contains(&exhibit.title), "{} is not in REPORT.md", exhibit.id);
    }
    assert!(html.contains("not run") && markdown.contains("not run"));
}

#[test]
fn accuracies_below_the_paper_are_listed_with_what_explains_them() {
    let suite = Suite::committed().unwrap();
    let verdict = |accuracies: &[(&str, f64)]| {
        let mut records = BTreeMap::new();
        for (name, accuracy) in accuracies {
            let values = json!({ "accuracy": accuracy });
            records.insert((*name).to_owned(), Record { values, ..Record::default() });
        }
        verdict::verdict(&suite, &Results { records, outdated: Vec::new() }).join(" ")
    };
    let unexplained = "No experiment explains why these are below the paper: `published-gcn-5-measures`";
    let (gat, gcn) = ("published-gat-3-measures", "published-gcn-3-measures");
    let missed = ("published-gcn-5-measures", 0.5);
    let text = verdict(&[(gat, 0.95), (gcn, 0.9), missed]);
    let counts =
        "1 reach the paper's, 1 are at most 3 percentage points lower, 1 are further below, and 12 were";
    assert!(text.contains(counts), "{text}");
    assert!(text.contains(unexplained), "what would explain it was not run: {text}");
    let text = verdict(&[missed, ("published-gcn-5-written-measures", 0.1)]);
    assert!(text.contains(unexplained), "half of what explains it was not run: {text}");
    let explaining = [("published-gcn-5-written-measures", 0.1), ("published-gcn-5-no-given", 0.9)];
    let text = verdict(&[missed, explaining[0], explaining[1]]);
    assert!(text.contains("shows why") && !text.contains("No experiment"), "{text}");
}

#[test]
fn the_readme_agrees_with_the_results() {
    let suite = Suite::committed().unwrap();
    let layout = layout(&root().join("results"));
    let values = |name: &str| -> Value {
        read_result(&layout.result(suite.experiment(name).unwrap())).unwrap().values
    };
    let (general, best) = (values("general-5-embedding"), values("best-5-embedding"));
    // What a row of the table may say: number, network alone, refined, best-5.
    let percent = |value: &Value| value.as_f64().map_or("–".to_owned(), |value| format!("{value:.2}"));
    let number = |value: &Value| match value.as_u64().unwrap() {
        large if large >= 1000 => format!("{},{:03}", large / 1000, large % 1000),
        small => small.to_string(),
    };
    let mut allowed: Vec<[String; 4]> = Vec::new();
    for kind in general["results"].as_array().unwrap() {
        let same = best["results"].as_array().unwrap().iter().find(|other| other["kind"] == kind["kind"]);
        let other = percent(&same.map_or(Value::Null, |same| same["exact_percent"].clone()));
        let exact = percent(&kind["exact_percent"]);
        allowed.push([number(&kind["formulae"]), exact, percent(&kind["refined_percent"]), other]);
    }
    let share = |value: &Value| format!("{:.2}", 100.0 * value.as_f64().unwrap());
    let (ours, other) = (&general["paper"], &best["paper"]["accuracy"]);
    let exact = share(&ours["accuracy"]);
    allowed.push([number(&ours["formulae"]), exact, share(&ours["refined"]), share(other)]);

    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let table = readme.lines().skip_while(|line| !line.starts_with("| formulae of five variables"));
    let rows: Vec<&str> = table.skip(2).take_while(|line| line.starts_with('|')).collect();
    assert!(rows.len() > 5, "{rows:?}");
    for row in rows {
        let cells: Vec<String> =
            row.trim_matches('|').split('|').skip(1).map(|c| c.trim().to_owned()).collect();
        assert!(allowed.iter().any(|wanted| wanted[..] == cells[..]), "{row} is not in {allowed:?}");
    }
}

#[test]
fn rows_compare_results_with_the_paper() {
    let suite = Suite::committed().unwrap();
    let record: Record = serde_json::from_value(json!({
        "training": { "epochs": 150 },
        "values": {
            "accuracy": 0.9584,
            "mode_accuracy": 0.97,
            "validity": 1.0,
            "protocol": { "prior_samples": 1000 },
            "by_formula": { "accuracy": [0.9, 1.0, 1.0, 0.95], "mode_accuracy": [1.0, 1.0, 1.0, 1.0] },
        },
    }))
    .unwrap();
    let records = [("gat-3".to_owned(), record)].into();
    let results = Results { records, outdated: vec!["gat-3".into()] };
    let exhibit = suite.exhibits.iter().find(|e| e.id == "ours:paper-vae-all").unwrap();
    let table = tables::experiment_table(&suite, exhibit, &results);
    let row = table.rows.iter().find(|row| row[0].main.starts_with("GAT, n = 3")).unwrap();
    assert!(row[0].main.ends_with('†'), "outdated results are marked");
    assert!(row[0].main.contains("150 epochs"), "{}", row[0].main);
    assert_eq!(row[1].main, "95.84");
    assert_eq!(row[1].paper.as_deref(), Some("93.45"));
    assert_eq!(row[1].difference.as_deref(), Some("+2.39"));
    let interval = row[1].interval.as_deref().unwrap();
    let (low, high) = interval.split_once('–').unwrap();
    assert!(low.parse::<f64>().unwrap() >= 90.0 && high.parse::<f64>().unwrap() <= 100.0);
    assert_eq!(row[3].interval.as_deref(), Some("99.62–100.00"), "of 1,000 prior samples");
}

#[test]
fn a_model_has_one_colour_and_bars_have_the_papers_values() {
    let suite = Suite::committed().unwrap();
    let results = Results::read(&suite, &layout(&root().join("results"))).unwrap();
    let mut colours: BTreeMap<&str, BTreeSet<u64>> = BTreeMap::new();
    let mut compared = 0;
    for chart in suite.exhibits.iter().flat_map(|exhibit| &exhibit.charts) {
        // Charts of experiments that were not run are not drawn.
        let Some(plot) = charts::describe(&suite, chart, &results) else { continue };
        let plot = serde_json::to_value(plot).unwrap();
        for series in plot["series"].as_array().unwrap() {
            let name = series["name"].as_str().unwrap();
            let model = suite.colours.iter().find(|model| name.split([' ', ',']).any(|word| word == **model));
            // A line of the paper's values is drawn like the line before it.
            if let Some(colour) = series["colour"].as_u64() {
                let model = model.unwrap_or_else(|| panic!("{name} has no model in {}", chart.name));
                colours.entry(model).or_default().insert(colour);
            } else {
                // Other series, such as kinds of formulae, have the colours of their order.
                assert!(series["like"].is_u64() || model.is_none(), "{name} has no colour in {}", chart.name);
            }
            compared +=
                series["reference"].as_array().into_iter().flatten().filter(|v| v.is_number()).count();
        }
    }
    assert!(colours.len() > 2 && colours.values().all(|used| used.len() == 1), "{colours:?}");
    let different: BTreeSet<&u64> = colours.values().flatten().collect();
    assert_eq!(different.len(), colours.len(), "{colours:?}");
    // The paper has three encoders and three numbers of variables; other charts add some of these.
    assert!(compared >= 9 && compared % 3 == 0, "{compared}");
}

#[test]
fn cells_name_their_columns_and_wide_things_have_their_own_boxes() {
    let cell = |text: &str| Cell::text(text);
    let head = vec![String::new(), "accuracy".into(), "a \"b\"".into()];
    let rows = vec![vec![cell("GAT"), cell("97.1"), cell(tables::NOT_RUN)]];
    let figure = |name: &str, svg: &str| Figure { file: name.into(), svg: svg.into(), caption: name.into() };
    let section = Section {
        id: "ours:test".into(),
        title: "Test".into(),
        about: Vec::new(),
        tables: vec![Table { head, rows }],
        figures: vec![figure("walk", "<svg><g class=\"panel\"></g></svg>"), figure("chart", "<svg></svg>")],
        notes: Vec::new(),
    };
    let (sections, facts) = (vec![section], vec![("machine".into(), "this one".into())]);
    let html = html::render(&Report { title: "T".into(), summary: Vec::new(), sections, facts });
    for part in [
        // Small screens show the cells below each other, each with the name of its column.
        "<td data-label=\"accuracy\"><span class=\"main\">97.1</span></td>",
        "<td class=\"quiet\" data-label=\"a &quot;b&quot;\">",
        "<div class=\"picture walk\"><svg>",
        "<div class=\"picture\"><svg>",
    ] {
        assert!(html.contains(part), "{part} is missing in {html}");
    }
    assert_eq!(html.matches("<table").count(), html.matches("<div class=\"wide\"><table").count());
}

#[test]
fn sections_refer_to_sections_that_exist() {
    let suite = Suite::committed().unwrap();
    let titles: BTreeSet<&str> = suite.exhibits.iter().map(|e| e.title.as_str()).collect();
    for exhibit in &suite.exhibits {
        for title in exhibit.about.split("**").skip(1).step_by(2) {
            assert!(titles.contains(title), "{} refers to `{title}`", exhibit.id);
        }
    }
}
