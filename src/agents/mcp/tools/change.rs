use rmcp::model::JsonObject;
use serde_json::{Result, Value, json};

use crate::mcp::answer::Answer;
use crate::mcp::output::ChangeOutput;
use editd_protocol::{AppliedFile, ApplyResult, Discard, Edit, ProposeResult, Undo};

use super::arguments::{
    EditArguments, NotebookArguments, PatchArguments, UndoArguments, WriteArguments, brief, brief_patch,
    edit_by_lines, edit_by_text, edit_in_any_form, schema,
};
use super::{AnswerOptions, Request, Tool};

/// First character of the ids of proposals.
const PROPOSAL: char = 'p';

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

/// The `edit` tool in each form, in the order of [`EditFormat`](super::EditFormat).
pub(super) static EDITS: [Tool; 3] = [
    edit_tool(
        "Replace text in files that you have read and that have not changed since. Each `oldText` must match \
            exactly once; small differences in spaces, quotes or indentation are tolerated and reported. All \
            `edits` are matched against the files as read, and applied together or not at all. A refusal shows the \
            closest text, or what has changed, and what to send next.",
        edit_by_text,
    ),
    edit_tool(
        "Replace, insert, delete, move or copy lines or symbols of files. All numbers mean the version \
            that you were shown: name it by `path#tag`. Your own changes move the numbers along; if others have changed \
            a file, the edit is refused and shows what they changed. All `edits` are applied together or not at all.",
        edit_by_lines,
    ),
    edit_tool(
        "Change files that you have read. By text: `oldText` with `newText`, within `lines` or a `symbol` if given; \
            small differences in spaces, quotes or indentation are tolerated. Or without `oldText`: `lines`, `after` or \
            `before` with `newText`; `symbol` with `op`; `indent` or `wrap`; `move` or `copy` lines or symbols, also to a new file. Numbers mean the version that you were shown, also after your own changes; `path#tag` names it. All `edits` are applied or none. \
            In an answer, `old lines 9+: +2` means that line 9 is line 11 now.",
        edit_in_any_form,
    ),
];

const fn edit_tool(description: &'static str, schema: fn() -> JsonObject) -> Tool {
    Tool {
        name: "edit",
        title: "Edit files",
        description,
        instead: &[
            ("apply_patch", "To delete or rename files use `apply_patch`."),
            ("write", "For a new file use `write`."),
            ("notebook_edit", "For cells of a notebook use `notebook_edit`."),
        ],
        changes: true,
        schema,
        accepted: super::arguments::schema::<EditArguments>,
        request: edit,
    }
}

pub(super) static TOOLS: [Tool; 4] = [
    Tool {
        name: "write",
        title: "Write a file",
        description: "Create a file, or replace one that you have read completely and that has not changed since. \
            Missing folders are created; an existing file keeps its encoding and line endings.",
        instead: &[("edit", "To change parts of a file use `edit`: it costs less and is easier to review.")],
        changes: true,
        schema: brief::<WriteArguments>,
        accepted: schema::<WriteArguments>,
        request: |arguments| edit(one_change("write", arguments)),
    },
    Tool {
        name: "apply_patch",
        title: "Apply a patch",
        description: "Change, add, delete and rename several files in one step, all or nothing. Existing files must have \
            been read (completely, to delete or rename them) and be unchanged since. Hunks are located by their \
            text; line numbers may be wrong.",
        instead: &[("edit", "For changes in one file use `edit`.")],
        changes: true,
        schema: brief_patch,
        accepted: schema::<PatchArguments>,
        request: edit,
    },
    Tool {
        name: "notebook_edit",
        title: "Edit a notebook",
        description: "Replace, insert and delete cells of a Jupyter notebook (.ipynb, format 4) that you have read and \
            that has not changed since. All `cells` refer to the notebook as read; all are applied or none. Outputs stay unless cleared.",
        instead: &[],
        changes: true,
        schema: brief::<NotebookArguments>,
        accepted: schema::<NotebookArguments>,
        request: |arguments| edit(one_change("notebook", arguments)),
    },
    Tool {
        name: "undo",
        title: "Undo a change",
        description: "Undo a change, by its transaction or else your newest in this session, in all its files or none. Later \
            changes of others stay; if they overlap, the undo is refused. To undo an undo, name its transaction.",
        instead: &[],
        changes: true,
        schema: brief::<UndoArguments>,
        accepted: schema::<UndoArguments>,
        request: undo,
    },
];

fn edit(params: JsonObject) -> Request {
    Request::fallible::<Edit>(params, applied).waiting()
}

/// Builds the parameters of `editd/edit` for a single change.
fn one_change(kind: &str, arguments: JsonObject) -> JsonObject {
    let (mut params, mut change): (JsonObject, JsonObject) =
        arguments.into_iter().partition(|(name, _)| CALL_PARAMETERS.contains(&name.as_str()));
    change.insert("kind".to_owned(), kind.into());
    params.insert("changes".to_owned(), json!([change]));
    params
}

fn undo(mut arguments: JsonObject) -> Request {
    let named = arguments.get("transaction").and_then(Value::as_str);
    let Some(id) = named.filter(|named| named.starts_with(PROPOSAL)).map(str::to_owned) else {
        if arguments.get("transaction").is_none_or(Value::is_null) {
            // Another process of the same client counts as another author.
            arguments.insert("ownSession".to_owned(), true.into());
        }
        return Request::fallible::<Undo>(arguments, applied).waiting();
    };
    // Withdrawing a proposal never waits.
    arguments.retain(|name, _| !["transaction", "waitMs", "wait_ms"].contains(&name.as_str()));
    arguments.insert("id".to_owned(), id.into());
    arguments.insert("reason".to_owned(), "withdrawn by its author".into());
    Request::fallible::<Discard>(arguments, discarded)
}

fn applied(result: ApplyResult, options: AnswerOptions<'_>) -> Result<Answer> {
    ChangeOutput::new(result, options).answer()
}

fn discarded(result: ProposeResult, options: AnswerOptions<'_>) -> Result<Answer> {
    let ProposeResult { id, state, files, .. } = result;
    let files = files.into_iter().map(|entry| AppliedFile { entry, landed: None }).collect();
    applied(ApplyResult { id, state, files, ..ApplyResult::default() }, options)
}
