//! Short answers: formulae that are decoded from the prior are replaced by their shortest equivalents.

use logicvae_logic::{Formula, ShortestFormulae};

use crate::config::Config;

/// The size up to which shortest formulae are tabulated. Beyond it, only subformulae are shortened.
const TABULATED: u8 = 12;

/// Shortens formulae.
pub(in crate::train) struct ShortAnswers {
    shortest: ShortestFormulae,
}

impl ShortAnswers {
    /// `None` if the settings decode formulae from the prior as they are.
    pub fn new(config: &Config) -> Option<Self> {
        let variables = config.model.variables as usize;
        let shortest = || ShortestFormulae::new(variables, TABULATED);
        config.training.short_answers.then(|| Self { shortest: shortest() })
    }

    /// Replaces the first formulae of a batch.
    pub fn apply(&self, formulae: &mut [Formula], first: usize) {
        formulae[..first].iter_mut().for_each(|formula| *formula = self.shortest.shorten(formula));
    }
}
