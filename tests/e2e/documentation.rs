//! The commands of the documentation work, in the order in which they stand there.

#![cfg(unix)]

use std::process::{Command, Output};

use crate::support::{Folder, repository};

/// Runs a line of a shell in a folder, with the program under test as `logicvae`.
fn shell(folder: &Folder, line: &str) -> Output {
    let program = std::path::Path::new(assert_cmd::cargo::cargo_bin!("logicvae")).to_owned();
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    Command::new("sh").args(["-c", line]).env("PATH", &path).current_dir(folder.path(".")).output().unwrap()
}

/// Runs lines of a shell in an empty folder.
fn works(page: &str, lines: &[&str]) {
    assert!(!lines.is_empty(), "{page} has no commands");
    let folder = Folder::new();
    for line in lines {
        let output = shell(&folder, line);
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

/// The blocks of a page that start with this line, without their fences.
fn blocks<'a>(text: &'a str, start: &str) -> Vec<&'a str> {
    text.split(start).skip(1).filter_map(|rest| rest.split("```\n").next()).collect()
}

/// Whether pages are written anew instead of compared: `LOGICVAE_WRITE_PAGES=1 cargo test pages`.
fn writes_pages() -> bool {
    std::env::var_os("LOGICVAE_WRITE_PAGES").is_some()
}

/// Compares a picture that a command drew with the one in the repository.
fn shows_picture(folder: &Folder, drawn: &str, shown: &str) {
    let drawn = folder.read(drawn);
    if writes_pages() {
        std::fs::write(repository(shown), &drawn).unwrap();
    }
    assert!(drawn == std::fs::read(repository(shown)).unwrap(), "{shown} is outdated");
}

/// Runs the commands of a page in a folder, and compares what they print with the page. Returns their number.
fn shows_what_happens(page: &str, folder: &Folder) -> usize {
    let text = std::fs::read_to_string(repository(page)).unwrap();
    let mut written = text.clone();
    let has_z3 = Command::new("z3").arg("--version").output().is_ok_and(|output| output.status.success());
    let mut commands = 0;
    for block in blocks(&text, "```console\n") {
        // A command is a line that starts with `$ `; what follows up to the next one is its output.
        let marked = format!("\n{block}");
        for part in marked.split("\n$ ").skip(1) {
            let (line, shown) = part.split_once('\n').unwrap_or((part, ""));
            let shown = if shown.is_empty() || shown.ends_with('\n') {
                shown.to_owned()
            } else {
                format!("{shown}\n")
            };
            if line.starts_with("z3 ") && !has_z3 {
                continue;
            }
            let output = String::from_utf8(shell(folder, line).stdout).unwrap();
            let at = written.find(&format!("\n$ {line}\n{shown}")).unwrap() + line.len() + 4;
            written.replace_range(at..at + shown.len(), &output);
            assert!(output == shown || writes_pages(), "{line}\n{output}\ninstead of\n{shown}");
            commands += 1;
        }
    }
    if writes_pages() {
        std::fs::write(repository(page), written).unwrap();
    }
    commands
}

/// The page about requirements shows what its commands print, and the pictures that they draw.
#[test]
fn the_page_about_requirements_is_what_happens() {
    let folder = Folder::new();
    let list = std::fs::read(repository("docs/requirements.txt")).unwrap();
    folder.write("requirements.txt", list);
    let commands = shows_what_happens("docs/requirements.md", &folder);
    assert!(commands > 15, "{commands} commands");
    for (drawn, shown) in
        [("clusters.svg", "docs/requirements-clusters.svg"), ("tree.svg", "docs/requirements-tree.svg")]
    {
        shows_picture(&folder, drawn, shown);
    }
    let requirements = String::from_utf8(folder.read("requirements.txt")).unwrap();
    let labelled = requirements.lines().filter(|line| !line.starts_with('#') && line.contains(": "));
    assert_eq!(labelled.count(), 200);
}

/// The same for the page about mining.
#[test]
fn the_page_about_mining_is_what_happens() {
    let folder = Folder::new();
    folder.write("pump.csv", std::fs::read(repository("docs/pump.csv")).unwrap());
    let commands = shows_what_happens("docs/mining.md", &folder);
    assert!(commands > 10, "{commands} commands");
    shows_picture(&folder, "front.svg", "docs/mining-front.svg");
}

#[test]
fn the_files_that_the_readme_and_the_pages_name_exist() {
    for page in [
        "README.md",
        "docs/embedding.md",
        "docs/mining.md",
        "docs/requirements.md",
        "docs/speed.md",
        "crates/cli/README.md",
    ] {
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
