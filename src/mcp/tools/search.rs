use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::mcp::answer::Answer;
use crate::mcp::schema;
use crate::protocol::{Method, Search};

use super::{Effect, Request, Tool};

pub(super) const TOOL: Tool = Tool {
    name: "search",
    title: "Search in files",
    description: "Search the text of files by regular expression, line by line, unsaved editor text included. Ignored \
        files (.gitignore), binary files and version-control data are left out. At most `limit` matches, by path; lines \
        are cut at 2,000 characters. `truncated` says that there are more: narrow it by `path` or `glob`. It is no \
        reading: read a file before you change it.",
    instead: &[("find", "To find files by name use `find`.")],
    effect: Effect::Reads,
    input: schema::input::<Input>,
    output: schema::output::<Output>,
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
#[derive(Deserialize, Serialize, JsonSchema)]
struct Output {
    matches: Vec<Match>,
    /// There are more.
    truncated: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    notice: Option<String>,
}

#[derive(Deserialize, Serialize, JsonSchema)]
struct Match {
    path: String,
    /// From 1.
    line: usize,
    text: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    before: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    after: Vec<String>,
}

fn answer(result: Value) -> serde_json::Result<Answer> {
    let output: Output = serde_json::from_value(result)?;
    let mut text = String::new();
    let mut file = "";
    for found in &output.matches {
        // A string takes all.
        if found.path != file {
            let _ = writeln!(text, "{}{}", if file.is_empty() { "" } else { "\n" }, found.path);
            file = &found.path;
        }
        let first = found.line.saturating_sub(found.before.len());
        for (index, line) in found.before.iter().enumerate() {
            let _ = writeln!(text, "{}- {line}", first + index);
        }
        let _ = writeln!(text, "{}: {}", found.line, found.text);
        for (index, line) in found.after.iter().enumerate() {
            let _ = writeln!(text, "{}- {line}", found.line + 1 + index);
        }
    }
    if output.matches.is_empty() {
        text.push_str("No matches.\n");
    }
    if output.truncated {
        text.push_str("\nThere are more matches.\n");
    }
    if let Some(notice) = &output.notice {
        let _ = writeln!(text, "{notice}");
    }
    Answer::new(text, &output)
}
