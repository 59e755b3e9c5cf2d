//! `cargo xtask check-cuda`: the CUDA build without a CUDA toolkit.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use anyhow::Result;

use crate::cuda::in_toolkit;
use crate::shell::{cargo, run, target};

/// Type-check and lint everything with the feature `cuda`, with a stand-in for nvcc.
#[derive(clap::Args)]
pub struct Args {}

pub fn run_check(_: &Args) -> Result<()> {
    let home = target().join("stand-in-cuda");
    let bin = home.join("bin");
    fs::create_dir_all(&bin)?;
    let nvcc = bin.join("nvcc");
    fs::write(&nvcc, include_str!("stand_in_nvcc.sh"))?;
    fs::set_permissions(&nvcc, fs::Permissions::from_mode(0o755))?;
    let mut clippy = cargo();
    clippy.args([
        "clippy",
        "--package",
        "logicvae-gnn",
        "--package",
        "logicvae-vae",
        "--package",
        "logicvae-cli",
    ]);
    clippy.args(["--features", "logicvae-cli/cuda", "--all-targets", "--", "-D", "warnings"]);
    run(in_toolkit(&mut clippy, &home)?)
}
