//! The container that all binary files of the project share: a header, frames with checksums, and an end mark.
//!
//! | part | bytes |
//! |---|---|
//! | header | magic `LOGICVAE`, kind (4 bytes), version (u32) |
//! | frame, any number | length > 0 (u32), CRC-32 of the payload (u32), payload |
//! | end | 0 (u32), CRC-32 of what follows (u32), number of frames (u64) |
//!
//! Numbers are little-endian. A file that was cut off lacks its end; a changed bit breaks a checksum, the header or
//! the count. Memory grows with the bytes that are really there, never with a length that is only announced.

use std::io::{self, Read, Write};

use thiserror::Error;

/// The first bytes of every container.
pub(super) const MAGIC: [u8; 8] = *b"LOGICVAE";

/// A container that cannot be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ContainerError {
    /// It does not begin as a container does.
    #[error("this is not a LogicVAE file: it does not begin with `LOGICVAE`")]
    Magic,
    /// A container of something else.
    #[error("this file holds `{found}`, not `{expected}`")]
    Kind {
        /// What was to be read.
        expected: String,
        /// What the header names.
        found: String,
    },
    /// Made by another version.
    #[error("this file has format version {found}, but this program reads version {supported}")]
    Version {
        /// The version in the header.
        found: u32,
        /// The version that is understood.
        supported: u32,
    },
    /// The file ends too early.
    #[error("the file is cut off in frame {frame}: it was not written to its end")]
    Truncated {
        /// The frame, from 1.
        frame: u64,
    },
    /// The content is not what was written.
    #[error("frame {frame} is damaged: its checksum does not match")]
    Checksum {
        /// The frame, from 1.
        frame: u64,
    },
    /// The end mark counts other frames than there are.
    #[error("the file is damaged: it has {found} frames, but its end counts {counted}")]
    Count {
        /// How many there are.
        found: u64,
        /// How many the end mark gives.
        counted: u64,
    },
    /// Bytes after the end mark.
    #[error("the file is damaged: bytes follow its end")]
    Trailing,
    /// The payload is sound, but not what a file of this kind holds.
    #[error("frame {frame} does not hold what it should: {what}")]
    Content {
        /// The frame, from 1.
        frame: u64,
        /// What is wrong.
        what: String,
    },
    /// The reader failed.
    #[error("reading failed: {0}")]
    Io(#[from] io::Error),
}

/// Writes a container. Without [`finish`](Self::finish) the file counts as cut off.
pub struct ContainerWriter<W: Write> {
    inner: W,
    frames: u64,
}

impl<W: Write> ContainerWriter<W> {
    /// Writes the header. `kind` names what the file holds, in four ASCII characters.
    pub fn new(mut inner: W, kind: [u8; 4], version: u32) -> io::Result<Self> {
        inner.write_all(&MAGIC)?;
        inner.write_all(&kind)?;
        inner.write_all(&version.to_le_bytes())?;
        Ok(Self { inner, frames: 0 })
    }

    /// Writes one frame; an empty payload is skipped, since an empty frame is the end mark.
    pub fn frame(&mut self, payload: &[u8]) -> io::Result<()> {
        if payload.is_empty() {
            return Ok(());
        }
        let length =
            u32::try_from(payload.len()).map_err(|_| io::Error::other("a frame holds less than 4 GiB"))?;
        self.frames += 1;
        self.raw(length, payload)
    }

    fn raw(&mut self, length: u32, payload: &[u8]) -> io::Result<()> {
        self.inner.write_all(&length.to_le_bytes())?;
        self.inner.write_all(&crc32fast::hash(payload).to_le_bytes())?;
        self.inner.write_all(payload)
    }

    /// Writes the end mark and gives the writer back.
    pub fn finish(mut self) -> io::Result<W> {
        self.raw(0, &self.frames.to_le_bytes())?;
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
    pub fn new(mut inner: R, kind: [u8; 4], version: u32) -> Result<Self, ContainerError> {
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
        if found != version {
            return Err(ContainerError::Version { found, supported: version });
        }
        Ok(Self { inner, frames: 0 })
    }

    /// The number of frames read so far, for messages.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// The next payload; `None` after the end mark, once it is certain that the file is whole.
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

/// Fills as much of the buffer as there is.
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
