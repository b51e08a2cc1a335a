//! Arguments of the tools. Their JSON schemas are as simple as possible, because some clients support only
//! simple schemas and models read them in every session.

#![expect(
    dead_code,
    reason = "only the schemas of the types are used: arguments go to the daemon as they are"
)]

use std::collections::BTreeMap;

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

use editd_protocol::{
    Around, CellParams, DisplayParam, Matching, OnConflictParam, OnStaleParam, PartsOf, PlaceIn,
    SymbolOpParam,
};

#[derive(JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ReadArguments {
    /// Absolute, or relative to the root.
    path: Option<String>,
    /// Such as `12-15`. Default: from the start, as many as fit.
    lines: Option<String>,
    /// Such as `Class.method`, `name@line` or `name/2`.
    symbol: Option<String>,
    /// Or several, each with `path` and perhaps `lines` or `symbol`.
    reads: Option<Vec<ReadPart>>,
    /// First line or cell of a notebook.
    offset: Option<usize>,
    /// Number of lines or cells.
    limit: Option<usize>,
    /// First character of each line, from 1 (default); 2,000 per line are shown.
    column: Option<usize>,
    /// Prefix each line with its number and a tab, which are not part of the file. Default false.
    numbered: Option<bool>,
    /// A notebook as text.
    raw: Option<bool>,
}

#[derive(JsonSchema)]
#[schemars(description = "")]
struct ReadPart {
    path: String,
    lines: Option<String>,
    symbol: Option<String>,
}

/// An edit, with the members of all forms.
#[derive(JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(description = "")]
struct EditItem {
    /// Default: `path` of the call.
    path: Option<String>,
    /// Text of the file, without line numbers; must match once.
    old_text: Option<String>,
    /// Complete: "... rest unchanged" is refused. Empty deletes. Needs no final line end.
    new_text: Option<String>,
    /// Only whole words match.
    word: Option<bool>,
    /// `oldText` is a pattern; in `newText`, `$1` is a group, `$$` a dollar.
    regex: Option<bool>,
    /// Replace all matches.
    replace_all: Option<bool>,
    /// Replace all; there must be this many.
    expect: Option<u32>,
    /// For one edit: in all files like `src/**/*.py`, also a `rename`; with `expect` also unread ones.
    glob: Option<String>,
    /// Such as `12-15`; with `oldText`: where to look.
    lines: Option<String>,
    /// Insert after this line; 0: at the start.
    after: Option<u32>,
    /// Insert before this line.
    before: Option<u32>,
    /// Delete `lines`.
    delete: Option<bool>,
    /// Text of the first line.
    first: Option<String>,
    /// Of the last line.
    last: Option<String>,
    /// Such as `Class.method` or `name@line`.
    symbol: Option<String>,
    /// Default `replace`: keeps comments and decorators if the text has none. `body`: the inside. `before`, `after`: the text gets its depth and blank lines. `delete`: with comments and decorators. `rename`: with its uses in this file; `rename_here`: without.
    op: Option<SymbolOpParam>,
    /// Rename comments and strings, too.
    comments: Option<bool>,
    /// Indent `lines`, or `symbol`, by this many levels, such as 1 or -1.
    indent: Option<i32>,
    /// Columns of a level, of `lines` or the whole file.
    indent_from: Option<u32>,
    /// Columns after the change.
    indent_to: Option<u32>,
    /// New lines around `lines`, or the body of `symbol` below its docstring, at their depth; these become deeper.
    wrap: Option<Around>,
    /// Lines or symbols to move, changed by no other edit.
    r#move: Option<PartsOf>,
    copy: Option<PartsOf>,
    /// New place; `path` alone: its end. Symbols get blank lines.
    to: Option<PlaceIn>,
    /// Adapt the indentation of `lines`.
    reindent: Option<bool>,
}

/// Members of an edit that searches for text.
const OF_TEXT: [&str; 7] =
    ["oldText", "word", "regex", "replaceAll", "expect", "expectedReplacements", "glob"];

/// Members of an edit that names lines or a symbol.
const OF_LINES: [&str; 17] = [
    "lines",
    "after",
    "before",
    "delete",
    "first",
    "last",
    "symbol",
    "op",
    "comments",
    "indent",
    "indentFrom",
    "indentTo",
    "wrap",
    "move",
    "copy",
    "to",
    "reindent",
];

