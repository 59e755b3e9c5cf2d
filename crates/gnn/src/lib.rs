//! Asynchronous message passing on directed acyclic graphs with typed nodes, on candle tensors.
//!
//! From graphs to vectors: a [`Dag`] holds a batch of graphs ([`Vocabulary`] makes one of formulae), an [`Encoder`] puts it
//! into an order with [`Encoder::prepare`] and encodes it with [`Encoder::forward`]. Its weights live in [`Parameters`].
//!
//! Every layer exists three times, held against each other by one suite of tests: [`Implementation::Plain`] is readable,
//! [`Implementation::Fused`] is quick on the CPU, [`Implementation::Kernels`] runs our own CUDA kernels on a GPU (feature
//! `cuda`). [`Backend`] chooses the device.
//!
//! What only a GPU can show, and what is therefore untested where there is none: launches of the kernels, their speed, and
//! the rounding of fast mathematics. Their arithmetic is tested, compiled for the host (`tests/cuda-host`).
//!
//! What is not here: the meaning of formulae, training, paths, printing.

mod backend;
mod config;
mod dag;
mod encoder;
mod error;
pub mod fused;
mod kernels;
pub mod layers;
mod memory;
mod numbers;
pub mod ops;
mod parameters;
mod plan;
mod readout;
mod schedule;
mod vocabulary;

pub use backend::{Backend, BackendError};
pub use config::{EncoderConfig, Kind, Readout};
pub use dag::Dag;
pub use encoder::{Batch, Encoder, Implementation};
pub use error::GraphError;
pub use memory::keep_freed_memory;
pub use parameters::Parameters;
pub use schedule::{Direction, Level, Schedule, ScheduleOptions};
pub use vocabulary::Vocabulary;
