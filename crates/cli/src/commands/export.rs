//! `logicvae export`

use std::process::ExitCode;

use anyhow::Result;
use logicvae_vae::{Export, Run};
use serde_json::json;

use crate::args::ExportArgs;
use crate::output::Output;

pub fn run(args: &ExportArgs, output: Output) -> Result<ExitCode> {
    let Export { bytes, checksum } =
        Run::open(&args.run)?.export(args.weights.into(), &args.out, args.force)?;
    let report = json!({ "out": args.out, "bytes": bytes, "checksum": checksum });
    output.print(&report, |out| {
        writeln!(out, "{}: {bytes} bytes of weights, CRC-32 {checksum}", args.out.display())
    })?;
    Ok(ExitCode::SUCCESS)
}
