//! Hard questions end, large sets are quick, and mistakes in arguments are noticed.

use std::process::{Command, Stdio};

use crate::support::{Folder, done, logicvae, logicvae_with_input, refused};

/// `x1 ^ x2 ^ …` over these variables.
fn parity(variables: impl Iterator<Item = usize>) -> String {
    variables.map(|index| format!("x{index}")).collect::<Vec<String>>().join(" ^ ")
}

/// The same parity of 60 variables twice, in different orders: hard for a SAT solver.
fn hard() -> (String, String) {
    (parity(1..=60), parity((1..=30).flat_map(|index| [index, 61 - index])))
}

#[test]
fn a_time_limit_answers_unknown() {
    let (one, two) = hard();
    let run = logicvae(&["check", &one, &two, "--time-limit", "1"]);
    assert_eq!((run.code, run.out.contains("unknown")), (3, true), "{}{}", run.out, run.err);
    let folder = Folder::new();
    let file = folder.write("f.txt", format!("{one}\n{two}\n"));
    let run = logicvae(&["relate", &file, "--time-limit", "1", "--json"]);
    assert_eq!((run.code, run.json()["undecided"].as_u64()), (3, Some(1)), "{}", run.out);
    let run = logicvae(&["eval", &format!("({one}) ^ ({two})"), "--time-limit", "1"]);
    assert_eq!((run.code, run.out.contains("satisfying  unknown")), (3, true), "{}{}", run.out, run.err);
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupt_answers_unknown() {
    let (one, two) = hard();
    let mut child = Command::new(assert_cmd::cargo::cargo_bin!("logicvae"))
        .args(["check", &one, &two, "--time-limit", "300"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // A signal before there is a question would end the program.
    crate::support::wait_until_busy(child.id());
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(3));
}

#[test]
fn a_thousand_requirements_over_sixty_variables_are_related_in_ten_seconds() {
    let folder = Folder::new();
    let mut state = 1u64;
    let mut below = |count: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % count
    };
    let mut text = String::new();
    for _ in 0..1000 {
        let clause: Vec<String> = (0..3 + below(3))
            .map(|_| format!("{}x{}", if below(2) == 0 { "!" } else { "" }, 1 + below(60)))
            .collect();
        text += &format!("{} -> {}\n", clause[1..].join(" & "), clause[0]);
    }
    let file = folder.write("r.txt", text);
    // The limit is the test: with more time, the answer would be the same.
    let run = logicvae(&["relate", &file, "--time-limit", "10", "--json"]);
    assert_ne!(run.code, 3, "{}", run.err);
    assert_eq!(run.json()["undecided"], 0);
}

#[test]
fn a_file_that_does_not_exist_is_no_formula() {
    for args in [
        &["minimise", "nosuch.csv"][..],
        &["encode", "nosuch.txt"],
        &["convert", "nosuch.cnf", "--to", "latex"],
        &["decode", "--context", "nosuch.npy"],
        &["decode", "--context", "x1 & x2", "--names", "nosuch.txt"],
    ] {
        refused(&logicvae(args), &["there is no file nosuch"]);
    }
    done(&["minimise", "\"nosuch.csv\" & x2"]);
    done(&["minimise", "motor.on"]);
}

#[test]
fn matrices_have_one_format() {
    let folder = Folder::new();
    let file = folder.write("f.txt", "x1\nx2\n");
    refused(&logicvae(&["kernel", &file, "--out", &folder.path("k.csv")]), &["k.csv", ".npy"]);
    let embed = ["embed", &file, "--pool", &file, "--components", "1", "--out", &folder.path("y.png")];
    refused(&logicvae(&embed), &["y.png", ".npy"]);
}

#[test]
fn vectors_come_from_standard_input_and_one_by_one() {
    let folder = Folder::new();
    let out = folder.path("e.npy");
    done(&["encode", "x1 & !x2", "--out", &out]);
    let bytes = folder.read("e.npy");
    let decoded = logicvae_with_input(&["decode", "--z", "-", "--json"], bytes.clone()).json();
    assert_eq!(decoded["formulae"][0]["formula"], "x1 & !x2");
    // The same numbers as a vector instead of a matrix with one row.
    let width = done(&["encode", "x1 & !x2", "--json"]).json()["width"].as_u64().expect("a width") as usize;
    let header = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({width},), }}");
    let mut single = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    single.extend(format!("{header:<117}\n").into_bytes());
    single.extend(&bytes[bytes.len() - 4 * width..]);
    let file = folder.write("one.npy", single);
    let run = logicvae(&["decode", "--z", &file, "--json"]);
    assert_eq!(run.json()["formulae"][0]["formula"], "x1 & !x2", "{}", run.err);
}

#[test]
fn maps_are_drawn_as_png() {
    let folder = Folder::new();
    let file = folder.write("f.txt", "x1\nx2\nx1 & x2\nx1 | x2\n!x1\n");
    done(&["map", "--in", &file, "--out", &folder.path("m.png")]);
    assert!(folder.read("m.png").starts_with(b"\x89PNG"));
}

#[test]
fn every_epoch_has_a_line_without_a_terminal() {
    let folder = Folder::new();
    let trained = done(&["train", "--preset", "tiny", "--epochs", "3", "--out", &folder.path("run")]);
    for epoch in 1..=3 {
        assert!(trained.err.contains(&format!("epoch {epoch} of 3:")), "{}", trained.err);
    }
}

#[test]
fn very_many_equal_formulae_have_an_end() {
    let folder = Folder::new();
    let file = folder.write("f.txt", "x1\n".repeat(20_000));
    let run = logicvae(&["relate", &file, "--time-limit", "1", "--json"]);
    assert_eq!(run.code, 3, "{}", run.err);
    assert!(run.json()["undecided"].as_u64() > Some(0), "{}", run.err);
    refused(&logicvae(&["cluster", &file]), &["20000 formulae", "at most 10000"]);
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_does_not_change_the_answer() {
    use std::os::unix::process::ExitStatusExt;

    let mut child = Command::new(assert_cmd::cargo::cargo_bin!("logicvae"))
        .args(["check", "x1", "x2"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let status = child.wait().unwrap();
    assert_eq!((status.code(), status.signal()), (Some(1), None));
}
