//! `logicvae man`: manual pages.

use std::fs;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::CommandFactory;
use clap_mangen::Man;
use serde_json::json;

use crate::args::{Args, ManArgs};
use crate::output::{Output, check_target, write_file};

pub fn run(args: &ManArgs, output: Output) -> Result<ExitCode> {
    let mut program = Args::command();
    program.build();
    let mut pages = vec![("logicvae.1".to_owned(), program.clone())];
    for command in program.get_subcommands().filter(|c| c.get_name() != "help") {
        pages.push((format!("logicvae-{}.1", command.get_name()), command.clone()));
    }
    fs::create_dir_all(&args.out)
        .with_context(|| format!("cannot create the folder {}", args.out.display()))?;
    for (file, _) in &pages {
        check_target(&args.out.join(file), args.force)?;
    }
    let names: Vec<String> = pages.iter().map(|(file, _)| file.clone()).collect();
    for (file, command) in pages {
        write_file(&args.out.join(file), args.force, |mut out| Ok(Man::new(command).render(&mut out)?))?;
    }
    output.print(&json!({ "pages": names }), |out| {
        writeln!(out, "{} pages written to {}", names.len(), args.out.display())
    })?;
    Ok(ExitCode::SUCCESS)
}
