//! Conversion of the parameters of changes to requests of the engine.

use std::collections::BTreeMap;

use crate::edit::{Count, Display, Edit};
use crate::engine::change::compute::MatchOptions;
use crate::engine::change::request::{Call, Header, PatchInfo, Reads, bad_patch};
use crate::engine::change::{ChangeKind, NewContent, Precondition, Removed, RequestedChange};
use crate::engine::files::access::Clearance;
use crate::engine::{Failure, Result, SessionContext};
use crate::patch;
use crate::patch::{FilePatch, PatchChange, PatchError, PatchHunk};
use crate::protocol::{
    ChangeParams, DeleteChange, EditChange, Invalid, Matching, NotebookChange, OnConflictParam, OnStaleParam,
    OriginParams, PatchAndBases, ProposeParams, RenameChange, TextEditParams, WriteChange, cell_ops,
    requested_path,
};
use crate::server::once::{Kind, request_digest};
use crate::text::{ContentHash, Encoding};
use crate::workspace::history::Origin;
use crate::workspace::limits::PATCH_BYTES;
use crate::workspace::{Limits, NewMode, OnStale, Repeatable, RequestedPath, Role};

fn read_changes(
    changes: Vec<ChangeParams>,
    max: usize,
) -> Result<Vec<RequestedChange<RequestedPath>>, Invalid> {
    if changes.len() > max {
        return Err(Invalid::new("changes", format!("there are more than {max}")));
    }
    let read = |(index, change)| {
        let within = |invalid: Invalid| invalid.within(&format!("changes[{index}]"));
        read_change(index, change).map_err(within)
    };
    changes.into_iter().enumerate().map(read).collect()
}

fn read_change(index: usize, change: ChangeParams) -> Result<RequestedChange<RequestedPath>, Invalid> {
    match change {
        ChangeParams::Edit(EditChange { path, uri, base_hash, edits, encoding }) => {
            requested(index, (path, uri, base_hash), || {
                let encoding = encoding.map(|label| read_encoding(&label)).transpose()?;
                Ok(ChangeKind::Edit(read_edits(edits)?, encoding))
            })
        }
        ChangeParams::Write(WriteChange { path, uri, base_hash, content: text, literal, encoding, mode }) => {
            requested(index, (path, uri, base_hash), || {
                let encoding = encoding.map(|label| read_encoding(&label)).transpose()?;
                let mode = mode.map(|mode| read_mode(&mode)).transpose()?;
                let precondition = Precondition::Any;
                Ok(ChangeKind::Write(NewContent { text, literal, encoding, mode, precondition }))
            })
        }
        ChangeParams::Delete(DeleteChange { path, uri, base_hash }) => {
            requested(index, (path, uri, base_hash), || Ok(ChangeKind::Delete(None)))
        }
        ChangeParams::Notebook(NotebookChange { path, uri, base_hash, cells }) => {
            requested(index, (path, uri, base_hash), || Ok(ChangeKind::Cells(cell_ops(cells)?)))
        }
        ChangeParams::Rename(RenameChange { path, uri, base_hash, new_path, new_uri }) => {
            requested(index, (path, uri, base_hash), || {
                let to = requested_path(new_path, new_uri, ("newPath", "newUri"))?;
                Ok(ChangeKind::Rename { edits: Vec::new(), to })
            })
        }
    }
}

fn requested(
    index: usize,
    (path, uri, base_hash): (Option<String>, Option<String>, Option<String>),
    kind: impl FnOnce() -> Result<ChangeKind<RequestedPath>, Invalid>,
) -> Result<RequestedChange<RequestedPath>, Invalid> {
    let file = requested_path(path, uri, ("path", "uri"))?;
    let base = base_hash.map(|hash| read_hash("baseHash", &hash)).transpose()?;
    Ok(RequestedChange { index, file, base, clearance: Clearance::default(), kind: kind()? })
}

/// Parses a hash. `field` is its name in the request.
pub(crate) fn read_hash(field: impl Into<String>, hash: &str) -> Result<ContentHash, Invalid> {
    hash.parse().map_err(|_| Invalid::new(field, "a hash is `b3:` and 32 hexadecimal digits"))
}

