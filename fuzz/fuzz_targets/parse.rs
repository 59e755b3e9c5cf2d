//! Any text is read or refused; what is read prints to a text that reads as the same tree, and simplifying keeps its
//! truth table.

#![no_main]

use libfuzzer_sys::fuzz_target;
use logicvae_logic::Formula;

fuzz_target!(|text: &str| {
    match text.parse::<Formula>() {
        Ok(formula) => {
            // Memory in proportion to the input: the bound that the parser promises.
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
