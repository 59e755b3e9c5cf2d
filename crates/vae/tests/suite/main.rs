//! All integration tests of the crate in one binary, with one file per topic.

mod common;
mod conformance;
mod decoding;
mod interpolation;
mod learning;
mod leaves;
mod manifests;
mod metrics;
mod resuming;
mod runs;
mod settings;
#[path = "../../../gnn/tests/suite/tensors.rs"]
mod tensors;
