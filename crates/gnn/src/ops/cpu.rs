//! The operations on the CPU: loops that say what the CUDA kernels of the same names compute.

use crate::fused::Real;
use crate::layers::SLOPE;

/// Edges grouped by one end, as slices.
#[derive(Clone, Copy)]
pub(super) struct Edges<'a> {
    pub(super) offsets: &'a [u32],
    pub(super) others: &'a [u32],
    pub(super) weights: &'a [f32],
}

impl Edges<'_> {
    fn groups(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The edges of a group: place, other end, weight.
    fn of(&self, group: usize) -> impl Iterator<Item = (usize, usize, f32)> + '_ {
        let range = self.offsets[group] as usize..self.offsets[group + 1] as usize;
        range.map(|e| (e, self.others[e] as usize, self.weights[e]))
    }
}

pub(super) fn gather<T: Real>(edges: Edges<'_>, width: usize, x: &[T]) -> Vec<T> {
    let mut out = vec![T::of(0.0); edges.groups() * width];
    for (group, to) in out.chunks_exact_mut(width).enumerate() {
        for (_, other, weight) in edges.of(group) {
            for (to, &x) in to.iter_mut().zip(&x[other * width..]) {
                *to += T::of(weight) * x;
            }
        }
    }
    out
}

pub(super) fn gated_sum<T: Real>(edges: Edges<'_>, width: usize, gated: &[T]) -> Vec<T> {
    let mut out = vec![T::of(0.0); edges.groups() * width];
    for (receiver, to) in out.chunks_exact_mut(width).enumerate() {
        for (_, sender, weight) in edges.of(receiver) {
            let (gate, map) = gated[sender * 2 * width..][..2 * width].split_at(width);
            for ((to, &g), &m) in to.iter_mut().zip(gate).zip(map) {
                *to += T::of(weight) * g.sigmoid() * m;
            }
        }
    }
    out
}

/// `edges` grouped by sender.
pub(super) fn gated_sum_gradient<T: Real>(edges: Edges<'_>, width: usize, gated: &[T], grad: &[T]) -> Vec<T> {
    let summed = gather(edges, width, grad);
    let mut out = vec![T::of(0.0); gated.len()];
    for ((to, gated), grad) in
        out.chunks_exact_mut(2 * width).zip(gated.chunks_exact(2 * width)).zip(summed.chunks_exact(width))
    {
        for i in 0..width {
            let s = gated[i].sigmoid();
            to[i] = grad[i] * gated[width + i] * s * (T::of(1.0) - s);
            to[width + i] = grad[i] * s;
        }
    }
    out
}

/// r, z, n of one row and column.
fn gates<T: Real>(gi: &[T], gh: &[T], at: usize, width: usize) -> (T, T, T) {
    let r = (gi[at] + gh[at]).sigmoid();
    let z = (gi[at + width] + gh[at + width]).sigmoid();
    let n = Real::tanh(gi[at + 2 * width] + r * gh[at + 2 * width]);
    (r, z, n)
}

pub(super) fn gru_gates<T: Real>(width: usize, gi: &[T], gh: &[T], h: &[T]) -> Vec<T> {
    let place = |i: usize| i / width * 3 * width + i % width;
    let step = |(i, &h): (usize, &T)| {
        let (_, z, n) = gates(gi, gh, place(i), width);
        (T::of(1.0) - z) * n + z * h
    };
    h.iter().enumerate().map(step).collect()
}

/// The gradients of gi, of gh and of h, one after another.
pub(super) fn gru_gates_gradient<T: Real>(width: usize, gi: &[T], gh: &[T], h: &[T], grad: &[T]) -> Vec<T> {
    let one = T::of(1.0);
    let mut out = vec![T::of(0.0); 2 * gi.len() + h.len()];
    let (to_gi, rest) = out.split_at_mut(gi.len());
    let (to_gh, to_h) = rest.split_at_mut(gi.len());
    for (i, (&h, &grad)) in h.iter().zip(grad).enumerate() {
        let at = i / width * 3 * width + i % width;
        let (r, z, n) = gates(gi, gh, at, width);
        let before_n = grad * (one - z) * (one - n * n);
        let before_r = before_n * gh[at + 2 * width] * r * (one - r);
        let before_z = grad * (h - n) * z * (one - z);
        for (k, (to_i, to_h)) in
            [(before_r, before_r), (before_z, before_z), (before_n, before_n * r)].into_iter().enumerate()
        {
            to_gi[at + k * width] = to_i;
            to_gh[at + k * width] = to_h;
        }
        to_h[i] = grad * z;
    }
    out
}

/// Sizes of an attention.
#[derive(Clone, Copy)]
pub(super) struct Heads {
    pub(super) heads: usize,
    pub(super) dim: usize,
}

