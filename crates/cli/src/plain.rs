//! Text without control characters. Names, labels and file names come from files that are not trusted, and
//! some terminals run what escape sequences tell them.

use std::borrow::Cow;
use std::io::{self, Write};

/// Whether a character is shown as it is: no control character except line breaks and tabs.
fn is_plain(c: char) -> bool {
    !c.is_control() || matches!(c, '\n' | '\t')
}

/// The text with control characters in the notation of Rust, such as `\u{1b}`.
pub fn plain(text: &str) -> Cow<'_, str> {
    if text.chars().all(is_plain) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match is_plain(c) {
            true => out.push(c),
            false => out.extend(c.escape_default()),
        }
    }
    out.into()
}

/// A writer that writes text [`plain`]. It passes on whole lines.
pub struct Plain<W: Write> {
    to: W,
    line: Vec<u8>,
}

impl<W: Write> Plain<W> {
    pub fn new(to: W) -> Self {
        Self { to, line: Vec::new() }
    }
}

impl<W: Write> Write for Plain<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Only the new bytes are searched: a line can have millions of pieces.
        let Some(end) = bytes.iter().rposition(|&byte| byte == b'\n') else {
            self.line.extend_from_slice(bytes);
            return Ok(bytes.len());
        };
        self.line.extend_from_slice(&bytes[..=end]);
        self.to.write_all(plain(&String::from_utf8_lossy(&self.line)).as_bytes())?;
        self.line.clear();
        self.line.extend_from_slice(&bytes[end + 1..]);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.write_all(plain(&String::from_utf8_lossy(&self.line)).as_bytes())?;
        self.line.clear();
        self.to.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_spelled_out() {
        assert_eq!(plain("tab\tand ∧\n"), "tab\tand ∧\n");
        assert_eq!(plain("red\u{1b}[31m\r\u{7}\u{9b}"), r"red\u{1b}[31m\r\u{7}\u{9b}");
    }

    #[test]
    fn characters_in_pieces_are_put_together() {
        let mut out = Vec::new();
        let mut writer = Plain::new(&mut out);
        for byte in "a ∧ b\n\u{1b}∨".as_bytes() {
            writer.write_all(&[*byte]).unwrap();
        }
        writer.flush().unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "a ∧ b\n\\u{1b}∨");
    }
}
