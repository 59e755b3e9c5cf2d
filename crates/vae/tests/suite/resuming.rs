//! Training that is interrupted and resumed gives the same result as training without interruption.

use std::ops::ControlFlow;
use std::sync::Arc;

use candle_core::Device;
use logicvae_logic::Dataset;
use logicvae_vae::{
    Checkpoint, Config, GraphState, Observer, StepReport, StopReason, Trainer, VaeError, fit_embedding,
};

use crate::common::config;

/// Stops training after a number of steps, and keeps the last checkpoint.
#[derive(Default)]
struct Stopper {
    steps: usize,
    kept: Option<Checkpoint>,
    best: usize,
}

impl Observer for Stopper {
    fn step(&mut self, _: &StepReport) -> ControlFlow<()> {
        self.steps = self.steps.wrapping_sub(1);
        if self.steps == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint, best: bool) -> Result<(), VaeError> {
        self.best += usize::from(best);
        self.kept = Some(checkpoint.clone());
        Ok(())
    }
}

fn short_training(fresh: bool, conditional: bool) -> (Config, Dataset) {
    let mut config =
        if conditional { config(GraphState::Sum, true) } else { Config::preset("tiny").unwrap() };
    config.data.fresh = fresh;
    config.data.children = logicvae_vae::Children::Swap;
    config.data.symmetries = true;
    (config.training.epochs, config.training.validate_every, config.training.checkpoint_every) = (6, 2, 1);
    if let Some(context) = &mut config.context {
        context.pool = 100;
    }
    let data = config.data.set.generate().unwrap();
    (config, data)
}

#[test]
fn resumed_training_gives_the_same_bits() {
    for (fresh, conditional, hardest_of) in
        [(false, false, 1), (true, false, 1), (false, true, 1), (true, true, 3)]
    {
        let (mut config, data) = short_training(fresh, conditional);
        (config.training.hardest_of, config.training.epochs) =
            (hardest_of, config.training.epochs * hardest_of);
        let embedding = || fit_embedding(&config).unwrap().map(Arc::new);
        let mut whole = Stopper::default();
        Trainer::new(&config, &data, &Device::Cpu).unwrap().run(&mut whole).unwrap();
        let whole = whole.kept.unwrap();
        // Stops in the middle and at the end of an epoch, after few and after many steps.
        for stops in [vec![1], vec![5, 5], vec![7, 3, 9]] {
            let mut stopper = Stopper { steps: stops[0], ..Stopper::default() };
            let mut trainer = Trainer::new(&config, &data, &Device::Cpu).unwrap();
            assert_eq!(trainer.run(&mut stopper).unwrap().stop_reason, StopReason::Interrupted);
            for &steps in stops[1..].iter().chain(&[0]) {
                let kept = stopper.kept.take().unwrap();
                stopper = Stopper { steps, ..Stopper::default() };
                trainer =
                    Trainer::resume(&config, &data, embedding(), &Device::Cpu, (&kept.weights, &kept.state))
                        .unwrap();
                trainer.run(&mut stopper).unwrap();
            }
            let end = stopper.kept.unwrap();
            assert!(end.weights == whole.weights, "different weights after stops {stops:?}");
            assert!(end.state == whole.state, "different state after stops {stops:?}");
        }
    }
}

#[test]
fn only_the_number_of_epochs_may_change_on_resuming() {
    let (config, data) = short_training(false, false);
    let mut stopper = Stopper::default();
    Trainer::new(&config, &data, &Device::Cpu).unwrap().run(&mut stopper).unwrap();
    let kept = stopper.kept.unwrap();
    let longer = config.with(&["training.epochs=7"]).unwrap();
    let mut trainer =
        Trainer::resume(&longer, &data, None, &Device::Cpu, (&kept.weights, &kept.state)).unwrap();
    assert_eq!(trainer.run(&mut ()).unwrap().epochs, 7);
    let other = config.with(&["training.batch=10"]).unwrap();
    let error = Trainer::resume(&other, &data, None, &Device::Cpu, (&kept.weights, &kept.state))
        .map(drop)
        .unwrap_err();
    assert!(error.to_string().contains("other settings"), "{error}");
}

#[test]
fn a_fine_tuning_phase_that_is_added_later_gives_the_same_bits() {
    let (config, data) = short_training(true, false);
    let fine_tuning = [
        "training.epochs=8",
        "training.fine_tune_epochs=2",
        "training.fine_tune_learning_rate=0.001",
        "training.fine_tune_beta=0.0001",
    ];
    let planned = config.with(&fine_tuning).unwrap();
    let (mut first, mut later, mut whole) = (Stopper::default(), Stopper::default(), Stopper::default());
    Trainer::new(&config, &data, &Device::Cpu).unwrap().run(&mut first).unwrap();
    let kept = first.kept.unwrap();
    Trainer::resume(&planned, &data, None, &Device::Cpu, (&kept.weights, &kept.state))
        .unwrap()
        .run(&mut later)
        .unwrap();
    Trainer::new(&planned, &data, &Device::Cpu).unwrap().run(&mut whole).unwrap();
    let (later, whole) = (later.kept.unwrap(), whole.kept.unwrap());
    assert!(later.weights == whole.weights && later.state == whole.state);
    assert!(later.weights != kept.weights);
}

#[test]
fn damaged_checkpoints_are_rejected() {
    let (config, data) = short_training(false, false);
    let mut stopper = Stopper { steps: 3, ..Stopper::default() };
    Trainer::new(&config, &data, &Device::Cpu).unwrap().run(&mut stopper).unwrap();
    let Checkpoint { weights, state, .. } = stopper.kept.unwrap();
    let expect_error = |weights: &[u8], state: &[u8]| {
        let error =
            Trainer::resume(&config, &data, None, &Device::Cpu, (weights, state)).map(drop).unwrap_err();
        assert!(matches!(error, VaeError::Checkpoint(_)), "{error}");
    };
    for cut in [0, 1, 20, state.len() / 2, state.len() - 1] {
        expect_error(&weights, &state[..cut]);
    }
    for at in (0..state.len()).step_by(state.len() / 40) {
        let mut changed = state.clone();
        changed[at] ^= 4;
        expect_error(&weights, &changed);
    }
    expect_error(&weights[..weights.len() - 1], &state);
    let mut changed = weights.clone();
    changed[weights.len() / 2] ^= 1;
    expect_error(&changed, &state);
    assert!(Trainer::resume(&config, &data, None, &Device::Cpu, (&weights, &state)).is_ok());
}
