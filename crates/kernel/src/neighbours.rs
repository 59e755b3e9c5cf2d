//! Nearest-neighbour search by meaning.

use logicvae_logic::{BitMatrix, Formula};
use rayon::prelude::*;

use crate::domain::Domain;
use crate::error::KernelError;
use crate::form::Form;
use crate::gram::Kernel;
use crate::hamming::hamming_distances;

/// A formula of the list and its similarity with the query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbour {
    /// The index in the list.
    pub index: usize,
    /// The plain kernel value.
    pub kernel: f64,
}

/// An index of formulae for nearest-neighbour search. It holds their truth values at the domain's
/// assignments; a query is compared with all of them, at the speed of memory.
///
/// ```
/// use logicvae_kernel::{Domain, Neighbours};
/// let list = ["x1 | x2", "x2 & x1", "!x1"].map(|t| t.parse().unwrap());
/// let index = Neighbours::new(Domain::exact(2)?, &list)?;
/// let nearest = index.nearest(&"!(!x1 | !x2)".parse().unwrap(), 1)?;
/// assert_eq!((nearest[0].index, nearest[0].kernel), (1, 1.0));
/// # Ok::<(), logicvae_kernel::KernelError>(())
/// ```
pub struct Neighbours {
    kernel: Kernel,
    values: BitMatrix,
}

impl Neighbours {
    /// Evaluates the formulae and builds the index.
    pub fn new(domain: Domain, formulae: &[Formula]) -> Result<Self, KernelError> {
        if formulae.is_empty() {
            return Err(KernelError::NoFormulae { needed: "at least one is needed" });
        }
        let values = domain.values(formulae)?;
        Ok(Self { kernel: Kernel::new(domain, Form::Plain)?, values })
    }

    /// The number of formulae.
    pub fn len(&self) -> usize {
        self.values.rows()
    }

    /// Always false: there is at least one formula.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The `count` formulae with the largest kernel values, in descending order; ties keep the order of the
    /// list.
    pub fn nearest(&self, formula: &Formula, count: usize) -> Result<Vec<Neighbour>, KernelError> {
        let query = self.kernel.domain().values(std::slice::from_ref(formula))?;
        Ok(self.nearest_to_values(&query, count))
    }

    fn nearest_to_values(&self, query: &BitMatrix, count: usize) -> Vec<Neighbour> {
        let count = count.min(self.len());
        if self.kernel.domain().weights().is_some() {
            let similarities = self.kernel.cross_of_values(query, &self.values);
            let mut all: Vec<Neighbour> =
                similarities.iter().enumerate().map(|(index, &kernel)| Neighbour { index, kernel }).collect();
            all.sort_by(|a, b| b.kernel.total_cmp(&a.kernel).then(a.index.cmp(&b.index)));
            all.truncate(count);
            return all;
        }
        const PART: usize = 1 << 14;
        let words = self.values.words_per_row();
        let parts = self.values.words().par_chunks(PART * words).enumerate().map(|(part, rows)| {
            let mut counts = vec![0; rows.len() / words];
            hamming_distances(query.row(0), rows, &mut counts);
            smallest(counts.into_iter().zip(part * PART..), count)
        });
        let best = parts.reduce(Vec::new, |a, b| smallest(a.into_iter().chain(b), count));
        let m = self.values.bits() as f64;
        best.into_iter()
            .map(|(differ, index)| Neighbour { index, kernel: (m - 2.0 * f64::from(differ)) / m })
            .collect()
    }
}

/// The `count` smallest pairs, in ascending order.
fn smallest(pairs: impl Iterator<Item = (u32, usize)>, count: usize) -> Vec<(u32, usize)> {
    let mut kept: Vec<(u32, usize)> = Vec::with_capacity(2 * count + 1);
    let mut limit = u32::MAX;
    for pair in pairs {
        // Most pairs fail this test. When more than 2·count pairs have accumulated, only the best count are
        // kept.
        if pair.0 <= limit {
            kept.push(pair);
            if kept.len() > 2 * count {
                kept.sort_unstable();
                kept.truncate(count);
                limit = kept.last().map_or(0, |p| p.0);
            }
        }
    }
    kept.sort_unstable();
    kept.truncate(count);
    kept
}
