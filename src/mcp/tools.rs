//! The MCP tools. Each module defines the name and the description of a tool, the conversion of its arguments
//! to a request for the daemon, and the conversion of the result to an answer.

mod apply_patch;
mod changes;
mod diagnostics;
mod edit;
mod find;
mod list;
mod notebook_edit;
mod proposal_status;
mod read;
mod search;
mod undo;
mod write;

use rmcp::model::{JsonObject, MetaObject, Tool as Described, ToolAnnotations};
use serde_json::{Value, json};

use crate::protocol::TOOLS;

use super::answer::Answer;
use super::guide::Served;

/// All tools, in the order in which clients see them.
static ALL: [&Tool; TOOLS.len()] = [
    &read::TOOL,
    &edit::TOOL,
    &write::TOOL,
    &apply_patch::TOOL,
    &notebook_edit::TOOL,
    &undo::TOOL,
    &search::TOOL,
    &find::TOOL,
    &list::TOOL,
    &changes::TOOL,
    &diagnostics::TOOL,
    &proposal_status::TOOL,
];

/// Definition of a tool.
pub(super) struct Tool {
    pub(super) name: &'static str,
    title: &'static str,
    /// Description for models: purpose, operands and limits.
    description: &'static str,
    /// Advice on when to use another tool, by the name of that tool.
    instead: &'static [(&'static str, &'static str)],
    effect: Effect,
    input: fn() -> JsonObject,
    /// `true` if clients that show their model only a few tools should show this one.
    is_basic: bool,
    /// Converts the arguments to a request. The daemon validates them.
    pub(super) request: fn(JsonObject) -> Request,
}

/// Effect of a tool on files.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    Reads,
    Changes {
        /// `true` if repeating a call has no further effect.
        idempotent: bool,
    },
}

/// A request to the daemon.
pub(super) struct Request {
    pub(super) method: &'static str,
    pub(super) params: JsonObject,
    /// `true` if the request can wait for a person.
    pub(super) waits: bool,
    /// Converts the result to an answer.
    pub(super) answer: fn(Value, AnswerOptions<'_>) -> serde_json::Result<Answer>,
}

/// Options for the conversion of a result to an answer.
#[derive(Clone, Copy)]
pub(super) struct AnswerOptions<'a> {
    /// Includes the new hashes of files. The session tracks the versions that it was last given, so only
    /// clients that send hashes need them.
    pub(super) hashes: bool,
    /// Tools that the answer may name.
    pub(super) served: Served<'a>,
}

impl Tool {
    /// Returns `true` if the tool can change files. Such a call is never repeated automatically.
    pub(super) fn changes(&self) -> bool {
        self.effect != Effect::Reads
    }

    /// Returns the declared parameters of the tool, or of a part of its arguments such as `edits[0]`.
    pub(super) fn parameters(&self, part: &str) -> Vec<String> {
        let schema = Value::Object(self.input_schema());
        let names = part.split(['.', '[']).filter(|name| !name.is_empty());
        let found = names.fold(&schema, |schema, name| match name.strip_suffix(']') {
            Some(_) => &schema["items"],
            None => &schema["properties"][name],
        });
        found["properties"].as_object().into_iter().flat_map(|all| all.keys().cloned()).collect()
    }

    /// Returns the schema of the arguments.
    pub(super) fn input_schema(&self) -> JsonObject {
        (self.input)()
    }

