//! Non-temporal copies: for matrices much larger than the caches, in memory that has been written before.

/// Copies numbers to memory that will not be read soon, bypassing the caches. Ordinary stores would first
/// load the cache lines that they overwrite.
pub(crate) fn copy_nontemporal(to: &mut [f64], from: &[f64]) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512f") {
        // SAFETY: the check above ensures that the processor has this feature.
        return unsafe { with_avx512(to, from) };
    }
    to.copy_from_slice(from);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn with_avx512(to: &mut [f64], from: &[f64]) {
    use std::arch::x86_64::{_mm_sfence, _mm512_loadu_pd, _mm512_stream_pd};

    assert_eq!(to.len(), from.len());
    // Whole cache lines are streamed; the ends before the first and after the last are copied normally.
    let before = to.as_ptr().align_offset(64).min(to.len());
    let (head, lines) = to.split_at_mut(before);
    head.copy_from_slice(&from[..before]);
    let (lines, tail) = lines.as_chunks_mut::<8>();
    let (sources, rest) = from[before..].as_chunks::<8>();
    for (to, from) in lines.iter_mut().zip(sources) {
        // SAFETY: both arrays have eight numbers, and `to` is aligned to a cache line.
        unsafe { _mm512_stream_pd(to.as_mut_ptr(), _mm512_loadu_pd(from.as_ptr())) };
    }
    tail.copy_from_slice(rest);
    // Non-temporal stores are weakly ordered: this fence makes them visible to other threads before later
    // stores.
    _mm_sfence();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_numbers_arrive_wherever_they_begin() {
        let from: Vec<f64> = (0..100).map(f64::from).collect();
        for start in 0..20 {
            for length in [0, 1, 7, 8, 9, 50, 80] {
                let mut to = vec![-1.0; 100];
                copy_nontemporal(&mut to[start..start + length], &from[..length]);
                assert_eq!(to[start..start + length], from[..length], "{length} from {start}");
                assert!(
                    to[..start].iter().chain(&to[start + length..]).all(|&x| x == -1.0),
                    "{length} from {start}"
                );
            }
        }
    }
}
