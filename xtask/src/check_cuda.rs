//! `cargo xtask check-cuda`: checks the CUDA build without a CUDA toolkit.

use std::fs;

use anyhow::Result;

use crate::cuda::{in_toolkit, need_linux};
use crate::shell::{cargo, make_executable, run, target};

/// Type-check and lint all code with the feature `cuda`, using a substitute for nvcc.
#[derive(clap::Args)]
pub struct Args {}

pub fn run_check(_: &Args) -> Result<()> {
    need_linux()?;
    let home = target().join("stand-in-cuda");
    let bin = home.join("bin");
    fs::create_dir_all(&bin)?;
    let nvcc = bin.join("nvcc");
    fs::write(&nvcc, include_str!("stand_in_nvcc.sh"))?;
    make_executable(&nvcc)?;
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
