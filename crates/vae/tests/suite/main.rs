//! Tests of the crate as its users see it.

mod common;
mod conformance;
mod decoding;
mod hierarchy;
mod latent;
mod learning;
mod measures;
mod resuming;
mod settings;
