//! Loads arbitrary bytes as a model: two bytes with the length of the settings, the settings, and the
//! weights. What is loaded encodes a formula to finite numbers, or says why not.

#![no_main]

use libfuzzer_sys::fuzz_target;
use logicvae_logic::x;
use logicvae_vae::Model;

fuzz_target!(|bytes: &[u8]| {
    let Some((length, rest)) = bytes.split_first_chunk::<2>() else { return };
    let length = usize::from(u16::from_le_bytes(*length)).min(rest.len());
    let (settings, weights) = rest.split_at(length);
    let Ok(settings) = str::from_utf8(settings) else { return };
    if let Ok(model) = Model::from_bytes(settings, weights, None) {
        model.encode(&[x(1)]).ok();
    }
});
