//! Keeping memory between steps.

/// Tells the C library to keep freed memory for the next step, instead of giving it back to the system, which would clear
/// every page of it anew. Worth a third of a training step; a program that trains calls it once, at its start. A library
/// must not decide this for its user, so nothing here calls it.
///
/// Does something with glibc alone; elsewhere nothing.
pub fn keep_freed_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        const LARGEST: i32 = 1 << 30;
        // SAFETY: mallopt changes numbers that the allocator reads; it may be called at any time, and a refusal is harmless.
        unsafe {
            libc::mallopt(libc::M_MMAP_THRESHOLD, LARGEST);
            libc::mallopt(libc::M_TRIM_THRESHOLD, i32::MAX);
        }
    }
}
