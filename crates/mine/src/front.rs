//! The best formulae of every size.

use std::collections::BTreeMap;

use crate::problem::Candidate;

/// The number of formulae that are kept for each size.
const KEPT: usize = 5;

/// The best formulae of every size, and the one with the best score.
#[derive(Clone, Default)]
pub(crate) struct Front {
    by_size: BTreeMap<usize, Vec<Candidate>>,
    best: Option<Candidate>,
}

impl Front {
    /// Offers a formula. Returns whether its score is the best so far.
    pub fn offer(&mut self, new: Candidate) -> bool {
        let improves = self.best.as_ref().is_none_or(|best| better(&new, best));
        if improves {
            self.best = Some(new.clone());
        }
        let list = self.by_size.entry(new.size).or_default();
        let place = list.partition_point(|old| order(old, &new).is_lt());
        if place < KEPT && list.get(place).is_none_or(|old| old.expr != new.expr) {
            list.insert(place, new);
            list.truncate(KEPT);
        }
        improves
    }

    /// Offers all formulae of another front.
    pub fn merge(&mut self, other: &Front) {
        for candidate in other.all() {
            self.offer(candidate.clone());
        }
    }

    /// All formulae, smallest first.
    pub fn all(&self) -> impl Iterator<Item = &Candidate> {
        self.by_size.values().flatten()
    }

    /// The formula with the best score.
    pub fn best(&self) -> Option<&Candidate> {
        self.best.as_ref()
    }

    /// The best formula of at most this size.
    pub fn up_to(&self, size: usize) -> Option<&Candidate> {
        let first = self.by_size.range(..=size).filter_map(|(_, list)| list.first());
        first.min_by_key(|candidate| (candidate.errors, candidate.size))
    }

    /// The formulae of which no smaller one has as few errors, each with others of the same size.
    pub fn pareto(&self) -> Vec<&[Candidate]> {
        let mut least = u64::MAX;
        let mut kept = Vec::new();
        for list in self.by_size.values() {
            if let Some(first) = list.first()
                && first.errors < least
            {
                least = first.errors;
                kept.push(&list[..]);
            }
        }
        kept
    }
}

/// The order in which formulae of one size are listed.
fn order(a: &Candidate, b: &Candidate) -> std::cmp::Ordering {
    a.errors.cmp(&b.errors).then(a.score.total_cmp(&b.score)).then_with(|| a.expr.cmp(&b.expr))
}

/// Whether a formula has a better score; of equal ones, the smaller one is better.
pub(crate) fn better(a: &Candidate, b: &Candidate) -> bool {
    let by_score = a.score.total_cmp(&b.score);
    by_score.then(a.size.cmp(&b.size)).then_with(|| a.expr.cmp(&b.expr)).is_lt()
}
