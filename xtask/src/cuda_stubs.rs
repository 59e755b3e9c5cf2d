//! Stub libraries of CUDA, to link against on machines without a driver.
//!
//! candle links CUDA's libraries by name, so they must exist for a program to be linked and to start. The
//! wheels of the compiler do not contain them, and the real ones take gigabytes. Ours have every function
//! that cudarc declares, and each of them returns an error. A program that is linked against them runs, and
//! finds no GPU.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::cuda::link;
use crate::shell::{cargo, command, output, run};

struct Library {
    name: &'static str,
    /// The file name that the dynamic linker looks for.
    soname: &'static str,
    /// The module of cudarc with the declarations.
    module: &'static str,
    /// The error code that its functions return.
    error: u32,
    /// The folder within that of the libraries: toolkits keep the driver's stubs in one of their own.
    folder: &'static str,
}

const LIBRARIES: [Library; 5] = [
    // 100 is "no device". The other codes are "not initialised" or "internal error".
    Library { name: "cuda", soname: "libcuda.so.1", module: "driver", error: 100, folder: "stubs" },
    Library { name: "cublas", soname: "libcublas.so.13", module: "cublas", error: 1, folder: "" },
    Library { name: "cublasLt", soname: "libcublasLt.so.13", module: "cublaslt", error: 1, folder: "" },
    Library { name: "curand", soname: "libcurand.so.10", module: "curand", error: 203, folder: "" },
    Library { name: "nvrtc", soname: "libnvrtc.so.13", module: "nvrtc", error: 11, folder: "" },
];

/// Compiles the stub libraries into a folder.
pub fn make(libraries: &Path) -> Result<()> {
    let cudarc = cudarc()?;
    for library in LIBRARIES {
        let declarations = fs::read_to_string(cudarc.join("src").join(library.module).join("sys/mod.rs"))
            .with_context(|| format!("cannot read cudarc's declarations of {}", library.name))?;
        let code = stubs(&declarations, library.error)?;
        let folder = libraries.join(library.folder);
        let source = folder.join(format!("{}_stubs.c", library.name));
        let shared = folder.join(library.soname);
        // Compiled only if it changes, since a newer library would cause everything to be linked again.
        if shared.exists() && fs::read_to_string(&source).is_ok_and(|old| old == code) {
            continue;
        }
        fs::write(&source, code)?;
        let mut compile = command("cc");
        compile.args(["-O1", "-w", "-shared", "-fPIC"]).arg(format!("-Wl,-soname,{}", library.soname));
        run(compile.arg("-o").arg(&shared).arg(&source))?;
        link(Path::new(library.soname), &folder.join(format!("lib{}.so", library.name)))?;
    }
    Ok(())
}

/// The folder with the sources of the cudarc version that the workspace uses.
fn cudarc() -> Result<PathBuf> {
    let flags = ["metadata", "--format-version=1", "--locked", "--features", "logicvae-gnn/cuda"];
    let metadata: Value = serde_json::from_str(&output(cargo().args(flags))?)?;
    let packages = metadata["packages"].as_array().context("cargo metadata lists no packages")?;
    let manifest = packages.iter().find(|p| p["name"] == "cudarc").and_then(|p| p["manifest_path"].as_str());
    let folder =
        manifest.and_then(|path| Path::new(path).parent()).context("cudarc is not among the dependencies")?;
    Ok(folder.to_owned())
}

/// C code with one stub per function that is declared in a block `extern "C" { … }`.
fn stubs(declarations: &str, error: u32) -> Result<String> {
    // Some functions are declared more than once, for different versions of CUDA.
    let mut functions = BTreeMap::new();
    for block in declarations.split("extern \"C\" {").skip(1) {
        let signature = block.split(';').next().unwrap_or_default();
        let (name, rest) = signature
            .split_once("fn ")
            .and_then(|(_, f)| f.split_once('('))
            .with_context(|| format!("no function is declared in `{signature}`"))?;
        let code = if name == "cuGetErrorName" || name == "cuGetErrorString" {
            format!(
                "int {name}(int error, const char** text) {{ *text = \"stub without a driver\"; return 0; }}"
            )
        } else if rest.contains("-> *const ::core::ffi::c_char") {
            format!("const char* {name}(int error) {{ return \"stub without a driver\"; }}")
        } else {
            format!("int {name}(void) {{ return {error}; }}")
        };
        functions.insert(name, code);
    }
    ensure!(!functions.is_empty(), "no functions are declared");
    let mut code = String::new();
    for function in functions.values() {
        writeln!(code, "{function}")?;
    }
    Ok(code)
}

#[cfg(test)]
mod tests {
    use super::stubs;

    #[test]
    fn functions_that_return_text_return_a_message() {
        let declarations = r#"
            extern "C" { fn cuInit(flags: u32) -> CUresult; }
            extern "C" {
                #[cfg(x)]
                fn cuGetErrorName(error: CUresult, text: *mut *const ::core::ffi::c_char) -> CUresult;
            }
            extern "C" { fn nvrtcGetErrorString(result: nvrtcResult) -> *const ::core::ffi::c_char; }
            extern "C" { fn cuInit(flags: u32) -> CUresult; }
            type F = unsafe extern "C" fn(u32) -> CUresult;
        "#;
        let code = stubs(declarations, 100).expect("valid declarations");
        let lines: Vec<_> =
            code.lines().map(|line| line.split('{').next().unwrap_or_default().trim()).collect();
        let wanted = [
            "int cuGetErrorName(int error, const char** text)",
            "int cuInit(void)",
            "const char* nvrtcGetErrorString(int error)",
        ];
        assert_eq!(lines, wanted);
        assert!(code.contains("return 100;"), "{code}");
    }
}
