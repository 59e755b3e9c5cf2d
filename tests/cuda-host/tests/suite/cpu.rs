//! The kernels agree with the CPU operations of `logicvae-gnn`, forward and backward: the same call must give
//! the same result on both devices.

use candle_core::{Device, Result, Tensor, Var};
use logicvae_cuda_host::attention::{self, Heads, Rows};
use logicvae_cuda_host::{gru, sums};
use logicvae_gnn::edge_ops as ops;

use crate::support::{Graph, Random, assert_close, doubles};

fn var(numbers: &[f32], rows: usize) -> Var {
    let columns = numbers.len() / rows;
    Var::from_tensor(&Tensor::from_slice(numbers, (rows, columns), &Device::Cpu).expect("a tensor"))
        .expect("a variable")
}

/// The result of an operation and the gradients of its inputs, given the gradient `grad` of the result.
fn outcome(
    inputs: &[&Var],
    grad: &[f32],
    op: impl Fn(&[Tensor]) -> Result<Tensor>,
) -> Result<(Vec<f64>, Vec<Vec<f64>>)> {
    let tensors: Vec<Tensor> = inputs.iter().map(|var| var.as_tensor().clone()).collect();
    let output = op(&tensors)?;
    let probe = Tensor::from_slice(grad, output.shape(), &Device::Cpu)?;
    let gradients = (&output * probe)?.sum_all()?.backward()?;
    let numbers = |tensor: &Tensor| Ok(doubles(&tensor.flatten_all()?.to_vec1::<f32>()?));
    let by_input =
        inputs.iter().map(|var| numbers(gradients.get(var).expect("a gradient"))).collect::<Result<_>>()?;
    Ok((numbers(&output)?, by_input))
}

fn edges(graph: &Graph, weights: &[f32], senders: usize) -> ops::Csr {
    ops::Csr::new(&graph.offsets, &graph.sources, weights, senders, &Device::Cpu).expect("edges")
}

#[test]
fn sums_over_neighbours_match_the_cpu() {
    let mut random = Random::new(11);
    let (graph, senders) = Graph::large(&mut random);
    let weights = random.numbers(graph.sources.len());
    let receivers = graph.forward().rows();
    for width in [1, 84] {
        let edges = edges(&graph, &weights, senders);
        let (x, gm, grad) = (
            random.numbers(senders * width),
            random.numbers(senders * 2 * width),
            random.numbers(receivers * width),
        );

        let (output, gradients) =
            outcome(&[&var(&x, senders)], &grad, |x| ops::gather(&x[0], &edges)).expect("gather");
        assert_close(
            "gather",
            &sums::gather(width, graph.forward(), &weights, &x).expect("no fault"),
            &output,
        );
        let t_weights = graph.transpose(&weights);
        let back = sums::gather(width, graph.transposed(), &t_weights, &grad).expect("no fault");
        assert_close("gather's gradient", &back, &gradients[0]);

        let (output, gradients) =
            outcome(&[&var(&gm, senders)], &grad, |x| ops::gated_sum(&x[0], &edges)).expect("gated sum");
        assert_close(
            "gated sum",
            &sums::gated_forward(width, graph.forward(), &weights, &gm).expect("no fault"),
            &output,
        );
        let back = sums::gated_backward(width, graph.transposed(), &t_weights, &gm, &grad).expect("no fault");
        assert_close("gated sum's gradient", &back, &gradients[0]);
    }
}

#[test]
fn gru_gates_match_the_cpu() {
    let mut random = Random::new(12);
    let (n, width) = (9, 84);
    let [gi, gh] = [0, 1].map(|_| random.numbers(n * 3 * width));
    let [h, grad] = [0, 1].map(|_| random.numbers(n * width));
    let inputs = [var(&gi, n), var(&gh, n), var(&h, n)];
    let (output, gradients) =
        outcome(&inputs.each_ref(), &grad, |x| ops::gru_gates(&x[0], &x[1], &x[2])).expect("gates");
    assert_close("gates", &gru::forward(width, &gi, &gh, &h).expect("no fault"), &output);
    let back = gru::backward(width, &gi, &gh, &h, &grad).expect("no fault");
    for (found, wanted) in back.iter().zip(&gradients) {
        assert_close("gates' gradient", found, wanted);
    }
}

/// Runs the kernels in the order in which the crate launches them.
#[test]
fn attention_matches_the_cpu() {
    let mut random = Random::new(13);
    for heads in [Heads { count: 1, dim: 5 }, Heads { count: 3, dim: 84 }, Heads { count: 4, dim: 33 }] {
        let (graph, senders) = Graph::large(&mut random);
        let (receivers, all) = (graph.forward().rows(), heads.count * heads.dim);
        let times: Vec<f32> = graph.sources.iter().map(|_| 1.0 + random.below(3) as f32).collect();
        let [own, grad, msg, att] = [receivers, receivers, senders, 1].map(|rows| random.numbers(rows * all));
        let edges = edges(&graph, &times, senders);
        let inputs = [var(&own, receivers), var(&msg, senders), var(&att, heads.count)];
        let (output, gradients) =
            outcome(&inputs.each_ref(), &grad, |x| ops::attention(&x[0], &x[1], &x[2], &edges))
                .expect("attention");

        let score_own = attention::scores(heads, &own, &att).expect("no fault");
        let score_msg = attention::scores(heads, &msg, &att).expect("no fault");
        let rows = Rows { own: &own, msg: &msg, score_own: &score_own, score_msg: &score_msg };
        let [alpha_own, alpha, out] =
            attention::forward(heads, graph.forward(), &times, rows).expect("no fault");
        assert_close("attention", &out, &output);
        let [grad_own, grad_score_own, grad_edge] =
            attention::backward_receivers(heads, graph.forward(), rows, &att, [&alpha_own, &alpha], &grad)
                .expect("no fault");
        let [grad_score_msg, grad_msg] = attention::backward_messages(
            heads,
            graph.transposed(),
            &graph.t_edges,
            [&alpha, &grad_edge],
            &att,
            &grad,
        )
        .expect("no fault");
        let mut grad_att = vec![0.0; all];
        attention::backward_att(heads, &own, &grad_score_own, &mut grad_att).expect("no fault");
        attention::backward_att(heads, &msg, &grad_score_msg, &mut grad_att).expect("no fault");
        assert_close("gradient of own", &grad_own, &gradients[0]);
        assert_close("gradient of messages", &grad_msg, &gradients[1]);
        assert_close("gradient of att", &grad_att, &gradients[2]);
    }
}
