//! Metrics agree with their definitions.

use candle_core::Device;
use logicvae_logic::Formula;
use logicvae_vae::metrics::{
    Protocol, conditional, generation, published_conditional, published_contexts, reconstruction,
};
use logicvae_vae::{Conditions, Config, Decoding, GraphState, Model, Trainer};

use crate::common::config;

fn trained_model() -> (Model, Vec<Formula>) {
    let config = Config::preset("tiny").unwrap().with(&["training.epochs=25"]).unwrap();
    let data = config.data.set.generate().unwrap();
    let mut trainer = Trainer::new(&config, &data, &Device::Cpu).unwrap();
    trainer.run(&mut ()).unwrap();
    (trainer.learner().autoencoder().unwrap().clone(), data.train)
}

#[test]
fn accuracies_are_consistent_and_seeds_are_reproducible() {
    let (model, train) = trained_model();
    let protocol = Protocol { encodings: 3, decodings: 4, ..Protocol::quick() };
    let run = |seed| reconstruction(&model, &train, &Protocol { seed, ..protocol }, |_| {}).unwrap();
    let found = run(1);
    assert!(found.ordered_accuracy <= found.accuracy && found.accuracy <= found.semantic_accuracy);
    assert!(found.semantic_accuracy <= found.valid && found.valid == 1.0, "a budget makes everything valid");
    let mean = found.by_formula.accuracy.iter().sum::<f64>() / found.by_formula.accuracy.len() as f64;
    assert!((mean - found.accuracy).abs() < 1e-12);
    assert_eq!(run(1).by_formula.accuracy, found.by_formula.accuracy);
    assert_ne!(run(2).by_formula.accuracy, found.by_formula.accuracy);
}

#[test]
fn novelty_and_uniqueness_follow_their_definitions() {
    let (model, train) = trained_model();
    let protocol = Protocol { prior_samples: 30, prior_decodings: 5, ..Protocol::paper() };
    let found = generation(&model, &train, &train, train.clone(), &protocol, |_| {}).unwrap();
    assert_eq!(found.validity, 1.0);
    assert!(found.uniqueness > 0.0 && found.uniqueness <= 1.0 && found.novelty <= 1.0);
    let all_new = generation(&model, &train, &[], Vec::new(), &protocol, |_| {}).unwrap();
    assert_eq!((all_new.novelty, all_new.uniqueness), (1.0, found.uniqueness));
    // As published, novelty counts distinct formulae: all are new if there are none to compare with.
    assert_eq!(all_new.published_novelty, all_new.uniqueness);
    assert!(found.published_novelty < found.uniqueness, "some training formulae are generated");
    // As if the model had been trained on what it generates.
    let codes = model.sample_prior(Conditions::none(200), 0).unwrap();
    let all = model.decode(&codes, Decoding::Beam { width: 50 }).unwrap();
    let generated: Vec<Formula> = all.into_iter().flatten().filter_map(|d| d.formula).collect();
    let nothing_new =
        generation(&model, &train, &train, generated.clone().into_iter().chain(generated), &protocol, |_| {})
            .unwrap();
    assert!(nothing_new.novelty < 0.2 && nothing_new.novelty < all_new.novelty, "{nothing_new:?}");
}

#[test]
fn published_measures_follow_their_definitions() {
    let mut config = config(GraphState::Recurrent, true);
    let context = config.context.as_mut().unwrap();
    (context.pool, context.gaussian, context.projected_gaussian) = (200, Some(0.2), Some(0.44));
    let model = Model::new(&config).unwrap();
    let contexts = published_contexts(3, 300).unwrap();
    assert!(contexts.iter().all(|f| f.variables().last().is_none_or(|v| v.index() <= 3)));
    let mut sizes: Vec<usize> = contexts.iter().map(Formula::size).collect();
    sizes.sort_unstable();
    assert!((4..=7).contains(&sizes[150]) && sizes[299] > 25, "no limit on sizes: {sizes:?}");
    let protocol = Protocol { contexts: 4, context_samples: 6, ..Protocol::quick() };
    let mut done = Vec::new();
    let found = published_conditional(&model, &contexts, &protocol, |count| done.push(count)).unwrap();
    assert_eq!(done, [1, 2, 3, 4]);
    assert!(found.distance > 0.0 && found.meanings <= 4 && found.distances.len() == 4);
    // Each of the six formulae is compared with itself, too.
    assert!(found.kernels.iter().all(|&kernel| (1.0 / 6.0..=1.0).contains(&kernel)), "{:?}", found.kernels);
    let mean = found.kernels.iter().sum::<f64>() / 4.0;
    assert!((mean - found.kernel).abs() < 1e-12);

    // Without noise, an encoding is the mean, so the likelihood does not depend on the seed.
    let data = config.data.set.generate().unwrap();
    let nll = |posterior_noise, seed| {
        let protocol = Protocol { posterior_noise, seed, ..protocol };
        reconstruction(&model, &data.test[..5], &protocol, |_| {}).unwrap().nll
    };
    assert_eq!(nll(Some(0.0), 1), nll(Some(0.0), 2));
    assert_ne!(nll(Some(1.0), 1), nll(Some(1.0), 2));
}

