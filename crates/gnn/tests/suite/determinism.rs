//! Results have the same bits for any number of threads and in every run.

use candle_core::DType;
use logicvae_compute::Parameters;
use logicvae_gnn::{Encoder, EncoderConfig};

use crate::common::{encoder, graphs, outcome, probe};

fn bits(encoder: &Encoder, parameters: &Parameters, threads: usize) -> Vec<u64> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let batch = encoder.prepare(&graphs(5, 64, false)).unwrap();
        let (output, gradients) =
            outcome(encoder, parameters, &batch, &probe(64, encoder.config().output(), DType::F32));
        output.iter().chain(gradients.values().flatten()).map(|x| x.to_bits()).collect()
    })
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    // As wide as in the paper, so that products are large enough to be split between threads.
    for config in [
        EncoderConfig::gru(10, 250),
        EncoderConfig::gcn(10, 250),
        EncoderConfig { head_dim: Some(84), ..EncoderConfig::gat(10, 250) },
    ] {
        let (encoder, parameters) = encoder(&config, DType::F32);
        let single = bits(&encoder, &parameters, 1);
        for _ in 0..3 {
            assert!(single == bits(&encoder, &parameters, 2), "{:?} with two threads", config.kind);
        }
        assert!(single == bits(&encoder, &parameters, 5), "{:?} with five threads", config.kind);
    }
}
