//! Random numbers and hashes shared by all crates of the workspace, so that a seed has the same meaning
//! everywhere.

use rand_chacha::rand_core::Rng;

/// Draws a number uniformly from [0, 1), with 53 random bits.
///
/// ```
/// use rand_chacha::ChaCha8Rng;
/// use rand_chacha::rand_core::SeedableRng;
/// let u = logicvae_logic::uniform(&mut ChaCha8Rng::seed_from_u64(1));
/// assert!((0.0..1.0).contains(&u));
/// ```
pub fn uniform(rng: &mut impl Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

/// The 64-bit FNV-1a hash of a text. Unlike the standard library's hash, it is the same on every machine and
/// in every version, so it can be stored in files.
pub fn fnv1a(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
}

/// The increment of SplitMix64: 2⁶⁴ divided by the golden ratio.
pub const GOLDEN_GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// One output of SplitMix64 from the state `x`: every input bit affects every output bit.
pub fn mix64(x: u64) -> u64 {
    let x = x.wrapping_add(GOLDEN_GAMMA);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_test_vectors() {
        assert_eq!(fnv1a(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a("foobar"), 0x8594_4171_f739_67e8);
        // The first output of SplitMix64 seeded with 0.
        assert_eq!(mix64(0), 0xe220_a839_7b1d_cdaf);
    }
}
