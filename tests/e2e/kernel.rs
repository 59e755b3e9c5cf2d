//! `kernel`, `embed`, `similar` and `experiment`.

use std::fs::File;

use ndarray_npy::ReadNpyExt;

use crate::support::{Folder, done, logicvae, logicvae_with_input, refused, repository};

type Matrix = ndarray::Array2<f64>;

fn matrix(path: &str) -> Matrix {
    Matrix::read_npy(File::open(path).expect("written")).expect("npy")
}

fn dataset(name: &str) -> String {
    repository(&format!("datasets/{name}")).to_str().expect("text").to_owned()
}

#[test]
fn kernel_writes_a_gram_matrix() {
    let folder = Folder::new();
    let (file, out) = (folder.write("f.txt", "x1 & x2\nx1 | x2\n!(x1 & x2)\n"), folder.path("gram.npy"));
    let json = done(&["kernel", &file, "--out", &out, "--json"]).json();
    assert_eq!((json["rows"].as_u64(), json["cols"].as_u64()), (Some(3), Some(3)));
    let gram = matrix(&out);
    assert_eq!(gram, ndarray::arr2(&[[1.0, 0.0, -1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 1.0]]));
    assert!((json["mean"].as_f64().expect("a number") - gram.mean().expect("numbers")).abs() < 1e-12);

    let gaussian = folder.path("gaussian.npy");
    done(&["kernel", &file, &file, "--gaussian", "0.44", "--out", &gaussian]);
    assert!((matrix(&gaussian)[[0, 1]] - (-1.0f64 / 0.44).exp()).abs() < 1e-12);

    let single = folder.path("single.npy");
    done(&["kernel", &file, "--vars", "5", "--dtype", "f32", "--out", &single]);
    let small = ndarray::Array2::<f32>::read_npy(File::open(&single).expect("written")).expect("npy of f32");
    assert_eq!(small.mapv(f64::from), gram, "unused variables change nothing");
}

#[test]
fn kernel_samples_or_reads_assignments() {
    let folder = Folder::new();
    let file = folder.write("f.txt", "x1\nx2\n");
    let run = |name: &str, flags: &[&str]| {
        let out = folder.path(name);
        done(&[&["kernel", &file, "--out", &out], flags].concat());
        matrix(&out)[[0, 1]]
    };
    let drawn = run("drawn.npy", &["--samples", "100000", "--seed", "5"]);
    assert!(drawn.abs() < 0.02 && drawn != 0.0, "{drawn}");
    assert_eq!(drawn, run("again.npy", &["--samples", "100000", "--seed", "5", "--threads", "1"]));
    let rows = folder.write("rows.txt", "# observed\n11\n11\n10\n00\n");
    assert_eq!(run("rows.npy", &["--rows", &rows]), 0.5);
    let weighted = folder.write("weighted.txt", "11 3\n10 1\n");
    assert!((run("weighted.npy", &["--rows", &weighted]) - 0.5).abs() < 1e-12);
    let mixed = folder.write("mixed.txt", "11 3\n10\n");
    assert_eq!(
        run("mixed.npy", &["--rows", &mixed]),
        run("weighted2.npy", &["--rows", &weighted]),
        "a missing weight is 1"
    );
    let wide = folder.write("wide.txt", "x1\nx40\n");
    let note = done(&["kernel", &wide, "--out", &folder.path("wide.npy")]).err;
    assert!(note.contains("10000 random ones are used"), "{note}");
}

#[test]
fn embed_fits_saves_and_loads_embeddings() {
    let folder = Folder::new();
    let (test, pool) = (dataset("paper-4/test.txt"), dataset("paper-4/valid.txt"));
    let (first, second, saved) = (folder.path("a.npy"), folder.path("b.npy"), folder.path("pool.embedding"));
    let flags = [
        "embed",
        &test,
        "--pool",
        &pool,
        "--components",
        "20",
        "--gaussian",
        "0.44",
        "--out",
        &first,
        "--save",
        &saved,
        "--json",
    ];
    let json = done(&flags).json();
    assert_eq!((json["components"].as_u64(), json["rows"].as_u64()), (Some(20), Some(300)));
    let share = json["explained_variance"].as_f64().expect("a number");
    assert!(share > 0.8 && share <= 1.0, "{share}");
    assert_eq!(matrix(&first).dim(), (300, 20));
    done(&["embed", &test, "--pool", &saved, "--out", &second]);
    assert_eq!(matrix(&first), matrix(&second), "a saved embedding gives the same bits");
    let other = folder.path("c.npy");
    done(&["embed", &test, "--pool", &pool, "--components", "8", "--method", "kernel-pca", "--out", &other]);
    assert_eq!(matrix(&other).dim(), (300, 8));
    refused(
        &logicvae(&["embed", &test, "--pool", &saved, "--components", "5", "--out", &folder.path("d.npy")]),
        &["fitted already"],
    );

    let mut bytes = folder.read("pool.embedding");
    bytes[12] = 9;
    let later = folder.write("later", &bytes);
    refused(
        &logicvae(&["embed", &test, "--pool", &later, "--out", &folder.path("d.npy")]),
        &["later", "version 9", "version 1"],
    );
    let cut = folder.write("cut", &folder.read("pool.embedding")[..500]);
    refused(&logicvae(&["embed", &test, "--pool", &cut, "--out", &folder.path("d.npy")]), &["cut off"]);
}

