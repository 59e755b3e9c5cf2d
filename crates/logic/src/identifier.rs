//! Words that can be variables: indices such as `x3`, and names.

/// Names with other characters than letters, digits, `_` and `.` are written in quotes.
pub(crate) const QUOTES: [char; 2] = ['"', '`'];

/// Words with another meaning, in upper case. They are recognised in any case.
pub(crate) const KEYWORDS: [&str; 12] =
    ["1", "TRUE", "0", "FALSE", "NOT", "AND", "NAND", "OR", "NOR", "XOR", "IMPLIES", "IFF"];

/// The length of the word at the start. A dot is a part of it between two other characters of a word.
pub(crate) fn word_length(text: &str) -> usize {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut end = 0;
    loop {
        end += text[end..].find(|c: char| !is_word(c)).unwrap_or(text.len() - end);
        let dotted = end > 0 && text[end..].strip_prefix('.').is_some_and(|after| after.starts_with(is_word));
        if !dotted {
            return end;
        }
        end += 1;
    }
}

/// Whether a word begins as a name does.
pub(crate) fn starts_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Whether a name is read as one without quotes.
pub(crate) fn is_identifier(name: &str) -> bool {
    let keyword = KEYWORDS.iter().any(|known| name.eq_ignore_ascii_case(known));
    starts_name(name) && word_length(name) == name.len() && !keyword && index_digits(name).is_none()
}

/// The digits of `x3`, `X3` or `x_3`.
pub(crate) fn index_digits(word: &str) -> Option<&str> {
    let digits = word.strip_prefix(['x', 'X'])?;
    let digits = digits.strip_prefix('_').unwrap_or(digits);
    (!digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())).then_some(digits)
}

/// The index in a word such as `x3`.
pub(crate) fn index(word: &str) -> Option<u32> {
    index_digits(word)?.parse().ok()
}
