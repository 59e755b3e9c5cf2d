//! The sampler's distribution, limits and reproducibility, and the statistics of the data sets.

use std::collections::{BTreeMap, HashSet};

use logicvae_logic::{
    DatasetSpec, Formula, Node, OperatorWeights, SampleError, SamplerParams, Stats, Var, VariableNames,
};

/// All formulae that Algorithm 1 can generate within the limits, with their unconditioned probabilities.
fn enumerate(params: &SamplerParams) -> BTreeMap<String, f64> {
    let weights = params.operators.unwrap_or(OperatorWeights { and: 1.0, or: 1.0, not: 1.0 });
    let sum = weights.and + weights.or + weights.not;
    let operators =
        [(Node::Not, weights.not / sum), (Node::And, weights.and / sum), (Node::Or, weights.or / sum)];
    let leaf = params.p_leaf / f64::from(params.variables);
    let mut found = BTreeMap::new();
    let mut todo: Vec<(Vec<Node>, usize, f64)> =
        operators.map(|(n, chance)| (vec![n], n.arity(), chance)).to_vec();
    while let Some((nodes, open, p)) = todo.pop() {
        if open == 0 {
            let f = Formula::from_preorder(nodes).expect("complete");
            let all = !params.all_variables || f.variables().len() == params.variables as usize;
            if all && params.max_depth.is_none_or(|d| f.depth() <= d) {
                found.insert(f.to_string(), p);
            }
            continue;
        }
        if nodes.len() + open > params.max_nodes {
            continue;
        }
        let leaves = (1..=params.variables).map(|i| (Node::Var(Var::new(i).expect("small")), leaf));
        let inner = operators.map(|(n, chance)| (n, chance * (1.0 - params.p_leaf)));
        for (node, chance) in leaves.chain(inner) {
            todo.push(([&nodes[..], &[node]].concat(), open - 1 + node.arity(), p * chance));
        }
    }
    let total: f64 = found.values().sum();
    found.values_mut().for_each(|p| *p /= total);
    found
}

/// A chi-square test over all formulae: samples must follow Algorithm 1 conditioned on the limits.
fn follows_algorithm_1(params: SamplerParams) {
    let expected = enumerate(&params);
    let sampler = params.check().expect("valid settings");
    let draws = 200_000;
    let mut counts: BTreeMap<String, f64> = BTreeMap::new();
    for i in 0..draws {
        *counts.entry(sampler.sample(11, i).expect("one").to_string()).or_default() += 1.0;
    }
    assert!(counts.keys().all(|f| expected.contains_key(f)), "a formula outside the limits");
    // Rare formulae are pooled into one class, so that every class has an expected count of at least ten.
    let (mut chi2, mut classes, mut rare) = (0.0, 0.0, (0.0, 0.0));
    for (f, p) in &expected {
        let (e, o) = (p * draws as f64, counts.get(f).copied().unwrap_or(0.0));
        if e < 10.0 {
            rare = (rare.0 + e, rare.1 + o);
        } else {
            chi2 += (o - e) * (o - e) / e;
            classes += 1.0;
        }
    }
    if rare.0 > 0.0 {
        chi2 += (rare.1 - rare.0) * (rare.1 - rare.0) / rare.0;
        classes += 1.0;
    }
    let freedom: f64 = classes - 1.0;
    let limit = freedom + 4.0 * (2.0 * freedom).sqrt(); // four standard deviations
    assert!(freedom > 20.0 && chi2 < limit, "chi-square {chi2} of {freedom} degrees of freedom: {params:?}");
}

#[test]
fn draws_follow_algorithm_1_within_the_limits() {
    let base = SamplerParams { max_nodes: 6, ..SamplerParams::new(2) };
    follows_algorithm_1(base);
    follows_algorithm_1(SamplerParams { all_variables: true, ..base });
    follows_algorithm_1(SamplerParams { max_depth: Some(2), ..base });
    follows_algorithm_1(SamplerParams {
        variables: 3,
        p_leaf: 0.7,
        max_nodes: 7,
        all_variables: true,
        max_depth: Some(3),
        operators: None,
    });
    let operators = Some(OperatorWeights { and: 0.5, or: 0.1, not: 0.4 });
    follows_algorithm_1(SamplerParams { operators, p_leaf: 0.5, ..base });
}

#[test]
fn without_a_table_the_limits_hold_too() {
    // There are too many states for a table of probabilities, so the sampler uses rejection.
    let params = SamplerParams { max_nodes: 3000, all_variables: true, ..SamplerParams::new(3) };
    let sampler = params.check().expect("valid settings");
    let formulae = sampler.distinct(5, 2000).expect("enough formulae");
    assert!(formulae.iter().all(|f| f.size() <= 3000 && f.variables().len() == 3));
    assert!(formulae.iter().any(|f| f.size() > 100));
}

#[test]
fn limits_hold() {
    let params =
        SamplerParams { max_nodes: 25, max_depth: Some(6), all_variables: true, ..SamplerParams::new(6) };
    for f in params.check().expect("valid settings").distinct(0, 3000).expect("enough formulae") {
        assert!(f.size() <= 25 && f.depth() <= 6 && f.variables().len() == 6, "{f}");
    }
}

#[test]
fn any_number_of_threads_gives_the_same_formulae() {
    let sampler = SamplerParams::new(5).check().expect("valid settings");
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| sampler.distinct(42, 20_000).expect("enough formulae"))
    };
    let one = run(1);
    assert_eq!(one, run(4));
    assert_eq!(one.iter().collect::<HashSet<_>>().len(), one.len());
    assert_eq!(one[..100], sampler.distinct(42, 100).expect("few variables")[..]);
    assert_ne!(one[..100], sampler.distinct(43, 100).expect("few variables")[..]);
}

