use std::io::{self, Write};
use std::path::PathBuf;

use serde_json::Value;

use crate::cli::paint::{self, ERROR, FAINT, GOOD, HINT, NAME, PLACE, hanging, width};
use crate::cli::stream;
use editd_protocol::RpcError;

/// Maximum number of columns, also the default if the output is not a terminal.
const COLUMNS: usize = 80;
/// Maximum length of a value that is shown in the heading line. Texts of the file never are.
const SHORT: usize = 24;
/// Moves to the previous line and clears it. The output stream drops it if escape codes are disabled.
const CLEAR_LINE_BEFORE: &str = "\u{1b}[1A\u{1b}[2K";

/// Prints the demo.
pub(super) struct Narrator {
    /// The project folder, which is removed from displayed paths.
    project: PathBuf,
    pauses: bool,
    step: usize,
}

impl Narrator {
    pub(super) fn new(project: PathBuf, pauses: bool) -> Self {
        Self { project, pauses, step: 0 }
    }

    pub(super) fn columns() -> usize {
        width().unwrap_or(COLUMNS).min(COLUMNS)
    }

    /// Begins a step, after a pause for reading the previous one. Returns `false` if the user quits.
    pub(super) fn begin_step(&mut self, title: &str, about: &str) -> io::Result<bool> {
        if self.step > 0 && self.pauses && !Self::pause()? {
            return Ok(false);
        }
        self.step += 1;
        let mut out = stream::stdout();
        writeln!(out, "\n{NAME}{}. {title}{NAME:#}", self.step)?;
        Self::print(about)?;
        writeln!(out)?;
        Ok(true)
    }

    fn pause() -> io::Result<bool> {
        let question = format!("\n{FAINT}Press Enter to continue, or q and Enter to quit.{FAINT:#} ");
        if stream::ask_line(&question)?.is_none_or(|answer| answer.eq_ignore_ascii_case("q")) {
            return Ok(false);
        }
        write!(stream::stdout(), "{CLEAR_LINE_BEFORE}{CLEAR_LINE_BEFORE}")?;
        Ok(true)
    }

    pub(super) fn print(text: &str) -> io::Result<()> {
        writeln!(stream::stdout(), "{}", textwrap::fill(text, Self::columns()))
    }

    /// Prints a request.
    pub(super) fn sent(&self, by: &str, method: &str, params: &Value) -> io::Result<()> {
        let mut fields = Vec::new();
        flatten(String::new(), params, &mut fields);
        self.fields(&format!("{PLACE}{by} sends{PLACE:#} {method}"), &fields)
    }

    /// Prints that the last request is sent again with one more parameter.
    pub(super) fn sent_again(&self, by: &str, name: &str, value: &Value) -> io::Result<()> {
        self.fields(&format!("{PLACE}{by} sends{PLACE:#} the same again, with"), &[(name.to_owned(), value)])
    }

    /// Prints selected parts of a result, each given as a name and a JSON pointer.
    pub(super) fn answered(&self, result: &Value, parts: &[(&str, &str)]) -> io::Result<()> {
        self.selected(&format!("{GOOD}editd answers{GOOD:#}"), result, parts)
    }

    /// Prints selected parts of a refusal.
    pub(super) fn refused(&self, error: &RpcError, parts: &[(&str, &str)]) -> io::Result<()> {
        let mut whole = error.data.clone().unwrap_or_default();
        whole["message"] = error.message.as_str().into();
        self.selected(&format!("{ERROR}editd refuses{ERROR:#}"), &whole, parts)
    }

    fn selected(&self, head: &str, data: &Value, parts: &[(&str, &str)]) -> io::Result<()> {
        let found =
            parts.iter().filter_map(|(name, pointer)| Some(((*name).to_owned(), data.pointer(pointer)?)));
        let (diffs, fields): (Vec<_>, Vec<_>) = found.partition(|(name, _)| name == "diff");
        self.fields(head, &fields)?;
        diffs.iter().try_for_each(|(_, diff)| show_hunks(diff.as_str().unwrap_or_default()))
    }

    fn fields(&self, head: &str, fields: &[(String, &Value)]) -> io::Result<()> {
        let mut out = stream::stdout();
        let fields = fields.iter().map(|(name, value)| (name, self.shortened(&shown(value))));
        let is_short =
            |(name, text): &(&String, String)| text.chars().count() <= SHORT && !name.ends_with("Text");
        let (short, long): (Vec<_>, Vec<_>) = fields.partition(is_short);
        write!(out, "{head}")?;
        for (name, text) in short {
            write!(out, "  {FAINT}{name}{FAINT:#} {}", paint::visible(&text))?;
        }
        writeln!(out)?;
        let room = long.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
        let indent = room + 4;
        for (name, text) in long {
            let mut lines = text.lines();
            let first = lines.next().unwrap_or_default();
            writeln!(out, "  {FAINT}{name:<room$}{FAINT:#}  {}", fit_columns(first, indent))?;
            for line in lines {
                writeln!(out, "{}", format!("{:indent$}{}", "", fit_columns(line, indent)).trim_end())?;
            }
        }
        Ok(())
    }

    /// Prints a command that the person types into a shell.
    pub(super) fn typed(line: &str) -> io::Result<()> {
        writeln!(stream::stdout(), "{HINT}you type{HINT:#} {line}")
    }

    /// Removes the project folder from paths.
    fn shortened(&self, text: &str) -> String {
        text.replace(&format!("{}/", self.project.display()), "")
    }
}

/// Prints the hunks of a diff, indented. Omits the file name, because the demo has only one file.
fn show_hunks(diff: &str) -> io::Result<()> {
    let mut painted = Vec::new();
    paint::diff(&mut painted, diff.find("@@").map_or(diff, |start| &diff[start..]))?;
    let mut out = stream::stdout();
    String::from_utf8_lossy(&painted).lines().try_for_each(|line| writeln!(out, "    {line}"))
}

fn fit_columns(line: &str, indent: usize) -> String {
    let line = paint::visible(line);
    // Wraps prose only. Indented lines are code.
    if line.starts_with(' ') { line } else { hanging(indent, &line, Some(Narrator::columns())) }
}

/// Collects all values in an object, each with its path.
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
