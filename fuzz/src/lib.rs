//! What several targets share.

use logicvae_logic::ContainerWriter;

/// Arbitrary bytes as the frames of a valid container: the checksums that stop most damage would stop a
/// fuzzer as well. Each frame begins with its length, in two bytes.
pub fn container(magic: [u8; 4], bytes: &[u8]) -> Vec<u8> {
    let mut container = ContainerWriter::new(Vec::new(), magic, 1).unwrap();
    let mut rest = bytes;
    while let Some((length, after)) = rest.split_first_chunk::<2>() {
        let length = usize::from(u16::from_le_bytes(*length)).min(after.len());
        let (frame, after) = after.split_at(length);
        container.frame(frame).unwrap();
        rest = after;
    }
    container.finish().unwrap()
}
