//! Reads arbitrary bytes as a `.npy` file, and as what follows a valid beginning. Memory is bounded by the
//! bytes that are there.

#![no_main]

use libfuzzer_sys::fuzz_target;
use logicvae_kernel::read_npy;

fn read(bytes: &[u8]) {
    match read_npy(bytes) {
        Ok(matrix) => assert!(4 * matrix.len() <= bytes.len()),
        Err(error) => assert!(error.to_string().len() < 100_000),
    }
}

fuzz_target!(|bytes: &[u8]| {
    read(bytes);
    // The header with this text as its shape.
    let shape = String::from_utf8_lossy(bytes);
    let header = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({shape}), }}\n");
    if let Ok(length) = u16::try_from(header.len()) {
        let start = [b"\x93NUMPY\x01\x00", &length.to_le_bytes()[..], header.as_bytes()].concat();
        read(&[&start, bytes].concat());
    }
});
