//! The training loop.

use std::borrow::Cow;
use std::ops::ControlFlow;

use candle_core::{DType, Device, Tensor, Var};
use logicvae_kernel::Embedding;
use logicvae_logic::{Dataset, Formula};

use crate::config::{Children, Config};
use crate::context::context_of;
use crate::error::VaeError;
use crate::random::{Purpose, generator};
use crate::training::adam::{Adam, StepSize};
use crate::training::checkpoint::{Checkpoint, Position, Sums, read_state, write_state};
use crate::training::learner::Learner;
use crate::training::report::{Best, EpochReport, Observer, Outcome, StepReport, StopReason, Validation};
use crate::training::schedule::{beta, learning_rate};
use crate::training::source::{Source, place};

/// A training. The same settings give the same bits, for any number of threads, and after any number of stops.
///
/// ```
/// use logicvae_vae::{Config, Trainer};
/// let config = Config::preset("tiny").unwrap().with(&["training.epochs=1"])?;
/// let data = config.data.set.generate()?;
/// let mut trainer = Trainer::new(&config, &data, None, &candle_core::Device::Cpu)?;
/// let outcome = trainer.run(&mut ())?;
/// assert_eq!(outcome.epochs, 1);
/// # Ok::<(), logicvae_vae::VaeError>(())
/// ```
pub struct Trainer {
    config: Config,
    learner: Learner,
    adam: Adam,
    source: Source,
    valid: Vec<Formula>,
    embedding: Option<Embedding>,
    position: Position,
}

/// Formulae in a step of validation.
const VALIDATION_BATCH: usize = 100;
/// Formulae whose decoding is looked at in a validation.
const DECODED: usize = 200;

impl Trainer {
    /// A training from its beginning. Conditional models need the embedding that gives their contexts:
    /// [`fit_context`](crate::fit_context).
    pub fn new(
        config: &Config,
        data: &Dataset,
        embedding: Option<Embedding>,
        device: &Device,
    ) -> Result<Self, VaeError> {
        if config.context.is_some() != embedding.is_some() {
            return Err(VaeError::Setting {
                setting: "context".into(),
                reason: "a conditional training needs an embedding, and only such a training".into(),
            });
        }
        if data.train.is_empty() && !config.data.fresh {
            return Err(VaeError::Setting {
                setting: "data".into(),
                reason: "there are no training formulae".into(),
            });
        }
        let learner = Learner::on(config, embedding.as_ref(), DType::F32, device)?;
        let vocabulary = config.model.vocabulary();
        [&data.train, &data.valid, &data.test]
            .into_iter()
            .try_for_each(|part| vocabulary.trees(part).map(drop))?;
        let adam = Adam::new(learner.trained())?;
        let source = Source::new(config, data)?;
        // A model that learns sorted trees is validated on sorted trees.
        let sorted = config.data.children == Children::Sort;
        let valid = data.valid.iter().map(|f| if sorted { f.sorted() } else { f.clone() }).collect();
        Ok(Self {
            config: config.clone(),
            learner,
            adam,
            source,
            valid,
            embedding,
            position: Position::default(),
        })
    }

    /// A training that goes on from a checkpoint's weights and state. How long it goes on may be another than before
    /// (epochs, and the polish with its settings), all other settings not.
    pub fn resume(
        config: &Config,
        data: &Dataset,
        embedding: Option<Embedding>,
        device: &Device,
        (weights, state): (&[u8], &[u8]),
    ) -> Result<Self, VaeError> {
        let found = read_state(state, weights)?;
        let mut before = Config::from_toml(&found.config)?;
        before.training = before.training.lasting_like(&config.training);
        if before != *config {
            let what = "the checkpoint was made with other settings than those given: only training.epochs and training.polish \
                        (with its rate and beta) may change on the way";
            return Err(VaeError::Checkpoint(what.into()));
        }
        let mut trainer = Self::new(config, data, embedding, device)?;
        trainer.learner.parameters().load_safetensors(weights)?;
        let names: Vec<&str> = trainer.adam.moments().map(|(name, _)| name).collect();
        if !names.iter().eq(found.moments.iter().map(|(name, _)| name).collect::<Vec<_>>().iter()) {
            return Err(VaeError::Checkpoint("the checkpoint has other weights than the model".into()));
        }
        for ((_, var), (_, numbers)) in trainer.adam.moments().zip(found.moments) {
            var.set(&Tensor::from_vec(numbers, var.shape(), var.device())?.to_dtype(var.dtype())?)?;
        }
        trainer.adam.set_steps(found.position.optimiser);
        trainer.position = found.position;
        Ok(trainer)
    }

