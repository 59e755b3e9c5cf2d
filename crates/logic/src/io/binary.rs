//! The binary format of formulae: node codes in preorder, each a variable-length integer of bincode, mostly
//! one byte. Preorder determines where a tree ends, so formulae need no separator.

use std::io::{self, Read, Write};

use bincode::config::{Configuration, standard};

use super::container::{ContainerError, ContainerReader, ContainerWriter};
use crate::formula::{Formula, MAX_NODES};
use crate::names::Names;
use crate::node::{Var, arity};

const KIND: [u8; 4] = *b"form";
const VERSION: u32 = 1;
/// Files with names: the first frame lists the names of `x1`, `x2`, …, one per line, empty for none.
const VERSION_WITH_NAMES: u32 = 2;
/// A frame is written once it has at least this many bytes.
const FRAME_BYTES: usize = 1 << 16;
const ENCODING: Configuration = standard();

/// Writes formulae to a binary container, as a stream.
///
/// ```
/// use logicvae_logic::{BinaryWriter, FormulaReader, x};
/// let mut writer = BinaryWriter::new(Vec::new())?;
/// writer.write(&(x(1) & x(2)))?;
/// let bytes = writer.finish()?;
/// let back: Result<Vec<_>, _> = FormulaReader::new(&bytes[..])?.collect();
/// assert_eq!(back?, [x(1) & x(2)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct BinaryWriter<W: Write> {
    container: ContainerWriter<W>,
    frame: Vec<u8>,
}

impl<W: Write> BinaryWriter<W> {
    /// Writes the header.
    pub fn new(writer: W) -> io::Result<Self> {
        Ok(Self { container: ContainerWriter::new(writer, KIND, VERSION)?, frame: Vec::new() })
    }

    /// Writes the header, and the names of the variables if there are any.
    pub(crate) fn with_names(writer: W, names: &Names) -> io::Result<Self> {
        if names.is_empty() {
            return Self::new(writer);
        }
        let mut container = ContainerWriter::new(writer, KIND, VERSION_WITH_NAMES)?;
        let all = (1..=names.width() as u32).filter_map(|index| Var::new(index).ok());
        let list: Vec<&str> = all.map(|var| names.name(var).unwrap_or_default()).collect();
        container.frame(list.join("\n").as_bytes())?;
        Ok(Self { container, frame: Vec::new() })
    }

    /// Adds a formula.
    pub fn write(&mut self, formula: &Formula) -> io::Result<()> {
        for &code in formula.codes() {
            bincode::encode_into_std_write(code, &mut self.frame, ENCODING).map_err(io::Error::other)?;
        }
        if self.frame.len() >= FRAME_BYTES {
            self.container.frame(&self.frame)?;
            self.frame.clear();
        }
        Ok(())
    }

    /// Completes the file. A file without this call is reported as cut off when it is read.
    pub fn finish(mut self) -> io::Result<W> {
        self.container.frame(&self.frame)?;
        self.container.finish()
    }
}

/// Reads files written by [`BinaryWriter`].
pub(super) struct BinaryReader<R: Read> {
    container: ContainerReader<R>,
    frame: Vec<u8>,
    at: usize,
    /// The names that the file has.
    pub names: Names,
}

impl<R: Read> BinaryReader<R> {
    pub fn new(reader: R) -> Result<Self, ContainerError> {
        let (container, version) = ContainerReader::open(reader, KIND, VERSION..=VERSION_WITH_NAMES)?;
        let mut new = Self { container, frame: Vec::new(), at: 0, names: Names::default() };
        if version == VERSION_WITH_NAMES {
            let frame = new.container.next_frame()?.unwrap_or_default();
            let text = String::from_utf8(frame).map_err(|e| new.invalid(e.to_string()))?;
            let name = |(at, name): (usize, &str)| match name {
                "" => format!("x{}", at + 1),
                _ => name.to_owned(),
            };
            let list = text.split('\n').enumerate().map(name);
            new.names = Names::new(list).map_err(|e| new.invalid(e.to_string()))?;
        }
        Ok(new)
    }

    pub fn next(&mut self) -> Result<Option<Formula>, ContainerError> {
        while self.at == self.frame.len() {
            match self.container.next_frame()? {
                Some(frame) => (self.frame, self.at) = (frame, 0),
                None => return Ok(None),
            }
        }
        let mut codes = Vec::new();
        let mut open = 1;
        while open > 0 {
            if codes.len() >= MAX_NODES {
                return Err(self.invalid(format!("a formula has more than {MAX_NODES} nodes")));
            }
            let rest = &self.frame[self.at..];
            let decoded: Result<(u32, usize), _> = bincode::decode_from_slice(rest, ENCODING);
            let (code, read) = decoded.map_err(|e| self.invalid(e.to_string()))?;
            self.at += read;
            open = open - 1 + arity(code);
            codes.push(code);
        }
        Formula::checked(codes).map(Some).map_err(|e| self.invalid(e.to_string()))
    }

    fn invalid(&self, what: String) -> ContainerError {
        ContainerError::Content { frame: self.container.frames(), what }
    }
}
