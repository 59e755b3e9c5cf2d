//! Asynchronous message passing on directed acyclic graphs with typed nodes, on candle tensors.
//!
//! A [`Dag`] holds a batch of graphs; [`Vocabulary`] makes one from formulae. An [`Encoder`] orders it with
//! [`Encoder::prepare`] and turns it into vectors with [`Encoder::forward`]. The weights live in
//! [`Parameters`](logicvae_compute::Parameters).
//!
//! Every layer has three implementations, which one test suite compares with each other and with PyTorch:
//! [`Implementation::Reference`] is readable, [`Implementation::Fused`] is fast on the CPU, and
//! [`Implementation::EdgeOps`] runs our CUDA kernels on a GPU (feature `cuda`).
//!
//! Some properties can only be tested on a GPU: kernel launches, their speed, and the rounding of fast
//! mathematics. The arithmetic of the kernels is tested without one, compiled for the host
//! (`tests/cuda-host`).
//!
//! What is not here: the meaning of formulae, training, files.

#![cfg_attr(not(feature = "cuda"), forbid(unsafe_code))]
#![cfg_attr(feature = "cuda", deny(unsafe_code))] // Launching a CUDA kernel is unsafe.

mod config;
mod encoder;
mod error;
mod graph;
pub mod layer;

/// Compiles the example of the README as a doctest.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub use config::{EncoderConfig, Kind};
pub use encoder::{Batch, Encoder, Implementation};
pub use error::GraphError;
pub use graph::{Dag, Direction, Level, Readout, Schedule, ScheduleOptions, Vocabulary};

/// Operations on the edges of a graph, as candle operations: what the CUDA kernels compute.
pub mod edge_ops {
    pub use crate::layer::edges::{Csr, gather};
    pub use crate::layer::gat::edge::attention;
    pub use crate::layer::gru::edge::{gated_sum, gru_gates};
}
