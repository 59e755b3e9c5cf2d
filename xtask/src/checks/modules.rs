//! The top-level modules of a crate depend on each other without cycles.
//!
//! An edge from `a` to `b` means that code of `a`, or of a module inside it, names something of `b`. A name
//! that the root of the crate brings in by `use` counts as the module it comes from. The root itself is not a
//! module here.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use anyhow::{Context, Result};

use super::Problem;
use super::source::Source;
use super::tree::{Tree, folder_of, join};

/// Where a module names another: a file and a line.
type Place = (String, usize);

/// For each module, those that it names, with one example of each.
type Graph = BTreeMap<String, BTreeMap<String, Place>>;

pub fn check(tree: &Tree) -> Result<Vec<Problem>> {
    let roots = tree.files().filter(|file| match file.split('/').collect::<Vec<_>>()[..] {
        ["crates", _, "src", root] => root == "lib.rs" || root == "main.rs",
        _ => false,
    });
    let mut problems = Vec::new();
    for root in roots {
        let graph = graph(tree, root, &mut problems)?;
        problems.extend(cycles(&graph).iter().map(|cycle| describe(&graph, cycle)));
    }
    Ok(problems)
}

/// The edges between the top-level modules of the crate with this root.
fn graph(tree: &Tree, root: &str, problems: &mut Vec<Problem>) -> Result<Graph> {
    let top = Source::parse(&tree.read(root)?, &[]).with_context(|| root.to_owned())?;
    let mut graph: Graph = top.children.iter().map(|child| (child.name.clone(), BTreeMap::new())).collect();
    let imports: BTreeMap<&str, &str> =
        top.imports.iter().map(|import| (import.name.as_str(), import.first.as_str())).collect();
    // The names of modules, and of what the root brings in from them.
    let modules: BTreeSet<String> = graph.keys().cloned().collect();
    let resolve = |name: &str| {
        let name = if modules.contains(name) { name } else { imports.get(name).copied()? };
        modules.get(name)
    };

    let mut waiting: Vec<(String, Vec<String>)> = Vec::new();
    for child in &top.children {
        waiting.push((file_of(tree, root, &[], child)?, child.path.clone()));
    }
    while let Some((file, path)) = waiting.pop() {
        let source = Source::parse(&tree.read(&file)?, &path).with_context(|| file.clone())?;
        for child in &source.children {
            waiting.push((file_of(tree, &file, &path, child)?, child.path.clone()));
        }
        let Some(edges) = graph.get_mut(&path[0]) else { continue };
        for reference in source.references {
            if reference.name == "*" {
                let message = "a glob import of the whole crate hides which modules are used: name them";
                problems.push(Problem::new(&file, reference.line, message));
            }
            if let Some(module) = resolve(&reference.name).filter(|&module| *module != path[0]) {
                let place = (file.clone(), reference.line);
                let example = edges.entry(module.clone()).or_insert_with(|| place.clone());
                *example = place.min(example.clone());
            }
        }
    }
    Ok(graph)
}

/// The file of a module that another file declares; `path` is the path of that file's own module.
fn file_of(tree: &Tree, file: &str, path: &[String], child: &super::source::Child) -> Result<String> {
    let folder = folder_of(file);
    if let Some(named) = &child.file {
        return join(folder, named).with_context(|| format!("{file}: `{named}` is outside the repository"));
    }
    let name = &file[folder.len()..];
    let own = ["/lib.rs", "/main.rs", "/mod.rs"].contains(&name);
    let base = if own { folder } else { file.trim_end_matches(".rs") };
    // Modules that are written out between the file's own and this one have folders too.
    let below = child.path[path.len()..].join("/");
    let candidates = [format!("{base}/{below}.rs"), format!("{base}/{below}/mod.rs")];
    let found = candidates.into_iter().find(|candidate| tree.is_file(candidate));
    found.with_context(|| format!("{file} declares the module `{}`, but there is no file for it", child.name))
}

