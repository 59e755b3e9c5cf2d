//! Compiles the CUDA kernels to PTX if the feature `cuda` is enabled.
//!
//! PTX is compiled on the user's machine and not shipped, because a driver rejects PTX of a newer toolkit.

use std::env;
use std::path::PathBuf;
use std::process::Command;

const KERNELS: &str = "src/cuda/kernels.cu";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if env::var_os("CARGO_FEATURE_CUDA").is_none() {
        return;
    }
    println!("cargo::rerun-if-changed={KERNELS}");
    for variable in ["CUDA_HOME", "CUDA_PATH", "CUDA_COMPUTE_CAP", "PATH"] {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    if let Err(message) = compile() {
        println!("cargo::error={message}");
    }
}

fn compile() -> Result<(), String> {
    let output = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?).join("kernels.ptx");
    // 80 is often written as "8.0".
    let capability =
        env::var("CUDA_COMPUTE_CAP").map_or("80".to_owned(), |written| written.trim().replace('.', ""));
    let nvcc = nvcc();
    let status = Command::new(&nvcc)
        .arg("--ptx")
        .arg(format!("-gencode=arch=compute_{capability},code=compute_{capability}"))
        .arg("-o")
        .arg(output)
        .arg(KERNELS)
        .status()
        .map_err(|e| {
            let nvcc = nvcc.display();
            format!(
                "the feature `cuda` needs NVIDIA's compiler, but {nvcc} cannot be started ({e}): install the \
                 CUDA toolkit and set CUDA_HOME"
            )
        })?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("{} could not compile {KERNELS} ({status})", nvcc.display()))
    }
}

/// The compiler of the toolkit that the environment variables name, otherwise the one in PATH.
fn nvcc() -> PathBuf {
    let named = ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(env::var_os);
    let program = format!("nvcc{}", env::consts::EXE_SUFFIX);
    let found = named.map(|home| PathBuf::from(home).join("bin").join(&program)).find(|nvcc| nvcc.exists());
    found.unwrap_or_else(|| PathBuf::from(program))
}
