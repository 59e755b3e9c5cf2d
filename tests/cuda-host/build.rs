//! Compiles the kernels as C++, with a shim in place of CUDA.

fn main() {
    for changed in ["build.rs", "shim", "../../crates/gnn/src/cuda/kernels.cu"] {
        println!("cargo::rerun-if-changed={changed}");
    }
    cc::Build::new()
        .cpp(true)
        .std("c++17")
        // No fused multiply-add: every operation is rounded separately, on every processor.
        .flag_if_supported("-ffp-contract=off")
        .files(["shim/fibers.cpp", "shim/kernels.cpp", "shim/faulty.cpp"])
        .compile("logicvae_cuda_host");
}
