//! The MCP tools. Each module defines the names and the descriptions of tools, the conversion of their
//! arguments to requests for the daemon, and the conversion of the results to answers.

mod arguments;
mod change;
mod read;
mod search;
mod status;

use rmcp::model::{JsonObject, MetaObject, Tool as Described, ToolAnnotations};
use serde_json::{Result, Value};

use editd_protocol::{Method, TOOLS};

use super::answer::Answer;
use super::served::Served;

/// The forms of edits that `edit` describes to models.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, strum::EnumString, strum::VariantNames)]
#[strum(serialize_all = "lowercase")]
pub enum EditFormat {
    /// Old and new text.
    Replace,
    /// Line numbers, which `read` shows.
    Anchored,
    /// Both.
    #[default]
    Both,
}

/// Returns all tools, in the order in which clients see them.
fn all(format: EditFormat) -> impl Iterator<Item = &'static Tool> {
    let read = &read::READS[usize::from(format != EditFormat::Replace)];
    let edit = &change::EDITS[format as usize];
    [read, &read::OUTLINE, edit].into_iter().chain(&change::TOOLS).chain(&search::TOOLS).chain(&status::TOOLS)
}

/// Tools that clients should show even if they show their model only a few.
const BASIC: [&str; 3] = ["read", "edit", "write"];

/// Definition of a tool.
pub(super) struct Tool {
    pub(super) name: &'static str,
    title: &'static str,
    /// Description for models: purpose, operands and limits.
    description: &'static str,
    /// Advice on when to use another tool, by the name of that tool.
    instead: &'static [(&'static str, &'static str)],
    /// `true` if the tool can change files. Such a call is never repeated automatically.
    pub(super) changes: bool,
    /// Schema of the arguments that models see.
    schema: fn() -> JsonObject,
    /// Schema of all accepted arguments.
    accepted: fn() -> JsonObject,
    /// Converts the arguments to a request. The daemon validates them.
    pub(super) request: fn(JsonObject) -> Request,
}

/// A request to the daemon.
pub(super) struct Request {
    pub(super) method: &'static str,
    pub(super) params: JsonObject,
    /// `true` if the request can wait for a person.
    pub(super) waits: bool,
    /// Converts the result to an answer.
    pub(super) answer: Conversion,
}

type Conversion = Box<dyn Fn(Value, AnswerOptions<'_>) -> Result<Answer> + Send + Sync>;

impl Request {
    /// Creates a request that does not wait for a person. `answer` converts its result.
    fn new<M: Method>(params: JsonObject, answer: fn(M::Result, AnswerOptions<'_>) -> Answer) -> Self {
        Self::fallible::<M>(params, move |result, options| Ok(answer(result, options)))
    }

    /// Creates a request like [`new`](Self::new), with a conversion that may fail.
    fn fallible<M: Method>(
        params: JsonObject,
        answer: impl Fn(M::Result, AnswerOptions<'_>) -> Result<Answer> + Send + Sync + 'static,
    ) -> Self {
        let answer: Conversion =
            Box::new(move |result, options| answer(serde_json::from_value(result)?, options));
        Self { method: M::NAME, params, waits: false, answer }
    }

    /// Makes the request wait for a person.
    fn waiting(self) -> Self {
        Self { waits: true, ..self }
    }
}

/// Options for the conversion of a result to an answer.
#[derive(Clone, Copy)]
pub(super) struct AnswerOptions<'a> {
    /// Includes the new hashes of files. The session tracks the versions that it was last given, so only
    /// clients that send hashes need them.
    pub(super) hashes: bool,
    /// Tools that the answer may name.
    pub(super) served: &'a Served,
}

impl Tool {
    /// Returns the accepted parameters of the tool, or of a part of its arguments such as `edits[0]`.
    pub(super) fn parameters(&self, part: &str) -> Vec<String> {
        let schema = Value::Object(self.accepted_schema());
        let names = part.split(['.', '[']).filter(|name| !name.is_empty());
        let found = names.fold(&schema, |schema, name| match name.strip_suffix(']') {
            Some(_) => &schema["items"],
            None => &schema["properties"][name],
        });
        found["properties"].as_object().into_iter().flat_map(|all| all.keys().cloned()).collect()
    }

    /// Returns the schema of all accepted arguments.
    pub(super) fn accepted_schema(&self) -> JsonObject {
        (self.accepted)()
    }

    /// Returns the schema of the arguments that models see.
    pub(super) fn input_schema(&self) -> JsonObject {
        (self.schema)()
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
        arguments.keys().find(|name| self.changes && is_unaccepted(name)).map(String::as_str)
    }

    /// Returns the MCP description of the tool, which names only served tools.
    pub(super) fn described(&self, served: &Served) -> Described {
        let instead = self.instead.iter().filter(|(tool, _)| served.has(tool)).map(|(_, advice)| *advice);
        let description = [self.description].into_iter().chain(instead).collect::<Vec<_>>().join(" ");
        let annotations = ToolAnnotations::new().open_world(false);
        let annotations = if self.changes {
            // Repeating a `write` has no further effect.
            annotations.read_only(false).destructive(true).idempotent(self.name == "write")
        } else {
            annotations.read_only(true)
        };
        let mut described = Described::new(self.name, description, self.input_schema())
            .with_title(self.title)
            .with_annotations(annotations);
        // Claude Code makes the model look up a tool before the first call, unless the tool has this flag.
        described.meta = BASIC
            .contains(&self.name)
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
    /// Forms of edits that are described to models. All forms are accepted.
    pub format: EditFormat,
}

/// An error for a name that is not a tool.
#[derive(Debug, thiserror::Error)]
#[error("there is no tool `{name}`; the tools are {}", TOOLS.join(", "))]
pub struct UnknownTool {
    name: String,
}

impl Selection {
    /// Creates a selection, and validates the names.
    pub fn new(names: Vec<String>, read_only: bool) -> std::result::Result<Self, UnknownTool> {
        match names.iter().find(|name| !TOOLS.contains(&name.as_str())) {
            Some(name) => Err(UnknownTool { name: name.clone() }),
            None => Ok(Self { names, read_only, format: EditFormat::default() }),
        }
    }

    /// Returns `true` if no tool is selected.
    pub fn is_empty(&self) -> bool {
        self.tools().is_empty()
    }

    pub(super) fn tools(&self) -> Vec<&'static Tool> {
        let named = |tool: &&Tool| self.names.is_empty() || self.names.iter().any(|name| name == tool.name);
        all(self.format).filter(named).filter(|tool| !self.read_only || !tool.changes).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tools_match_the_list_of_the_protocol() {
        assert!(all(EditFormat::default()).map(|tool| tool.name).eq(TOOLS));
    }
}
