//! `cargo xtask package`: checks that the packages of all published crates are small and complete.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::shell::{cargo, output, run_step, target};

/// Build the packages of all published crates, in the order of their dependencies, and check their content.
#[derive(clap::Args)]
pub struct Args {
    /// Also compile each crate from its package, as `cargo publish --dry-run` does. Nothing is uploaded.
    #[arg(long)]
    publish_dry_run: bool,
}

/// The maximum size of a compressed package. The registry allows 10 MiB; `logicvae-vae` contains a model.
const MAX_KIBIBYTES: u64 = 6144;

/// The fields of a manifest that the registry shows.
const FIELDS: [&str; 5] = ["description", "license", "repository", "readme", "rust_version"];

pub fn run(args: &Args) -> Result<()> {
    let metadata = output(cargo().args(["metadata", "--no-deps", "--format-version=1"]))?;
    let packages = published(&serde_json::from_str(&metadata)?)?;
    let problems: Vec<String> = packages.iter().flat_map(manifest_problems).collect();
    ensure!(problems.is_empty(), "some crates cannot be published:\n  {}", problems.join("\n  "));
    let mut problems = Vec::new();
    println!("{:<20}{:>6}{:>15}", "crate", "files", "unpacked, KiB");
    for package in &packages {
        let name = text(package, "name");
        let listed = output(cargo().args(["package", "--list", "--allow-dirty", "--package", name]))?;
        let folder = Path::new(text(package, "manifest_path")).parent().unwrap_or(Path::new("."));
        let files: BTreeSet<String> = listed.lines().map(|line| line.replace('\\', "/")).collect();
        let bytes: u64 =
            files.iter().filter_map(|file| fs::metadata(folder.join(file)).ok()).map(|m| m.len()).sum();
        println!("{name:<20}{:>6}{:>15}", files.len(), bytes.div_ceil(1024));
        let mut source = Vec::new();
        for part in ["src", "examples", "assets", "build.rs"] {
            walk(&folder.join(part), part, &mut source)?;
        }
        let left_out = source.iter().filter(|file| !files.contains(*file));
        problems.extend(left_out.map(|file| format!("{name}: {file} is not in the package")));
    }
    ensure!(problems.is_empty(), "some packages are incomplete:\n  {}", problems.join("\n  "));

    let names: Vec<&str> = packages.iter().flat_map(|package| ["--package", text(package, "name")]).collect();
    // Packaged together, crates that are not in the registry yet can depend on each other.
    run_step("packages", cargo().args(["package", "--no-verify", "--allow-dirty"]).args(&names))?;
    for package in &packages {
        let file = format!("{}-{}.crate", text(package, "name"), text(package, "version"));
        let path = target().join("package").join(&file);
        let bytes = fs::metadata(&path).with_context(|| format!("cannot find {}", path.display()))?.len();
        let size = bytes.div_ceil(1024);
        println!("{file:<32}{size:>6} KiB");
        if size > MAX_KIBIBYTES {
            bail!(
                "{file} has {size} KiB, but only {MAX_KIBIBYTES} are allowed: exclude files in its manifest"
            );
        }
    }
    if args.publish_dry_run {
        run_step(
            "cargo publish --dry-run",
            cargo().args(["publish", "--dry-run", "--allow-dirty"]).args(&names),
        )?;
    }
    Ok(())
}

fn text<'a>(package: &'a Value, key: &str) -> &'a str {
    package[key].as_str().unwrap_or_default()
}

/// The published members of the workspace, each after its dependencies.
fn published(metadata: &Value) -> Result<Vec<Value>> {
    let all = metadata["packages"].as_array().context("cargo metadata lists no packages")?;
    // `publish = false` is an empty list of registries.
    let is_published = |package: &Value| package["publish"] != serde_json::json!([]);
    let mut waiting: BTreeMap<&str, &Value> = all
        .iter()
        .filter(|package| is_published(package))
        .map(|package| (text(package, "name"), package))
        .collect();
    let private: BTreeSet<&str> =
        all.iter().filter(|package| !is_published(package)).map(|package| text(package, "name")).collect();
    let mut ordered = Vec::new();
    while !waiting.is_empty() {
        let next =
            waiting.iter().find(|(_, package)| !dependencies(package).any(|name| waiting.contains_key(name)));
        let (&name, &package) = next.context("published crates depend on each other in a cycle")?;
        if let Some(other) = dependencies(package).find(|other| private.contains(other)) {
            bail!(
                "{name} is published but depends on {other}, which is not: change `publish` of one of them"
            );
        }
        waiting.remove(name);
        ordered.push(package.clone());
    }
    Ok(ordered)
}

