//! `logicvae export`

mod card;

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Result, bail};
use candle_core::Device;
use logicvae_compute::keep_freed_memory;
use logicvae_vae::{Export, Learner, Run, Weights};
use serde_json::json;

use crate::args::ExportArgs;
use crate::commands::evaluate::embedding;
use crate::output::{Output, write_file};
use crate::trained::open_run;

pub fn run(args: &ExportArgs, output: Output) -> Result<ExitCode> {
    keep_freed_memory();
    let run = open_run(&args.run)?;
    let Some(folder) = &args.out else {
        // Only the card of an existing export.
        if !run.is_export() {
            bail!("{} is a run, not an export: name a folder for the export with --out", args.run.display());
        }
        write_card(args, &args.run)?;
        let path = args.run.join("README.md");
        output.print(&json!({ "out": args.run }), |out| writeln!(out, "{}", path.display()))?;
        return Ok(ExitCode::SUCCESS);
    };
    let Export { bytes, checksum } = run.export(args.weights.into(), folder, args.force)?;
    if !args.no_card {
        write_card(args, folder)?;
    }
    let report = json!({ "out": folder, "bytes": bytes, "checksum": checksum });
    output.print(&report, |out| {
        writeln!(out, "{}: {bytes} bytes of weights, CRC-32 {checksum}", folder.display())
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Evaluates exported weights and writes the card. A leaf model has none: it reconstructs nothing.
fn write_card(args: &ExportArgs, folder: &Path) -> Result<()> {
    let exported = Run::open(folder)?;
    let Learner::Autoencoder(model) = exported.learner(Weights::Last, &Device::Cpu)? else {
        return Ok(());
    };
    let report = embedding::measure(&model, &exported.config.name, args.quick, args.seed)?;
    let card = card::card(&exported, &model, &report)?;
    write_file(&folder.join("README.md"), true, |out| Ok(out.write_all(card.as_bytes())?))
}
