//! Parses arbitrary text. A formula that parses prints to text that parses to the same tree, and
//! simplification preserves its truth table.

#![no_main]

use libfuzzer_sys::fuzz_target;
use logicvae_logic::Formula;

fuzz_target!(|text: &str| {
    match text.parse::<Formula>() {
        Ok(formula) => {
            // The parser guarantees that memory is proportional to the length of the input.
            assert!(formula.size() <= (1 << 16) + 64 * text.len());
            assert_eq!(formula.to_string().parse::<Formula>().as_ref(), Ok(&formula));
            if formula.variables().len() <= 12 && formula.size() < 2000 {
                assert!(formula.is_equivalent(&formula.simplify()));
            }
        }
        Err(error) => {
            assert!(error.line >= 1 && error.column >= 1);
            assert!(error.to_string().len() < 2000);
        }
    }
});
