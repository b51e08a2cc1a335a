//! Claude Code: hooks, as documented at <https://code.claude.com/docs/en/hooks> and recorded from version
//! 2.1.331.
//!
//! Claude Code searches the old text of an `Edit` itself before it reports the call. A call whose text is not
//! found is only reported afterwards, in `PostToolBatch`, with the error that the model was shown.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::{Event, Form, Reader, Reply, Step, ToolCall, Unknown};

const NAME: &str = "Claude Code";

/// The event before a tool.
pub(super) const BEFORE: &str = "PreToolUse";

/// Beginning of the names of the tools of `editd mcp`, as Claude Code shows them to its model.
const SERVER: &str = "mcp__editd__";

/// Beginning of the result that the model is shown if a tool has refused its arguments.
const TOOL_ERROR: &str = "<tool_use_error>";

/// The error of an `Edit` whose text is not in the file, or is there more than once.
const NOT_FOUND: [&str; 2] = ["String to replace not found in file", "matches of the string to replace"];

pub(super) fn decode(event: &Value) -> Result<Option<Event>, Unknown> {
    let read = Reader { client: NAME, object: event };
    let name = read.text("hook_event_name")?;
    let step = match (name, event["tool_name"].as_str()) {
        ("PreToolUse", Some(tool)) if tool.starts_with(SERVER) => {
            Some(Step::Announced { tool_call: read.text("tool_use_id")?.to_owned() })
        }
        ("PreToolUse", Some(tool)) => {
            let call = call(tool, read.text("tool_use_id")?, read.fields("tool_input")?.clone())?;
            call.map(|call| Step::Before(Box::new(call)))
        }
        ("PostToolUse", Some("Read")) => shown(&read)?,
        (after @ ("PostToolUse" | "PostToolUseFailure"), Some("Edit" | "Write")) => {
            let failed = after == "PostToolUseFailure";
            Some(Step::After { tool_call: read.text("tool_use_id")?.to_owned(), failed })
        }
        ("PostToolBatch", _) => not_found(read.list("tool_calls")?)?,
        _ => None,
    };
    let Some(step) = step else { return Ok(None) };
    Ok(Some(Event {
        name: name.to_owned(),
        session: read.text("session_id")?.to_owned(),
        agent: read.optional("agent_id"),
        turn: read.optional("prompt_id"),
        model: None,
        cwd: read.text("cwd")?.into(),
        paths: paths(event),
        step,
    }))
}

/// Returns the files that the call or the calls of an event name.
fn paths(event: &Value) -> Vec<PathBuf> {
    let calls = event["tool_calls"].as_array().into_iter().flatten().chain([event]);
    let paths = calls.filter_map(|call| call["tool_input"]["file_path"].as_str());
    paths.map(PathBuf::from).collect()
}

/// Reads a call of a tool. Returns `None` if the tool changes no file.
fn call(tool: &str, id: &str, input: super::Fields) -> Result<Option<ToolCall>, Unknown> {
    let arguments = Value::from(input.clone());
    let read = Reader { client: NAME, object: &arguments };
    let (change, form) = match tool {
        "Edit" => {
            let (path, old) = (read.text("file_path")?, read.text("old_string")?);
            let new = read.text("new_string")?;
            // The tool creates a file by an edit of nothing.
            let change = if old.is_empty() {
                json!({ "changes": [{ "kind": "write", "path": path, "content": new }] })
            } else {
                let edit =
                    json!({ "oldText": old, "newText": new, "replaceAll": arguments["replace_all"] == true });
                json!({ "changes": [{ "kind": "edit", "path": path, "edits": [edit] }] })
            };
            let (old, new, all) = ("old_string", "new_string", "replace_all");
            (change, Form::Replacement { old, new, all, removes_line_end: true })
        }
        "Write" => {
            let (path, content) = (read.text("file_path")?, read.text("content")?);
            let change = json!({ "changes": [{ "kind": "write", "path": path, "content": content }] });
            (change, Form::Content { content: "content" })
        }
        _ => return Ok(None),
    };
    Ok(Some(ToolCall { id: id.to_owned(), input, change, form }))
}

fn shown(read: &Reader<'_>) -> Result<Option<Step>, Unknown> {
    let response = read.inner("tool_response");
    // Notebooks, images and unchanged files are reported in other forms.
    if response.object["type"] != "text" {
        return Ok(None);
    }
    let file = response.inner("file");
    let offset = file.object["startLine"].as_u64().ok_or_else(|| file.unknown("startLine"))?;
    Ok(Some(Step::Shown {
        text: file.text("content")?.to_owned(),
        offset: usize::try_from(offset).unwrap_or(usize::MAX),
    }))
}

fn not_found(calls: &[Value]) -> Result<Option<Step>, Unknown> {
    let failed = calls.iter().filter(|call| {
        let shown = call["tool_response"].as_str().unwrap_or_default();
        call["tool_name"] == "Edit"
            && shown.starts_with(TOOL_ERROR)
            && NOT_FOUND.iter().any(|error| shown.contains(error))
    });
    let read_call = |object: &Value| {
        let read = Reader { client: NAME, object };
        call("Edit", read.text("tool_use_id")?, read.fields("tool_input")?.clone())
    };
    let calls: Vec<_> = failed.map(read_call).filter_map(Result::transpose).collect::<Result<_, _>>()?;
    Ok((!calls.is_empty()).then_some(Step::NotFound(calls)))
}

pub(super) fn encode(event: &str, reply: Reply) -> Value {
    let mut output = json!({ "hookEventName": event });
    match reply {
        Reply::GoOn { input, context } => {
            // Without a decision, the permissions of the user apply, also to other arguments.
            if let Some(input) = input {
                output["updatedInput"] = input.into();
            }
            if let Some(context) = context {
                output["additionalContext"] = context.into();
            }
            if output.as_object().is_some_and(|output| output.len() == 1) {
                return json!({});
            }
        }
        Reply::Refuse(reason) => {
            output["permissionDecision"] = "deny".into();
            output["permissionDecisionReason"] = reason.into();
        }
        Reply::Warn(warning) => return json!({ "systemMessage": warning }),
    }
    json!({ "hookSpecificOutput": output })
}
