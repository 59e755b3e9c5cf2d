//! Files of formulae, as text with one formula per line or as a compact binary container. Both are read and
//! written as streams.
//!
//! These functions take readers and writers; only [`write_atomic`] takes a path.

mod atomic;
mod binary;
mod container;
mod entry;
mod read;
mod text;

pub use atomic::{remove_unfinished_files, write_atomic};
pub use binary::BinaryWriter;
pub use container::{ContainerError, ContainerReader, ContainerWriter};
pub use entry::Entry;
pub use read::{FormulaLimits, FormulaReader, LimitError, ReadError};
pub(crate) use text::write_entries;
pub use text::write_text;
