//! Binds threads to cores. Otherwise Linux may let two threads with tasks of fractions of a millisecond share
//! one core for a long time while the other core is idle, which makes measurements random. PyTorch's threads
//! are bound too, by OpenMP (`peer.rs`).

/// Binds the calling thread to a core, given by its index among the available cores.
pub fn bind(thread: usize) {
    allow(Some(thread));
}

/// Calls `work`, such as the start of another program, while the calling thread may run on all cores.
pub fn unbound<T>(work: impl FnOnce() -> T) -> T {
    allow(None);
    let result = work();
    bind(0);
    result
}

/// Lets the calling thread run on one core, or on all cores that the process had at the first call. Failures
/// are ignored: the thread then runs unbound.
#[cfg(target_os = "linux")]
fn allow(core: Option<usize>) {
    use std::sync::OnceLock;

    static ALL: OnceLock<libc::cpu_set_t> = OnceLock::new();
    const SIZE: usize = size_of::<libc::cpu_set_t>();
    // SAFETY: a set is plain data of the given size, and the indices of cores are below `CPU_SETSIZE`.
    unsafe {
        let all = ALL.get_or_init(|| {
            let mut set = std::mem::zeroed();
            libc::sched_getaffinity(0, SIZE, &raw mut set);
            set
        });
        let available: Vec<usize> =
            (0..libc::CPU_SETSIZE as usize).filter(|&core| libc::CPU_ISSET(core, all)).collect();
        let mut set = *all;
        if let Some(&one) = core.and_then(|core| available.get(core % available.len().max(1))) {
            set = std::mem::zeroed();
            libc::CPU_SET(one, &mut set);
        }
        libc::sched_setaffinity(0, SIZE, &raw const set);
    }
}

#[cfg(not(target_os = "linux"))]
fn allow(_: Option<usize>) {}
