use std::io::{self, ErrorKind, Write};

use anstream::ColorChoice;

use super::paint::{self, FAINT};

/// No colours on a terminal that says it has none, unless they are asked for. The library that decides otherwise
/// takes every terminal of a build server for one with colours.
pub(super) fn settle_colours() {
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    let wanted = ["CLICOLOR", "CLICOLOR_FORCE"].iter().any(|name| std::env::var_os(name).is_some());
    if dumb && !wanted {
        ColorChoice::Never.write_global();
    }
}

/// An output whose reader may go away: that is no failure of what the command did.
pub(crate) struct Tolerant<W>(W);

/// Standard output, with colours where they are wanted.
pub(crate) fn stdout() -> Tolerant<anstream::AutoStream<io::Stdout>> {
    Tolerant(anstream::stdout())
}

/// Standard output for a file's text, which is nobody's colours.
pub(crate) fn raw_stdout() -> Tolerant<io::Stdout> {
    Tolerant(io::stdout())
}

/// Standard error, with colours where they are wanted.
pub(crate) fn stderr() -> Tolerant<anstream::AutoStream<io::Stderr>> {
    Tolerant(anstream::stderr())
}

impl<W: Write> Write for Tolerant<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.0.write(bytes) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(bytes.len()),
            written => written.map_err(named),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.0.flush() {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
            flushed => flushed.map_err(named),
        }
    }
}

/// Says what could not be written: nothing else is written by way of these.
#[expect(clippy::needless_pass_by_value, reason = "what `map_err` hands over")]
fn named(error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("the output cannot be written: {}", paint::words(&error)))
}

/// Says something beside the result: that there is nothing to show and what to do next, or what was left out. On
/// standard error, whatever that is: a script takes nothing of it for data, and who reads its log sees why there is
/// none. The command has done what it was asked to, so its exit code is 0.
pub(crate) fn note(what: &str) -> io::Result<()> {
    writeln!(stderr(), "{FAINT}{}{FAINT:#}", paint::visible(what))
}
