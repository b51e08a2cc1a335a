use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::mcp::answer::Answer;
use crate::mcp::output::{in_one_line, uri_if_needed};
use crate::mcp::schema;
use crate::mcp::size::{LIST, fit_texts, keep_fitting_by, size};
use crate::protocol::{Changes, ChangesResult, Method, json_len};

use super::{Effect, Request, Tool};

pub(super) const TOOL: Tool = Tool {
    name: "changes",
    title: "See what others changed",
    description: "Show what people and programs changed in the files you have read here, as diffs; unsaved typing \
        counts. What is shown whole counts as read; a file whose diff is cut (an answer has 32,000 bytes) has to be read again. Of \
        files that you have not read nothing is told.",
    instead: &[],
    effect: Effect::Reads,
    input: schema::input::<Input>,
    output: Some(schema::output::<Output>),
    is_basic: false,
    request: |params| Request { method: Changes::NAME, params, waits: false, answer },
};

#[expect(dead_code, reason = "only its schema is used: arguments go to the daemon as they are")]
#[derive(JsonSchema)]
struct Input {
    /// `cursor` of an earlier result, to see all since then once more. Default: only what you were not shown yet.
    since: Option<u64>,
}

/// Files that are not what they were.
#[derive(Serialize, JsonSchema)]
struct Output {
    cursor: u64,
    files: Vec<File>,
    #[serde(skip_serializing_if = "Option::is_none")]
    notice: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct File {
    path: String,
    /// Names it where the path is no text.
    #[serde(skip_serializing_if = "Option::is_none")]
    uri: Option<String>,
    /// An author, `editor` for a person who typed, `disk` for another program.
    by: String,
    /// Of the file now; absent if it is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    hash: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<String>,
}

fn answer(result: Value) -> serde_json::Result<Answer> {
    let ChangesResult { cursor, files } = serde_json::from_value(result)?;
    let files = files.into_iter().map(|file| File {
        uri: uri_if_needed(&file.path, &file.uri),
        path: file.path,
        by: file.by,
        hash: file.hash,
        diff: file.diff,
    });
    let mut output = Output { cursor, files: files.collect(), notice: None };
    let given: Vec<_> =
        output.files.iter().map(|file| (file.path.clone(), file.diff.as_ref().map(String::len))).collect();
    let left_out = keep_fitting_by(&mut output.files, LIST / 2, |file| {
        Ok(size(file)? - file.diff.as_deref().map_or(0, json_len))
    })?;
    output.notice = (left_out > 0).then(|| {
        format!("One answer has no room for {left_out} more files: read a file again before you change it.")
    });
    fit_texts(&mut output, |output| output.files.iter_mut().filter_map(|file| file.diff.as_mut()).collect())?;
    // What is not shown whole has to be read again before it counts as seen.
    let shown =
        |path: &str| output.files.iter().find(|file| file.path == path)?.diff.as_ref().map(String::len);
    let is_cut = |(path, length): &(String, Option<usize>)| length.is_none() || shown(path) != *length;
    let unseen = given.into_iter().filter(is_cut).map(|(path, _)| path).collect();
    let mut text = String::new();
    for File { path, by, hash, diff, .. } in &output.files {
        let now = hash.as_ref().map_or_else(|| "gone".to_owned(), |hash| format!("hash {hash}"));
        // A string takes all.
        let _ = writeln!(text, "{}, changed by {}, now {now}", in_one_line(path), in_one_line(by));
        text.push_str(diff.as_deref().unwrap_or("(no diff: read the file to see what it is)\n"));
    }
    if output.files.is_empty() {
        text.push_str("Nobody else has changed the files you have read.\n");
    }
    if let Some(notice) = &output.notice {
        let _ = writeln!(text, "{notice}");
    }
    let _ = writeln!(text, "cursor {cursor}");
    Ok(Answer::new(text, &output)?.with_unseen(unseen))
}
