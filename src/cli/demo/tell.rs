use std::io::{self, Write};
use std::path::PathBuf;

use anstyle::Style;
use serde_json::Value;

use crate::cli::paint::{self, ERROR, FAINT, GOOD, HINT, PLACE};
use crate::cli::row::{beside, width};
use crate::cli::{ask, stream};
use crate::protocol::RpcError;

use super::Then;

/// Columns where nobody says how many there are, and at most.
const COLUMNS: usize = 80;
/// Columns of the name of what was sent or answered, with what stands before and behind it.
const NAME: usize = 16;
/// Moves to the line before and clears it; nothing where the terminal takes no such thing.
const CLEAR_LINE_BEFORE: &str = "\u{1b}[1A\u{1b}[2K";
const BOLD: Style = Style::new().bold();

/// Shows the play.
pub(super) struct Teller {
    /// Paths in it are shown without it.
    project: PathBuf,
    pauses: bool,
    step: usize,
}

impl Teller {
    pub(super) fn new(project: PathBuf, pauses: bool) -> Self {
        Self { project, pauses, step: 0 }
    }

    pub(super) fn columns() -> usize {
        width().unwrap_or(COLUMNS).min(COLUMNS)
    }

    /// A step, when the one before was read.
    pub(super) fn step(&mut self, title: &str, about: &str) -> io::Result<Then> {
        if self.step > 0 && self.pause()? == Then::Quit {
            return Ok(Then::Quit);
        }
        self.step += 1;
        let mut out = stream::stdout();
        writeln!(out, "\n{BOLD}{}. {title}{BOLD:#}", self.step)?;
        self.say(about)?;
        Ok(Then::GoOn)
    }

    fn pause(&self) -> io::Result<Then> {
        if !self.pauses {
            return Ok(Then::GoOn);
        }
        let answer = ask::line(&format!("\n{FAINT}Enter goes on, q ends it.{FAINT:#} "))?;
        let is_end = answer.is_none_or(|answer| answer.eq_ignore_ascii_case("q"));
        if is_end {
            return Ok(Then::Quit);
        }
        write!(stream::stdout(), "{CLEAR_LINE_BEFORE}{CLEAR_LINE_BEFORE}")?;
        Ok(Then::GoOn)
    }

    #[expect(clippy::unused_self, reason = "what is told goes through whoever tells it")]
    pub(super) fn say(&self, text: &str) -> io::Result<()> {
        writeln!(stream::stdout(), "{}", textwrap::fill(text, Self::columns()))
    }

    /// A request as it went over the wire.
    pub(super) fn sent(&self, by: &str, method: &str, params: &Value) -> io::Result<()> {
        writeln!(stream::stdout(), "{PLACE}{by} sends{PLACE:#} {method}")?;
        let mut fields = Vec::new();
        flatten(String::new(), params, &mut fields);
        fields.iter().try_for_each(|(name, value)| self.field(name, value))
    }

    /// What of a result is worth a look, each by a name and a JSON pointer.
    pub(super) fn answered(&self, result: &Value, worth: &[(&str, &str)]) -> io::Result<()> {
        writeln!(stream::stdout(), "{GOOD}editd answers{GOOD:#}")?;
        self.fields(result, worth)
    }

    /// The same of a refusal.
    pub(super) fn refused(&self, error: &RpcError, worth: &[(&str, &str)]) -> io::Result<()> {
        writeln!(stream::stdout(), "{ERROR}editd refuses{ERROR:#}")?;
        self.field("message", &Value::from(error.message.as_str()))?;
        self.fields(error.data.as_ref().unwrap_or(&Value::Null), worth)
    }

    fn fields(&self, data: &Value, worth: &[(&str, &str)]) -> io::Result<()> {
        for (name, pointer) in worth {
            match data.pointer(pointer) {
                Some(Value::String(diff)) if *name == "diff" => self.diff(diff)?,
                Some(value) => self.field(name, value)?,
                None => {}
            }
        }
        Ok(())
    }

    fn field(&self, name: &str, value: &Value) -> io::Result<()> {
        let mut out = stream::stdout();
        let text = self.shortened(&shown(value));
        let room = NAME - 3;
        let mut lines = text.lines();
        let first = lines.next().unwrap_or_default();
        writeln!(out, "  {FAINT}{name:<room$}{FAINT:#} {}", in_columns(first))?;
        for line in lines {
            writeln!(out, "{:NAME$}{}", "", in_columns(line))?;
        }
        Ok(())
    }

    /// A diff, a little to the right.
    fn diff(&self, diff: &str) -> io::Result<()> {
        let mut painted = Vec::new();
        paint::diff(&mut painted, &self.shortened(diff))?;
        let mut out = stream::stdout();
        String::from_utf8_lossy(&painted).lines().try_for_each(|line| writeln!(out, "  {line}"))
    }

    /// What a person types into a shell.
    pub(super) fn typed(&self, line: &str) -> io::Result<()> {
        writeln!(stream::stdout(), "{HINT}you type{HINT:#} {line}")
    }

    /// Paths without the folder that they are all in.
    fn shortened(&self, text: &str) -> String {
        text.replace(&format!("{}/", self.project.display()), "")
    }
}

fn in_columns(line: &str) -> String {
    let line = paint::visible(line);
    // Code keeps its shape; sentences are what is too long.
    if line.starts_with(' ') { line } else { beside(NAME, &line, Some(Teller::columns())) }
}

/// All values in an object, each with the path to it.
fn flatten<'v>(path: String, value: &'v Value, fields: &mut Vec<(String, &'v Value)>) {
    let joined = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    match value {
        Value::Object(members) => {
            members.iter().for_each(|(name, value)| flatten(joined(name), value, fields));
        }
        Value::Array(items) if items.iter().any(Value::is_object) => {
            items.iter().enumerate().for_each(|(at, item)| flatten(format!("{path}[{at}]"), item, fields));
        }
        value => fields.push((path, value)),
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(shown).collect::<Vec<_>>().join(", "),
        Value::Object(members) => {
            let named = members.iter().map(|(name, value)| format!("{name} {}", shown(value)));
            named.collect::<Vec<_>>().join(", ")
        }
        value => value.to_string(),
    }
}
