//! Requests and results of these tests.

use serde_json::{Value, json};

use crate::support::{Agent, Outcome, Workspace};

/// Returns the answer to `editd/search`.
#[track_caller]
pub(super) fn search(agent: &mut Agent, params: Value) -> Value {
    agent.call("editd/search", params).done()
}

/// Returns the matching lines as `path:line:text`, with paths from the root.
#[track_caller]
pub(super) fn lines(agent: &mut Agent, workspace: &Workspace, params: Value) -> Vec<String> {
    rows(&search(agent, params), workspace)
}

/// Returns the matching lines of an answer as `path:line:text`, with paths from the root.
#[track_caller]
pub(super) fn rows(answer: &Value, workspace: &Workspace) -> Vec<String> {
    let matches = answer["matches"].as_array().unwrap_or_else(|| panic!("no matches in {answer}"));
    let row = |found: &Value| {
        let (path, text) = (found["path"].as_str().expect("a path"), found["text"].as_str().expect("a text"));
        format!("{}:{}:{text}", below(path, workspace), found["line"])
    };
    matches.iter().map(row).collect()
}

/// Returns the paths that `editd/find` reports, from the root.
#[track_caller]
pub(super) fn find(agent: &mut Agent, workspace: &Workspace, pattern: &str) -> Vec<String> {
    let answer = agent.call("editd/find", json!({ "pattern": pattern })).done();
    paths(&answer, workspace)
}

/// Returns the entries that `editd/list` reports for a folder, as paths from the root.
#[track_caller]
pub(super) fn list(agent: &mut Agent, workspace: &Workspace, folder: &str) -> Vec<String> {
    let answer = agent.call("editd/list", json!({ "path": folder })).done();
    paths(&answer, workspace)
}

#[track_caller]
pub(super) fn paths(answer: &Value, workspace: &Workspace) -> Vec<String> {
    let entries = answer["entries"].as_array().unwrap_or_else(|| panic!("no entries in {answer}"));
    entries.iter().map(|entry| below(entry["path"].as_str().expect("a path"), workspace)).collect()
}

fn below(path: &str, workspace: &Workspace) -> String {
    let root = format!("{}/", workspace.root().display());
    path.strip_prefix(&root).unwrap_or(path).to_owned()
}

#[track_caller]
pub(super) fn notice(answer: &Value) -> &str {
    answer["notice"].as_str().unwrap_or_else(|| panic!("no notice in {answer}"))
}
