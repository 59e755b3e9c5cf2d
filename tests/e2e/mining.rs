//! `mine` and `predict`.

use crate::support::{Folder, done, logicvae, refused};

/// A table of an alarm: hot and fast, or the door is open. Speeds go from 0 to 98.
fn alarm(folder: &Folder, wrong: &[usize]) -> String {
    let mut text = String::from("hot,speed,door,colour,alarm\n");
    for row in 0..200usize {
        let (hot, speed) = (row % 2 == 1, row * 37 % 100);
        let door = if row * 13 % 7 == 0 { "open" } else { "shut" };
        let colour = ["red", "green", "blue"][row % 3];
        let alarm = ((hot && speed >= 60) || door == "open") != wrong.contains(&row);
        text += &format!("{},{speed},{door},{colour},{}\n", u8::from(hot), if alarm { "yes" } else { "no" });
    }
    folder.write("rows.csv", text)
}

#[test]
fn a_formula_over_columns_is_found_and_applied() {
    let folder = Folder::new();
    let rows = alarm(&folder, &[]);
    let found = logicvae(&["mine", &rows, "--target", "alarm", "--json"]).json();
    let chosen = found["formulae"].as_array().unwrap().iter().find(|f| f["chosen"] == true).unwrap().clone();
    assert_eq!(chosen["errors"], 0.0, "{found}");
    assert_eq!((chosen["f1"].as_f64(), chosen["accuracy"].as_f64()), (Some(1.0), Some(1.0)));
    let text = chosen["formula"].as_str().unwrap();
    assert!(text.contains("hot") && text.contains("speed >=") && text.contains("door"), "{text}");
    assert!(chosen["size"].as_u64().unwrap() <= 5, "{text}");
    assert!(chosen["cv_accuracy"].as_f64().unwrap() > 0.95, "{chosen}");
    assert_eq!(
        (&found["rows"], &found["columns"], &found["converged"]),
        (&200.into(), &5.into(), &true.into())
    );
    // The result and the text of the formula can be applied.
    let result = folder.write("result.json", found.to_string());
    let by_result = logicvae(&["predict", &result, &rows, "--json"]).json();
    assert_eq!((&by_result["accuracy"], &by_result["compared"]), (&1.0.into(), &200.into()));
    let by_text = logicvae(&["predict", text, &rows, "--json"]).json();
    assert_eq!(by_text["predictions"], by_result["predictions"]);
}

#[test]
fn the_answer_does_not_depend_on_the_number_of_threads() {
    let folder = Folder::new();
    let rows = alarm(&folder, &[3, 50, 77, 120, 121]);
    let run = |threads: &str| {
        done(&[
            "mine",
            &rows,
            "--target",
            "alarm",
            "--threads",
            threads,
            "--time-limit",
            "300",
            "--seed",
            "5",
        ])
        .out
    };
    assert_eq!(run("1"), run("2"));
}

#[test]
fn wrong_rows_are_listed_by_line() {
    let folder = Folder::new();
    let rows = alarm(&folder, &[10, 150]);
    let found = logicvae(&["mine", &rows, "--target", "alarm", "--wrong", "--folds", "0", "--json"]).json();
    let lines: Vec<u64> =
        found["wrong"].as_array().unwrap().iter().map(|w| w["line"].as_u64().unwrap()).collect();
    assert_eq!(lines, [12, 152]);
}

#[test]
fn other_forms_of_the_result() {
    let folder = Folder::new();
    let rows = alarm(&folder, &[]);
    let base = ["mine", &rows, "--target", "alarm", "--folds", "0"];
    let latex = done(&[&base[..], &["--latex"]].concat()).out;
    assert!(latex.contains("\\lor") && latex.contains("\\text{"), "{latex}");
    let program = done(&[&base[..], &["--python"]].concat()).out;
    let check = "import csv\nfor row in csv.DictReader(open('rows.csv')):\n    \
                 assert predict(row) == (row['alarm'] == 'yes'), row\nprint('same')\n";
    folder.write("check.py", format!("{program}\n{check}"));
    let python = std::process::Command::new("python3").arg("check.py").current_dir(folder.path(".")).output();
    if let Ok(output) = python {
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "same", "{output:?}");
    }
    let picture = folder.path("front.svg");
    done(&[&base[..], &["--svg", &picture]].concat());
    let svg = String::from_utf8(folder.read("front.svg")).unwrap();
    assert!(svg.contains("wrong rows") && svg.contains("any of"), "{svg}");
}

#[test]
fn constraints_hold() {
    let folder = Folder::new();
    let rows = alarm(&folder, &[]);
    let chosen = |more: &[&str]| {
        let base = ["mine", &rows, "--target", "alarm", "--folds", "0", "--json"];
        let found = logicvae(&[&base[..], more].concat()).json();
        let list = found["formulae"].as_array().unwrap().clone();
        list.iter().find(|f| f["chosen"] == true).unwrap()["formula"].as_str().unwrap().to_owned()
    };
    assert!(chosen(&["--must", "colour"]).contains("colour"));
    let conjunction = chosen(&["--shape", "and"]);
    assert!(!conjunction.contains('|') && !conjunction.contains('^'), "{conjunction}");
    let filled = chosen(&["--shape", "_ | _ & _"]);
    assert!(filled.contains('|') && filled.contains('&'), "{filled}");
    let filled = chosen(&["--shape", "_ | _ & _", "--must", "colour"]);
    assert!(filled.contains('|') && filled.contains("colour"), "{filled}");
    assert!(!chosen(&["--operators", "and,or"]).contains(['!', '<', '^']));
    for engines in ["exact", "two-level", "decompose", "local", "-learned", "learned,local"] {
        assert!(!chosen(&["--engines", engines]).is_empty());
    }
    chosen(&["--start", "hot & door = shut"]);
}

