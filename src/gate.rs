//! The gate: translates between the built-in tools of agent programs and changes of editd. Pure.
//!
//! An agent program reports an [`Event`] before and after it runs one of its tools, as JSON in its own form.
//! [`decode`](AgentProgram::decode) reads it. The caller sends the change to the daemon, and tells the program by a
//! [`Reply`] what to do, which [`encode`](AgentProgram::encode) writes in the program's form:
//!
//! ```
//! use editd::gate::{AgentProgram, Reply, Step};
//! use serde_json::json;
//!
//! let event = AgentProgram::Claude.decode(&json!({
//!     "hook_event_name": "PreToolUse", "session_id": "7", "cwd": "/home/ada/shop", "tool_use_id": "c1",
//!     "tool_name": "Write", "tool_input": { "file_path": "/home/ada/shop/a.txt", "content": "one\n" },
//! }))?;
//! let Some(Step::Before(call)) = event.map(|event| event.step) else { panic!("the tool changes a file") };
//! assert_eq!(call.change["changes"][0]["content"], "one\n");
//!
//! let refused = AgentProgram::Claude.encode("PreToolUse", Reply::Refuse("Read the file first.".to_owned()));
//! assert_eq!(refused["hookSpecificOutput"]["permissionDecision"], "deny");
//! # Ok::<(), editd::gate::Unknown>(())
//! ```

mod advice;
mod claude;
mod replacement;
mod reply;
mod rewrite;
#[cfg(test)]
mod tests;

use std::path::PathBuf;

use serde_json::{Map, Value};

pub use advice::refusal;
pub use reply::{exact_arguments, reply};
pub use rewrite::rewrite;

/// An agent program whose built-in tools pass through editd.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentProgram {
    /// Anthropic's Claude Code.
    Claude,
}

/// The JSON members of an object.
pub type Fields = Map<String, Value>;

/// A report of an agent program about one of its tools.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Name of the event, which the answer repeats.
    pub name: String,
    /// The session of the program.
    pub session: String,
    /// The sub-agent, if it is not the agent that the user talks to.
    pub agent: Option<String>,
    /// The turn: one prompt of the user and all work on it.
    pub turn: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// The working folder of the program.
    pub cwd: PathBuf,
    /// The files that the tool names, absolute or relative to the working folder.
    pub paths: Vec<PathBuf>,
    /// The step that the event reports.
    pub step: Step,
}

/// A step of a built-in tool.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// A tool has shown these lines of a file.
    Shown {
        /// The lines.
        text: String,
        /// Number of the first line, from 1.
        offset: usize,
    },
    /// A tool is about to change files.
    Before(Box<ToolCall>),
    /// A tool has changed files, or failed to.
    After {
        /// The call, as in [`ToolCall::id`].
        tool_call: String,
        /// `true` if the tool has failed.
        failed: bool,
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

/// A call of a tool that changes files.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    /// Id of the call.
    pub id: String,
    /// The arguments of the tool.
    pub input: Fields,
    /// The change in the form of the parameters of `editd/propose`.
    pub change: Value,
    /// The form in which the tool takes a change.
    pub form: Form,
}

/// The form in which a tool takes a change, with the names of its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A text and its replacement.
    Replacement {
        /// The argument for the text to replace.
        old: &'static str,
        /// The argument for the replacement.
        new: &'static str,
        /// The argument by which all occurrences are replaced.
        all: &'static str,
        /// `true` if the tool also removes the line ending of a text that it replaces by nothing.
        removes_line_end: bool,
    },
    /// The whole content of a file.
    Content {
        /// The argument for the content.
        content: &'static str,
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
    /// The tool goes on, and the user is shown a warning.
    Warn(String),
}

/// An event that cannot be read, because the program has changed its form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{client} sent an event of an unknown form: {problem}")]
pub struct Unknown {
    /// Name of the program.
    pub client: &'static str,
    /// The part that is missing or has another type.
    pub problem: String,
}

impl AgentProgram {
    /// All programs.
    pub const ALL: [Self; 1] = [Self::Claude];

    /// Returns the name of the program on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
        }
    }

    /// Returns the program with that name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|program| program.name() == name)
    }

    /// Returns the name of the program for people.
    pub fn title(self) -> &'static str {
        match self {
            Self::Claude => "Claude Code",
        }
    }

    /// Returns the author of changes by the program.
    pub fn author(self) -> &'static str {
        match self {
            Self::Claude => "claude-code",
        }
    }

    /// Reads an event. Returns `None` if it does not concern a tool that reads or changes files.
    pub fn decode(self, event: &Value) -> Result<Option<Event>, Unknown> {
        match self {
            Self::Claude => claude::decode(event),
        }
    }

    /// Returns `true` if the bytes of an event that is not valid JSON come from before a tool.
    pub fn is_before_tool(self, event: &[u8]) -> bool {
        match self {
            Self::Claude => String::from_utf8_lossy(event).contains(claude::BEFORE),
        }
    }

    /// Writes the answer that refuses a tool.
    pub fn encode_refusal(self, reason: String) -> Value {
        match self {
            Self::Claude => claude::encode(claude::BEFORE, Reply::Refuse(reason)),
        }
    }

    /// Writes the answer to an event of that name.
    pub fn encode(self, event: &str, reply: Reply) -> Value {
        match self {
            Self::Claude => claude::encode(event, reply),
        }
    }
}

impl Reply {
    /// The answer that lets the tool go on as it is.
    pub const PASS: Self = Self::GoOn { input: None, context: None };
}

/// Reads members of an object that the program promises.
struct Reader<'a> {
    client: &'static str,
    object: &'a Value,
}

impl<'a> Reader<'a> {
    fn unknown(&self, name: &str) -> Unknown {
        Unknown { client: self.client, problem: format!("`{name}` is missing or has another type") }
    }

    fn text(&self, name: &str) -> Result<&'a str, Unknown> {
        self.object[name].as_str().ok_or_else(|| self.unknown(name))
    }

    fn optional(&self, name: &str) -> Option<String> {
        self.object[name].as_str().map(str::to_owned)
    }

    fn fields(&self, name: &str) -> Result<&'a Fields, Unknown> {
        self.object[name].as_object().ok_or_else(|| self.unknown(name))
    }

    fn list(&self, name: &str) -> Result<&'a [Value], Unknown> {
        self.object[name].as_array().map(Vec::as_slice).ok_or_else(|| self.unknown(name))
    }

    fn inner(&self, name: &str) -> Reader<'a> {
        Reader { client: self.client, object: &self.object[name] }
    }
}
