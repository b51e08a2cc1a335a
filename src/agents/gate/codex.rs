//! Codex: hooks in the form of Claude Code, recorded from version 0.169.0.
//!
//! Codex reads files through its shell, so its reads are not known: the lines of a patch that must be in the
//! file are what the model expects of it.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::call::Arguments;
use super::patch::paths;
use super::program::Dialect;
use super::reader::Reader;
use super::{Event, Reply, Step, Unknown, reply};
use editd_protocol::ToolLoss;

const NAME: &str = "Codex";

pub(super) const DIALECT: Dialect = Dialect {
    name: "codex",
    title: NAME,
    author: "codex",
    tested: "0.169.0",
    before: "PreToolUse",
    decode,
    encode,
    model_in: |_| None,
};

const TOOL: &str = "apply_patch";
const SHELL: &str = "Bash";

fn decode(event: &Value) -> Result<Option<Event>, Unknown> {
    let read = Reader::new(NAME, event);
    let name = read.text("hook_event_name")?;
    let cwd = Path::new(event["cwd"].as_str().unwrap_or_default());
    let agent = read.optional("agent_id");
    let step = match (name, event["tool_name"].as_str()) {
        ("UserPromptSubmit", _) if agent.is_none() => Step::Turn(read.text("turn_id")?.to_owned()),
        ("PreToolUse", Some(TOOL)) => {
            let (id, input) = (read.text("tool_use_id")?.to_owned(), read.fields("tool_input")?);
            let call = Arguments { client: NAME, id, input, cwd }.patch("command")?;
            Step::Before(Box::new(call.without_reads().losing(&[ToolLoss::MissingFinalNewline])))
        }
        ("PreToolUse", Some(SHELL)) => Step::Command {
            tool_call: read.text("tool_use_id")?.to_owned(),
            command: read.inner("tool_input").text("command")?.to_owned(),
        },
        ("PostToolUse", Some(SHELL)) => {
            Step::CommandDone { tool_call: read.text("tool_use_id")?.to_owned(), exit_code: None }
        }
        // A patch that fails is not reported.
        ("PostToolUse", Some(TOOL)) => {
            Step::After { tool_call: read.text("tool_use_id")?.to_owned(), failed: false }
        }
        _ => return Ok(None),
    };
    Ok(Some(Event {
        name: name.to_owned(),
        session: read.text("session_id")?.to_owned(),
        // The turn of a sub-agent is a part of that of the user.
        turn: read.optional("turn_id").filter(|_| agent.is_none()),
        agent,
        model: read.optional("model"),
        transcript: None,
        cwd: read.text("cwd")?.into(),
        paths: patched(event, cwd),
        step,
    }))
}

/// Returns the files that the patch of an event names.
fn patched(event: &Value, cwd: &Path) -> Vec<PathBuf> {
    let patch = event["tool_input"]["command"].as_str().filter(|_| event["tool_name"] == TOOL);
    paths(patch.unwrap_or_default(), cwd)
}

fn encode(event: &str, reply: Reply) -> Value {
    let mut output = json!({ "hookEventName": event });
    match reply {
        Reply::GoOn { input: None, context: None } | Reply::Text(_) => return json!({}),
        Reply::GoOn { input, context } => {
            // Codex takes other arguments only together with a permission. The daemon has refused files outside of
            // the project.
            if let Some(input) = input {
                output["permissionDecision"] = "allow".into();
                output["updatedInput"] = input.into();
            }
            if let Some(context) = context {
                output["additionalContext"] = context.into();
            }
        }
        Reply::Refuse(reason) => {
            output["permissionDecision"] = "deny".into();
            output["permissionDecisionReason"] = reason.into();
        }
        Reply::Done(text) => return encode(event, reply::as_refusal(&text)),
        Reply::Warn(warning) => return json!({ "systemMessage": warning }),
    }
    json!({ "hookSpecificOutput": output })
}
