//! The fused passes of graph convolution. For its formula see [`Gcn`].

use faer::Accum;
use logicvae_compute::{
    Buffer, Factor, Real, add_rows, add_scaled, matrix, matrix_mut, multiply_shared, product_gradient, row,
    row_mut, simd, transposed,
};

use super::{Gcn, GcnWeights};
use crate::graph::Schedule;
use crate::layer::{Gradients, LayerContext, LayerInput, Tape, zeros_like};

/// What the backward pass needs.
pub struct GcnTape<T: Real> {
    layer: Gcn,
    states: Buffer<T>,
    /// The input of each product: a sender's state, or a receiver's sum.
    inputs: Buffer<T>,
    /// One for each entry of the schedule's predecessors.
    coefficients: Vec<T>,
    /// What each row receives from its successors, if it receives anything.
    successors: Option<Buffer<T>>,
}

pub struct GcnGradients<'a, T: Real> {
    tape: &'a GcnTape<T>,
    /// The gradient of each product.
    products: Buffer<T>,
    /// The gradient of W_own x + b.
    own: Buffer<T>,
    /// The gradient of the product with what successors sent.
    successors: Option<Buffer<T>>,
}

/// times / sqrt((d_v + 1) (d_w + 1)).
fn coefficients<T: Real>(schedule: &Schedule) -> Vec<T> {
    let mut out = Vec::with_capacity(schedule.sources.len());
    for v in 0..schedule.rows() {
        for e in schedule.entries(v) {
            let degrees =
                (schedule.degrees[v] + 1.0) * (schedule.degrees[schedule.sources[e] as usize] + 1.0);
            out.push(T::from_f64(f64::from(schedule.times[e]) / f64::from(degrees).sqrt()));
        }
    }
    out
}

/// 1 / (d_v + 1).
fn own_coefficient<T: Real>(schedule: &Schedule, row: usize) -> T {
    T::from_f64(1.0 / f64::from(schedule.degrees[row] + 1.0))
}

/// The states of all rows.
pub(super) fn forward<T: Real>(layer: &Gcn, cx: &LayerContext<'_, Gcn, T>) -> GcnTape<T> {
    let (h, schedule) = (layer.hidden, cx.schedule);
    let rows = schedule.rows();
    let GcnWeights { own, bias, neighbour } = cx.weights;
    let mut states = cx.input.times_transposed(own, h, rows);
    simd(
        #[inline(always)]
        || {
            for (v, state) in states.chunks_exact_mut(h).enumerate() {
                let scale = own_coefficient::<T>(schedule, v);
                for (s, &b) in state.iter_mut().zip(bias) {
                    *s = (*s + b) * scale;
                }
            }
        },
    );
    let neighbour = transposed(&[neighbour], h);
    let coefficients = coefficients::<T>(schedule);
    let successors = successor_sums(layer, cx, &coefficients);
    if let Some(sums) = &successors {
        let mut received = Buffer::unset(rows * h);
        multiply_shared(matrix_mut(&mut received, rows), matrix(sums, rows), matrix(&neighbour, h));
        add_scaled(&mut states, T::constant(1.0), &received);
    }
    let neighbour = Factor::new(matrix(&neighbour, h));
    let mut inputs = Buffer::zeros(schedule.products * h);
    let mut products = Buffer::unset(schedule.products * h);
    for level in &schedule.levels {
        let split = level.product + level.aggregated.len();
        let end = split + level.sending.len();
        simd(
            #[inline(always)]
            || {
                for v in level.aggregated.clone() {
                    let sum = row_mut(&mut inputs, schedule.aggregate[v] as usize, h);
                    for e in schedule.entries(v) {
                        add_scaled(sum, coefficients[e], row(&states, schedule.sources[e] as usize, h));
                    }
                }
            },
        );
        let first = level.product * h..split * h;
        let count = level.aggregated.len();
        neighbour.multiply(
            matrix_mut(&mut products[first.clone()], count),
            Accum::Replace,
            matrix(&inputs[first], count),
        );
        simd(
            #[inline(always)]
            || {
                for v in level.rows.clone() {
                    let state = row_mut(&mut states, v, h);
                    if level.aggregated.contains(&v) {
                        add_scaled(
                            state,
                            T::constant(1.0),
                            row(&products, schedule.aggregate[v] as usize, h),
                        );
                    } else {
                        for e in schedule.entries(v) {
                            let product = schedule.product(e);
                            add_scaled(state, coefficients[e], row(&products, product, h));
                        }
                    }
                    for s in state {
                        *s = if *s > T::constant(0.0) { *s } else { T::constant(0.0) };
                    }
                }
            },
        );
        let second = split * h..end * h;
        let count = level.sending.len();
        let sent = &states[level.sending.start * h..level.sending.end * h];
        inputs[second.clone()].copy_from_slice(sent);
        neighbour.multiply(matrix_mut(&mut products[second], count), Accum::Replace, matrix(sent, count));
    }
    GcnTape { layer: layer.clone(), states, inputs, coefficients, successors }
}

