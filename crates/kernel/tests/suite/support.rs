//! Formulae for the tests.

use logicvae_logic::{Formula, SamplerParams};

/// Random formulae of n variables. They are small, so many have equal truth tables.
pub fn pool(variables: u32, count: usize, seed: u64) -> Vec<Formula> {
    SamplerParams::new(variables)
        .check()
        .expect("valid settings")
        .distinct(seed, count)
        .expect("enough formulae")
}

pub fn formula(text: &str) -> Formula {
    text.parse().expect("a formula")
}
