//! Attention and its gradients.

use logicvae_cuda_host::Csr;
use logicvae_cuda_host::attention::{self, Heads, Rows};

use crate::naive;
use crate::support::{Graph, Random, assert_close, assert_gradient, dot, doubles};

/// One or more heads, narrower and wider than a warp.
const HEADS: [Heads; 5] = [
    Heads { count: 1, dim: 1 },
    Heads { count: 1, dim: 250 },
    Heads { count: 3, dim: 7 },
    Heads { count: 4, dim: 21 },
    Heads { count: 3, dim: 84 },
];

struct Input {
    heads: Heads,
    graph: Graph,
    times: Vec<f32>,
    own: Vec<f32>,
    msg: Vec<f32>,
    att: Vec<f32>,
    score_own: Vec<f32>,
    score_msg: Vec<f32>,
    grad_out: Vec<f32>,
}

impl Input {
    fn random(random: &mut Random, heads: Heads, (graph, sources): (Graph, usize)) -> Self {
        let width = heads.count * heads.dim;
        let receivers = graph.forward().rows();
        let times = graph.sources.iter().map(|_| random.below(4) as f32).collect();
        let [own, grad_out, msg, att] =
            [receivers, receivers, sources, 1].map(|rows| random.numbers(rows * width));
        let score_own = attention::scores(heads, &own, &att).expect("no fault");
        let score_msg = attention::scores(heads, &msg, &att).expect("no fault");
        Self { heads, graph, times, own, msg, att, score_own, score_msg, grad_out }
    }

    fn rows(&self) -> Rows<'_> {
        Rows { own: &self.own, msg: &self.msg, score_own: &self.score_own, score_msg: &self.score_msg }
    }

    fn forward(&self) -> [Vec<f32>; 3] {
        attention::forward(self.heads, self.graph.forward(), &self.times, self.rows()).expect("no fault")
    }

    /// The function that is differentiated. It includes the scores.
    fn loss(&self, own: &[f64], msg: &[f64], att: &[f64]) -> f64 {
        let [score_own, score_msg] = [own, msg].map(|x| naive::scores(self.heads, x, att));
        let inputs = [own, msg, &score_own, &score_msg];
        dot(
            &naive::attention(self.heads, self.graph.forward(), &doubles(&self.times), inputs).out,
            &self.grad_out,
        )
    }

    fn gradients(&self) -> Gradients {
        let Self { heads, graph, att, grad_out, .. } = self;
        let [alpha_own, alpha, _] = self.forward();
        let [own, score_own, edge] = attention::backward_receivers(
            *heads,
            graph.forward(),
            self.rows(),
            att,
            [&alpha_own, &alpha],
            grad_out,
        )
        .expect("no fault");
        let [score_msg, msg] = attention::backward_messages(
            *heads,
            graph.transposed(),
            &graph.t_edges,
            [&alpha, &edge],
            att,
            grad_out,
        )
        .expect("no fault");
        let mut by_att = vec![0.0; att.len()];
        attention::backward_att(*heads, &self.own, &score_own, &mut by_att).expect("no fault");
        attention::backward_att(*heads, &self.msg, &score_msg, &mut by_att).expect("no fault");
        Gradients { own, msg, att: by_att, score_own, score_msg, edge }
    }
}

struct Gradients {
    own: Vec<f32>,
    msg: Vec<f32>,
    att: Vec<f32>,
    score_own: Vec<f32>,
    score_msg: Vec<f32>,
    edge: Vec<f32>,
}

#[test]
fn scores_are_scalar_products() {
    for (seed, heads) in (40..).zip(HEADS) {
        let random = &mut Random::new(seed);
        let [x, att] = [7, 1].map(|rows| random.numbers(rows * heads.count * heads.dim));
        let got = attention::scores(heads, &x, &att).expect("no fault");
        assert_close("scores", &got, &naive::scores(heads, &doubles(&x), &doubles(&att)));
    }
}

