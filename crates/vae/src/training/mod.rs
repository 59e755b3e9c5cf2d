//! Training: the optimiser, the formulae of each epoch, the loop, and checkpoints.

mod adam;
mod checkpoint;
mod learner;
mod report;
mod schedule;
mod source;
mod trainer;

pub use adam::{Adam, StepSize};
pub use checkpoint::Checkpoint;
pub use learner::Learner;
pub use report::{Best, EpochReport, Observer, Outcome, StepReport, StopReason, Validation};
pub use source::trained_formulae;
pub use trainer::Trainer;
