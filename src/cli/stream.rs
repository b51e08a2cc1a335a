//! Standard streams: results, notes, and questions to the person at the terminal.

use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, IsTerminal, Write};

use anstream::ColorChoice;

use super::paint::{self, FAINT};

/// Disables colours on a dumb terminal, unless an environment variable requests them. `anstream` alone would
/// assume colours on every terminal of a build server.
pub(super) fn configure_colours() {
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    let wanted = ["CLICOLOR", "CLICOLOR_FORCE"].iter().any(|name| std::env::var_os(name).is_some());
    if dumb && !wanted {
        ColorChoice::Never.write_global();
    }
}

/// An output that ignores broken pipes: the command has succeeded even if its reader is gone.
pub(crate) struct Tolerant<W>(W);

/// Returns standard output, with colours if they are enabled.
pub(crate) fn stdout() -> Tolerant<anstream::AutoStream<io::Stdout>> {
    Tolerant(anstream::stdout())
}

/// Returns standard output for the text of files, which is written unchanged.
pub(crate) fn raw_stdout() -> Tolerant<io::Stdout> {
    Tolerant(io::stdout())
}

/// Returns standard error, with colours if they are enabled.
pub(crate) fn stderr() -> Tolerant<anstream::AutoStream<io::Stderr>> {
    Tolerant(anstream::stderr())
}

impl<W: Write> Write for Tolerant<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        tolerate(self.0.write(bytes), bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        tolerate(self.0.flush(), ())
    }
}

/// Replaces the error of a broken pipe by a value. Adds to other errors that they are about the output.
fn tolerate<T>(result: io::Result<T>, instead: T) -> io::Result<T> {
    result.or_else(|error| match error.kind() {
        ErrorKind::BrokenPipe => Ok(instead),
        kind => {
            let message = paint::io_message(&error);
            Err(io::Error::new(kind, format!("the output cannot be written: {message}")))
        }
    })
}

/// Prints a note about the result: that it is empty, with the next step, or what was omitted. Notes always go
/// to standard error, so that a script does not take them for data and its log shows why there is no data. A
/// note does not change the exit code, because the command has succeeded.
pub(crate) fn note(what: &str) -> io::Result<()> {
    writeln!(stderr(), "{FAINT}{}{FAINT:#}", paint::visible(what))
}

/// Returns `true` if a person can be shown something and asked a question. If standard input carries the text
/// of the change, answers are read from `/dev/tty`.
pub(crate) fn is_interactive() -> bool {
    io::stdout().is_terminal() && (io::stdin().is_terminal() || terminal().is_ok())
}

fn terminal() -> io::Result<File> {
    File::open("/dev/tty")
}

/// Prompts for a line. Returns `None` at the end of the input.
pub(crate) fn ask_line(prompt: &str) -> io::Result<Option<String>> {
    let mut out = stdout();
    write!(out, "{prompt}")?;
    out.flush()?;
    let mut line = String::new();
    let read = if io::stdin().is_terminal() {
        io::stdin().lock().read_line(&mut line)?
    } else {
        BufReader::new(terminal()?).read_line(&mut line)?
    };
    if read == 0 {
        writeln!(out)?;
        return Ok(None);
    }
    Ok(Some(line.trim().to_owned()))
}

/// Asks a yes-or-no question. An empty line and the end of the input count as no.
pub(crate) fn confirm(question: &str) -> io::Result<bool> {
    loop {
        let answer = ask_line(&format!("{question} [y/N] "))?.unwrap_or_default();
        match answer.to_lowercase().as_str() {
            "y" | "yes" => return Ok(true),
            "" | "n" | "no" | "q" => return Ok(false),
            _ => writeln!(stdout(), "Please answer y or n.")?,
        }
    }
}
