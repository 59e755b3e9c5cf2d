//! Reads arbitrary bytes as the state of a training, and as the frames of a valid container.

#![no_main]

use libfuzzer_sys::fuzz_target;
use logicvae_vae::Checkpoint;

fn read(bytes: &[u8]) {
    if let Ok((_, epochs)) = Checkpoint::peek(bytes) {
        std::hint::black_box(epochs);
    }
    Checkpoint::verify(b"weights", bytes).ok();
}

fuzz_target!(|bytes: &[u8]| {
    read(bytes);
    read(&logicvae_fuzz::container(*b"trst", bytes));
});
