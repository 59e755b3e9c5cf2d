//! Refinement: moves latent vectors until they decode to their formulae.

use candle_core::{Tensor, Var};
use logicvae_compute::{Adam, StepSize};
use logicvae_logic::Formula;

use super::{Codes, Model};
use crate::decoder::generate::{Decoded, Decoding};
use crate::error::VaeError;

/// Settings of a refinement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Refinement {
    /// The maximum number of gradient steps.
    pub steps: usize,
    /// The learning rate.
    pub rate: f64,
    /// The number of steps between two decodings.
    pub decode_every: usize,
}

impl Default for Refinement {
    fn default() -> Self {
        Self { steps: 1000, rate: 0.1, decode_every: 10 }
    }
}

/// Refined latent vectors.
#[derive(Clone, Debug)]
pub struct Refined {
    /// The vectors with their conditions.
    pub codes: Codes,
    /// For each formula, whether greedy decoding reconstructs it exactly, as an ordered tree.
    pub exact: Vec<bool>,
    /// The number of steps that each formula took; 0 if it was reconstructed from the start.
    pub steps: Vec<usize>,
}

/// The number of formulae that are refined together.
const TOGETHER: usize = 64;

impl Model {
    /// Moves latent vectors, such as those of [`Model::encode`], by gradient steps on log p(φ | z) until
    /// greedy decoding reconstructs their formulae. Vectors that already decode correctly do not move.
    /// `progress` receives the number of formulae done.
    pub fn refine(
        &self,
        formulae: &[Formula],
        codes: &Codes,
        refinement: &Refinement,
        mut progress: impl FnMut(usize),
    ) -> Result<Refined, VaeError> {
        let model = self.frozen();
        let decode_every = refinement.decode_every.max(1);
        let mut rows: Vec<Tensor> =
            (0..formulae.len()).map(|i| codes.z.narrow(0, i, 1)).collect::<Result<_, _>>()?;
        let decoded = model.decode(codes, Decoding::Greedy)?;
        let is_exact = |(list, formula): (&Vec<Decoded>, &Formula)| list[0].formula.as_ref() == Some(formula);
        let mut exact: Vec<bool> = decoded.iter().zip(formulae).map(is_exact).collect();
        let mut steps = vec![0; formulae.len()];
        let inexact: Vec<usize> = (0..formulae.len()).filter(|&number| !exact[number]).collect();
        let mut done = formulae.len() - inexact.len();
        progress(done);
        for group in inexact.chunks(TOGETHER) {
            let mut waiting: Vec<usize> = group.to_vec();
            let mut moving: Option<(Var, Adam)> = None;
            for step in (0..=refinement.steps).step_by(decode_every) {
                if let Some((var, _)) = &moving {
                    for (at, &number) in waiting.iter().enumerate() {
                        rows[number] = var.narrow(0, at, 1)?.copy()?.detach();
                    }
                }
                let now =
                    Codes { z: stack(&rows, &waiting)?, conditions: codes.conditions.select(&waiting)? };
                let decoded = model.decode(&now, Decoding::Greedy)?;
                let before = waiting.len();
                let mut at = 0;
                waiting.retain(|&number| {
                    at += 1;
                    exact[number] = decoded[at - 1][0].formula.as_ref() == Some(&formulae[number]);
                    steps[number] = step;
                    !exact[number]
                });
                if waiting.is_empty() || step + decode_every > refinement.steps {
                    break;
                }
                // When vectors drop out, the others continue from where they are, with a new optimiser.
                if moving.is_none() || waiting.len() < before {
                    let var = Var::from_tensor(&stack(&rows, &waiting)?)?;
                    let adam = Adam::new(vec![("z".into(), var.clone())])?;
                    moving = Some((var, adam));
                }
                if let Some((var, adam)) = &mut moving {
                    let remaining: Vec<Formula> =
                        waiting.iter().map(|&number| formulae[number].clone()).collect();
                    let batch = model.prepare_with(&remaining, codes.conditions.select(&waiting)?)?;
                    for _ in 0..decode_every {
                        let loss = model.negative_log_likelihood(&batch, var)?.sum_all()?;
                        let size =
                            StepSize { rate: refinement.rate, decay: 0.0, l2: 0.0, clip: f64::INFINITY };
                        adam.step(&loss.backward()?, 1.0, size)?;
                    }
                }
            }
            done += group.len();
            progress(done);
        }
        let codes = Codes { z: Tensor::cat(&rows, 0)?, conditions: codes.conditions.clone() };
        Ok(Refined { codes, exact, steps })
    }
}

/// Some rows in one tensor.
fn stack(rows: &[Tensor], which: &[usize]) -> Result<Tensor, VaeError> {
    let rows: Vec<&Tensor> = which.iter().map(|&number| &rows[number]).collect();
    Ok(Tensor::cat(&rows, 0)?.detach())
}
