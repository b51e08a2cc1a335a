use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::mcp::answer::Answer;
use crate::mcp::output::in_one_line;
use crate::mcp::schema;
use crate::mcp::size::{LIST, keep_fitting};
use crate::protocol::{Method, Search, json_len};

use super::{AnswerOptions, Effect, Request, Tool};

pub(super) const TOOL: Tool = Tool {
    name: "search",
    title: "Search in files",
    description: "Search the text of files by regular expression, line by line, unsaved editor text included. Skips \
        ignored files (.gitignore), binary files and version-control data. At most `limit` matches and 32,000 \
        bytes, by path; lines are cut at 2,000 characters. The last line says if there are more: narrow it by \
        `path` or `glob`. A search is not a read: read a file before you change it.",
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
    /// Only files whose path matches, such as `*.rs` or `src/**/*.ts`.
    glob: Option<String>,
    /// Default false.
    ignore_case: Option<bool>,
    /// Treat `pattern` as plain text. Default false.
    literal: Option<bool>,
    /// Lines around each match, at most 20. Default 0.
    context: Option<usize>,
    /// Maximum number of matches. Default 100, at most 1000.
    limit: Option<usize>,
}

/// Matches, sorted by path and line.
#[derive(Deserialize)]
struct Found {
    matches: Vec<Match>,
    /// `true` if there are more.
    truncated: bool,
    #[serde(default)]
    notice: Option<String>,
}

#[derive(Deserialize)]
struct Match {
    path: String,
    /// Line number, from 1.
    line: usize,
    text: String,
    #[serde(default)]
    before: Vec<String>,
    #[serde(default)]
    after: Vec<String>,
}

impl Found {
    /// Reduces the matches to the maximum size of an answer.
    fn fit(&mut self) -> serde_json::Result<()> {
        let mut notices = Vec::new();
        if let Some(first) = self.matches.first_mut()
            && first.size() > LIST
        {
            (first.before, first.after) = (Vec::new(), Vec::new());
            notices.push("The lines around the first match are too long for one answer.".to_owned());
        }
        let left_out = keep_fitting(&mut self.matches, LIST, |found| Ok(found.size()))?;
        if left_out > 0 {
            let more = if self.truncated { "and there are still more" } else { "and that is all" };
            notices.push(format!(
                "One answer has no room for {left_out} more matches, {more}: narrow `pattern`, `path` or `glob`, or ask for less `context`."
            ));
            // The daemon's notice refers to the number of found matches, which is no longer correct.
            self.notice = self.notice.take().filter(|_| !self.truncated);
            self.truncated = true;
        }
        notices.extend(self.notice.take());
        self.notice = (!notices.is_empty()).then(|| notices.join(" "));
        Ok(())
    }

    /// Formats the lines of each file under its path, each line once, as `ripgrep` does.
    fn text(&self) -> String {
        let mut text = String::new();
        let has_context =
            self.matches.iter().any(|found| !found.before.is_empty() || !found.after.is_empty());
        for (index, file) in self.matches.chunk_by(|one, next| one.path == next.path).enumerate() {
            let separator = if index == 0 { "" } else { "\n" };
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{separator}{}", in_one_line(&file[0].path));
            let mut last = 0;
            for (number, mark, line) in file.iter().enumerate().flat_map(|(at, found)| {
                // Lines from the next match on belong to that match.
                let next = file.get(at + 1).map_or(usize::MAX, |next| next.line);
                found.lines().filter(move |(number, ..)| *number < next)
            }) {
                if number <= last {
                    continue;
                }
                if has_context && last > 0 && number > last + 1 {
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
        if let Some(notice) = self.notice.as_deref().or(more) {
            let _ = writeln!(text, "\n{notice}");
        }
        text
    }
}

/// Size of a line without its text, in bytes.
const NUMBER: usize = 10;

impl Match {
    /// Returns the size in an answer, including the path as for the first match of a file.
    fn size(&self) -> usize {
        let lines = self.lines().map(|(_, _, line)| json_len(line) + NUMBER);
        lines.sum::<usize>() + json_len(&self.path)
    }

    /// Returns the match and its context lines, each with its number and mark.
    fn lines(&self) -> impl Iterator<Item = (usize, char, &str)> {
        let first = self.line.saturating_sub(self.before.len());
        let before = self.before.iter().enumerate().map(move |(at, line)| (first + at, '-', line));
        let after = self.after.iter().enumerate().map(|(at, line)| (self.line + 1 + at, '-', line));
        let all = before.chain([(self.line, ':', &self.text)]).chain(after);
        all.map(|(number, mark, line)| (number, mark, line.as_str()))
    }
}

fn answer(result: Value, _: AnswerOptions<'_>) -> serde_json::Result<Answer> {
    let mut found: Found = serde_json::from_value(result)?;
    found.fit()?;
    Ok(Answer::text(found.text()))
}
