//! One vector for meaning and syntax, with the built-in model.

use std::fs;
use std::path::Path;

use crate::support::{Folder, done, logicvae, refused};

/// The folder of the built-in model.
const MODEL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../vae/models/general-5");

const FORMULAE: [&str; 6] = ["x1 & !x2", "x3", "1", "!(x1 | x5) & x4", "x1 & x2 & x3 & x4 & x5", "!!!x2 | 0"];

fn formulae_of(json: &serde_json::Value) -> Vec<String> {
    let list = json["formulae"].as_array().unwrap();
    list.iter().map(|line| line["formula"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn vectors_decode_to_their_formulae_right_after_installation() {
    let folder = Folder::new();
    let (list, e) = (folder.write("f.txt", FORMULAE.join("\n")), folder.path("e.npy"));
    let encoded = done(&["encode", &list, "--out", &e, "--json"]).json();
    assert_eq!((encoded["rows"].as_u64(), encoded["width"].as_u64()), (Some(6), Some(89)));
    assert_eq!((encoded["exact"].as_u64(), &encoded["failed"]), (Some(6), &serde_json::json!([])));
    let decoded = done(&["decode", "--z", &e, "--json"]).json();
    assert_eq!(formulae_of(&decoded), FORMULAE);
    for line in decoded["formulae"].as_array().unwrap() {
        assert_eq!(line["agreement"].as_f64(), Some(1.0), "{line}");
    }
    // The same model from its folder gives the same vectors.
    let other = folder.path("other.npy");
    done(&["encode", &list, "--model", MODEL, "--out", &other]);
    assert_eq!(folder.read("e.npy"), folder.read("other.npy"));
    // As text, and printed.
    let csv = folder.path("e.csv");
    done(&["encode", "x1", "--out", &csv]);
    let text = String::from_utf8(folder.read("e.csv")).unwrap();
    assert_eq!(text.trim_end().split(',').count(), 89);
    assert!(done(&["encode", "x1"]).out.starts_with("x1\t"));
    refused(&logicvae(&["encode", "x1", "--out", &folder.path("e.txt")]), &[".npy or .csv"]);
}

#[test]
fn what_cannot_work_is_refused() {
    let folder = Folder::new();
    let e = folder.path("e.npy");
    done(&["encode", "x1 & x2", "--out", &e]);
    // Another model: of another width, and of the same width.
    let best = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/best-5");
    refused(&logicvae(&["decode", "--model", best, "--z", &e]), &["rows of 89 numbers", "57"]);
    let mut bytes = folder.read("e.npy");
    let first = bytes.len() - 89 * 4;
    bytes[first + 2] ^= 0x10;
    fs::write(&e, &bytes).unwrap();
    refused(&logicvae(&["decode", "--z", &e]), &["row 1", "tag"]);
    fs::write(&e, &bytes[..bytes.len() - 7]).unwrap();
    refused(&logicvae(&["decode", "--z", &e]), &["e.npy", "truncated"]);
    // Formulae beyond the limits, with their line.
    let long = vec!["x1"; 16].join(" & ");
    for (line, wanted) in [("x6", "x1 to x5"), (long.as_str(), "31 nodes, but at most 30")] {
        let list = folder.write("long.txt", format!("# two formulae\nx1\n{line}\n"));
        refused(&logicvae(&["encode", &list]), &["long.txt", "line 3", wanted]);
        refused(&logicvae(&["encode", line]), &[wanted]);
        refused(&logicvae(&["interpolate", "x1", line]), &[wanted]);
    }
    // Semantic vectors of another pool.
    let pool = folder.path("pool.txt");
    done(&["sample", "--vars", "5", "--count", "200", "--seed", "3", "--out", &pool]);
    let y = folder.path("y.npy");
    done(&["embed", &pool, "--pool", &pool, "--components", "32", "--method", "kernel-pca", "--out", &y]);
    refused(&logicvae(&["decode", "--context", &y]), &["y.npy", "no truth table"]);
    refused(&logicvae(&["decode", "--context", "0110"]), &["4 values", "32"]);
    // A replaced embedding.
    let copy = folder.path("model");
    fs::create_dir(&copy).unwrap();
    for file in ["config.toml", "run.json", "manifest.json", "model.safetensors", "context.bin"] {
        fs::copy(Path::new(MODEL).join(file), Path::new(&copy).join(file)).unwrap();
    }
    done(&["encode", "x1", "--model", &copy]);
    let context = Path::new(&copy).join("context.bin");
    fs::remove_file(&context).unwrap();
    let saved = ["--components", "32", "--method", "kernel-pca", "--save", context.to_str().unwrap()];
    done(&[&["embed", &pool, "--pool", &pool, "--out", &folder.path("z.npy")][..], &saved].concat());
    refused(&logicvae(&["encode", "x1", "--model", &copy]), &["context.bin", "SHA-256"]);
    refused(&logicvae(&["neighbours", "x1", "--in", &pool, "-k", "0"]), &["0"]);
    refused(&logicvae(&["neighbours", "x1"]), &["--in"]);
    refused(&logicvae(&["decode"]), &["--z", "--context"]);
}

#[test]
fn a_meaning_is_expressed_by_short_formulae() {
    let folder = Folder::new();
    let first = |context: &str| {
        let found = done(&["decode", "--context", context, "--json"]).json();
        let best = &found["formulae"][0];
        (best["formula"].as_str().unwrap().to_owned(), best["agreement"].as_f64().unwrap())
    };
    let (formula, agreement) = first("x1 & x2 | x1 & !x2 & x3");
    assert_eq!(agreement, 1.0);
    assert!(formula.len() <= "x1 & (x2 | x3)".len(), "{formula}");
    // The same as a truth table, as a semantic vector, and with open values.
    let table = done(&["eval", "x1 & (x2 | x3)", "--vars", "5", "--truth-table", "--json"]).json();
    let table = table["truth_table"].as_str().unwrap().to_owned();
    assert_eq!(first(&table), (formula.clone(), 1.0));
    let (list, y) = (folder.write("f.txt", "x1 & (x2 | x3)\n"), folder.path("y.npy"));
    done(&["embed", &list, "--out", &y]);
    assert_eq!(first(&y), (formula, 1.0));
    let open: String = table.char_indices().map(|(at, c)| if at % 3 == 0 { '?' } else { c }).collect();
    assert_eq!(first(&open).1, 1.0);
    let rows = folder.write("rows.txt", "10000 1\n01000 0  # observed\n11000 1\n");
    assert_eq!(first(&rows), ("x1".to_owned(), 1.0));
    let bad = folder.write("bad.txt", "10000 1\n01000 2\n");
    refused(&logicvae(&["decode", "--context", &bad]), &["bad.txt", "line 2"]);
}

#[test]
fn walks_start_and_end_exactly_and_pictures_follow_the_extension() {
    let folder = Folder::new();
    let (from, to) = ("x1 & x2 & x3", "!x1 | x4 & 0");
    let png = folder.path("walk.png");
    let args = ["interpolate", from, to, "--steps", "9", "--out", &png, "--json"];
    let walk = done(&args).json();
    let steps = walk["steps"].as_array().unwrap();
    assert_eq!((steps.len(), steps[0]["formula"].as_str()), (9, Some(from)));
    assert_eq!(steps[8]["formula"].as_str(), Some(to));
    assert!(walk["mean_kernel"].as_f64().unwrap() > 0.6, "{walk}");
    assert!(folder.read("walk.png").starts_with(b"\x89PNG"));
    let pool = folder.path("pool.txt");
    done(&["sample", "--vars", "5", "--count", "300", "--seed", "3", "--out", &pool]);
    done(&["map", "--in", &pool, "--out", &folder.path("map.svg")]);
    assert!(folder.read("map.svg").starts_with(b"<svg"));
    // Equivalent formulae come before others.
    let near = done(&["neighbours", "x1 | !x1", "--in", &pool, "-k", "300", "--json"]).json();
    let query: logicvae_logic::Formula = "x1 | !x1".parse().unwrap();
    let is_equivalent = |found: &serde_json::Value| {
        let formula: logicvae_logic::Formula = found["formula"].as_str().unwrap().parse().unwrap();
        formula.is_equivalent(&query)
    };
    let equivalent: Vec<bool> = near["neighbours"].as_array().unwrap().iter().map(is_equivalent).collect();
    assert!(equivalent.is_sorted_by(|a, b| a >= b) && equivalent.contains(&true), "{equivalent:?}");
}
