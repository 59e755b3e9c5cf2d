//! Time limits, and Ctrl-C as an early end of a question.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Result, bail};
use logicvae_logic::Budget;

use crate::args::LimitArgs;
use crate::failure::UNKNOWN;
use crate::interrupt::on_signal;

/// The number of conflicts of the SAT solver after which a question is given up if there is no time limit.
/// It is the same on every machine, and takes well below a minute.
const CONFLICTS: u64 = 100_000;

impl LimitArgs {
    /// The budget: the time limit or else a limit of the solver, and Ctrl-C.
    pub fn budget(&self) -> Result<Budget> {
        let budget = match self.time_limit {
            Some(seconds) if !(seconds.is_finite() && seconds >= 0.0) => {
                bail!("--time-limit must be a number of seconds that is at least 0")
            }
            Some(seconds) => Budget::seconds(seconds),
            None => Budget::conflicts(CONFLICTS),
        };
        let interrupted = Arc::new(AtomicBool::new(false));
        let flag = interrupted.clone();
        // The second signal does not wait for an answer.
        on_signal(move || flag.swap(true, Ordering::Relaxed).then_some(UNKNOWN));
        Ok(budget.or_when(interrupted))
    }
}
