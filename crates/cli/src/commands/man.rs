//! `logicvae man`

use std::fs;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::CommandFactory;
use clap_mangen::Man;

use crate::args::{Args, ManArgs};
use crate::output::{check_target, write_file};

pub fn run(args: &ManArgs) -> Result<ExitCode> {
    let mut program = Args::command();
    program.build();
    let mut pages = vec![("logicvae.1".to_owned(), program.clone())];
    for command in program.get_subcommands().filter(|c| c.get_name() != "help") {
        pages.push((format!("logicvae-{}.1", command.get_name()), command.clone()));
    }
    fs::create_dir_all(&args.out).with_context(|| format!("cannot make the folder {}", args.out.display()))?;
    for (file, _) in &pages {
        check_target(&args.out.join(file), args.force)?;
    }
    let count = pages.len();
    for (file, command) in pages {
        write_file(&args.out.join(file), args.force, |mut out| Ok(Man::new(command).render(&mut out)?))?;
    }
    eprintln!("{count} pages in {}", args.out.display());
    Ok(ExitCode::SUCCESS)
}
