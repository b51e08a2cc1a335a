use std::fmt::Write as _;

use schemars::JsonSchema;
use serde_json::Value;

use crate::mcp::answer::Answer;
use crate::mcp::output::{in_one_line, uri_if_needed};
use crate::mcp::schema;
use crate::mcp::size::{LIST, fit_texts, keep_fitting};
use crate::protocol::{ChangedFile, Changes, ChangesResult, Method, json_len};

use super::{AnswerOptions, Effect, Request, Tool};

pub(super) const TOOL: Tool = Tool {
    name: "changes",
    title: "See what others changed",
    description: "Show as diffs what people and programs changed in the files you have read here, unsaved edits \
        included. A complete diff counts as read; a file whose diff is cut (an answer has 32,000 bytes) must \
        be read again. Files that you have not read are not reported.",
    instead: &[],
    effect: Effect::Reads,
    input: schema::input::<Input>,
    is_basic: false,
    request: |params| Request { method: Changes::NAME, params, waits: false, answer },
};

#[expect(dead_code, reason = "only its schema is used: arguments go to the daemon as they are")]
#[derive(JsonSchema)]
struct Input {
    /// This file only. Default: all files you have read.
    path: Option<String>,
    /// `cursor` of an earlier result, to see all later changes again. Default: only changes not shown yet.
    since: Option<u64>,
}

fn answer(result: Value, _: AnswerOptions<'_>) -> serde_json::Result<Answer> {
    let ChangesResult { cursor, mut files } = serde_json::from_value(result)?;
    let received: Vec<_> =
        files.iter().map(|file| (file.path.clone(), file.diff.as_ref().map(String::len))).collect();
    let left_out = keep_fitting(&mut files, LIST / 2, |file| Ok(json_len(&head(file))))?;
    let heads = files.iter().map(|file| json_len(&head(file))).sum();
    fit_texts(heads, files.iter_mut().filter_map(|file| file.diff.as_mut()).collect());
    // A file whose diff is cut must be read again before it counts as read.
    let shown = |path: &str| files.iter().find(|file| file.path == path)?.diff.as_ref().map(String::len);
    let is_truncated = |(path, length): &(String, Option<usize>)| length.is_none() || shown(path) != *length;
    let unseen = received.into_iter().filter(is_truncated).map(|(path, _)| path).collect();
    let mut text = String::new();
    for file in &files {
        text.push_str(&head(file));
        text.push_str(file.diff.as_deref().unwrap_or("(no diff: read the file to see its content)\n"));
    }
    if files.is_empty() {
        text.push_str("No file that you have read was changed by others.\n");
    }
    // Writing to a string cannot fail.
    if left_out > 0 {
        let _ = writeln!(
            text,
            "One answer has no room for {left_out} more files: read a file again before you change it."
        );
    }
    let _ = writeln!(text, "cursor {cursor}");
    let about = files.into_iter().map(|file| file.path).collect();
    Ok(Answer::text(text).about(about).with_unseen(unseen))
}

/// Returns the heading of a diff.
fn head(file: &ChangedFile) -> String {
    let ChangedFile { path, uri, by, hash, .. } = file;
    let now = hash.as_ref().map_or_else(|| "gone".to_owned(), |hash| format!("hash {hash}"));
    let uri = uri_if_needed(path, uri).map(|uri| format!(", {uri}")).unwrap_or_default();
    format!("{}, changed by {}, now {now}{uri}\n", in_one_line(path), in_one_line(by))
}
