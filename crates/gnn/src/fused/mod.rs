//! The fast passes on the CPU.
//!
//! All levels of a layer run in one call, over buffers that hold every row, so nothing is allocated for a level. Three
//! things make it quick. Products with the layer below are one matrix product for all levels. A message is multiplied
//! once for its sender, however many receive it. And the backward pass leaves what each level's weights have multiplied
//! side by side, so that each weight's gradient is one matrix product too.
//!
//! The two directions run on two threads; so do the gradients of weights and the layer below. Every piece of work is the
//! same for any number of threads, and so are the bits of the result.

#[cfg(target_arch = "x86_64")]
mod amx;
mod cell;
mod gat;
mod gcn;
mod gru;
mod input;
mod op;
mod pool;
mod product;
mod real;
mod rows;

pub use crate::numbers::with_slices;
pub use cell::{bias_gradients, update, update_gradient};
pub use input::{Features, Input};
pub use op::{Operation, apply};
pub use pool::Buffer;
pub use product::{Factor, Weight, matrix, matrix_mut, multiply, multiply_shared, product_gradient};
pub use real::Real;
pub use rows::{add_rows, add_scaled, dot, row, row_mut, simd, transposed};

use std::sync::Arc;

use candle_core::{Result, Shape, Tensor};

use crate::encoder::{Batch, Side};
use crate::layers::Layer;
use crate::schedule::Schedule;

/// What a layer reads.
pub struct Context<'a, T> {
    /// The order of computation.
    pub schedule: &'a Schedule,
    /// What the layer below gives.
    pub input: Input<'a, T>,
    /// The weights of the layer, in the order of [`Layer::parameters`].
    pub weights: &'a [&'a [T]],
    /// What rows without predecessors receive, in their order, instead of nothing. [`Gru`](crate::layers::Gru) alone reads
    /// it: a decoder starts from it.
    pub initial: Option<&'a [T]>,
}

