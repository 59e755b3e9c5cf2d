//! Bad input: a message that names the problem, its position and a solution; exit code 2; no file written.

use crate::support::{Folder, NO_SUCH_FILE, logicvae, logicvae_with_input, refused};

#[test]
fn invalid_formulae() {
    refused(
        &logicvae(&["eval", "x1 @ x2"]),
        &["line 1, column 4", "unknown symbol `@`", "  | x1 @ x2\n  |    ^"],
    );
    refused(&logicvae(&["eval", "(x1 & x2"]), &["column 1", "never closed"]);
    refused(&logicvae(&["eval", "x1 & x2)"]), &["column 8", "closes nothing"]);
    refused(&logicvae(&["eval", "x0 | x1"]), &["there is no x0", "from x1"]);
    refused(&logicvae(&["eval", ""]), &["expected a formula"]);
    refused(&logicvae(&["check", "x1", "x1 &"]), &["column 5", "found the end"]);
    refused(&logicvae_with_input(&["check", "-", "-"], "x1\n"), &["standard input has no more formulae"]);
}

#[test]
fn variables_above_the_number_of_variables() {
    refused(&logicvae(&["eval", "x1 & x7", "--vars", "5"]), &["x7", "--vars is 5"]);
    refused(&logicvae(&["eval", "x1 & x7", "--assign", "101"]), &["x7", "at least 7"]);
    refused(&logicvae(&["eval", "x1", "--vars", "3", "--assign", "10"]), &["2 values", "--vars is 3"]);
    refused(&logicvae(&["eval", "x1", "--assign", "1O"]), &["character 2", "string of 0 and 1"]);
    refused(&logicvae(&["eval", "x1", "--vars", "40", "--truth-table"]), &["40 variables", "at most 26"]);
    let folder = Folder::new();
    let file = folder.write("f.txt", "x1\n# fine\nx9 & x1\n");
    refused(&logicvae(&["stats", &file, "--vars", "5"]), &["f.txt", "line 3", "x9", "5 variables"]);
}

#[test]
fn files_without_formulae() {
    let folder = Folder::new();
    refused(&logicvae(&["stats", &folder.write("empty", "")]), &["empty", "no formulae"]);
    refused(&logicvae(&["stats", &folder.write("comments", "# only\n\n")]), &["no formulae"]);
    refused(&logicvae(&["stats", &folder.path("missing")]), &["missing", NO_SUCH_FILE]);
    refused(&logicvae(&["stats", &folder.path("")]), &["is a folder"]);
    refused(&logicvae(&["stats", &folder.write("bad", "x1\nx1 &\n")]), &["bad", "line 2, column 5"]);
    refused(&logicvae(&["stats", &folder.write("bytes", b"x1\n\xff\xfe\n")]), &["line 2", "UTF-8"]);
}

#[test]
fn damaged_binary_files() {
    let folder = Folder::new();
    let file = folder.path("f.bin");
    assert_eq!(
        logicvae(&["sample", "--vars", "3", "--count", "50", "--format", "binary", "--out", &file]).code,
        0
    );
    let whole = folder.read("f.bin");
    let cut = folder.write("cut", &whole[..whole.len() / 2]);
    refused(&logicvae(&["stats", &cut]), &["cut", "cut off"]);
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 0x10;
    refused(&logicvae(&["stats", &folder.write("flipped", flipped)]), &["flipped", "checksum"]);
    let mut version = whole.clone();
    version[12] = 200;
    refused(&logicvae(&["stats", &folder.write("later", version)]), &["version 200", "reads version 2"]);
}

#[test]
fn impossible_sampler_settings() {
    let sample = |flags: &[&str]| {
        let folder = Folder::new();
        let run = logicvae(&[&["sample", "--out", &folder.path("f.txt")], flags].concat());
        assert!(folder.names().is_empty(), "{flags:?} wrote {:?}", folder.names());
        run
    };
    refused(&sample(&["--vars", "3", "--p-leaf", "1.5"]), &["p_leaf", "between 0 and 1", "1.5"]);
    refused(&sample(&["--vars", "3", "--p-leaf", "-1"]), &["p_leaf", "-1"]);
    refused(&sample(&["--vars", "3", "--p-leaf", "nan"]), &["p_leaf", "NaN"]);
    refused(&sample(&["--vars", "0"]), &["--vars", "1..=16777216"]);
    refused(&sample(&[]), &["--vars"]);
    refused(
        &sample(&["--vars", "5", "--all-vars", "--max-nodes", "8"]),
        &["at least 9 nodes", "max_nodes is 8"],
    );
    refused(&sample(&["--vars", "5", "--max-depth", "0"]), &["depth of at least 1"]);
    refused(&sample(&["--vars", "1", "--max-nodes", "3", "--count", "100"]), &["found only", "of 100"]);
    refused(&sample(&["--vars", "3", "--count", "0"]), &["--count", "at least 1"]);
    refused(&sample(&["--preset", "paper-7"]), &["paper-7", "paper-3, paper-4, paper-5, paper-10"]);
    refused(&sample(&["--preset", "paper-5", "--vars", "3"]), &["5 variables", "remove --vars"]);
    refused(&sample(&["--preset", "paper-5", "--split", "dev"]), &["train, valid, test or unseen"]);
    refused(&sample(&["--vars", "3", "--threads", "0"]), &["--threads"]);
}

