//! From a meaning alone to formulae that have it.

use std::sync::OnceLock;

use candle_core::Tensor;
use logicvae_logic::{Formula, ShortestFormulae};
use rayon::prelude::*;

use super::{Codes, Model};
use crate::decoder::Goal;
use crate::decoder::generate::{Decoded, Decoding};
use crate::error::VaeError;
use crate::semantics::{Condition, Conditions};

/// The size up to which the shortest formula of observations is known.
const TABULATED: u8 = 11;
/// The number of variables up to which it is known.
const MAX_VARIABLES: usize = 6;

/// A formula that was found for a meaning.
#[derive(Clone, Debug, PartialEq)]
pub struct Expressed {
    /// The formula.
    pub formula: Formula,
    /// log p(φ | z, y) at the mean of the prior.
    pub log_probability: f64,
    /// The share of the assignments where a value was asked for at which the formula has it.
    pub agreement: f64,
}

impl Model {
    /// Whether meanings determine truth tables, so that [`Model::express`] is exact about them: the semantic
    /// embedding is isometric, and the decoder reads goals.
    pub fn reads_meanings(&self) -> bool {
        self.semantics.as_ref().is_some_and(|semantics| semantics.isometric && semantics.probe.is_some())
    }

    /// Formulae with the requested meanings: for each condition at most `count` formulae. Those that have the
    /// whole meaning come first, from the shortest to the longest, then the others by agreement. Where a
    /// condition leaves values open, they are chosen so that a short formula exists.
    ///
    /// The mean of the prior is decoded by beam search. The model needs a semantic embedding from which truth
    /// tables can be read (the setting `goal_conditioned`).
    pub fn express(&self, conditions: &Conditions, count: usize) -> Result<Vec<Vec<Expressed>>, VaeError> {
        self.express_by(conditions, Decoding::Beam { width: count })
    }

    /// The same with another way of decoding the mean of the prior, such as samples.
    pub fn express_by(
        &self,
        conditions: &Conditions,
        decoding: Decoding,
    ) -> Result<Vec<Vec<Expressed>>, VaeError> {
        let goals = self.goals(conditions)?;
        let conditions = &self.completed(conditions, &goals)?;
        if goals.len() != conditions.rows() {
            let message = "this model cannot read truth tables from meanings: use one with goal_conditioned";
            return Err(VaeError::Input(message.into()));
        }
        let z = self.prior(conditions)?.mean.detach();
        let codes = Codes { z, conditions: conditions.clone() };
        let decoded = self.decode(&codes, decoding)?;
        let rows = decoded.into_par_iter().zip(&goals).map(|(list, goal)| ranked(list, goal));
        Ok(rows.collect())
    }

    /// The same conditions, where meanings with free values are replaced by the meaning of the shortest
    /// formula that has all required ones, if that is in the table. The decoder has seen complete meanings
    /// only.
    fn completed(&self, conditions: &Conditions, goals: &[Goal]) -> Result<Conditions, VaeError> {
        let variables = self.config.variables;
        let partial: Vec<usize> =
            (0..goals.len()).filter(|&row| !goals[row].is_complete(variables)).collect();
        let Some(vectors) = conditions.vectors().filter(|_| !partial.is_empty() && self.reads_meanings())
        else {
            return Ok(conditions.clone());
        };
        let functions = short_functions(variables as usize);
        let mut rows: Vec<Tensor> =
            (0..conditions.rows()).map(|row| vectors.narrow(0, row, 1)).collect::<Result<_, _>>()?;
        for row in partial {
            let goal = goals[row];
            let meets = |&&(table, _): &&(u64, usize)| goal.one & !table == 0 && goal.zero & table == 0;
            if let Some((table, _)) = functions.iter().find(meets) {
                let values = (0..1 << variables).map(|bit| table >> bit & 1 == 1).collect();
                let complete = self.conditions(&[Condition::Table(values)])?;
                rows[row] = complete.vectors().cloned().unwrap_or_else(|| rows[row].clone());
            }
        }
        Conditions::from_vectors(Tensor::cat(&rows, 0)?)
    }

    /// The agreement of decodings with the meaning of their row, as in [`Expressed::agreement`]; `None` if
    /// the model cannot tell, or the decoding is not a formula.
    pub fn agreements(
        &self,
        decoded: &[Vec<Decoded>],
        conditions: &Conditions,
    ) -> Result<Vec<Vec<Option<f64>>>, VaeError> {
        let goals = self.goals(conditions)?;
        let of_row = |row: usize, list: &Vec<Decoded>| {
            let one = |d: &Decoded| Some(goals.get(row)?.agreement(d.formula.as_ref()?));
            list.iter().map(one).collect()
        };
        Ok(decoded.iter().enumerate().map(|(row, list)| of_row(row, list)).collect())
    }
}

/// The truth tables of short formulae with their sizes, the shortest first. They are computed once.
fn short_functions(variables: usize) -> &'static [(u64, usize)] {
    static TABLES: [OnceLock<Vec<(u64, usize)>>; MAX_VARIABLES + 1] =
        [const { OnceLock::new() }; MAX_VARIABLES + 1];
    let variables = variables.min(MAX_VARIABLES);
    TABLES[variables].get_or_init(|| {
        let mut functions = ShortestFormulae::new(variables, TABULATED).functions();
        functions.sort_by_key(|&(table, size)| (size, table));
        functions
    })
}

fn ranked(list: Vec<Decoded>, goal: &Goal) -> Vec<Expressed> {
    let mut found: Vec<Expressed> = list
        .into_iter()
        .filter_map(|Decoded { formula, log_probability, .. }| {
            let formula = formula?;
            let agreement = goal.agreement(&formula);
            Some(Expressed { formula, log_probability, agreement })
        })
        .collect();
    found.sort_by(|a, b| {
        let by_agreement = b.agreement.total_cmp(&a.agreement);
        let by_size = a.formula.size().cmp(&b.formula.size());
        by_agreement.then(by_size).then(b.log_probability.total_cmp(&a.log_probability))
    });
    found
}
