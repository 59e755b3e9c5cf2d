//! The text and binary formats: round trips, comments, and damaged files.

use logicvae_logic::{
    BinaryWriter, ContainerError, ContainerReader, ContainerWriter, Formula, FormulaReader, ReadError,
    SamplerParams, write_text, x,
};
use proptest::prelude::*;

use crate::naive::formulae;

fn read(bytes: &[u8]) -> Result<Vec<Formula>, ReadError> {
    FormulaReader::new(bytes)?.collect()
}

fn binary(formulae: &[Formula]) -> Vec<u8> {
    let mut writer = BinaryWriter::new(Vec::new()).expect("writing to memory");
    formulae.iter().for_each(|f| writer.write(f).expect("writing to memory"));
    writer.finish().expect("writing to memory")
}

proptest! {
    #[test]
    fn both_forms_round_trip(fs in prop::collection::vec(formulae(300, 40), 0..50)) {
        let mut text = Vec::new();
        write_text(&mut text, &fs).expect("writing to memory");
        prop_assert_eq!(read(&text).expect("text"), fs.clone());
        prop_assert_eq!(read(&binary(&fs)).expect("container"), fs);
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes: Vec<u8>) {
        let _ = read(&bytes);
        let _ = read(&[&b"LOGICVAEform\x01\0\0\0"[..], &bytes].concat());
    }

    /// Payloads with a valid checksum but invalid content.
    #[test]
    fn any_payload_is_read_or_refused(payload: Vec<u8>) {
        let mut writer = ContainerWriter::new(Vec::new(), *b"form", 1).expect("writing to memory");
        writer.frame(&payload).expect("writing to memory");
        let _ = read(&writer.finish().expect("writing to memory"));
    }
}

#[test]
fn every_cut_and_every_flipped_bit_is_noticed() {
    let formulae = SamplerParams::new(5).check().expect("valid settings").distinct(1, 20).expect("not empty");
    let whole = binary(&formulae);
    for cut in 8..whole.len() {
        assert!(read(&whole[..cut]).is_err(), "cut at {cut}");
    }
    for bit in 64..whole.len() * 8 {
        let mut changed = whole.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        assert!(read(&changed).is_err(), "bit {bit}");
    }
    assert!(read(&[&whole[..], b"x"].concat()).is_err());
}

#[test]
fn damage_is_named() {
    let whole = binary(&[x(1)]);
    let error = |bytes: &[u8]| read(bytes).expect_err("damaged").to_string();
    assert!(error(&whole[..whole.len() - 1]).contains("cut off"));
    let mut version = whole.clone();
    version[12] = 9;
    assert!(error(&version).contains("version 9"), "{}", error(&version));
    let mut kind = whole.clone();
    kind[8] = b'F';
    assert!(error(&kind).contains("`Form`"), "{}", error(&kind));
    let mut content = whole;
    let last = content.len() - 17; // the last payload byte, before the 16 bytes of the end mark
    content[last] ^= 4;
    assert!(error(&content).contains("checksum"), "{}", error(&content));
    assert!(matches!(ContainerReader::new(&b"LOGIC"[..], *b"form", 1), Err(ContainerError::Magic)));
}

#[test]
fn an_announced_length_is_not_believed() {
    let mut bytes = b"LOGICVAEform\x01\0\0\0".to_vec();
    bytes.extend([0xff; 8]); // declares four gigabytes, of which two bytes follow
    bytes.extend([1, 2]);
    assert!(read(&bytes).expect_err("cut off").to_string().contains("cut off"));
}

#[test]
fn text_errors_count_the_files_lines() {
    let text = "# first\nx1 & x2\n\nx1 |\n";
    let error = read(text.as_bytes()).expect_err("line 4").to_string();
    assert!(error.starts_with("line 4, column 5: expected"), "{error}");
    let error = read(b"x1\n\xff\n").expect_err("not text").to_string();
    assert!(error.starts_with("line 2, byte 1"), "{error}");
    let limited: Result<Vec<_>, _> =
        FormulaReader::new(&b"x1\nx7\n"[..]).expect("text").with_variables(Some(5)).collect();
    let error = limited.expect_err("x7 of 5").to_string();
    assert!(error.starts_with("line 2: x7 occurs"), "{error}");
}

#[test]
fn comments_blank_lines_and_line_ends() {
    assert_eq!(read(b"# all\r\n\r\n  x1 & x2  # why\r\n!x1").expect("text"), [x(1) & x(2), !x(1)]);
    assert_eq!(read(b"").expect("empty").len(), 0);
}

#[test]
fn nothing_follows_an_error() {
    let mut reader = FormulaReader::new(&b"x1\n(\nx2\n"[..]).expect("text");
    assert!(reader.next().is_some_and(|r| r.is_ok()));
    assert!(reader.next().is_some_and(|r| r.is_err()));
    assert!(reader.next().is_none());
}
