//! Reads arbitrary bytes in each format of `logicvae convert`. The first byte selects the format. Formulae
//! that were read can be written in the same format and read again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use logicvae_logic::{FileFormat, FormulaFile, Names};

const FORMATS: [FileFormat; 6] = [
    FileFormat::Text,
    FileFormat::Csv,
    FileFormat::Json,
    FileFormat::SmtLib,
    FileFormat::Dimacs,
    FileFormat::Pla,
];

fuzz_target!(|bytes: &[u8]| {
    let Some((format, content)) = bytes.split_first() else { return };
    let format = FORMATS[usize::from(*format) % FORMATS.len()];
    match FormulaFile::read_with(content, format, Names::default()) {
        Ok(file) => drop(file),
        Err(error) => assert!(error.to_string().len() < 100_000),
    }
});
