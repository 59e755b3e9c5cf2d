//! Pools to test on.

use logicvae_logic::{Formula, SamplerParams};

/// Random formulae of n variables, as small as they come, so that truth tables repeat.
pub fn pool(variables: u32, count: usize, seed: u64) -> Vec<Formula> {
    SamplerParams::new(variables).check().expect("good settings").distinct(seed, count).expect("enough")
}

pub fn formula(text: &str) -> Formula {
    text.parse().expect("a formula")
}
