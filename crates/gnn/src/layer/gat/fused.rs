//! The fused passes of graph attention. For its formulas see [`Gat`].

use faer::Accum;
use logicvae_compute::{
    Buffer, Factor, Real, add_scaled, dot, matrix, matrix_mut, multiply_shared, product_gradient, row,
    row_mut, simd, transposed,
};

use super::{Gat, GatWeights, SLOPE};
use crate::graph::Schedule;
use crate::layer::{Gradients, Layer, LayerContext, Tape, zeros_like};

/// What the backward pass needs. Rows of `own` and `messages` hold all heads, one after another.
pub struct GatTape<T: Real> {
    layer: Gat,
    states: Buffer<T>,
    /// The senders' states, one row per product.
    inputs: Buffer<T>,
    /// W_own x of every row.
    own: Buffer<T>,
    /// W_neigh h of every product.
    messages: Buffer<T>,
    scores: Scores<T>,
}

pub struct GatGradients<'a, T: Real> {
    tape: &'a GatTape<T>,
    own: Buffer<T>,
    messages: Buffer<T>,
    own_scores: Buffer<T>,
    message_scores: Buffer<T>,
}

/// Attention scores and weights, for each head.
struct Scores<T: Real> {
    /// a · own, by row.
    own: Buffer<T>,
    /// a · message, by product.
    message: Buffer<T>,
    /// The weight of a row's own part.
    weight_own: Buffer<T>,
    /// The weights of messages, by entry of the schedule.
    weight: Buffer<T>,
}

#[inline(always)]
fn leaky<T: Real>(x: T) -> T {
    if x > T::constant(0.0) { x } else { x * T::constant(SLOPE) }
}

#[inline(always)]
fn slope<T: Real>(x: T) -> T {
    T::constant(if x > T::constant(0.0) { 1.0 } else { SLOPE })
}

/// The states of all rows.
pub(super) fn forward<T: Real>(layer: &Gat, cx: &LayerContext<'_, Gat, T>) -> GatTape<T> {
    let (k, d, schedule, zero) = (layer.heads, layer.dim, cx.schedule, T::constant(0.0));
    let (rows, products, all, width) = (schedule.rows(), schedule.products, k * d, layer.width());
    let att = cx.weights.attention;
    let own = cx.input.times_transposed(cx.weights.own, all, rows);
    let neighbour = transposed(&[cx.weights.neighbour], all);
    let neighbour = Factor::new(matrix(&neighbour, width));
    let mut states = Buffer::zeros(rows * width);
    let mut inputs = Buffer::unset(products * width);
    let mut messages = Buffer::unset(products * all);
    let mut scores = Scores {
        own: Buffer::unset(rows * k),
        message: Buffer::unset(products * k),
        weight_own: Buffer::unset(rows * k),
        weight: Buffer::unset(schedule.sources.len() * k),
    };
    simd(
        #[inline(always)]
        || score(&mut scores.own, &own, att, k, d),
    );
    let mut mix = vec![zero; d];
    for level in &schedule.levels {
        simd(
            #[inline(always)]
            || {
                for v in level.rows.clone() {
                    for head in 0..k {
                        attend(&mut scores, schedule, v, head, k);
                        mix.fill(zero);
                        add_scaled(&mut mix, scores.weight_own[v * k + head], row(&own, v * k + head, d));
                        for e in schedule.entries(v) {
                            let message = row(&messages, schedule.product(e) * k + head, d);
                            add_scaled(&mut mix, scores.weight[e * k + head], message);
                        }
                        if layer.concat {
                            for (s, &m) in row_mut(&mut states, v * k + head, d).iter_mut().zip(&mix) {
                                *s = if m > zero { m } else { zero };
                            }
                        } else {
                            add_scaled(row_mut(&mut states, v, d), T::from_f64(1.0 / k as f64), &mix);
                        }
                    }
                }
            },
        );
        let (start, end) = (level.product, level.product + level.sending.len());
        let sent = &states[level.sending.start * width..level.sending.end * width];
        inputs[start * width..end * width].copy_from_slice(sent);
        let sending = &mut messages[start * all..end * all];
        neighbour.multiply(matrix_mut(sending, end - start), Accum::Replace, matrix(sent, end - start));
        simd(
            #[inline(always)]
            || score(&mut scores.message[start * k..end * k], sending, att, k, d),
        );
    }
    GatTape { layer: layer.clone(), states, inputs, own, messages, scores }
}

/// a · x for every row and head.
#[inline(always)]
fn score<T: Real>(to: &mut [T], x: &[T], att: &[T], heads: usize, dim: usize) {
    for (at, (to, x)) in to.iter_mut().zip(x.chunks_exact(dim)).enumerate() {
        *to = dot(x, row(att, at % heads, dim));
    }
}

/// The softmax of a row and head over itself and its predecessors.
#[inline(always)]
fn attend<T: Real>(scores: &mut Scores<T>, schedule: &Schedule, v: usize, head: usize, heads: usize) {
    let own = scores.own[v * heads + head];
    let self_score = leaky(own + own);
    let mut top = self_score;
    for e in schedule.entries(v) {
        let s = leaky(own + scores.message[schedule.product(e) * heads + head]);
        scores.weight[e * heads + head] = s;
        top = Real::max(top, s);
    }
    let self_weight = Real::exp(self_score - top);
    let mut total = self_weight;
    for e in schedule.entries(v) {
        let weight = &mut scores.weight[e * heads + head];
        *weight = T::constant(schedule.times[e]) * Real::exp(*weight - top);
        total += *weight;
    }
    scores.weight_own[v * heads + head] = self_weight / total;
    for e in schedule.entries(v) {
        scores.weight[e * heads + head] /= total;
    }
}

