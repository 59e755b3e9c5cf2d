//! Ways to give `mine` a table, and what it costs.

use std::io::Write;

use crate::support::{Folder, Run, done, logicvae, logicvae_with_input, refused};

const TABLE: &str = "a,b,w,y\n1,0,1,1\n0,1,1,0\n1,1,1,1\n0,0,1,0\n";

fn chosen(run: &Run) -> String {
    let list = run.json()["formulae"].as_array().expect("formulae").clone();
    let chosen = list.iter().find(|formula| formula["chosen"] == true).expect("a chosen formula");
    chosen["formula"].as_str().expect("text").to_owned()
}

#[test]
fn compressed_tables_and_standard_input_are_read() {
    let folder = Folder::new();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(TABLE.as_bytes()).unwrap();
    let packed = packed.finish().unwrap();
    let base = ["--target", "y", "--ignore", "w", "--folds", "0", "--json"];
    let file = folder.write("rows.csv.gz", &packed);
    assert_eq!(chosen(&logicvae(&[&["mine", &file], &base[..]].concat())), "a");
    for input in [TABLE.as_bytes(), &packed] {
        assert_eq!(chosen(&logicvae_with_input(&[&["mine", "-"], &base[..]].concat(), input)), "a");
    }
    let cut = folder.write("cut.csv.gz", &packed[..packed.len() / 2]);
    refused(&logicvae(&[&["mine", &cut], &base[..]].concat()), &["cut.csv.gz"]);
}

#[test]
fn weights_are_numbers_of_rows_however_large() {
    let folder = Folder::new();
    // Where a and b disagree, the weights decide.
    let text = "a,b,w,y\n1,0,900000000,1\n1,0,3,0\n0,1,900000000,0\n1,1,5,1\n0,0,5,0\n";
    let file = folder.write("rows.csv", text);
    let more = ["--weights", "w", "--folds", "3", "--significance=5", "--bootstrap=5", "--json"];
    let run = logicvae(&[&["mine", &file, "--target", "y"], &more[..]].concat());
    assert_eq!(chosen(&run), "a");
    let found = run.json();
    assert_eq!(
        (&found["stability"]["resamples"], &found["significance"]["shuffles"]),
        (&5.into(), &5.into())
    );
}

#[test]
fn a_copy_of_the_target_is_an_answer_and_the_target_is_not() {
    let folder = Folder::new();
    let file = folder.write("rows.csv", "a,copy,y\n1,yes,1\n1,no,0\n0,yes,1\n0,no,0\n");
    let run = |more: &[&str]| {
        logicvae(&[&["mine", &file, "--target", "y", "--folds", "0", "--json"], more].concat())
    };
    assert_eq!(chosen(&run(&[])), "copy");
    refused(&run(&["--must", "y"]), &["`y`"]);
    refused(&run(&["--start", "a & y"]), &["y"]);
}

#[test]
fn implications_are_written_where_they_are_allowed() {
    let folder = Folder::new();
    let file = folder.write("rows.csv", "a,b,y\n0,0,1\n0,1,1\n1,0,0\n1,1,1\n");
    let run = |operators| {
        logicvae(&["mine", &file, "--target", "y", "--folds", "0", "--json", "--operators", operators])
    };
    assert_eq!(chosen(&run("and,or,not,implies")), "a -> b");
    assert!(!chosen(&run("and,or,not")).contains("->"));
}

#[test]
fn cut_points_are_stated() {
    let folder = Folder::new();
    let rows: String = (0..50).map(|row| format!("{row},{}\n", u8::from(row >= 20))).collect();
    let file = folder.write("rows.csv", format!("speed,y\n{rows}"));
    let shown = done(&["mine", &file, "--target", "y", "--folds", "0"]).out;
    assert!(shown.contains("column speed: a number, cut at ") && shown.contains("speed >= 20"), "{shown}");
}

/// A table of noise with many columns.
fn noise(folder: &Folder, rows: u64) -> String {
    let names: Vec<String> = (0..60).map(|column| format!("c{column}")).collect();
    let mut text = names.join(",") + ",y\n";
    let mut state = 3u64;
    for _ in 0..rows {
        for column in 0..=60 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            text += if column == 0 { "" } else { "," };
            text += if state >> 40 & 1 == 1 { "1" } else { "0" };
        }
        text.push('\n');
    }
    folder.write("noise.csv", text)
}

#[test]
fn the_time_limit_ends_a_search() {
    let folder = Folder::new();
    let file = noise(&folder, 20_000);
    let start = std::time::Instant::now();
    let run =
        logicvae(&["mine", &file, "--target", "y", "--significance=1000", "--time-limit", "2", "--json"]);
    let took = start.elapsed().as_secs_f64();
    assert_eq!((run.code, run.json()["converged"].clone()), (0, false.into()), "{}", run.err);
    assert!(run.err.contains("the time limit ended the search"), "{}", run.err);
    // Reading the table and loading the model are not part of the limit.
    assert!(took < 60.0, "{took}");
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupt_prints_what_was_found() {
    use std::process::{Command, Stdio};

    let folder = Folder::new();
    let file = noise(&folder, 2000);
    let child = Command::new(assert_cmd::cargo::cargo_bin!("logicvae"))
        .args(["mine", &file, "--target", "y", "--significance=1000", "--time-limit", "600", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    crate::support::wait_until_busy(child.id());
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let messages = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{messages}");
    assert!(messages.contains("Ctrl-C ended the search"), "{messages}");
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(!found["formulae"].as_array().unwrap().is_empty());
}
