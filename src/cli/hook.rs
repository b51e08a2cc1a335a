//! `editd hook`: lets the built-in tools of an agent program pass through editd.
//!
//! The program starts this command before and after it runs a tool, with an event on standard input. The
//! command always succeeds: an error of editd must not stop the work of the agent, unless the user wants that.

mod notices;

use std::io::{self, Read as _, Write as _};
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};

use crate::config::Config;
use crate::gate::{self, AgentProgram, Event, Reply, Step, ToolCall};
use crate::protocol::{
    NativeCall, NativeDone, NativeEdit, NativeEditResult, NativeRead, NativeTurn, Read, RpcError,
};
use crate::text::ContentHash;
use crate::transport::{CallError, Client, ConnectError, Identity};
use crate::workspace::{Audience, Role};

use super::read::whole_text;
use super::serve::config_file;
use super::{CliError, Context, End, OUTSIDE, root, stream};

/// Maximum time to wait for a person's decision. Agent programs stop a hook after 600 seconds at most, and
/// then run the tool as if there were no hook.
const DECISION: Duration = Duration::from_secs(570);
/// Maximum time to wait for a person's decision after a tool has failed, in milliseconds.
const MAX_WAIT: u64 = 10_000;
/// Maximum time for a request that waits for no decision.
const REQUEST: Duration = Duration::from_secs(15);
/// Maximum size of an event, in bytes.
const MAX_EVENT: u64 = 64 << 20;
/// Maximum length of the name of a session, in bytes.
const SESSION_NAME: usize = 64;

/// An error because of which editd cannot say whether a tool may run.
#[derive(Debug, thiserror::Error)]
enum HookError {
    /// The daemon refused the request.
    #[error("{}", .0.message)]
    Refused(RpcError),
    /// The daemon cannot be reached.
    #[error("{0}")]
    Unreachable(String),
}

impl From<CallError> for HookError {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Refused(refusal) => Self::Refused(refusal),
            CallError::Io(error) => Self::Unreachable(error.to_string()),
        }
    }
}

impl From<ConnectError> for HookError {
    fn from(error: ConnectError) -> Self {
        match error {
            ConnectError::Refused(refusal) => Self::Refused(refusal),
            other => Self::Unreachable(other.to_string()),
        }
    }
}

/// `editd hook`.
pub(crate) fn hook(context: &Context, program: AgentProgram) -> Result<End, CliError> {
    let mut input = Vec::new();
    io::stdin().lock().take(MAX_EVENT).read_to_end(&mut input)?;
    let hook = Hook { context, program };
    let event: Value = match serde_json::from_slice(&input) {
        Ok(event) => event,
        // For instance half of a surrogate pair, or an event above the limit.
        Err(error) if program.is_before_tool(&input) => {
            let reason = format!(
                "editd cannot check this call: {error}. Send it again as valid Unicode, and in smaller parts if it is very long."
            );
            writeln!(stream::stdout(), "{}", program.encode_refusal(reason))?;
            return Ok(End::Done);
        }
        Err(_) => Value::Null,
    };
    let reply = match program.decode(&event) {
        Ok(Some(event)) => {
            let reply = hook.reply(&event);
            Some(program.encode(&event.name, reply))
        }
        Ok(None) => None,
        Err(unknown) => {
            notices::give_once(&context.places, &unknown.to_string());
            None
        }
    };
    if let Some(reply) = reply.filter(|reply| *reply != json!({})) {
        writeln!(stream::stdout(), "{reply}")?;
    }
    Ok(End::Done)
}

struct Hook<'a> {
    context: &'a Context,
    program: AgentProgram,
}

