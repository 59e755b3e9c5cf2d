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

/// `count` rows, written by a function of their number and of three random bits.
fn rows(header: &str, count: u64, row: impl Fn(u64, [bool; 3]) -> String) -> String {
    let line = |at: u64| {
        let bits = logicvae_logic::mix64(at);
        row(at, [0, 1, 2].map(|bit| bits >> bit & 1 == 1))
    };
    std::iter::once(header.to_owned()).chain((0..count).map(line)).map(|line| line + "\n").collect()
}

#[test]
fn odd_values_count_as_missing_in_mining_in_predictions_and_in_python() {
    let folder = Folder::new();
    let text = rows("t,a,y", 300, |at, [flag, ..]| {
        let t = (at * 37) % 100;
        let shown = if at % 50 == 3 { "broken".to_owned() } else { t.to_string() };
        let odd = if at == 60 { "oops".to_owned() } else { u8::from(flag).to_string() };
        format!("{shown},{odd},{}", u8::from(at % 50 != 3 && t >= 30 && flag && at != 60))
    });
    let file = folder.write("rows.csv", text);
    let shown = done(&["mine", &file, "--target", "y", "--folds", "0"]).out;
    assert!(
        shown.contains("of which 6 are no numbers") && shown.contains("1 are neither true nor false"),
        "{shown}"
    );
    let found = done(&["mine", &file, "--target", "y", "--folds", "0", "--json"]);
    assert_eq!(found.json()["formulae"][0]["errors"].as_f64().map(|errors| errors > 0.0), Some(true));
    let result = folder.write("result.json", &found.out);
    let predicted = done(&["predict", &result, &file, "--json"]);
    assert_eq!(predicted.json()["accuracy"], 1.0, "{}", predicted.out);
    assert!(predicted.err.contains("`t`: 6 values that the formula cannot read"), "{}", predicted.err);
    let program = done(&["mine", &file, "--target", "y", "--folds", "0", "--python"]).out;
    let check = "\nimport csv\nrows = list(csv.DictReader(open('rows.csv')))\n\
        assert all(predict(row) == (row['y'] == '1') for row in rows)\n";
    folder.write("check.py", program + check);
    let python = std::process::Command::new("python3").arg("check.py").current_dir(folder.path(".")).output();
    if let Ok(output) = python {
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    // A column of text is another one.
    let other = folder.write("other.csv", "t,a,y\nlow,1,1\nhigh,0,1\n");
    refused(&logicvae(&["predict", "t >= 3", &other]), &["column `t`: 2 of 2 values"]);
}

#[test]
fn tables_of_other_programs_are_understood() {
    let folder = Folder::new();
    let base = ["--target", "y", "--folds", "0", "--json"];
    let mined = |name: &str, text: &str| {
        let file = folder.write(name, text);
        chosen(&logicvae(&[&["mine", &file], &base[..]].concat()))
    };
    // Decimal commas.
    let text = rows("t;y", 40, |at, _| format!("{at},5;{}", u8::from(at >= 20)));
    assert_eq!(mined("commas.csv", &text), "t >= 20");
    // The index of pandas has no name.
    let text = rows(",a,y", 40, |at, [a, ..]| format!("{at},{},{}", u8::from(a), u8::from(a)));
    assert_eq!(mined("index.csv", &text), "a");
    // `none` is a value like others.
    let text = rows("alloy,y", 60, |at, _| {
        format!("{},{}", ["none", "iron", "zinc"][at as usize % 3], u8::from(at % 3 == 0))
    });
    assert_eq!(mined("alloy.csv", &text), "alloy = none");
    // Numbers that matter only together have no cut point that gains anything alone.
    let text = rows("t,p,y", 1000, |at, _| {
        let (t, p) = (logicvae_logic::mix64(at) % 100, logicvae_logic::mix64(at + 5000) % 100);
        format!("{t},{p},{}", u8::from((t >= 50) == (p >= 50)))
    });
    let file = folder.write("together.csv", &text);
    let found = done(&[&["mine", &file], &base[..]].concat()).json();
    let best =
        found["formulae"].as_array().unwrap().iter().map(|formula| formula["accuracy"].as_f64().unwrap());
    assert!(best.fold(0.0, f64::max) > 0.85, "{found}");
}

#[test]
fn wrong_labels_are_not_explained_by_columns_that_have_nothing_to_do_with_them() {
    let folder = Folder::new();
    let names: Vec<String> = (1..=20).map(|column| format!("c{column}")).collect();
    let mut chosen_ones = Vec::new();
    for seed in 0..5u64 {
        let text = rows(&format!("{},y", names.join(",")), 100, |at, _| {
            let bits = logicvae_logic::mix64(at + 1000 * seed);
            let bit = |column: u32| bits >> column & 1 == 1;
            let wrong = logicvae_logic::mix64(at + 7777 * (seed + 1)).is_multiple_of(10);
            let label = (bit(2) || (bit(0) && bit(1))) != wrong;
            let values = (0..20).map(|column| u8::from(bit(column)).to_string());
            values.chain([u8::from(label).to_string()]).collect::<Vec<String>>().join(",")
        });
        let file = folder.write("rows.csv", text);
        let found = chosen(&logicvae(&["mine", &file, "--target", "y", "--folds", "0", "--json"]));
        chosen_ones.push(found);
    }
    // Without regard to the number of columns, they have 36 nodes on average, and none is the right one.
    let literals: usize = chosen_ones.iter().map(|found| found.matches('c').count()).sum();
    assert!(chosen_ones.contains(&"c3 | c1 & c2".to_owned()) && literals < 30, "{chosen_ones:?}");
}

#[test]
fn the_formula_to_start_from_is_shown_or_refused() {
    let folder = Folder::new();
    let file = folder.write("rows.csv", TABLE);
    let base = ["mine", &file, "--target", "y", "--ignore", "w", "--folds", "0", "--start"];
    let shown = done(&[&base[..], &["a | b"]].concat()).out;
    assert!(shown.contains("start: 3 nodes, 1 errors: a | b"), "{shown}");
    let found = done(&[&base[..], &["a | b", "--json"]].concat()).json();
    assert_eq!((&found["start"]["size"], &found["start"]["errors"]), (&3.into(), &1.0.into()));
    refused(
        &logicvae(&[&base[..], &["a | b", "--max-size", "2"]].concat()),
        &["has 3 nodes", "--max-size 2"],
    );
}
