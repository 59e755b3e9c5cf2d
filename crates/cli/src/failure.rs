//! Error messages and exit codes.

use std::io;
use std::process::ExitCode;

use crate::message::message;

/// The exit code for a question that was not answered within its time limit.
pub const UNKNOWN: u8 = 3;

/// Prints an error and chooses the exit code: 1 if the system failed (such as a full disk), 2 for every other
/// error, since it is caused by the input.
pub fn report(error: &anyhow::Error) -> ExitCode {
    use io::ErrorKind::*;
    let io = error.chain().find_map(|cause| cause.downcast_ref::<io::Error>()).map(io::Error::kind);
    match io {
        // The reader of standard output has closed it, as in `| head`. This is not an error.
        Some(BrokenPipe) => ExitCode::SUCCESS,
        Some(
            NotFound | PermissionDenied | AlreadyExists | IsADirectory | NotADirectory | InvalidData
            | InvalidInput,
        )
        | None => {
            message(format_args!("logicvae: {error:#}"));
            ExitCode::from(2)
        }
        Some(_) => {
            message(format_args!("logicvae: {error:#}"));
            ExitCode::from(1)
        }
    }
}
