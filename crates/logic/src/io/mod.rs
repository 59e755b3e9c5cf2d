//! Files of formulae: text, a formula a line, or a compact binary container. Both are read and written as streams.
//!
//! These functions know readers and writers, not paths: which file, and how it is replaced, is the caller's business.

mod binary;
mod container;
mod read;
mod text;

pub use binary::BinaryWriter;
pub use container::{ContainerError, ContainerReader, ContainerWriter};
pub use read::{FormulaReader, ReadError};
pub use text::write_text;
