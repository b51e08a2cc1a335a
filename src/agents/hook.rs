//! Answers to the events of agent programs: a client of the daemon that asks about the built-in tools of a
//! program. `editd hook` gets an event from a program that starts it, `editd mcp` from one that calls its tool
//! `gate`.
//!
//! ```no_run
//! use editd_agents::gate::AgentProgram;
//! use editd_agents::hook::{Abort, Hook};
//! use editd_daemon::transport::{DirOptions, Spawn, dirs};
//!
//! let hook = Hook {
//!     places: dirs(&DirOptions::default())?,
//!     spawn: Spawn::Allowed,
//!     program: AgentProgram::Claude,
//!     is_enforced: false,
//! };
//! let event = br#"{ "hook_event_name": "PreToolUse", "tool_name": "Bash" }"#;
//! println!("{}", hook.answer(event, &Abort::default()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod abort;
mod location;
mod notices;
mod steps;
mod transcript;

use serde_json::{Value, json};

use crate::gate::{self, AgentProgram, Event, Fields, Reply, Step};
use editd_daemon::config::{Config, config_file};
use editd_daemon::server::Places;
use editd_daemon::transport::{CallError, ConnectError, Spawn, is_end, is_timeout};
use editd_protocol::{Code, OUTSIDE, RpcError};
use editd_workspace::rules::RootRefusal;

use location::protected_elsewhere;

pub use abort::Abort;
use editd_daemon::transport::ENFORCED;

/// Answers the events of an agent program.
#[derive(Clone, Debug)]
pub struct Hook {
    /// Folders of the daemon.
    pub places: Places,
    /// Permission to start the daemon.
    pub spawn: Spawn,
    /// The program.
    pub program: AgentProgram,
    /// `true` if the program itself cannot write to the project, so that editd makes all its changes.
    pub is_enforced: bool,
}

/// Number of times that the user is warned about a reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Notice {
    /// Once in a session, because the reason lasts.
    Once,
    /// Each time. A client that keeps the daemon busy must not be able to turn off the checks in silence.
    EachTime,
}

/// An error because of which editd cannot say whether a tool may run.
#[derive(Debug, thiserror::Error)]
enum HookError {
    /// The daemon refused the request.
    #[error("{}", .0.message)]
    Refused(RpcError),
    /// The daemon cannot be reached.
    #[error("{0}")]
    Unreachable(String),
    /// The daemon runs, and does not answer in time.
    #[error("{0}")]
    Silent(String),
    /// The daemon was there, and has closed the connection or ended, perhaps while the call waited for a decision.
    #[error("{0}")]
    Lost(String),
}

impl From<CallError> for HookError {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Refused(refusal) => Self::Refused(refusal),
            CallError::Io(error) if is_timeout(&error) => {
                Self::Silent("it has not answered in time".to_owned())
            }
            CallError::Io(error) => Self::Lost(error.to_string()),
        }
    }
}

impl From<ConnectError> for HookError {
    fn from(error: ConnectError) -> Self {
        match error {
            ConnectError::Refused(refusal) => Self::Refused(refusal),
            silent @ ConnectError::Silent(_) => Self::Silent(silent.to_string()),
            // The daemon runs, and has no place for another connection. An agent can cause that.
            ConnectError::Io(error) if is_end(&error) => {
                Self::Lost("the daemon closed the connection".to_owned())
            }
            // The configuration decides what happens without a daemon, so it must not be that of a project.
            ConnectError::PlaceInProject(inside) => Self::Refused(RpcError::new(
                Code::RequestFailed,
                format!("editd checks nothing here: {inside}."),
            )),
            other => Self::Unreachable(other.to_string()),
        }
    }
}

impl Hook {
    /// Returns the answer to an event that the program sends as JSON. An empty object lets the program go on.
    /// There always is an answer: an error of editd must not stop the work of the agent, unless the user wants
    /// that.
    pub fn answer(&self, event: &[u8], abort: &Abort) -> Value {
        let parsed = serde_json::from_slice(event);
        self.answer_parsed(parsed, || self.program.is_before_tool(event), abort)
    }

    /// Returns the answer to an event that Claude Code sends as the arguments of a tool.
    pub fn answer_arguments(&self, arguments: &Fields, abort: &Abort) -> Value {
        let name = || arguments.get("hook_event_name").and_then(Value::as_str).unwrap_or_default();
        let is_before = || self.program.is_before_tool(name().as_bytes());
        self.answer_parsed(gate::event_of_arguments(arguments), is_before, abort)
    }

    fn answer_parsed(
        &self,
        event: serde_json::Result<Value>,
        is_before_tool: impl Fn() -> bool,
        abort: &Abort,
    ) -> Value {
        let event = match event {
            Ok(event) => event,
            // For instance half of a surrogate pair, or an event above the limit.
            Err(error) if is_before_tool() => {
                return self.program.encode_refusal(format!(
                    "editd cannot check this call: {error}. Send it again as valid Unicode, and in smaller parts if it is very long."
                ));
            }
            Err(_) => Value::Null,
        };
        match self.program.decode(&event) {
            Ok(Some(mut event)) => {
                self.find_model(&mut event);
                self.program.encode(&event.name, self.reply(&event, abort))
            }
            Ok(None) => json!({}),
            Err(unknown) => {
                notices::give_once(&self.places, &unknown.to_string());
                json!({})
            }
        }
    }

