//! Asynchronous message passing on directed acyclic graphs, on candle tensors.
//!
//! At its beginning: [`Backend`] chooses where tensors live, on the CPU by default and on a GPU with the feature
//! `cuda`. Schedules, encoders and kernels follow.
//!
//! What is not here: the meaning of formulae, training, paths, printing.

mod backend;

pub use backend::{Backend, BackendError};
