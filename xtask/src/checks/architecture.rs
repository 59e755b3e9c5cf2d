//! Every path that ARCHITECTURE.md names exists.
//!
//! A path is a text in backticks without spaces that contains a slash or ends like a source file. It must be
//! the path of a file or folder from the root, or the end of one: `eval/lanes.rs` stands for
//! `crates/logic/src/eval/lanes.rs`. Below a folder's name in bold or in a heading, such as
//! **`crates/logic`**, only files and folders inside it count, until the next heading. Paths under `target/`
//! are left out, since builds make them.

use anyhow::Result;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::Problem;
use super::tree::{Tree, line_at};

const PAGE: &str = "ARCHITECTURE.md";
const ENDINGS: [&str; 5] = [".rs", ".md", ".toml", ".cu", ".py"];

pub fn check(tree: &Tree) -> Result<Vec<Problem>> {
    let text = tree.read(PAGE)?;
    let mut problems = Vec::new();
    // The folder whose part of the page this is; empty for the whole repository.
    let mut scope = String::new();
    // Inside bold text or a heading, where a folder's name begins its part.
    let mut bold = false;
    for (event, range) in Parser::new_ext(&text, Options::ENABLE_TABLES).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { .. }) => {
                scope.clear();
                bold = true;
            }
            Event::Start(Tag::Strong) => bold = true,
            Event::End(TagEnd::Strong | TagEnd::Heading(_)) => bold = false,
            Event::Code(name) if is_path(&name) || (bold && tree.is_folder(&name)) => {
                let path = name.trim_end_matches('/');
                let within = if bold { "" } else { &scope };
                if !exists(tree, within, path) {
                    let place = if within.is_empty() { "the repository" } else { within };
                    let message = format!("there is no `{name}` in {place}: correct the path, or remove it");
                    problems.push(Problem::new(PAGE, line_at(&text, range.start), message));
                }
                if bold && tree.is_folder(path) {
                    scope = path.to_owned();
                }
            }
            _ => {}
        }
    }
    Ok(problems)
}

fn is_path(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
    let named = text.contains('/') || ENDINGS.iter().any(|end| text.ends_with(end));
    named && text.chars().all(plain) && text.len() > 1 && !text.starts_with("target/")
}

/// Whether there is such a path from the root, or one inside the folder that ends with it.
fn exists(tree: &Tree, folder: &str, path: &str) -> bool {
    let inside = |whole: &str| {
        let rest = whole.strip_prefix(folder).filter(|rest| folder.is_empty() || rest.starts_with('/'));
        // Whole names only: `lanes.rs` does not stand for `planes.rs`.
        rest.and_then(|rest| rest.strip_suffix(path)).is_some_and(|start| start.ends_with('/'))
    };
    tree.is_file(path) || tree.is_folder(path) || tree.files().chain(tree.folders()).any(inside)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::tree::tests::tree_of;

    fn found(page: &str) -> Vec<Problem> {
        let files =
            ["crates/logic/src/eval/lanes.rs", "crates/logic/src/parse/mod.rs", "crates/gnn/build.rs"];
        let mut all: Vec<(&str, &str)> = files.map(|name| (name, "")).into();
        all.push((PAGE, page));
        let (_folder, tree) = tree_of(&all);
        check(&tree).unwrap()
    }

    #[test]
    fn paths_that_exist_pass() {
        let page = "# Map\n\n`crates/logic/src/parse/mod.rs`, `build.rs`, not `a / b` or `target/doc`\n\n\
                    **`crates/logic`**\n- `eval/lanes.rs`, `parse/`, `lanes.rs`, `Formula::new`\n\n\
                    **`crates/gnn`**: `build.rs`\n";
        assert_eq!(found(page), []);
    }

    #[test]
    fn paths_that_are_missing_are_named_with_their_line() {
        let page =
            "**`crates/logic`**\n- `eval/lines.rs`\n- `build.rs`, of another crate\n- `anes.rs`, a part\n";
        let problems = found(page);
        assert_eq!(problems.iter().map(|p| p.line).collect::<Vec<_>>(), [2, 3, 4]);
        assert!(problems[0].message.contains("no `eval/lines.rs` in crates/logic"), "{}", problems[0]);
        // A heading ends the part of a crate.
        assert_eq!(found("**`crates/logic`**\n# Rest\n`build.rs`\n"), []);
        assert_eq!(found("## `crates/logic`\n\n`build.rs`\n").len(), 1);
        assert_eq!(found("**`crates/none`**: nothing").len(), 1);
    }
}
