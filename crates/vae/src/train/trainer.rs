//! The training loop.

use std::ops::ControlFlow;
use std::sync::Arc;

use candle_core::{DType, Device, Tensor, Var};
use logicvae_compute::{Adam, StepSize};
use logicvae_kernel::Embedding;
use logicvae_logic::{Dataset, Formula};

use super::annealing::{beta, learning_rate};
use super::checkpoint::{BestRecord, Checkpoint, Position, Sums, read_state, write_state};
use super::data::{HardExamples, ShortAnswers, Source};
use super::learner::{BatchLoss, Learner};
use super::report::{Best, EpochReport, LossTerms, Observer, Outcome, StepReport, StopReason, Validation};
use super::widen;
use crate::config::{Children, Config, Task};
use crate::error::VaeError;
use crate::model::FromPrior;
use crate::random::{Purpose, generator, position};
use crate::semantics::fit_embedding;

/// A training. The same settings give the same bits for any number of threads and after any number of
/// interruptions.
///
/// ```
/// use logicvae_vae::{Config, Trainer};
/// let config = Config::preset("tiny").unwrap().with(&["training.epochs=1"])?;
/// let data = config.data.set.generate()?;
/// let mut trainer = Trainer::new(&config, &data, &candle_core::Device::Cpu)?;
/// let outcome = trainer.run(&mut ())?;
/// assert_eq!(outcome.epochs, 1);
/// # Ok::<(), logicvae_vae::VaeError>(())
/// ```
pub struct Trainer {
    config: Config,
    learner: Learner,
    adam: Adam,
    source: Source,
    hard_examples: Option<HardExamples>,
    short_answers: Option<ShortAnswers>,
    valid: Vec<Formula>,
    position: Position,
}

/// The number of formulae in a validation step.
const VALIDATION_BATCH: usize = 100;
/// The number of formulae that are decoded in a validation.
const DECODED: usize = 200;

impl Trainer {
    /// A training from its beginning. The semantic embedding of a conditional model is fitted.
    pub fn new(config: &Config, data: &Dataset, device: &Device) -> Result<Self, VaeError> {
        Self::with_embedding(config, data, fit_embedding(config)?.map(Arc::new), device)
    }

    /// A training from its beginning, with a given semantic embedding.
    pub fn with_embedding(
        config: &Config,
        data: &Dataset,
        embedding: Option<Arc<Embedding>>,
        device: &Device,
    ) -> Result<Self, VaeError> {
        Self::with_learner(config, data, Learner::initial(config, embedding, device)?)
    }

    fn with_learner(config: &Config, data: &Dataset, learner: Learner) -> Result<Self, VaeError> {
        if data.train.is_empty() && !config.data.fresh {
            let reason = "there are no training formulae".into();
            return Err(VaeError::Setting { setting: "data".into(), reason });
        }
        let vocabulary = config.model.vocabulary();
        [&data.train, &data.valid, &data.test, &data.unseen]
            .into_iter()
            .try_for_each(|part| vocabulary.trees(part).map(drop))?;
        let adam = Adam::new(learner.trainable().trained())?;
        let source = Source::new(config, data)?;
        // A model that is trained on sorted trees is validated on sorted trees.
        let sorted = config.data.children == Children::Sort;
        let valid = data.valid.iter().map(|f| if sorted { f.sorted() } else { f.clone() }).collect();
        let (hard_examples, short_answers) = (HardExamples::new(config), ShortAnswers::new(config));
        let (config, position) = (config.clone(), Position::default());
        Ok(Self { config, learner, adam, source, hard_examples, short_answers, valid, position })
    }

    /// A training that resumes from the weights and the state of a checkpoint. Its length may differ from
    /// before (`epochs` and the fine-tuning phase); all other settings must be the same.
    pub fn resume(
        config: &Config,
        data: &Dataset,
        embedding: Option<Arc<Embedding>>,
        device: &Device,
        (weights, state): (&[u8], &[u8]),
    ) -> Result<Self, VaeError> {
        let found = read_state(state, weights)?;
        let mut before = Config::from_toml(&found.config)?;
        before.training = before.training.with_length_of(&config.training);
        if before != *config {
            let message = "the checkpoint was made with other settings: only training.epochs and \
                           training.fine_tune_epochs (with its learning rate and beta) may change";
            return Err(VaeError::Checkpoint(message.into()));
        }
        let learner = Learner::from_weights(config, embedding, weights, device)?;
        let mut trainer = Self::with_learner(config, data, learner)?;
        let names = trainer.adam.moments().map(|(name, _)| name);
        if !names.eq(found.moments.iter().map(|(name, _)| name.as_str())) {
            return Err(VaeError::Checkpoint("the checkpoint has other weights than the model".into()));
        }
        for ((_, var), (_, numbers)) in trainer.adam.moments().zip(found.moments) {
            var.set(&Tensor::from_vec(numbers, var.shape(), var.device())?.to_dtype(var.dtype())?)?;
        }
        trainer.adam.set_steps(found.position.optimiser);
        trainer.position = found.position;
        Ok(trainer)
    }