/// Parses a mode as written by git or `chmod`: executable or not.
fn read_mode(mode: &str) -> Result<NewMode, Invalid> {
    match mode {
        "100755" | "0755" | "755" => Ok(NewMode::Executable),
        "100644" | "0644" | "644" => Ok(NewMode::Plain),
        _ => Err(Invalid::new("mode", "expected `100755` for an executable file, else `100644`")),
    }
}

fn read_encoding(label: &str) -> Result<Encoding, Invalid> {
    Encoding::from_label(label)
        .ok_or_else(|| Invalid::new("encoding", format!("there is no encoding `{label}`")))
}

fn read_edits(edits: Vec<TextEditParams>) -> Result<Vec<Edit>, Invalid> {
    if edits.is_empty() {
        return Err(Invalid::new("edits", "it is empty"));
    }
    let read = |(index, edit): (usize, TextEditParams)| {
        let count = match (edit.expected_replacements, edit.replace_all) {
            (Some(0), _) => {
                let field = format!("edits[{index}].expectedReplacements");
                return Err(Invalid::new(field, "must be at least 1"));
            }
            (Some(expected), _) => Count::Exactly(expected),
            (None, true) => Count::All,
            (None, false) => Count::One,
        };
        Ok(Edit { count, ..Edit::new(edit.old_text, edit.new_text) })
    };
    edits.into_iter().enumerate().map(read).collect()
}

/// Parses a patch and the bases that came with it.
fn read_patch((patch, bases): PatchAndBases) -> Result<(Vec<RequestedChange<RequestedPath>>, PatchInfo)> {
    if patch.text.len() > PATCH_BYTES {
        let problem = format!("it is longer than {} MiB", PATCH_BYTES >> 20);
        return Err(Invalid::new("patch.text", problem).into());
    }
    let files = patch::parse(&patch.text, patch.format).map_err(|error| Failure::from(bad_patch(error)))?;
    let mut bases = read_bases(bases)?;
    let lines = files.iter().map(|file| (file.line, lines_of(&file.change))).collect();
    let mut changes = Vec::with_capacity(files.len());
    for (index, file) in files.into_iter().enumerate() {
        let base = bases.remove(&file.path).map(|(_, hash)| hash);
        let named = path(&file.path, file.line)?;
        let clearance = Clearance::default();
        changes.push(RequestedChange { index, file: named, base, clearance, kind: kind(file)? });
    }
    let bases = bases.into_iter().map(|(spelled, (path, hash))| (spelled, path, hash)).collect();
    Ok((changes, PatchInfo { lines, bases }))
}

fn path(path: &str, line: usize) -> Result<RequestedPath> {
    requested_path(Some(path.to_owned()), None, ("path", "uri")).map_err(|invalid| {
        let expected = format!("a valid path, but {}", invalid.problem);
        bad_patch(PatchError { line, expected }).into()
    })
}

fn read_bases(
    bases: BTreeMap<String, String>,
) -> Result<BTreeMap<String, (RequestedPath, ContentHash)>, Invalid> {
    let read = |(spelled, hash): (String, String)| {
        let path = requested_path(Some(spelled.clone()), None, ("", ""));
        let path = path.map_err(|invalid| Invalid::new(format!("bases.{spelled}"), invalid.problem))?;
        let hash = read_hash(format!("bases.{spelled}"), &hash)?;
        Ok((spelled, (path, hash)))
    };
    bases.into_iter().map(read).collect()
}

fn lines_of(change: &PatchChange) -> Vec<usize> {
    match change {
        PatchChange::Edit { hunks, .. } | PatchChange::Delete { hunks } => {
            hunks.iter().map(|hunk| hunk.line).collect()
        }
        PatchChange::Create { .. } | PatchChange::Fill { .. } => Vec::new(),
    }
}

