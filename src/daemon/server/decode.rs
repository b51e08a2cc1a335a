//! Conversion of the parameters of changes to requests of the engine.

mod edits;

use std::collections::BTreeMap;

use crate::config::{Config, StaleMode};
use crate::engine::change::compute::MatchOptions;
use crate::engine::change::request::{Call, Header, PatchInfo, Reads, bad_patch};
use crate::engine::change::retried::SeenFiles;
use crate::engine::change::spread::Spread;
use crate::engine::change::{
    ChangeKind, Clip, EditForm, NewContent, Precondition, Removed, RequestedChange, RequestedEdit,
};
use crate::engine::files::access::Clearance;
use crate::engine::{Failure, Result, SessionContext};
use crate::server::once::{Kind, request_digest};
use editd_edit::patch::{self, FilePatch, LineHunk, LineHunkEdit, PatchChange, PatchError, PatchHunk};
use editd_edit::{Display, TextScope};
use editd_protocol::{
    ChangeParams, DeleteChange, EditChange, Invalid, Matching, NotebookChange, OnConflictParam, OnStaleParam,
    OriginParams, PatchAndBases, ProposeParams, RenameChange, WriteChange, cell_ops, requested_path,
};
use editd_syntax::NewPlace;
use editd_text::{ContentHash, Encoding};
use editd_workspace::history::Origin;
use editd_workspace::limits::{PATCH_BYTES, PATTERNS};
use editd_workspace::{NamedVersion, NewMode, OnStale, Repeatable, RequestedPath, Role, names};

/// Changes of files, and the edit of all files that match a glob.
type ReadChanges = (Vec<RequestedChange<RequestedPath>>, Option<Spread>);

fn read_changes(changes: Vec<ChangeParams>, max: usize) -> Result<ReadChanges, Invalid> {
    if changes.len() > max {
        return Err(Invalid::new("changes", format!("there are more than {max}")));
    }
    let (mut read, mut spread) = (Vec::with_capacity(changes.len()), None);
    for (index, change) in changes.into_iter().enumerate() {
        let within = |invalid: Invalid| invalid.within(&format!("changes[{index}]"));
        match change {
            ChangeParams::Edit(change) => {
                read.extend(edits::read(index, change, &mut spread).map_err(within)?);
            }
            change => read.push(read_change(index, change).map_err(within)?),
        }
    }
    Ok((read, spread))
}

