//! `.npy` files written row by row: the header first, then rows as they come, so that a matrix of any size passes
//! through a small buffer. (Reading, and matrices that are in memory, are ndarray-npy's.)

use std::io::{self, Write};

use ndarray::ArrayView2;

/// The type of the numbers in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// Four bytes.
    F32,
    /// Eight bytes.
    F64,
}

/// Writes a two-dimensional array, C order, little-endian.
pub struct NpyWriter<W: Write> {
    inner: W,
    precision: Precision,
    missing: usize,
    columns: usize,
}

impl<W: Write> NpyWriter<W> {
    /// Writes the header of an array of this shape.
    pub fn new(mut inner: W, shape: (usize, usize), precision: Precision) -> io::Result<Self> {
        let kind = match precision {
            Precision::F32 => "<f4",
            Precision::F64 => "<f8",
        };
        let mut header =
            format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({}, {}), }}", shape.0, shape.1);
        // Magic, version and length take ten bytes; the whole is padded to a multiple of 64 and ends in a line break.
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
            return Err(io::Error::other("rows that do not fit the announced shape"));
        }
        self.missing -= rows.nrows();
        let bytes: Vec<u8> = match self.precision {
            Precision::F32 => rows.iter().flat_map(|&v| (v as f32).to_le_bytes()).collect(),
            Precision::F64 => rows.iter().flat_map(|&v| v.to_le_bytes()).collect(),
        };
        self.inner.write_all(&bytes)
    }

    /// Checks that all rows came, and gives the writer back.
    pub fn finish(mut self) -> io::Result<W> {
        if self.missing > 0 {
            return Err(io::Error::other(format!("{} rows are missing", self.missing)));
        }
        self.inner.flush()?;
        Ok(self.inner)
    }
}
