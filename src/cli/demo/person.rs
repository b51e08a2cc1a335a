//! A scripted person at a terminal: real commands on a pseudo-terminal, with typed answers.

use std::fs::File;
use std::io::{Read, Write};

use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{OptionalActions, OutputModes, Winsize, tcgetattr, tcsetattr, tcsetwinsize};

use crate::cli::{CliError, stream};

use super::sandbox::Sandbox;

/// Endings of questions.
const QUESTIONS: [&str; 3] = ["]? ", "[y/N] ", "author: "];
/// Ends the input if no answer is left.
const END: &[u8] = b"\x04";

/// Runs a command, shows its output, and types an answer to each question.
pub(super) fn run(
    sandbox: &Sandbox,
    arguments: &[&str],
    answers: &[&str],
    columns: usize,
) -> Result<(), CliError> {
    let (mut ours, theirs) = terminal(columns)?;
    let mut command = sandbox.command(&["--no-spawn"])?;
    command.args(arguments).stdin(theirs.try_clone()?).stdout(theirs.try_clone()?).stderr(theirs);
    if anstream::AutoStream::choice(&std::io::stdout()) == anstream::ColorChoice::Never {
        command.env("NO_COLOR", "1");
    }
    sandbox.spawn(&mut command)?;
    // It holds the other side of the terminal. Reading ends only when every handle to that side is closed.
    drop(command);
    let mut out = stream::stdout();
    let (mut answers, mut shown, mut buffer) = (answers.iter(), Vec::new(), [0; 4096]);
    // On Linux, reading fails when the other side is closed.
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
    Ok(sandbox.wait()?)
}

fn asks(shown: &[u8]) -> bool {
    let shown = anstream::adapter::strip_bytes(shown).into_vec();
    QUESTIONS.iter().any(|question| shown.ends_with(question.as_bytes()))
}

/// Opens a pseudo-terminal. Returns our side, and the side that a program uses as its terminal.
fn terminal(columns: usize) -> std::io::Result<(File, File)> {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
    grantpt(&ours)?;
    unlockpt(&ours)?;
    let name = ptsname(&ours, Vec::new())?;
    let theirs = rustix::fs::open(name, OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty())?;
    let size =
        Winsize { ws_row: 24, ws_col: u16::try_from(columns).unwrap_or(80), ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&theirs, size)?;
    // The terminal that shows the output converts the line endings.
    let mut modes = tcgetattr(&theirs)?;
    modes.output_modes.remove(OutputModes::OPOST);
    tcsetattr(&theirs, OptionalActions::Now, &modes)?;
    Ok((ours.into(), theirs.into()))
}
