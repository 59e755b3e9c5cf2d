//! Numerics that LogicVAE's graph networks and autoencoders share.
//!
//! candle gives tensors and automatic differentiation. This crate adds what else a fast training step
//! on the CPU needs:
//!
//! - [`Operation`] and [`apply`]: a whole pass with its own forward and backward code, as one candle
//!   operation on any number of tensors;
//! - [`Buffer`], [`Factor`], [`multiply`], [`OneHot`] and the row helpers: the building blocks of such
//!   passes. Products run on AMX matrix units where the machine has them;
//! - [`Parameters`] and [`named_weights!`]: weights by name, drawn from a seed or loaded from safetensors,
//!   and structs with one field per weight;
//! - [`Adam`], whose state can be saved, and [`ridge()`] regression;
//! - [`DeviceChoice`]: the name of a device, such as `cuda:1`.
//!
//! Results never depend on the number of threads: work is divided in the same way however many threads run
//! it.
//!
//! What is not here: graphs, formulae, models.

#![deny(unsafe_code)]

mod adam;
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)] // AMX has no stable intrinsics, so it needs inline assembly.
mod amx;
mod autograd;
mod buffer;
mod device;
mod error;
mod gru_cell;
mod one_hot;
mod parameters;
mod product;
mod real;
mod ridge;
mod runtime;
mod tensor_data;
mod vector;
mod weights;

/// Compiles the example of the README as a doctest.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub use adam::{Adam, StepSize};
pub use autograd::{Operation, apply};
pub use buffer::Buffer;
pub use device::DeviceChoice;
pub use error::{ComputeError, plain};
pub use gru_cell::{GruCellWeights, bias_gradients, gru_backward, gru_forward, gru_reference};
pub use one_hot::OneHot;
pub use parameters::Parameters;
pub use product::{Factor, Weight, matrix, matrix_mut, multiply, multiply_shared, product_gradient};
pub use real::Real;
pub use ridge::ridge;
pub use runtime::{keep_freed_memory, limit_candle_threads};
pub use tensor_data::{contiguous_slice, linear, with_slices};
pub use vector::{add_rows, add_scaled, dot, row, row_mut, simd, transposed};
pub use weights::{Initial, WeightSet, build_weights, glorot, uniform_fan_in};
