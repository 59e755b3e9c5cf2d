//! SMT-LIB 2: one assertion per formula. The Boolean part is read: constants, definitions without arguments,
//! `not`, `and`, `or`, `xor`, `=>`, `=`, `distinct`, `ite` and `let`.

mod read;
mod terms;
mod write;

pub(super) use read::read;
pub(super) use write::write;

/// Whether a name has a meaning of its own, possibly behind the marks that we add: `|true|` is `true`.
fn is_taken(name: &str) -> bool {
    const TAKEN: [&str; 14] = [
        "true", "false", "not", "and", "or", "xor", "ite", "let", "distinct", "Bool", "assert", "forall",
        "exists", "par",
    ];
    TAKEN.contains(&name.trim_end_matches('\''))
}

/// The name for which we wrote a symbol.
fn original(symbol: &str) -> &str {
    symbol.strip_suffix('\'').filter(|name| is_taken(name)).unwrap_or(symbol)
}

/// Whether a name is a symbol without quotes.
fn is_simple(name: &str) -> bool {
    let symbol = |b: u8| b.is_ascii_alphanumeric() || b"~!@$%^&*_-+=<>.?/".contains(&b);
    name.bytes().all(symbol) && !name.starts_with(|c: char| c.is_ascii_digit()) && !is_taken(name)
}