/// Arguments that models rarely need: the form of the answer, and the time for a review. They are accepted nevertheless.
const RARE: [&str; 2] = ["display", "waitMs"];

/// Returns the schema of `read` that models see.
pub(super) fn brief_read() -> JsonObject {
    let mut schema = Value::Object(schema::<ReadArguments>());
    // An answer with a cut line names it.
    remove(&mut schema, &["column"]);
    // The members are those of the call.
    schema["properties"]["reads"]["items"] = serde_json::json!({ "type": "object" });
    let Value::Object(schema) = schema else { return Map::new() };
    schema
}

/// Returns the schema of `edit` for edits that search for text.
pub(super) fn edit_by_text() -> JsonObject {
    let mut schema = schema::<EditArguments>();
    let items = &mut schema["properties"]["edits"]["items"];
    remove(items, &OF_LINES);
    items["required"] = serde_json::json!(["oldText", "newText"]);
    schema
}

/// Returns the schema of `edit` for all forms. A single edit is in `edits`, too.
pub(super) fn edit_in_any_form() -> JsonObject {
    let mut schema = Value::Object(schema::<EditArguments>());
    remove(&mut schema, &OF_TEXT);
    // Rarely needed, and accepted nevertheless.
    remove(&mut schema, &["newText", "onConflict"]);
    remove(&mut schema, &RARE);
    shorten_copy(&mut schema["properties"]["edits"]["items"]);
    let Value::Object(schema) = schema else { return Map::new() };
    schema
}

/// Replaces the members of `copy`, which are those of `move`.
fn shorten_copy(items: &mut Value) {
    items["properties"]["copy"] =
        serde_json::json!({ "type": "object", "description": "Instead of `move`, with its members." });
}

/// Returns the schema of `edit` for edits that name lines.
pub(super) fn edit_by_lines() -> JsonObject {
    let mut schema = schema::<EditArguments>();
    remove(&mut schema["properties"]["edits"]["items"], &OF_TEXT);
    let mut whole = Value::Object(schema);
    shorten_copy(&mut whole["properties"]["edits"]["items"]);
    remove(&mut whole, &OF_TEXT);
    remove(&mut whole, &["newText", "sequential", "matching", "onStale", "onConflict"]);
    let Value::Object(schema) = whole else { return Map::new() };
    schema
}

/// Returns the schema of a tool's arguments that models see: without those that are rarely needed.
pub(super) fn brief<T: JsonSchema>() -> JsonObject {
    let mut schema = Value::Object(schema::<T>());
    remove(&mut schema, &RARE);
    let Value::Object(schema) = schema else { return Map::new() };
    schema
}

/// Returns the schema of `apply_patch` that models see.
pub(super) fn brief_patch() -> JsonObject {
    let mut schema = Value::Object(brief::<PatchArguments>());
    remove(&mut schema, &["sequential", "matching"]);
    let Value::Object(schema) = schema else { return Map::new() };
    schema
}

/// Removes properties from a schema.
fn remove(schema: &mut Value, names: &[&str]) {
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.retain(|name, _| !names.contains(&name.as_str()));
    }
}

#[derive(JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct EditArguments {
    /// Absolute, or relative to the root.
    path: Option<String>,
    /// Put all edits into one call.
    edits: Option<Vec<EditItem>>,
    /// Id in a refusal: sends that change again, without `edits`.
    retry: Option<String>,
    /// Id of an offer.
    accept: Option<String>,
    /// Instead of `edits`, if there is only one.
    old_text: Option<String>,
    /// Goes with `oldText`.
    new_text: Option<String>,
    /// Goes with `oldText`.
    replace_all: Option<bool>,
    /// Goes with `oldText`.
    expect: Option<u32>,
    /// Match each `oldText` in the result of the previous ones.
    sequential: Option<bool>,
    /// `exact` tolerates no differences, and placeholders.
    matching: Option<Matching>,
    /// Hash of the version. Default: the last given.
    base_hash: Option<String>,
    /// If the file has changed: refuse (default) or merge.
    on_stale: Option<OnStaleParam>,
    /// If merging fails: refuse (default) or write conflict markers.
    on_conflict: Option<OnConflictParam>,
    /// As `read` reported it, to add non-ASCII characters.
    encoding: Option<String>,
    /// Show the result in this form. Default: only if it may differ from what you sent.
    display: Option<DisplayParam>,
    /// Purpose, for reviewers.
    label: Option<String>,
    /// Milliseconds to wait for a review. Default 30000, at most 45000; then the state is `pending`.
    wait_ms: Option<u64>,
    /// Id of your own pending change to replace.
    replaces: Option<String>,
}

