//! Sums over neighbours.

use logicvae_cuda_host::{Csr, sums};

use crate::naive;
use crate::support::{Graph, Random, WIDTHS, assert_close, assert_gradient, dot, doubles};

#[test]
fn gather_is_a_weighted_sum() {
    for (seed, width) in (0..).zip(WIDTHS) {
        let random = &mut Random::new(seed);
        let (graph, sources) = Graph::large(random);
        let (weights, x) = (random.numbers(graph.sources.len()), random.numbers(sources * width));
        let got = sums::gather(width, graph.forward(), &weights, &x).expect("no fault");
        assert_close("out", &got, &naive::gather(width, graph.forward(), &doubles(&weights), &doubles(&x)));
    }
}

#[test]
fn gated_sums_and_gradients_match_the_definition() {
    for (seed, width) in (10..).zip(WIDTHS) {
        let random = &mut Random::new(seed);
        let (graph, sources) = Graph::large(random);
        let (weights, gm) = (random.numbers(graph.sources.len()), random.numbers(sources * 2 * width));
        let got = sums::gated_forward(width, graph.forward(), &weights, &gm).expect("no fault");
        assert_close(
            "out",
            &got,
            &naive::gated_sum(width, graph.forward(), &doubles(&weights), &doubles(&gm)),
        );

        let (grad_out, t_weights) = (random.numbers(got.len()), graph.transpose(&weights));
        let grad =
            sums::gated_backward(width, graph.transposed(), &t_weights, &gm, &grad_out).expect("no fault");
        let want = naive::gated_sum_backward(
            width,
            graph.transposed(),
            &doubles(&t_weights),
            &doubles(&gm),
            &doubles(&grad_out),
        );
        assert_close("grad_gm", &grad, &want);
        let weights = doubles(&weights);
        assert_gradient("grad_gm", &grad, &gm, |gm| {
            dot(&naive::gated_sum(width, graph.forward(), &weights, gm), &grad_out)
        });
    }
}

#[test]
fn gates_saturate_without_nan() {
    let graph = Csr { offsets: &[0, 2], ends: &[0, 1] };
    let gm = [-200.0, 3.0, 200.0, 5.0];
    assert_eq!(sums::gated_forward(1, graph, &[1.0, 1.0], &gm), Ok(vec![5.0]));
    let transposed = Csr { offsets: &[0, 1, 2], ends: &[0, 0] };
    assert_eq!(sums::gated_backward(1, transposed, &[1.0, 1.0], &gm, &[1.0]), Ok(vec![0.0, 0.0, 0.0, 1.0]));
}

#[test]
#[should_panic(expected = "edges must end at one of 2 rows")]
fn an_edge_from_a_missing_row_is_rejected() {
    let _ = sums::gather(1, Csr { offsets: &[0, 1], ends: &[2] }, &[1.0], &[1.0, 2.0]);
}
