use std::fs::File;
use std::io::{BufRead, BufReader, IsTerminal, Write};

use super::stream;

/// Returns `true` if a person can be shown something and asked a question. If standard input carries the text
/// of the change, answers are read from `/dev/tty`.
pub(crate) fn is_interactive() -> bool {
    std::io::stdout().is_terminal() && (std::io::stdin().is_terminal() || terminal().is_ok())
}

fn terminal() -> std::io::Result<File> {
    File::open("/dev/tty")
}

/// Prompts for a line. Returns `None` at the end of the input.
pub(crate) fn line(prompt: &str) -> std::io::Result<Option<String>> {
    let mut out = stream::stdout();
    write!(out, "{prompt}")?;
    out.flush()?;
    let mut line = String::new();
    let read = if std::io::stdin().is_terminal() {
        std::io::stdin().lock().read_line(&mut line)?
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
pub(crate) fn confirm(question: &str) -> std::io::Result<bool> {
    let mut out = stream::stdout();
    let mut input: Box<dyn BufRead> = if std::io::stdin().is_terminal() {
        Box::new(std::io::stdin().lock())
    } else {
        Box::new(BufReader::new(terminal()?))
    };
    loop {
        write!(out, "{question} [y/N] ")?;
        out.flush()?;
        let mut line = String::new();
        if input.read_line(&mut line)? == 0 {
            writeln!(out)?;
            return Ok(false);
        }
        match line.trim().to_lowercase().as_str() {
            "y" | "yes" => return Ok(true),
            "" | "n" | "no" | "q" => return Ok(false),
            _ => writeln!(out, "Please answer y or n.")?,
        }
    }
}
