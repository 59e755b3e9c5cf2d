//! `cargo xtask reproduce` with programs that stand in for cargo and for the suite.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

fn script(path: &Path, text: &str) {
    fs::write(path, format!("#!/bin/sh\n{text}\n")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn the_build_is_announced_before_it_begins() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("target");
    fs::create_dir_all(target.join("release")).unwrap();
    let cargo = folder.path().join("cargo");
    script(&cargo, "echo \"   Compiling with $*\" >&2");
    script(&target.join("release/logicvae-suite"), "echo suite $*");
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.args(["reproduce", "--list"]).env("CARGO", &cargo).env("CARGO_TARGET_DIR", &target);
    let output = command.output().unwrap();
    let (out, err) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(output.status.success(), "{err}");
    let lines: Vec<&str> = err.lines().collect();
    assert!(lines[0].starts_with("building logicvae and logicvae-suite"), "{err}");
    // The output of cargo is shown.
    assert!(lines[1].starts_with("   Compiling with build --release"), "{err}");
    assert_eq!(out, "suite --list\n");
}
