//! `cargo xtask check-cuda`: the CUDA build without a CUDA toolkit.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use anyhow::{Context, Result};

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
    let path =
        std::env::join_paths(std::iter::once(bin).chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())))
            .context("PATH with the stand-in in front")?;
    let mut clippy = cargo();
    clippy.args(["clippy", "--package", "logicvae-gnn", "--features", "cuda", "--all-targets", "--", "-D", "warnings"]);
    // A target folder of its own: nothing built with the stand-in may be taken for the real thing.
    clippy.env("PATH", path).env("CUDA_HOME", &home).env("CUDA_COMPUTE_CAP", "80").env("CARGO_TARGET_DIR", home.join("target"));
    run(&mut clippy)
}