/// For each module that depends on itself, a shortest cycle; each cycle once, beginning with its first name.
fn cycles(graph: &Graph) -> BTreeSet<Vec<String>> {
    graph
        .keys()
        .filter_map(|start| {
            let mut cycle = shortest_cycle(graph, start)?;
            let first = (0..cycle.len()).min_by_key(|&at| &cycle[at])?;
            cycle.rotate_left(first);
            Some(cycle)
        })
        .collect()
}

/// The modules of a shortest cycle through `start`, found by breadth-first search.
fn shortest_cycle(graph: &Graph, start: &str) -> Option<Vec<String>> {
    let mut before: BTreeMap<&str, &str> = BTreeMap::new();
    let mut waiting = VecDeque::from([start]);
    while let Some(module) = waiting.pop_front() {
        for next in graph[module].keys() {
            if next == start {
                let mut cycle = vec![module.to_owned()];
                while let Some(earlier) = before.get(cycle[cycle.len() - 1].as_str()) {
                    cycle.push((*earlier).to_owned());
                }
                cycle.reverse();
                return Some(cycle);
            }
            if !before.contains_key(next.as_str()) {
                before.insert(next, module);
                waiting.push_back(next);
            }
        }
    }
    None
}

fn describe(graph: &Graph, cycle: &[String]) -> Problem {
    let mut message = format!("modules form a cycle: {} -> {}", cycle.join(" -> "), cycle[0]);
    let edges = cycle.iter().zip(cycle.iter().cycle().skip(1)).map(|(from, to)| (from, to, &graph[from][to]));
    for (from, to, (file, line)) in edges {
        message.push_str(&format!("\n    {from} -> {to}: {file}:{line}"));
    }
    let (file, line) = &graph[&cycle[0]][&cycle[1 % cycle.len()]];
    Problem::new(file, *line, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::tree::tests::tree_of;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let (_folder, tree) = tree_of(files);
        check(&tree).unwrap().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn modules_in_layers_pass() {
        let files = [
            ("crates/x/src/lib.rs", "mod a;\nmod b;\npub use a::A;\n"),
            ("crates/x/src/a.rs", "pub struct A;\n#[cfg(test)]\nmod tests { use crate::b::B; }\n"),
            ("crates/x/src/b/mod.rs", "mod inner;\nuse super::A;\n"),
            ("crates/x/src/b/inner.rs", "use super::super::a::A;\nuse super::C;\nuse crate::b::D;\n"),
            // Other folders are no crates of ours.
            ("fuzz/src/lib.rs", "not Rust ("),
        ];
        assert_eq!(found(&files), [] as [String; 0]);
    }

    #[test]
    fn a_cycle_is_printed_with_an_example_of_each_edge() {
        let files = [
            ("crates/x/src/lib.rs", "mod a;\nmod b;\nmod c;\npub use c::C;\n"),
            ("crates/x/src/a.rs", "use crate::b::B;\n"),
            ("crates/x/src/b.rs", "mod inner;\n"),
            ("crates/x/src/b/inner.rs", "\nfn f() -> crate::C { }\n"),
            ("crates/x/src/c.rs", "use super::a::A;\n"),
        ];
        let wanted = "crates/x/src/a.rs:1: modules form a cycle: a -> b -> c -> a\n    \
                      a -> b: crates/x/src/a.rs:1\n    b -> c: crates/x/src/b/inner.rs:2\n    \
                      c -> a: crates/x/src/c.rs:1";
        assert_eq!(found(&files), [wanted]);
    }

    #[test]
    fn globs_and_missing_files_are_problems() {
        let files = [("crates/x/src/lib.rs", "mod a;\n"), ("crates/x/src/a.rs", "use crate::*;\n")];
        assert!(found(&files)[0].contains("crates/x/src/a.rs:1: a glob import"));
        let (_folder, tree) = tree_of(&files[..1]);
        assert!(check(&tree).unwrap_err().to_string().contains("no file for it"));
    }
}