/// Σ x_w / √((d_v + 1)(d_w + 1)) over the successors w of each row v: every edge that the schedule has into
/// w, read backward.
fn successor_sums<T: Real>(
    layer: &Gcn,
    cx: &LayerContext<'_, Gcn, T>,
    coefficients: &[T],
) -> Option<Buffer<T>> {
    let LayerInput::States(x) = cx.input else { return None };
    let (h, schedule) = (layer.hidden, cx.schedule);
    layer.successors.then(|| {
        let mut sums = Buffer::zeros(schedule.rows() * h);
        for v in 0..schedule.rows() {
            for e in schedule.entries(v) {
                let to = row_mut(&mut sums, schedule.sources[e] as usize, h);
                add_scaled(to, coefficients[e], row(x, v, h));
            }
        }
        sums
    })
}

impl<T: Real> Tape<Gcn, T> for GcnTape<T> {
    type Gradients<'a> = GcnGradients<'a, T>;

    fn states(&self) -> &[T] {
        &self.states
    }

    fn backward<'a>(&'a self, cx: &LayerContext<'_, Gcn, T>, mut grad: Buffer<T>) -> GcnGradients<'a, T> {
        let (h, schedule) = (self.layer.hidden, cx.schedule);
        let neighbour = Factor::new(matrix(cx.weights.neighbour, h));
        let mut products = Buffer::zeros(schedule.products * h);
        let widest = schedule.levels.iter().map(|l| l.aggregated.len()).max().unwrap_or(0);
        let mut scratch = Buffer::unset(widest * h);
        for level in schedule.levels.iter().rev() {
            let split = level.product + level.aggregated.len();
            let end = split + level.sending.len();
            let count = level.sending.len();
            let sent = matrix_mut(&mut grad[level.sending.start * h..level.sending.end * h], count);
            neighbour.multiply(sent, Accum::Add, matrix(&products[split * h..end * h], count));
            simd(
                #[inline(always)]
                || {
                    for v in level.rows.clone() {
                        let g = row_mut(&mut grad, v, h);
                        for (g, &s) in g.iter_mut().zip(row(&self.states, v, h)) {
                            *g = if s > T::constant(0.0) { *g } else { T::constant(0.0) };
                        }
                        if level.aggregated.contains(&v) {
                            row_mut(&mut products, schedule.aggregate[v] as usize, h).copy_from_slice(g);
                        } else {
                            for e in schedule.entries(v) {
                                let product = schedule.product(e);
                                add_scaled(row_mut(&mut products, product, h), self.coefficients[e], g);
                            }
                        }
                    }
                },
            );
            let count = level.aggregated.len();
            let sums = &mut scratch[..count * h];
            neighbour.multiply(
                matrix_mut(sums, count),
                Accum::Replace,
                matrix(&products[level.product * h..split * h], count),
            );
            simd(
                #[inline(always)]
                || {
                    for (number, v) in level.aggregated.clone().enumerate() {
                        for e in schedule.entries(v) {
                            let to = row_mut(&mut grad, schedule.sources[e] as usize, h);
                            add_scaled(to, self.coefficients[e], row(sums, number, h));
                        }
                    }
                },
            );
        }
        let successors = self.successors.as_ref().map(|_| {
            let mut copy = Buffer::unset(grad.len());
            copy.copy_from_slice(&grad);
            copy
        });
        simd(
            #[inline(always)]
            || {
                for (v, g) in grad.chunks_exact_mut(h).enumerate() {
                    let scale = own_coefficient::<T>(schedule, v);
                    g.iter_mut().for_each(|g| *g *= scale);
                }
            },
        );
        GcnGradients { tape: self, products, own: grad, successors }
    }
}

impl<T: Real> Gradients<Gcn, T> for GcnGradients<'_, T> {
    fn weights(&self, cx: &LayerContext<'_, Gcn, T>) -> GcnWeights<Vec<T>> {
        let h = self.tape.layer.hidden;
        let mut to = cx.weights.map(|weight| zeros_like(weight));
        cx.input.weight_gradient(&self.own, (0, h), h, &mut to.own);
        add_rows(&mut to.bias, &self.own, h);
        product_gradient(&mut to.neighbour, &self.products, 0, &self.tape.inputs, cx.schedule.products);
        if let (Some(grad), Some(sums)) = (&self.successors, &self.tape.successors) {
            let mut more = zeros_like(&to.neighbour);
            product_gradient(&mut more, grad, 0, sums, cx.schedule.rows());
            add_scaled(&mut to.neighbour, T::constant(1.0), &more);
        }
        to
    }

    fn input(&self, cx: &LayerContext<'_, Gcn, T>) -> Buffer<T> {
        let (h, rows) = (self.tape.layer.hidden, cx.schedule.rows());
        let mut out = Buffer::unset(rows * self.tape.layer.input);
        let own = matrix(cx.weights.own, h);
        multiply_shared(matrix_mut(&mut out, rows), matrix(&self.own, rows), own);
        if let Some(grad) = &self.successors {
            let mut sums = Buffer::unset(rows * h);
            let neighbour = matrix(cx.weights.neighbour, h);
            multiply_shared(matrix_mut(&mut sums, rows), matrix(grad, rows), neighbour);
            for v in 0..rows {
                for e in cx.schedule.entries(v) {
                    let from = row(&sums, cx.schedule.sources[e] as usize, h);
                    add_scaled(row_mut(&mut out, v, h), self.tape.coefficients[e], from);
                }
            }
        }
        out
    }
}
