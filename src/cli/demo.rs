//! `editd demo`: a scripted agent over the real socket, and what a person does meanwhile, in a folder and with a
//! daemon of their own. What is shown is what was sent and answered; only the requests are written beforehand.

mod person;
mod play;
mod signals;
mod stage;
mod tell;

use std::io::{IsTerminal, Write};
use std::sync::Arc;

use super::arguments::DemoArguments;
use super::{Complaint, End, paint, stream};

use stage::Stage;
use tell::Teller;

/// Whether the next step is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Then {
    GoOn,
    Quit,
}

/// `editd demo`.
pub(crate) fn demo(arguments: &DemoArguments) -> Result<End, Complaint> {
    let signals = signals::Signals::hear()?;
    let stage = Curtain(Stage::set(arguments.keep)?);
    signals.end(stage.0.clone());
    let pauses = !arguments.no_pause && std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    let played = play::play(&stage.0, Teller::new(stage.0.project(), pauses));
    // If a signal has ended it, that is what is told, and no failure of whatever was going on.
    stage.0.end();
    played?;
    if arguments.keep {
        writeln!(stream::stdout(), "The folder is kept: {}", paint::path(stage.0.folder()))?;
    }
    Ok(End::Done)
}

/// Clears the stage whatever happens on it.
struct Curtain(Arc<Stage>);

impl Drop for Curtain {
    fn drop(&mut self) {
        self.0.end();
    }
}
