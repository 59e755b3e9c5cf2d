//! A core for each thread. Left to itself, Linux lets two threads that work for fractions of a millisecond share one core
//! for long stretches while the other is idle, and what is measured then is chance. PyTorch's threads are bound too, by
//! OpenMP (`peer.rs`).

/// Binds the calling thread to a core, counted among those that there are.
pub fn bind(thread: usize) {
    allow(Some(thread));
}

/// Does something, such as starting another program, while the calling thread may run on all cores.
pub fn unbound<T>(work: impl FnOnce() -> T) -> T {
    allow(None);
    let result = work();
    bind(0);
    result
}

/// Lets the calling thread run on one core, or on all that the process had when this was first called. A thread that cannot
/// be bound runs all the same.
#[cfg(target_os = "linux")]
fn allow(core: Option<usize>) {
    use std::sync::OnceLock;

    static ALL: OnceLock<libc::cpu_set_t> = OnceLock::new();
    const SIZE: usize = size_of::<libc::cpu_set_t>();
    // SAFETY: a set is plain bits, as large as is said, and the numbers of cores are below its size.
    unsafe {
        let all = ALL.get_or_init(|| {
            let mut set = std::mem::zeroed();
            libc::sched_getaffinity(0, SIZE, &raw mut set);
            set
        });
        let there: Vec<usize> =
            (0..libc::CPU_SETSIZE as usize).filter(|&core| libc::CPU_ISSET(core, all)).collect();
        let mut set = *all;
        if let Some(&one) = core.and_then(|core| there.get(core % there.len().max(1))) {
            set = std::mem::zeroed();
            libc::CPU_SET(one, &mut set);
        }
        libc::sched_setaffinity(0, SIZE, &raw const set);
    }
}

#[cfg(not(target_os = "linux"))]
fn allow(_: Option<usize>) {}