impl Hook<'_> {
    /// Returns the answer to an event.
    fn reply(&self, event: &Event) -> Reply {
        match self.ask(event) {
            Ok(reply) => reply,
            // The rules of the program itself apply to files outside of projects.
            Err(HookError::Refused(refusal)) if refusal.kind() == OUTSIDE => Reply::PASS,
            Err(HookError::Refused(refusal)) => match event.step {
                Step::Before(_) => Reply::Refuse(gate::refusal(&refusal)),
                _ => Reply::PASS,
            },
            Err(HookError::Unreachable(reason)) => self.without_daemon(event, &reason),
        }
    }

    fn ask(&self, event: &Event) -> Result<Reply, HookError> {
        let roots = roots(event);
        // The call has the roots of the server, and is announced for any folder.
        if roots.is_empty() && !matches!(event.step, Step::Announced { .. }) {
            return Ok(Reply::PASS);
        }
        let mut client = self.connect(event, roots)?;
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
                let done = client.call::<NativeDone>(&json!({ "toolCall": tool_call, "failed": failed }))?;
                let different = (!done.different.is_empty() && done.transaction.is_some()).then(|| {
                    let files = done.different.join("`, `");
                    format!("`{files}` has another content now than this edit alone would give. Read it again before you rely on it.")
                });
                let remarks =
                    if self.program.shows_context_before() { None } else { gate::remarks(&done.remarks) };
                let texts: Vec<_> = [remarks, different].into_iter().flatten().collect();
                Ok(Reply::GoOn { input: None, context: (!texts.is_empty()).then(|| texts.join("\n")) })
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
        if event.turn.is_none() {
            params["turnOf"] = session_name(self.program, &event.session, None).into();
        }
        params[name] = value;
        params
    }

    fn connect(&self, event: &Event, roots: Vec<PathBuf>) -> Result<Client, HookError> {
        // A text that a tool only might show counts as read in no session.
        let is_read_only = event.step == Step::Unsaved;
        let session = session_name(self.program, &event.session, event.agent.as_deref());
        let identity = Identity {
            name: self.program.author().to_owned(),
            roots,
            new_file: true,
            session: (!is_read_only).then_some(session),
            resumes: !is_read_only,
            audience: Audience::Wire,
        };
        let client = Client::connect_as(&self.context.places, Role::Agent, self.context.spawn, &identity)?;
        client.set_timeout(REQUEST).map_err(CallError::Io)?;
        Ok(client)
    }

    /// Returns the answer if the daemon cannot be reached: the tool runs, unless the user has decided that no
    /// change may pass editd.
    fn without_daemon(&self, event: &Event, reason: &str) -> Reply {
        let config = Config::load(config_file());
        let is_change = matches!(event.step, Step::Before(_));
        if is_change && !config.gate_fails_open() {
            return Reply::Refuse(format!(
                "editd must check this change, but {reason}. Ask the user to run `editd doctor`."
            ));
        }
        let session = session_name(self.program, &event.session, None);
        if is_change && notices::give_once(&self.context.places, &format!("{session}: {reason}")) {
            return Reply::Warn(format!(
                "editd does not check changes now: {reason}. `editd doctor` tells more."
            ));
        }
        Reply::PASS
    }
}

/// Returns the text of a file that an editor has not saved, if there is one.
fn unsaved(client: &mut Client, event: &Event) -> Result<Reply, HookError> {
    let Some(path) = event.paths.first() else { return Ok(Reply::PASS) };
    let Ok(target) = root::of_file(path) else { return Ok(Reply::PASS) };
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
        let Ok(target) = root::of_file(&path) else { continue };
        // A single file in the home folder is its own root.
        let root = if target.root == target.path && target.path.is_file() {
            Some(target.root)
        } else {
            root::allowed(target.root)
        };
        roots.extend(root.filter(|root| !roots.contains(root)));
    }
    roots
}

/// Returns the name of the session in editd: one for each agent and sub-agent.
fn session_name(program: AgentProgram, session: &str, agent: Option<&str>) -> String {
    let agent = agent.map(|agent| format!(".{agent}")).unwrap_or_default();
    let name = format!("{}-{session}{agent}", program.name());
    let is_plain = name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
    if is_plain && name.len() <= SESSION_NAME {
        return name;
    }
    let hash = ContentHash::of(name.as_bytes()).to_string();
    format!("{}-{}", program.name(), hash.trim_start_matches("b3:"))
}
