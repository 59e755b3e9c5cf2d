//! Copies the README for the doctest, with one hidden line that starts its code in the root of the
//! repository.

use std::path::Path;
use std::{env, fs};

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = root.join("README.md");
    println!("cargo::rerun-if-changed={}", readme.display());
    let text = fs::read_to_string(readme).expect("a README");
    let start = format!("```rust\n# std::env::set_current_dir({root:?}).unwrap();\n");
    let out = Path::new(&env::var_os("OUT_DIR").expect("set by cargo")).join("readme.md");
    fs::write(out, text.replace("```rust\n", &start)).expect("a copy");
}
