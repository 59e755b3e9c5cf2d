//! The text format: one formula per line. `#` starts a comment, and empty lines are skipped.

use std::io::{self, BufRead, Write};

use super::read::ReadError;
use crate::formula::Formula;

/// Writes one formula per line. The iterator is consumed as a stream, so the formulae need not fit in memory
/// together.
///
/// ```
/// use logicvae_logic::{write_text, x};
/// let mut out = Vec::new();
/// write_text(&mut out, &[x(1), !x(2)])?;
/// assert_eq!(out, b"x1\n!x2\n");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write_text<'a>(
    mut writer: impl Write,
    formulae: impl IntoIterator<Item = &'a Formula>,
) -> io::Result<()> {
    formulae.into_iter().try_for_each(|f| writeln!(writer, "{f}"))
}

/// Reads formulae as text.
pub(super) struct TextReader<R> {
    inner: R,
    buffer: Vec<u8>,
    /// The number of lines read so far.
    pub lines: usize,
}

impl<R: BufRead> TextReader<R> {
    pub fn new(inner: R) -> Self {
        Self { inner, buffer: Vec::new(), lines: 0 }
    }

    pub fn next(&mut self) -> Result<Option<Formula>, ReadError> {
        loop {
            self.buffer.clear();
            if self.inner.read_until(b'\n', &mut self.buffer).map_err(ReadError::Io)? == 0 {
                return Ok(None);
            }
            self.lines += 1;
            let line = std::str::from_utf8(&self.buffer)
                .map_err(|e| ReadError::Encoding { line: self.lines, column: e.valid_up_to() + 1 })?;
            // Some editors write a byte order mark at the start.
            let line = if self.lines == 1 { line.trim_start_matches('\u{feff}') } else { line };
            let content = line.split('#').next().unwrap_or_default().trim_end();
            if !content.trim_start().is_empty() {
                return content
                    .parse()
                    .map(Some)
                    .map_err(|e: crate::ParseError| e.after_lines(self.lines - 1).into());
            }
        }
    }
}
