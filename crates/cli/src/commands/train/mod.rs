//! `logicvae train`

mod observer;

use std::collections::HashSet;
use std::io::{IsTerminal, stderr};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, anyhow, bail};
use candle_core::Device;
use logicvae_compute::keep_freed_memory;
use logicvae_logic::{Dataset, DatasetSpec, Formula};
use logicvae_vae::{Config, Lock, Run, Start, StopReason, Trainer, VaeError, Weights, fit_embedding};

use crate::args::TrainArgs;
use crate::commands::when_input_ends;
use crate::input::Inputs;
use crate::interrupt::{INTERRUPTED, on_signal};
use crate::message::message;
use crate::output::Output;
use crate::trained::{formulae, open_run};
use observer::{Watch, describe};

pub fn run(args: &TrainArgs, output: Output, stop_with_input: bool) -> Result<ExitCode> {
    keep_freed_memory();
    if args.show {
        let config = config(args)?;
        let toml = config.to_toml()?;
        output.print(&config, |out| write!(out, "{toml}"))?;
        return Ok(ExitCode::SUCCESS);
    }
    let Some(folder) = &args.out else { bail!("name a folder for the run with --out") };
    let device = args.device.open()?;
    let (run, _lock, mut trainer) =
        if args.resume { resume(args, folder, &device)? } else { start(args, folder, &device)? };
    if cfg!(debug_assertions) {
        message("note: this is a debug build, which trains more slowly: use `cargo run --release`");
    }
    let stop = Arc::new(AtomicBool::new(false));
    let (flag, mut interrupted) = (stop.clone(), false);
    on_signal(move || {
        flag.store(true, Ordering::Relaxed);
        // The second time, the program does not wait for the step to end.
        std::mem::replace(&mut interrupted, true).then_some(INTERRUPTED)
    });
    if stop_with_input {
        let flag = stop.clone();
        when_input_ends(move || flag.store(true, Ordering::Relaxed));
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
            message(format_args!("logicvae: {error}"));
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
                "best validation: {}, accuracy {:.1} %, after epoch {}",
                describe(&v.terms),
                100.0 * v.accuracy,
                best.epoch
            )?;
        }
        Ok(())
    })?;
    if outcome.stop_reason == StopReason::Interrupted {
        message(format_args!(
            "saved; continue with `logicvae train --resume --out {}`",
            run.folder.display()
        ));
        return Ok(ExitCode::from(1));
    }
    Ok(ExitCode::SUCCESS)
}

/// The settings of a preset or a file, with the changes that flags make.
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
        (None, None) => bail!("choose the settings with --preset NAME or --config FILE"),
    };
    config = config.with(&args.set)?;
    if let Some(epochs) = args.epochs {
        config.training.epochs = epochs as usize;
        // A short training has no fine-tuning phase.
        if config.training.fine_tune_epochs >= config.training.epochs {
            config.training.fine_tune_epochs = 0;
        }
    }
    config.check()?;
    Ok(config)
}

fn start(args: &TrainArgs, folder: &Path, device: &Device) -> Result<(Run, Lock, Trainer)> {
    let mut config = config(args)?;
    Run::check_target(folder, args.force)?;
    let (data, name) = match &args.data {
        None => {
            let mut data = config.dataset()?;
            if config.data.fresh {
                data.train.clear();
            }
            // The name of the preset, if the settings are those of one.
            let named = DatasetSpec::PRESETS
                .into_iter()
                .find(|name| DatasetSpec::preset(name) == Some(config.data.set));
            (data, named.unwrap_or("drawn").to_owned())
        }
        Some(_) if config.data.fresh => {
            bail!("--data gives the formulae, but data.fresh samples new ones: add --set data.fresh=false")
        }
        Some(path) => {
            let data = split(formulae(&Inputs::new().limited(path, config.model.limits())?));
            warn_of_empty_sets(&data);
            config.data.set.train = data.train.len();
            config.data.set.valid = data.valid.len();
            config.data.set.test = data.test.len();
            config.data.set.independent = false;
            config.check()?;
            (data, path.display().to_string())
        }
    };
    if let Some(context) = config.context.as_ref().filter(|_| !stderr().is_terminal()) {
        message(format_args!("fitting the semantic embedding on {} formulae", context.pool));
    }
    let embedding = fit_embedding(&config)?.map(Arc::new);
    // Before anything is written, so that inconsistent settings leave no folder behind.
    let trainer = Trainer::with_embedding(&config, &data, embedding.clone(), device)?;
    let start = args.from.as_deref().map(|from| warm_start(&trainer, from)).transpose()?;
    let embedding = embedding.as_deref();
    let (run, lock) = Run::create(folder, &config, (&data, &name), embedding, args.force, start.as_ref())?;
    Ok((run, lock, trainer))
}

