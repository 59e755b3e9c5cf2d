//! Matrices in .npy and .csv files.

use std::path::Path;

use anyhow::{Context, Result, bail};
use candle_core::{Device, Tensor};
use logicvae_kernel::{NpyWriter, Precision, read_npy};
use ndarray::Array2;

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

/// Checks that a file can be written that has only one possible format: a binary matrix.
pub fn check_npy(path: &Path, force: bool) -> Result<()> {
    if is_standard(path) {
        bail!("a matrix is written in binary form (.npy), not to standard output: give a file with --out");
    }
    if path.extension().is_none_or(|extension| extension != "npy") {
        bail!("unsupported format in `{}`: use a name that ends in .npy", path.display());
    }
    check_target(path, force)
}

/// Reads a .npy matrix of f32 or f64 with rows of `columns` numbers; a single vector is one row.
pub fn read(path: &Path, columns: usize) -> Result<Tensor> {
    let name = display_name(path);
    let bytes = read_bytes(path, "vectors (.npy)")?;
    let found = read_npy(&bytes).with_context(|| name.clone())?;
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
