//! Names, labels, relations, clusters, minimisation and conversions.

use crate::support::{Folder, done, logicvae, logicvae_with_input, refused};

const REQUIREMENTS: &str = "\
# Doors
REQ-1: door_open -> alarm
REQ-2: !alarm -> !door_open  # the same
locked | door_open  # REQ-3 one of both

REQ-4: locked & night -> !door_open
REQ-5: alarm | !alarm
";

#[test]
fn names_work_in_every_command() {
    let folder = Folder::new();
    let file = folder.write("r.txt", REQUIREMENTS);
    let json = done(&["eval", "door_open & !alarm -> locked", "--truth-table", "--json"]).json();
    assert_eq!(json["formula"], "!(door_open & !alarm) | locked");
    let text = done(&["eval", "door_open & x3", "--truth-table"]).out;
    assert!(text.contains("door_open x2 x3  value"), "{text}");
    let run = logicvae(&["check", "door_open & alarm", "alarm"]);
    assert_eq!((run.code, run.out.as_str()), (1, "different at door_open = 0, alarm = 1: 0 and 1\n"));
    done(&["stats", &file]);
    done(&["kernel", &file, "--out", &folder.path("gram.npy")]);
    done(&["encode", &file, "--out", &folder.path("e.npy")]);
    let vector = done(&["encode", "door_open & !alarm"]).out;
    assert!(vector.starts_with("door_open & !alarm\t"), "{vector}");
    let named = done(&["decode", "--z", &folder.path("e.npy"), "--names", &file]).out;
    assert!(named.contains("!door_open | alarm"), "{named}");
    let decoded = done(&["decode", "--context", "door_open & alarm | door_open & !alarm"]).out;
    assert!(decoded.lines().nth(1).is_some_and(|line| line.ends_with("  door_open")), "{decoded}");
    let walk = done(&["interpolate", "door_open & alarm", "locked", "--steps", "3"]).out;
    assert!(walk.contains("door_open & alarm") && walk.contains("locked"), "{walk}");
    done(&["map", "--in", &file, "--out", &folder.path("map.svg")]);
    assert!(String::from_utf8_lossy(&folder.read("map.svg")).contains("door_open"));
    done(&["draw", "\"a < b\" & door_open", "--out", &folder.path("tree.svg")]);
    let tree = String::from_utf8_lossy(&folder.read("tree.svg")).into_owned();
    assert!(tree.contains("a &lt; b") && tree.contains("door_open"), "{tree}");
}

#[test]
fn a_variable_beyond_the_model_is_named() {
    let run = logicvae(&["encode", "a & b & c & d & e & f"]);
    refused(&run, &["`f` is variable 6 of the input, but only 5 variables are supported"]);
    let run = logicvae_with_input(&["stats", "-"], "door_open & x1\n2door\n");
    refused(&run, &["line 2, column 1", "begin names with a letter"]);
}

#[test]
fn labels_are_reported_with_file_and_line() {
    let folder = Folder::new();
    let file = folder.write("r.txt", REQUIREMENTS);
    let json = done(&["similar", "door_open & !alarm", "--in", &file, "-k", "5", "--json"]).json();
    let flagged: Vec<_> = json["neighbours"].as_array().expect("a list").iter().collect();
    let first = flagged.iter().find(|n| n["line"] == 2).expect("line 2");
    assert_eq!((first["label"].as_str(), first["contradicts"].as_bool()), (Some("REQ-1"), Some(true)));
    assert_eq!((json["measure"].as_str(), json["exact"].as_bool()), (Some("agreement"), Some(true)));
    assert!(first["file"].as_str().is_some_and(|name| name.ends_with("r.txt")));
    let text = done(&["similar", "door_open & !alarm", "--in", &file]).out;
    assert!(text.contains("contradicts it") && text.contains("REQ-3 one of both"), "{text}");
    let json = done(&["neighbours", "door_open", "--in", &file, "-k", "2", "--json"]).json();
    let nearest = &json["neighbours"][0];
    assert!(nearest["line"].is_u64() && nearest["label"].is_string() && nearest["file"].is_string());
}