#[test]
fn existing_files_are_not_overwritten() {
    let folder = Folder::new();
    let file = folder.write("f.txt", "keep me");
    let base = ["sample", "--vars", "3", "--count", "5", "--out", &file];
    refused(&logicvae(&base), &["f.txt exists", "--force"]);
    assert_eq!(folder.read("f.txt"), b"keep me");
    assert_eq!(logicvae(&[&base[..], &["--force"]].concat()).code, 0);
    assert_ne!(folder.read("f.txt"), b"keep me");
    assert_eq!(folder.names(), ["f.txt"]);
    let nowhere = folder.path("no/such/f.txt");
    refused(
        &logicvae(&["sample", "--vars", "3", "--out", &nowhere]),
        &["no/such does not exist: create it first"],
    );
    refused(&logicvae(&["sample", "--vars", "3", "--out", &folder.path("")]), &["is a folder"]);
    refused(&logicvae(&["sample", "--vars", "3", "--json"]), &["standard output", "--out"]);
}

#[test]
fn too_large_numbers() {
    let folder = Folder::new();
    let out = folder.path("f.txt");
    let sample = |flags: &[&str]| logicvae(&[&["sample", "--vars", "3", "--out", &out], flags].concat());
    refused(&sample(&["--count", "18446744073709551615"]), &["--count", "at most 1000000000"]);
    refused(&sample(&["--max-nodes", "18446744073709551615"]), &["max_nodes", "at most"]);
    refused(&logicvae(&["eval", "x1", "--vars", "4294967295"]), &["--vars", "16777216"]);
    refused(&logicvae(&["eval", "x1", "--threads", "60000"]), &["--threads", "1024"]);
    let file = folder.write("list.txt", "x1\nx2\n");
    let matrix = folder.path("k.npy");
    let kernel = |flags: &[&str]| logicvae(&[&["kernel", &file, "--out", &matrix], flags].concat());
    refused(&kernel(&["--samples", "18446744073709551615"]), &["1 GiB", "use fewer"]);
    refused(&kernel(&["--vars", "16777216"]), &["1 GiB"]);
    refused(&kernel(&["--gaussian", "1e300"]), &["sigma²", "at most"]);
    let all = logicvae(&["similar", "x1", "--in", &file, "-k", "18446744073709551615", "--json"]);
    assert_eq!(all.json()["neighbours"].as_array().map(Vec::len), Some(2));
    assert_eq!(folder.names(), ["list.txt"]);
}

#[test]
fn standard_input_is_read_once_and_completely() {
    let folder = Folder::new();
    let out = folder.path("k.npy");
    refused(&logicvae_with_input(&["kernel", "-", "-", "--out", &out], "x1\n"), &["only once"]);
    refused(
        &logicvae_with_input(&["eval", "-"], "x1\nx2\n"),
        &["more formulae than this command reads", "`x2`"],
    );
    refused(&logicvae_with_input(&["stats", "-"], ""), &["standard input contains no formulae"]);
    assert_eq!(
        logicvae_with_input(&["stats", "-", "--json"], "\u{feff}x1\nx2\n").json()["count"],
        2,
        "a byte order mark is skipped"
    );
}

#[cfg(unix)]
#[test]
fn links_pipes_and_permissions_are_respected() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = Folder::new();
    let sample = |out: &str, flags: &[&str]| {
        logicvae(&[&["sample", "--vars", "3", "--count", "5", "--out", out], flags].concat())
    };
    assert_eq!(sample("/dev/null", &[]).code, 0);

    let target = folder.write("target.txt", "old");
    std::fs::set_permissions(&target, std::fs::Permissions::from_mode(0o640))
        .expect("permissions can be set");
    symlink(&target, folder.path("link.txt")).expect("a link");
    assert_eq!(sample(&folder.path("link.txt"), &["--force"]).code, 0);
    assert!(
        std::fs::symlink_metadata(folder.path("link.txt")).expect("exists").is_symlink(),
        "the link is kept"
    );
    assert_ne!(folder.read("target.txt"), b"old");
    assert_eq!(std::fs::metadata(&target).expect("exists").permissions().mode() & 0o777, 0o640);

    symlink(folder.path("nowhere"), folder.path("dangling")).expect("a link");
    refused(&sample(&folder.path("dangling"), &[]), &["dangling is a broken symbolic link"]);
}
