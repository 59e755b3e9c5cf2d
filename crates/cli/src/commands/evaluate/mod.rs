//! `logicvae evaluate`

pub mod embedding;

use std::collections::HashSet;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

use anyhow::{Result, bail};
use logicvae_compute::keep_freed_memory;
use logicvae_logic::{Dataset, Formula, Split};
use logicvae_vae::leaves::LeafModel;
use logicvae_vae::metrics::{
    Conditional, Generation, Leaves, Protocol, PublishedConditional, Reconstruction, conditional, generation,
    leaves, published_conditional, published_contexts, reconstruction,
};
use logicvae_vae::{Children, Learner, Model, Refinement, Run, Task, trained_formulae};
use serde::Serialize;

use crate::args::EvaluateArgs;
use crate::input::Inputs;
use crate::output::Output;
use crate::progress::Progress;
use crate::trained::{formulae, open_run};

#[derive(Serialize)]
struct Report {
    name: String,
    formulae: usize,
    protocol: Protocol,
    #[serde(flatten)]
    reconstruction: Reconstruction,
    #[serde(flatten)]
    generation: Generation,
    #[serde(flatten)]
    known: Known,
    /// The fraction of formulae that are reconstructed as ordered trees after refinement.
    #[serde(skip_serializing_if = "Option::is_none")]
    refined: Option<f64>,
    #[serde(flatten)]
    conditional: Option<Conditional>,
    /// The measures of the authors' program, if they were asked for and the model is conditional.
    #[serde(skip_serializing_if = "Option::is_none")]
    published: Option<PublishedConditional>,
}

pub fn run(args: &EvaluateArgs, output: Output) -> Result<ExitCode> {
    keep_freed_memory();
    let mut run = open_run(&args.model.run)?;
    if let Some(budget) = args.budget.filter(|_| run.config.model.task == Task::Autoencoder) {
        run.config.model.budget = budget;
        run.config.check()?;
    }
    if args.embedding {
        let model = run.model(args.model.weights.into(), &args.model.device.open()?)?;
        let report = embedding::measure(&model, &run.config.name, args.quick, args.seed)?;
        output.print(&report, |out| embedding::print(&report, out))?;
        return Ok(ExitCode::SUCCESS);
    }
    match run.learner(args.model.weights.into(), &args.model.device.open()?)? {
        Learner::Autoencoder(model) => autoencoder(args, &run, &model, output),
        Learner::Leaves(model) => leaf_network(args, &run, &model, output),
    }
}

