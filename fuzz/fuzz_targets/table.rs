//! Reads arbitrary bytes as a table of observations for `logicvae mine`, and a formula for `predict`. The
//! first line is the formula, the rest is the table, compressed or not.

#![no_main]

use libfuzzer_sys::fuzz_target;
use logicvae_mine::{Table, TableOptions, parse};

fuzz_target!(|bytes: &[u8]| {
    let end = bytes.iter().position(|&byte| byte == b'\n').unwrap_or(bytes.len());
    let (line, content) = (&bytes[..end], bytes.get(end + 1..).unwrap_or_default());
    if let Ok(Err(error)) = std::str::from_utf8(line).map(parse) {
        assert!(error.to_string().len() < 100_000);
    }
    match Table::from_bytes(content, &TableOptions::new("y")) {
        Ok(table) => {
            let summary = &table.summary;
            assert_eq!(table.rows.len(), summary.distinct);
            assert!(summary.positive <= summary.rows);
        }
        Err(error) => assert!(error.to_string().len() < 100_000),
    }
});