#[test]
fn a_contradiction_no_longer_looks_like_a_near_equivalent() {
    let file = Folder::new();
    let list = file.write("f.txt", "x1 & !x1\nx1 & x2 & x3 & x4\n!(x1 & x2 & x3)\n");
    let similar = |measure: &str| {
        let args = ["similar", "x1 & x2 & x3", "--in", &list, "--measure", measure, "--json"];
        done(&args).json()["neighbours"].as_array().expect("a list").clone()
    };
    for measure in ["centred", "jaccard"] {
        assert_eq!(similar(measure)[0]["line"], 2, "{measure}");
    }
    let by_agreement = similar("agreement");
    let flags: Vec<_> =
        by_agreement.iter().map(|n| (n["line"].as_u64(), n["contradicts"].as_bool())).collect();
    assert_eq!(flags.iter().filter(|(_, flag)| *flag == Some(true)).count(), 2, "{flags:?}");
    // Of formulae with the same value, contradictions come last.
    let tied = file.write("tied.txt", "x1 & !x1\nx1 & x2 & x3 & x4\n");
    let found = done(&["similar", "x1 & x2 & x3 & x4 & x5", "--in", &tied, "--json"]).json();
    let lines: Vec<_> =
        found["neighbours"].as_array().expect("a list").iter().map(|n| n["line"].as_u64()).collect();
    let values: Vec<_> =
        found["neighbours"].as_array().expect("a list").iter().map(|n| n["value"].as_f64()).collect();
    assert_eq!((lines, values[0]), (vec![Some(2), Some(1)], values[1]));
    let followed = similar("entailment");
    assert_eq!((followed[0]["line"].as_u64(), followed[0]["value"].as_f64()), (Some(2), Some(0.5)));
}

#[test]
fn relate_finds_pairs_and_conflicts() {
    let folder = Folder::new();
    let file = folder.write("r.txt", REQUIREMENTS);
    let json = done(&["relate", &file, "--json"]).json();
    assert_eq!(json["tautologies"], serde_json::json!([7]));
    assert_eq!(json["equivalent"], serde_json::json!([[2, 3]]));
    assert_eq!((json["consistent"].as_bool(), json["undecided"].as_u64()), (Some(true), Some(0)));
    assert_eq!(json["formulae"][2]["label"], "REQ-3 one of both");
    let conflict =
        format!("{REQUIREMENTS}REQ-6: night\nREQ-7: door_open | night -> !alarm & locked & door_open\n");
    let run = logicvae(&["relate", &folder.write("c.txt", conflict)]);
    assert_eq!(run.code, 1, "{}", run.err);
    assert!(run.out.contains("cannot be true together; no smaller conflict exists"), "{}", run.out);
    assert!(run.out.contains("   8  REQ-6: night"), "{}", run.out);
    let run = logicvae(&["relate", &file, "--time-limit", "0"]);
    assert_eq!(run.code, 3, "{}", run.out);
    assert!(run.out.contains("consistent: unknown"), "{}", run.out);
    refused(&logicvae(&["relate", &file, "--time-limit", "-1"]), &["--time-limit"]);
}

#[test]
fn clusters_have_representatives_and_a_picture() {
    let folder = Folder::new();
    let text = "A1: a & b\nA2: b & a & b\nA3: a & b & (a | c)\nB1: c | d\nB2: d | c | d\nC1: e & f\n";
    let file = folder.write("r.txt", text);
    let picture = folder.path("clusters.svg");
    let json = done(&["cluster", &file, "--out", &picture, "--json"]).json();
    let clusters = json["clusters"].as_array().expect("a list");
    let members: Vec<_> = clusters.iter().map(|c| c["members"].clone()).collect();
    assert_eq!(members, [serde_json::json!([1, 2, 3]), serde_json::json!([4, 5]), serde_json::json!([6])]);
    assert_eq!(clusters[2]["label"], "C1");
    let drawn = String::from_utf8_lossy(&folder.read("clusters.svg")).into_owned();
    assert!(drawn.contains("3 × A1: a &amp; b<"), "{drawn}");
    // Every row can be identified.
    assert!(drawn.contains("<title>B2: d | c | d</title>"), "{drawn}");
    let json = done(&["cluster", &file, "-k", "2", "--json"]).json();
    assert_eq!(json["clusters"].as_array().map(Vec::len), Some(2));
    refused(&logicvae(&["cluster", &file, "-k", "9"]), &["only 6 formulae"]);
}

#[test]
fn points_of_a_map_can_be_identified() {
    let folder = Folder::new();
    let file = folder.write("r.txt", "A1: a & b\n\nA2: a | b & c\na -> c\n");
    let json = done(&["map", "--in", &file, "--out", &folder.path("map.svg"), "--json"]).json();
    let points = json["points"].as_array().expect("a list");
    let found: Vec<_> = points.iter().map(|p| (p["line"].as_u64(), p["label"].as_str())).collect();
    assert_eq!(found, [(Some(1), Some("A1")), (Some(3), Some("A2")), (Some(4), None)]);
    assert!(points.iter().all(|p| p["x"].is_number() && p["y"].is_number()));
    assert_eq!(points[0]["satisfied"].as_f64(), Some(0.25));
    let drawn = String::from_utf8_lossy(&folder.read("map.svg")).into_owned();
    for text in ["<title>line 3: A2: a | b &amp; c</title>", "first principal component", "share of assign"] {
        assert!(drawn.contains(text), "{text} is missing in {drawn}");
    }
}