    /// Replaces the initial weights by those of another model, given by its settings and a safetensors file.
    /// The other model may lack the semantic vector, goals, the state of START as an input, and constants:
    /// new inputs then begin at zero, so that the function that was learned before is the start.
    pub fn start_from(&self, other: &Config, weights: &[u8]) -> Result<(), VaeError> {
        widen::load(other, weights, &self.config, self.learner.parameters())
    }

    /// The model in its current state.
    pub fn learner(&self) -> &Learner {
        &self.learner
    }

    /// The number of finished epochs.
    pub fn epoch(&self) -> usize {
        self.position.epoch
    }

    /// The number of steps in an epoch.
    pub fn steps(&self) -> usize {
        self.source.len().div_ceil(self.config.training.batch * self.config.training.hardest_of)
    }

    /// Trains to the end, or until the observer stops it.
    pub fn run(&mut self, observer: &mut dyn Observer) -> Result<Outcome, VaeError> {
        let training = self.config.training.clone();
        while self.position.epoch < training.epochs {
            if training.patience > 0 && self.position.worse >= training.patience {
                return Ok(self.outcome(StopReason::Patience));
            }
            let formulae = self.source.epoch(self.position.epoch)?;
            // An interruption after an epoch's last step leaves no step that would set it.
            let mut rate = self.last_rate();
            for part in formulae.chunks(training.batch * training.hardest_of).skip(self.position.step) {
                rate = self.rate();
                let (batch, from_prior) = self.batch(part)?;
                let report = self.step(&batch, from_prior, rate)?;
                if observer.step(&report) == ControlFlow::Break(()) {
                    observer.checkpoint(&self.checkpoint()?, false)?;
                    return Ok(self.outcome(StopReason::Interrupted));
                }
            }
            let (report, best) = self.end_epoch(rate)?;
            observer.epoch(&report)?;
            let epoch = self.position.epoch;
            let last = epoch == training.epochs
                || (training.patience > 0 && self.position.worse >= training.patience);
            if best || last || epoch.is_multiple_of(training.checkpoint_every) {
                observer.checkpoint(&self.checkpoint()?, best)?;
            }
        }
        Ok(self.outcome(StopReason::Epochs))
    }

    fn outcome(&self, stop_reason: StopReason) -> Outcome {
        let best = self.position.best.map(|best| Best {
            epoch: best.epoch,
            validation: Validation {
                loss: best.loss,
                terms: self.terms(best.prediction, best.weighted),
                accuracy: best.accuracy,
            },
        });
        Outcome { epochs: self.position.epoch, stop_reason, best }
    }

    /// The formulae of a step, made of a part of the epoch, and which of them are decoded from the prior.
    fn batch(&self, part: &[Formula]) -> Result<(Vec<Formula>, FromPrior), VaeError> {
        let training = &self.config.training;
        let size = part.len().div_ceil(training.hardest_of);
        let count = (training.hybrid * size as f64).floor() as usize;
        let at = (self.position.epoch, self.position.step);
        let mut batch = match &self.hard_examples {
            Some(hard) => hard.select(part, count, self.learner.trainable(), at)?,
            None => part.to_vec(),
        };
        if let Some(answers) = &self.short_answers {
            answers.apply(&mut batch, count);
        }
        Ok((batch, FromPrior { count, graded: training.short_answers }))
    }

    /// One step of gradient descent.
    fn step(
        &mut self,
        formulae: &[Formula],
        from_prior: FromPrior,
        rate: f64,
    ) -> Result<StepReport, VaeError> {
        let steps = self.steps();
        let at = position(self.position.epoch, self.position.step);
        let rng = generator(self.config.seed, Purpose::Noise, at);
        let loss = self.learner.trainable().loss(formulae, rng, self.loss_weight(), from_prior)?;
        let (prediction, weighted) = values(&loss)?;
        let count = formulae.len();
        let diverged = |trainer: &Self| VaeError::Diverged {
            loss: (prediction + trainer.loss_weight() * weighted) / count as f64,
            step: trainer.adam.steps(),
        };
        if !(prediction + weighted).is_finite() {
            return Err(diverged(self));
        }
        let training = &self.config.training;
        let size = StepSize { rate, decay: training.weight_decay, l2: training.l2, clip: training.clip };
        let norm = self.adam.step(&loss.total.backward()?, 1.0 / count as f64, size)?;
        if !norm.is_finite() {
            return Err(diverged(self));
        }
        let position = &mut self.position;
        position.step += 1;
        position.optimiser = self.adam.steps();
        position.sums.prediction += prediction;
        position.sums.weighted += weighted;
        position.sums.norm += norm;
        position.sums.formulae += count;
        Ok(StepReport {
            epoch: position.epoch + 1,
            step: position.step,
            steps,
            formulae: count,
            terms: loss.terms.with(prediction / count as f64, weighted / count as f64),
        })
    }