    /// Begins with the weights of another model of the same shape, a safetensors file, instead of those that the seed gives.
    pub fn start_from(&self, weights: &[u8]) -> Result<(), VaeError> {
        Ok(self.learner.parameters().load_safetensors(weights)?)
    }

    /// What is trained, as it is now.
    pub fn learner(&self) -> &Learner {
        &self.learner
    }

    /// The number of finished epochs.
    pub fn epoch(&self) -> usize {
        self.position.epoch
    }

    /// How many steps an epoch has.
    pub fn steps(&self) -> usize {
        self.source.len().div_ceil(self.config.training.batch * self.config.training.focus)
    }

    /// Trains to the end, or until the observer stops it.
    pub fn run(&mut self, observer: &mut dyn Observer) -> Result<Outcome, VaeError> {
        let training = self.config.training.clone();
        while self.position.epoch < training.epochs {
            if training.patience > 0 && self.position.worse >= training.patience {
                return Ok(self.outcome(StopReason::Patience));
            }
            let formulae = self.source.epoch(self.position.epoch)?;
            let mut rate = self.rate();
            for part in formulae.chunks(training.batch * training.focus).skip(self.position.step) {
                rate = self.rate();
                let report = self.step(&self.hardest(part)?, rate)?;
                if observer.step(&report) == ControlFlow::Break(()) {
                    observer.checkpoint(&self.checkpoint()?, false)?;
                    return Ok(self.outcome(StopReason::Interrupted));
                }
            }
            let (report, best) = self.end_epoch(rate)?;
            observer.epoch(&report)?;
            let epoch = self.position.epoch;
            let over = epoch == training.epochs
                || (training.patience > 0 && self.position.worse >= training.patience);
            if best || over || epoch.is_multiple_of(training.checkpoint_every) {
                observer.checkpoint(&self.checkpoint()?, best)?;
            }
        }
        Ok(self.outcome(StopReason::Epochs))
    }

    fn outcome(&self, stop_reason: StopReason) -> Outcome {
        Outcome { epochs: self.position.epoch, stop_reason, best: self.position.best }
    }

