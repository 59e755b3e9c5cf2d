//! Graphs, and the order in which their nodes are computed.

mod build;
mod dag;
mod levels;
mod plan;
mod readout;
mod schedule;
mod vocabulary;

pub use dag::Dag;
pub use readout::Readout;
pub(crate) use readout::ReadoutRows;
pub use schedule::{Direction, Level, Schedule, ScheduleOptions};
pub use vocabulary::Vocabulary;
