use serde_json::Value;

use super::reader::Unknown;
use super::{Event, Reply, claude, codex, gemini, opencode, pi};

/// An agent program whose built-in tools pass through editd.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentProgram {
    /// Anthropic's Claude Code.
    Claude,
    /// Codex.
    Codex,
    /// Google's Gemini CLI.
    Gemini,
    /// opencode.
    Opencode,
    /// pi.
    Pi,
}

/// The names of a program, and the form of its events and answers.
pub(super) struct Dialect {
    /// Name on the command line.
    pub(super) name: &'static str,
    /// Name for people.
    pub(super) title: &'static str,
    /// Author of the changes.
    pub(super) author: &'static str,
    /// The version with which the tests run.
    pub(super) tested: &'static str,
    /// Name of the event before a tool.
    pub(super) before: &'static str,
    pub(super) decode: fn(&Value) -> Result<Option<Event>, Unknown>,
    pub(super) encode: fn(&str, Reply) -> Value,
    /// Finds the model in the last lines of a transcript.
    pub(super) model_in: fn(&str) -> Option<String>,
}

impl AgentProgram {
    /// All programs.
    pub const ALL: [Self; 5] = [Self::Claude, Self::Codex, Self::Gemini, Self::Opencode, Self::Pi];

    fn dialect(self) -> &'static Dialect {
        match self {
            Self::Claude => &claude::DIALECT,
            Self::Codex => &codex::DIALECT,
            Self::Gemini => &gemini::DIALECT,
            Self::Opencode => &opencode::DIALECT,
            Self::Pi => &pi::DIALECT,
        }
    }

    /// Returns the name of the program on the command line.
    pub fn name(self) -> &'static str {
        self.dialect().name
    }

    /// Returns the program with that name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|program| program.name() == name)
    }

    /// Returns the name of the program for people.
    pub fn title(self) -> &'static str {
        self.dialect().title
    }

    /// Returns the author of changes by the program.
    pub fn author(self) -> &'static str {
        self.dialect().author
    }

    /// Returns the version of the program with which the tests run.
    pub fn tested_version(self) -> &'static str {
        self.dialect().tested
    }

    /// Reads an event. Returns `None` if it does not concern a tool that reads or changes files.
    pub fn decode(self, event: &Value) -> Result<Option<Event>, Unknown> {
        (self.dialect().decode)(event)
    }

    /// Returns `true` if the bytes of an event that is not valid JSON come from before a tool.
    pub fn is_before_tool(self, event: &[u8]) -> bool {
        String::from_utf8_lossy(event).contains(self.dialect().before)
    }

    /// Returns the model that the last lines of a transcript name.
    pub fn model_in(self, lines: &str) -> Option<String> {
        (self.dialect().model_in)(lines)
    }

    /// Writes the answer that refuses a tool.
    pub fn encode_refusal(self, reason: String) -> Value {
        self.encode(self.dialect().before, Reply::Refuse(reason))
    }

    /// Writes the answer to an event of that name. An empty object lets the program go on.
    pub fn encode(self, event: &str, reply: Reply) -> Value {
        (self.dialect().encode)(event, reply)
    }

    /// Returns `true` if the model can be shown a text before the tool has run. For other programs, remarks on a
    /// change follow after the tool.
    pub fn shows_context_before(self) -> bool {
        self != Self::Gemini
    }
}

/// Returns the model that has written the last message of this type. The programs write some messages themselves, and
/// name no model or another name in angle brackets then.
pub(super) fn last_model(lines: &str, message: &str, pointer: &str) -> Option<String> {
    let mark = format!(r#""type":"{message}""#);
    let messages = lines.lines().rev().filter(|line| line.contains(&mark));
    let mut models = messages.filter_map(|line| {
        let line: Value = serde_json::from_str(line).ok()?;
        line.pointer(pointer)?.as_str().map(str::to_owned)
    });
    models.find(|model| !model.starts_with('<'))
}

/// Returns the exit code that follows the last occurrence of a phrase.
pub(super) fn exit_code_after(text: &str, phrase: &str) -> Option<i32> {
    let (_, rest) = text.rsplit_once(phrase)?;
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '-').unwrap_or(rest.len());
    rest[..end].parse().ok()
}
