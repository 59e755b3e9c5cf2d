//! `cargo xtask check`: what the compiler does not see, checked in a second or two.
//!
//! Each file here holds one check: a function from the repository's files to a list of problems.

mod architecture;
mod links;
mod modules;
mod source;
mod tree;
mod width;

use std::fmt;

use anyhow::{Result, bail};

use crate::shell::root;
use tree::Tree;

/// One thing that is wrong, and where.
#[derive(Debug, PartialEq, Eq)]
struct Problem {
    /// Relative to the root of the repository.
    file: String,
    line: usize,
    message: String,
}

impl Problem {
    fn new(file: &str, line: usize, message: impl Into<String>) -> Self {
        Self { file: file.to_owned(), line, message: message.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.message)
    }
}

type Check = fn(&Tree) -> Result<Vec<Problem>>;

const CHECKS: [(&str, Check); 4] = [
    ("paths in ARCHITECTURE.md", architecture::check),
    ("links in Markdown", links::check),
    ("module cycles", modules::check),
    ("line width", width::check),
];

/// Runs every check, and fails if there is any problem.
pub fn run() -> Result<()> {
    let tree = Tree::of_repository(root())?;
    let mut failures = 0;
    for (name, check) in CHECKS {
        let problems = check(&tree)?;
        eprintln!("{name}: {}", if problems.is_empty() { "good".into() } else { describe(problems.len()) });
        problems.iter().for_each(|problem| eprintln!("  {problem}"));
        failures += problems.len();
    }
    if failures > 0 {
        bail!("{} found by `cargo xtask check`", describe(failures));
    }
    Ok(())
}

fn describe(count: usize) -> String {
    if count == 1 { "1 problem".to_owned() } else { format!("{count} problems") }
}