/// A layer with forward and backward passes of its own.
pub trait FusedLayer<T: Real> {
    /// States of all rows, with what the backward pass needs.
    fn forward(&self, cx: &Context<'_, T>) -> Box<dyn Tape<T>>;
}

/// The memory of a forward pass.
pub trait Tape<T: Real>: Send + Sync {
    /// The states of all rows.
    fn states(&self) -> &[T];
    /// Goes back through the levels, from the gradient of the states.
    fn backward(&self, cx: &Context<'_, T>, grad: Buffer<T>) -> Box<dyn Gradients<T> + '_>;
}

/// What a backward pass through the levels leaves. Its two parts can run side by side.
pub trait Gradients<T: Real>: Sync {
    /// The gradients of the weights, in their order. `to` comes filled with zeros.
    fn weights(&self, cx: &Context<'_, T>, to: &mut [Vec<T>]);
    /// The gradient of [`Context::initial`], where it was given and read.
    fn initial(&self, _: &Context<'_, T>) -> Option<&[T]> {
        None
    }
    /// The gradient of the input.
    fn input(&self, cx: &Context<'_, T>) -> Buffer<T>;
}

/// Forward passes of all layers of one direction.
type Tapes<T> = Vec<Box<dyn Tape<T>>>;

/// Layer after layer; `weights` holds those of all.
fn forward<T: Real>(stack: &[Box<dyn Layer>], schedule: &Schedule, mut weights: &[&[T]]) -> Tapes<T>
where
    dyn Layer: FusedLayer<T>,
{
    let mut tapes: Tapes<T> = Vec::with_capacity(stack.len());
    for layer in stack {
        let (own, rest) = weights.split_at(layer.parameters().len());
        weights = rest;
        let input =
            tapes.last().map_or(Input::Features(schedule.features()), |below| Input::States(below.states()));
        tapes.push(layer.forward(&Context { schedule, input, weights: own, initial: None }));
    }
    tapes
}

/// From the gradient of the last layer's states to those of all weights.
fn backward<T: Real>(
    stack: &[Box<dyn Layer>],
    schedule: &Schedule,
    weights: &[&[T]],
    tapes: &[Box<dyn Tape<T>>],
    grad: Buffer<T>,
    to: &mut [Vec<T>],
) {
    let (Some((layer, stack)), Some((tape, below))) = (stack.split_last(), tapes.split_last()) else {
        return;
    };
    let split = weights.len() - layer.parameters().len();
    let ((weights_below, weights), (to_below, to)) = (weights.split_at(split), to.split_at_mut(split));
    let input =
        below.last().map_or(Input::Features(schedule.features()), |below| Input::States(below.states()));
    let cx = Context { schedule, input, weights, initial: None };
    let gradients = tape.backward(&cx, grad);
    if below.is_empty() {
        return gradients.weights(&cx, to);
    }
    rayon::join(
        || gradients.weights(&cx, to),
        || backward(stack, schedule, weights_below, below, gradients.input(&cx), to_below),
    );
}

/// Node states to one vector a graph, added to every `stride`-th row part of `to`.
fn read_out<T: Real>(side: &Side, states: &[T], width: usize, to: &mut [T], (from, stride): (usize, usize)) {
    for graph in 0..side.readout.graphs() {
        let to = &mut row_mut(to, graph, stride)[from..from + width];
        for (v, times) in side.readout.rows(graph) {
            add_scaled(to, T::of(times), row(states, v, width));
        }
    }
}

/// The gradient of the states, from that of the vectors.
fn read_out_gradient<T: Real>(
    side: &Side,
    grad: &[T],
    width: usize,
    (from, stride): (usize, usize),
) -> Buffer<T> {
    let mut to = Buffer::zeros(side.schedule.rows() * width);
    for graph in 0..side.readout.graphs() {
        let g = &row(grad, graph, stride)[from..from + width];
        for (v, times) in side.readout.rows(graph) {
            add_scaled(row_mut(&mut to, v, width), T::of(times), g);
        }
    }
    to
}

/// Encodes a batch: `[graphs, output]`. `weights` are those of all layers of each direction in turn.
pub(crate) fn encode(
    stack: &Arc<Vec<Box<dyn Layer>>>,
    batch: &Batch,
    weights: Vec<Tensor>,
) -> Result<Tensor> {
    apply("encode-graphs", Encoding { stack: stack.clone(), batch: batch.clone() }, weights)
}

/// The encoding of a batch, as an operation on the weights.
struct Encoding {
    stack: Arc<Vec<Box<dyn Layer>>>,
    batch: Batch,
}

impl<T: Real> Operation<T> for Encoding
where
    dyn Layer: FusedLayer<T>,
{
    type Memory = Pass<T>;

    fn forward(&self, weights: &[&[T]]) -> (Vec<T>, Shape, Pass<T>) {
        let (output, pass) = Pass::forward(&self.stack, &self.batch, weights);
        let rows = self.batch.graphs();
        let columns = output.len() / rows;
        (output, (rows, columns).into(), pass)
    }

    fn backward(&self, weights: &[&[T]], _: &[bool], pass: Pass<T>, grad: &[T]) -> Vec<Vec<T>> {
        pass.backward(&self.stack, &self.batch, weights, grad)
    }
}

/// A whole encoder's forward pass: all layers, the directions side by side, and the read-out.
struct Pass<T: Real> {
    tapes: Vec<Tapes<T>>,
    width: usize,
}

impl<T: Real> Pass<T>
where
    dyn Layer: FusedLayer<T>,
{
    /// Encoded graphs, a row each, and the memory for [`Pass::backward`]. `weights` holds those of each direction in turn.
    fn forward(stack: &[Box<dyn Layer>], batch: &Batch, weights: &[&[T]]) -> (Vec<T>, Self) {
        let width = stack.last().map_or(0, |l| l.width());
        let sides = batch.sides();
        let part = weights.len() / sides.len();
        let run = |number: usize| forward(stack, &sides[number].schedule, &weights[number * part..][..part]);
        let tapes = match sides.len() {
            1 => vec![run(0)],
            _ => {
                let (down, up) = rayon::join(|| run(0), || run(1));
                vec![down, up]
            }
        };
        let stride = width * sides.len();
        let mut out = vec![T::of(0.0); batch.graphs() * stride];
        for (number, (side, tapes)) in sides.iter().zip(&tapes).enumerate() {
            if let Some(last) = tapes.last() {
                read_out(side, last.states(), width, &mut out, (number * width, stride));
            }
        }
        (out, Self { tapes, width })
    }

    /// The gradients of all weights, in their order, from that of the encoded graphs.
    fn backward(&self, stack: &[Box<dyn Layer>], batch: &Batch, weights: &[&[T]], grad: &[T]) -> Vec<Vec<T>> {
        let (width, sides) = (self.width, batch.sides());
        let part = weights.len() / sides.len();
        let stride = width * sides.len();
        let mut to: Vec<Vec<T>> = weights.iter().map(|weight| vec![T::of(0.0); weight.len()]).collect();
        let run = |number: usize, tapes: &[Box<dyn Tape<T>>], to: &mut [Vec<T>]| {
            let grad = read_out_gradient(&sides[number], grad, width, (number * width, stride));
            backward(stack, &sides[number].schedule, &weights[number * part..][..part], tapes, grad, to);
        };
        match &self.tapes[..] {
            [down, up] => {
                let (to_down, to_up) = to.split_at_mut(part);
                rayon::join(|| run(0, down, to_down), || run(1, up, to_up));
            }
            tapes => tapes.iter().for_each(|tapes| run(0, tapes, &mut to)),
        }
        to
    }
}