impl<T: Real> Tape<Gat, T> for GatTape<T> {
    type Gradients<'a> = GatGradients<'a, T>;

    fn states(&self) -> &[T] {
        &self.states
    }

    fn backward<'a>(&'a self, cx: &LayerContext<'_, Gat, T>, mut grad: Buffer<T>) -> GatGradients<'a, T> {
        let (k, d, schedule, zero) = (self.layer.heads, self.layer.dim, cx.schedule, T::constant(0.0));
        let (rows, products, all, width) = (schedule.rows(), schedule.products, k * d, self.layer.width());
        let (neighbour, att) = (Factor::new(matrix(cx.weights.neighbour, all)), cx.weights.attention);
        let (own, messages, scores) = (&self.own, &self.messages, &self.scores);
        let mut grads = GatGradients {
            tape: self,
            own: Buffer::unset(rows * all),
            messages: Buffer::zeros(products * all),
            own_scores: Buffer::unset(rows * k),
            message_scores: Buffer::zeros(products * k),
        };
        let mut mix = vec![zero; d];
        // For each entry of one row: the scalar product of its message and the gradient.
        let most = (0..rows).map(|v| schedule.entries(v).len()).max().unwrap_or(0);
        let mut common = Vec::with_capacity(most);
        for level in schedule.levels.iter().rev() {
            let (start, end) = (level.product, level.product + level.sending.len());
            simd(
                #[inline(always)]
                || {
                    for at in start * k..end * k {
                        add_scaled(
                            row_mut(&mut grads.messages, at, d),
                            grads.message_scores[at],
                            row(att, at % k, d),
                        );
                    }
                },
            );
            let sent =
                matrix_mut(&mut grad[level.sending.start * width..level.sending.end * width], end - start);
            neighbour.multiply(
                sent,
                Accum::Add,
                matrix(&grads.messages[start * all..end * all], end - start),
            );
            simd(
                #[inline(always)]
                || {
                    for v in level.rows.clone() {
                        for head in 0..k {
                            let at = v * k + head;
                            if self.layer.concat {
                                let states = row(&self.states, at, d);
                                for ((m, &g), &s) in mix.iter_mut().zip(row(&grad, at, d)).zip(states) {
                                    *m = if s > zero { g } else { zero };
                                }
                            } else {
                                let share = T::from_f64(1.0 / k as f64);
                                for (m, &g) in mix.iter_mut().zip(row(&grad, v, d)) {
                                    *m = g * share;
                                }
                            }
                            // The gradient of a weight is the scalar product of its part and the mixture's
                            // gradient.
                            let weight_own = scores.weight_own[at];
                            let common_own = dot(&mix, row(own, at, d));
                            let mut mean = weight_own * common_own;
                            common.clear();
                            for e in schedule.entries(v) {
                                let shared = dot(&mix, row(messages, schedule.product(e) * k + head, d));
                                mean += scores.weight[e * k + head] * shared;
                                common.push(shared);
                            }
                            let score = scores.own[at];
                            let mut grad_score =
                                T::constant(2.0) * slope(score) * weight_own * (common_own - mean);
                            for (e, &common) in schedule.entries(v).zip(&common) {
                                let (weight, product) =
                                    (scores.weight[e * k + head], schedule.product(e) * k + head);
                                let grad_entry =
                                    slope(score + scores.message[product]) * weight * (common - mean);
                                grad_score += grad_entry;
                                grads.message_scores[product] += grad_entry;
                                add_scaled(row_mut(&mut grads.messages, product, d), weight, &mix);
                            }
                            grads.own_scores[at] = grad_score;
                            let to = row_mut(&mut grads.own, at, d);
                            for ((to, &m), &a) in to.iter_mut().zip(&mix).zip(row(att, head, d)) {
                                *to = weight_own * m + grad_score * a;
                            }
                        }
                    }
                },
            );
        }
        grads
    }
}

impl<T: Real> Gradients<Gat, T> for GatGradients<'_, T> {
    fn weights(&self, cx: &LayerContext<'_, Gat, T>) -> GatWeights<Vec<T>> {
        let (k, d) = (self.tape.layer.heads, self.tape.layer.dim);
        let mut to = cx.weights.map(|weight| zeros_like(weight));
        cx.input.weight_gradient(&self.own, (0, k * d), k * d, &mut to.own);
        product_gradient(&mut to.neighbour, &self.messages, 0, &self.tape.inputs, cx.schedule.products);
        let att = &mut to.attention;
        simd(
            #[inline(always)]
            || {
                for (parts, grads) in
                    [(&self.tape.own, &self.own_scores), (&self.tape.messages, &self.message_scores)]
                {
                    for (at, (part, &g)) in parts.chunks_exact(d).zip(grads.iter()).enumerate() {
                        add_scaled(row_mut(att, at % k, d), g, part);
                    }
                }
            },
        );
        to
    }

    fn input(&self, cx: &LayerContext<'_, Gat, T>) -> Buffer<T> {
        let (all, rows) = (self.tape.layer.heads * self.tape.layer.dim, cx.schedule.rows());
        let mut out = Buffer::unset(rows * self.tape.layer.input);
        let own = matrix(cx.weights.own, all);
        multiply_shared(matrix_mut(&mut out, rows), matrix(&self.own, rows), own);
        out
    }
}
