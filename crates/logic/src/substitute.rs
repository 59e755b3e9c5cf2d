//! Substitution and renaming of variables.

use crate::formula::Formula;
use crate::node::{VAR, Var};

impl Formula {
    /// Replaces every variable for which `replacement` returns a formula; other variables are kept. The
    /// substitution is simultaneous, so swapping `x1` and `x2` works.
    ///
    /// ```
    /// use logicvae_logic::x;
    /// let f = x(1) | x(2);
    /// assert_eq!(f.substitute(|v| (v.index() == 2).then(|| !x(1))), x(1) | !x(1));
    /// ```
    pub fn substitute(&self, mut replacement: impl FnMut(Var) -> Option<Formula>) -> Formula {
        let mut codes = Vec::with_capacity(self.size());
        for &code in self.codes() {
            let new = Var::new(code.saturating_sub(VAR)).ok().and_then(&mut replacement);
            match new {
                Some(formula) => codes.extend_from_slice(formula.codes()),
                None => codes.push(code),
            }
        }
        Formula::from_codes(codes)
    }

    /// Renames variables. Variables that receive the same name become one variable.
    ///
    /// ```
    /// use logicvae_logic::{Var, x};
    /// let shifted = (x(1) & x(2)).rename(|v| Var::new(v.index() + 10).unwrap());
    /// assert_eq!(shifted, x(11) & x(12));
    /// ```
    pub fn rename(&self, mut name: impl FnMut(Var) -> Var) -> Formula {
        let codes = self.codes().iter().map(|&code| match Var::new(code.saturating_sub(VAR)) {
            Ok(v) => VAR + name(v).index(),
            Err(_) => code,
        });
        Formula::from_codes(codes.collect::<Vec<_>>())
    }

    /// Renames the variables to `x1`, `x2`, … without gaps, preserving their order. Also returns the old
    /// names.
    pub fn compact(&self) -> (Formula, Vec<Var>) {
        let old = self.variables();
        if old.last().is_none_or(|v| v.position() + 1 == old.len()) {
            return (self.clone(), old);
        }
        let new = self.rename(|v| match old.binary_search(&v) {
            Ok(at) => Var::new(at as u32 + 1).unwrap_or(v),
            Err(_) => v,
        });
        (new, old)
    }
}