/// The members that a package depends on, without those that only its tests need.
fn dependencies(package: &Value) -> impl Iterator<Item = &str> {
    let dependencies = package["dependencies"].as_array().map(Vec::as_slice).unwrap_or_default();
    dependencies.iter().filter(|d| d["path"].is_string() && d["kind"] != "dev").map(|d| text(d, "name"))
}

/// The problems of a package's manifest.
fn manifest_problems(package: &Value) -> Vec<String> {
    let name = text(package, "name");
    let absent = |what: &str| format!("{name}: its Cargo.toml has no `{what}`");
    let mut problems: Vec<String> =
        FIELDS.iter().filter(|field| !package[**field].is_string()).map(|field| absent(field)).collect();
    let targets = package["targets"].as_array().map(Vec::as_slice).unwrap_or_default();
    let library =
        targets.iter().any(|t| t["kind"].as_array().is_some_and(|kinds| kinds.contains(&"lib".into())));
    if library && !package["metadata"]["docs"]["rs"].is_object() {
        problems.push(absent("package.metadata.docs.rs"));
    }
    let folder = Path::new(text(package, "manifest_path")).parent().unwrap_or(Path::new("."));
    if package["readme"].is_string() && !folder.join(text(package, "readme")).is_file() {
        problems.push(format!("{name}: there is no {}", text(package, "readme")));
    }
    problems
}

/// Adds all files below a path, with the names that they have in a package.
fn walk(path: &Path, name: &str, files: &mut Vec<String>) -> Result<()> {
    if path.is_file() {
        files.push(name.to_owned());
    }
    if path.is_dir() {
        for entry in fs::read_dir(path).with_context(|| path.display().to_string())? {
            let entry = entry?;
            walk(&entry.path(), &format!("{name}/{}", entry.file_name().to_string_lossy()), files)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn package(name: &str, needs: &[&str], publish: Value) -> Value {
        let mut dependencies: Vec<Value> =
            needs.iter().map(|name| json!({ "name": name, "path": "/x", "kind": null })).collect();
        dependencies.push(json!({ "name": "serde", "path": null, "kind": null }));
        // Tests may depend on a crate that depends on this one.
        dependencies.push(json!({ "name": "top", "path": "/x", "kind": "dev" }));
        json!({ "name": name, "dependencies": dependencies, "publish": publish })
    }

    #[test]
    fn crates_follow_their_dependencies() {
        let all = [
            package("top", &["middle", "base"], json!(null)),
            package("tool", &["top"], json!([])),
            package("middle", &["base"], json!(null)),
            package("base", &[], json!(null)),
        ];
        let order = published(&json!({ "packages": all })).unwrap();
        assert_eq!(order.iter().map(|p| text(p, "name")).collect::<Vec<_>>(), ["base", "middle", "top"]);
    }

    #[test]
    fn cycles_and_unpublished_dependencies_are_errors() {
        let circle = [package("a", &["b"], json!(null)), package("b", &["a"], json!(null))];
        assert!(published(&json!({ "packages": circle })).unwrap_err().to_string().contains("cycle"));
        let hidden = [package("a", &["b"], json!(null)), package("b", &[], json!([]))];
        assert!(published(&json!({ "packages": hidden })).unwrap_err().to_string().contains("depends on b"));
    }

    #[test]
    fn incomplete_manifests_are_reported() {
        let mut full =
            json!({ "name": "a", "targets": [{ "kind": ["lib"] }], "metadata": { "docs": { "rs": {} } } });
        for field in FIELDS.iter().filter(|field| **field != "readme") {
            full[field] = json!("text");
        }
        assert_eq!(manifest_problems(&full), ["a: its Cargo.toml has no `readme`"]);
        full["readme"] = json!("NONE.md");
        assert_eq!(manifest_problems(&full), ["a: there is no NONE.md"]);
        full["metadata"] = json!(null);
        assert!(
            manifest_problems(&full)
                .contains(&"a: its Cargo.toml has no `package.metadata.docs.rs`".to_owned())
        );
    }
}
