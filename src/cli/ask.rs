use std::io::{BufRead, IsTerminal, Write};

use super::stream;

/// Whether a person sits at both ends of this command.
pub(crate) fn is_interactive() -> bool {
    std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}

/// Asks a question that is answered by y or n; an empty line and the end of the input are a no.
pub(crate) fn yes(question: &str) -> std::io::Result<bool> {
    let mut out = stream::stdout();
    let mut input = std::io::stdin().lock();
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
