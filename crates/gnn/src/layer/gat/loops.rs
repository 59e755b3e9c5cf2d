//! Attention on the CPU: loops that compute what the CUDA kernels of the same names compute.

use logicvae_compute::Real;

use super::SLOPE;
use crate::layer::edges::EdgeSlices;

/// Sizes of an attention.
#[derive(Clone, Copy)]
pub(super) struct Heads {
    pub(super) heads: usize,
    pub(super) dim: usize,
}

fn product<T: Real>(a: &[T], b: &[T]) -> T {
    a.iter().zip(b).fold(T::constant(0.0), |sum, (&a, &b)| sum + a * b)
}

fn scores<T: Real>(size: Heads, x: &[T], att: &[T]) -> Vec<T> {
    x.chunks_exact(size.dim)
        .enumerate()
        .map(|(at, x)| product(x, &att[at % size.heads * size.dim..][..size.dim]))
        .collect()
}

fn leaky<T: Real>(x: T) -> (T, T) {
    let slope = T::constant(if x > T::constant(0.0) { 1.0 } else { SLOPE });
    (x * slope, slope)
}

/// The weights of a receiver and head: of its own part, and of each edge.
fn attend<T: Real>(
    edges: EdgeSlices<'_>,
    size: Heads,
    receiver: usize,
    head: usize,
    own: &[T],
    message: &[T],
) -> (T, Vec<T>) {
    let score = own[receiver * size.heads + head];
    let own_score = leaky(score + score).0;
    let list: Vec<(T, f32)> = edges
        .group(receiver)
        .map(|(_, sender, times)| (leaky(score + message[sender * size.heads + head]).0, times))
        .collect();
    let top = list.iter().fold(own_score, |top, &(s, _)| Real::max(top, s));
    let weights: Vec<T> = list.iter().map(|&(s, times)| T::constant(times) * Real::exp(s - top)).collect();
    let own_weight = Real::exp(own_score - top);
    let total = weights.iter().fold(own_weight, |sum, &w| sum + w);
    (own_weight / total, weights.into_iter().map(|w| w / total).collect())
}

pub(super) fn attention<T: Real>(
    edges: EdgeSlices<'_>,
    size: Heads,
    own: &[T],
    messages: &[T],
    att: &[T],
) -> Vec<T> {
    let (own_scores, message_scores) = (scores(size, own, att), scores(size, messages, att));
    let mut out = vec![T::constant(0.0); own.len()];
    for (at, to) in out.chunks_exact_mut(size.dim).enumerate() {
        let (receiver, head) = (at / size.heads, at % size.heads);
        let (own_weight, weights) = attend(edges, size, receiver, head, &own_scores, &message_scores);
        for (to, &o) in to.iter_mut().zip(&own[at * size.dim..]) {
            *to = own_weight * o;
        }
        for ((_, sender, _), weight) in edges.group(receiver).zip(weights) {
            for (to, &m) in to.iter_mut().zip(&messages[(sender * size.heads + head) * size.dim..]) {
                *to += weight * m;
            }
        }
    }
    out
}

/// The gradients of own, of messages and of att, one after another.
pub(super) fn attention_gradient<T: Real>(
    edges: EdgeSlices<'_>,
    size: Heads,
    own: &[T],
    messages: &[T],
    att: &[T],
    grad: &[T],
) -> Vec<T> {
    let d = size.dim;
    let (own_scores, message_scores) = (scores(size, own, att), scores(size, messages, att));
    let mut out = vec![T::constant(0.0); own.len() + messages.len() + att.len()];
    let (to_own, rest) = out.split_at_mut(own.len());
    let (to_messages, to_att) = rest.split_at_mut(messages.len());
    for (at, (own, g)) in own.chunks_exact(d).zip(grad.chunks_exact(d)).enumerate() {
        let (receiver, head) = (at / size.heads, at % size.heads);
        let att = &att[head * d..][..d];
        let (own_weight, weights) = attend(edges, size, receiver, head, &own_scores, &message_scores);
        let senders: Vec<usize> =
            edges.group(receiver).map(|(_, sender, _)| sender * size.heads + head).collect();
        let common_own = product(g, own);
        let common: Vec<T> = senders.iter().map(|&s| product(g, &messages[s * d..][..d])).collect();
        let mean = weights.iter().zip(&common).fold(own_weight * common_own, |sum, (&w, &c)| sum + w * c);
        let score = own_scores[at];
        let mut grad_score = T::constant(2.0) * leaky(score + score).1 * own_weight * (common_own - mean);
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
