//! Ctrl-C, SIGTERM and SIGHUP. By default they end the program, after the temporary files of unfinished
//! writes are removed. Commands that can stop early say what to do instead.

use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result};
use logicvae_logic::remove_unfinished_files;

/// The exit code of a program that a signal ends.
pub const INTERRUPTED: u8 = 130;

/// What to do at a signal. Returns the exit code if the program should end.
type Action = Box<dyn FnMut() -> Option<u8> + Send>;

static ACTION: Mutex<Option<Action>> = Mutex::new(None);

/// Handles signals from now on.
pub fn handle() -> Result<()> {
    let handler = || {
        let mut action = ACTION.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(code) = action.as_mut().map_or(Some(INTERRUPTED), |action| action()) {
            exit(code);
        }
    };
    ctrlc::set_handler(handler).context("cannot handle Ctrl-C")
}

/// Does this at every signal from now on. `None` goes on; an exit code ends the program.
pub fn on_signal(action: impl FnMut() -> Option<u8> + Send + 'static) {
    *ACTION.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(action));
}

/// Ends the program at once, without partial files.
pub fn exit(code: u8) -> ! {
    remove_unfinished_files();
    std::process::exit(code.into())
}
