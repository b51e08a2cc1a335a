//! Gemini CLI: hooks, as documented in its `docs/hooks` and recorded from version 0.61.0.
//!
//! Its events have no id of a call, no turn and no name of a sub-agent. A call is named after its tool and file,
//! because the tools of a session that change files run one after the other. The turn is the last prompt.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::call::{Arguments, Replacement};
use super::program::{Dialect, exit_code_after, last_model};
use super::reader::Reader;
use super::{Event, Reply, Step, ToolCall, Unknown, reply};
use editd_text::ContentHash;

const NAME: &str = "Gemini CLI";

pub(super) const DIALECT: Dialect = Dialect {
    name: "gemini",
    title: NAME,
    author: "gemini-cli",
    tested: "0.61.0",
    before: "BeforeTool",
    decode,
    encode,
    model_in: |lines| last_model(lines, "gemini", "/model"),
};

/// The tool that runs commands.
const SHELL: &str = "run_shell_command";

const REPLACE: Replacement =
    Replacement { old: "old_string", new: "new_string", all: "allow_multiple", removes_line_end: false };

/// The line before the text of a file that is shown in part.
const PART: &str = "--- FILE CONTENT (truncated) ---\n";

fn decode(event: &Value) -> Result<Option<Event>, Unknown> {
    let read = Reader::new(NAME, event);
    let name = read.text("hook_event_name")?;
    let cwd = Path::new(event["cwd"].as_str().unwrap_or_default());
    let session = event["session_id"].as_str().unwrap_or_default();
    let step = match (name, event["tool_name"].as_str()) {
        ("BeforeAgent", _) => Some(Step::Turn(turn(session, read.text("timestamp")?))),
        ("BeforeTool", Some(tool @ ("replace" | "write_file"))) => {
            Some(Step::Before(Box::new(call(&read, tool, cwd)?)))
        }
        ("AfterTool", Some(tool @ ("replace" | "write_file"))) => {
            let tool_call = id(tool, &read.inner("tool_input"), cwd)?;
            Some(Step::After { tool_call, failed: event["tool_response"]["error"].is_object() })
        }
        ("BeforeTool", Some(SHELL)) => {
            let command = read.inner("tool_input").text("command")?.to_owned();
            Some(Step::Command { tool_call: command_id(&command), command })
        }
        ("AfterTool", Some(SHELL)) => {
            let command = read.inner("tool_input").text("command")?.to_owned();
            let shown = event["tool_response"]["llmContent"].as_str().unwrap_or_default();
            let exit_code = exit_code_after(shown, "\nExit Code: ").or(Some(0));
            Some(Step::CommandDone { tool_call: command_id(&command), exit_code })
        }
        ("AfterTool", Some("read_file")) => shown(&read.inner("tool_response"))?,
        _ => None,
    };
    let Some(step) = step else { return Ok(None) };
    Ok(Some(Event {
        name: name.to_owned(),
        session: read.text("session_id")?.to_owned(),
        agent: None,
        turn: None,
        model: None,
        transcript: read.optional("transcript_path").map(PathBuf::from),
        cwd: read.text("cwd")?.into(),
        paths: path(&read.inner("tool_input"), cwd).into_iter().collect(),
        step,
    }))
}

/// Returns an id for a turn: the time at which it begins is unique only in its session.
fn turn(session: &str, time: &str) -> String {
    let session = session.split('-').next().unwrap_or_default();
    format!("{session}-{time}")
}

fn path(input: &Reader<'_>, cwd: &Path) -> Option<PathBuf> {
    input.optional("file_path").map(|path| cwd.join(path))
}

fn id(tool: &str, input: &Reader<'_>, cwd: &Path) -> Result<String, Unknown> {
    let path = path(input, cwd).ok_or_else(|| input.unknown("file_path"))?;
    let hash = ContentHash::of(path.as_os_str().as_encoded_bytes()).to_string();
    Ok(format!("{tool}-{}", hash.trim_start_matches("b3:")))
}

/// Returns an id for the call of a shell: Gemini CLI sends none, and runs one command at a time.
fn command_id(command: &str) -> String {
    let hash = ContentHash::of(command.as_bytes()).to_string();
    format!("{SHELL}-{}", hash.trim_start_matches("b3:"))
}

fn call(read: &Reader<'_>, tool: &str, cwd: &Path) -> Result<ToolCall, Unknown> {
    let id = id(tool, &read.inner("tool_input"), cwd)?;
    let arguments = Arguments { client: NAME, id, input: read.fields("tool_input")?, cwd };
    match tool {
        "replace" => arguments.replacement("file_path", REPLACE),
        _ => arguments.content("file_path", "content", true),
    }
}

/// Returns the lines that `read_file` has shown.
fn shown(response: &Reader<'_>) -> Result<Option<Step>, Unknown> {
    // Images are reported in another form.
    let Some(content) = response.object["llmContent"].as_str() else { return Ok(None) };
    if response.object["error"].is_object() {
        return Ok(None);
    }
    let Some((header, text)) = content.split_once(PART) else {
        return Ok(Some(Step::Shown { text: content.to_owned(), offset: 1 }));
    };
    let first =
        header.split_once("Showing lines ").and_then(|(_, rest)| rest.split('-').next()?.parse().ok());
    let offset = first.ok_or_else(|| response.unknown("llmContent"))?;
    Ok(Some(Step::Shown { text: text.to_owned(), offset }))
}

fn encode(event: &str, reply: Reply) -> Value {
    let mut output = json!({ "hookEventName": event });
    match reply {
        Reply::GoOn { input: None, context: None } | Reply::Text(_) => return json!({}),
        Reply::GoOn { input, context } => {
            if let Some(input) = input {
                output["tool_input"] = input.into();
            }
            if let Some(context) = context {
                output["additionalContext"] = context.into();
            }
        }
        Reply::Refuse(reason) => return json!({ "decision": "deny", "reason": reason }),
        Reply::Done(text) => return encode(event, reply::as_refusal(&text)),
        Reply::Warn(warning) => return json!({ "systemMessage": warning }),
    }
    json!({ "hookSpecificOutput": output })
}