#[test]
fn attention_weights_and_outputs_match_the_definition() {
    for (seed, heads) in (50..).zip(HEADS) {
        let random = &mut Random::new(seed);
        let graph = Graph::large(random);
        let input = Input::random(random, heads, graph);
        let [alpha_own, alpha, out] = input.forward();
        let inputs = [&input.own, &input.msg, &input.score_own, &input.score_msg].map(|x| doubles(x));
        let inputs = inputs.each_ref().map(Vec::as_slice);
        let want = naive::attention(heads, input.graph.forward(), &doubles(&input.times), inputs);
        assert_close("alpha_own", &alpha_own, &want.alpha_own);
        assert_close("alpha", &alpha, &want.alpha);
        assert_close("out", &out, &want.out);
    }
}

/// Gradients by the chain rule in double precision, on rows with up to 1,000 edges.
#[test]
fn gradients_match_the_definition() {
    for (seed, heads) in (60..).zip(HEADS) {
        let random = &mut Random::new(seed);
        let graph = Graph::large(random);
        let input = Input::random(random, heads, graph);
        let got = input.gradients();
        let want = naive_gradients(&input);
        assert_close("grad_score_own", &got.score_own, &want.score_own);
        assert_close("grad_edge", &got.edge, &want.edge);
        assert_close("grad_score_msg", &got.score_msg, &want.score_msg);
        assert_close("grad_own", &got.own, &want.own);
        assert_close("grad_msg", &got.msg, &want.msg);
        assert_close("grad_att", &got.att, &want.att);
    }
}

#[test]
fn gradients_match_finite_differences() {
    for (seed, heads) in (70..).zip(HEADS) {
        for large in [false, true] {
            let random = &mut Random::new(seed);
            let graph = if large { Graph::large(random) } else { Graph::small(random) };
            let input = Input::random(random, heads, graph);
            let got = input.gradients();
            let [own, msg, att] = [&input.own, &input.msg, &input.att].map(|x| doubles(x));
            assert_gradient("grad_own", &got.own, &input.own, |own| input.loss(own, &msg, &att));
            assert_gradient("grad_msg", &got.msg, &input.msg, |msg| input.loss(&own, msg, &att));
            assert_gradient("grad_att", &got.att, &input.att, |att| input.loss(&own, &msg, att));
        }
    }
}

#[test]
fn an_edge_that_counts_twice_equals_two_edges() {
    let heads = Heads { count: 1, dim: 2 };
    let x =
        Rows { own: &[1.0, 2.0], msg: &[3.0, 4.0, -1.0, 0.5], score_own: &[0.3], score_msg: &[0.7, -0.9] };
    let run = |ends: &[u32], times: &[f32]| {
        let graph = Csr { offsets: &[0, ends.len() as u32], ends };
        attention::forward(heads, graph, times, x).expect("no fault")[2].clone()
    };
    let want: Vec<f64> = doubles(&run(&[0, 0, 1], &[1.0, 1.0, 1.0]));
    assert_close("out", &run(&[0, 1], &[2.0, 1.0]), &want);
    assert_close("out", &run(&[0, 1, 1, 1], &[2.0, 0.5, 0.0, 0.5]), &want);
}

#[test]
fn extreme_scores_give_finite_results() {
    let heads = Heads { count: 1, dim: 1 };
    let graph = Csr { offsets: &[0, 2], ends: &[0, 1] };
    let x = Rows { own: &[1.0], msg: &[2.0, 3.0], score_own: &[-500.0], score_msg: &[1e4, 1e6] };
    let [alpha_own, alpha, out] = attention::forward(heads, graph, &[1.0, 0.0], x).expect("no fault");
    assert_eq!(
        (alpha_own, alpha, out),
        (vec![0.0], vec![1.0, 0.0], vec![2.0]),
        "an edge that counts 0 times has no effect"
    );
}