/// Initialises a training with the weights of another run. The result is saved at once, so that a killed
/// start can be resumed.
fn warm_start(trainer: &Trainer, from: &Path) -> Result<Start> {
    let source = open_run(from)?;
    let weights = source.weights(Weights::Last)?;
    let name = from.display();
    trainer.start_from(&source.config, &weights).map_err(|error| match error {
        VaeError::Input(reason) => anyhow!(
            "the weights in {name}: {reason}: leave out --from, or use the settings of that run with \
             --config {}",
            from.join("config.toml").display()
        ),
        other => anyhow!(other).context(format!("the weights in {name}")),
    })?;
    Ok(Start {
        from: format!("{} {:08x}", source.config.name, crc32fast::hash(&weights)),
        checkpoint: trainer.checkpoint()?,
    })
}

/// Splits formulae: the last tenth for testing, and the tenth before it for validation. Duplicates are
/// removed, so that the sets share nothing.
fn split(mut all: Vec<Formula>) -> Dataset {
    let mut seen = HashSet::new();
    all.retain(|formula| seen.insert(formula.clone()));
    let test = all.split_off(all.len() - (all.len() / 10).min(300));
    let valid = all.split_off(all.len() - (all.len() / 10).min(500));
    Dataset { train: all, valid, test, unseen: Vec::new() }
}

/// The smallest number of formulae for which [`split`] leaves no set empty.
const FOR_ALL_SETS: usize = 11;

/// Says so if there are too few formulae for a test set or a validation set.
fn warn_of_empty_sets(data: &Dataset) {
    let missing = match (data.test.is_empty(), data.valid.is_empty()) {
        (false, false) => return,
        (true, true) => "a test set and a validation set",
        (true, false) => "a test set",
        (false, true) => "a validation set",
    };
    let count = data.train.len() + data.valid.len() + data.test.len();
    message(format_args!(
        "warning: {count} different formulae are too few for {missing}: give at least {FOR_ALL_SETS}, or \
         name test formulae later with `logicvae evaluate RUN --data FILE`"
    ));
}

fn resume(args: &TrainArgs, folder: &Path, device: &Device) -> Result<(Run, Lock, Trainer)> {
    if !Run::exists(folder) {
        bail!("{} contains no run to resume: start one with --preset or --config", folder.display());
    }
    let lock = Lock::take(folder)?;
    let mut run = open_run(folder)?;
    if run.is_export() {
        bail!(
            "{} is an export, which cannot be trained further: name the run that it was made from",
            folder.display()
        );
    }
    if args.preset.is_some() || args.config.is_some() {
        let mut given = config(args)?;
        given.training = given.training.with_length_of(&run.config.training);
        if given != run.config {
            bail!(
                "{} was started with other settings: leave out --preset and --config to continue with them",
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
    let (data, embedding) = (run.dataset()?, run.embedding()?);
    let trainer = match run.last()? {
        Some((weights, state)) => Trainer::resume(&run.config, &data, embedding, device, (&weights, &state))
            .with_context(|| format!("the last checkpoint in {}", run.folder.display()))?,
        None => Trainer::with_embedding(&run.config, &data, embedding, device)?,
    };
    run.tidy()?;
    if run.config != before {
        run.save_config()?;
    }
    Ok((run, lock, trainer))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_number_for_all_sets_is_right() {
        let empty = |count: u32| {
            let data = split((1..=count).map(logicvae_logic::x).collect());
            data.test.is_empty() || data.valid.is_empty()
        };
        assert!((1..FOR_ALL_SETS as u32).all(empty));
        assert!(!(FOR_ALL_SETS as u32..200).any(empty));
    }
}
