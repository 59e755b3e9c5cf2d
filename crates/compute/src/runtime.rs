//! Settings of the whole process that make training faster. A library must not decide them for its user, so
//! only programs call these functions.

/// Stops candle from starting its own threads, unless the user has set `CANDLE_NUM_THREADS`: they wait by
/// spinning, which costs a fifth of a training step. Call it first thing in `main`, before any other thread
/// runs, since it changes an environment variable.
#[allow(unsafe_code)]
pub fn limit_candle_threads() {
    if std::env::var_os("CANDLE_NUM_THREADS").is_none() {
        // SAFETY: the caller guarantees that no other thread runs yet.
        unsafe { std::env::set_var("CANDLE_NUM_THREADS", "1") };
    }
}

/// Tells the C library to keep freed memory for the next step instead of returning it to the system, which
/// would clear every page again. That is worth a third of a training step. It has an effect with glibc only.
#[allow(unsafe_code)]
pub fn keep_freed_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        const LARGEST: i32 = 1 << 30;
        // SAFETY: mallopt sets numbers that the allocator reads. It may be called at any time, and a refusal
        // is harmless.
        unsafe {
            libc::mallopt(libc::M_MMAP_THRESHOLD, LARGEST);
            libc::mallopt(libc::M_TRIM_THRESHOLD, i32::MAX);
        }
    }
}
