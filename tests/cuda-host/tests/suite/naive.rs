//! A naive implementation of the definitions in double precision.

use logicvae_cuda_host::Csr;
use logicvae_cuda_host::attention::Heads;

pub fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

pub fn leaky_relu(x: f64) -> f64 {
    if x > 0.0 { x } else { 0.2 * x }
}

pub fn slope(x: f64) -> f64 {
    if x > 0.0 { 1.0 } else { 0.2 }
}

/// The edges of a row.
pub fn edges(graph: Csr<'_>, v: usize) -> std::ops::Range<usize> {
    graph.offsets[v] as usize..graph.offsets[v + 1] as usize
}

pub fn gather(width: usize, graph: Csr<'_>, weights: &[f64], x: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; graph.rows() * width];
    for v in 0..graph.rows() {
        for e in edges(graph, v) {
            for j in 0..width {
                out[v * width + j] += weights[e] * x[graph.ends[e] as usize * width + j];
            }
        }
    }
    out
}

pub fn gated_sum(width: usize, graph: Csr<'_>, weights: &[f64], gm: &[f64]) -> Vec<f64> {
    let gated: Vec<f64> =
        gm.chunks(2 * width).flat_map(|row| (0..width).map(|j| sigmoid(row[j]) * row[width + j])).collect();
    gather(width, graph, weights, &gated)
}

pub fn gated_sum_backward(
    width: usize,
    transposed: Csr<'_>,
    t_weights: &[f64],
    gm: &[f64],
    grad_out: &[f64],
) -> Vec<f64> {
    let gathered = gather(width, transposed, t_weights, grad_out);
    let mut grad = vec![0.0; gm.len()];
    for (i, d) in gathered.into_iter().enumerate() {
        let gate = i / width * 2 * width + i % width;
        let s = sigmoid(gm[gate]);
        grad[gate] = d * gm[gate + width] * s * (1.0 - s);
        grad[gate + width] = d * s;
    }
    grad
}

pub fn gru(width: usize, gi: &[f64], gh: &[f64], h: &[f64]) -> Vec<f64> {
    let element = |(i, h): (usize, &f64)| {
        let r = i / width * 3 * width + i % width;
        let (z, n) = (r + width, r + 2 * width);
        let update = sigmoid(gi[z] + gh[z]);
        let candidate = (gi[n] + sigmoid(gi[r] + gh[r]) * gh[n]).tanh();
        (1.0 - update) * candidate + update * h
    };
    h.iter().enumerate().map(element).collect()
}

pub fn scores(heads: Heads, x: &[f64], att: &[f64]) -> Vec<f64> {
    let product = |(i, part): (usize, &[f64])| {
        part.iter().zip(&att[i % heads.count * heads.dim..]).map(|(a, b)| a * b).sum()
    };
    x.chunks(heads.dim).enumerate().map(product).collect()
}

pub struct Attention {
    pub alpha_own: Vec<f64>,
    pub alpha: Vec<f64>,
    pub out: Vec<f64>,
}

/// The inputs are own, msg, score_own and score_msg.
pub fn attention(
    heads: Heads,
    graph: Csr<'_>,
    times: &[f64],
    [own, msg, score_own, score_msg]: [&[f64]; 4],
) -> Attention {
    let Heads { count, dim } = heads;
    let mut alpha_own = vec![0.0; score_own.len()];
    let mut alpha = vec![0.0; graph.ends.len() * count];
    let mut out = vec![0.0; own.len()];
    for i in 0..score_own.len() {
        let (v, k) = (i / count, i % count);
        let source = |e: usize| graph.ends[e] as usize * count + k;
        let own_logit = leaky_relu(2.0 * score_own[i]);
        let logit = |e: usize| leaky_relu(score_own[i] + score_msg[source(e)]);
        let counted = edges(graph, v).filter(|&e| times[e] > 0.0);
        let top = counted.clone().map(logit).fold(own_logit, f64::max);
        let own_part = (own_logit - top).exp();
        let total = own_part + counted.clone().map(|e| times[e] * (logit(e) - top).exp()).sum::<f64>();
        alpha_own[i] = own_part / total;
        for d in 0..dim {
            out[i * dim + d] = alpha_own[i] * own[i * dim + d];
        }
        for e in counted {
            let p = times[e] * (logit(e) - top).exp() / total;
            alpha[e * count + k] = p;
            for d in 0..dim {
                out[i * dim + d] += p * msg[source(e) * dim + d];
            }
        }
    }
    Attention { alpha_own, alpha, out }
}
