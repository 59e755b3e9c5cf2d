//! Schedules of trees and other graphs: what is computed, in which order, and which graphs are rejected.

use candle_core::DType;
use logicvae_compute::Parameters;
use logicvae_gnn::{
    Dag, Direction, EncoderConfig, GraphError, Implementation, Schedule, ScheduleOptions, Vocabulary,
};
use proptest::prelude::*;

use crate::common::{assert_close, encoder, formulae, graphs, outcome, probe};

fn all_options() -> impl Iterator<Item = (Direction, ScheduleOptions)> {
    (0..16).map(|i| {
        let options = ScheduleOptions { merge: i & 1 > 0, by_degree: i & 2 > 0, linear: i & 4 > 0 };
        (if i & 8 > 0 { Direction::Up } else { Direction::Down }, options)
    })
}

/// Checks what must hold for every schedule.
fn check_schedule(dag: &Dag, schedule: &Schedule, merge: bool) {
    let mut next = 0;
    for level in schedule.levels() {
        assert_eq!(level.rows.start, next, "levels are contiguous");
        next = level.rows.end;
        for row in level.rows.clone() {
            assert!(schedule.predecessors(row).all(|(p, times)| p < level.rows.start && times >= 1.0));
        }
        for part in [&level.aggregated, &level.sending] {
            assert!(part.is_empty() || level.rows.start <= part.start && part.end <= level.rows.end);
        }
    }
    assert_eq!(next, schedule.rows());
    assert_eq!(schedule.counts().iter().sum::<u32>() as usize, dag.nodes(), "every node has a row");
    assert!(merge || schedule.rows() == dag.nodes());
    for (row, &count) in schedule.counts().iter().enumerate() {
        assert_eq!(schedule.row_of().iter().filter(|&&r| r as usize == row).count(), count as usize);
    }
}

