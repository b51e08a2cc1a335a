use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::gate::{self, Event, Reply, Step, ToolCall};
use editd_daemon::config::{Config, ReviewMode, config_file};
use editd_daemon::transport::{CallError, Client, Identity, Target, repository_without_root, whole_text};
use editd_protocol::{
    NativeCall, NativeDone, NativeEdit, NativeEditResult, NativeRead, NativeTurn, Read, RunBegin, RunEnd,
    RunEndParams, ToolLoss,
};
use editd_text::ContentHash;
use editd_workspace::Role;

use super::location::{Location, protected_elsewhere};
use super::{Abort, Hook, HookError, Notice, is_outside};

/// Maximum time to wait for a person's decision. Agent programs stop a hook after 600 seconds at most, and
/// then run the tool as if there were no hook.
const DECISION: Duration = Duration::from_secs(570);
/// Maximum time to wait for a person's decision after a tool has failed, in milliseconds.
const MAX_WAIT: u64 = 10_000;
/// Maximum time to compute the change that a decision leaves, so that the program does not stop the hook before.
const COMPUTING: Duration = Duration::from_secs(15);
/// Maximum time for a request that waits for no decision.
const REQUEST: Duration = Duration::from_secs(15);
/// Text for the model after a command that has failed where commands cannot write.
const CANNOT_WRITE: &str = "Commands cannot change the files of this project here, except those that .gitignore excludes and no path rule protects. Change files with your edit tools; editd then writes them.";
/// Maximum length of the name of a session, in bytes.
const SESSION_NAME: usize = 64;

/// Returns the answer to a checked call, or a refusal if the change that is left cannot be computed in time.
fn reply_in_time(call: ToolCall, result: NativeEditResult) -> Reply {
    let (sender, receiver) = channel();
    thread::spawn(move || sender.send(gate::reply(&call, &result)));
    let late = "The change that the user has accepted cannot be passed to this tool in time. Send the accepted part again, as an edit with unique lines.";
    receiver.recv_timeout(COMPUTING).unwrap_or_else(|_| Reply::Refuse(late.to_owned()))
}

