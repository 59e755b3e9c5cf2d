//! The container format shared by all binary files of the project: a header, frames with checksums, and an
//! end mark.
//!
//! | part | bytes |
//! |---|---|
//! | header | magic `LOGICVAE`, kind (4 bytes), version (u32) |
//! | frame (any number of them) | length > 0 (u32), CRC-32 of the payload (u32), payload |
//! | end | 0 (u32), CRC-32 of the next field (u32), number of frames (u64) |
//!
//! Numbers are little-endian. A truncated file lacks its end mark; a flipped bit is detected by a checksum,
//! the header or the frame count. Memory use is bounded by the bytes actually read, never by a declared
//! length.

use std::io::{self, Read, Write};
use std::ops::RangeInclusive;

use thiserror::Error;

/// The magic bytes at the start of every container.
pub(super) const MAGIC: [u8; 8] = *b"LOGICVAE";

/// An error while reading a container.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ContainerError {
    /// The file does not start with the magic bytes.
    #[error("this is not a LogicVAE file: it does not begin with `LOGICVAE`")]
    Magic,
    /// The container holds another kind of data.
    #[error("this file holds data of kind `{found}`, but `{expected}` is needed here")]
    Kind {
        /// The kind that was requested.
        expected: String,
        /// The kind in the header.
        found: String,
    },
    /// The file has another format version.
    #[error("this file has format version {found}, but this program reads version {supported}")]
    Version {
        /// The version in the header.
        found: u32,
        /// The supported version.
        supported: u32,
    },
    /// The file ends too early.
    #[error("the file is cut off in frame {frame}: it was not written completely; create it again")]
    Truncated {
        /// The frame number, starting at 1.
        frame: u64,
    },
    /// The checksum of a frame does not match its payload.
    #[error("frame {frame} is damaged: its checksum does not match; create the file again")]
    Checksum {
        /// The frame number, starting at 1.
        frame: u64,
    },
    /// The end mark has another frame count.
    #[error("the file is damaged: it has {found} frames, but its end mark says {counted}; create it again")]
    Count {
        /// The number of frames in the file.
        found: u64,
        /// The number of frames according to the end mark.
        counted: u64,
    },
    /// Bytes follow the end mark.
    #[error("the file is damaged: bytes follow its end mark; create it again")]
    Trailing,
    /// The checksum is right, but the payload is invalid for this kind of file.
    #[error("frame {frame} has invalid content: {what}")]
    Content {
        /// The frame number, starting at 1.
        frame: u64,
        /// What is wrong.
        what: String,
    },
    /// An I/O error of the underlying reader.
    #[error("reading failed: {0}")]
    Io(#[from] io::Error),
}

/// Writes a container. A file without a call of [`finish`](Self::finish) is reported as cut off when it is
/// read.
pub struct ContainerWriter<W: Write> {
    inner: W,
    frames: u64,
}

impl<W: Write> ContainerWriter<W> {
    /// Writes the header. `kind` identifies the type of content by four ASCII characters.
    pub fn new(mut inner: W, kind: [u8; 4], version: u32) -> io::Result<Self> {
        inner.write_all(&MAGIC)?;
        inner.write_all(&kind)?;
        inner.write_all(&version.to_le_bytes())?;
        Ok(Self { inner, frames: 0 })
    }

    /// Writes one frame. An empty payload is skipped, since an empty frame is the end mark.
    pub fn frame(&mut self, payload: &[u8]) -> io::Result<()> {
        if payload.is_empty() {
            return Ok(());
        }
        let length = u32::try_from(payload.len())
            .map_err(|_| io::Error::other("a frame must be smaller than 4 GiB"))?;
        self.frames += 1;
        self.write_frame(length, payload)
    }

    fn write_frame(&mut self, length: u32, payload: &[u8]) -> io::Result<()> {
        self.inner.write_all(&length.to_le_bytes())?;
        self.inner.write_all(&crc32fast::hash(payload).to_le_bytes())?;
        self.inner.write_all(payload)
    }

    /// Writes the end mark and returns the underlying writer.
    pub fn finish(mut self) -> io::Result<W> {
        self.write_frame(0, &self.frames.to_le_bytes())?;
        self.inner.flush()?;
        Ok(self.inner)
    }
}

/// Reads a container frame by frame.
pub struct ContainerReader<R: Read> {
    inner: R,
    frames: u64,
}

impl<R: Read> ContainerReader<R> {
    /// Reads and checks the header.
    pub fn new(inner: R, kind: [u8; 4], version: u32) -> Result<Self, ContainerError> {
        Self::open(inner, kind, version..=version).map(|(reader, _)| reader)
    }

    /// Reads and checks the header of a container in one of these versions, and returns its version.
    pub(super) fn open(
        mut inner: R,
        kind: [u8; 4],
        versions: RangeInclusive<u32>,
    ) -> Result<(Self, u32), ContainerError> {
        let mut header = [0; 16];
        let got = read_up_to(&mut inner, &mut header)?;
        if header[..got.min(8)] != MAGIC[..got.min(8)] || got < 8 {
            return Err(ContainerError::Magic);
        }
        if got < header.len() {
            return Err(ContainerError::Truncated { frame: 1 });
        }
        if header[8..12] != kind {
            let name = |bytes: &[u8]| bytes.escape_ascii().to_string();
            return Err(ContainerError::Kind { expected: name(&kind), found: name(&header[8..12]) });
        }
        let found = u32::from_le_bytes([header[12], header[13], header[14], header[15]]);
        if !versions.contains(&found) {
            return Err(ContainerError::Version { found, supported: *versions.end() });
        }
        Ok((Self { inner, frames: 0 }, found))
    }

    /// The number of frames read so far, for error messages.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// The next payload, or `None` after the end mark, once the file has been verified as complete.
    pub fn next_frame(&mut self) -> Result<Option<Vec<u8>>, ContainerError> {
        let frame = self.frames + 1;
        let mut head = [0; 8];
        if read_up_to(&mut self.inner, &mut head)? < head.len() {
            return Err(ContainerError::Truncated { frame });
        }
        let [a, b, c, d, e, f, g, h] = head;
        let (length, checksum) = (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h]));
        let wanted = if length == 0 { 8 } else { u64::from(length) };
        let mut payload = Vec::new();
        if self.inner.by_ref().take(wanted).read_to_end(&mut payload)? < wanted as usize {
            return Err(ContainerError::Truncated { frame });
        }
        if crc32fast::hash(&payload) != checksum {
            return Err(ContainerError::Checksum { frame });
        }
        if length > 0 {
            self.frames += 1;
            return Ok(Some(payload));
        }
        let counted = payload.try_into().map_or(u64::MAX, u64::from_le_bytes);
        if counted != self.frames {
            return Err(ContainerError::Count { found: self.frames, counted });
        }
        match read_up_to(&mut self.inner, &mut [0])? {
            0 => Ok(None),
            _ => Err(ContainerError::Trailing),
        }
    }
}

/// Reads until the buffer is full or the input ends, and returns the number of bytes read.
pub(super) fn read_up_to(reader: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match reader.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(filled)
}
