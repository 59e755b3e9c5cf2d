//! `cargo xtask test --cuda`: compiles and links the CUDA build with a real nvcc. No GPU is needed.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::cuda_stubs;
use crate::shell::{self, cargo, command, print_to_stderr, root, run_step, symlink, target};

/// The compiler of CUDA 13.0. All versions are pinned, because ptxas rejects the output of a newer nvvm.
const WHEELS: [&str; 5] = [
    "nvidia-cuda-nvcc==13.0.88",
    "nvidia-nvvm==13.0.88",
    "nvidia-cuda-crt==13.0.88",
    "nvidia-cuda-runtime==13.0.96",
    "nvidia-cuda-cccl==13.0.85",
];

/// The target architecture: the first with bfloat16, which candle's kernels use.
const COMPUTE_CAP: &str = "80";

/// Compiles our kernels, builds and links the crate with the feature `cuda`, and runs its tests.
pub fn run() -> Result<()> {
    need_linux()?;
    let home = toolkit()?;
    let mut cubin = command(home.join("bin/nvcc"));
    cubin.arg("-cubin").arg(format!("-arch=sm_{COMPUTE_CAP}")).arg("--resource-usage");
    cubin.arg("-o").arg(home.join("kernels.cubin")).arg(root().join("crates/gnn/src/cuda/kernels.cu"));
    run_step("kernels to a cubin", in_toolkit(&mut cubin, &home)?)?;

    let gnn = ["--package", "logicvae-gnn", "--features", "cuda"];
    let mut build = cargo();
    build.args(["test", "--no-run"]).args(gnn);
    run_step(
        "build and link (candle's kernels take ten minutes the first time)",
        in_toolkit(&mut build, &home)?,
    )?;

    let mut test = cargo();
    test.arg("test").args(gnn);
    // Without a driver, the program cannot even start unless it finds the stub libraries.
    test.env("LD_LIBRARY_PATH", prepended([home.join("lib"), home.join("lib/stubs")], "LD_LIBRARY_PATH")?);
    run_step("tests", in_toolkit(&mut test, &home)?)
}

/// Fails unless this is Linux: the parts of the toolkit and the stub libraries are for Linux only.
pub fn need_linux() -> Result<()> {
    ensure!(cfg!(target_os = "linux"), "the CUDA build can only be checked on Linux");
    Ok(())
}

/// Makes a program use the toolkit in `home`, with a separate target folder for each toolkit. Nothing that
/// was built with the substitute may be mistaken for a real build.
pub fn in_toolkit<'a>(command: &'a mut Command, home: &Path) -> Result<&'a mut Command> {
    command
        .env("PATH", prepended([home.join("bin")], "PATH")?)
        .env("CUDA_HOME", home)
        .env("CUDA_COMPUTE_CAP", COMPUTE_CAP);
    // These variables would lead a build script to another toolkit.
    Ok(command.env_remove("CUDA_PATH").env_remove("NVCC").env("CARGO_TARGET_DIR", home.join("target")))
}

/// A list of folders from the environment, with more folders in front.
fn prepended<const N: usize>(folders: [PathBuf; N], variable: &str) -> Result<OsString> {
    let inherited = std::env::var_os(variable).unwrap_or_default();
    // An empty entry would be the current folder.
    let inherited = std::env::split_paths(&inherited).filter(|folder| !folder.as_os_str().is_empty());
    std::env::join_paths(folders.into_iter().chain(inherited))
        .with_context(|| format!("cannot add folders to {variable}"))
}

/// A CUDA toolkit that can compile and link. It is installed once, and again when the list of wheels changes.
fn toolkit() -> Result<PathBuf> {
    let home = target().join("cuda");
    let wheels = home.join("wheels");
    let installed = wheels.join("installed.txt");
    let wanted = WHEELS.join("\n");
    if !fs::read_to_string(&installed).is_ok_and(|list| list == wanted) {
        eprintln!("── installing nvcc into {}", wheels.display());
        remove(&wheels)?;
        let mut pip = command("python3");
        pip.args(["-m", "pip", "install", "--no-deps", "--target"]).arg(&wheels).args(WHEELS);
        shell::run(print_to_stderr(&mut pip))
            .context("the CUDA compiler is installed with python3 and pip")?;
        fs::write(&installed, wanted)?;
    }
    let parts = wheels.join("nvidia/cu13");
    for folder in ["bin", "include", "nvvm"] {
        link(&parts.join(folder), &home.join(folder))?;
    }
    let libraries = home.join("lib");
    fs::create_dir_all(libraries.join("stubs"))?;
    link(Path::new("lib"), &home.join("lib64"))?;
    for entry in fs::read_dir(parts.join("lib"))? {
        let entry = entry?;
        link(&entry.path(), &libraries.join(entry.file_name()))?;
    }
    link(Path::new("libcudart.so.13"), &libraries.join("libcudart.so"))?;
    cuda_stubs::make(&libraries)?;
    Ok(home)
}

/// Creates a symbolic link, replacing what exists there.
pub fn link(original: &Path, link: &Path) -> Result<()> {
    remove(link)?;
    symlink(original, link).with_context(|| format!("cannot link {}", link.display()))
}

/// Removes a file, a link or a folder, if it exists.
fn remove(path: &Path) -> Result<()> {
    match path.symlink_metadata() {
        Ok(found) if found.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(_) => return Ok(()),
    }
    .with_context(|| format!("cannot remove {}", path.display()))
}
