//! `logicvae train`

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use candle_core::Device;
use indicatif::{ProgressBar, ProgressStyle};
use logicvae_logic::{Dataset, DatasetSpec, Formula};
use logicvae_vae::{
    Checkpoint, Config, EpochReport, Observer, StepReport, StopReason, Trainer, VaeError, fit_context,
};

use crate::args::{TrainArgs, WhichWeights};
use crate::measure::formulae;
use crate::output::Output;
use crate::run::{Lock, Metrics, Run, Start, is_run};

pub fn run(args: &TrainArgs, output: Output) -> Result<ExitCode> {
    logicvae_gnn::keep_freed_memory();
    if args.show {
        let config = config(args)?;
        let toml = config.to_toml()?;
        output.print(&config, |out| write!(out, "{toml}"))?;
        return Ok(ExitCode::SUCCESS);
    }
    let Some(folder) = &args.out else { bail!("name the run's folder with --out") };
    let device = args.device.open()?;
    let (run, _lock, mut trainer) =
        if args.resume { resume(args, folder, &device)? } else { start(args, folder, &device)? };
    if cfg!(debug_assertions) {
        eprintln!("note: this is a debug build, which trains more slowly: use `cargo run --release`");
    }
    let stop = Arc::new(AtomicBool::new(false));
    let (flag, interrupted) = (stop.clone(), AtomicBool::new(false));
    ctrlc::set_handler(move || {
        flag.store(true, Ordering::Relaxed);
        // The second time there is no waiting for the step to end.
        if interrupted.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    })
    .context("listening for Ctrl-C")?;
    if args.stop_with_input {
        let flag = stop.clone();
        std::thread::spawn(move || {
            std::io::copy(&mut std::io::stdin(), &mut std::io::sink()).ok();
            flag.store(true, Ordering::Relaxed);
        });
    }
    let mut watch = Watch::new(&run, &trainer, stop)?;
    let result = trainer.run(&mut watch);
    watch.bar.finish_and_clear();
    if let Some(error) = watch.failure.take() {
        return Err(error);
    }
    let outcome = match result {
        Ok(outcome) => outcome,
        Err(error @ VaeError::Diverged { .. }) => {
            eprintln!("logicvae: {error}");
            return Ok(ExitCode::from(1));
        }
        Err(error) => return Err(error.into()),
    };
    watch.draw()?;
    output.print(&outcome, |out| {
        writeln!(out, "{} after {} epochs: {}", run.folder.display(), outcome.epochs, outcome.stop_reason)?;
        if let Some(best) = outcome.best {
            let v = best.validation;
            writeln!(
                out,
                "best validation: nll {:.4}, accuracy {:.1} % (greedy), after epoch {}",
                v.nll,
                100.0 * v.accuracy,
                best.epoch
            )?;
        }
        Ok(())
    })?;
    if outcome.stop_reason == StopReason::Interrupted {
        eprintln!("saved; go on with `logicvae train --resume --out {}`", run.folder.display());
        return Ok(ExitCode::from(1));
    }
    Ok(ExitCode::SUCCESS)
}

/// Settings by name, from a file, and from flags.
fn config(args: &TrainArgs) -> Result<Config> {
    let mut config = match (&args.preset, &args.config) {
        (Some(name), _) => match Config::preset(name) {
            Some(config) => config,
            None => bail!("there is no preset `{name}`: `logicvae train --help` lists them"),
        },
        (None, Some(path)) => {
            let text =
                std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
            Config::from_toml(&text).with_context(|| path.display().to_string())?
        }
        (None, None) => bail!("name the settings: --preset NAME or --config FILE"),
    };
    config = config.with(&args.set)?;
    if let Some(epochs) = args.epochs {
        config.training.epochs = epochs as usize;
        // A short training has nothing to polish.
        if config.training.polish >= config.training.epochs {
            config.training.polish = 0;
        }
    }
    config.check()?;
    Ok(config)
}

fn start(args: &TrainArgs, folder: &Path, device: &Device) -> Result<(Run, Lock, Trainer)> {
    let mut config = config(args)?;
    Run::check(folder, args.force)?;
    let (data, name) = match &args.data {
        None => {
            let mut data = config.dataset()?;
            if config.data.fresh {
                data.train.clear();
            }
            // The preset's name, if it is one.
            let named = DatasetSpec::PRESETS
                .into_iter()
                .find(|name| DatasetSpec::preset(name) == Some(config.data.set));
            (data, named.unwrap_or("drawn").to_owned())
        }
        Some(_) if config.data.fresh => {
            bail!("--data gives the formulae, but data.fresh draws new ones: add --set data.fresh=false")
        }
        Some(path) => {
            let data = split(formulae(path, Some(config.model.variables))?);
            config.data.set.train = data.train.len();
            config.data.set.valid = data.valid.len();
            config.data.set.test = data.test.len();
            config.check()?;
            (data, path.display().to_string())
        }
    };
    let embedding = fit_context(&config)?;
    // Before anything is written: it refuses what does not go together.
    let trainer = Trainer::new(&config, &data, embedding.clone(), device)?;
    let start = args.from.as_deref().map(|from| warm_start(&trainer, &config, from)).transpose()?;
    let (run, lock) = Run::new(folder, config, data, embedding).create(&name, args.force, start.as_ref())?;
    Ok((run, lock, trainer))
}

