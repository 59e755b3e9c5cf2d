//! Measures against their definitions.

use candle_core::{DType, Device};
use logicvae_logic::Formula;
use logicvae_vae::measures::{Protocol, conditional, generation, reconstruction};
use logicvae_vae::{Config, Decoding, GraphState, Model, Trainer, context_of, fit_context};

use crate::common::config;

fn trained() -> (Model, Vec<Formula>) {
    let config = Config::preset("tiny").unwrap().with(&["training.epochs=25"]).unwrap();
    let data = config.data.set.generate().unwrap();
    let mut trainer = Trainer::new(&config, &data, None, &Device::Cpu).unwrap();
    trainer.run(&mut ()).unwrap();
    (trainer.learner().model().unwrap().clone(), data.train)
}

#[test]
fn shares_are_consistent_and_seeds_repeat() {
    let (model, train) = trained();
    let protocol = Protocol { encodings: 3, decodings: 4, ..Protocol::quick() };
    let run = |seed| reconstruction(&model, &train, None, &Protocol { seed, ..protocol }, |_| {}).unwrap();
    let found = run(1);
    assert!(found.ordered_accuracy <= found.accuracy && found.accuracy <= found.semantic_accuracy);
    assert!(found.semantic_accuracy <= found.valid && found.valid == 1.0, "a budget makes everything valid");
    let mean = found.by_formula.accuracy.iter().sum::<f64>() / found.by_formula.accuracy.len() as f64;
    assert!((mean - found.accuracy).abs() < 1e-12);
    assert_eq!(run(1).by_formula.accuracy, found.by_formula.accuracy);
    assert_ne!(run(2).by_formula.accuracy, found.by_formula.accuracy);
}

#[test]
fn novelty_and_uniqueness_count_what_they_say() {
    let (model, train) = trained();
    let protocol = Protocol { prior_samples: 30, prior_decodings: 5, ..Protocol::paper() };
    let found = generation(&model, &train, train.clone(), None, &protocol, |_| {}).unwrap();
    assert_eq!(found.validity, 1.0);
    assert!(found.uniqueness > 0.0 && found.uniqueness <= 1.0 && found.novelty <= 1.0);
    let all_new = generation(&model, &train, Vec::new(), None, &protocol, |_| {}).unwrap();
    assert_eq!((all_new.novelty, all_new.uniqueness), (1.0, found.uniqueness));
    // Trained on whatever it says.
    let z = model.draw(200, None, 0).unwrap();
    let all = model.decode(&z, None, Decoding::Beam { width: 50 }).unwrap();
    let said: Vec<Formula> = all.into_iter().flatten().filter_map(|d| d.formula).collect();
    let nothing_new =
        generation(&model, &train, said.clone().into_iter().chain(said), None, &protocol, |_| {}).unwrap();
    assert!(nothing_new.novelty < 0.2 && nothing_new.novelty < all_new.novelty, "{nothing_new:?}");
}

#[test]
fn of_many_candidates_the_nearest_is_kept() {
    let mut config = config(GraphState::Recurrent, true);
    config.context.as_mut().unwrap().pool = 200;
    let embedding = fit_context(&config).unwrap().unwrap();
    let data = config.data.set.generate().unwrap();
    let protocol = Protocol { contexts: 5, context_samples: 10, ..Protocol::quick() };
    let measured = |candidates: usize| {
        let mut config = config.clone();
        config.model.candidates = candidates;
        let model = Model::new(&config).unwrap();
        let z = model
            .draw(4, Some(&context_of(&embedding, &data.test[..4], DType::F32, &Device::Cpu).unwrap()), 1)
            .unwrap();
        let y = context_of(&embedding, &data.test[..4], DType::F32, &Device::Cpu).unwrap();
        let decoded = model.decode_guided(&z, Some((&y, &embedding)), Decoding::samples(7, 3)).unwrap();
        assert!(decoded.iter().all(|list| list.iter().map(|d| d.count).sum::<usize>() == 7));
        assert!(decoded.iter().all(|list| list.is_sorted_by_key(|d| std::cmp::Reverse(d.count))));
        conditional(&model, &data.test, &embedding, &protocol, |_| {}).unwrap().semantic_distance
    };
    // The model has learned nothing, so that all depends on the choice.
    let (one, ten) = (measured(1), measured(10));
    assert!(ten < 0.7 * one, "{ten} with ten candidates, {one} with one");
}

#[test]
fn a_conditional_model_is_measured_against_what_it_was_asked_for() {
    let mut config = config(GraphState::Recurrent, true);
    config.context.as_mut().unwrap().pool = 200;
    config.context.as_mut().unwrap().gaussian = Some(0.44);
    config.training.epochs = 2;
    let embedding = fit_context(&config).unwrap().unwrap();
    let data = config.data.set.generate().unwrap();
    let mut trainer = Trainer::new(&config, &data, Some(embedding.clone()), &Device::Cpu).unwrap();
    trainer.run(&mut ()).unwrap();
    let protocol = Protocol { contexts: 3, context_samples: 8, context_decodings: 2, ..Protocol::quick() };
    let found =
        conditional(trainer.learner().model().unwrap(), &data.test, &embedding, &protocol, |_| {}).unwrap();
    assert_eq!((found.distances.len(), found.kernels.len()), (3, 3));
    assert!(found.semantic_distance > 0.0 && found.kernel.abs() <= 1.0);
    assert!(found.gaussian_kernel > 0.0 && found.gaussian_kernel <= 1.0);
    assert!(found.target_kernel.abs() <= 1.0 && found.target_equivalent <= 1.0);
    let [low, middle, high] = found.kernel_quartiles;
    assert!(low <= middle && middle <= high);
    assert!(
        generation(
            trainer.learner().model().unwrap(),
            &data.test,
            data.train.clone(),
            Some(&embedding),
            &protocol,
            |_| {}
        )
        .is_ok()
    );
}