impl Hook {
    /// Sends the requests for an event to the daemon.
    pub(super) fn ask(&self, event: &Event, abort: &Abort) -> Result<Reply, HookError> {
        if let Step::Before(call) = &event.step
            && let Some(reply) = self.without_asking(event, &call.paths())
        {
            return Ok(reply);
        }
        let Some(mut client) = self.connect_with_roots(event)? else {
            return Ok(self.without_root(event));
        };
        abort.watch(&client).map_err(CallError::Io)?;
        match &event.step {
            Step::Turn(turn) => {
                client.call::<NativeTurn>(&json!({ "turn": turn }))?;
                Ok(Reply::PASS)
            }
            Step::Shown { text, offset } => {
                let params = json!({ "path": first_path(event), "text": text, "offset": offset });
                let unsaved = client.call::<NativeRead>(&params)?.unsaved;
                Ok(Reply::GoOn { input: None, context: unsaved.as_deref().map(gate::unsaved) })
            }
            Step::ShownCells(sources) => {
                client.call::<NativeRead>(&json!({ "path": first_path(event), "cells": sources }))?;
                Ok(Reply::PASS)
            }
            Step::Unsaved => unsaved(&mut client, event),
            Step::Before(call) => {
                client.set_timeout(DECISION + REQUEST).map_err(CallError::Io)?;
                let wait = ("waitMs", json!(DECISION.as_millis() as u64));
                let (call, result) = self.native_edit(&mut client, event, call, wait)?;
                Ok(reply_in_time(call, result))
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

    /// Returns the reply to a change that the daemon is not asked about: one of files outside of projects is left to the
    /// program, unless a rule protects it, and one whose location is not clear is refused.
    fn without_asking(&self, event: &Event, paths: &[PathBuf]) -> Option<Reply> {
        let locations: Vec<_> = paths.iter().map(|path| Location::of(path)).collect();
        let (mut inside, mut outside) = (0, Vec::new());
        for (path, location) in paths.iter().zip(&locations) {
            match location {
                Location::Inside { .. } => inside += 1,
                Location::Outside(real) => outside.push(real),
                Location::Unclear(reason) => {
                    let refused = format!("editd cannot tell which file `{}` is: {reason}.", path.display());
                    return Some(Reply::Refuse(refused));
                }
            }
        }
        if let Some(refusal) = outside.iter().find_map(|real| protected_elsewhere(real)) {
            return Some(Reply::Refuse(gate::refusal(&refusal)));
        }
        let first = outside.first()?;
        if inside > 0 {
            return Some(Reply::Refuse(format!(
                "`{}` lies outside of the project, and other files of this change do not. Change it in a separate call.",
                first.display()
            )));
        }
        let Some(top) = outside.iter().find_map(|real| repository_without_root(real)) else {
            return Some(Reply::PASS);
        };
        Some(self.in_system_folder(event, &top))
    }

    /// Returns the reply to a change in a project in a system folder, whose path no rule protects.
    fn in_system_folder(&self, event: &Event, top: &Path) -> Reply {
        let reason = no_root(top);
        if Config::load(config_file()).review == ReviewMode::Always {
            return Reply::Refuse(format!(
                "This change must be reviewed, but {reason}. Ask the user to make it, or to move the project to another folder."
            ));
        }
        if !self.gives(Notice::Once, event, &reason) {
            return Reply::PASS;
        }
        Reply::Warn(format!("editd only checks which files are changed here, and records nothing: {reason}."))
    }

    /// Returns the reply to an event of a program that works where no session can have a root.
    fn without_root(&self, event: &Event) -> Reply {
        match (&event.step, repository_without_root(&event.cwd)) {
            (Step::Command { .. }, Some(top)) => self.unrecorded(event, &no_root(&top), Notice::Once),
            _ => Reply::PASS,
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
        let mut request = |option| match self.native_edit(client, event, call, option) {
            Err(CallError::Refused(refusal)) => Ok(Err(gate::refusal(&refusal))),
            result => Ok::<_, HookError>(Ok(result?.1)),
        };
        let found = match request(("preview", true.into()))? {
            Ok(found) if found.state == NativeEditResult::BY_EDITD => request(("waitMs", MAX_WAIT.into()))?,
            found => found,
        };
        Ok(found.map_or_else(|refusal| refusal, |found| gate::advice(call, &found)))
    }

    /// Sends a change, with another parameter. Returns the call with the paths that were sent.
    fn native_edit(
        &self,
        client: &mut Client,
        event: &Event,
        call: &ToolCall,
        option: (&str, Value),
    ) -> Result<(ToolCall, NativeEditResult), CallError> {
        let named = call.with_paths(|path| Location::of(path).path().map(Path::to_owned));
        match client.call::<NativeEdit>(&self.params(event, &named, option.clone())) {
            // A link inside the project can lead out of it and back.
            Err(CallError::Refused(refusal)) if is_outside(&refusal) => {
                let real = call.with_paths(|path| match Location::of(path) {
                    Location::Inside { real, .. } => Some(real),
                    _ => None,
                });
                let result = client.call::<NativeEdit>(&self.params(event, &real, option))?;
                Ok((real, result))
            }
            result => Ok((named, result?)),
        }
    }

    /// Connects with the roots of the event. Returns `None` if it has none and needs one.
    fn connect_with_roots(&self, event: &Event) -> Result<Option<Client>, HookError> {
        let own = roots(paths_of(event));
        let all = roots(paths_of(event).into_iter().chain([event.cwd.clone()]));
        // An announced call has the roots of the server, and is announced for any folder.
        let needs_root = !matches!(event.step, Step::Announced { .. });
        if all.is_empty() && needs_root {
            return Ok(None);
        }
        match self.connect(event, all.clone()) {
            // The folder in which the program works says nothing about files elsewhere.
            Err(HookError::Refused(refusal)) if is_outside(&refusal) && !own.is_empty() && own != all => {
                self.connect(event, own).map(Some)
            }
            connected => connected.map(Some),
        }
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

/// Returns the reply that lets the tool go on, and gives the model the texts.
fn context(texts: impl IntoIterator<Item = Option<String>>) -> Reply {
    let texts: Vec<_> = texts.into_iter().flatten().collect();
    Reply::GoOn { input: None, context: (!texts.is_empty()).then(|| texts.join("\n")) }
}

/// Returns the text of a file that an editor has not saved, if there is one.
fn unsaved(client: &mut Client, event: &Event) -> Result<Reply, HookError> {
    let Some(path) = first_path(event) else { return Ok(Reply::PASS) };
    let Ok(target) = Target::of_file(&path) else { return Ok(Reply::PASS) };
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

fn no_root(top: &Path) -> String {
    format!("agents can have no root in `{}`, which is in a folder of the system", top.display())
}

/// Returns the paths that an event names: those of the change itself, if it is one.
pub(super) fn paths_of(event: &Event) -> Vec<PathBuf> {
    match &event.step {
        Step::Before(call) => call.paths(),
        Step::NotFound(calls) => calls.iter().flat_map(ToolCall::paths).collect(),
        _ => event.paths.clone(),
    }
}

/// Returns the path of the file that an event is about.
fn first_path(event: &Event) -> Option<PathBuf> {
    let path = event.paths.first()?;
    Some(Location::of(path).path().unwrap_or(path).to_owned())
}

/// Returns the projects of files and folders.
fn roots(paths: impl IntoIterator<Item = PathBuf>) -> Vec<PathBuf> {
    let mut roots = Vec::new();
    for path in paths {
        let location = Location::of(&path);
        roots.extend(
            location.root().filter(|root| !roots.iter().any(|known| known == root)).map(Path::to_owned),
        );
    }
    roots
}

/// Returns the number of projects that an event names files of.
pub(super) fn count_projects(event: &Event) -> usize {
    roots(paths_of(event)).len()
}
