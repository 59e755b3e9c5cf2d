//! `logicvae kernel`: matrices of kernel values.

use std::process::ExitCode;

use anyhow::Result;
use logicvae_kernel::{Kernel, NpyWriter, Precision};
use serde::Serialize;

use crate::args::{Dtype, KernelArgs};
use crate::domain::{domain, kernel_form, largest_variable};
use crate::input::Inputs;
use crate::matrix::check_npy;
use crate::output::{Output, write_file};
use crate::progress::Progress;

/// Symmetric matrices with up to this many numbers are computed at once, which halves the work. Larger ones
/// are computed in blocks of rows.
const MAX_NUMBERS_AT_ONCE: usize = 1 << 27;

#[derive(Serialize)]
struct Report {
    rows: usize,
    cols: usize,
    mean: f64,
    assignments: usize,
}

/// The precision of numbers in a .npy file.
pub fn precision(dtype: Dtype) -> Precision {
    match dtype {
        Dtype::F32 => Precision::F32,
        Dtype::F64 => Precision::F64,
    }
}

pub fn run(args: &KernelArgs, output: Output) -> Result<ExitCode> {
    check_npy(&args.out, args.force)?;
    let form = kernel_form(args.gaussian)?;
    let mut inputs = Inputs::new();
    let rows = inputs.formulae(&args.file, args.domain.vars)?;
    let other_columns =
        args.columns.as_ref().map(|file| inputs.formulae(file, args.domain.vars)).transpose()?;
    let used = largest_variable(rows.iter().chain(other_columns.iter().flatten()));
    let kernel = Kernel::new(domain(&args.domain, used)?, form)?;

    let columns = other_columns.as_ref().unwrap_or(&rows);
    let shape = (rows.len(), columns.len());
    let mut sum = 0.0;
    write_file(&args.out, args.force, |out| {
        let mut writer = NpyWriter::new(out, shape, precision(args.dtype))?;
        let mut progress = Progress::new("comparing formulae", shape.0);
        let mut done = 0;
        let mut write_block = |block: ndarray::ArrayView2<'_, f64>| -> Result<()> {
            sum += block.sum();
            done += block.nrows();
            progress.set(done);
            Ok(writer.rows(block)?)
        };
        if other_columns.is_none() && shape.0 * shape.1 <= MAX_NUMBERS_AT_ONCE {
            write_block(kernel.gram(&rows)?.view())?;
        } else {
            kernel.cross_blocks(&rows, columns, write_block)?;
        }
        writer.finish()?;
        Ok(())
    })?;
    let report = Report {
        rows: shape.0,
        cols: shape.1,
        mean: sum / (shape.0 * shape.1) as f64,
        assignments: kernel.domain().len(),
    };
    output.print(&report, |out| {
        writeln!(
            out,
            "{} × {} kernel values at {} assignments, mean {:.4}",
            report.rows, report.cols, report.assignments, report.mean
        )
    })?;
    Ok(ExitCode::SUCCESS)
}
