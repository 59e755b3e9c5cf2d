//! Reads arbitrary bytes as a file, after a valid header, and as the payload of a valid frame. Nothing may
//! panic.

#![no_main]

use libfuzzer_sys::fuzz_target;
use logicvae_logic::{BinaryWriter, ContainerWriter, Formula, FormulaReader};

fn read(bytes: &[u8]) -> Vec<Formula> {
    let Ok(reader) = FormulaReader::new(bytes) else { return Vec::new() };
    reader.map_while(Result::ok).collect()
}

fuzz_target!(|bytes: &[u8]| {
    read(bytes);
    read(&[b"LOGICVAEform\x01\0\0\0", bytes].concat());

    let mut container = ContainerWriter::new(Vec::new(), *b"form", 1).unwrap();
    container.frame(bytes).unwrap();
    let formulae = read(&container.finish().unwrap());

    // Formulae that were read can be written and read again.
    let mut writer = BinaryWriter::new(Vec::new()).unwrap();
    formulae.iter().for_each(|f| writer.write(f).unwrap());
    assert_eq!(read(&writer.finish().unwrap()), formulae);
});