/// Gives a training the weights of another run; what it begins with is kept, for a start that is killed.
fn warm_start(trainer: &Trainer, config: &Config, from: &Path) -> Result<Start> {
    let source = Run::open(from)?;
    let same = source.config.model.vocabulary() == config.model.vocabulary()
        && source.config.context == config.context;
    if !same {
        bail!(
            "{} has other variables or another context than the settings: its weights would mean something else",
            from.display()
        );
    }
    let weights = source.weights(WhichWeights::Last)?;
    trainer.start_from(&weights).with_context(|| format!("the weights in {}", from.display()))?;
    Ok(Start {
        from: format!("{} {:08x}", source.config.name, crc32fast::hash(&weights)),
        checkpoint: trainer.checkpoint()?,
    })
}

/// The last tenth for testing, the tenth before it for validation. What comes twice counts once, so that parts share nothing.
fn split(mut all: Vec<Formula>) -> Dataset {
    let mut seen = HashSet::new();
    all.retain(|formula| seen.insert(formula.clone()));
    let test = all.split_off(all.len() - (all.len() / 10).min(300));
    let valid = all.split_off(all.len() - (all.len() / 10).min(500));
    Dataset { train: all, valid, test }
}

fn resume(args: &TrainArgs, folder: &Path, device: &Device) -> Result<(Run, Lock, Trainer)> {
    if !is_run(folder) {
        bail!("{} holds no run to go on with: start one with --preset or --config", folder.display());
    }
    let lock = Lock::take(folder)?;
    let mut run = Run::open(folder)?;
    if run.is_export() {
        bail!(
            "{} is an export, which training cannot go on with: name the run that it was made of",
            folder.display()
        );
    }
    if args.preset.is_some() || args.config.is_some() {
        let mut given = config(args)?;
        given.training = given.training.lasting_like(&run.config.training);
        if given != run.config {
            bail!(
                "{} was started with other settings: leave --preset and --config out to go on with them",
                folder.display()
            );
        }
    }
    let before = run.config.clone();
    run.config = run.config.with(&args.set)?;
    if let Some(epochs) = args.epochs {
        run.config.training.epochs = epochs as usize;
    }
    run.config.check()?;
    let trainer = match run.last()? {
        Some((weights, state)) => {
            Trainer::resume(&run.config, &run.data, run.embedding.clone(), device, (&weights, &state))
                .with_context(|| format!("the last checkpoint in {}", run.folder.display()))?
        }
        None => Trainer::new(&run.config, &run.data, run.embedding.clone(), device)?,
    };
    if run.config != before {
        run.write("config.toml", run.config.to_toml()?.as_bytes())?;
    }
    Ok((run, lock, trainer))
}

/// Saves, shows and stops a training.
struct Watch<'a> {
    run: &'a Run,
    metrics: Metrics,
    bar: ProgressBar,
    stop: Arc<AtomicBool>,
    start: Instant,
    before: f64,
    formulae: usize,
    /// What went wrong with files, which the library knows nothing about.
    failure: Option<anyhow::Error>,
}

impl<'a> Watch<'a> {
    fn new(run: &'a Run, trainer: &Trainer, stop: Arc<AtomicBool>) -> Result<Self> {
        let metrics = Metrics::open(run, trainer.epoch())?;
        let steps = (run.config.training.epochs * trainer.steps()) as u64;
        let style = ProgressStyle::with_template("{msg} [{bar:30}] {percent} %, {eta} left")?;
        let bar = ProgressBar::new(steps).with_style(style);
        bar.set_position((trainer.epoch() * trainer.steps()) as u64);
        bar.reset_eta();
        let before = metrics.seconds();
        Ok(Self { run, metrics, bar, stop, start: Instant::now(), before, formulae: 0, failure: None })
    }

    fn draw(&self) -> Result<()> {
        match self.metrics.curves(&self.run.config.name)? {
            Some(svg) => self.run.write("loss.svg", svg.as_bytes()),
            None => Ok(()),
        }
    }

    /// Keeps the error for the caller, and ends the training.
    fn keep(&mut self, result: Result<()>) -> Result<(), VaeError> {
        result.map_err(|error| {
            let message = format!("{error:#}");
            self.failure = Some(error);
            VaeError::Checkpoint(message)
        })
    }
}

impl Observer for Watch<'_> {
    fn step(&mut self, step: &StepReport) -> ControlFlow<()> {
        self.formulae += step.formulae;
        self.bar.inc(1);
        if !self.bar.is_hidden() {
            let accuracy =
                self.metrics.accuracy().map_or(String::new(), |a| format!(", accuracy {:.1} %", 100.0 * a));
            let speed = self.formulae as f64 / self.start.elapsed().as_secs_f64();
            self.bar.set_message(format!(
                "epoch {}, nll {:.3}, kl {:.1}{accuracy}, {speed:.0} formulae/s",
                step.epoch, step.nll, step.kl
            ));
        }
        if self.stop.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn epoch(&mut self, epoch: &EpochReport) -> Result<(), VaeError> {
        let seconds = self.before + self.start.elapsed().as_secs_f64();
        let pushed = self.metrics.push(epoch, seconds);
        self.keep(pushed)
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint, best: bool) -> Result<(), VaeError> {
        let saved = self.run.save(checkpoint, best).and_then(|()| self.draw());
        self.keep(saved)
    }
}
