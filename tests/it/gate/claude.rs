//! The built-in tools of Claude Code pass through editd. The program itself is replaced by one that reports the
//! same events, accepts the same answers, and is stricter: it takes nothing but the documented members.

use std::cell::RefCell;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::{Machine, Workspace};

use super::tool::Server;

/// The outcome of a call of a tool.
#[derive(Debug, PartialEq)]
pub(super) struct Called {
    /// The reason why the tool did not run.
    pub(super) refused: Option<String>,
    /// Text that the model is shown besides the result.
    pub(super) context: String,
}

/// The way in which the program reports events.
#[derive(Clone, Copy, Debug)]
pub(super) enum Form {
    /// It starts `editd hook` for each of them.
    Command,
    /// It calls a tool of `editd mcp`.
    Server,
}

impl Form {
    pub(super) fn claude<'a>(self, machine: &'a Machine, workspace: &'a Workspace) -> Claude<'a> {
        let server = match self {
            Self::Command => None,
            Self::Server => Some(RefCell::new(Server::start(machine, workspace))),
        };
        Claude { server, ..Claude::new(machine, workspace) }
    }
}

pub(super) struct Claude<'a> {
    pub(super) machine: &'a Machine,
    pub(super) workspace: &'a Workspace,
    pub(super) agent: Option<&'a str>,
    pub(super) turn: &'a str,
    /// The server whose tool is called for each event.
    pub(super) server: Option<RefCell<Server>>,
}

impl<'a> Claude<'a> {
    pub(super) fn new(machine: &'a Machine, workspace: &'a Workspace) -> Self {
        Self { machine, workspace, agent: None, turn: "turn-1", server: None }
    }

    /// Reports an event. Returns the answer, or null if there is none.
    pub(super) fn report(&self, name: &str, mut event: Value) -> Value {
        event["hook_event_name"] = name.into();
        event["session_id"] = "0b1c7d2e-9a53-4c1b-8f0e-6d7a12f4b001".into();
        event["prompt_id"] = self.turn.into();
        event["transcript_path"] = self.transcript().to_str().into();
        event["cwd"] = self.workspace.root().to_str().into();
        if let Some(agent) = self.agent {
            event["agent_id"] = agent.into();
        }
        if let Some(server) = &self.server {
            return server.borrow_mut().report(&event);
        }
        let output = self.machine.run_with_input(&["hook", "claude"], &event.to_string());
        assert!(output.status.success(), "{output:?}");
        assert!(output.stderr.is_empty(), "{output:?}");
        if output.stdout.is_empty() {
            return Value::Null;
        }
        serde_json::from_slice(&output.stdout).expect("an answer")
    }

    /// Returns the file of the messages of the main agent.
    fn transcript(&self) -> PathBuf {
        self.machine.home().join("session.jsonl")
    }

    /// Adds a line of the form of a message of the model to the transcript of the agent or sub-agent.
    pub(super) fn says(&self, model: &str) {
        let file = match self.agent {
            Some(agent) => self.machine.home().join(format!("session/subagents/agent-{agent}.jsonl")),
            None => self.transcript(),
        };
        fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        let message = json!({ "type": "message", "role": "assistant", "model": model, "content": [] });
        let line = json!({ "isSidechain": self.agent.is_some(), "message": message, "type": "assistant" });
        let other = json!({ "type": "api-request-blob", "text": "x".repeat(2000) });
        let mut file = File::options().create(true).append(true).open(file).expect("a transcript");
        writeln!(file, "{line}\n{other}").expect("a line");
    }

    pub(super) fn read(&self, name: &str) {
        let text = self.workspace.text(name).replace("\r\n", "\n");
        self.read_part(name, &text, 1);
    }

    pub(super) fn read_part(&self, name: &str, text: &str, start: usize) {
        let path = self.workspace.absolute(name);
        let file = json!({ "filePath": path, "content": text, "startLine": start });
        let answer = self.report(
            "PostToolUse",
            json!({
                "tool_name": "Read", "tool_use_id": "read", "tool_input": { "file_path": path },
                "tool_response": { "type": "text", "file": file },
            }),
        );
        assert_eq!(answer, Value::Null);
    }

    pub(super) fn edit(&self, name: &str, old: &str, new: &str) -> Called {
        let path = self.workspace.absolute(name);
        let input = json!({ "file_path": path, "old_string": old, "new_string": new, "replace_all": false });
        self.call("Edit", &input, |input| {
            let text = fs::read_to_string(&path).expect("the file");
            let is_crlf = text.contains("\r\n");
            let text = text.replace("\r\n", "\n");
            let text_of = |name: &str| input[name].as_str().expect("a text").to_owned();
            let (old, new) = (text_of("old_string"), text_of("new_string"));
            assert_eq!(text.matches(&old).count(), 1, "the tool finds {old:?} once in {text:?}");
            let text = text.replacen(&old, &new, 1);
            fs::write(&path, if is_crlf { text.replace('\n', "\r\n") } else { text })
                .expect("the file is written");
        })
    }

    pub(super) fn write(&self, name: &str, content: &str) -> Called {
        let path = self.workspace.absolute(name);
        self.call("Write", &json!({ "file_path": path, "content": content }), |input| {
            fs::write(&path, input["content"].as_str().expect("a text")).expect("the file is written");
        })
    }

    fn call(&self, tool: &str, input: &Value, run: impl FnOnce(&Value)) -> Called {
        let id = format!("toolu_{}", input.to_string().len());
        let event = json!({ "tool_name": tool, "tool_use_id": id, "tool_input": input });
        let answer = self.report("PreToolUse", event.clone());
        let output = &answer["hookSpecificOutput"];
        assert!(output.is_null() || output["hookEventName"] == "PreToolUse", "{answer:#}");
        let mut context = output["additionalContext"].as_str().unwrap_or_default().to_owned();
        if output["permissionDecision"] == "deny" {
            let reason = output["permissionDecisionReason"].as_str().expect("a reason");
            return Called { refused: Some(reason.to_owned()), context };
        }
        let input = if output["updatedInput"].is_null() { input } else { &output["updatedInput"] };
        run(input);
        let after = self.report("PostToolUse", event);
        context.push_str(after["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default());
        Called { refused: None, context }
    }

    /// Reports an edit that the tool has refused, because it did not find the text. Returns the advice.
    pub(super) fn not_found(&self, name: &str, old: &str, new: &str) -> String {
        let path = self.workspace.absolute(name);
        let input = json!({ "file_path": path, "old_string": old, "new_string": new, "replace_all": false });
        let error = "<tool_use_error>String to replace not found in file.\nString: …</tool_use_error>";
        let call =
            json!({ "tool_name": "Edit", "tool_use_id": "t", "tool_input": input, "tool_response": error });
        let answer = self.report("PostToolBatch", json!({ "tool_calls": [call] }));
        answer["hookSpecificOutput"]["additionalContext"].as_str().expect("advice").to_owned()
    }
}

#[track_caller]
pub(super) fn made(called: &Called) {
    assert_eq!(*called, Called { refused: None, context: String::new() });
}

#[track_caller]
pub(super) fn refused(called: Called) -> String {
    called.refused.expect("the tool does not run")
}

pub(super) fn history(machine: &Machine, workspace: &Workspace) -> Vec<Value> {
    machine.agent(workspace).history()
}