fn product<T: Real>(a: &[T], b: &[T]) -> T {
    a.iter().zip(b).fold(T::of(0.0), |sum, (&a, &b)| sum + a * b)
}

fn scores<T: Real>(size: Heads, x: &[T], att: &[T]) -> Vec<T> {
    x.chunks_exact(size.dim)
        .enumerate()
        .map(|(at, x)| product(x, &att[at % size.heads * size.dim..][..size.dim]))
        .collect()
}

fn leaky<T: Real>(x: T) -> (T, T) {
    let slope = T::of(if x > T::of(0.0) { 1.0 } else { SLOPE });
    (x * slope, slope)
}

/// The weights of a receiver and head: of its own part, and of each edge.
fn attend<T: Real>(
    edges: Edges<'_>,
    size: Heads,
    receiver: usize,
    head: usize,
    own: &[T],
    message: &[T],
) -> (T, Vec<T>) {
    let score = own[receiver * size.heads + head];
    let own_score = leaky(score + score).0;
    let list: Vec<(T, f32)> = edges
        .of(receiver)
        .map(|(_, sender, times)| (leaky(score + message[sender * size.heads + head]).0, times))
        .collect();
    let top = list.iter().fold(own_score, |top, &(s, _)| Real::max(top, s));
    let weights: Vec<T> = list.iter().map(|&(s, times)| T::of(times) * Real::exp(s - top)).collect();
    let own_weight = Real::exp(own_score - top);
    let total = weights.iter().fold(own_weight, |sum, &w| sum + w);
    (own_weight / total, weights.into_iter().map(|w| w / total).collect())
}

pub(super) fn attention<T: Real>(
    edges: Edges<'_>,
    size: Heads,
    own: &[T],
    messages: &[T],
    att: &[T],
) -> Vec<T> {
    let (own_scores, message_scores) = (scores(size, own, att), scores(size, messages, att));
    let mut out = vec![T::of(0.0); own.len()];
    for (at, to) in out.chunks_exact_mut(size.dim).enumerate() {
        let (receiver, head) = (at / size.heads, at % size.heads);
        let (own_weight, weights) = attend(edges, size, receiver, head, &own_scores, &message_scores);
        for (to, &o) in to.iter_mut().zip(&own[at * size.dim..]) {
            *to = own_weight * o;
        }
        for ((_, sender, _), weight) in edges.of(receiver).zip(weights) {
            for (to, &m) in to.iter_mut().zip(&messages[(sender * size.heads + head) * size.dim..]) {
                *to += weight * m;
            }
        }
    }
    out
}

/// The gradients of own, of messages and of att, one after another.
pub(super) fn attention_gradient<T: Real>(
    edges: Edges<'_>,
    size: Heads,
    own: &[T],
    messages: &[T],
    att: &[T],
    grad: &[T],
) -> Vec<T> {
    let d = size.dim;
    let (own_scores, message_scores) = (scores(size, own, att), scores(size, messages, att));
    let mut out = vec![T::of(0.0); own.len() + messages.len() + att.len()];
    let (to_own, rest) = out.split_at_mut(own.len());
    let (to_messages, to_att) = rest.split_at_mut(messages.len());
    for (at, (own, g)) in own.chunks_exact(d).zip(grad.chunks_exact(d)).enumerate() {
        let (receiver, head) = (at / size.heads, at % size.heads);
        let att = &att[head * d..][..d];
        let (own_weight, weights) = attend(edges, size, receiver, head, &own_scores, &message_scores);
        let senders: Vec<usize> =
            edges.of(receiver).map(|(_, sender, _)| sender * size.heads + head).collect();
        let common_own = product(g, own);
        let common: Vec<T> = senders.iter().map(|&s| product(g, &messages[s * d..][..d])).collect();
        let mean = weights.iter().zip(&common).fold(own_weight * common_own, |sum, (&w, &c)| sum + w * c);
        let score = own_scores[at];
        let mut grad_score = T::of(2.0) * leaky(score + score).1 * own_weight * (common_own - mean);
        for ((&sender, &weight), &common) in senders.iter().zip(&weights).zip(&common) {
            let grad_edge = leaky(score + message_scores[sender]).1 * weight * (common - mean);
            grad_score += grad_edge;
            for i in 0..d {
                to_messages[sender * d + i] += weight * g[i] + grad_edge * att[i];
                to_att[head * d + i] += grad_edge * messages[sender * d + i];
            }
        }
        for i in 0..d {
            to_own[at * d + i] = own_weight * g[i] + grad_score * att[i];
            to_att[head * d + i] += grad_score * own[i];
        }
    }
    out
}
