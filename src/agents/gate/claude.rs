//! Claude Code: hooks, as documented at <https://code.claude.com/docs/en/hooks> and recorded from version
//! 2.1.331.
//!
//! Claude Code searches the old text of an `Edit` itself before it reports the call. A call whose text is not
//! found is only reported afterwards, in `PostToolBatch`, with the error that the model was shown.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::call::{Arguments, Replacement};
use super::program::{Dialect, exit_code_after, last_model};
use super::reader::Reader;
use super::{Event, Fields, Reply, Step, ToolCall, Unknown, reply};

const NAME: &str = "Claude Code";

pub(super) const DIALECT: Dialect = Dialect {
    name: "claude",
    title: NAME,
    author: "claude-code",
    tested: "2.1.331",
    before: "PreToolUse",
    decode,
    encode,
    model_in: |lines| last_model(lines, "assistant", "/message/model"),
};

/// Beginning of the names of the tools of `editd mcp`, as Claude Code shows them to its model.
const SERVER: &str = "mcp__editd__";

/// Beginning of the result that the model is shown if a tool has refused its arguments.
const TOOL_ERROR: &str = "<tool_use_error>";

/// The error of an `Edit` whose text is not in the file, or is there more than once.
const NOT_FOUND: [&str; 2] = ["String to replace not found in file", "matches of the string to replace"];

const EDIT: Replacement =
    Replacement { old: "old_string", new: "new_string", all: "replace_all", removes_line_end: true };

fn decode(event: &Value) -> Result<Option<Event>, Unknown> {
    let read = Reader::new(NAME, event);
    let name = read.text("hook_event_name")?;
    let cwd = Path::new(event["cwd"].as_str().unwrap_or_default());
    let step = match (name, event["tool_name"].as_str()) {
        ("PreToolUse", Some(tool)) if tool.starts_with(SERVER) => {
            Some(Step::Announced { tool_call: read.text("tool_use_id")?.to_owned() })
        }
        ("PreToolUse", Some("Bash")) => Some(Step::Command {
            tool_call: read.text("tool_use_id")?.to_owned(),
            command: read.inner("tool_input").text("command")?.to_owned(),
        }),
        (after @ ("PostToolUse" | "PostToolUseFailure"), Some("Bash")) => {
            let failure = event["error"].as_str().unwrap_or_default();
            let exit_code =
                if after == "PostToolUse" { Some(0) } else { exit_code_after(failure, "Exit code ") };
            Some(Step::CommandDone { tool_call: read.text("tool_use_id")?.to_owned(), exit_code })
        }
        ("PreToolUse", Some(tool)) => {
            let call = call(tool, read.text("tool_use_id")?, read.fields("tool_input")?, cwd)?;
            call.map(|call| Step::Before(Box::new(call)))
        }
        ("PostToolUse", Some("Read")) => shown(&read.inner("tool_response"))?,
        (after @ ("PostToolUse" | "PostToolUseFailure"), Some("Edit" | "Write" | "NotebookEdit")) => {
            let failed = after == "PostToolUseFailure";
            Some(Step::After { tool_call: read.text("tool_use_id")?.to_owned(), failed })
        }
        ("PostToolBatch", _) => not_found(read.list("tool_calls")?, cwd)?,
        _ => None,
    };
    let Some(step) = step else { return Ok(None) };
    Ok(Some(Event {
        name: name.to_owned(),
        session: read.text("session_id")?.to_owned(),
        agent: read.optional("agent_id"),
        turn: read.optional("prompt_id"),
        model: None,
        transcript: transcript(&read),
        cwd: read.text("cwd")?.into(),
        paths: paths(event, cwd),
        step,
    }))
}

/// Returns the file in which Claude Code stores the messages of the agent or sub-agent.
fn transcript(event: &Reader<'_>) -> Option<PathBuf> {
    let of_session = PathBuf::from(event.optional("transcript_path")?);
    Some(match event.optional("agent_id") {
        Some(agent) => of_session.with_extension("").join(format!("subagents/agent-{agent}.jsonl")),
        None => of_session,
    })
}

/// Returns the files that the call or the calls of an event name.
fn paths(event: &Value, cwd: &Path) -> Vec<PathBuf> {
    let calls = event["tool_calls"].as_array().into_iter().flatten().chain([event]);
    let names = calls.flat_map(|call| {
        ["file_path", "notebook_path"].into_iter().filter_map(|name| call["tool_input"][name].as_str())
    });
    names.map(|name| cwd.join(name)).collect()
}

/// Reads a call of a tool. Returns `None` if the tool changes no file.
fn call(tool: &str, id: &str, input: &Fields, cwd: &Path) -> Result<Option<ToolCall>, Unknown> {
    let arguments = Arguments { client: NAME, id: id.to_owned(), input, cwd };
    Ok(Some(match tool {
        "Edit" => arguments.replacement("file_path", EDIT)?,
        "Write" => arguments.content("file_path", "content", false)?,
        "NotebookEdit" => arguments.cell("notebook_path")?,
        _ => return Ok(None),
    }))
}

fn shown(response: &Reader<'_>) -> Result<Option<Step>, Unknown> {
    let file = response.inner("file");
    // Images and unchanged files are reported in other forms.
    Ok(match response.object["type"].as_str() {
        Some("text") => {
            Some(Step::Shown { text: file.text("content")?.to_owned(), offset: file.number("startLine")? })
        }
        Some("notebook") => {
            let source = |cell: &Value| Reader::new(NAME, cell).text("source").map(str::to_owned);
            Some(Step::ShownCells(file.list("cells")?.iter().map(source).collect::<Result<_, _>>()?))
        }
        _ => None,
    })
}

fn not_found(calls: &[Value], cwd: &Path) -> Result<Option<Step>, Unknown> {
    let failed = calls.iter().filter(|call| {
        let shown = call["tool_response"].as_str().unwrap_or_default();
        call["tool_name"] == "Edit"
            && shown.starts_with(TOOL_ERROR)
            && NOT_FOUND.iter().any(|error| shown.contains(error))
    });
    let read_call = |object: &Value| {
        let read = Reader::new(NAME, object);
        call("Edit", read.text("tool_use_id")?, read.fields("tool_input")?, cwd)
    };
    let calls: Vec<_> = failed.map(read_call).filter_map(Result::transpose).collect::<Result<_, _>>()?;
    Ok((!calls.is_empty()).then_some(Step::NotFound(calls)))
}

fn encode(event: &str, reply: Reply) -> Value {
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
        Reply::Done(text) => return encode(event, reply::as_refusal(&text)),
        Reply::Warn(warning) => return json!({ "systemMessage": warning }),
        Reply::Text(_) => return json!({}),
    }
    json!({ "hookSpecificOutput": output })
}
