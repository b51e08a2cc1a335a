use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::protocol::{Invalid, decode};

/// What an editor can run. Each takes one object as its argument.
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
        /// What is said of them.
        say: Say,
        /// The proposal.
        id: String,
        /// The revision that the person has seen.
        revision: u32,
        /// Which hunks.
        hunks: Vec<String>,
    },
    /// Accept or reject what is left in a file.
    File {
        /// Accept.
        yes: bool,
        /// The proposal.
        id: String,
        /// The revision that the person has seen.
        revision: u32,
        /// The file, canonical.
        path: String,
    },
    /// Accept or reject all that is left.
    All {
        /// Accept.
        yes: bool,
        /// The proposal.
        id: String,
        /// The revision that the person has seen.
        revision: u32,
    },
    /// Go to the next hunk or to the one before.
    Go {
        /// The next.
        forward: bool,
        /// Where the person is; none where the editor does not say.
        from: Option<Place>,
    },
    /// Show what a proposal does.
    ShowDiff {
        /// The proposal; none where there is only one.
        id: Option<String>,
    },
}

/// What is said of hunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Say {
    /// Yes, as long as nobody has changed their places.
    Accept,
    /// Yes, over what was changed there.
    Take,
    /// No.
    Reject,
}

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    /// The file, canonical.
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
    /// Reads the parameters of `workspace/executeCommand`.
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
                    "editd.take" => Say::Take,
                    _ if yes => Say::Accept,
                    _ => Say::Reject,
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
                    format!("`{name}` is none; known are {}", COMMANDS.join(", ")),
                ));
            }
        })
    }

    /// The same as LSP's `Command`, under a title.
    pub fn titled(&self, title: &str) -> Value {
        let (name, argument) = match self {
            Self::Hunks { say, id, revision, hunks } => (
                match say {
                    Say::Accept => "editd.accept",
                    Say::Take => "editd.take",
                    Say::Reject => "editd.reject",
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