#[derive(JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct WriteArguments {
    /// Absolute, or relative to the root.
    path: String,
    /// The complete text, literally; nothing may be omitted.
    content: String,
    /// Accept placeholders for omitted text.
    literal: Option<bool>,
    /// Such as `utf-8`. Default: the current one.
    encoding: Option<String>,
    /// `100755` makes a new file executable.
    mode: Option<String>,
    /// Hash of the version. Default: the last given.
    base_hash: Option<String>,
    #[serde(flatten)]
    options: ChangeOptions,
}

/// Arguments that the tools for changes have in common.
#[derive(JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ChangeOptions {
    /// Show the result in this form. Default: only if it may differ from what you sent.
    display: Option<DisplayParam>,
    /// Purpose, for reviewers.
    label: Option<String>,
    /// Milliseconds to wait for a review. Default 30000, at most 45000.
    wait_ms: Option<u64>,
}

#[derive(JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct PatchArguments {
    /// `*** Begin Patch` to `*** End Patch` with `*** Update File: PATH` (and `*** Move to: PATH`), `*** Add
    /// File:`,
    /// `*** Delete File:` sections; or a unified diff; or SEARCH/REPLACE blocks under their path.
    patch: String,
    /// Hashes of the versions to change, by path. Default: those last given.
    bases: Option<BTreeMap<String, String>>,
    /// If a file has changed: refuse (default) or merge.
    on_stale: Option<OnStaleParam>,
    /// Match each hunk in the result of the previous ones.
    sequential: Option<bool>,
    /// Tolerate small differences (default), or none.
    matching: Option<Matching>,
    #[serde(flatten)]
    options: ChangeOptions,
    /// Id of your own pending change to replace.
    replaces: Option<String>,
}

#[derive(JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct NotebookArguments {
    /// Absolute, or relative to the root.
    path: String,
    /// Operations, each on a different cell.
    cells: Vec<CellParams>,
    /// Hash of the version. Default: the last given.
    base_hash: Option<String>,
    #[serde(flatten)]
    options: ChangeOptions,
}

#[derive(JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct UndoArguments {
    /// From the result of a change; or the `id` of a `pending` one, which is then withdrawn.
    transaction: Option<String>,
    /// Undo the newest change of this file instead, including its other files.
    path: Option<String>,
    /// Milliseconds to wait for a review. Default 30000, at most 45000.
    wait_ms: Option<u64>,
}

#[derive(JsonSchema)]
pub(super) struct DiagnosticsArguments {
    /// A file. Default: all files.
    path: Option<String>,
}

#[derive(JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ProposalArguments {
    /// The `id` from the result of a change.
    id: Option<String>,
    /// Milliseconds to wait. Default 30000, at most 45000.
    wait_ms: Option<u64>,
}

/// Returns the schema of a tool's arguments.
pub(super) fn schema<T: JsonSchema>() -> JsonObject {
    let settings = SchemaSettings::draft2020_12().for_deserialize().with(|settings| {
        settings.meta_schema = None;
        settings.inline_subschemas = true;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    simplify(&mut schema);
    let Value::Object(mut schema) = schema else { return Map::new() };
    schema.shift_remove("title");
    schema.shift_remove("description");
    schema
}

/// Removes parts that cost tokens without helping a model: names of types, widths of integers, null for
/// optional members, and line breaks in texts.
fn simplify(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(simplify),
        Value::Object(members) => {
            let is_typed = members.get("type").is_some_and(|kind| !kind.is_object());
            members.retain(|name, value| match name.as_str() {
                "format" | "minimum" | "maximum" | "default" => !is_typed,
                "additionalProperties" => *value != Value::Bool(false),
                _ => true,
            });
            if let Some(Value::Array(types)) = members.get_mut("type") {
                types.retain(|kind| kind != "null");
                if let [only] = types.as_slice() {
                    let only = only.clone();
                    members.insert("type".to_owned(), only);
                }
            }
            if let Some(Value::Array(values)) = members.get_mut("enum") {
                values.retain(|value| !value.is_null());
            }
            if let Some(Value::String(text)) = members.get_mut("description") {
                *text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            }
            members.values_mut().for_each(simplify);
        }
        _ => {}
    }
}
