//! `logicvae embed`: semantic embeddings from the kernel.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use logicvae_kernel::{Embedding, EmbeddingParams, Method, NpyWriter};
use logicvae_vae::{Model, Run};
use serde::Serialize;

use crate::args::{EmbedArgs, EmbedMethod};
use crate::commands::kernel::precision;
use crate::domain::{domain, kernel_form, largest_variable};
use crate::input::{Inputs, is_standard};
use crate::matrix::check_npy;
use crate::output::{Output, check_target, write_file};
use crate::trained::open_run;

#[derive(Serialize)]
struct Report {
    rows: usize,
    components: usize,
    explained_variance: f64,
    explained_variance_ratio: Vec<f64>,
}

pub fn run(args: &EmbedArgs, output: Output) -> Result<ExitCode> {
    check_npy(&args.out, args.force)?;
    if let Some(save) = &args.save {
        if is_standard(save) {
            bail!("an embedding is written in binary form, not to standard output: give a file with --save");
        }
        if save == &args.out {
            bail!("--save and --out are the same file: give two different files");
        }
        check_target(save, args.force)?;
    }
    let mut inputs = Inputs::new();
    let embedding = embedding(args, &mut inputs)?;
    let formulae = inputs.formulae(&args.file, Some(embedding.domain().variables() as u32))?;
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
            "{} vectors with {} components, which explain {share:.2} % of the variance of the pool",
            report.rows, report.components
        )
    })?;
    Ok(ExitCode::SUCCESS)
}

/// The embedding of a model or a saved one, or one that is fitted if the pool is a file of formulae.
fn embedding(args: &EmbedArgs, inputs: &mut Inputs) -> Result<Embedding> {
    let form = kernel_form(args.gaussian)?;
    if let Some((name, embedding)) = fitted(args.pool.as_deref())? {
        let domain_given =
            args.domain.vars.is_some() || args.domain.samples.is_some() || args.domain.rows.is_some();
        if args.components.is_some() || args.gaussian.is_some() || args.method.is_some() || domain_given {
            bail!(
                "{name} is fitted already: remove --components, --gaussian, --method, --vars, --samples and \
                 --rows, or name a file of formulae with --pool"
            );
        }
        return Ok(embedding);
    }
    let path = args.pool.as_deref().context("the pool is missing")?;
    let Some(components) = args.components else {
        bail!("the number of components is missing: give it with --components K, such as --components 100")
    };
    let pool = inputs.formulae(path, args.domain.vars)?;
    let domain = domain(&args.domain, largest_variable(&pool))?;
    let method = match args.method {
        None | Some(EmbedMethod::GramPca) => Method::GramPca,
        Some(EmbedMethod::KernelPca) => Method::KernelPca,
    };
    let params =
        EmbeddingParams { method, form, up_to_rank: args.up_to_rank, ..EmbeddingParams::new(components) };
    Embedding::fit(domain, &pool, &params).with_context(|| path.display().to_string())
}

/// An embedding that need not be fitted, and its name in messages: that of the built-in model, of a model's
/// folder, or of a file. `None` if the pool is a file of formulae.
fn fitted(pool: Option<&Path>) -> Result<Option<(String, Embedding)>> {
    let Some(path) = pool else {
        let model = Model::built_in()?;
        let embedding = model.embedding().context("the built-in model is conditional")?.clone();
        return Ok(Some(("the embedding of the built-in model".into(), embedding)));
    };
    if Run::exists(path) {
        let embedding = open_run(path)?.embedding()?;
        let embedding = embedding.with_context(|| {
            format!("{} is a model without semantic vectors: name a conditional model", path.display())
        })?;
        return Ok(Some((format!("the embedding of {}", path.display()), (*embedding).clone())));
    }
    if !is_embedding(path)? {
        return Ok(None);
    }
    let file = BufReader::new(File::open(path)?);
    let embedding = Embedding::load(file).with_context(|| path.display().to_string())?;
    Ok(Some((format!("{}, a saved embedding,", path.display()), embedding)))
}

/// Whether a file starts with the header of a saved embedding.
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
