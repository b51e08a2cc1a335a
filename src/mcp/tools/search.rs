use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::mcp::answer::Answer;
use crate::mcp::output::in_one_line;
use crate::mcp::schema;
use crate::mcp::size::{LIST, keep_fitting};
use crate::protocol::{Method, Search, json_len};

use super::{Asked, Effect, Request, Tool};

pub(super) const TOOL: Tool = Tool {
    name: "search",
    title: "Search in files",
    description: "Search the text of files by regular expression, line by line, unsaved editor text included. Ignored \
        files (.gitignore), binary files and version-control data are left out. At most `limit` matches and 32,000 \
        bytes, by path; lines are cut at 2,000 characters. The last line says if there are more: narrow it by \
        `path` or `glob`. It is no reading: read a file before you change it.",
    instead: &[("find", "To find files by name use `find`.")],
    effect: Effect::Reads,
    input: schema::input::<Input>,
    is_basic: false,
    request: |params| Request { method: Search::NAME, params, waits: false, answer },
};

#[expect(dead_code, reason = "only its schema is used: arguments go to the daemon as they are")]
#[derive(JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Input {
    /// A regular expression (Rust syntax), matched within one line.
    pattern: String,
    /// File or folder to search. Default: all roots.
    path: Option<String>,
    /// Only files whose path fits, such as `*.rs` or `src/**/*.ts`.
    glob: Option<String>,
    /// Default false.
    ignore_case: Option<bool>,
    /// Take `pattern` as plain text. Default false.
    literal: Option<bool>,
    /// Lines around each match, at most 20. Default 0.
    context: Option<usize>,
    /// Most matches wanted. Default 100, at most 1000.
    limit: Option<usize>,
}

/// Matches, by path and line.
#[derive(Deserialize)]
struct Found {
    matches: Vec<Match>,
    /// There are more.
    truncated: bool,
    #[serde(default)]
    notice: Option<String>,
}

#[derive(Deserialize)]
struct Match {
    path: String,
    /// From 1.
    line: usize,
    text: String,
    #[serde(default)]
    before: Vec<String>,
    #[serde(default)]
    after: Vec<String>,
}

impl Found {
    /// Leaves out what one answer has no room for.
    fn fit(&mut self) -> serde_json::Result<()> {
        let mut said = Vec::new();
        if let Some(first) = self.matches.first_mut()
            && first.size() > LIST
        {
            (first.before, first.after) = (Vec::new(), Vec::new());
            said.push("The lines around the first match are too long for one answer.".to_owned());
        }
        let left_out = keep_fitting(&mut self.matches, LIST, |found| Ok(found.size()))?;
        if left_out > 0 {
            let more = if self.truncated { "and there are still more" } else { "and that is all" };
            said.push(format!(
                "One answer has no room for {left_out} more matches, {more}: narrow `pattern`, `path` or `glob`, or ask for less `context`."
            ));
            // It speaks of those that were found.
            self.notice = self.notice.take().filter(|_| !self.truncated);
            self.truncated = true;
        }
        said.extend(self.notice.take());
        self.notice = (!said.is_empty()).then(|| said.join(" "));
        Ok(())
    }

    /// Below the path of each file its lines, every one once, as `ripgrep` shows them.
    fn text(&self) -> String {
        let mut text = String::new();
        let around = self.matches.iter().any(|found| !found.before.is_empty() || !found.after.is_empty());
        for (index, file) in self.matches.chunk_by(|one, next| one.path == next.path).enumerate() {
            let parted = if index == 0 { "" } else { "\n" };
            // A string takes all.
            let _ = writeln!(text, "{parted}{}", in_one_line(&file[0].path));
            let mut last = 0;
            for (number, mark, line) in file.iter().enumerate().flat_map(|(at, found)| {
                // What the next match shows is not for this one to show.
                let next = file.get(at + 1).map_or(usize::MAX, |next| next.line);
                found.lines().filter(move |(number, ..)| *number < next)
            }) {
                if number <= last {
                    continue;
                }
                if around && last > 0 && number > last + 1 {
                    text.push_str("--\n");
                }
                let _ = writeln!(text, "{number}{mark} {line}");
                last = number;
            }
        }
        if self.matches.is_empty() {
            text.push_str("No matches.\n");
        }
        let more = (self.truncated && self.notice.is_none()).then_some("There are more matches.");
        if let Some(said) = self.notice.as_deref().or(more) {
            let _ = writeln!(text, "\n{said}");
        }
        text
    }
}

/// Bytes of a line beside its text.
const NUMBER: usize = 10;

impl Match {
    /// Bytes that it takes, with the path as if it was the first of its file.
    fn size(&self) -> usize {
        let lines = self.lines().map(|(_, _, line)| json_len(line) + NUMBER);
        lines.sum::<usize>() + json_len(&self.path)
    }

    /// With those around it, each with its number and what it is.
    fn lines(&self) -> impl Iterator<Item = (usize, char, &str)> {
        let first = self.line.saturating_sub(self.before.len());
        let before = self.before.iter().enumerate().map(move |(at, line)| (first + at, '-', line));
        let after = self.after.iter().enumerate().map(|(at, line)| (self.line + 1 + at, '-', line));
        let all = before.chain([(self.line, ':', &self.text)]).chain(after);
        all.map(|(number, mark, line)| (number, mark, line.as_str()))
    }
}

fn answer(result: Value, _: Asked<'_>) -> serde_json::Result<Answer> {
    let mut found: Found = serde_json::from_value(result)?;
    found.fit()?;
    Ok(Answer::text(found.text()))
}
