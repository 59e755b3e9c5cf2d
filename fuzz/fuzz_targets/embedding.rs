//! Reads arbitrary bytes as an embedding, and as the frames of a valid container.

#![no_main]

use libfuzzer_sys::fuzz_target;
use logicvae_kernel::Embedding;
use logicvae_logic::x;

fn read(bytes: &[u8]) {
    if let Ok(embedding) = Embedding::load(bytes) {
        let mut again = Vec::new();
        embedding.save(&mut again).unwrap();
        assert!(Embedding::load(&again[..]).is_ok_and(|found| found == embedding));
        embedding.transform(&[x(1)]).ok();
    }
}

fuzz_target!(|bytes: &[u8]| {
    read(bytes);
    read(&logicvae_fuzz::container(*b"embd", bytes));
});
