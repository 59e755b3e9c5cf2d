//! Trained models, as commands open them.

use std::path::Path;

use anyhow::{Context, Result};
use logicvae_compute::keep_freed_memory;
use logicvae_logic::Formula;
use logicvae_vae::{Codes, Model, Refinement, Run, Weights};

use crate::args::{RunArgs, WhichWeights};
use crate::input::{is_standard, read_formulae};
use crate::progress::Progress;

impl From<WhichWeights> for Weights {
    fn from(which: WhichWeights) -> Self {
        match which {
            WhichWeights::Last => Self::Last,
            WhichWeights::Best => Self::Best,
        }
    }
}

/// Opens the run that the flags name, and its autoencoder.
pub fn open(args: &RunArgs) -> Result<(Run, Model)> {
    keep_freed_memory();
    let run = Run::open(&args.run)?;
    let model = run.model(args.weights.into(), &args.device.open()?)?;
    Ok((run, model))
}

/// The formulae of a file, if there is one of this name; otherwise the formula itself.
pub fn formulae_or_file(input: &str, variables: u32) -> Result<Vec<Formula>> {
    let path = Path::new(input);
    if is_standard(path) || path.exists() {
        return read_formulae(path, Some(variables));
    }
    let formula: Formula =
        input.parse().with_context(|| format!("`{input}` is neither a file nor a valid formula"))?;
    Ok(vec![formula])
}

/// Encodes formulae and refines the vectors, if wanted. The second result says for each formula whether it is
/// reconstructed exactly; without refinement this is not checked, and it is always true.
pub fn encode(model: &Model, formulae: &[Formula], refine: bool) -> Result<(Codes, Vec<bool>)> {
    let mut bar = Progress::new("encoding", formulae.len());
    let codes = model.encode_with_progress(formulae, |done| bar.set(done))?;
    drop(bar);
    if !refine {
        return Ok((codes, vec![true; formulae.len()]));
    }
    let mut bar = Progress::new("refining", formulae.len());
    let refined = model.refine(formulae, &codes, &Refinement::default(), |done| bar.set(done))?;
    Ok((refined.codes, refined.exact))
}
