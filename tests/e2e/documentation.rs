//! The commands of the documentation work, in the order in which they stand there.

#![cfg(unix)]

use std::process::Command;

use crate::support::{Folder, repository};

/// Runs lines of a shell in an empty folder, with the program under test as `logicvae`.
fn works(page: &str, lines: &[&str]) {
    assert!(!lines.is_empty(), "{page} has no commands");
    let folder = Folder::new();
    let program = std::path::Path::new(assert_cmd::cargo::cargo_bin!("logicvae")).to_owned();
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    for line in lines {
        let mut shell = Command::new("sh");
        shell.args(["-c", line]).env("PATH", &path).current_dir(folder.path("."));
        let output = shell.output().unwrap();
        assert!(output.status.success(), "{page}: {line}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn the_commands_of_the_readme_and_the_pages_run() {
    for (page, start) in [("README.md", "$ logicvae "), ("docs/embedding.md", "logicvae ")] {
        let text = std::fs::read_to_string(repository(page)).unwrap();
        let lines = text.lines().filter(|line| line.starts_with(start));
        works(page, &lines.map(|line| line.trim_start_matches("$ ")).collect::<Vec<&str>>());
    }
}

#[test]
fn the_files_that_the_readme_and_the_pages_name_exist() {
    for page in ["README.md", "docs/embedding.md", "docs/speed.md", "crates/cli/README.md"] {
        let text = std::fs::read_to_string(repository(page)).unwrap();
        // In text and in code: whatever begins with a folder of the repository.
        let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || "/._-".contains(c)));
        for word in words.map(|word| word.trim_start_matches("../").trim_end_matches(['.', '/'])) {
            let folder = word.split_once('/').map(|(folder, _)| folder);
            if folder.is_some_and(|f| ["crates", "datasets", "docs", "models", "results"].contains(&f)) {
                assert!(repository(word).exists(), "{page} names {word}, which does not exist");
            }
        }
    }
}
