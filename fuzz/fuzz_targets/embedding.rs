//! Reads arbitrary bytes as an embedding, and as the frames of a valid container: the checksums that stop
//! most damage would stop a fuzzer as well.

#![no_main]

use libfuzzer_sys::fuzz_target;
use logicvae_kernel::Embedding;
use logicvae_logic::{ContainerWriter, x};

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
    // Each frame begins with its length, in two bytes.
    let mut container = ContainerWriter::new(Vec::new(), *b"embd", 1).unwrap();
    let mut rest = bytes;
    while let Some((length, after)) = rest.split_first_chunk::<2>() {
        let length = usize::from(u16::from_le_bytes(*length)).min(after.len());
        let (frame, after) = after.split_at(length);
        container.frame(frame).unwrap();
        rest = after;
    }
    read(&container.finish().unwrap());
});