fn kind(file: FilePatch) -> Result<ChangeKind<RequestedPath>> {
    let write = |text, mode, precondition| {
        ChangeKind::Write(NewContent { text, literal: false, encoding: None, mode, precondition })
    };
    Ok(match file.change {
        PatchChange::Edit { hunks, to: None } => ChangeKind::Edit(edits(hunks), None),
        PatchChange::Edit { hunks, to: Some(to) } => {
            ChangeKind::Rename { edits: edits(hunks), to: path(&to, file.line)? }
        }
        PatchChange::Create { content, executable } => {
            write(content, executable.then_some(NewMode::Executable), Precondition::New)
        }
        PatchChange::Fill { content, creates, line } => {
            write(content, None, Precondition::Empty { creates, line })
        }
        PatchChange::Delete { hunks } => {
            let removed = Removed { edits: edits(hunks), line: file.line };
            ChangeKind::Delete((!removed.edits.is_empty()).then_some(removed))
        }
    })
}

fn edits(hunks: Vec<PatchHunk>) -> Vec<Edit> {
    hunks.into_iter().map(|hunk| hunk.edit).collect()
}

/// Maximum length of each id in an origin, in bytes.
const ORIGIN_ID: usize = 256;

/// Checks the origin of a change.
pub(crate) fn origin(params: OriginParams) -> Result<Origin, Invalid> {
    let OriginParams { turn, agent, model, tool_call } = params;
    let named = [("turn", &turn), ("agent", &agent), ("model", &model), ("toolCall", &tool_call)];
    for (name, id) in named {
        check_origin_id(&format!("origin.{name}"), id.as_deref().unwrap_or_default())?;
    }
    Ok(Origin { turn, agent, model, tool_call })
}

/// Refuses an id that is too long. `field` is its name in the request.
pub(crate) fn check_origin_id(field: &str, id: &str) -> Result<(), Invalid> {
    if id.len() > ORIGIN_ID {
        return Err(Invalid::new(field, format!("it is longer than {ORIGIN_ID} bytes")));
    }
    Ok(())
}

/// Decodes the parameters of `propose` or `edit`.
pub(crate) fn call(
    mut params: ProposeParams,
    kind: Kind,
    session: &SessionContext,
    limits: &Limits,
) -> Result<Call<RequestedPath>> {
    // A repeated request may come from another tool call.
    let origin = origin(params.origin.take().unwrap_or_default())?;
    let request = params.request_id.take().map(|id| Repeatable { id, asks: request_digest(kind, &params) });
    let author = match (params.author.take(), session.role) {
        (Some(author), Role::Editor) => author,
        (Some(_), Role::Agent) => {
            return Err(Invalid::new("author", "an agent cannot act for another author").into());
        }
        (None, _) => session.author.clone(),
    };
    let (files, patch, field) = match params.take_patch()? {
        Some(patch) => {
            let (files, patch) = read_patch(patch)?;
            (files, Some(patch), "patch")
        }
        None => (read_changes(params.take_changes()?, limits.changes)?, None, "edits"),
    };
    if files.len() > limits.changes {
        let problem = format!("it changes more than {} files", limits.changes);
        return Err(Invalid::new(field, problem).into());
    }
    let edits: usize = files.iter().map(|file| file.kind.len()).sum();
    if edits > limits.edits {
        return Err(Invalid::new(field, format!("there are more than {}", limits.edits)).into());
    }
    let on_stale = match (params.on_stale, params.on_conflict) {
        (OnStaleParam::Reject, OnConflictParam::Refuse) => OnStale::Reject,
        (OnStaleParam::Rebase, OnConflictParam::Refuse) => OnStale::Rebase,
        (OnStaleParam::Rebase, OnConflictParam::Markers) => OnStale::Mark,
        (OnStaleParam::Reject, OnConflictParam::Markers) => {
            let problem = "`markers` requires `onStale: \"rebase\"`";
            return Err(Invalid::new("onConflict", problem).into());
        }
    };
    let (label, replaces) = (params.label.take(), params.replaces.take());
    let display = params.display.map(Display::from);
    let header = Header { author, origin, label, replaces, on_stale, display };
    let matching = MatchOptions { fuzzy: params.matching == Matching::Fuzzy, sequential: params.sequential };
    Ok(Call { request, header, matching, reads: Reads::Required, files, patch })
}
