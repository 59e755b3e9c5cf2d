//! Training: the formulae of each epoch, the loop, and checkpoints.

mod annealing;
mod checkpoint;
mod data;
mod learner;
mod report;
mod trainer;
mod widen;

pub use checkpoint::Checkpoint;
pub use data::trained_formulae;
pub use learner::Learner;
pub use report::{Best, EpochReport, LossTerms, Observer, Outcome, StepReport, StopReason, Validation};
pub use trainer::Trainer;