    /// Returns the first argument that would make the daemon do something beyond the purpose of this tool,
    /// which the user has not allowed by allowing this tool.
    pub(super) fn unaccepted<'a>(&self, arguments: &'a JsonObject) -> Option<&'a str> {
        let is_unaccepted = |name: &&String| match name.as_str() {
            "author" | "changes" | "requestId" | "request_id" => true,
            "replaces" => !matches!(self.name, "edit" | "apply_patch"),
            "patch" | "bases" => self.name != "apply_patch",
            _ => false,
        };
        arguments.keys().find(|name| self.changes() && is_unaccepted(name)).map(String::as_str)
    }

    /// Returns the MCP description of the tool, which names only served tools.
    pub(super) fn described(&self, served: &Served<'_>) -> Described {
        let instead = self.instead.iter().filter(|(tool, _)| served.has(tool)).map(|(_, advice)| *advice);
        let description = [self.description].into_iter().chain(instead).collect::<Vec<_>>().join(" ");
        let annotations = ToolAnnotations::new().open_world(false);
        let annotations = match self.effect {
            Effect::Reads => annotations.read_only(true),
            Effect::Changes { idempotent } => {
                annotations.read_only(false).destructive(true).idempotent(idempotent)
            }
        };
        let mut described = Described::new(self.name, description, self.input_schema())
            .with_title(self.title)
            .with_annotations(annotations);
        // Claude Code makes the model look up a tool before the first call, unless the tool has this flag.
        described.meta = self
            .is_basic
            .then(|| MetaObject([("anthropic/alwaysLoad".to_owned(), true.into())].into_iter().collect()));
        described
    }
}

/// Selection of the tools to serve.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Names of the tools; empty for all.
    pub names: Vec<String>,
    /// Excludes tools that can change files.
    pub read_only: bool,
}

/// An error for a name that is not a tool.
#[derive(Debug, thiserror::Error)]
#[error("there is no tool `{name}`; the tools are {}", TOOLS.join(", "))]
pub struct UnknownTool {
    name: String,
}

impl Selection {
    /// Creates a selection, and validates the names.
    pub fn new(names: Vec<String>, read_only: bool) -> Result<Self, UnknownTool> {
        match names.iter().find(|name| !TOOLS.contains(&name.as_str())) {
            Some(name) => Err(UnknownTool { name: name.clone() }),
            None => Ok(Self { names, read_only }),
        }
    }

    /// Returns `true` if no tool is selected.
    pub fn is_empty(&self) -> bool {
        self.tools().is_empty()
    }

    pub(super) fn tools(&self) -> Vec<&'static Tool> {
        let named = |tool: &&&Tool| self.names.is_empty() || self.names.iter().any(|name| name == tool.name);
        ALL.iter().filter(named).filter(|tool| !self.read_only || !tool.changes()).copied().collect()
    }
}

/// Returns `true` if a request contains at most one edit or cell, so that a refusal need not state its index.
pub(super) fn asks_for_one(params: &JsonObject) -> bool {
    let lists = [params.get("edits"), params.get("changes").and_then(|changes| changes[0].get("cells"))];
    let is_one = |list: &Value| list.as_array().is_some_and(|list| list.len() <= 1);
    !params.contains_key("patch") && lists.into_iter().flatten().all(is_one)
}

/// Returns `true` if a request identifies the base text by a hash.
pub(super) fn names_a_hash(params: &JsonObject) -> bool {
    let change = params.get("changes").and_then(|changes| changes[0].as_object());
    let names = |members: &JsonObject| {
        ["baseHash", "base_hash", "bases"].iter().any(|name| members.contains_key(*name))
    };
    names(params) || change.is_some_and(names)
}

/// Parameters that belong to a call as a whole instead of to one of its changes.
const CALL_PARAMETERS: [&str; 16] = [
    "label",
    "requestId",
    "request_id",
    "replaces",
    "matching",
    "sequential",
    "onStale",
    "on_stale",
    "onConflict",
    "on_conflict",
    "display",
    "review",
    "waitMs",
    "wait_ms",
    "diagnosticsWaitMs",
    "diagnostics_wait_ms",
];

/// Builds the parameters of `editd/edit` for a single change.
fn one_change(kind: &str, arguments: JsonObject) -> JsonObject {
    let (mut params, mut change): (JsonObject, JsonObject) =
        arguments.into_iter().partition(|(name, _)| CALL_PARAMETERS.contains(&name.as_str()));
    change.insert("kind".to_owned(), kind.into());
    params.insert("changes".to_owned(), json!([change]));
    params
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tools_match_the_list_of_the_protocol() {
        assert_eq!(ALL.map(|tool| tool.name), TOOLS);
    }
}
