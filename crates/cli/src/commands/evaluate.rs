//! `logicvae evaluate`

use std::collections::HashSet;
use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::{Result, bail};
use logicvae_logic::Formula;
use logicvae_vae::hierarchy::LeafModel;
use logicvae_vae::measures::{
    Conditional, Generation, Leaves, Protocol, Reconstruction, conditional, generation, leaves,
    reconstruction,
};
use logicvae_vae::{Children, Learner, Model, Refinement, Task, context_of, trained_formulae};
use serde::Serialize;

use crate::args::EvaluateArgs;
use crate::measure::formulae;
use crate::output::Output;
use crate::progress::Progress;
use crate::run::Run;

#[derive(Serialize)]
struct Report {
    name: String,
    formulae: usize,
    protocol: Protocol,
    #[serde(flatten)]
    reconstruction: Reconstruction,
    #[serde(flatten)]
    generation: Generation,
    /// How many of the formulae are training formulae, up to the order of children.
    reordered: usize,
    /// The accuracy on the others, if there are any.
    new_accuracy: Option<f64>,
    /// The share of formulae that come back, as ordered trees, after their encoding was refined.
    #[serde(skip_serializing_if = "Option::is_none")]
    refined: Option<f64>,
    #[serde(flatten)]
    conditional: Option<Conditional>,
}

pub fn run(args: &EvaluateArgs, output: Output) -> Result<ExitCode> {
    logicvae_gnn::keep_freed_memory();
    let mut run = Run::open(&args.model.run)?;
    if let Some(budget) = args.budget.filter(|_| run.config.model.task == Task::Formulae) {
        run.config.model.budget = budget;
        run.config.check()?;
    }
    match run.learner(args.model.weights, &args.model.device.open()?)? {
        Learner::Formulae(model) => autoencoder(args, &run, &model, output),
        Learner::Leaves(model) => leaf_network(args, &run, &model, output),
    }
}

/// The run's test formulae, or others.
fn test_formulae(args: &EvaluateArgs, run: &Run) -> Result<Vec<Formula>> {
    let formulae = match &args.data {
        Some(path) => formulae(path, Some(run.config.model.variables))?,
        None if args.seen => {
            if run.data.train.is_empty() {
                bail!(
                    "this run drew its training formulae fresh and has none to be measured on: leave --seen out"
                );
            }
            run.data.train.iter().take(run.data.test.len()).cloned().collect()
        }
        None => run.data.test.clone(),
    };
    if formulae.is_empty() {
        bail!("the run has no test formulae: give some with --data FILE");
    }
    run.config.model.vocabulary().trees(&formulae)?;
    Ok(formulae)
}

#[derive(Serialize)]
struct LeafReport {
    name: String,
    formulae: usize,
    #[serde(flatten)]
    leaves: Leaves,
}

/// Candidates among which the nearest is searched for.
const CANDIDATES: usize = 100;

fn leaf_network(args: &EvaluateArgs, run: &Run, model: &LeafModel, output: Output) -> Result<ExitCode> {
    if args.refine || args.budget.is_some() || args.prior_noise.is_some() {
        bail!("a run that names leaves decodes nothing: leave --refine, --budget and --prior-noise out");
    }
    let formulae = test_formulae(args, run)?;
    let Some(embedding) = &run.embedding else { bail!("the run has no semantic embedding") };
    let mut bar = Progress::new("naming leaves", formulae.len());
    let candidates = if args.quick { CANDIDATES / 10 } else { CANDIDATES };
    let leaves = leaves(model, &formulae, embedding, candidates, args.seed, |done| bar.set(done))?;
    let report = LeafReport { name: run.config.name.clone(), formulae: formulae.len(), leaves };
    output.print(&report, |out| {
        let l = &report.leaves;
        let lines = [
            ("assignments that differ", percent(l.disagreement)),
            ("  nearest of candidates", percent(l.searched_disagreement)),
            ("  leaves at random", percent(l.guessing)),
            ("leaves that are right", percent(l.leaf_accuracy)),
            ("equivalent", percent(l.equivalent)),
            ("  nearest of candidates", percent(l.searched_equivalent)),
        ];
        table(out, &report.name, report.formulae, &lines)
    })?;
    Ok(ExitCode::SUCCESS)
}

