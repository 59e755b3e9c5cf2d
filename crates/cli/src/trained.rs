//! Trained models, as commands open them.

use std::path::Path;

use anyhow::{Context, Result, bail};
use logicvae_compute::keep_freed_memory;
use logicvae_logic::{Budget, Entry, Formula, FormulaLimits, Operators, Split, minimise};
use logicvae_vae::{Codes, Model, Refinement, Run, Weights};

use crate::args::{ModelArgs, WhichWeights};
use crate::input::{Inputs, is_file};
use crate::message::message;
use crate::progress::Progress;

impl From<WhichWeights> for Weights {
    fn from(which: WhichWeights) -> Self {
        match which {
            WhichWeights::Last => Self::Last,
            WhichWeights::Best => Self::Best,
        }
    }
}

/// Opens the model that the flags name: that of a folder, or the built-in one.
pub fn open(args: &ModelArgs) -> Result<Model> {
    keep_freed_memory();
    match &args.model {
        Some(folder) => Ok(open_run(folder)?.model(args.weights.into(), &args.device.open()?)?),
        None => Ok(Model::built_in()?),
    }
}

/// Opens a run or an export, and says so if its files cannot be verified.
pub fn open_run(folder: &Path) -> Result<Run> {
    let run = Run::open(folder)?;
    if !run.has_manifest() {
        message(format_args!(
            "note: {} was written by an older version and has no manifest.json: changes of its settings or \
             of its best weights would go unnoticed",
            folder.display()
        ));
    }
    Ok(run)
}

/// The formulae of a file or, if none is named, the test set of the model's folder.
pub fn formulae_or_test_set(
    args: &ModelArgs,
    file: Option<&Path>,
    limits: FormulaLimits,
    inputs: &mut Inputs,
) -> Result<Vec<Entry>> {
    match (file, &args.model) {
        (Some(path), _) => inputs.limited(path, limits),
        (None, Some(folder)) => {
            let formulae = open_run(folder)?.formulae(Split::Test)?;
            let entry = |(at, formula)| Entry { formula, label: None, line: at + 1 };
            Ok(formulae.into_iter().enumerate().map(entry).collect())
        }
        (None, None) => bail!("the built-in model has no formulae of its own: name a file with --in"),
    }
}

/// The formulae of a file, if there is one of this name; otherwise the formula itself. They must be within
/// the limits of the model.
pub fn formulae_or_file(input: &str, limits: FormulaLimits, inputs: &mut Inputs) -> Result<Vec<Entry>> {
    if is_file(input)? {
        return inputs.limited(Path::new(input), limits);
    }
    let parsed = inputs.names.parse(input);
    parsed.with_context(|| format!("`{input}` is neither a file nor a valid formula"))?;
    Ok(vec![inputs.limited_formula(input, limits)?.into()])
}

/// The formulae of a list of entries.
pub fn formulae(entries: &[Entry]) -> Vec<Formula> {
    entries.iter().map(|entry| entry.formula.clone()).collect()
}

/// The time to minimise a decoded formula of five or more variables, in seconds.
const MINIMISING: f64 = 0.1;

/// The smallest formula with the same meaning, or the best one found in a short time.
pub fn minimised(formula: &Formula) -> Formula {
    let found = minimise(formula, Operators::BASIC, &Budget::seconds(MINIMISING));
    found.map_or_else(|_| formula.clone(), |found| found.expression.to_formula())
}

/// Encodes formulae without checking that they are reconstructed.
pub fn encode_only(model: &Model, formulae: &[Formula]) -> Result<Codes> {
    let mut bar = Progress::new("encoding", formulae.len());
    Ok(model.encode_with_progress(formulae, |done| bar.set(done))?)
}

/// Encodes formulae, decodes the result, and refines the vectors that decode to something else. The second
/// result says for each formula whether it is reconstructed exactly.
pub fn encode(model: &Model, formulae: &[Formula]) -> Result<(Codes, Vec<bool>)> {
    let codes = encode_only(model, formulae)?;
    let mut bar = Progress::new("verifying", formulae.len());
    let refined = model.refine(formulae, &codes, &Refinement::default(), |done| bar.set(done))?;
    Ok((refined.codes, refined.exact))
}
