//! One binary for all tests of the crate; a file a topic.

mod common;
mod conformance;
mod determinism;
mod differences;
mod schedules;
