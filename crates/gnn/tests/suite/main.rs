//! All integration tests of the crate in one binary, with one file per topic.

mod common;
mod conformance;
mod determinism;
mod differences;
mod schedules;
mod tensors;