    /// The weight of the loss's second term in an epoch, counted from 0.
    fn loss_weight_in(&self, epoch: usize) -> f64 {
        let training = &self.config.training;
        training.lambda.unwrap_or_else(|| beta(training, epoch))
    }

    /// The same in the current epoch.
    fn loss_weight(&self) -> f64 {
        self.loss_weight_in(self.position.epoch)
    }

    /// Loss terms of this task.
    fn terms(&self, prediction: f64, weighted: f64) -> LossTerms {
        match self.config.model.task {
            Task::Autoencoder => LossTerms::Autoencoder { nll: prediction, kl: weighted },
            Task::Leaves => LossTerms::Leaves { cross_entropy: prediction, semantic_distance: weighted },
        }
    }

    /// The learning rate of the next step.
    fn rate(&self) -> f64 {
        self.rate_after(self.adam.steps())
    }

    /// The learning rate of the last step.
    fn last_rate(&self) -> f64 {
        self.rate_after(self.adam.steps().saturating_sub(1))
    }

    fn rate_after(&self, steps: u64) -> f64 {
        learning_rate(&self.config.training, steps, self.steps() as u64)
    }

    /// Ends an epoch, and returns whether its validation is the best so far.
    fn end_epoch(&mut self, rate: f64) -> Result<(EpochReport, bool), VaeError> {
        let training = self.config.training.clone();
        let steps = self.position.step as f64;
        let Sums { prediction, weighted, norm, formulae } = std::mem::take(&mut self.position.sums);
        let weight = self.loss_weight();
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
            // A tiny decrease is not enough: training would never stop.
            let limit = 1.0 - training.improvement;
            better = self.position.best.is_none_or(|best| validation.loss < best.loss * limit);
            if better {
                self.position.best = Some(BestRecord {
                    epoch,
                    loss: validation.loss,
                    prediction: *validation.terms.prediction(),
                    weighted: *validation.terms.weighted(),
                    accuracy: validation.accuracy,
                });
                self.position.worse = 0;
            } else {
                self.position.worse += 1;
            }
        }
        let count = formulae as f64;
        let report = EpochReport {
            epoch,
            formulae: (epoch * self.source.len()) as u64,
            loss: (prediction + weight * weighted) / count,
            terms: self.terms(prediction / count, weighted / count),
            gradient_norm: norm / steps,
            learning_rate: rate,
            validation,
        };
        Ok((report, better))
    }

    /// The loss on the validation set, and the fraction that greedy decoding reconstructs.
    fn validate(&self) -> Result<Validation, VaeError> {
        // Validation asks how well formulae are reconstructed, so none are decoded from the prior.
        let from_prior = FromPrior::default();
        let model = self.learner.trainable();
        let (mut prediction, mut weighted, mut correct, mut decoded) = (0.0, 0.0, 0.0, 0);
        for (number, part) in self.valid.chunks(VALIDATION_BATCH).enumerate() {
            let rng = generator(self.config.seed, Purpose::Validation, number as u64);
            let (first, second) = values(&model.loss(part, rng, self.loss_weight(), from_prior)?)?;
            prediction += first;
            weighted += second;
            if decoded < DECODED {
                correct += model.count_correct(part)?;
                decoded += part.len();
            }
        }
        let count = self.valid.len() as f64;
        let (prediction, weighted) = (prediction / count, weighted / count);
        // The weight of the epoch that has just ended.
        let weight = self.loss_weight_in(self.position.epoch.saturating_sub(1));
        let loss = prediction + weight * weighted;
        let terms = self.terms(prediction, weighted);
        Ok(Validation { loss, terms, accuracy: correct / decoded as f64 })
    }

    /// The current state of the training.
    pub fn checkpoint(&self) -> Result<Checkpoint, VaeError> {
        let weights = self.learner.parameters().to_safetensors()?;
        let numbers = |var: &Var| var.flatten_all()?.to_dtype(DType::F32)?.to_vec1::<f32>();
        let moments: Result<Vec<(String, Vec<f32>)>, VaeError> =
            self.adam.moments().map(|(name, var)| Ok((name.to_owned(), numbers(var)?))).collect();
        let state = write_state(self.config.to_toml()?, &self.position, &weights, &moments?)?;
        Ok(Checkpoint { epoch: self.position.epoch, weights, state })
    }
}

/// The two terms of a loss as numbers.
fn values(loss: &BatchLoss) -> Result<(f64, f64), VaeError> {
    let scalar = |t: &Tensor| t.to_dtype(DType::F64)?.to_scalar::<f64>();
    Ok((scalar(loss.terms.prediction())?, scalar(loss.terms.weighted())?))
}