#[test]
fn similar_lists_equivalent_formulae_first() {
    let folder = Folder::new();
    let file = folder.write("f.txt", "x1 | x2\n!(!x1 | !x2)\nx3\nx2 & x1 & (x3 | !x3)\n");
    let json = done(&["similar", "x1 & x2", "--in", &file, "-k", "3", "--json"]).json();
    let neighbours = json["neighbours"].as_array().expect("a list").clone();
    assert_eq!(neighbours.len(), 3);
    assert_eq!(
        (neighbours[0]["formula"].as_str(), neighbours[0]["kernel"].as_f64()),
        (Some("!(!x1 | !x2)"), Some(1.0))
    );
    assert_eq!(neighbours[1]["kernel"].as_f64(), Some(1.0));
    let text = logicvae_with_input(&["similar", "x1", "--in", "-"], "x1\nx2\n");
    assert!(text.out.contains(" 100.00 %  1.0000     1  x1"), "{}", text.out);
}

#[test]
fn experiments_write_figures_and_data() {
    let folder = Folder::new();
    let out = folder.path("figures");
    for name in ["variance", "correlation", "agreement", "pool", "classification"] {
        let json = done(&["experiment", name, "--quick", "--out", &out, "--json"]).json();
        for file in json["files"].as_array().expect("a list") {
            let path = format!("{out}/{}", file.as_str().expect("a name"));
            let bytes = std::fs::read(&path).expect("written");
            let start: &[u8] = match path.rsplit('.').next() {
                Some("png") => b"\x89PNG",
                Some("svg") => b"<svg",
                _ => b"",
            };
            assert!(bytes.starts_with(start) && bytes.len() > 80, "{path}");
        }
    }
    let csv = std::fs::read_to_string(format!("{out}/agreement.csv")).expect("written");
    let identity = |line: &str| {
        let numbers: Vec<f64> = line.split(',').map(|v| v.parse().expect("a number")).collect();
        numbers[0] == 2.0 * numbers[1] - 1.0
    };
    assert!(csv.lines().skip(1).all(identity), "k = 2 · agreement - 1");
    refused(&logicvae(&["experiment", "pool", "--quick", "--out", &out]), &["exists", "--force"]);
}

#[test]
fn experiments_print_tables_with_headers() {
    let folder = Folder::new();
    for (name, headers, lines) in [
        ("correlation", "kernel    variables  pairs  Pearson  Spearman", 7),
        ("pool", "kernel    variables  mean kernel  mean distance  components  variance", 7),
        ("agreement", "pairs  largest deviation", 2),
    ] {
        let text = done(&["experiment", name, "--quick", "--out", &folder.path(name)]).out;
        assert!(text.starts_with(headers), "{text}");
        assert!(!text.contains(['{', '"', '[']), "{text}");
        assert_eq!(text.lines().count(), lines + 1, "{text}");
        assert!(text.lines().last().is_some_and(|line| line.contains("written to")), "{text}");
    }
}

#[test]
fn bad_arguments_are_errors_and_write_no_file() {
    let folder = Folder::new();
    let file = folder.write("f.txt", "x1 & x2\nx1\nx2\n");
    let out = folder.path("out.npy");
    let with = |flags: &[&str]| logicvae(&[flags, &["--out", &out]].concat());
    refused(&with(&["kernel", &file, "--vars", "1"]), &["line 1", "x2"]);
    refused(&with(&["kernel", &file, "--samples", "0"]), &["no assignments"]);
    refused(&with(&["kernel", &file, "--gaussian", "0"]), &["sigma²"]);
    refused(&with(&["kernel", &file, "--gaussian", "nan"]), &["sigma²"]);
    refused(&with(&["kernel", &folder.write("empty", "")]), &["no formulae"]);
    refused(
        &with(&["kernel", &file, "--rows", &folder.write("nan", "11 NaN\n10 1\n")]),
        &["nan", "weight 1 is NaN"],
    );
    refused(
        &with(&["kernel", &file, "--rows", &folder.write("short", "1\n")]),
        &["short", "line 1", "2 variables"],
    );
    refused(&with(&["embed", &file, "--pool", &file, "--components", "50"]), &["50 components", "at most"]);
    refused(&with(&["embed", &file, "--pool", &file]), &["--components"]);
    refused(&with(&["embed", &file, "--pool", &folder.path("none"), "--components", "2"]), &["cannot open"]);
    let wider = folder.write("wider.txt", "x7\n");
    refused(
        &with(&["embed", &wider, "--pool", &file, "--components", "1"]),
        &["wider.txt", "line 1", "x7", "2 variables"],
    );
    refused(&logicvae(&["similar", "x1 &", "--in", &file]), &["column 5"]);
    refused(&logicvae(&["similar", "x1", "--in", &file, "-k", "0"]), &["-k"]);
    assert!(!folder.names().contains(&"out.npy".to_owned()));
}