#[test]
fn nothing_beats_guessing_where_there_is_nothing() {
    let folder = Folder::new();
    let mut text = String::from("a,b,c,y\n");
    // Labels from a generator that knows nothing of the columns.
    let mut state = 9u64;
    for row in 0..120u64 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        text += &format!("{},{},{},{}\n", row & 1, row >> 1 & 1, row >> 2 & 1, state >> 40 & 1);
    }
    let rows = folder.write("r.csv", text);
    let found =
        logicvae(&["mine", &rows, "--target", "y", "--significance=19", "--bootstrap=3", "--json"]).json();
    assert_eq!(found["beats_guessing"], false, "{found}");
    assert!(found["reason"].as_str().unwrap().contains("nothing beats guessing"));
    assert!(found["significance"]["p_value"].as_f64().unwrap() > 0.05, "{found}");
    assert_eq!(found["stability"]["resamples"], 3);
}

#[test]
fn difficult_tables_are_read_or_refused() {
    let folder = Folder::new();
    let mine = |name: &str, text: &[u8], more: &[&str]| {
        let file = folder.write(name, text);
        logicvae(
            &[&["mine", &file, "--target", "y", "--folds", "0", "--time-limit", "5", "--json"][..], more]
                .concat(),
        )
    };
    let good = "a,b,y\n1,0,1\n0,1,0\n1,1,1\n0,0,0\n";
    for (name, text, message) in [
        ("missing-target.csv", "a,b\n1,0\n", "there is no column `y`"),
        ("constant.csv", "a,y\n1,1\n0,1\n", "true in every row"),
        ("one-row.csv", "a,y\n1,1\n", "true in every row"),
        ("no-rows.csv", "a,y\n", "no rows"),
        ("empty.csv", "", "empty"),
        ("twice.csv", "a,a,y\n1,0,1\n", "both called `a`"),
        ("ragged.csv", "a,y\n1,1\n1,0,1\n", "line 3: there are 3 values"),
        ("three.csv", "a,y\n1,red\n0,green\n1,blue\n", "say which one counts as true"),
        ("text-in-target.csv", "a,y\n1,1\n0,0\n1,maybe\n", "3 different values"),
        ("alone.csv", "y\n1\n0\n", "no column can be used"),
        ("binary.csv", "\u{0}\u{1}\n", "there is no column `y`"),
    ] {
        let failed = mine(name, text.as_bytes(), &[]);
        refused(&failed, &[name, message]);
    }
    let formula = |found: crate::support::Run| {
        let json = found.json();
        let list = json["formulae"].as_array().unwrap().clone();
        list.iter().find(|f| f["chosen"] == true).unwrap()["formula"].as_str().unwrap().to_owned()
    };
    for (name, text) in [
        ("plain.csv", good.to_owned()),
        ("mark.csv", format!("\u{feff}{good}")),
        ("semicolons.csv", good.replace(',', ";")),
        ("tabs.tsv", good.replace(',', "\t")),
        ("crlf.csv", good.replace('\n', "\r\n")),
        ("quotes.csv", good.replace("a,b,y", "\"a\",\"b\",\"y\"").replace("1,0,1", "\"1\",\"0\",\"1\"")),
        ("spaces.csv", good.replace(',', " , ")),
        ("no-target.csv", good.to_owned() + "1,0,\n"),
    ] {
        assert_eq!(formula(mine(name, text.as_bytes(), &[])), "a", "{name}");
    }
    // Text in a column of 0/1 makes it a category.
    let text = format!("a,y\n{}", "1,1\n0,0\noops,0\n1,1\n".repeat(10));
    assert_eq!(formula(mine("text.csv", text.as_bytes(), &[])), "a = 1");
    refused(&mine("weights.csv", b"a,w,y\n1,-2,1\n0,1,0\n", &["--weights", "w"]), &["line 2", "-2"]);
    refused(&mine("p.csv", good.as_bytes(), &["--engines", "magic"]), &["`magic` is not an engine"]);
    refused(&mine("p2.csv", good.as_bytes(), &["--operators", "nand"]), &["`nand` is not an operator"]);
    refused(&mine("p3.csv", good.as_bytes(), &["--start", "a &"]), &["a column is missing at the end"]);
    refused(&mine("p4.csv", good.as_bytes(), &["--must", "zebra"]), &["zebra"]);
    let file = folder.write("again.csv", good);
    refused(&logicvae(&["predict", "a & zebra", &file]), &["there is no column `zebra`"]);
    refused(&logicvae(&["predict", "missing.json", &file]), &["does not exist"]);
}
