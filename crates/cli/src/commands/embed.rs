//! `logicvae embed`

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use logicvae_kernel::{Embedding, EmbeddingParams, Method, NpyWriter};
use serde::Serialize;

use crate::args::{EmbedArgs, EmbedMethod};
use crate::commands::kernel::precision;
use crate::input::is_standard;
use crate::measure::{form, formulae, largest_variable, measure};
use crate::output::{Output, check_target, write_file};

#[derive(Serialize)]
struct Report {
    rows: usize,
    components: usize,
    explained_variance: f64,
    explained_variance_ratio: Vec<f64>,
}

pub fn run(args: &EmbedArgs, output: Output) -> Result<ExitCode> {
    if is_standard(&args.out) {
        bail!("vectors are not for reading: name a file with --out");
    }
    check_target(&args.out, args.force)?;
    if let Some(save) = &args.save {
        if is_standard(save) {
            bail!("an embedding is not for reading: name a file with --save");
        }
        if save == &args.out {
            bail!("--save and --out name the same file: give each its own");
        }
        check_target(save, args.force)?;
    }
    let embedding = embedding(args)?;
    let formulae = formulae(&args.file, Some(embedding.domain().variables() as u32))?;
    let vectors = embedding.transform(&formulae)?;
    write_file(&args.out, args.force, |out| {
        let mut writer = NpyWriter::new(out, vectors.dim(), precision(args.dtype))?;
        writer.rows(vectors.view())?;
        writer.finish()?;
        Ok(())
    })?;
    if let Some(save) = &args.save {
        write_file(save, args.force, |out| Ok(embedding.save(out)?))?;
    }
    let ratio = embedding.explained_variance();
    let report = Report {
        rows: vectors.nrows(),
        components: embedding.components(),
        explained_variance: ratio.sum(),
        explained_variance_ratio: ratio.to_vec(),
    };
    output.print(&report, |out| {
        let share = 100.0 * report.explained_variance;
        writeln!(
            out,
            "{} vectors of {} components, which explain {share:.2} % of the pool's variance",
            report.rows, report.components
        )
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Loaded if the pool is a saved embedding, fitted if it is a file of formulae.
fn embedding(args: &EmbedArgs) -> Result<Embedding> {
    let form = form(args.gaussian)?;
    if is_embedding(&args.pool)? {
        let measured =
            args.measure.vars.is_some() || args.measure.samples.is_some() || args.measure.rows.is_some();
        if args.components.is_some() || args.gaussian.is_some() || args.method.is_some() || measured {
            bail!(
                "{} is fitted already: drop --components, --gaussian, --method, --vars, --samples and --rows",
                args.pool.display()
            );
        }
        let file = BufReader::new(File::open(&args.pool)?);
        return Embedding::load(file).with_context(|| args.pool.display().to_string());
    }
    let Some(components) = args.components else { bail!("--components is needed to fit an embedding") };
    let pool = formulae(&args.pool, args.measure.vars)?;
    let measure = measure(&args.measure, largest_variable(&pool))?;
    let method = match args.method {
        None | Some(EmbedMethod::GramPca) => Method::GramPca,
        Some(EmbedMethod::KernelPca) => Method::KernelPca,
    };
    let params =
        EmbeddingParams { method, form, up_to_rank: args.up_to_rank, ..EmbeddingParams::new(components) };
    Embedding::fit(measure, &pool, &params).with_context(|| args.pool.display().to_string())
}

/// Whether a file begins as a saved embedding does.
fn is_embedding(path: &Path) -> Result<bool> {
    if is_standard(path) || path.is_dir() {
        return Ok(false);
    }
    let mut head = Vec::new();
    File::open(path)
        .with_context(|| format!("cannot open {}", path.display()))?
        .take(12)
        .read_to_end(&mut head)?;
    Ok(head == *b"LOGICVAEembd")
}
