//! End-to-end tests of the binary: files, exit codes and messages, with one module per topic.

mod bad_input;
mod datasets;
mod documentation;
mod embedding;
mod exports;
mod formulae;
mod hostile;
mod kernel;
mod mining;
mod mining_input;
mod models;
mod other_tools;
mod pictures;
mod questions;
mod requirements;
mod robustness;
mod shell;
mod support;
mod training;