    /// Those formulae that come back worst, in their order: one of every `training.focus`.
    fn hardest<'a>(&self, formulae: &'a [Formula]) -> Result<Cow<'a, [Formula]>, VaeError> {
        let focus = self.config.training.focus;
        if focus == 1 {
            return Ok(Cow::Borrowed(formulae));
        }
        let context = self.context(formulae)?;
        let place = place(self.position.epoch, self.position.step);
        let rng = generator(self.config.seed, Purpose::Focus, place);
        let losses = self.learner.losses(formulae, context.as_ref(), rng)?;
        let mut order: Vec<usize> = (0..formulae.len()).collect();
        // What is no number is worst of all: the step then says that the training diverged.
        let loss = |number: usize| if losses[number].is_nan() { f64::INFINITY } else { losses[number] };
        order.sort_by(|&a, &b| loss(b).total_cmp(&loss(a)));
        order.truncate(formulae.len().div_ceil(focus));
        order.sort_unstable();
        Ok(order.into_iter().map(|number| formulae[number].clone()).collect())
    }

    /// One step of gradient descent.
    fn step(&mut self, formulae: &[Formula], rate: f64) -> Result<StepReport, VaeError> {
        let (training, steps) = (&self.config.training, self.steps());
        let context = self.context(formulae)?;
        let place = place(self.position.epoch, self.position.step);
        let loss = self.loss(formulae, context.as_ref(), Purpose::Noise, place)?;
        let scalar = |t: &Tensor| t.to_dtype(DType::F64)?.to_scalar::<f64>();
        let (nll, kl) = (scalar(&loss.nll)?, scalar(&loss.kl)?);
        let count = formulae.len();
        if !(nll + kl).is_finite() {
            return Err(VaeError::Diverged {
                loss: (nll + self.beta() * kl) / count as f64,
                step: self.adam.steps(),
            });
        }
        let size = StepSize { rate, decay: training.weight_decay, clip: training.clip };
        let norm = self.adam.step(&loss.total.backward()?, 1.0 / count as f64, size)?;
        if !norm.is_finite() {
            return Err(VaeError::Diverged {
                loss: (nll + self.beta() * kl) / count as f64,
                step: self.adam.steps(),
            });
        }
        let position = &mut self.position;
        position.step += 1;
        position.optimiser = self.adam.steps();
        position.sums.nll += nll;
        position.sums.kl += kl;
        position.sums.norm += norm;
        position.sums.formulae += count;
        Ok(StepReport {
            epoch: position.epoch + 1,
            step: position.step,
            steps,
            formulae: count,
            nll: nll / count as f64,
            kl: kl / count as f64,
        })
    }

    fn loss(
        &self,
        formulae: &[Formula],
        context: Option<&Tensor>,
        purpose: Purpose,
        place: u64,
    ) -> Result<crate::model::Loss, VaeError> {
        let rng = generator(self.config.seed, purpose, place);
        // What validation asks is how formulae come back.
        let hybrid = if matches!(purpose, Purpose::Noise) { self.config.training.hybrid } else { 0.0 };
        self.learner.loss(formulae, context, rng, self.beta(), hybrid)
    }

    fn context(&self, formulae: &[Formula]) -> Result<Option<Tensor>, VaeError> {
        let of = |embedding| context_of(embedding, formulae, self.learner.dtype(), self.learner.device());
        self.embedding.as_ref().map(of).transpose()
    }

    /// The learning rate of the next step.
    fn rate(&self) -> f64 {
        let training = &self.config.training;
        learning_rate(training, self.adam.steps(), self.steps() as u64)
    }

    /// β in the epoch that is under way.
    fn beta(&self) -> f64 {
        beta(&self.config.training, self.position.epoch)
    }

    /// Closes an epoch; says whether its validation is the best so far.
    fn end_epoch(&mut self, rate: f64) -> Result<(EpochReport, bool), VaeError> {
        let training = self.config.training.clone();
        let steps = self.position.step as f64;
        let Sums { nll, kl, norm, formulae } = std::mem::take(&mut self.position.sums);
        let beta = self.beta();
        self.position.step = 0;
        self.position.epoch += 1;
        let epoch = self.position.epoch;
        let due = epoch.is_multiple_of(training.validate_every) || epoch == training.epochs;
        let validation = if due && !self.valid.is_empty() { Some(self.validate()?) } else { None };
        let mut better = false;
        if let Some(validation) = validation {
            if !validation.loss.is_finite() {
                return Err(VaeError::Diverged { loss: validation.loss, step: self.adam.steps() });
            }
            // Some gain is not enough: a loss that only creeps would never stop.
            better = self
                .position
                .best
                .is_none_or(|best| validation.loss < best.validation.loss * (1.0 - training.improvement));
            if better {
                self.position.best = Some(Best { epoch, validation });
                self.position.worse = 0;
            } else {
                self.position.worse += 1;
            }
        }
        let count = formulae as f64;
        let report = EpochReport {
            epoch,
            formulae: (epoch * self.source.len()) as u64,
            loss: (nll + beta * kl) / count,
            nll: nll / count,
            kl: kl / count,
            gradient_norm: norm / steps,
            learning_rate: rate,
            validation,
        };
        Ok((report, better))
    }

    /// The loss on the validation set, and how much of it greedy decoding gives back.
    pub fn validate(&self) -> Result<Validation, VaeError> {
        let (mut nll, mut kl, mut same, mut decoded) = (0.0, 0.0, 0.0, 0);
        for (number, part) in self.valid.chunks(VALIDATION_BATCH).enumerate() {
            let context = self.context(part)?;
            let loss = self.loss(part, context.as_ref(), Purpose::Validation, number as u64)?;
            nll += loss.nll.to_dtype(DType::F64)?.to_scalar::<f64>()?;
            kl += loss.kl.to_dtype(DType::F64)?.to_scalar::<f64>()?;
            if decoded < DECODED {
                same += self.learner.right(part, context.as_ref())?;
                decoded += part.len();
            }
        }
        let count = self.valid.len() as f64;
        let (nll, kl) = (nll / count, kl / count);
        // That of the epoch that has just ended.
        let beta = beta(&self.config.training, self.position.epoch.saturating_sub(1));
        Ok(Validation { loss: nll + beta * kl, nll, kl, accuracy: same / decoded as f64 })
    }

    /// The training at this moment.
    pub fn checkpoint(&self) -> Result<Checkpoint, VaeError> {
        let weights = self.learner.parameters().to_safetensors()?;
        let numbers = |var: &Var| var.flatten_all()?.to_dtype(DType::F32)?.to_vec1::<f32>();
        let moments: Result<Vec<(String, Vec<f32>)>, VaeError> =
            self.adam.moments().map(|(name, var)| Ok((name.to_owned(), numbers(var)?))).collect();
        let state = write_state(self.config.to_toml()?, &self.position, &weights, &moments?)?;
        Ok(Checkpoint { epoch: self.position.epoch, weights, state })
    }
}
