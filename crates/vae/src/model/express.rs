//! From a meaning alone to formulae that have it.

use logicvae_logic::Formula;
use rayon::prelude::*;

use super::{Codes, Model};
use crate::decoder::Goal;
use crate::decoder::generate::{Decoded, Decoding};
use crate::error::VaeError;
use crate::semantics::Conditions;

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
    /// Formulae with the requested meanings: for each condition at most `count` formulae. Those that have the
    /// whole meaning come first, from the shortest to the longest, then the others by agreement.
    ///
    /// The mean of the prior is decoded by beam search. The model needs a semantic embedding from which truth
    /// tables can be read (the setting `goal_conditioned`).
    pub fn express(&self, conditions: &Conditions, count: usize) -> Result<Vec<Vec<Expressed>>, VaeError> {
        let goals = self.goals(conditions)?;
        if goals.len() != conditions.rows() {
            let message = "this model cannot read truth tables from meanings: use one with goal_conditioned";
            return Err(VaeError::Input(message.into()));
        }
        let z = self.prior(conditions)?.mean.detach();
        let codes = Codes { z, conditions: conditions.clone() };
        let decoded = self.decode(&codes, Decoding::Beam { width: count })?;
        let rows = decoded.into_par_iter().zip(&goals).map(|(list, goal)| ranked(list, goal));
        Ok(rows.collect())
    }

    /// The agreement of decodings with the meaning of their row, as in [`Expressed::agreement`]; `None` if the
    /// model cannot tell, or the decoding is not a formula.
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

fn ranked(list: Vec<Decoded>, goal: &Goal) -> Vec<Expressed> {
    let mut found: Vec<Expressed> = list
        .into_iter()
        .filter_map(|Decoded { formula, log_probability, .. }| {
            let formula = formula?;
            let agreement = goal.agreement(&formula);
            Some(Expressed { formula, log_probability, agreement })
        })
        .collect();
    let order = |e: &Expressed| (e.agreement < 1.0, e.formula.size());
    found.sort_by(|a, b| {
        let by_agreement = b.agreement.total_cmp(&a.agreement);
        by_agreement.then(order(a).cmp(&order(b))).then(b.log_probability.total_cmp(&a.log_probability))
    });
    found
}
