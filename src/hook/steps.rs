use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};

use crate::gate::{self, Event, Reply, Step, ToolCall};
use crate::protocol::{
    NativeCall, NativeDone, NativeEdit, NativeEditResult, NativeRead, NativeTurn, Read, RunBegin, RunEnd,
    RunEndParams, ToolLoss,
};
use crate::text::ContentHash;
use crate::transport::{CallError, Client, Identity, Target, allowed_root, whole_text};
use crate::workspace::Role;

use super::{Abort, Hook, HookError, Notice};

/// Maximum time to wait for a person's decision. Agent programs stop a hook after 600 seconds at most, and
/// then run the tool as if there were no hook.
const DECISION: Duration = Duration::from_secs(570);
/// Maximum time to wait for a person's decision after a tool has failed, in milliseconds.
const MAX_WAIT: u64 = 10_000;
/// Maximum time for a request that waits for no decision.
const REQUEST: Duration = Duration::from_secs(15);
/// Text for the model after a command that has failed where commands cannot write.
const CANNOT_WRITE: &str = "Commands cannot change the files of this project here, except those that .gitignore excludes. Change files with your edit tools; editd then writes them.";
/// Maximum length of the name of a session, in bytes.
const SESSION_NAME: usize = 64;

impl Hook {
    /// Sends the requests for an event to the daemon.
    pub(super) fn ask(&self, event: &Event, abort: &Abort) -> Result<Reply, HookError> {
        let roots = roots(event);
        // The call has the roots of the server, and is announced for any folder.
        if roots.is_empty() && !matches!(event.step, Step::Announced { .. }) {
            return Ok(Reply::PASS);
        }
        let mut client = self.connect(event, roots)?;
        abort.watch(&client).map_err(CallError::Io)?;
        match &event.step {
            Step::Turn(turn) => {
                client.call::<NativeTurn>(&json!({ "turn": turn }))?;
                Ok(Reply::PASS)
            }
            Step::Shown { text, offset } => {
                let params = json!({ "path": event.paths.first(), "text": text, "offset": offset });
                let unsaved = client.call::<NativeRead>(&params)?.unsaved;
                Ok(Reply::GoOn { input: None, context: unsaved.as_deref().map(gate::unsaved) })
            }
            Step::ShownCells(sources) => {
                client.call::<NativeRead>(&json!({ "path": event.paths.first(), "cells": sources }))?;
                Ok(Reply::PASS)
            }
            Step::Unsaved => unsaved(&mut client, event),
            Step::Before(call) => {
                client.set_timeout(DECISION + REQUEST).map_err(CallError::Io)?;
                let wait = ("waitMs", json!(DECISION.as_millis() as u64));
                let result = client.call::<NativeEdit>(&self.params(event, call, wait))?;
                Ok(gate::reply(call, &result))
            }
            Step::After { tool_call, failed } => {
                let params = json!({ "toolCall": tool_call, "failed": failed, "model": event.model });
                let done = client.call::<NativeDone>(&params)?;
                let different = (!done.different.is_empty() && done.transaction.is_some()).then(|| {
                    let files = done.different.join("`, `");
                    format!("The content of `{files}` is not the result of this edit alone. Read it again before you rely on it.")
                });
                let remarks =
                    if self.program.shows_context_before() { None } else { gate::remarks(&done.remarks) };
                Ok(context([remarks, different, gate::decisions(&done.decisions)]))
            }
            Step::Command { tool_call, command } => self.begin_run(&mut client, event, (tool_call, command)),
            Step::CommandDone { tool_call, exit_code } => {
                let (tool_call, exit_code) = (Some(tool_call.clone()), *exit_code);
                let params = RunEndParams { tool_call, exit_code, ..RunEndParams::default() };
                let ended = client.call::<RunEnd>(&params)?;
                let has_failed = exit_code.is_some_and(|code| code != 0);
                let cannot_write = (self.is_enforced && has_failed).then(|| CANNOT_WRITE.to_owned());
                Ok(context([cannot_write, gate::decisions(&ended.decisions)]))
            }
            Step::Announced { tool_call } => {
                client.call::<NativeCall>(&json!({ "origin": origin(event, tool_call) }))?;
                Ok(Reply::PASS)
            }
            Step::NotFound(calls) => {
                let advice = calls.iter().map(|call| self.advice(&mut client, event, call));
                let advice: Vec<_> = advice.collect::<Result<_, _>>()?;
                Ok(Reply::GoOn { input: None, context: Some(advice.join("\n\n")) })
            }
        }
    }

