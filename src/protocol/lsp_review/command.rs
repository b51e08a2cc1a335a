use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{Invalid, decode};

/// Commands that an editor can run. Each takes one object as its argument.
pub const COMMANDS: [&str; 10] = [
    "editd.accept",
    "editd.take",
    "editd.reject",
    "editd.acceptFile",
    "editd.rejectFile",
    "editd.acceptAll",
    "editd.rejectAll",
    "editd.next",
    "editd.previous",
    "editd.showDiff",
];

/// A command with its argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Decide about hunks.
    Hunks(Decision, HunksArgument),
    /// Accept or reject the undecided hunks of a file.
    File(Decision, FileArgument),
    /// Accept or reject all undecided hunks of a proposal.
    All(Decision, AllArgument),
    /// Go to the next or previous hunk.
    Go {
        /// `true` goes to the next hunk, `false` to the previous one.
        forward: bool,
        /// Position of the cursor, if the editor sends it.
        from: Option<Location>,
    },
    /// Show the diff of a proposal.
    ShowDiff {
        /// The proposal; may be `None` if there is only one.
        id: Option<String>,
    },
}

/// A decision about hunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Accept the hunks, unless their lines have changed.
    Accept,
    /// Accept the hunks and overwrite changes of their lines.
    Take,
    /// Reject the hunks.
    Reject,
}

/// Hunks of a proposal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HunksArgument {
    /// The proposal.
    pub id: String,
    /// The revision that the user has seen.
    pub revision: u32,
    /// Ids of the hunks.
    pub hunks: Vec<String>,
}

/// A file of a proposal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileArgument {
    /// The proposal.
    pub id: String,
    /// The revision that the user has seen.
    pub revision: u32,
    /// Canonical path of the file.
    pub path: String,
}

/// A proposal at a revision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AllArgument {
    /// The proposal.
    pub id: String,
    /// The revision that the user has seen.
    pub revision: u32,
    /// `true` if the title names the hunks that stay as they were decided earlier.
    #[serde(default, rename = "keepEarlier", skip_serializing_if = "std::ops::Not::not")]
    pub keep_earlier: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DiffArgument {
    id: String,
}

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Location {
    /// Canonical path of the file.
    pub path: String,
    /// The line, from 0.
    pub line: u32,
}

impl Command {
    /// Parses the parameters of `workspace/executeCommand`.
    pub fn read(name: &str, arguments: Vec<Value>) -> Result<Self, Invalid> {
        let argument = arguments.into_iter().next();
        let missing =
            || Invalid::new("arguments", "the object that a code action or a code lens carries is missing");
        let needed = || argument.clone().ok_or_else(missing);
        let decision = match name {
            "editd.take" => Decision::Take,
            _ if name.starts_with("editd.accept") => Decision::Accept,
            _ => Decision::Reject,
        };
        Ok(match name {
            "editd.accept" | "editd.take" | "editd.reject" => Self::Hunks(decision, decode(needed()?)?),
            "editd.acceptFile" | "editd.rejectFile" => Self::File(decision, decode(needed()?)?),
            "editd.acceptAll" | "editd.rejectAll" => Self::All(decision, decode(needed()?)?),
            "editd.next" | "editd.previous" => {
                Self::Go { forward: name == "editd.next", from: argument.map(decode).transpose()? }
            }
            "editd.showDiff" => {
                let argument: Option<DiffArgument> = argument.map(decode).transpose()?;
                Self::ShowDiff { id: argument.map(|argument| argument.id) }
            }
            _ => {
                let known = COMMANDS.join(", ");
                let problem = format!("unknown command `{name}`, expected one of {known}");
                return Err(Invalid::new("command", problem));
            }
        })
    }

    /// Converts to an LSP `Command` with a title.
    pub fn titled(&self, title: &str) -> Value {
        let (name, argument) = match self {
            Self::Hunks(Decision::Accept, hunks) => ("editd.accept", json!(hunks)),
            Self::Hunks(Decision::Take, hunks) => ("editd.take", json!(hunks)),
            Self::Hunks(Decision::Reject, hunks) => ("editd.reject", json!(hunks)),
            Self::File(Decision::Reject, file) => ("editd.rejectFile", json!(file)),
            Self::File(_, file) => ("editd.acceptFile", json!(file)),
            Self::All(Decision::Reject, proposal) => ("editd.rejectAll", json!(proposal)),
            Self::All(_, proposal) => ("editd.acceptAll", json!(proposal)),
            Self::Go { forward: true, from } => ("editd.next", json!(from)),
            Self::Go { forward: false, from } => ("editd.previous", json!(from)),
            Self::ShowDiff { id: Some(id) } => ("editd.showDiff", json!({ "id": id })),
            Self::ShowDiff { id: None } => ("editd.showDiff", Value::Null),
        };
        let arguments: Vec<_> = Some(argument).filter(|argument| !argument.is_null()).into_iter().collect();
        json!({ "title": title, "command": name, "arguments": arguments })
    }
}
