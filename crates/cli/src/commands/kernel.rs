//! `logicvae kernel`

use std::process::ExitCode;

use anyhow::{Result, bail};
use logicvae_kernel::{Kernel, NpyWriter, Precision};
use serde::Serialize;

use crate::args::{Dtype, KernelArgs};
use crate::input::is_standard;
use crate::measure::{form, formulae, largest_variable, measure};
use crate::output::{Output, check_target, write_file};
use crate::progress::Progress;

/// Matrices up to this many numbers are made whole, which takes half the work; larger ones in blocks of rows.
const WHOLE: usize = 1 << 27;

#[derive(Serialize)]
struct Report {
    rows: usize,
    cols: usize,
    mean: f64,
    assignments: usize,
}

pub fn precision(dtype: Dtype) -> Precision {
    match dtype {
        Dtype::F32 => Precision::F32,
        Dtype::F64 => Precision::F64,
    }
}

pub fn run(args: &KernelArgs, output: Output) -> Result<ExitCode> {
    if is_standard(&args.out) {
        bail!("a matrix is not for reading: name a file with --out");
    }
    check_target(&args.out, args.force)?;
    let form = form(args.gaussian)?;
    let rows = formulae(&args.file, args.measure.vars)?;
    let columns = args.columns.as_ref().map(|file| formulae(file, args.measure.vars)).transpose()?;
    let used = largest_variable(rows.iter().chain(columns.iter().flatten()));
    let kernel = Kernel::new(measure(&args.measure, used)?, form)?;

    let others = columns.as_ref().unwrap_or(&rows);
    let shape = (rows.len(), others.len());
    let mut sum = 0.0;
    write_file(&args.out, args.force, |out| {
        let mut writer = NpyWriter::new(out, shape, precision(args.dtype))?;
        let mut progress = Progress::new("comparing", shape.0);
        let mut done = 0;
        let mut block = |block: ndarray::ArrayView2<'_, f64>| -> Result<()> {
            sum += block.sum();
            done += block.nrows();
            progress.set(done);
            Ok(writer.rows(block)?)
        };
        if columns.is_none() && shape.0 * shape.1 <= WHOLE {
            block(kernel.gram(&rows)?.view())?;
        } else {
            kernel.cross_blocks(&rows, others, block)?;
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
            "{} × {} similarities at {} assignments, {:.4} on average",
            report.rows, report.cols, report.assignments, report.mean
        )
    })?;
    Ok(ExitCode::SUCCESS)
}
