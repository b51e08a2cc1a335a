use std::fs::File;
use std::os::fd::AsFd;

use crate::transport::{Crossing, bridge};
use crate::workspace::Role;

use super::{Complaint, Context, End};

/// `editd lsp`. Nothing but the daemon's messages goes to standard output; the exit code is 0 unless an editor
/// had better start it again.
pub(crate) fn lsp(context: &Context) -> Result<End, Complaint> {
    // Editors show the last line that is said here.
    cross(context).map_err(Complaint::in_one_line)
}

fn cross(context: &Context) -> Result<End, Complaint> {
    // Without the buffers that the standard streams have.
    let input = File::from(std::io::stdin().as_fd().try_clone_to_owned()?);
    let output = File::from(std::io::stdout().as_fd().try_clone_to_owned()?);
    match bridge(&context.places, Role::Editor, context.spawn, input, output)? {
        Crossing::Over => Ok(End::Done),
        Crossing::Broken => {
            let logs = context.places.state_dir.join("logs");
            Err(Complaint::failed(format!("the daemon is gone; its log is in {}", logs.display())))
        }
    }
}
