//! Encodings that decode to their formula: z is moved until they do.

use candle_core::{Tensor, Var};
use logicvae_logic::Formula;

use crate::decode::Decoding;
use crate::error::VaeError;
use crate::model::Model;
use crate::training::{Adam, StepSize};

/// How encodings are refined.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Refinement {
    /// At most so many steps.
    pub steps: usize,
    /// The length of a step in each direction, at most.
    pub rate: f64,
    /// Steps between two looks at what is decoded.
    pub look_every: usize,
}

impl Default for Refinement {
    fn default() -> Self {
        Self { steps: 1000, rate: 0.1, look_every: 10 }
    }
}

/// Refined encodings.
#[derive(Clone, Debug)]
pub struct Refined {
    /// `[formulae, latent]`.
    pub z: Tensor,
    /// Whether greedy decoding of each gives its formula back, as an ordered tree.
    pub exact: Vec<bool>,
    /// How many steps each took; 0 for one that decoded to its formula from the start.
    pub steps: Vec<usize>,
}

/// Formulae that are refined together.
const TOGETHER: usize = 64;

impl Model {
    /// Moves latent vectors (`[formulae, latent]`, such as posterior means) by gradient steps on log p(φ | z), each until
    /// greedy decoding gives its formula back. Those that decode rightly at once are not moved.
    pub fn refine(
        &self,
        formulae: &[Formula],
        z: &Tensor,
        context: Option<&Tensor>,
        refinement: &Refinement,
        mut progress: impl FnMut(usize),
    ) -> Result<Refined, VaeError> {
        let model = self.frozen();
        let mut rows: Vec<Tensor> =
            (0..formulae.len()).map(|i| z.narrow(0, i, 1)).collect::<Result<_, _>>()?;
        let (mut exact, mut steps) = (vec![false; formulae.len()], vec![0; formulae.len()]);
        for first in (0..formulae.len()).step_by(TOGETHER) {
            let mut waiting: Vec<usize> = (first..(first + TOGETHER).min(formulae.len())).collect();
            let mut moving: Option<(Var, Adam)> = None;
            for step in (0..=refinement.steps).step_by(refinement.look_every.max(1)) {
                if let Some((var, _)) = &moving {
                    for (at, &number) in waiting.iter().enumerate() {
                        rows[number] = var.narrow(0, at, 1)?.copy()?.detach();
                    }
                }
                let now = stack(&rows, &waiting)?;
                let decoded = model.decode(&now, pick(context, &waiting)?.as_ref(), Decoding::Greedy)?;
                let before = waiting.len();
                let mut at = 0;
                waiting.retain(|&number| {
                    at += 1;
                    exact[number] = decoded[at - 1][0].formula.as_ref() == Some(&formulae[number]);
                    steps[number] = step;
                    !exact[number]
                });
                if waiting.is_empty() || step + refinement.look_every.max(1) > refinement.steps {
                    break;
                }
                // Fewer vectors: those that are left go on from where they are, with a new optimiser.
                if moving.is_none() || waiting.len() < before {
                    let var = Var::from_tensor(&stack(&rows, &waiting)?)?;
                    let adam = Adam::new(vec![("z".into(), var.clone())])?;
                    moving = Some((var, adam));
                }
                if let Some((var, adam)) = &mut moving {
                    let wanted: Vec<Formula> =
                        waiting.iter().map(|&number| formulae[number].clone()).collect();
                    let batch = model.prepare(&wanted)?;
                    let context = pick(context, &waiting)?;
                    for _ in 0..refinement.look_every.max(1) {
                        let loss = model.negative_log_likelihood(&batch, var, context.as_ref())?.sum_all()?;
                        let size = StepSize { rate: refinement.rate, decay: 0.0, clip: f64::INFINITY };
                        adam.step(&loss.backward()?, 1.0, size)?;
                    }
                }
            }
            progress((first + TOGETHER).min(formulae.len()));
        }
        Ok(Refined { z: Tensor::cat(&rows, 0)?, exact, steps })
    }
}

/// Some rows in one tensor.
fn stack(rows: &[Tensor], which: &[usize]) -> Result<Tensor, VaeError> {
    let rows: Vec<&Tensor> = which.iter().map(|&number| &rows[number]).collect();
    Ok(Tensor::cat(&rows, 0)?.detach())
}

/// Some rows of a context.
fn pick(context: Option<&Tensor>, which: &[usize]) -> Result<Option<Tensor>, VaeError> {
    let which: Vec<u32> = which.iter().map(|&number| number as u32).collect();
    let pick = |context: &Tensor| context.index_select(&Tensor::new(which, context.device())?, 0);
    Ok(context.map(pick).transpose()?)
}
