//! The text format: one formula per line, with an optional label. `#` starts a comment, and empty lines are
//! skipped.
//!
//! ```text
//! # variables: door_open alarm locked
//! REQ-1: door_open & !alarm -> locked
//! alarm | locked  # REQ-2 one of both
//! ```
//!
//! The list of variables is optional. It fixes which name is `x1`, which is `x2`, and so on.

use std::io::{self, BufRead, Cursor, Write};

use super::entry::Entry;
use super::read::ReadError;
use crate::formula::Formula;
use crate::names::Names;
use crate::parse::{self, ParseError};

/// What the comment with the list of variables begins with.
const VARIABLES: &str = "variables:";

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

/// Writes formulae with their names and labels.
pub(crate) fn write_entries(writer: &mut dyn Write, names: &Names, entries: &[Entry]) -> io::Result<()> {
    if !names.is_empty() {
        writeln!(writer, "# {VARIABLES} {}", names.columns(names.width()).join(" "))?;
    }
    for entry in entries {
        match &entry.label {
            Some(label) => writeln!(writer, "{}  # {label}", names.display(&entry.formula))?,
            None => writeln!(writer, "{}", names.display(&entry.formula))?,
        }
    }
    Ok(())
}

/// Where the lines come from.
enum Source<R> {
    /// One at a time, as long as all variables are written as `x1`, `x2`, …
    Stream(R),
    /// From memory: before a name gets an index, the indices of the whole file are known.
    Memory(Cursor<Vec<u8>>),
}

/// Reads formulae as text.
pub(super) struct TextReader<R> {
    source: Source<R>,
    buffer: Vec<u8>,
    names: Names,
    /// The number of lines read so far.
    pub lines: usize,
}

impl<R: BufRead> TextReader<R> {
    pub fn new(inner: R) -> Self {
        Self { source: Source::Stream(inner), buffer: Vec::new(), names: Names::default(), lines: 0 }
    }

    pub fn names(&self) -> &Names {
        &self.names
    }

    pub fn set_names(&mut self, names: Names) {
        self.names = names;
    }

    pub fn next(&mut self) -> Result<Option<Entry>, ReadError> {
        loop {
            let mut buffer = std::mem::take(&mut self.buffer);
            buffer.clear();
            let read = match &mut self.source {
                Source::Stream(inner) => inner.read_until(b'\n', &mut buffer),
                Source::Memory(rest) => rest.read_until(b'\n', &mut buffer),
            };
            if read.map_err(ReadError::Io)? == 0 {
                return Ok(None);
            }
            self.lines += 1;
            let found = match std::str::from_utf8(&buffer) {
                Ok(line) => self.line(line),
                Err(e) => Err(ReadError::Encoding { line: self.lines, column: e.valid_up_to() + 1 }),
            };
            self.buffer = buffer;
            if let Some(entry) = found? {
                return Ok(Some(entry));
            }
        }
    }

    /// The formula in a line, if there is one.
    fn line(&mut self, line: &str) -> Result<Option<Entry>, ReadError> {
        let before = self.lines - 1;
        // Some editors write a byte order mark at the start.
        let line = if before == 0 { line.trim_start_matches('\u{feff}') } else { line };
        let Line { content, start, label, comment } = Line::split(line);
        if content.trim().is_empty() {
            if let Some(list) = comment.and_then(|c| c.strip_prefix(VARIABLES)).and_then(parse::name_list) {
                self.declare(&list)?;
            }
            return Ok(None);
        }
        let at_line = |e: ParseError| ReadError::from(e.after_lines(before));
        let formula = match parse::parse_known(content, start, &mut self.names).map_err(at_line)? {
            Some(formula) => formula,
            None => {
                parse::reserve_indices(content, start, &mut self.names);
                self.look_ahead()?;
                parse::parse_new(content, start, &mut self.names).map_err(at_line)?
            }
        };
        Ok(Some(Entry { formula, label, line: self.lines }))
    }

    /// Declares the variables of a list. In an empty table they get the indices of their places.
    fn declare(&mut self, list: &[String]) -> Result<(), ReadError> {
        let wrong = |error| ReadError::Names { place: format!("line {}", self.lines), error };
        if self.names.width() == 0 {
            self.names = Names::new(list).map_err(wrong)?;
            return Ok(());
        }
        for name in list.iter().filter(|name| crate::identifier::index(name).is_none()) {
            self.names.declare(name).map_err(wrong)?;
        }
        Ok(())
    }

    /// Reads the rest of the input, and reserves the indices in it: a new name must not take one of them.
    fn look_ahead(&mut self) -> Result<(), ReadError> {
        let Source::Stream(inner) = &mut self.source else { return Ok(()) };
        let mut rest = Vec::new();
        inner.read_to_end(&mut rest).map_err(ReadError::Io)?;
        for line in rest.split(|&byte| byte == b'\n').filter_map(|line| std::str::from_utf8(line).ok()) {
            let Line { content, start, .. } = Line::split(line);
            parse::reserve_indices(content, start, &mut self.names);
        }
        self.source = Source::Memory(Cursor::new(rest));
        Ok(())
    }
}

/// The parts of a line.
struct Line<'a> {
    /// The line without its comment.
    content: &'a str,
    /// Where the formula begins in the content, after a label such as `REQ-12:`.
    start: usize,
    /// The label before the formula and the comment after it.
    label: Option<String>,
    comment: Option<&'a str>,
}

impl<'a> Line<'a> {
    fn split(line: &'a str) -> Self {
        let (mut end, mut colon, mut quote) = (line.len(), None, None);
        for (at, c) in line.char_indices() {
            match (c, quote) {
                (_, Some(open)) if c == open => quote = None,
                (_, Some(_)) => {}
                ('"' | '`', None) => quote = Some(c),
                ('#', None) => {
                    end = at;
                    break;
                }
                (':', None) if colon.is_none() => colon = Some(at),
                _ => {}
            }
        }
        let content = line[..end].trim_end();
        let comment = line.get(end + 1..).map(str::trim).filter(|text| !text.is_empty());
        let before = colon.map(|at| line[..at].trim()).filter(|text| !text.is_empty());
        let label: Vec<&str> = before.into_iter().chain(comment).collect();
        let start = colon.map_or(0, |at| (at + 1).min(content.len()));
        Self { content, start, label: (!label.is_empty()).then(|| label.join(" ")), comment }
    }
}