    /// Reports that a command begins. If its changes cannot be recorded, it runs all the same, and the user is warned.
    fn begin_run(
        &self,
        client: &mut Client,
        event: &Event,
        (tool_call, command): (&str, &str),
    ) -> Result<Reply, HookError> {
        let turn_of = event.turn.is_none().then(|| self.session_name(&event.session, None));
        let params = json!({ "command": command, "origin": origin(event, tool_call), "turnOf": turn_of });
        let begun = client.call::<RunBegin>(&params)?;
        Ok(begun.reason.map_or(Reply::PASS, |reason| self.unrecorded(event, &reason, Notice::Once)))
    }

    /// Returns what the model should know about a call whose text its tool has not found.
    fn advice(&self, client: &mut Client, event: &Event, call: &ToolCall) -> Result<String, HookError> {
        let mut request = |option| match client.call::<NativeEdit>(&self.params(event, call, option)) {
            Err(CallError::Refused(refusal)) => Ok(Err(gate::refusal(&refusal))),
            result => Ok::<_, HookError>(Ok(result?)),
        };
        let found = match request(("preview", true.into()))? {
            Ok(found) if found.state == NativeEditResult::BY_EDITD => request(("waitMs", MAX_WAIT.into()))?,
            found => found,
        };
        Ok(found.map_or_else(|refusal| refusal, |found| gate::advice(call, &found)))
    }

    /// Returns the parameters of `editd/nativeEdit` for a call, with another one.
    fn params(&self, event: &Event, call: &ToolCall, (name, value): (&str, Value)) -> Value {
        let mut params = call.params.clone();
        params["origin"] = origin(event, &call.id);
        if self.is_enforced {
            params["toolLoses"] = json!([ToolLoss::Writing]);
        }
        if event.turn.is_none() {
            params["turnOf"] = self.session_name(&event.session, None).into();
        }
        params[name] = value;
        params
    }

    fn connect(&self, event: &Event, roots: Vec<PathBuf>) -> Result<Client, HookError> {
        // A text that a tool only might show counts as read in no session.
        let is_read_only = event.step == Step::Unsaved;
        let session = self.session_name(&event.session, event.agent.as_deref());
        let identity = Identity {
            name: self.program.author().to_owned(),
            roots,
            new_file: true,
            session: (!is_read_only).then_some(session),
            resumes: !is_read_only,
            ..Identity::own(None)
        };
        let client = Client::connect_as(&self.places, Role::Agent, self.spawn, &identity)?;
        client.set_timeout(REQUEST).map_err(CallError::Io)?;
        Ok(client)
    }

    /// Returns the name of the session in editd: one for each agent and sub-agent.
    pub(super) fn session_name(&self, session: &str, agent: Option<&str>) -> String {
        let agent = agent.map(|agent| format!(".{agent}")).unwrap_or_default();
        let name = format!("{}-{session}{agent}", self.program.name());
        let is_plain = name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
        if is_plain && name.len() <= SESSION_NAME {
            return name;
        }
        let hash = ContentHash::of(name.as_bytes()).to_string();
        format!("{}-{}", self.program.name(), hash.trim_start_matches("b3:"))
    }
}

/// Returns the text of a file that an editor has not saved, if there is one.
/// Returns the reply that lets the tool go on, and gives the model the texts.
fn context(texts: impl IntoIterator<Item = Option<String>>) -> Reply {
    let texts: Vec<_> = texts.into_iter().flatten().collect();
    Reply::GoOn { input: None, context: (!texts.is_empty()).then(|| texts.join("\n")) }
}

fn unsaved(client: &mut Client, event: &Event) -> Result<Reply, HookError> {
    let Some(path) = event.paths.first() else { return Ok(Reply::PASS) };
    let Ok(target) = Target::of_file(path) else { return Ok(Reply::PASS) };
    let first = client.call::<Read>(&json!({ "uri": target.uri(), "limit": 1 }))?;
    if first.source != "editor" {
        return Ok(Reply::PASS);
    }
    let whole = whole_text(&target, &first.hash, |params| client.call::<Read>(params))?;
    Ok(whole.filter(|whole| !whole.is_truncated).map_or(Reply::PASS, |whole| Reply::Text(whole.text)))
}

/// Returns the place of a call in the work of the program.
fn origin(event: &Event, tool_call: &str) -> Value {
    json!({ "turn": event.turn, "agent": event.agent, "model": event.model, "toolCall": tool_call })
}

/// Returns the folders that the tool works in: the projects of the working folder and of the named files.
fn roots(event: &Event) -> Vec<PathBuf> {
    let mut roots = Vec::new();
    for path in event.paths.iter().cloned().chain([event.cwd.clone()]) {
        let Ok(target) = Target::of_file(&path) else { continue };
        // A single file in the home folder is its own root.
        let root = if target.root == target.path && target.path.is_file() {
            Some(target.root)
        } else {
            allowed_root(target.root)
        };
        roots.extend(root.filter(|root| !roots.contains(root)));
    }
    roots
}