#[test]
fn one_formula_is_not_called_several() {
    let run = logicvae_with_input(&["relate", "-"], "R1: a & !a\nR2: b\n");
    assert_eq!(run.code, 1, "{}", run.err);
    assert!(run.out.contains("inconsistent: this one can never be true\n   1  R1: a & !a"), "{}", run.out);
    let run = logicvae_with_input(&["cluster", "-", "-k", "2"], "a\na | a\nb & c & !b\n");
    assert!(run.out.contains(": 1 formula, mean") && run.out.contains(": 2 formulae, mean"), "{}", run.out);
}

#[test]
fn minimise_says_whether_it_is_optimal() {
    let json = done(&["minimise", "x1 & x2 | x1 & !x2", "--json"]).json();
    let found = &json["formulae"][0];
    assert_eq!((found["formula"].as_str(), found["size"].as_u64()), (Some("x1"), Some(1)));
    assert_eq!((found["optimal"].as_bool(), found["size_before"].as_u64()), (Some(true), Some(8)));
    let text = done(&["minimise", "on & !off | !on & off", "--operators", "not,and,or,xor"]).out;
    assert!(text.ends_with("optimal  on ^ off\n"), "{text}");
    let wide = "(a|b) & (c|d) & (e|f) & (g|h) | a & (b|c) & (d|!e)";
    let text = done(&["minimise", wide, "--time-limit", "0"]).out;
    assert!(text.contains("not proven"), "{text}");
    refused(&logicvae(&["minimise", "!x1", "--operators", "and,or"]), &["cannot express"]);
    let shown = done(&["decode", "--context", "x1 & x2 | x1 & !x2", "--minimise"]).out;
    assert_eq!(shown.lines().count(), 2, "{shown}");
}

#[test]
fn conversions_keep_names_and_labels() {
    let folder = Folder::new();
    let file = folder.write("r.txt", REQUIREMENTS);
    for (name, part) in [
        ("r.smt2", "(assert (! (or (not door_open) alarm) :named REQ-1))"),
        ("r.tex", "\\lnot \\mathit{door\\_open} \\lor \\mathit{alarm}"),
        ("r.py", "    ~door_open | alarm,"),
        ("r.dot", "[label=\"door_open\", shape=box]"),
        ("r.json", "\"tree\": {\"or\": [{\"not\": \"door_open\"}, \"alarm\"]}"),
        ("r.cnf", "c variable 1 door_open"),
        ("back.txt", "!door_open | alarm  # REQ-1"),
    ] {
        let out = folder.path(name);
        let json = done(&["convert", &file, "--out", &out, "--json"]).json();
        assert_eq!((json["count"].as_u64(), json["variables"].as_u64()), (Some(5), Some(4)), "{name}");
        let text = String::from_utf8(folder.read(name)).expect("text");
        assert!(text.contains(part), "{part} is missing in {name}:\n{text}");
    }
    for name in ["r.smt2", "r.json", "back.txt"] {
        let json = done(&["relate", &folder.path(name), "--json"]).json();
        assert_eq!(json["equivalent"].as_array().map(Vec::len), Some(1), "{name}");
        assert_eq!(json["formulae"][0]["label"], "REQ-1", "{name}");
    }
    done(&["convert", &file, "--to", "binary", "--out", &folder.path("r.bin")]);
    let text = done(&["convert", &folder.path("r.bin"), "--to", "text"]).out;
    assert!(text.contains("!door_open | alarm\n"), "{text}");
    let pla = folder.write("f.pla", ".i 2\n.o 1\n.ilb a b\n11 1\n00 1\n.e\n");
    assert_eq!(done(&["convert", &pla, "--to", "text"]).out, "# variables: a b\na & b | !a & !b\n");
    let csv = folder.write("r.csv", "id,formula\nREQ-1,door_open -> alarm\n");
    assert!(done(&["convert", &csv, "--to", "text"]).out.contains("!door_open | alarm  # REQ-1"));
    refused(&logicvae(&["convert", &file, "--to", "csv"]), &["can be read, but not written"]);
    refused(&logicvae(&["stats", &folder.path("r.tex")]), &["written, but not read"]);
    refused(&logicvae(&["convert", &file, "--out", &folder.path("r.smt2")]), &["exists already"]);
}