/// Edges lead from smaller to larger numbers, so there is no cycle. Types are 0 to 3.
fn any_dag() -> impl Strategy<Value = Dag> {
    (1usize..12).prop_flat_map(|nodes| {
        let types = proptest::collection::vec(0u32..4, nodes);
        let edges = proptest::collection::vec((0..nodes as u32, 0..nodes as u32), 0..20);
        (types, edges).prop_map(|(types, edges)| {
            let edges =
                edges.into_iter().filter(|(a, b)| a != b).map(|(a, b)| (a.min(b), a.max(b))).collect();
            Dag::new(types, edges).unwrap()
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_graph_can_be_scheduled(one in any_dag(), two in any_dag()) {
        let dag = Dag::batch([&one, &two, &one]).unwrap();
        for (direction, options) in all_options() {
            let schedule = Schedule::new(&dag, direction, &options).unwrap();
            check_schedule(&dag, &schedule, options.merge);
            if options.merge {
                let alone = Schedule::new(&Dag::batch([&one, &two]).unwrap(), direction, &options).unwrap();
                prop_assert_eq!(schedule.rows(), alone.rows(), "the third graph equals the first");
            }
        }
    }

    #[test]
    fn all_implementations_agree_on_any_graph(one in any_dag(), two in any_dag()) {
        let dag = Dag::batch([&one, &two, &one]).unwrap();
        for config in [EncoderConfig::gru(4, 3), EncoderConfig::gcn(4, 3), EncoderConfig::gat(4, 3)] {
            let (encoder, parameters) = encoder(&config, DType::F64);
            let probe = probe(3, config.output(), DType::F64);
            let reference = encoder.with_implementation(Implementation::Reference).with_merging(false);
            let (wanted, gradients) = outcome_or_zero(&reference, &parameters, &dag, &probe);
            // Edge weights are f32 in the operations on edges, even if everything else is f64.
            for (implementation, merge, tolerance) in [
                (Implementation::Fused, true, 1e-9),
                (Implementation::Fused, false, 1e-9),
                (Implementation::EdgeOps, true, 1e-5),
            ] {
                let encoder = encoder.with_implementation(implementation).with_merging(merge);
                let (found, found_gradients) = outcome_or_zero(&encoder, &parameters, &dag, &probe);
                assert_close("output", &found, &wanted, tolerance);
                for (name, gradient) in &gradients {
                    let scale = gradient.iter().fold(0.0f64, |top, g| top.max(g.abs()));
                    for (f, w) in found_gradients[name].iter().zip(gradient) {
                        prop_assert!((f - w).abs() <= tolerance * scale.max(1e-3), "{}: {} {}", name, f, w);
                    }
                }
            }
        }
    }
}

/// Like [`outcome`], but a missing gradient counts as zero: candle has none for a weight that no edge uses.
fn outcome_or_zero(
    encoder: &logicvae_gnn::Encoder,
    parameters: &Parameters,
    dag: &Dag,
    probe: &candle_core::Tensor,
) -> (Vec<f64>, std::collections::BTreeMap<String, Vec<f64>>) {
    let output = encoder.forward(&encoder.prepare(dag).unwrap()).unwrap();
    let gradients = (&output * probe).unwrap().sum_all().unwrap().backward().unwrap();
    let by_name = parameters.vars().into_iter().map(|(name, var)| {
        let zeros = || vec![0.0; var.elem_count()];
        let gradient = gradients.get(&var).map_or_else(zeros, crate::common::numbers);
        (name, gradient)
    });
    (crate::common::numbers(&output), by_name.collect())
}

#[test]
fn equal_subtrees_and_equal_paths_are_computed_once() {
    let dag = Vocabulary::new(2).graphs(&["(x1 & !x2) | (!x2 & x1)".parse().unwrap()]).unwrap();
    let options = ScheduleOptions::default();
    // END, x1, x2, !x2, the conjunction (the order of children is ignored), the disjunction, START.
    let up = Schedule::new(&dag, Direction::Up, &options).unwrap();
    assert_eq!((dag.nodes(), up.rows()), (11, 7));
    // START, |, & , x1, !, x2, END: both conjunctions have the same ancestors.
    let down = Schedule::new(&dag, Direction::Down, &options).unwrap();
    assert_eq!(down.rows(), 7);
    assert_eq!(
        down.predecessors(6).map(|(_, times)| times).collect::<Vec<_>>(),
        [2.0, 2.0],
        "END receives each leaf twice"
    );
    // With positions, left and right children differ.
    let marked = Vocabulary { positional: true, ..Vocabulary::new(2) };
    let dag = marked.graphs(&["(x1 & !x2) | (!x2 & x1)".parse().unwrap()]).unwrap();
    assert!(Schedule::new(&dag, Direction::Up, &options).unwrap().rows() > 7);
}

#[test]
fn merging_saves_as_many_rows_as_documented() {
    let paper = logicvae_logic::DatasetSpec::preset("paper-5")
        .unwrap()
        .sampler
        .check()
        .unwrap()
        .distinct(1, 640)
        .unwrap();
    let options = ScheduleOptions { by_degree: false, ..ScheduleOptions::default() };
    for (direction, least) in [(Direction::Up, 2.1), (Direction::Down, 1.35)] {
        let (mut nodes, mut rows) = (0, 0);
        for part in paper.chunks(32) {
            let dag = Vocabulary::new(5).graphs(part).unwrap();
            nodes += dag.nodes();
            rows += Schedule::new(&dag, direction, &options).unwrap().rows();
        }
        let saved = nodes as f64 / rows as f64;
        assert!(saved > least, "{direction:?}: {saved} nodes per row");
    }
}

#[test]
fn a_long_chain_and_a_wide_star_can_be_encoded() {
    const SIZE: u32 = 10_000;
    let chain =
        Dag::new((0..SIZE).map(|i| i % 3).collect(), (1..SIZE).map(|i| (i - 1, i)).collect()).unwrap();
    let star = Dag::new((0..=SIZE).map(|i| i % 3).collect(), (1..=SIZE).map(|i| (0, i)).collect()).unwrap();
    for config in [EncoderConfig::gru(3, 8), EncoderConfig::gcn(3, 8), EncoderConfig::gat(3, 8)] {
        let (encoder, parameters) = encoder(&config, DType::F32);
        for merge in [true, false] {
            let encoder = encoder.with_merging(merge);
            for dag in [&chain, &star] {
                let batch = encoder.prepare(dag).unwrap();
                let (output, gradients) = outcome(&encoder, &parameters, &batch, &probe(1, 16, DType::F32));
                assert!(
                    output.iter().chain(gradients.values().flatten()).all(|x| x.is_finite()),
                    "{:?}",
                    config.kind
                );
            }
            if merge {
                let rows: Vec<usize> =
                    encoder.prepare(&star).unwrap().schedules().map(Schedule::rows).collect();
                assert_eq!(rows, [4, 4], "the centre, and one row for each type of leaf");
            }
        }
    }
}

#[test]
fn encodings_do_not_depend_on_the_rest_of_the_batch() {
    for config in [EncoderConfig::gru(8, 6), EncoderConfig::gcn(8, 6), EncoderConfig::gat(8, 6)] {
        let (encoder, _) = encoder(&config, DType::F32);
        let together = encoder
            .forward(&encoder.prepare(&graphs(3, 20, false)).unwrap())
            .unwrap()
            .to_vec2::<f32>()
            .unwrap();
        for (formula, row) in formulae(3, 20).into_iter().zip(together) {
            let alone = encoder.prepare(&Vocabulary::new(3).graphs(&[formula]).unwrap()).unwrap();
            let alone = encoder.forward(&alone).unwrap().to_vec2::<f32>().unwrap();
            let wide = |row: &[f32]| row.iter().map(|&x| f64::from(x)).collect::<Vec<f64>>();
            assert_close("alone", &wide(&alone[0]), &wide(&row), 1e-5);
        }
    }
}

#[test]
fn invalid_graphs_are_rejected_with_a_reason() {
    let (encoder, _) = encoder(&EncoderConfig::gcn(3, 4), DType::F32);
    let expect_error = |result: Result<(), GraphError>, parts: &[&str]| {
        let message = result.unwrap_err().to_string();
        assert!(parts.iter().all(|part| message.contains(part)), "{message}");
    };
    expect_error(encoder.prepare(&Dag::default()).map(drop), &["empty", "at least one graph"]);
    let good = Dag::new(vec![0, 1], vec![(0, 1)]).unwrap();
    let ring = Dag::new(vec![0, 1, 2, 0], vec![(0, 1), (1, 2), (2, 1), (2, 3)]).unwrap();
    expect_error(
        encoder.prepare(&Dag::batch([&good, &ring]).unwrap()).map(drop),
        &["graph 1", "cycle", "node"],
    );
    let itself = Dag::new(vec![0], vec![(0, 0)]).unwrap();
    expect_error(encoder.prepare(&itself).map(drop), &["graph 0", "cycle through its node 0"]);
    let foreign = Dag::new(vec![0, 7], vec![(0, 1)]).unwrap();
    expect_error(
        encoder.prepare(&Dag::batch([&good, &foreign]).unwrap()).map(drop),
        &["node 1 of graph 1", "type 7", "3 types"],
    );
    expect_error(Dag::new(vec![0], vec![(0, 3)]).map(drop), &["edge 0", "node 3", "1 nodes"]);
    expect_error(Dag::new(vec![], vec![]).map(drop), &["no nodes"]);
    expect_error(good.clone().with_marks(vec![1]).map(drop), &["1 marks for 2 nodes"]);
    let marked = good.clone().with_marks(vec![1, 0]).unwrap();
    expect_error(encoder.prepare(&marked).map(drop), &["positional"]);
    let (positional, _) =
        self::encoder(&EncoderConfig { positional: true, ..EncoderConfig::gcn(3, 4) }, DType::F32);
    let far = good.clone().with_marks(vec![0, 2]).unwrap();
    expect_error(positional.prepare(&far).map(drop), &["node 1", "mark 2", "0 and 1"]);
    expect_error(Dag::batch([&good, &marked]).map(drop), &["2 marks for 4 nodes"]);
    expect_error(
        Vocabulary::new(2).graphs(&["x1".parse().unwrap(), "x3".parse().unwrap()]).map(drop),
        &["formula 2", "x3", "x2"],
    );
    expect_error(Vocabulary::new(2).graphs(&["1".parse().unwrap()]).map(drop), &["formula 1", "constant"]);
    for (config, part) in [
        (EncoderConfig { layers: 0, ..EncoderConfig::gcn(3, 4) }, "layers"),
        (EncoderConfig::gcn(3, 0), "hidden"),
        (EncoderConfig::gcn(0, 4), "types"),
        (EncoderConfig { heads: vec![2, 2], ..EncoderConfig::gcn(3, 4) }, "only GAT"),
        (EncoderConfig { heads: vec![3, 0, 4], ..EncoderConfig::gat(3, 4) }, "at least one head"),
        (EncoderConfig { head_dim: Some(0), ..EncoderConfig::gat(3, 4) }, "head_dim"),
    ] {
        expect_error(config.check(), &[part]);
    }
}
