//! How a data set writes the formulae that it draws: the names of variables and the order of children.

use serde::{Deserialize, Serialize};

use crate::formula::Formula;
use crate::node::Var;

/// The names that variables get after a formula is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum VariableNames {
    /// Those that were drawn.
    #[default]
    Drawn,
    /// Names without gaps, in the same order: `x2 & x5` becomes `x1 & x2`, and `x5 & x2` becomes `x2 & x1`.
    Compacted,
    /// In the order of first use: both become `x1 & x2`.
    FirstUse,
}

/// How a data set writes its formulae. By default, they stay as they were drawn.
///
/// ```
/// use logicvae_logic::{FormulaForm, VariableNames};
/// let form = FormulaForm { names: VariableNames::Compacted, sorted: false };
/// assert_eq!(form.apply("x5 | !x2".parse().unwrap()).to_string(), "x2 | !x1");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FormulaForm {
    /// The names of variables.
    pub names: VariableNames,
    /// Whether the children of ∧ and ∨ are sorted. That comes before renaming.
    pub sorted: bool,
}

impl FormulaForm {
    /// A formula in this form.
    pub fn apply(self, formula: Formula) -> Formula {
        let formula = if self.sorted { formula.sorted() } else { formula };
        match self.names {
            VariableNames::Drawn => formula,
            VariableNames::Compacted => formula.compact().0,
            VariableNames::FirstUse => by_first_use(&formula),
        }
    }
}

/// Renames variables in the order of their first occurrence.
fn by_first_use(formula: &Formula) -> Formula {
    let mut met: Vec<Var> = Vec::new();
    formula.rename(|v| {
        let at = met.iter().position(|&other| other == v).unwrap_or_else(|| {
            met.push(v);
            met.len() - 1
        });
        // There are no more names than variables.
        Var::new(at as u32 + 1).unwrap_or(v)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_as_described() {
        let of = |names, sorted, text: &str| {
            FormulaForm { names, sorted }.apply(text.parse().unwrap()).to_string()
        };
        assert_eq!(of(VariableNames::Drawn, false, "x5 & (x2 | x5)"), "x5 & (x2 | x5)");
        assert_eq!(of(VariableNames::Compacted, false, "x5 & (x2 | x5)"), "x2 & (x1 | x2)");
        assert_eq!(of(VariableNames::FirstUse, false, "x5 & (x2 | x5)"), "x1 & (x2 | x1)");
        for names in [VariableNames::Drawn, VariableNames::Compacted, VariableNames::FirstUse] {
            // Formulae that differ in the order of children only get one form.
            let one = of(names, true, "x5 & (x2 | !x3)");
            assert_eq!(one, of(names, true, "(!x3 | x2) & x5"));
        }
    }
}
