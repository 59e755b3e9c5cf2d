//! How long a hard question may take.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// When to give up: after some time, or when a flag is set, such as by Ctrl-C. Satisfiability and model
/// counting can take longer than anyone waits; with a budget they end, and the answer may be "unknown".
///
/// ```
/// use logicvae_logic::{Budget, x};
/// let budget = Budget::seconds(10.0);
/// assert!((x(1) & !x(1)).find_model_within(&budget).expect("easy").is_none());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Budget {
    deadline: Option<Instant>,
    interrupted: Option<Arc<AtomicBool>>,
    conflicts: Option<u64>,
}

/// The budget was spent before the answer was known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown: the limit was reached before the answer was known, or the program was interrupted")]
pub struct Unknown;

impl Budget {
    /// Never gives up.
    pub fn unlimited() -> Self {
        Self::default()
    }

    /// Gives up after this many seconds, counted from now. A number that is not a duration means no limit.
    pub fn seconds(seconds: f64) -> Self {
        let duration = Duration::try_from_secs_f64(seconds).ok();
        Self { deadline: duration.and_then(|d| Instant::now().checked_add(d)), ..Self::default() }
    }

    /// Gives up after this many conflicts of the SAT solver in one question. Unlike a time limit, the answer
    /// is the same on every machine.
    pub fn conflicts(conflicts: u64) -> Self {
        Self { conflicts: Some(conflicts), ..Self::default() }
    }

    /// Also gives up when this flag is set.
    pub fn or_when(mut self, flag: Arc<AtomicBool>) -> Self {
        self.interrupted = Some(flag);
        self
    }

    /// The same budget, but at most this many seconds from now.
    #[must_use]
    pub fn at_most(&self, seconds: f64) -> Self {
        let other = Self::seconds(seconds).deadline;
        let deadline = self.deadline.into_iter().chain(other).min();
        Self { deadline, ..self.clone() }
    }

    /// The same budget with a share of the time that is left.
    #[must_use]
    pub fn share(&self, share: f64) -> Self {
        let now = Instant::now();
        let part =
            |deadline: Instant| now + deadline.saturating_duration_since(now).mul_f64(share.clamp(0.0, 1.0));
        Self { deadline: self.deadline.map(part), ..self.clone() }
    }

    /// Whether the program was interrupted.
    pub fn is_interrupted(&self) -> bool {
        self.interrupted.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// The same budget, but at most this many conflicts in one question.
    pub(crate) fn at_most_conflicts(&self, conflicts: u64) -> Self {
        let conflicts = self.conflicts.map_or(conflicts, |own| own.min(conflicts));
        Self { conflicts: Some(conflicts), ..self.clone() }
    }

    /// The number of conflicts of one question.
    pub(crate) fn conflict_limit(&self) -> u64 {
        self.conflicts.unwrap_or(u64::MAX)
    }

    /// Whether it is time to give up.
    pub fn is_spent(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline) || self.is_interrupted()
    }
}
