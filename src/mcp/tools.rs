//! The tools: what each is called, what models are told of it, and the way from its arguments to a request of the
//! daemon and from the result to an answer. One file a tool.

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

/// All there are, in the order in which clients see them.
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

/// A tool as a client sees it, and what it does.
pub(super) struct Tool {
    pub(super) name: &'static str,
    title: &'static str,
    /// What models read: what it does, to what, and its limits.
    description: &'static str,
    /// When to take another tool, by that tool.
    instead: &'static [(&'static str, &'static str)],
    effect: Effect,
    input: fn() -> JsonObject,
    /// Whether a client that shows its model few tools should show this one.
    is_basic: bool,
    /// What its arguments ask of the daemon. What is wrong with them, the daemon says.
    pub(super) request: fn(JsonObject) -> Request,
}

/// What a tool does to files.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    Reads,
    Changes {
        /// Whether the same call once more does nothing more.
        idempotent: bool,
    },
}

/// A request to the daemon.
pub(super) struct Request {
    pub(super) method: &'static str,
    pub(super) params: JsonObject,
    /// Whether it can wait for a person.
    pub(super) waits: bool,
    /// What its result says.
    pub(super) answer: fn(Value, Asked<'_>) -> serde_json::Result<Answer>,
}

/// Additions to an answer that the client needs.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    /// The new hashes of files. A session knows by itself what it was last given, so only clients that send hashes
    /// need them.
    pub(super) hashes: bool,
    /// The tools that an answer may name.
    pub(super) served: Served<'a>,
}

impl Tool {
    /// Whether it is more than reading: then it is never repeated unasked.
    pub(super) fn changes(&self) -> bool {
        self.effect != Effect::Reads
    }

    /// The parameters that models are told of: those of the tool, or of a part of its arguments such as `edits[0]`.
    pub(super) fn parameters(&self, part: &str) -> Vec<String> {
        let schema = Value::Object(self.input_schema());
        let names = part.split(['.', '[']).filter(|name| !name.is_empty());
        let found = names.fold(&schema, |schema, name| match name.strip_suffix(']') {
            Some(_) => &schema["items"],
            None => &schema["properties"][name],
        });
        found["properties"].as_object().into_iter().flat_map(|all| all.keys().cloned()).collect()
    }

    /// The schema of its arguments.
    pub(super) fn input_schema(&self) -> JsonObject {
        (self.input)()
    }

    /// The first of its arguments that would ask the daemon for something else than this tool is for, and than a
    /// person has allowed who allowed this tool.
    pub(super) fn foreign<'a>(&self, arguments: &'a JsonObject) -> Option<&'a str> {
        let is_foreign = |name: &&String| match name.as_str() {
            "author" | "changes" | "requestId" | "request_id" => true,
            "replaces" => !matches!(self.name, "edit" | "apply_patch"),
            "patch" | "bases" => self.name != "apply_patch",
            _ => false,
        };
        arguments.keys().find(|name| self.changes() && is_foreign(name)).map(String::as_str)
    }

    /// As the protocol wants it. Of other tools only those are named that are served.
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
        // Claude Code has a model look tools up before their first call, unless they say this.
        described.meta = self
            .is_basic
            .then(|| MetaObject([("anthropic/alwaysLoad".to_owned(), true.into())].into_iter().collect()));
        described
    }
}

/// Which tools are served.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// These; all if none is named.
    pub names: Vec<String>,
    /// Only those that change nothing.
    pub read_only: bool,
}

/// A name that no tool has.
#[derive(Debug, thiserror::Error)]
#[error("there is no tool `{name}`; the tools are {}", TOOLS.join(", "))]
pub struct UnknownTool {
    name: String,
}

impl Selection {
    /// Checks the names.
    pub fn new(names: Vec<String>, read_only: bool) -> Result<Self, UnknownTool> {
        match names.iter().find(|name| !TOOLS.contains(&name.as_str())) {
            Some(name) => Err(UnknownTool { name: name.clone() }),
            None => Ok(Self { names, read_only }),
        }
    }

    /// Whether nothing is left of them.
    pub fn is_empty(&self) -> bool {
        self.tools().is_empty()
    }

    pub(super) fn tools(&self) -> Vec<&'static Tool> {
        let named = |tool: &&&Tool| self.names.is_empty() || self.names.iter().any(|name| name == tool.name);
        ALL.iter().filter(named).filter(|tool| !self.read_only || !tool.changes()).copied().collect()
    }
}

/// Whether a request asks for one thing only, so that a refusal need not say which of them it is about.
pub(super) fn asks_for_one(params: &JsonObject) -> bool {
    let lists = [params.get("edits"), params.get("changes").and_then(|changes| changes[0].get("cells"))];
    let is_one = |list: &Value| list.as_array().is_some_and(|list| list.len() <= 1);
    !params.contains_key("patch") && lists.into_iter().flatten().all(is_one)
}

/// Returns whether a request names the text that it means by a hash.
pub(super) fn names_a_hash(params: &JsonObject) -> bool {
    let change = params.get("changes").and_then(|changes| changes[0].as_object());
    let names = |members: &JsonObject| {
        ["baseHash", "base_hash", "bases"].iter().any(|name| members.contains_key(*name))
    };
    names(params) || change.is_some_and(names)
}

/// Parameters that belong to a call as a whole, and not to one of its changes.
const OF_THE_CALL: [&str; 16] = [
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

/// The parameters of `editd/edit` that mean one change of a kind.
fn one_change(kind: &str, arguments: JsonObject) -> JsonObject {
    let (mut params, mut change): (JsonObject, JsonObject) =
        arguments.into_iter().partition(|(name, _)| OF_THE_CALL.contains(&name.as_str()));
    change.insert("kind".to_owned(), kind.into());
    params.insert("changes".to_owned(), json!([change]));
    params
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tools_are_those_that_the_protocol_names() {
        assert_eq!(ALL.map(|tool| tool.name), TOOLS);
    }
}