/// At 0, leaky ReLU has the slope of negative inputs.
#[test]
fn leaky_relu_has_its_negative_slope_at_zero() {
    let heads = Heads { count: 1, dim: 1 };
    let graph = Csr { offsets: &[0, 1], ends: &[0] };
    let x = Rows { own: &[1.0], msg: &[3.0], score_own: &[0.0], score_msg: &[0.0] };
    let gradients =
        attention::backward_receivers(heads, graph, x, &[1.0], [&[0.5], &[0.5]], &[1.0]).expect("no fault");
    // The mean is 2. Both parts differ from it by 1 and have weight 0.5.
    let edge = 0.5 * 0.2;
    let score = -2.0 * 0.5 * 0.2 + edge;
    for (got, want) in gradients.iter().zip([0.5 + score, score, edge]) {
        assert_close("gradient", got, &[want]);
    }
}

#[test]
fn the_gradient_of_att_is_accumulated() {
    let heads = Heads { count: 3, dim: 21 };
    let random = &mut Random::new(80);
    let [x, grad_score, before] = [70 * 63, 70 * 3, 63].map(|length| random.numbers(length));
    let mut out = before.clone();
    attention::backward_att(heads, &x, &grad_score, &mut out).expect("no fault");
    let want: Vec<f64> = (0..63)
        .map(|c| {
            f64::from(before[c])
                + (0..70)
                    .map(|v| f64::from(x[v * 63 + c]) * f64::from(grad_score[v * 3 + c / 21]))
                    .sum::<f64>()
        })
        .collect();
    assert_close("out", &out, &want);
}

struct NaiveGradients {
    own: Vec<f64>,
    msg: Vec<f64>,
    att: Vec<f64>,
    score_own: Vec<f64>,
    score_msg: Vec<f64>,
    edge: Vec<f64>,
}

fn naive_gradients(input: &Input) -> NaiveGradients {
    let Heads { count, dim } = input.heads;
    let graph = input.graph.forward();
    let [own, msg, att, score_own, score_msg, grad_out] =
        [&input.own, &input.msg, &input.att, &input.score_own, &input.score_msg, &input.grad_out]
            .map(|x| doubles(x));
    let forward =
        naive::attention(input.heads, graph, &doubles(&input.times), [&own, &msg, &score_own, &score_msg]);
    let product = |a: &[f64], b: &[f64]| (0..dim).map(|d| a[d] * b[d]).sum::<f64>();
    let mut g = NaiveGradients {
        own: vec![0.0; own.len()],
        msg: vec![0.0; msg.len()],
        att: vec![0.0; att.len()],
        score_own: vec![0.0; score_own.len()],
        score_msg: vec![0.0; score_msg.len()],
        edge: vec![0.0; forward.alpha.len()],
    };
    for i in 0..score_own.len() {
        let (v, k) = (i / count, i % count);
        let source = |e: usize| graph.ends[e] as usize * count + k;
        let grad = &grad_out[i * dim..];
        let own_part = product(grad, &own[i * dim..]);
        let part = |e: usize| product(grad, &msg[source(e) * dim..]);
        let mean = forward.alpha_own[i] * own_part
            + naive::edges(graph, v).map(|e| forward.alpha[e * count + k] * part(e)).sum::<f64>();
        g.score_own[i] = 2.0 * forward.alpha_own[i] * (own_part - mean) * naive::slope(2.0 * score_own[i]);
        for e in naive::edges(graph, v) {
            let p = forward.alpha[e * count + k];
            let by_edge = p * (part(e) - mean) * naive::slope(score_own[i] + score_msg[source(e)]);
            g.edge[e * count + k] = by_edge;
            g.score_own[i] += by_edge;
            g.score_msg[source(e)] += by_edge;
            for d in 0..dim {
                g.msg[source(e) * dim + d] += p * grad_out[i * dim + d];
            }
        }
        for d in 0..dim {
            g.own[i * dim + d] =
                forward.alpha_own[i] * grad_out[i * dim + d] + g.score_own[i] * att[k * dim + d];
        }
    }
    // The contribution of the scores <x, att>, whose gradients are att and x.
    for (i, x) in msg.iter().enumerate() {
        g.msg[i] += g.score_msg[i / dim] * att[i % att.len()];
        g.att[i % att.len()] += g.score_msg[i / dim] * x;
    }
    for (i, x) in own.iter().enumerate() {
        g.att[i % att.len()] += g.score_own[i / dim] * x;
    }
    g
}
