//! Lines of Rust source are at most 110 columns wide. rustfmt keeps code within that width, but leaves long
//! comments and strings as they are.

use anyhow::Result;

use super::Problem;
use super::tree::Tree;

/// The same as `max_width` in rustfmt.toml.
const WIDTH: usize = 110;

pub fn check(tree: &Tree) -> Result<Vec<Problem>> {
    let mut problems = Vec::new();
    for file in tree.files_ending(".rs") {
        for (number, line) in tree.read(file)?.lines().enumerate() {
            let columns = line.chars().count();
            if columns > WIDTH {
                let message = format!("the line has {columns} columns, but the most is {WIDTH}");
                problems.push(Problem::new(file, number + 1, message));
            }
        }
    }
    Ok(problems)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::tree::tests::tree_of;

    #[test]
    fn only_wide_lines_of_rust_are_found() {
        // Columns are characters, not bytes.
        let (just, wide) = ("é".repeat(WIDTH), "é".repeat(WIDTH + 1));
        let source = format!("// short\n{just}\n{wide}\n");
        let (_folder, tree) = tree_of(&[("a.rs", &source), ("b.md", &wide)]);
        let expected = Problem::new("a.rs", 3, "the line has 111 columns, but the most is 110");
        assert_eq!(check(&tree).unwrap(), [expected]);
    }
}
