//! `logicvae convert`: formulae in the formats of other programs.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use logicvae_logic::{FileFormat, FormulaFile};
use serde::Serialize;

use crate::args::{ConvertArgs, FormatName};
use crate::input::{Inputs, display_name, is_file, is_standard, read_bytes};
use crate::output::{Output, check_target, write_file};

#[derive(Serialize)]
struct Report {
    count: usize,
    variables: usize,
    format: &'static str,
}

impl From<FormatName> for FileFormat {
    fn from(name: FormatName) -> Self {
        match name {
            FormatName::Text => Self::Text,
            FormatName::Binary => Self::Binary,
            FormatName::Json => Self::Json,
            FormatName::Csv => Self::Csv,
            FormatName::Latex => Self::Latex,
            FormatName::Sympy => Self::Sympy,
            FormatName::Smtlib => Self::SmtLib,
            FormatName::Dimacs => Self::Dimacs,
            FormatName::Pla => Self::Pla,
            FormatName::Graphviz => Self::Graphviz,
        }
    }
}

pub fn run(args: &ConvertArgs, output: Output) -> Result<ExitCode> {
    let out = args.out.as_deref().unwrap_or(Path::new("-"));
    if is_standard(out) && output.json {
        bail!("the formulae and the JSON object would both go to standard output: give a file with --out");
    }
    check_target(out, args.force)?;
    let Some(format) = args.to.map(FileFormat::from).or_else(|| FileFormat::from_extension(out)) else {
        bail!("{} has no known extension: name the format with --to", out.display());
    };
    let name = FileFormat::ALL.iter().find(|(known, ..)| *known == format).map_or("", |(_, name, _)| name);
    if !format.is_writable() {
        bail!("the format {name} can be read, but not written: choose another one with --to");
    }
    let file = read(args)?;
    write_file(out, args.force, |writer| Ok(file.write(writer, format)?))?;
    let mut used: Vec<_> = file.entries.iter().flat_map(|entry| entry.formula.variables()).collect();
    used.sort_unstable();
    used.dedup();
    let report = Report { count: file.entries.len(), variables: used.len(), format: name };
    if !is_standard(out) {
        output.print(&report, |text| {
            let Report { count, variables, format } = &report;
            writeln!(
                text,
                "{count} formulae over {variables} variables written to {} as {format}",
                out.display()
            )
        })?;
    }
    Ok(ExitCode::SUCCESS)
}

fn read(args: &ConvertArgs) -> Result<FormulaFile> {
    let path = Path::new(&args.input);
    if !is_file(&args.input)? {
        let mut inputs = Inputs::new();
        let parsed = inputs.names.parse(&args.input);
        let formula =
            parsed.with_context(|| format!("`{}` is neither a file nor a valid formula", args.input))?;
        return Ok(FormulaFile { names: inputs.names, entries: vec![formula.into()] });
    }
    if let Some(format) = args.from {
        let bytes = read_bytes(path, "formulae")?;
        return FormulaFile::read(&bytes[..], format.into()).with_context(|| display_name(path));
    }
    let mut inputs = Inputs::new();
    let entries = inputs.entries(path, None)?;
    Ok(FormulaFile { names: inputs.names, entries })
}
