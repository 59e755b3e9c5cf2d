//! Where a table comes from: a file, which may be compressed, or standard input. It can be read several
//! times.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, Cursor, Read, Seek};
use std::path::{Path, PathBuf};

use csv::{ByteRecord, Reader, ReaderBuilder};
use flate2::read::MultiGzDecoder;

use crate::error::MineError;
use crate::feature::number;

/// The longest line that is accepted. Without a limit, a file without line breaks would be read into memory.
const LONGEST_LINE: u64 = 16 << 20;

/// A table that can be read from its beginning again and again.
#[derive(Debug)]
pub(super) struct Source {
    name: PathBuf,
    content: Content,
    delimiter: u8,
}

#[derive(Debug)]
enum Content {
    File(File),
    Bytes(Vec<u8>),
}

impl Source {
    pub fn open(path: &Path) -> Result<Self, MineError> {
        let failed = |source| MineError::File { path: path.to_owned(), source };
        if path.is_dir() {
            return Err(MineError::Table(format!("{} is a folder: name a file", path.display())));
        }
        let mut file = if path == Path::new("-") {
            let mut copy = tempfile::tempfile().map_err(failed)?;
            io::copy(&mut io::stdin().lock(), &mut copy).map_err(failed)?;
            copy
        } else {
            File::open(path).map_err(failed)?
        };
        // A pipe can be read only once.
        if file.rewind().is_err() {
            let mut copy = tempfile::tempfile().map_err(failed)?;
            io::copy(&mut file, &mut copy).map_err(failed)?;
            file = copy;
        }
        Self::new(path.to_owned(), Content::File(file))
    }

    pub fn from_bytes(bytes: &[u8]) -> Result<Self, MineError> {
        Self::new("the table".into(), Content::Bytes(bytes.to_vec()))
    }

    fn new(name: PathBuf, content: Content) -> Result<Self, MineError> {
        let mut source = Self { name, content, delimiter: b',' };
        let mut first = Vec::new();
        let mut text = source.text()?.take(LONGEST_LINE);
        let mut buffer = [0; 8192];
        while !first.contains(&b'\n') {
            let read = text.read(&mut buffer).map_err(|e| source.failed(e))?;
            if read == 0 {
                break;
            }
            first.extend_from_slice(&buffer[..read]);
        }
        drop(text);
        if first.len() as u64 >= LONGEST_LINE && !first.contains(&b'\n') {
            let message =
                format!("{}: the first line has no end: is this a CSV file?", source.name.display());
            return Err(MineError::Table(message));
        }
        source.delimiter = delimiter(first.split(|&byte| byte == b'\n').next().unwrap_or_default());
        Ok(source)
    }

    fn failed(&self, source: io::Error) -> MineError {
        MineError::File { path: self.name.clone(), source }
    }

    /// The text from the beginning, decompressed, without a byte order mark.
    fn text(&self) -> Result<Box<dyn Read + '_>, MineError> {
        let raw: Box<dyn Read> = match &self.content {
            Content::Bytes(bytes) => Box::new(&bytes[..]),
            Content::File(file) => {
                let mut file: &File = file;
                file.rewind().map_err(|e| self.failed(e))?;
                Box::new(file)
            }
        };
        let (start, raw) = peek::<2>(raw).map_err(|e| self.failed(e))?;
        let text: Box<dyn Read> =
            if start == [0x1f, 0x8b] { Box::new(MultiGzDecoder::new(BufReader::new(raw))) } else { raw };
        let (start, text) = peek::<3>(text).map_err(|e| self.failed(e))?;
        if start == [0xef, 0xbb, 0xbf] {
            let mut text = text;
            text.read_exact(&mut [0; 3]).map_err(|e| self.failed(e))?;
            return Ok(text);
        }
        Ok(text)
    }

    /// A reader from the beginning; the header is next.
    pub fn reader(&self) -> Result<Reader<Box<dyn Read + '_>>, MineError> {
        let mut builder = ReaderBuilder::new();
        builder.delimiter(self.delimiter).trim(csv::Trim::All).buffer_capacity(1 << 16);
        let limited: Box<dyn Read + '_> = Box::new(Limited { text: self.text()?, length: 0, quoted: false });
        Ok(builder.from_reader(limited))
    }

    /// Reads the next row; `false` at the end.
    pub fn next<R: Read>(&self, reader: &mut Reader<R>, record: &mut ByteRecord) -> Result<bool, MineError> {
        let found = reader.read_byte_record(record).map_err(|error| {
            let message = match error.kind() {
                csv::ErrorKind::UnequalLengths { expected_len, len, pos } => {
                    let line = pos.as_ref().map_or(0, |pos| pos.line());
                    format!(
                        "{}, line {line}: there are {len} values, but the header has {expected_len}",
                        self.name.display()
                    )
                }
                _ => format!("{}: {error}", self.name.display()),
            };
            MineError::Table(message)
        })?;
        if std::str::from_utf8(record.as_slice()).is_err() {
            let message = format!(
                "{}, line {}: the text is not UTF-8: convert the file",
                self.name.display(),
                line(record)
            );
            return Err(MineError::Table(message));
        }
        if found && self.delimiter == b';' && record.as_slice().contains(&b',') {
            with_decimal_points(record);
        }
        Ok(found)
    }
}

