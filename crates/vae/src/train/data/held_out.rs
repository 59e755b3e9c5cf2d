//! Validation and test formulae, which augmentations must never produce.

use std::collections::HashSet;
use std::sync::Arc;

use logicvae_logic::{Dataset, Formula, FormulaForm};

use crate::config::Config;

/// The validation and test sets. Training sees a formula of them only if it is a given training formula. If
/// the model cannot see the order of children, a reordered formula reveals as much as the formula itself, so
/// formulae are compared up to that order. A given training formula can still be a reordering of a held-out
/// one: `logicvae evaluate` counts these and measures the others separately.
#[derive(Clone)]
pub(super) struct HeldOut {
    formulae: Arc<HashSet<Formula>>,
    /// Whether the model sees the order of children.
    positional: bool,
    /// How the data set writes its formulae.
    form: FormulaForm,
}

impl HeldOut {
    pub fn new(config: &Config, data: &Dataset) -> Self {
        let positional = config.model.positional;
        let all = data.valid.iter().chain(&data.test).chain(&data.unseen);
        let formulae = Arc::new(all.map(|f| as_seen(f, positional)).collect());
        Self { formulae, positional, form: config.data.set.form() }
    }

    /// A new formula as the data set would write it, unless that is held out.
    pub fn admit(&self, formula: Formula) -> Option<Formula> {
        Some(self.form.apply(formula)).filter(|formula| !self.contains(formula))
    }

    pub fn contains(&self, formula: &Formula) -> bool {
        self.formulae.contains(&as_seen(formula, self.positional))
    }

    /// Whether the model sees the order of children.
    pub fn is_ordered(&self) -> bool {
        self.positional
    }
}

/// A formula as a model sees it: with sorted children, if their order is invisible to it.
fn as_seen(formula: &Formula, positional: bool) -> Formula {
    if positional { formula.clone() } else { formula.sorted() }
}
