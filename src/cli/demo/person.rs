//! A person at a terminal: the commands are the real ones, on a pseudo-terminal, and so are the answers typed.

use std::fs::File;
use std::io::{Read, Write};

use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{OptionalActions, OutputModes, Winsize, tcgetattr, tcsetattr, tcsetwinsize};

use crate::cli::{Complaint, stream};

use super::stage::Stage;

/// What questions end with.
const QUESTIONS: [&str; 3] = ["]? ", "[y/N] ", "author: "];
/// Ends the input, where there is no answer left.
const END: &[u8] = b"\x04";

/// Runs a command, shows all that it prints, and types an answer to each question.
pub(super) fn run(
    stage: &Stage,
    arguments: &[&str],
    answers: &[&str],
    columns: usize,
) -> Result<(), Complaint> {
    let (mut ours, theirs) = terminal(columns)?;
    let mut command = stage.command(&["--no-spawn"])?;
    command.args(arguments).stdin(theirs.try_clone()?).stdout(theirs.try_clone()?).stderr(theirs);
    if anstream::AutoStream::choice(&std::io::stdout()) == anstream::ColorChoice::Never {
        command.env("NO_COLOR", "1");
    }
    stage.spawn(&mut command)?;
    // It holds their side, and as long as anybody does there is no end.
    drop(command);
    let mut out = stream::stdout();
    let (mut answers, mut shown, mut buffer) = (answers.iter(), Vec::new(), [0; 4096]);
    // Where nobody has the other side any more, Linux says that reading fails.
    while let Ok(read @ 1..) = ours.read(&mut buffer) {
        out.write_all(&buffer[..read])?;
        shown.extend_from_slice(&buffer[..read]);
        if asks(&shown) {
            out.flush()?;
            shown.clear();
            let typed = answers.next().map_or(END.to_vec(), |answer| format!("{answer}\n").into_bytes());
            ours.write_all(&typed)?;
        }
    }
    Ok(stage.wait()?)
}

fn asks(shown: &[u8]) -> bool {
    let shown = anstream::adapter::strip_bytes(shown).into_vec();
    QUESTIONS.iter().any(|question| shown.ends_with(question.as_bytes()))
}

/// Both sides of a new terminal: ours, and the one that a program takes for its terminal.
fn terminal(columns: usize) -> std::io::Result<(File, File)> {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
    grantpt(&ours)?;
    unlockpt(&ours)?;
    let name = ptsname(&ours, Vec::new())?;
    let theirs = rustix::fs::open(name, OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty())?;
    let size =
        Winsize { ws_row: 24, ws_col: u16::try_from(columns).unwrap_or(80), ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&theirs, size)?;
    // The terminal that it is shown on makes its own line ends.
    let mut modes = tcgetattr(&theirs)?;
    modes.output_modes.remove(OutputModes::OPOST);
    tcsetattr(&theirs, OptionalActions::Now, &modes)?;
    Ok((ours.into(), theirs.into()))
}