fn autoencoder(args: &EvaluateArgs, run: &Run, model: &Model, output: Output) -> Result<ExitCode> {
    let formulae = test_formulae(args, run)?;
    let embedding = run.embedding.as_ref();
    let sorted = run.config.data.children == Children::Sort;
    let protocol = if args.quick { Protocol::quick() } else { Protocol::paper() };
    let prior_noise = args.prior_noise.unwrap_or(protocol.prior_noise);
    let protocol = Protocol { prior_noise, sorted, seed: args.seed, ..protocol };
    let mut bar = Progress::new("reconstructing", formulae.len());
    let reconstruction = reconstruction(model, &formulae, embedding, &protocol, |done| bar.set(done))?;
    let (reordered, new_accuracy) = among_new(run, &formulae, &reconstruction.by_formula.accuracy);
    let mut bar = Progress::new("decoding prior samples", protocol.prior_samples);
    let trained = trained_formulae(&run.config, &run.data, run.epochs()?)?;
    let generation = generation(model, &formulae, trained, embedding, &protocol, |done| bar.set(done))?;
    let conditional = match embedding {
        Some(embedding) => {
            let mut bar = Progress::new("decoding for contexts", protocol.contexts.min(formulae.len()));
            Some(conditional(model, &formulae, embedding, &protocol, |done| bar.set(done))?)
        }
        None => None,
    };
    let refined = if args.refine {
        let context =
            embedding.map(|e| context_of(e, &formulae, model.dtype(), model.device())).transpose()?;
        let z = model.posterior(&model.prepare(&formulae)?, context.as_ref())?.mean;
        let mut bar = Progress::new("refining", formulae.len());
        let refined =
            model.refine(&formulae, &z, context.as_ref(), &Refinement::default(), |done| bar.set(done))?;
        Some(refined.exact.iter().filter(|&&e| e).count() as f64 / formulae.len() as f64)
    } else {
        None
    };
    let report = Report {
        name: run.config.name.clone(),
        formulae: formulae.len(),
        protocol,
        reconstruction,
        generation,
        reordered,
        new_accuracy,
        refined,
        conditional,
    };
    output.print(&report, |out| {
        let r = &report.reconstruction;
        let g = &report.generation;
        let mut lines = vec![
            ("negative log-likelihood", format!("{:.4}", r.nll)),
            ("accuracy", percent(r.accuracy)),
            ("  as ordered trees", percent(r.ordered_accuracy)),
            ("  not trained reordered", report.new_accuracy.map_or("-".into(), percent)),
            ("  as meanings", percent(r.semantic_accuracy)),
            ("mode accuracy", percent(r.mode_accuracy)),
            ("  as ordered trees", percent(r.ordered_mode_accuracy)),
            ("greedy, as ordered trees", percent(r.greedy_accuracy)),
        ];
        lines.extend(report.refined.map(|share| ("  after refinement", percent(share))));
        lines.extend([
            ("validity", percent(g.validity)),
            ("uniqueness", percent(g.uniqueness)),
            ("novelty", percent(g.novelty)),
        ]);
        if let Some(c) = &report.conditional {
            lines.extend([
                ("semantic distance", format!("{:.3}", c.semantic_distance)),
                ("kernel", format!("{:.4}", c.kernel)),
                ("Gaussian kernel", format!("{:.4}", c.gaussian_kernel)),
                ("kernel with the target", format!("{:.4}", c.target_kernel)),
                ("equivalent to the target", percent(c.target_equivalent)),
            ]);
        }
        table(out, &report.name, report.formulae, &lines)
    })?;
    Ok(ExitCode::SUCCESS)
}

/// A run's name and its measures, a line each.
fn table(out: &mut dyn Write, name: &str, formulae: usize, lines: &[(&str, String)]) -> io::Result<()> {
    writeln!(out, "{name} on {formulae} formulae")?;
    lines.iter().try_for_each(|(name, value)| writeln!(out, "{name:<26}{value:>10}"))
}

/// Splits are different as ordered trees, so a test formula can be a training formula with children in another order: how many
/// are, and the accuracy on the others, if there are any.
fn among_new(run: &Run, formulae: &[Formula], accuracies: &[f64]) -> (usize, Option<f64>) {
    let trained: HashSet<Formula> = run.data.train.iter().map(Formula::sorted).collect();
    let new = formulae.iter().zip(accuracies).filter(|(formula, _)| !trained.contains(&formula.sorted()));
    let new: Vec<f64> = new.map(|(_, accuracy)| *accuracy).collect();
    let mean = (!new.is_empty()).then(|| new.iter().sum::<f64>() / new.len() as f64);
    (formulae.len() - new.len(), mean)
}

fn percent(share: f64) -> String {
    format!("{:.2} %", 100.0 * share)
}
