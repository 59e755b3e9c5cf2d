//! Tells tests of the AVX-512 evaluator whether this machine can run them: if not, they are reported as
//! ignored.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(avx512_evaluator)");
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512vbmi2") {
        println!("cargo::rustc-cfg=avx512_evaluator");
    }
}
