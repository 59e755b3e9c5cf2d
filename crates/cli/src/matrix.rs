//! Matrices in .npy and .csv files.

use std::io::Cursor;
use std::path::Path;

use anyhow::{Result, bail};
use candle_core::{Device, Tensor};
use logicvae_kernel::{NpyWriter, Precision};
use ndarray::{Array1, Array2, Axis};
use ndarray_npy::ReadNpyExt;

use crate::input::{display_name, is_standard, read_bytes};
use crate::output::{check_target, write_file};

/// The formats that vectors are written in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum MatrixFormat {
    Npy,
    Csv,
}

impl MatrixFormat {
    /// The format that a file name asks for, if the file can be written. Checked before any work is done.
    pub fn check(path: &Path, force: bool) -> Result<Self> {
        if is_standard(path) {
            bail!("vectors are not written to standard output: name a file with --out, or leave it out");
        }
        let format = match path.extension().and_then(|e| e.to_str()) {
            Some("npy") => Self::Npy,
            Some("csv") => Self::Csv,
            _ => bail!("unsupported format in `{}`: use a name that ends in .npy or .csv", path.display()),
        };
        check_target(path, force)?;
        Ok(format)
    }

    /// Writes rows of equal length.
    pub fn write(self, path: &Path, force: bool, rows: &[Vec<f32>]) -> Result<()> {
        let width = rows.first().map_or(0, Vec::len);
        write_file(path, force, |file| {
            match self {
                Self::Npy => {
                    let mut writer = NpyWriter::new(file, (rows.len(), width), Precision::F32)?;
                    let numbers = rows.iter().flatten().map(|&x| f64::from(x)).collect();
                    writer.rows(Array2::from_shape_vec((rows.len(), width), numbers)?.view())?;
                    writer.finish()?;
                }
                Self::Csv => {
                    for row in rows {
                        let numbers: Vec<String> = row.iter().map(f32::to_string).collect();
                        writeln!(file, "{}", numbers.join(","))?;
                    }
                }
            }
            Ok(())
        })
    }
}

/// Reads a .npy matrix of f32 or f64 with rows of `columns` numbers; a single vector is one row.
pub fn read(path: &Path, columns: usize) -> Result<Tensor> {
    let name = display_name(path);
    let bytes = read_bytes(path, "vectors (.npy)")?;
    let found = parse(&bytes).map_err(|reason| anyhow::anyhow!("{name}: {reason}"))?;
    if found.nrows() == 0 {
        bail!("{name} has no rows");
    }
    if found.ncols() != columns {
        bail!("{name} has rows of {} numbers, but {columns} are expected", found.ncols());
    }
    if let Some(((row, column), value)) = found.indexed_iter().find(|(_, x)| !x.is_finite()) {
        bail!("{name}: row {}, column {} is {value}: only finite numbers are allowed", row + 1, column + 1);
    }
    let shape = found.dim();
    Ok(Tensor::from_vec(found.into_iter().collect::<Vec<f32>>(), shape, &Device::Cpu)?)
}

/// Compares the shape in the header with the bytes that are there, before memory is reserved for it.
fn check_length(bytes: &[u8]) -> Result<(), String> {
    let damaged = || "the header is damaged: this is not a .npy file".to_owned();
    let (length, start) = match bytes.get(6).ok_or_else(damaged)? {
        1 => (u32::from(u16::from_le_bytes(field(bytes).ok_or_else(damaged)?)), 10),
        _ => (u32::from_le_bytes(field(bytes).ok_or_else(damaged)?), 12),
    };
    let end = start + length as usize;
    let header = String::from_utf8_lossy(bytes.get(start..end).ok_or_else(damaged)?);
    let shape =
        header.split("'shape':").nth(1).and_then(|rest| rest.split('(').nth(1)).ok_or_else(damaged)?;
    let shape = shape.split(')').next().unwrap_or_default();
    let sizes = shape.split(',').map(str::trim).filter(|size| !size.is_empty());
    let sizes: Vec<u64> = sizes.map(|size| size.parse().map_err(|_| damaged())).collect::<Result<_, _>>()?;
    let numbers = sizes.iter().try_fold(1u64, |product, &size| product.checked_mul(size));
    let present = (bytes.len() - end) as u64;
    // Even without rows, no row is wider than a file.
    let numbers = numbers.filter(|_| sizes.iter().all(|&size| size <= bytes.len() as u64));
    match numbers {
        // A number has 4 or 8 bytes.
        Some(numbers) if numbers.checked_mul(4).is_some_and(|least| least <= present) => Ok(()),
        _ => Err(format!("the header promises more numbers than there are: the file is truncated ({shape})")),
    }
}

/// The bytes of the header's length.
fn field<const N: usize>(bytes: &[u8]) -> Option<[u8; N]> {
    bytes.get(8..8 + N)?.try_into().ok()
}

fn parse(bytes: &[u8]) -> Result<Array2<f32>, String> {
    if !bytes.starts_with(b"\x93NUMPY") {
        return Err("this is not a .npy file".into());
    }
    check_length(bytes)?;
    let matrix = Array2::<f32>::read_npy(Cursor::new(bytes))
        .or_else(|_| Array2::<f64>::read_npy(Cursor::new(bytes)).map(|m| m.mapv(|x| x as f32)));
    let vector = || {
        Array1::<f32>::read_npy(Cursor::new(bytes))
            .or_else(|_| Array1::<f64>::read_npy(Cursor::new(bytes)).map(|v| v.mapv(|x| x as f32)))
            .map(|vector| vector.insert_axis(Axis(0)))
    };
    matrix.or_else(|_| vector()).map_err(|_| {
        "this is not a complete matrix of f32 or f64 in C order: it may be truncated or of another type"
            .to_owned()
    })
}
