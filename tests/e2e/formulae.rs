//! `eval`, `check`, `stats` and `sample` with valid input.

use crate::support::{Folder, done, logicvae, logicvae_with_input};

#[test]
fn simplified_formulae_are_as_small_as_possible() {
    let json = done(&["eval", "x1 & x2 | x1 & !x2", "--simplify", "--json"]).json();
    assert_eq!(json["simplified"], "x1");
    let text = done(&["eval", "a & b & c | a & b & !c | d & !d", "--simplify"]).out;
    assert!(text.contains("simplified  a & b\n"), "{text}");
}

/// A formula of 140,000 characters in a table.
#[test]
fn large_formulae_are_minimised_and_shown() {
    let folder = Folder::new();
    // ((x1 | x1) & x2) | x3 ...
    let last = |i: usize| format!(" {} x{})", if i.is_multiple_of(2) { '|' } else { '&' }, i % 40 + 1);
    let formula = "(".repeat(20_000) + "x1" + &(0..20_000).map(last).collect::<String>();
    let file = folder.write("large.txt", formula);
    let run = done(&["minimise", &file, "--time-limit", "0"]);
    assert!(run.out.contains("not proven"), "{}", &run.out[..200]);
}

#[test]
fn eval_prints_the_requested_parts() {
    let run = done(&["eval", "x1 & !x2 | 0", "--assign", "10", "--truth-table", "--simplify"]);
    for part in
        ["x1 & !x2 | 0", "value       1 at 10", "satisfying  1 of 4", "simplified  x1 & !x2", "x1 x2  value"]
    {
        assert!(run.out.contains(part), "{part} is missing in\n{}", run.out);
    }
}

#[test]
fn eval_json_has_the_documented_keys() {
    let json =
        done(&["eval", "x1 & !x2", "--vars", "3", "--assign", "011", "--truth-table", "--json"]).json();
    assert_eq!(json["value"], -1);
    assert_eq!(json["truth_table"], "01000100");
    assert_eq!(json["satisfying"], 2);
    let json = done(&["eval", "x1 | !x1", "--json"]).json();
    assert!(json["value"].is_null() && json["truth_table"].is_null());
    assert_eq!(json["satisfying"], 2);
}

#[test]
fn eval_counts_satisfying_assignments_beyond_truth_tables() {
    let chain: Vec<String> = (1..=60).map(|i| format!("x{i}")).collect();
    let json = done(&["eval", &chain.join(" | "), "--json"]).json();
    assert_eq!(json["satisfying"].as_u64(), Some((1 << 60) - 1));
}

#[test]
fn check_answers_with_its_exit_code() {
    let same = logicvae(&["check", "!(x1 & x2)", "!x1 | !x2", "--json"]);
    assert_eq!(same.code, 0);
    assert_eq!(same.json()["equivalent"], true);
    assert!(same.json()["counterexample"].is_null());

    let differ = logicvae(&["check", "x1 & x3", "x1", "--json"]);
    assert_eq!(differ.code, 1);
    assert_eq!(differ.json()["equivalent"], false);
    let at = differ.json()["counterexample"].as_str().expect("bits").to_owned();
    let value = |f| done(&["eval", f, "--assign", &at, "--json"]).json()["value"].clone();
    assert_ne!(value("x1 & x3"), value("x1"));
    assert!(logicvae(&["check", "x1", "x2"]).out.contains("different at"));
}

#[test]
fn check_uses_the_solver_above_twenty_variables() {
    let names: Vec<String> = (1..=50).map(|i| format!("x{i}")).collect();
    let negated: Vec<String> = names.iter().map(|n| format!("!{n}")).collect();
    let (all, none) = (format!("!({})", names.join(" & ")), negated.join(" | "));
    assert_eq!(logicvae(&["check", &all, &none]).code, 0);
    assert_eq!(logicvae(&["check", &all, &format!("{none} | x7")]).code, 1);
}

#[test]
fn a_dash_reads_standard_input() {
    assert_eq!(logicvae_with_input(&["eval", "-", "--json"], "x1 & x2\n").json()["satisfying"], 1);
    assert_eq!(logicvae_with_input(&["check", "-", "-"], "x1 -> x2\n!x1 | x2\n").code, 0);
    assert_eq!(logicvae_with_input(&["stats", "-", "--json"], "x1\n!x2\n").json()["count"], 2);
    let deep = format!("{}x1", "!".repeat(1_000_000));
    assert_eq!(
        logicvae_with_input(&["eval", "-", "--json", "--truth-table"], deep).json()["truth_table"],
        "01"
    );
}

#[test]
fn sample_writes_and_reports() {
    let folder = Folder::new();
    let file = folder.path("f.txt");
    let json =
        done(&["sample", "--vars", "4", "--count", "500", "--seed", "7", "--out", &file, "--json"]).json();
    assert_eq!(json["count"], 500);
    let stats = done(&["stats", &file, "--vars", "4", "--json"]).json();
    assert_eq!(stats["count"], 500);
    assert_eq!(stats["nodes"]["mean"], json["mean_nodes"]);
    assert_eq!(stats["depth"]["mean"], json["mean_depth"]);
    assert_eq!(folder.names(), ["f.txt"], "no temporary file is left");
}

#[test]
fn the_same_seed_gives_the_same_bytes_for_any_number_of_threads() {
    let folder = Folder::new();
    let sample = |name: &str, threads: &str, seed: &str| {
        let file = folder.path(name);
        done(&[
            "sample",
            "--vars",
            "5",
            "--count",
            "20000",
            "--seed",
            seed,
            "--threads",
            threads,
            "--out",
            &file,
        ]);
        folder.read(name)
    };
    let one = sample("one", "1", "3");
    assert_eq!(one, sample("two", "2", "3"));
    assert_eq!(one, sample("five", "5", "3"));
    assert_ne!(one, sample("other", "1", "4"));
}

#[test]
fn binary_files_hold_the_same_formulae() {
    let folder = Folder::new();
    let (text, binary) = (folder.path("f.txt"), folder.path("f.bin"));
    let base = ["sample", "--vars", "300", "--count", "2000", "--out"];
    done(&[&base[..], &[&text]].concat());
    done(&[&base[..], &[&binary, "--format", "binary"]].concat());
    assert_eq!(done(&["stats", &text, "--json"]).out, done(&["stats", &binary, "--json"]).out);
    assert!(folder.read("f.bin").len() < folder.read("f.txt").len() / 2);
}
