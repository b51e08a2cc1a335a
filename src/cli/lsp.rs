use std::fs::File;
use std::os::fd::AsFd;

use crate::transport::{Crossing, bridge};
use crate::workspace::Role;

use super::{CliError, Context, End};

/// `editd lsp`. Writes only the daemon's messages to standard output. The exit code is 0 unless the editor
/// should start the command again.
pub(crate) fn lsp(context: &Context) -> Result<End, CliError> {
    // Editors show the last line of standard error.
    cross(context).map_err(CliError::in_one_line)
}

fn cross(context: &Context) -> Result<End, CliError> {
    // Bypasses the buffers of the standard streams.
    let input = File::from(std::io::stdin().as_fd().try_clone_to_owned()?);
    let output = File::from(std::io::stdout().as_fd().try_clone_to_owned()?);
    match bridge(&context.places, Role::Editor, context.spawn, input, output)? {
        Crossing::Over => Ok(End::Done),
        Crossing::Broken => {
            let logs = context.places.state_dir.join("logs");
            Err(CliError::failed(format!("the daemon is gone; its log is in {}", logs.display())))
        }
    }
}
