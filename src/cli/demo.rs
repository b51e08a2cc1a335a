//! `editd demo`: a scripted agent on a real socket and a scripted person at a terminal, with their own folder
//! and daemon. Only the requests are scripted; all output shows the real messages.

mod narrator;
mod person;
mod sandbox;
mod signals;
mod steps;

use std::io::{IsTerminal, Write};
use std::sync::Arc;

use super::arguments::DemoArguments;
use super::{CliError, End, paint, stream};

use narrator::Narrator;
use sandbox::Sandbox;

/// Action after a pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Continue,
    Quit,
}

/// `editd demo`.
pub(crate) fn demo(arguments: &DemoArguments) -> Result<End, CliError> {
    let signals = signals::Signals::register()?;
    let sandbox = Cleanup(Sandbox::create(arguments.keep)?);
    signals.end(sandbox.0.clone());
    let pauses = !arguments.no_pause && std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    let result = steps::run(&sandbox.0, Narrator::new(sandbox.0.project(), pauses));
    // If a signal ended the demo, this call does not return, and the resulting error is not reported.
    sandbox.0.end();
    result?;
    if arguments.keep {
        writeln!(stream::stdout(), "The folder was kept: {}", paint::path(sandbox.0.folder()))?;
    }
    Ok(End::Done)
}

/// Cleans up when the demo ends, however it ends.
struct Cleanup(Arc<Sandbox>);

impl Drop for Cleanup {
    fn drop(&mut self) {
        self.0.end();
    }
}
