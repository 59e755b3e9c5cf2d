//! Tells tests of the matrix unit what this machine has: tests that it cannot run are reported as ignored.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(amx)");
    println!("cargo::rustc-check-cfg=cfg(avx512bf16)");
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bf16") {
        println!("cargo::rustc-cfg=avx512bf16");
        let features = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        if features.contains(" amx_bf16 ") && features.contains(" amx_tile ") {
            println!("cargo::rustc-cfg=amx");
        }
    }
}