#[test]
fn progress_is_reported_while_the_work_is_done() {
    let mut config = config(GraphState::Recurrent, true);
    config.context.as_mut().unwrap().pool = 200;
    config.model.candidates = 3;
    let data = config.data.set.generate().unwrap();
    let model = Model::new(&config).unwrap();
    let protocol = Protocol { prior_samples: 40, contexts: 4, context_samples: 5, ..Protocol::quick() };
    let test = &data.test[..10];
    let mut seen = Vec::new();
    generation(&model, test, &[], Vec::new(), &protocol, |done| seen.push(done)).unwrap();
    assert_eq!(seen, (1..=40).collect::<Vec<usize>>(), "every prior sample");
    seen.clear();
    conditional(&model, test, &protocol, |done| seen.push(done)).unwrap();
    assert_eq!(seen, [1, 2, 3, 4], "every condition");
    seen.clear();
    reconstruction(&model, test, &protocol, |done| seen.push(done)).unwrap();
    assert_eq!(seen, [3, 6, 10], "two encodings of ten formulae, and their comparison");
}

#[test]
fn the_closest_of_several_candidates_is_kept() {
    let mut config = config(GraphState::Recurrent, true);
    config.context.as_mut().unwrap().pool = 200;
    let data = config.data.set.generate().unwrap();
    let protocol = Protocol { contexts: 5, context_samples: 10, ..Protocol::quick() };
    let semantic_distance = |candidates: usize| {
        let mut config = config.clone();
        config.model.candidates = candidates;
        let model = Model::new(&config).unwrap();
        let conditions = model.conditions_of(&data.test[..4]).unwrap();
        let codes = model.sample_prior(conditions, 1).unwrap();
        let decoded = model.decode(&codes, Decoding::samples(7, 3)).unwrap();
        assert!(decoded.iter().all(|list| list.iter().map(|d| d.count).sum::<usize>() == 7));
        assert!(decoded.iter().all(|list| list.is_sorted_by_key(|d| std::cmp::Reverse(d.count))));
        conditional(&model, &data.test, &protocol, |_| {}).unwrap().semantic_distance
    };
    // The model is untrained, so any difference is due to the selection.
    let (one, ten) = (semantic_distance(1), semantic_distance(10));
    assert!(ten < 0.7 * one, "{ten} with ten candidates, {one} with one");
}

#[test]
fn conditional_metrics_are_within_their_ranges() {
    let mut config = config(GraphState::Recurrent, true);
    config.context.as_mut().unwrap().pool = 200;
    config.context.as_mut().unwrap().gaussian = Some(0.44);
    config.training.epochs = 2;
    let data = config.data.set.generate().unwrap();
    let mut trainer = Trainer::new(&config, &data, &Device::Cpu).unwrap();
    trainer.run(&mut ()).unwrap();
    let protocol = Protocol { contexts: 3, context_samples: 8, context_decodings: 2, ..Protocol::quick() };
    let found = conditional(trainer.learner().autoencoder().unwrap(), &data.test, &protocol, |_| {}).unwrap();
    assert_eq!((found.distances.len(), found.kernels.len()), (3, 3));
    assert!(found.semantic_distance > 0.0 && found.kernel.abs() <= 1.0);
    assert!(found.gaussian_kernel > 0.0 && found.gaussian_kernel <= 1.0);
    assert!(found.target_kernel.abs() <= 1.0 && found.target_equivalent <= 1.0);
    let [low, middle, high] = found.kernel_quartiles;
    assert!(low <= middle && middle <= high);
    assert!(
        generation(
            trainer.learner().autoencoder().unwrap(),
            &data.test,
            &data.train,
            data.train.clone(),
            &protocol,
            |_| {}
        )
        .is_ok()
    );
}
