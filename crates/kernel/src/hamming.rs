//! Hamming distances: XOR and population count, compiled for the widest vector instructions of the processor.

/// The Hamming distance between `row` and each row of `rows`, which have `row.len()` words each.
pub(crate) fn hamming_distances(row: &[u64], rows: &[u64], out: &mut [u32]) {
    #[cfg(target_arch = "x86_64")]
    {
        if has_avx512() {
            // SAFETY: the check above ensures that the processor has these features.
            return unsafe { with_avx512(row, rows, out) };
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt") {
            // SAFETY: the check above ensures that the processor has these features.
            return unsafe { with_avx2(row, rows, out) };
        }
    }
    portable(row, rows, out);
}

#[cfg(target_arch = "x86_64")]
fn has_avx512() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512vpopcntdq")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512bw")
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vpopcntdq,avx512vl,avx512bw")]
fn with_avx512(row: &[u64], rows: &[u64], out: &mut [u32]) {
    portable(row, rows, out);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,popcnt")]
fn with_avx2(row: &[u64], rows: &[u64], out: &mut [u32]) {
    portable(row, rows, out);
}

/// The most frequent widths have their own loops, whose length is known to the compiler.
#[inline(always)]
fn portable(row: &[u64], rows: &[u64], out: &mut [u32]) {
    match row.len() {
        1 => fixed::<1>(row, rows, out),
        2 => fixed::<2>(row, rows, out),
        4 => fixed::<4>(row, rows, out),
        8 => fixed::<8>(row, rows, out),
        16 => fixed::<16>(row, rows, out),
        words => rows.chunks_exact(words).zip(out).for_each(|(other, out)| *out = distance(row, other)),
    }
}

#[inline(always)]
fn fixed<const W: usize>(row: &[u64], rows: &[u64], out: &mut [u32]) {
    let Ok(row) = <&[u64; W]>::try_from(row) else { return };
    let (others, _) = rows.as_chunks::<W>();
    others.iter().zip(out).for_each(|(other, out)| *out = distance(row, other));
}

#[inline(always)]
fn distance(a: &[u64], b: &[u64]) -> u32 {
    a.iter().zip(b).map(|(a, b)| (a ^ b).count_ones()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    type Version = fn(&[u64], &[u64], &mut [u32]);

    /// All versions that this processor can run.
    fn versions() -> Vec<(&'static str, Version)> {
        #[cfg_attr(not(target_arch = "x86_64"), allow(unused_mut))]
        let mut all: Vec<(&'static str, Version)> =
            vec![("portable", portable), ("chosen", hamming_distances)];
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt") {
                // SAFETY: the check above ensures that the processor has these features.
                all.push(("AVX2", |row, rows, out| unsafe { with_avx2(row, rows, out) }));
            }
            if has_avx512() {
                // SAFETY: the check above ensures that the processor has these features.
                all.push(("AVX-512", |row, rows, out| unsafe { with_avx512(row, rows, out) }));
            }
        }
        all
    }

    #[test]
    fn every_version_counts_the_same() {
        for words in 1..=20 {
            let rows: Vec<u64> = (0..37 * words as u64)
                .map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(i as u32 % 64))
                .collect();
            let row = &rows[words..2 * words];
            let naive: Vec<u32> = rows
                .chunks(words)
                .map(|other| {
                    (0..64 * words).filter(|b| (row[b / 64] ^ other[b / 64]) >> (b % 64) & 1 == 1).count()
                        as u32
                })
                .collect();
            for (name, version) in versions() {
                let mut counts = vec![0; 37];
                version(row, &rows, &mut counts);
                assert_eq!(counts, naive, "{name}, {words} words");
            }
        }
    }
}
