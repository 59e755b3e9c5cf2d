//! Training: the optimiser, the formulae of each epoch, the loop, and checkpoints.

mod adam;
mod checkpoint;
mod report;
mod source;
mod trainer;

pub use adam::{Adam, StepSize};
pub use checkpoint::Checkpoint;
pub use report::{Best, EpochReport, Observer, Outcome, StepReport, StopReason, Validation};
pub use source::trained_formulae;
pub use trainer::Trainer;
