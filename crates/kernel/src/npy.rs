//! Writing `.npy` files row by row, so that matrices of any size pass through a small buffer. (To write
//! matrices that are in memory, use ndarray-npy.)

use std::io::{self, Write};

use ndarray::ArrayView2;

/// The element type in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// Single precision, four bytes.
    F32,
    /// Double precision, eight bytes.
    F64,
}

/// Writes a two-dimensional array in C order, little-endian.
pub struct NpyWriter<W: Write> {
    inner: W,
    precision: Precision,
    missing: usize,
    columns: usize,
}

impl<W: Write> NpyWriter<W> {
    /// Writes the header for an array of this shape.
    pub fn new(mut inner: W, shape: (usize, usize), precision: Precision) -> io::Result<Self> {
        let kind = match precision {
            Precision::F32 => "<f4",
            Precision::F64 => "<f8",
        };
        let mut header =
            format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({}, {}), }}", shape.0, shape.1);
        // The magic string, version and length take ten bytes. The total is padded to a multiple of 64 and
        // ends in a line break.
        header.push_str(&" ".repeat(63 - (10 + header.len()) % 64));
        header.push('\n');
        inner.write_all(b"\x93NUMPY\x01\x00")?;
        inner.write_all(&(header.len() as u16).to_le_bytes())?;
        inner.write_all(header.as_bytes())?;
        Ok(Self { inner, precision, missing: shape.0, columns: shape.1 })
    }

    /// Writes the next rows.
    pub fn rows(&mut self, rows: ArrayView2<'_, f64>) -> io::Result<()> {
        if rows.ncols() != self.columns || rows.nrows() > self.missing {
            return Err(io::Error::other("the rows do not match the declared shape"));
        }
        self.missing -= rows.nrows();
        let bytes: Vec<u8> = match self.precision {
            Precision::F32 => rows.iter().flat_map(|&v| (v as f32).to_le_bytes()).collect(),
            Precision::F64 => rows.iter().flat_map(|&v| v.to_le_bytes()).collect(),
        };
        self.inner.write_all(&bytes)
    }

    /// Checks that all rows have been written, and returns the underlying writer.
    pub fn finish(mut self) -> io::Result<W> {
        if self.missing > 0 {
            return Err(io::Error::other(format!("{} rows are missing", self.missing)));
        }
        self.inner.flush()?;
        Ok(self.inner)
    }
}