    /// Adds the model from the transcript. The message of a call may not be there before the tool, but earlier ones
    /// of the same model are.
    fn find_model(&self, event: &mut Event) {
        let is_recorded = matches!(
            event.step,
            Step::Before(_) | Step::After { .. } | Step::Announced { .. } | Step::Command { .. }
        );
        if let Some(transcript) = event.transcript.as_deref().filter(|_| is_recorded) {
            let find = |lines: &str| self.program.model_in(lines);
            event.model = event.model.take().or_else(|| transcript::find_in_end(transcript, find));
        }
    }

    /// Returns the answer to an event.
    fn reply(&self, event: &Event, abort: &Abort) -> Reply {
        match self.ask(event, abort) {
            Ok(reply) => reply,
            Err(_) if abort.is_aborted() => Reply::PASS,
            // The rules of the program itself apply to files outside of projects.
            Err(HookError::Refused(refusal)) if is_no_root(&refusal) && steps::count_projects(event) <= 1 => {
                // The `roots` of the user do not open what is protected elsewhere.
                let protected = steps::paths_of(event).iter().find_map(|path| protected_elsewhere(path));
                match (protected, &event.step) {
                    (Some(protected), Step::Before(_)) => Reply::Refuse(gate::refusal(&protected)),
                    _ => Reply::PASS,
                }
            }
            Err(HookError::Refused(refusal)) => match event.step {
                Step::Before(_) => Reply::Refuse(gate::refusal(&refusal)),
                _ => Reply::PASS,
            },
            Err(HookError::Silent(reason)) => self.without_daemon(event, &reason, Notice::EachTime),
            // The next call starts the daemon again, so nothing has to pass without a check.
            Err(HookError::Lost(reason)) if matches!(event.step, Step::Before(_)) => Reply::Refuse(format!(
                "editd could not finish the check of this change ({reason}), so it must not be made now. Send the same call again."
            )),
            Err(HookError::Unreachable(reason) | HookError::Lost(reason)) => {
                self.without_daemon(event, &reason, Notice::Once)
            }
        }
    }
    /// Returns the answer if the daemon cannot be reached: the tool runs, unless the user has decided that no
    /// change may pass editd.
    fn without_daemon(&self, event: &Event, reason: &str, notice: Notice) -> Reply {
        let config = Config::load(config_file());
        let is_change = matches!(event.step, Step::Before(_));
        if is_change && self.is_enforced {
            // A project can set the variable where no program can gain privileges, but nothing else is lost: a tool
            // that is restricted cannot write either.
            return Reply::Refuse(format!(
                "editd must make this change, but {reason}, and cannot be started here. Ask the user to run `editd status` at another terminal, or to unset {ENFORCED} if no command is restricted here."
            ));
        }
        if is_change && !config.gate_fails_open() {
            return Reply::Refuse(format!(
                "editd must check this change, but {reason}. Ask the user to run `editd doctor`."
            ));
        }
        if is_change && self.gives(notice, event, reason) {
            return Reply::Warn(format!(
                "editd does not check changes now: {reason}. Run `editd doctor` for details."
            ));
        }
        if matches!(event.step, Step::Command { .. }) {
            return self.unrecorded(event, reason, notice);
        }
        Reply::PASS
    }

    /// Returns the answer to a command whose changes are not recorded: it runs, and the user is warned.
    fn unrecorded(&self, event: &Event, reason: &str, notice: Notice) -> Reply {
        if !self.gives(notice, event, &format!("commands: {reason}")) {
            return Reply::PASS;
        }
        Reply::Warn(format!(
            "editd does not record what commands change now: {reason}. Run `editd doctor` for details."
        ))
    }

    /// Returns `true` if the user has to be warned in this session.
    fn gives(&self, notice: Notice, event: &Event, reason: &str) -> bool {
        let session = self.session_name(&event.session, None);
        notice == Notice::EachTime || notices::give_once(&self.places, &format!("{session}: {reason}"))
    }
}

/// Returns `true` if a path is refused because it lies outside the roots, or cannot be one.
fn is_outside(refusal: &RpcError) -> bool {
    refusal.kind() == Some(OUTSIDE)
}

/// Returns `true` if a folder is refused as a root because agents are not to work there. Metadata of version control
/// is refused as a root too, but belongs to a project.
fn is_no_root(refusal: &RpcError) -> bool {
    let reason = refusal.data.as_ref().and_then(|data| data["reason"].as_str());
    let metadata: &str = RootRefusal::VersionControl.into();
    is_outside(refusal) && reason.is_some_and(|reason| reason != metadata)
}