fn read_change(index: usize, change: ChangeParams) -> Result<RequestedChange<RequestedPath>, Invalid> {
    match change {
        ChangeParams::Edit(EditChange { path, uri, base_hash, .. }) => {
            requested(index, (path, uri, base_hash), || Ok(ChangeKind::Edit(Vec::new(), None)))
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
    let base = base_hash.map(|hash| read_version("baseHash", &hash)).transpose()?;
    Ok(RequestedChange { index, file, base, implied: false, clearance: Clearance::default(), kind: kind()? })
}

/// Parses the base of a change: a hash, or its first digits. `field` is its name in the request.
fn read_version(field: impl Into<String>, base: &str) -> Result<NamedVersion, Invalid> {
    let expected = "a hash is `b3:` and 32 hexadecimal digits, and a tag at least 6 of these digits";
    base.parse().map_err(|_| Invalid::new(field, expected))
}

/// Returns the version that a hash, a tag after the path, or both of them name. `field` is the name of the hash
/// in the request.
fn named_version(
    field: &str,
    hash: Option<NamedVersion>,
    tag: Option<NamedVersion>,
) -> Result<Option<NamedVersion>, Invalid> {
    match (hash, tag) {
        (Some(hash), Some(tag)) => NamedVersion::of_hash_and_tag(field, hash, tag).map(Some),
        (hash, tag) => Ok(hash.or(tag)),
    }
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
        let base = bases.remove(&file.path).map(|(_, base)| base);
        let tag = file.tag.clone().map(NamedVersion::Tag);
        let base = named_version(&format!("bases.{}", file.path), base, tag)?;
        let named = path(&file.path, file.line)?;
        let clearance = Clearance::default();
        changes.push(RequestedChange {
            index,
            file: named,
            base,
            implied: false,
            clearance,
            kind: kind(file)?,
        });
    }
    let bases = bases.into_iter().map(|(spelled, (path, base))| (spelled, path, base)).collect();
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
) -> Result<BTreeMap<String, (RequestedPath, NamedVersion)>, Invalid> {
    let read = |(spelled, base): (String, String)| {
        let path = requested_path(Some(spelled.clone()), None, ("", ""));
        let path = path.map_err(|invalid| Invalid::new(format!("bases.{spelled}"), invalid.problem))?;
        let base = read_version(format!("bases.{spelled}"), &base)?;
        Ok((spelled, (path, base)))
    };
    bases.into_iter().map(read).collect()
}

fn lines_of(change: &PatchChange) -> Vec<usize> {
    match change {
        PatchChange::Edit { hunks, .. } | PatchChange::Delete { hunks } => {
            hunks.iter().map(|hunk| hunk.line).collect()
        }
        PatchChange::Lines { hunks, .. } => hunks.iter().map(|hunk| hunk.line).collect(),
        PatchChange::Create { .. } | PatchChange::Fill { .. } => Vec::new(),
    }
}

fn kind(file: FilePatch) -> Result<ChangeKind<RequestedPath>> {
    let write = |text, mode, precondition| {
        ChangeKind::Write(NewContent { text, literal: false, encoding: None, mode, precondition })
    };
    Ok(match file.change {
        PatchChange::Edit { hunks, to: None } => ChangeKind::Edit(of_hunks(hunks), None),
        PatchChange::Edit { hunks, to: Some(to) } => {
            ChangeKind::Rename { edits: of_hunks(hunks), to: path(&to, file.line)? }
        }
        PatchChange::Lines { hunks, to: None } => ChangeKind::Edit(of_line_hunks(hunks), None),
        PatchChange::Lines { hunks, to: Some(to) } => {
            ChangeKind::Rename { edits: of_line_hunks(hunks), to: path(&to, file.line)? }
        }
        PatchChange::Create { content, executable } => {
            write(content, executable.then_some(NewMode::Executable), Precondition::New)
        }
        PatchChange::Fill { content, creates, line } => {
            write(content, None, Precondition::Empty { creates, line: Some(line) })
        }
        PatchChange::Delete { hunks } => {
            let removed =
                Removed { edits: hunks.into_iter().map(|hunk| hunk.edit).collect(), line: file.line };
            ChangeKind::Delete((!removed.edits.is_empty()).then_some(removed))
        }
    })
}

fn of_hunks(hunks: Vec<PatchHunk>) -> Vec<RequestedEdit> {
    hunks.into_iter().map(|hunk| hunk.edit.into()).collect()
}

fn of_line_hunks(hunks: Vec<LineHunk>) -> Vec<RequestedEdit> {
    let form = |hunk: LineHunk| match hunk.edit {
        LineHunkEdit::Lines(edit) => EditForm::Lines(edit),
        LineHunkEdit::Take { clip, lines } => {
            EditForm::Take { clip: Clip(0, clip), part: TextScope::Lines(lines), removes: true }
        }
        LineHunkEdit::Put { clip, place } => {
            EditForm::Put { clip: Clip(0, clip), place: NewPlace::Lines(place), reindent: false }
        }
    };
    hunks.into_iter().map(|hunk| RequestedEdit { of: None, form: form(hunk), within: None }).collect()
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
    config: &Config,
) -> Result<Call<RequestedPath>> {
    let limits = &config.limits;
    // A repeated request may come from another tool call.
    let origin = origin(params.origin.take().unwrap_or_default())?;
    let request = params.request_id.take().map(|id| Repeatable { id, asks: request_digest(kind, &params) });
    let author = match (params.author.take(), session.role) {
        (Some(author), Role::Editor) => names::author(Some(&author)),
        (Some(_), Role::Agent) => {
            return Err(Invalid::new("author", "an agent cannot act for another author").into());
        }
        (None, _) => session.author.clone(),
    };
    let (files, spread, patch, field) = if let Some(patch) = params.take_patch()? {
        let (files, patch) = read_patch(patch)?;
        (files, None, Some(patch), "patch")
    } else {
        let is_short = params.changes.is_none();
        // The short form has no list of changes.
        let of_short = |invalid: Invalid| match invalid.field.strip_prefix("changes[0].") {
            Some(field) if is_short => Invalid::new(field.to_owned(), invalid.problem),
            _ => invalid,
        };
        let changes = params.take_changes()?;
        let (files, spread) = read_changes(changes, limits.changes).map_err(of_short)?;
        (files, spread, None, "edits")
    };
    if files.len() > limits.changes {
        let problem = format!("it changes more than {} files", limits.changes);
        return Err(Invalid::new(field, problem).into());
    }
    let is_placed =
        |file: &RequestedChange<RequestedPath>| file.kind.edits().iter().any(RequestedEdit::is_anchored);
    if spread.is_some() && request.is_some() {
        let problem = "it cannot be combined with `glob`: sent again, the edit would find other files";
        return Err(Invalid::new("requestId", problem).into());
    }
    if params.sequential && files.iter().any(is_placed) {
        let problem = "line numbers and symbols refer to the version that was shown, so such edits cannot be sequential; beside `oldText` they can";
        return Err(Invalid::new("sequential", problem).into());
    }
    let is_regex = |edit: &&RequestedEdit| matches!(&edit.form, EditForm::Text(edit) if edit.kind.regex);
    let patterns: usize = files.iter().map(|file| file.kind.edits().iter().filter(is_regex).count()).sum();
    if patterns > PATTERNS {
        let problem = format!("more than {PATTERNS} of them have `regex`");
        return Err(Invalid::new(field, problem).into());
    }
    let edits: usize = files.iter().map(|file| file.kind.len()).sum();
    if edits > limits.edits {
        return Err(Invalid::new(field, format!("there are more than {}", limits.edits)).into());
    }
    let on_stale = params.on_stale.unwrap_or(match config.stale {
        StaleMode::Reject => OnStaleParam::Reject,
        StaleMode::Merge => OnStaleParam::Rebase,
    });
    let on_stale = match (on_stale, params.on_conflict) {
        (OnStaleParam::Reject, OnConflictParam::Refuse) => OnStale::Reject,
        (OnStaleParam::Rebase, OnConflictParam::Refuse) => OnStale::Rebase,
        (OnStaleParam::Rebase, OnConflictParam::Markers) => OnStale::Mark,
        (OnStaleParam::Reject, OnConflictParam::Markers) => {
            let problem = "`markers` requires `onStale: \"rebase\"`";
            return Err(Invalid::new("onConflict", problem).into());
        }
    };
    let (label, replaces) = (params.label.take().map(|text| names::label(&text)), params.replaces.take());
    let display = params.display.map(Display::from);
    let header = Header { author, origin, label, replaces, on_stale, display };
    let matching = MatchOptions { fuzzy: params.matching == Matching::Fuzzy, sequential: params.sequential };
    Ok(Call {
        request,
        header,
        matching,
        reads: Reads::Required,
        files,
        patch,
        retried: Vec::new(),
        accepted: Vec::new(),
        seen: SeenFiles::default(),
        spread,
        notes: Vec::new(),
    })
}
