//! Help, completions, manual pages and pipes.

use std::process::{Command, Stdio};

use crate::support::{Folder, done, logicvae};

#[test]
fn every_command_has_help_with_examples() {
    let overview = done(&["--help"]).out;
    for command in [
        "sample",
        "eval",
        "check",
        "stats",
        "kernel",
        "embed",
        "similar",
        "draw",
        "train",
        "evaluate",
        "encode",
        "decode",
        "interpolate",
        "neighbours",
        "map",
        "export",
        "experiment",
        "plot",
        "completions",
        "man",
    ] {
        assert!(overview.contains(command));
        let help = done(&[command, "--help"]).out;
        assert!(help.contains("Examples:") && help.contains(&format!("logicvae {command}")), "{help}");
    }
    assert!(overview.contains("Exit codes:"));
    assert_eq!(logicvae(&["unknown"]).code, 2);
}

#[test]
fn completions_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(done(&["completions", shell]).out.contains("truth-table"), "{shell}");
    }
}

#[test]
fn a_manual_page_for_every_command() {
    let folder = Folder::new();
    let out = folder.path("man1");
    done(&["man", "--out", &out]);
    let page = std::fs::read_to_string(folder.path("man1/logicvae-eval.1")).expect("a page");
    assert!(page.contains(".TH logicvae-eval 1"), "{page}");
    assert!(std::fs::read_to_string(folder.path("man1/logicvae.1")).expect("a page").contains("logicvae"));
    assert_eq!(logicvae(&["man", "--out", &out]).code, 2, "pages are not overwritten");
    let json = done(&["man", "--out", &out, "--force", "--json"]).json();
    assert!(json["pages"].as_array().is_some_and(|pages| pages.len() > 10));
    assert_eq!(logicvae(&["completions", "bash", "--json"]).code, 2);
}

#[test]
fn a_reader_that_closes_the_pipe_early_is_not_an_error() {
    let mut child = Command::new(assert_cmd::cargo::cargo_bin!("logicvae"))
        .args(["sample", "--vars", "5", "--count", "50000"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("starts");
    drop(child.stdout.take());
    let end = child.wait_with_output().expect("ends");
    assert_eq!(end.status.code(), Some(0));
    assert!(end.stderr.is_empty(), "{}", String::from_utf8_lossy(&end.stderr));
}