#[test]
fn presets_have_the_papers_sizes_and_disjoint_splits() {
    let presets = ["paper-3", "paper-4", "paper-5", "paper-10"];
    for (name, nodes) in presets.into_iter().zip([Some(10.2955), Some(13.6632), Some(17.7475), None]) {
        let spec = DatasetSpec::preset(name).expect("known");
        let data = spec.generate().expect("possible");
        assert_eq!((data.train.len(), data.valid.len(), data.test.len()), (4000, 500, 300));
        let all: HashSet<&Formula> = data.train.iter().chain(&data.valid).chain(&data.test).collect();
        assert_eq!(all.len(), spec.len(), "{name}: splits share a formula");
        let stats: Stats = data.train.iter().collect();
        assert_eq!(stats.variables.min, spec.sampler.variables as usize);
        assert!(stats.nodes.max <= spec.sampler.max_nodes);
        if let Some(paper) = nodes {
            assert!(
                (stats.nodes.mean - paper).abs() < 0.3,
                "{name}: {} nodes, the paper has {paper}",
                stats.nodes.mean
            );
        }
    }
    assert!(DatasetSpec::preset("paper-6").is_none());
}

/// What was measured on data that the authors' procedure draws: the mean size, and the share of test formulae
/// that are training formulae up to the order of children.
const PUBLISHED: [(&str, f64, f64); 3] =
    [("published-3", 11.2, 0.65), ("published-4", 10.8, 0.68), ("published-5", 10.4, 0.65)];

#[test]
fn published_presets_repeat_training_formulae_and_have_unseen_ones() {
    for (name, nodes, overlap) in PUBLISHED {
        let spec = DatasetSpec::preset(name).expect("known");
        let data = spec.generate().expect("possible");
        let sizes = [data.train.len(), data.valid.len(), data.test.len(), data.unseen.len()];
        assert_eq!(sizes, [4000, 500, 300, 300]);
        let stats: Stats = data.train.iter().collect();
        assert!((stats.nodes.mean - nodes).abs() < 0.3, "{name}: {} nodes", stats.nodes.mean);
        let trained: HashSet<Formula> = data.train.iter().map(Formula::sorted).collect();
        let known = |set: &[Formula]| set.iter().filter(|f| trained.contains(&f.sorted())).count() as f64;
        let share = known(&data.test) / 300.0;
        assert!((share - overlap).abs() < 0.08, "{name}: {share} of the test formulae are known");
        assert_eq!(known(&data.unseen), 0.0, "{name}");
        let distinct: HashSet<Formula> = data.unseen.iter().map(Formula::sorted).collect();
        assert_eq!(distinct.len(), 300, "{name}");
        let compacted =
            |f: &Formula| f.variables().last().is_none_or(|v| v.index() as usize == f.variables().len());
        assert!(data.train.iter().chain(&data.test).chain(&data.unseen).all(compacted), "{name}");
    }
}

#[test]
fn a_fixed_child_order_and_names_by_first_use_are_options() {
    let published = DatasetSpec::preset("published-4").expect("known");
    let data = DatasetSpec { sorted: true, names: VariableNames::FirstUse, ..published }
        .generate()
        .expect("possible");
    for formula in data.train.iter().chain(&data.test) {
        let mut met = Vec::new();
        for node in formula.preorder() {
            if let Node::Var(v) = node
                && !met.contains(&v)
            {
                met.push(v);
                assert_eq!(v.index() as usize, met.len(), "{formula}");
            }
        }
    }
    // Fewer distinct formulae are left, so more of the test formulae are known.
    let kinds = |set: &[Formula]| set.iter().collect::<HashSet<_>>().len();
    assert!(kinds(&data.train) < kinds(&published.generate().expect("possible").train));
}

#[test]
fn settings_that_admit_no_formula_are_refused() {
    let base = SamplerParams::new(5);
    for p_leaf in [1.5, 0.0, 1.0, -0.1, f64::NAN, f64::INFINITY] {
        assert!(
            matches!(SamplerParams { p_leaf, ..base }.check().err(), Some(SampleError::LeafProbability(_))),
            "{p_leaf}"
        );
    }
    assert_eq!(SamplerParams::new(0).check().err(), Some(SampleError::Variables(0)));
    for not in [0.0, -1.0, f64::NAN] {
        let operators = Some(OperatorWeights { and: 0.5, or: 0.5, not });
        let error = SamplerParams { operators, ..base }.check().err();
        assert!(matches!(error, Some(SampleError::Operators(_))), "{not}");
    }
    let small = SamplerParams { max_nodes: 8, all_variables: true, ..base };
    assert_eq!(
        small.check().err(),
        Some(SampleError::Nodes { max_nodes: 8, needed: 9, all_variables: true })
    );
    assert!(SamplerParams { max_nodes: 9, ..small }.check().expect("just fits").sample(0, 0).is_ok());
    let flat = SamplerParams { max_depth: Some(2), all_variables: true, ..base };
    assert_eq!(flat.check().err(), Some(SampleError::Depth { max_depth: 2, needed: 3, all_variables: true }));
    assert!(SamplerParams { max_depth: Some(0), ..base }.check().is_err());
    assert!(SamplerParams { max_nodes: 1, ..base }.check().is_err());
}

#[test]
fn a_space_that_runs_dry_is_an_error_not_a_hang() {
    let sampler = SamplerParams { max_nodes: 2, ..SamplerParams::new(2) }.check().expect("valid settings");
    assert_eq!(sampler.distinct(0, 2).expect("!x1 and !x2").len(), 2);
    assert!(matches!(sampler.distinct(0, 3), Err(SampleError::TooFewDistinct { found: 2, wanted: 3, .. })));
}
