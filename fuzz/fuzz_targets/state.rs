//! Reads arbitrary bytes as the state of a training, and as the frames of a valid container.

#![no_main]

use libfuzzer_sys::fuzz_target;
use logicvae_logic::ContainerWriter;
use logicvae_vae::Checkpoint;

fn read(bytes: &[u8]) {
    if let Ok((_, epochs)) = Checkpoint::peek(bytes) {
        std::hint::black_box(epochs);
    }
    Checkpoint::verify(b"weights", bytes).ok();
}

fuzz_target!(|bytes: &[u8]| {
    read(bytes);
    // Each frame begins with its length, in two bytes.
    let mut container = ContainerWriter::new(Vec::new(), *b"trst", 1).unwrap();
    let mut rest = bytes;
    while let Some((length, after)) = rest.split_first_chunk::<2>() {
        let length = usize::from(u16::from_le_bytes(*length)).min(after.len());
        let (frame, after) = after.split_at(length);
        container.frame(frame).unwrap();
        rest = after;
    }
    read(&container.finish().unwrap());
});
