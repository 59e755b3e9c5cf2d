//! Files from people who mean no good: what they cost, what they show, and what is left behind.

use std::time::{Duration, Instant};

use crate::support::{Folder, done, logicvae, refused};

/// A PLA file whose rows belong to all outputs.
fn pla(inputs: usize, outputs: usize, rows: usize) -> String {
    let row = format!("{} {}\n", "1".repeat(inputs), "1".repeat(outputs));
    format!(".i {inputs}\n.o {outputs}\n{}.e\n", row.repeat(rows))
}

#[test]
fn rows_that_belong_to_many_outputs_do_not_multiply() {
    let folder = Folder::new();
    // Two megabytes, but 16 GB as formulae.
    let file = folder.write("large.pla", pla(2000, 2000, 500));
    for args in [&["stats", &file][..], &["convert", &file, "--out", &folder.path("o.json")]] {
        refused(&logicvae(args), &["line 5", "more than 16777216 nodes"]);
    }
}

#[test]
fn large_formulae_of_few_variables_have_an_end() {
    let folder = Folder::new();
    let mut text = ".i 20\n.o 1\n".to_owned();
    let mut state = 1u64;
    for _ in 0..10_000 {
        for _ in 0..20 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            text.push(['0', '1', '-'][(state >> 33) as usize % 3]);
        }
        text += " 1\n";
    }
    let file = folder.write("rows.pla", text);
    let start = Instant::now();
    assert_eq!(done(&["stats", &file, "--json"]).json()["count"], 1);
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
}

#[test]
fn long_lines_are_printed_at_once() {
    // The counterexample has 16 million values.
    let run = logicvae(&["check", "x16777216", "x1"]);
    assert_eq!((run.code, run.out.lines().last().map(|line| line.len() > 1 << 24)), (1, Some(true)));
}

#[test]
fn time_limits_hold_for_large_questions() {
    let folder = Folder::new();
    let chain = |operator: &str, count: usize| {
        (1..=count).map(|index| format!("x{index}")).collect::<Vec<String>>().join(operator)
    };
    let parts = (0..60_000).map(|i| format!("(x{0} & x{1} | x{0} & !x{1})", 7 * i + 1, 7 * i + 2));
    let parts = folder.write("parts.txt", parts.collect::<Vec<String>>().join(" & "));
    let long = folder.write("or.txt", chain(" | ", 150_000));
    let variables = folder.write("variables.txt", chain("\n", 300_000));
    let terms = (0..60_000).map(|i| format!("x{} & !x{} & x{}", i % 12 + 1, i % 11 + 2, i % 7 + 3));
    let terms = terms.collect::<Vec<String>>().join(" | ");
    let large = folder.write("large.txt", terms + &"\nx1".repeat(2000));
    let parity = chain(" ^ ", 12);
    for args in [
        vec!["minimise", &parity],
        vec!["eval", &parity, "--simplify"],
        vec!["minimise", &parts],
        vec!["minimise", &long],
        vec!["relate", &variables],
        vec!["relate", &large],
    ] {
        let start = Instant::now();
        let run = logicvae(&[&args[..], &["--time-limit", "0.1"]].concat());
        assert!(matches!(run.code, 0 | 3), "{args:?}: {}", run.err);
        // Reading and printing take some seconds without optimisation.
        assert!(start.elapsed() < Duration::from_secs(20), "{args:?}: {:?}", start.elapsed());
    }
}

#[test]
fn escape_sequences_are_shown_and_not_obeyed() {
    let folder = Folder::new();
    let file = folder.write("labels.txt", "REQ\u{1b}[31m\u{7}: x1 & x2\nREQ2: x2 & x1\n");
    for args in [&["relate", &file][..], &["cluster", &file], &["similar", "x1 & x2", "--in", &file]] {
        let shown = done(args).out;
        assert!(!shown.contains('\u{1b}') && !shown.contains('\u{7}'), "{shown:?}");
        assert!(shown.contains("REQ\\u{1b}[31m\\u{7}"), "{shown}");
    }
    // JSON has its own notation, and files are written as they are.
    assert!(done(&["relate", &file, "--json"]).out.is_ascii());
    let missing = logicvae(&["stats", "no\u{1b}[31mfile.txt"]);
    refused(&missing, &["no\\u{1b}[31mfile.txt"]);
}

#[cfg(unix)]
mod unix {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "another process is observed, through its files only")]
    fn nothing_is_left_of_a_file_that_a_signal_interrupts() {
        let folder = Folder::new();
        let formulae = folder.path("formulae.txt");
        done(&["sample", "--vars", "5", "--max-nodes", "20", "--count", "20000", "--out", &formulae]);
        let matrix = folder.path("matrix.npy");
        for signal in ["-INT", "-TERM", "-HUP"] {
            let program = assert_cmd::cargo::cargo_bin!("logicvae");
            let mut child = Command::new(program)
                .args(["kernel", &formulae, "--out", &matrix])
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            // The temporary file is there; writing three gigabytes takes longer than this.
            while !folder.names().iter().any(|name| name.starts_with(".tmp")) {
                assert!(child.try_wait().unwrap().is_none(), "{signal}: it has ended already");
                std::thread::sleep(Duration::from_millis(5));
            }
            assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
            assert_eq!(child.wait().unwrap().code(), Some(130), "{signal}");
            assert_eq!(folder.names(), ["formulae.txt"], "{signal}");
        }
    }

    #[test]
    fn messages_are_lost_where_standard_error_is_closed() {
        let folder = Folder::new();
        let formulae = folder.write("formulae.txt", "x1\nx2\n");
        let program = assert_cmd::cargo::cargo_bin!("logicvae");
        for (args, code) in
            [(vec!["eval", "x1 &"], 2), (vec!["stats", &formulae], 0), (vec!["relate", &formulae], 0)]
        {
            for redirection in ["2>&-", "2>/dev/full", ">&- 2>&-"] {
                let script = format!("\"$@\" {redirection}");
                let run = Command::new("sh").args(["-c", &script, "sh"]).arg(program).args(&args).output();
                let found = run.unwrap().status.code();
                assert!(found == Some(code) || redirection.starts_with('>') && found == Some(1), "{args:?}");
            }
        }
    }
}
