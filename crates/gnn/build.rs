//! Compiles our CUDA kernels to PTX; does nothing without the feature `cuda`.
//!
//! PTX of a newer toolkit is refused by an older driver, so it is made here, by the user's own nvcc, and not shipped.

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
    let output = PathBuf::from(env::var_os("OUT_DIR").ok_or("cargo set no OUT_DIR")?).join("kernels.ptx");
    // "8.0" is a usual way to write 80.
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
            format!("the feature `cuda` needs NVIDIA's compiler, and {nvcc} does not start ({e}): install the CUDA toolkit and set CUDA_HOME")
        })?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("{} did not compile {KERNELS} ({status})", nvcc.display()))
    }
}

/// The compiler of the toolkit that the environment names, else the one in PATH.
fn nvcc() -> PathBuf {
    let named = ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(env::var_os);
    let program = format!("nvcc{}", env::consts::EXE_SUFFIX);
    let found = named.map(|home| PathBuf::from(home).join("bin").join(&program)).find(|nvcc| nvcc.exists());
    found.unwrap_or_else(|| PathBuf::from(program))
}
