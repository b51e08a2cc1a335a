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
/// A value with no more characters than this stands in the line of whoever says it, unless it is a text of the file.
const SHORT: usize = 24;
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
        Self::say(about)?;
        writeln!(out)?;
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

    pub(super) fn say(text: &str) -> io::Result<()> {
        writeln!(stream::stdout(), "{}", textwrap::fill(text, Self::columns()))
    }

    /// A request as it went over the wire.
    pub(super) fn sent(&self, by: &str, method: &str, params: &Value) -> io::Result<()> {
        let mut fields = Vec::new();
        flatten(String::new(), params, &mut fields);
        self.fields(&format!("{PLACE}{by} sends{PLACE:#} {method}"), &fields)
    }

    /// The same request with one parameter more.
    pub(super) fn sent_again(&self, by: &str, name: &str, value: &Value) -> io::Result<()> {
        self.fields(&format!("{PLACE}{by} sends{PLACE:#} the same again, with"), &[(name.to_owned(), value)])
    }

    /// What of a result is worth a look, each by a name and a JSON pointer.
    pub(super) fn answered(&self, result: &Value, worth: &[(&str, &str)]) -> io::Result<()> {
        self.worth(&format!("{GOOD}editd answers{GOOD:#}"), result, worth)
    }

    /// The same of a refusal.
    pub(super) fn refused(&self, error: &RpcError, worth: &[(&str, &str)]) -> io::Result<()> {
        let mut whole = error.data.clone().unwrap_or_default();
        whole["message"] = error.message.as_str().into();
        self.worth(&format!("{ERROR}editd refuses{ERROR:#}"), &whole, worth)
    }

    fn worth(&self, head: &str, data: &Value, worth: &[(&str, &str)]) -> io::Result<()> {
        let found = worth.iter().filter_map(|(name, pointer)| Some((*name, data.pointer(pointer)?)));
        let (diffs, fields): (Vec<_>, Vec<_>) = found.partition(|(name, _)| *name == "diff");
        self.fields(
            head,
            &fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<Vec<_>>(),
        )?;
        diffs.iter().try_for_each(|(_, diff)| show_hunks(diff.as_str().unwrap_or_default()))
    }

    fn fields(&self, head: &str, fields: &[(String, &Value)]) -> io::Result<()> {
        let mut out = stream::stdout();
        let fields = fields.iter().map(|(name, value)| (name, self.shortened(&shown(value))));
        let is_short =
            |(name, text): &(&String, String)| text.chars().count() <= SHORT && !name.ends_with("Text");
        let (short, long): (Vec<_>, Vec<_>) = fields.partition(is_short);
        let short: Vec<_> = short
            .iter()
            .map(|(name, text)| format!("{FAINT}{name}{FAINT:#} {}", paint::visible(text)))
            .collect();
        let gap = if short.is_empty() { "" } else { "  " };
        writeln!(out, "{head}{gap}{}", short.join("  "))?;
        let room = long.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
        let indent = room + 4;
        for (name, text) in long {
            let mut lines = text.lines();
            let first = lines.next().unwrap_or_default();
            writeln!(out, "  {FAINT}{name:<room$}{FAINT:#}  {}", in_columns(first, indent))?;
            for line in lines {
                writeln!(out, "{}", format!("{:indent$}{}", "", in_columns(line, indent)).trim_end())?;
            }
        }
        Ok(())
    }

    /// What a person types into a shell.
    pub(super) fn typed(line: &str) -> io::Result<()> {
        writeln!(stream::stdout(), "{HINT}you type{HINT:#} {line}")
    }

    /// Paths without the folder that they are all in.
    fn shortened(&self, text: &str) -> String {
        text.replace(&format!("{}/", self.project.display()), "")
    }
}

/// The hunks of a diff, a little to the right. There is only one file, so its name need not be said.
fn show_hunks(diff: &str) -> io::Result<()> {
    let mut painted = Vec::new();
    paint::diff(&mut painted, diff.find("@@").map_or(diff, |start| &diff[start..]))?;
    let mut out = stream::stdout();
    String::from_utf8_lossy(&painted).lines().try_for_each(|line| writeln!(out, "    {line}"))
}

fn in_columns(line: &str, indent: usize) -> String {
    let line = paint::visible(line);
    // Code keeps its shape; sentences are what is too long.
    if line.starts_with(' ') { line } else { beside(indent, &line, Some(Teller::columns())) }
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