/// The test formulae of the run, or those that the flags name.
fn test_formulae(args: &EvaluateArgs, run: &Run) -> Result<Vec<Formula>> {
    let formulae = match &args.data {
        Some(path) => return Ok(formulae(&Inputs::new().limited(path, run.config.model.limits())?)),
        None if args.seen => {
            let train = run.formulae(Split::Train)?;
            if train.is_empty() {
                bail!(
                    "this run sampled fresh training formulae and has none to evaluate on: leave out --seen"
                );
            }
            let count = run.formulae(Split::Test)?.len();
            train.into_iter().take(count).collect()
        }
        None if args.unseen => {
            let unseen = run.formulae(Split::Unseen)?;
            if unseen.is_empty() {
                bail!("no test formula of this run is a training formula: leave out --unseen");
            }
            unseen
        }
        None => run.formulae(Split::Test)?,
    };
    if formulae.is_empty() {
        bail!("the run has no test formulae: name a file with --data");
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

/// The number of candidates from which the closest is kept.
const CANDIDATES: usize = 100;

fn leaf_network(args: &EvaluateArgs, run: &Run, model: &LeafModel, output: Output) -> Result<ExitCode> {
    if args.refine || args.budget.is_some() || args.prior_noise.is_some() {
        bail!("a leaf model decodes nothing: leave out --refine, --budget and --prior-noise");
    }
    let formulae = test_formulae(args, run)?;
    let mut bar = Progress::phase("predicting leaves", formulae.len());
    let candidates = if args.quick { CANDIDATES / 10 } else { CANDIDATES };
    let leaves = leaves(model, &formulae, candidates, args.seed, |done| bar.set(done))?;
    let report = LeafReport { name: run.config.name.clone(), formulae: formulae.len(), leaves };
    output.print(&report, |out| {
        let l = &report.leaves;
        let lines = [
            ("disagreement", percent(l.disagreement)),
            ("  closest candidate", percent(l.searched_disagreement)),
            ("  random variables", percent(l.guessing)),
            ("leaf accuracy", percent(l.leaf_accuracy)),
            ("equivalent", percent(l.equivalent)),
            ("  closest candidate", percent(l.searched_equivalent)),
        ];
        table(out, &report.name, report.formulae, &lines)
    })?;
    Ok(ExitCode::SUCCESS)
}

fn autoencoder(args: &EvaluateArgs, run: &Run, model: &Model, output: Output) -> Result<ExitCode> {
    let formulae = test_formulae(args, run)?;
    let sorted = run.config.data.children == Children::Sort;
    let protocol = if args.quick { Protocol::quick() } else { Protocol::paper() };
    let prior_noise = args.prior_noise.unwrap_or(protocol.prior_noise);
    let posterior_noise = args.published.then_some(0.0);
    let protocol = Protocol { prior_noise, posterior_noise, sorted, seed: args.seed, ..protocol };
    let mut bar = Progress::phase("reconstructing", formulae.len());
    let reconstruction = reconstruction(model, &formulae, &protocol, |done| bar.set(done))?;
    drop(bar);
    let data = run.dataset()?;
    let known = Known::new(&data.train, &formulae, &reconstruction.by_formula.accuracy);
    let contexts = match args.published {
        true => published_contexts(model.config().variables, protocol.contexts)?,
        false => formulae.clone(),
    };
    let generation = generated(run, &data, model, &contexts, &protocol)?;
    let (mut as_ours, mut as_published) = (None, None);
    if model.embedding().is_some() {
        let mut bar = Progress::phase("decoding for conditions", protocol.contexts.min(contexts.len()));
        if args.published {
            as_published = Some(published_conditional(model, &contexts, &protocol, |done| bar.set(done))?);
        } else {
            as_ours = Some(conditional(model, &contexts, &protocol, |done| bar.set(done))?);
        }
    }
    let refined = if args.refine {
        let codes = model.encode(&formulae)?;
        let mut bar = Progress::phase("refining", formulae.len());
        let refined = model.refine(&formulae, &codes, &Refinement::default(), |done| bar.set(done))?;
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
        known,
        refined,
        conditional: as_ours,
        published: as_published,
    };
    output.print(&report, |out| {
        let r = &report.reconstruction;
        let g = &report.generation;
        let mut lines = vec![
            ("negative log-likelihood", format!("{:.4}", r.nll)),
            ("accuracy", percent(r.accuracy)),
            ("  as ordered trees", percent(r.ordered_accuracy)),
            ("  in training", report.known.known_accuracy.map_or("-".into(), percent)),
            ("  not in training", report.known.new_accuracy.map_or("-".into(), percent)),
            ("  equivalent", percent(r.semantic_accuracy)),
            ("mode accuracy", percent(r.mode_accuracy)),
            ("  as ordered trees", percent(r.ordered_mode_accuracy)),
            ("greedy, as ordered trees", percent(r.greedy_accuracy)),
        ];
        lines.extend(report.refined.map(|share| ("  after refinement", percent(share))));
        lines.extend([
            ("validity", percent(g.validity)),
            ("uniqueness", percent(g.uniqueness)),
            ("novelty", percent(g.novelty)),
            ("  as published", percent(g.published_novelty)),
        ]);
        if let Some(p) = &report.published {
            lines.extend([
                ("distance, as published", format!("{:.3}", p.distance)),
                ("kernel, as published", format!("{:.4}", p.kernel)),
            ]);
        }
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

/// What the model generates from its prior, compared with everything that it was trained on. Runs that sample
/// fresh formulae sample all of them again, which can take longer than generating.
fn generated(
    run: &Run,
    data: &Dataset,
    model: &Model,
    formulae: &[Formula],
    protocol: &Protocol,
) -> Result<Generation> {
    let epochs = run.epochs()?;
    let in_epoch = if run.config.data.fresh { run.config.data.set.train } else { data.train.len() };
    let bar = Mutex::new(Progress::phase("decoding prior samples", protocol.prior_samples));
    let bar = || bar.lock().unwrap_or_else(PoisonError::into_inner);
    let trained = trained_formulae(&run.config, data, epochs)?.enumerate().map(|(before, formula)| {
        match before {
            0 => *bar() = Progress::phase("comparing with training formulae", epochs * in_epoch),
            _ if before % 1000 == 0 => bar().set(before),
            _ => {}
        }
        formula
    });
    Ok(generation(model, formulae, &data.train, trained, protocol, |done| bar().set(done))?)
}

/// The name of a run and its metrics, one per line.
fn table(out: &mut dyn Write, name: &str, formulae: usize, lines: &[(&str, String)]) -> io::Result<()> {
    writeln!(out, "{name} on {formulae} formulae")?;
    lines.iter().try_for_each(|(name, value)| writeln!(out, "{name:<26}{value:>10}"))
}

/// The accuracy on test formulae that are training formulae, up to the order of children, and on the others.
/// Splits share no ordered tree, except for those of published-N data.
#[derive(Serialize)]
struct Known {
    /// The number of formulae that are training formulae up to the order of children.
    reordered: usize,
    /// The accuracy on these, if there are any.
    known_accuracy: Option<f64>,
    /// The accuracy on the others, if there are any.
    new_accuracy: Option<f64>,
    /// The accuracies of these formulae, for confidence intervals.
    known_accuracies: Vec<f64>,
    /// The accuracies of the others.
    new_accuracies: Vec<f64>,
}

impl Known {
    fn new(train: &[Formula], formulae: &[Formula], accuracies: &[f64]) -> Self {
        let trained: HashSet<Formula> = train.iter().map(Formula::sorted).collect();
        let (mut known_accuracies, mut new_accuracies) = (Vec::new(), Vec::new());
        for (formula, accuracy) in formulae.iter().zip(accuracies) {
            let known = trained.contains(&formula.sorted());
            if known { &mut known_accuracies } else { &mut new_accuracies }.push(*accuracy);
        }
        let mean = |list: &[f64]| (!list.is_empty()).then(|| list.iter().sum::<f64>() / list.len() as f64);
        Self {
            reordered: known_accuracies.len(),
            known_accuracy: mean(&known_accuracies),
            new_accuracy: mean(&new_accuracies),
            known_accuracies,
            new_accuracies,
        }
    }
}

fn percent(share: f64) -> String {
    format!("{:.2} %", 100.0 * share)
}
