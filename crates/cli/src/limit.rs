//! Time limits, and Ctrl-C as an early end of a question.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, bail};
use logicvae_logic::Budget;

use crate::args::LimitArgs;

impl LimitArgs {
    /// The budget: the time limit, and Ctrl-C.
    pub fn budget(&self) -> Result<Budget> {
        let budget = match self.time_limit {
            Some(seconds) if !(seconds.is_finite() && seconds >= 0.0) => {
                bail!("--time-limit must be a number of seconds that is at least 0")
            }
            Some(seconds) => Budget::seconds(seconds),
            None => Budget::unlimited(),
        };
        let interrupted = Arc::new(AtomicBool::new(false));
        let flag = interrupted.clone();
        ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed)).context("cannot handle Ctrl-C")?;
        Ok(budget.or_when(interrupted))
    }
}
