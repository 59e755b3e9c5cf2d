//! From an error to a message and an exit code.

use std::io;
use std::process::ExitCode;

/// Bad input exits with 2; only a failing machine (a full disk, say) is a failed run and exits with 1.
pub fn report(error: &anyhow::Error) -> ExitCode {
    use io::ErrorKind::*;
    let io = error.chain().find_map(|cause| cause.downcast_ref::<io::Error>()).map(io::Error::kind);
    match io {
        // The reader of our output went away (`| head`): nothing to say to anyone.
        Some(BrokenPipe) => ExitCode::SUCCESS,
        Some(
            NotFound | PermissionDenied | AlreadyExists | IsADirectory | NotADirectory | InvalidData
            | InvalidInput,
        )
        | None => {
            eprintln!("logicvae: {error:#}");
            ExitCode::from(2)
        }
        Some(_) => {
            eprintln!("logicvae: {error:#}");
            ExitCode::from(1)
        }
    }
}
