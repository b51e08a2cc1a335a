//! The gate: translates between the built-in tools of agent programs and changes of editd. Pure.
//!
//! An agent program reports an [`Event`] before and after it runs one of its tools, as JSON in its own form.
//! [`decode`](AgentProgram::decode) reads it. The caller sends the change to the daemon, and tells the program by a
//! [`Reply`] what to do, which [`encode`](AgentProgram::encode) writes in the program's form:
//!
//! ```
//! use editd_agents::gate::{AgentProgram, Reply, Step};
//! use serde_json::json;
//!
//! let event = AgentProgram::Claude.decode(&json!({
//!     "hook_event_name": "PreToolUse", "session_id": "7", "cwd": "/home/ada/shop", "tool_use_id": "c1",
//!     "tool_name": "Write", "tool_input": { "file_path": "/home/ada/shop/a.txt", "content": "one\n" },
//! }))?;
//! let Some(Step::Before(call)) = event.map(|event| event.step) else { panic!("the tool changes a file") };
//! assert_eq!(call.params["changes"][0]["content"], "one\n");
//!
//! let refused = AgentProgram::Claude.encode("PreToolUse", Reply::Refuse("Read the file first.".to_owned()));
//! assert_eq!(refused["hookSpecificOutput"]["permissionDecision"], "deny");
//! # Ok::<(), editd_agents::gate::Unknown>(())
//! ```

mod advice;
mod arguments;
mod call;
mod claude;
mod codex;
mod gemini;
mod opencode;
mod patch;
mod pi;
mod plugin;
mod program;
mod reader;
mod replacement;
mod reply;
mod rewrite;
#[cfg(test)]
mod tests;

use std::path::PathBuf;

use serde_json::{Map, Value};

pub use advice::{refusal, unsaved};
pub use arguments::{SERVER_NAME, TOOL_NAME, arguments, event_of_arguments};
pub use call::{Form, ToolCall};
pub use program::AgentProgram;
pub use reader::Unknown;
pub use reply::{advice, decisions, remarks, reply};
pub use rewrite::rewrite;

/// The JSON members of an object.
pub type Fields = Map<String, Value>;

/// A report of an agent program about one of its tools, or about its work.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Name of the event, which the answer repeats.
    pub name: String,
    /// The session of the program.
    pub session: String,
    /// The sub-agent, if it is not the agent that the user talks to.
    pub agent: Option<String>,
    /// The turn: one prompt of the user and all work on it. `None` if the program names it only when it begins.
    pub turn: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// The file in which the program stores the messages, if [`AgentProgram::model_in`] finds the model there.
    pub transcript: Option<PathBuf>,
    /// The working folder of the program.
    pub cwd: PathBuf,
    /// Absolute paths of the files that the tool names.
    pub paths: Vec<PathBuf>,
    /// The step that the event reports.
    pub step: Step,
}

/// A step in the work of an agent program.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// A turn begins.
    Turn(String),
    /// A tool has shown these lines of a file.
    Shown {
        /// The lines.
        text: String,
        /// Number of the first line, from 1.
        offset: usize,
    },
    /// A tool has shown all cells of a notebook: their sources.
    ShownCells(Vec<String>),
    /// A tool is about to read a file, and wants the text that an editor has not saved.
    Unsaved,
    /// A tool is about to change files.
    Before(Box<ToolCall>),
    /// A tool has changed files, or failed to.
    After {
        /// The call, as in [`ToolCall::id`].
        tool_call: String,
        /// `true` if the tool has failed.
        failed: bool,
    },
    /// A shell is about to run a command, which may change any file.
    Command {
        /// The call, as in [`ToolCall::id`].
        tool_call: String,
        /// The command.
        command: String,
    },
    /// A command has ended.
    CommandDone {
        /// The call, as in [`ToolCall::id`].
        tool_call: String,
        /// The exit code, if the program reports it.
        exit_code: Option<i32>,
    },
    /// Tools did not find in the file what they were to change.
    NotFound(Vec<ToolCall>),
    /// A tool of editd's own server is about to run. Its call arrives over the connection of the server, which
    /// all sub-agents share.
    Announced {
        /// The call, as in [`ToolCall::id`].
        tool_call: String,
    },
}

/// The answer to an event.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// The tool goes on, with other arguments if there are any. The text is added to its result.
    GoOn {
        /// Other arguments.
        input: Option<Fields>,
        /// Text for the model.
        context: Option<String>,
    },
    /// The tool does not run. The model receives the reason.
    Refuse(String),
    /// The tool does not run, because editd has made the change. The model receives the text.
    Done(String),
    /// The tool goes on, and the user is shown a warning.
    Warn(String),
    /// The tool reads this text instead of the file.
    Text(String),
}

impl Reply {
    /// The answer that lets the tool go on as it is.
    pub const PASS: Self = Self::GoOn { input: None, context: None };
}
