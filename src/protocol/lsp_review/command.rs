use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::protocol::{Invalid, decode};

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
    Hunks {
        /// The decision.
        say: Decision,
        /// The proposal.
        id: String,
        /// The revision that the user has seen.
        revision: u32,
        /// Which hunks.
        hunks: Vec<String>,
    },
    /// Accept or reject the undecided hunks of a file.
    File {
        /// `true` accepts, `false` rejects.
        yes: bool,
        /// The proposal.
        id: String,
        /// The revision that the user has seen.
        revision: u32,
        /// Canonical path of the file.
        path: String,
    },
    /// Accept or reject all undecided hunks of a proposal.
    All {
        /// `true` accepts, `false` rejects.
        yes: bool,
        /// The proposal.
        id: String,
        /// The revision that the user has seen.
        revision: u32,
    },
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

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Location {
    /// Canonical path of the file.
    pub path: String,
    /// The line, from 0.
    pub line: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HunksArgument {
    id: String,
    revision: u32,
    hunks: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileArgument {
    id: String,
    revision: u32,
    path: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AllArgument {
    id: String,
    revision: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DiffArgument {
    id: String,
}

impl Command {
    /// Parses the parameters of `workspace/executeCommand`.
    pub fn read(name: &str, arguments: Vec<Value>) -> Result<Self, Invalid> {
        let argument = arguments.into_iter().next();
        let missing =
            || Invalid::new("arguments", "the object that a code action or a code lens carries is missing");
        let needed = || argument.clone().ok_or_else(missing);
        let yes = name.starts_with("editd.accept");
        Ok(match name {
            "editd.accept" | "editd.take" | "editd.reject" => {
                let HunksArgument { id, revision, hunks } = decode(needed()?)?;
                let say = match name {
                    "editd.take" => Decision::Take,
                    _ if yes => Decision::Accept,
                    _ => Decision::Reject,
                };
                Self::Hunks { say, id, revision, hunks }
            }
            "editd.acceptFile" | "editd.rejectFile" => {
                let FileArgument { id, revision, path } = decode(needed()?)?;
                Self::File { yes, id, revision, path }
            }
            "editd.acceptAll" | "editd.rejectAll" => {
                let AllArgument { id, revision } = decode(needed()?)?;
                Self::All { yes, id, revision }
            }
            "editd.next" | "editd.previous" => {
                Self::Go { forward: name == "editd.next", from: argument.map(decode).transpose()? }
            }
            "editd.showDiff" => {
                let argument: Option<DiffArgument> = argument.map(decode).transpose()?;
                Self::ShowDiff { id: argument.map(|argument| argument.id) }
            }
            _ => {
                return Err(Invalid::new(
                    "command",
                    format!("unknown command `{name}`, expected one of {}", COMMANDS.join(", ")),
                ));
            }
        })
    }

    /// Converts to an LSP `Command` with a title.
    pub fn titled(&self, title: &str) -> Value {
        let (name, argument) = match self {
            Self::Hunks { say, id, revision, hunks } => (
                match say {
                    Decision::Accept => "editd.accept",
                    Decision::Take => "editd.take",
                    Decision::Reject => "editd.reject",
                },
                json!({ "id": id, "revision": revision, "hunks": hunks }),
            ),
            Self::File { yes, id, revision, path } => (
                if *yes { "editd.acceptFile" } else { "editd.rejectFile" },
                json!({ "id": id, "revision": revision, "path": path }),
            ),
            Self::All { yes, id, revision } => (
                if *yes { "editd.acceptAll" } else { "editd.rejectAll" },
                json!({ "id": id, "revision": revision }),
            ),
            Self::Go { forward, from } => {
                (if *forward { "editd.next" } else { "editd.previous" }, json!(from))
            }
            Self::ShowDiff { id } => {
                ("editd.showDiff", id.as_ref().map_or(Value::Null, |id| json!({ "id": id })))
            }
        };
        let arguments: Vec<Value> =
            Some(argument).filter(|argument| !argument.is_null()).into_iter().collect();
        json!({ "title": title, "command": name, "arguments": arguments })
    }
}