/// Where columns are separated by semicolons, numbers have decimal commas: `0,5` is read as `0.5`.
fn with_decimal_points(record: &mut ByteRecord) {
    let position = record.position().cloned();
    let number = |field: &[u8]| {
        let text = std::str::from_utf8(field).ok().filter(|text| text.matches(',').count() == 1)?;
        let text = text.replace(',', ".");
        number(&text).map(|_| text)
    };
    let fields = record.iter().map(|field| number(field).map_or_else(|| field.to_vec(), String::into_bytes));
    let mut changed: ByteRecord = fields.collect();
    changed.set_position(position);
    *record = changed;
}

/// Text whose lines have a limited length. A compressed file of a few bytes could otherwise fill the memory.
struct Limited<R> {
    text: R,
    /// The bytes of the line so far.
    length: u64,
    /// Whether line breaks belong to a value.
    quoted: bool,
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.text.read(buffer)?;
        for &byte in &buffer[..count] {
            self.quoted ^= byte == b'"';
            self.length = if byte == b'\n' && !self.quoted { 0 } else { self.length + 1 };
            if self.length > LONGEST_LINE {
                let message =
                    format!("a line is longer than {} MiB: is a quote not closed?", LONGEST_LINE >> 20);
                return Err(io::Error::new(io::ErrorKind::InvalidData, message));
            }
        }
        Ok(count)
    }
}

/// The first bytes, and a reader that gives them again.
fn peek<'a, const N: usize>(mut from: Box<dyn Read + 'a>) -> io::Result<(Vec<u8>, Box<dyn Read + 'a>)> {
    let mut start = Vec::with_capacity(N);
    (&mut from).take(N as u64).read_to_end(&mut start)?;
    Ok((start.clone(), Box::new(Cursor::new(start).chain(from))))
}

/// The sign between columns: the one of comma, semicolon and tab that is most frequent outside quotes.
fn delimiter(header: &[u8]) -> u8 {
    let mut counts = [0usize; 3];
    let mut quoted = false;
    for &byte in header {
        quoted ^= byte == b'"';
        if let Some(at) = b",;\t".iter().position(|&sign| sign == byte && !quoted) {
            counts[at] += 1;
        }
    }
    let best = (0..3).max_by_key(|&at| (counts[at], std::cmp::Reverse(at))).unwrap_or_default();
    b",;\t"[best]
}

/// The names of the columns. They must differ, and there must be at least one.
pub(super) fn header<R: Read>(reader: &mut Reader<R>) -> Result<Vec<String>, MineError> {
    let record = reader.byte_headers().map_err(|e| MineError::Table(format!("the header: {e}")))?;
    if std::str::from_utf8(record.as_slice()).is_err() {
        return Err(MineError::Table("the header is not UTF-8: convert the file".into()));
    }
    let mut names: Vec<String> =
        record.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
    if names.is_empty() || names.iter().all(String::is_empty) {
        return Err(MineError::Table("the table is empty: its first line must name the columns".into()));
    }
    // Tables from pandas have an index without a name.
    for (at, name) in names.iter_mut().enumerate().filter(|(_, name)| name.is_empty()) {
        *name = format!("column {}", at + 1);
    }
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for (at, name) in names.iter().enumerate() {
        if let Some(before) = seen.insert(name, at) {
            return Err(MineError::Table(format!(
                "columns {} and {} are both called `{name}`: rename one of them",
                before + 1,
                at + 1
            )));
        }
    }
    Ok(names)
}

/// The line of a row in its file.
pub(super) fn line(record: &ByteRecord) -> u64 {
    record.position().map_or(0, csv::Position::line)
}
