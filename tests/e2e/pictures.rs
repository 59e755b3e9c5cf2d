//! `draw` and `plot`: pictures of formulae and charts.

use crate::support::{Folder, NO_SUCH_FILE, done, logicvae, logicvae_with_input, refused};

/// The formula in the figure of the paper.
const FORMULA: &str = "(x1 & !x2) | ((x3 & x1) & !x4)";

const HISTOGRAM: &str = r#"{"kind":"histogram","title":"Contexts","x":"kernel","y":"share","bins":10,
    "series":[{"name":"GAT","values":[0.7,0.8,0.9,0.75]},{"name":"GCN & co","values":[0.1,0.5]}],
    "marks":[{"name":"paper's median","at":0.7843,"series":0}]}"#;
const LINES: &str = r#"{"kind":"lines","title":"Depth","x":"layers","y":"accuracy, %","series":[
    {"name":"GAT","points":[[1,81.4],[2,85],[3,86.2]],"low":[80,null,85],"high":[82,null,87]},
    {"name":"paper","points":[[1,80],[3,84]],"dashed":true,"like":0}]}"#;
const BARS: &str = r#"{"kind":"bars","title":"Accuracy","y":"accuracy, %","groups":["n = 3","n = 4"],
    "series":[
    {"name":"GAT","values":[98,91],"low":[97,90],"high":[99,93]},{"name":"GRU","values":[90,null]}]}"#;

/// Checks that a file has the format of its extension, and that an SVG supports dark mode.
fn check_picture(folder: &Folder, name: &str) {
    let bytes = folder.read(name);
    if name.ends_with(".png") {
        assert!(bytes.starts_with(b"\x89PNG") && bytes.len() > 2000, "{name}");
    } else {
        let svg = String::from_utf8(bytes).expect("text");
        assert!(svg.starts_with("<svg") && svg.contains("prefers-color-scheme:dark"), "{svg}");
    }
}

#[test]
fn a_formula_is_drawn_as_a_tree() {
    let folder = Folder::new();
    for name in ["tree.svg", "tree.png"] {
        let out = folder.path(name);
        let json = done(&["draw", FORMULA, "--out", &out, "--json"]).json();
        assert_eq!(json["formula"], "x1 & !x2 | x3 & x1 & !x4");
        assert_eq!((json["nodes"].as_u64(), json["depth"].as_u64()), (Some(11), Some(3)));
        assert_eq!(json["out"], out);
        check_picture(&folder, name);
    }
    // Eleven nodes in the tree, and seven in the legend.
    assert_eq!(String::from_utf8(folder.read("tree.svg")).expect("text").matches("<circle").count(), 18);
    let run = logicvae_with_input(&["draw", "-", "--out", &folder.path("leaf.PNG")], "1\n");
    assert_eq!((run.code, run.out.contains("1 node(s), depth 0")), (0, true), "{}", run.err);
    assert_eq!(folder.names(), ["leaf.PNG", "tree.png", "tree.svg"]);
}

#[test]
fn every_kind_of_chart_is_drawn() {
    let folder = Folder::new();
    for (kind, text) in [("histogram", HISTOGRAM), ("lines", LINES), ("bars", BARS)] {
        let file = folder.write(&format!("{kind}.json"), text);
        for name in [format!("{kind}.svg"), format!("{kind}.png")] {
            let out = folder.path(&name);
            let json = done(&["plot", &file, "--out", &out, "--json"]).json();
            assert_eq!(
                (&json["kind"], &json["series"], &json["out"]),
                (&kind.into(), &2.into(), &out.into())
            );
            check_picture(&folder, &name);
        }
    }
    let again = folder.path("again.svg");
    assert_eq!(logicvae_with_input(&["plot", "-", "--out", &again], HISTOGRAM).code, 0);
    assert_eq!(folder.read("again.svg"), folder.read("histogram.svg"));
    assert!(String::from_utf8(folder.read("again.svg")).expect("text").contains("GCN &amp; co"));
}

#[test]
fn bad_input_is_an_error_before_anything_is_written() {
    let folder = Folder::new();
    let out = folder.path("p.svg");
    let draw = |formula: &str, out: &str| logicvae(&["draw", formula, "--out", out]);
    refused(&draw("x1 &", &out), &["invalid formula", "column 5"]);
    refused(&draw("x1", &folder.path("p.pdf")), &["unsupported picture format", "p.pdf"]);
    refused(&draw("x1", "-"), &["use a file name that ends in .svg or .png"]);
    refused(&draw("x1", &folder.path("no/p.svg")), &["/no does not exist: create it first"]);
    refused(&draw(&format!("{}x1", "!".repeat(5000)), &out), &["5001 nodes", "too large for a picture"]);

    let plot = |text: &str| logicvae_with_input(&["plot", "-", "--out", &out], text);
    refused(&plot(""), &["standard input", "invalid chart description"]);
    refused(&plot(r#"{"kind":"pie"}"#), &["unknown kind `pie`", "histogram, lines or bars"]);
    refused(&plot(&HISTOGRAM.replace("bins", "bin")), &["unknown field `bin`", "`bins`", "line 1"]);
    refused(&plot(&HISTOGRAM.replace("0.75", "NaN")), &["line 2", "no NaN"]);
    refused(&plot(&HISTOGRAM.replace("0.75", "1e999")), &["line 2", "out of range"]);
    refused(&plot(&HISTOGRAM.replace("[0.1,0.5]", "[]")), &["series `GCN & co` has no values"]);
    refused(
        &plot(&HISTOGRAM.replace("\"series\":0", "\"series\":2")),
        &["refers to series 2", "indices start at 0"],
    );
    refused(
        &plot(&LINES.replace("[82,null,87]", "[82,87]")),
        &["`high` of series `GAT` has 2", "but the series has 3"],
    );
    refused(&plot(&LINES.replace("[[1,80],[3,84]]", "[]")), &["series `paper` has no points"]);
    refused(&plot(&BARS.replace("[90,null]", "[90]")), &["1 value(s) for 2 group(s)", "null"]);
    refused(
        &logicvae(&["plot", &folder.path("missing.json"), "--out", &out]),
        &["missing.json", NO_SUCH_FILE],
    );
    refused(
        &logicvae(&["plot", &folder.path(""), "--out", &out]),
        &["is a folder", "description of a chart"],
    );
    assert!(folder.names().is_empty(), "{:?}", folder.names());
}

#[test]
fn pictures_are_overwritten_only_with_force() {
    let folder = Folder::new();
    let out = folder.write("p.svg", "keep me");
    refused(&logicvae(&["draw", FORMULA, "--out", &out]), &["p.svg exists", "--force"]);
    refused(&logicvae_with_input(&["plot", "-", "--out", &out], BARS), &["p.svg exists", "--force"]);
    assert_eq!(folder.read("p.svg"), b"keep me");
    refused(&logicvae_with_input(&["plot", "-", "--force", "--out", &out], "{}"), &["missing field `kind`"]);
    assert_eq!(folder.read("p.svg"), b"keep me");
    assert_eq!(logicvae_with_input(&["plot", "-", "--force", "--out", &out], BARS).code, 0);
    check_picture(&folder, "p.svg");
    done(&["draw", FORMULA, "--force", "--out", &out]);
    assert_eq!(folder.names(), ["p.svg"]);
}
