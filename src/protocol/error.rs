use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use editd_edit::notebook::{CellRefusalKind, CellSummary, Unreadable};
use editd_edit::{
    Closest, ConflictRegion, EditRefusalKind, LineRange, LineRefusal, Occurrences, listed_lines,
};
use editd_syntax::{Candidate, SymbolRefusal};
use editd_text::ContentHash;
use editd_workspace::rules::{Protection, Remedy};
use editd_workspace::{
    Audience, EditorRefusal, Invalid, ProposalRefusal, Refusal, RefusalKind, ReviewRefusal, Since,
    UndoRefusal,
};

use super::SyntaxEntry;

/// Kind of the refusal for a path outside of the roots of a session.
pub const OUTSIDE: &str = "outside_workspace";

/// A JSON-RPC error as it is sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct RpcError {
    /// A [`Code`], or another JSON-RPC error code.
    pub code: i64,
    /// Message of one sentence.
    pub message: String,
    /// Machine-readable details.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
}

/// The error codes that editd sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i64)]
pub enum Code {
    /// The body is not JSON.
    Parse = -32700,
    /// The body is JSON but not a request, or the request is not allowed at this point.
    InvalidRequest = -32600,
    /// The method does not exist.
    MethodNotFound = -32601,
    /// The parameters are invalid.
    InvalidParams = -32602,
    /// An internal error of the daemon.
    Internal = -32603,
    /// A request before `initialize`.
    NotInitialized = -32002,
    /// The client cancelled the request.
    Cancelled = -32800,
    /// A refusal: the current content differs from the base.
    ContentModified = -32801,
    /// Any other refusal.
    RequestFailed = -32803,
}

impl RpcError {
    /// Creates an error without data.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code: code as i64, message: message.into(), data: None }
    }

    /// Returns the stable name of the refusal, if the error is a refusal.
    pub fn kind(&self) -> Option<&str> {
        self.data.as_ref()?.get("kind")?.as_str()
    }

    /// Returns the hint of the refusal, if it has one.
    pub fn hint(&self) -> Option<&str> {
        self.data.as_ref()?.get("hint")?.as_str()
    }
}

/// Converts an error in parameters to a JSON-RPC error, worded for its readers.
pub fn invalid_params(invalid: Invalid, audience: Audience) -> RpcError {
    let Invalid { field, problem } = invalid;
    // Tools that change one file send a list with one change.
    let within = field.strip_prefix("changes[0].").map(str::to_owned);
    let field = audience.select(None, within, None).unwrap_or(field);
    let named = audience.parameters_or(None, name_on_command_line(&field));
    let message = match named {
        Some(name) => format!("{name} is invalid: {problem}."),
        None if field.is_empty() => format!("The parameters are invalid: {problem}."),
        None => format!("Parameter `{field}` is invalid: {problem}."),
    };
    let hint = audience.parameters_or(
        "Correct the named parameter and send the request again.",
        "Correct it and run the command again.",
    );
    let data = json!({ "kind": "invalid_params", "field": field, "hint": hint });
    RpcError { data: Some(data), ..RpcError::new(Code::InvalidParams, message) }
}

/// Returns the argument of the command line from which a parameter is made, at the beginning of a sentence.
fn name_on_command_line(field: &str) -> Option<String> {
    let name = match field.strip_prefix("changes[0].edits[0].").unwrap_or(field) {
        "changes[0].baseHash" => "--base",
        "oldText" => "--old",
        "newText" => "--new",
        "lines" => "--lines",
        "symbol" => "--symbol",
        "pattern" => "The pattern",
        "glob" => "--glob",
        "limit" => "--limit",
        "offset" => "--offset",
        _ => return field.strip_prefix("bases.").map(|path| format!("--base {path}")),
    };
    Some(name.to_owned())
}

/// Converts refusals to a JSON-RPC error, worded for its readers. The first refusal is the error, and all are
/// listed in its data.
pub fn refusal_error(refusals: &[Refusal], audience: Audience) -> RpcError {
    let Some(first) = refusals.first() else {
        return RpcError::new(Code::Internal, "A request was refused without a reason.");
    };
    let mut data = refusal_data(first, audience);
    let described = |refusal: &Refusal| {
        let mut data = refusal_data(refusal, audience);
        data.insert("message".to_owned(), refusal.message(audience).into());
        data
    };
    data.insert("refusals".to_owned(), refusals.iter().map(described).collect());
    let code = match first.kind {
        RefusalKind::Stale { .. } | RefusalKind::UnknownTag { .. } => Code::ContentModified,
        _ => Code::RequestFailed,
    };
    RpcError { data: Some(Value::Object(data)), ..RpcError::new(code, first.message(audience)) }
}

fn editor_details(refusal: &EditorRefusal) -> Value {
    match refusal {
        EditorRefusal::Contested { reason, editors } => {
            json!({ "reason": reason.to_string(), "editors": editors })
        }
        EditorRefusal::Refused { reason, editor } => json!({ "reason": reason, "editors": [editor] }),
        EditorRefusal::Unverified { reason, actual } => {
            json!({ "reason": reason, "actualHash": hash(*actual) })
        }
    }
}

fn refusal_data(refusal: &Refusal, audience: Audience) -> Map<String, Value> {
    let mut data = Map::new();
    data.insert("kind".to_owned(), refusal.name().into());
    let places = [
        ("path", refusal.path.as_deref().map(shown).map(Value::from)),
        ("change", refusal.change.map(Value::from)),
        ("edit", refusal.edit.map(Value::from)),
        ("patchLine", refusal.patch_line.map(Value::from)),
    ];
    data.extend(places.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
    data.insert("hint".to_owned(), refusal.hint(audience).into());
    if let Some(id) = refusal.retry_id() {
        data.insert("retry".to_owned(), id.into());
    }
    if let Some((id, offer)) = refusal.offer() {
        data.insert("offer".to_owned(), id.into());
        data.insert("offerDiff".to_owned(), offer.diff.as_str().into());
    }
    if let Value::Object(details) = details(refusal) {
        data.extend(details);
    }
    data
}

fn details(refusal: &Refusal) -> Value {
    match &refusal.kind {
        RefusalKind::Unread { current, excerpt, .. } => {
            with(json!({ "currentHash": hash(*current) }), ("excerpt", excerpt.as_deref().map(Into::into)))
        }
        RefusalKind::Stale { current, diff, base_known, since } => {
            let data = json!({ "currentHash": hash(*current), "baseKnown": base_known });
            let later = if let Since::Written { later } = since { later.as_deref() } else { None };
            let data = with(data, ("diff", diff.as_deref().map(Into::into)));
            with(data, ("transaction", later.map(Into::into)))
        }
        RefusalKind::UnknownTag { tag, current, .. } => {
            json!({ "currentHash": hash(*current), "baseKnown": false, "tag": tag.to_string() })
        }
        RefusalKind::Conflict { regions } => {
            json!({ "regions": regions.iter().map(region).collect::<Value>() })
        }
        RefusalKind::Edit(kind) => edit_details(refusal.edit, kind),
        RefusalKind::BadPatch { line, expected } => json!({ "line": line, "expected": expected }),
        RefusalKind::Cells(kind) => cell_details(refusal.edit, kind),
        RefusalKind::Notebook(Unreadable { line, reason })
        | RefusalKind::BrokenNotebook(Unreadable { line, reason }) => {
            json!({ "reason": reason, "line": line })
        }
        RefusalKind::Symbol(refusal) => symbol_details(refusal),
        RefusalKind::NoSyntax(reason) => json!({ "reason": reason }),
        RefusalKind::NewErrors(errors) => {
            json!({ "errors": errors.iter().map(SyntaxEntry::from).collect::<Vec<_>>() })
        }
        RefusalKind::NotAFile { what } => json!({ "what": what }),
        RefusalKind::Encoding { detail } => json!({ "reason": detail }),
        RefusalKind::GuessedEncoding { name } => {
            json!({ "reason": format!("the encoding was guessed as {name}") })
        }
        RefusalKind::EmptyFile => json!({ "closest": [] }),
        RefusalKind::TooLarge { limit, size } => json!({ "limit": limit, "size": size }),
        RefusalKind::OutsideWorkspace { roots } => {
            json!({ "roots": roots.iter().map(|root| shown(root)).collect::<Vec<_>>() })
        }
        RefusalKind::Root { reason } => json!({ "reason": reason }),
        RefusalKind::Protected(protection) => protection_details(protection),
        RefusalKind::Disk { operation, errno, detail, required, available } => json!({
            "operation": operation, "errno": errno, "reason": detail,
            "required": required, "available": available,
        }),
        RefusalKind::Editor(editor) => editor_details(editor),
        RefusalKind::Undo(undo) => undo_details(undo),
        RefusalKind::Proposal(proposal) => proposal_details(proposal),
        RefusalKind::Review(review) => review_details(review),
        RefusalKind::RequestIdUsed { id } => json!({ "requestId": id }),
        RefusalKind::Recovering { transaction } => json!({ "transaction": transaction }),
        RefusalKind::NotPermitted { what } | RefusalKind::Busy { what } => json!({ "reason": what }),
        RefusalKind::OtherTotal { expected, found, files } => {
            json!({ "expected": expected, "found": found, "files": files })
        }
        RefusalKind::UnreadFiles { unread, found, files } => {
            json!({ "unread": unread, "found": found, "files": files })
        }
        RefusalKind::NoChange
        | RefusalKind::Exists
        | RefusalKind::OtherMode { .. }
        | RefusalKind::Missing
        | RefusalKind::NothingToRetry { .. }
        | RefusalKind::NoFileMatches { .. }
        | RefusalKind::Binary
        | RefusalKind::DamagedImage(_)
        | RefusalKind::ReadOnly
        | RefusalKind::Timeout { .. } => Value::Null,
    }
}

fn undo_details(refusal: &UndoRefusal) -> Value {
    match refusal {
        UndoRefusal::Unknown { id } => json!({ "transaction": id }),
        UndoRefusal::NotListed { id } | UndoRefusal::Reverted { id } | UndoRefusal::NotKept { id } => {
            json!({ "transaction": id })
        }
        UndoRefusal::Undone { id, by } => json!({ "transaction": id, "undoneBy": by }),
    }
}

fn review_details(refusal: &ReviewRefusal) -> Value {
    match refusal {
        ReviewRefusal::Rejected { comments } => json!({ "comments": comments }),
        ReviewRefusal::Waits { proposal } => json!({ "proposal": proposal.to_string() }),
        ReviewRefusal::NothingRejected { id, .. } => {
            json!({ "proposal": id.as_ref().map(ToString::to_string) })
        }
        ReviewRefusal::EarlierDecision { hunks, .. } => {
            json!({ "hunks": hunks.iter().map(ToString::to_string).collect::<Vec<_>>() })
        }
    }
}

fn proposal_details(refusal: &ProposalRefusal) -> Value {
    match refusal {
        ProposalRefusal::Unknown { id } => json!({ "proposal": id }),
        ProposalRefusal::Superseded { current_revision, by } => {
            let by = by.as_ref().map(|by| by.to_string().into());
            with(json!({ "currentRevision": current_revision }), ("proposal", by))
        }
        ProposalRefusal::OtherRevision { current_revision, .. } => {
            json!({ "currentRevision": current_revision })
        }
        ProposalRefusal::Closed { state, current_revision, transaction } => {
            let transaction = transaction.as_deref().map(Into::into);
            with(
                json!({ "state": state.as_ref(), "currentRevision": current_revision }),
                ("transaction", transaction),
            )
        }
    }
}

fn protection_details(protection: &Protection) -> Value {
    let reason = protection.reason.as_deref().map(Into::into);
    let mut data = with(json!({ "rule": protection.rule }), ("reason", reason));
    if let Remedy::Policy { file, lines } | Remedy::Review { file, lines } = &protection.opening {
        data["policy"] = shown(file).into();
        data["allow"] = lines.as_str().into();
    }
    data
}

fn edit_details(edit: Option<usize>, kind: &EditRefusalKind) -> Value {
    match kind {
        EditRefusalKind::NotFound { closest, already_applied, .. } => {
            let data = json!({ "closest": closest_entries(closest) });
            with(data, ("alreadyApplied", already_applied.then_some(true.into())))
        }
        EditRefusalKind::MissingContext { context, closest } => {
            json!({ "context": context, "closest": closest_entries(closest) })
        }
        EditRefusalKind::OutsideScope { scope, occurrences } => {
            let scope = listed_lines(&[*scope]);
            let data = json!({
                "closest": [], "scope": scope, "found": occurrences.total, "occurrences": listed(occurrences),
            });
            with(data, ("more", occurrences.more.then_some(true.into())))
        }
        EditRefusalKind::NoMatch { scope, within_words } => {
            let data = json!({ "closest": [], "occurrences": listed(within_words) });
            with(data, ("scope", scope.map(|scope| listed_lines(&[scope]).into())))
        }
        EditRefusalKind::TooManyMatches { limit } => json!({ "limit": limit }),
        EditRefusalKind::Placeholder { line, .. } => json!({ "line": line }),
        EditRefusalKind::Ambiguous { occurrences } => {
            let data = json!({ "found": occurrences.total, "occurrences": listed(occurrences) });
            with(data, ("more", occurrences.more.then_some(true.into())))
        }
        EditRefusalKind::CountMismatch { expected, found, occurrences } => json!({
            "expected": expected, "found": found, "lines": listed_lines(&occurrences.lines),
            "occurrences": listed(occurrences),
        }),
        EditRefusalKind::Overlap { other_edit, lines, other_lines } => {
            both((edit, Some(*lines)), (Some(*other_edit), Some(*other_lines)))
        }
        EditRefusalKind::Contradiction { other_edit, lines } => {
            both((edit, Some(*lines)), (Some(*other_edit), Some(*lines)))
        }
        EditRefusalKind::Dependency { other_edit } => both((edit, None), (Some(*other_edit), None)),
        EditRefusalKind::TooLarge { limit, size } => json!({ "limit": limit, "size": size }),
        EditRefusalKind::Lines(refusal) => line_details(refusal),
        EditRefusalKind::NoChange | EditRefusalKind::EmptyOldText | EditRefusalKind::Timeout => Value::Null,
    }
}

fn line_details(refusal: &LineRefusal) -> Value {
    let lines = |lines: &LineRange| format!("{}-{}", lines.start, lines.end);
    match refusal {
        LineRefusal::NoSuchLine { line, total } => {
            json!({ "closest": [], "line": line, "totalLines": total })
        }
        LineRefusal::OtherText { line, excerpt, .. } => {
            json!({ "closest": [], "line": line, "excerpt": excerpt })
        }
        LineRefusal::Unseen { lines: unseen, excerpt, .. } => {
            json!({ "lines": lines(unseen), "excerpt": excerpt })
        }
        LineRefusal::NotReshaped { line, excerpt, .. } => json!({ "line": line, "excerpt": excerpt }),
        LineRefusal::SeveralVersions { lines: named, tags } => json!({ "lines": lines(named), "tags": tags }),
    }
}

fn symbol_details(refusal: &SymbolRefusal) -> Value {
    let listed = |candidates: &[Candidate]| -> Value {
        let entry = |candidate: &Candidate| {
            json!({
                "symbol": candidate.path, "kind": candidate.kind.to_string(),
                "startLine": candidate.lines.start, "endLine": candidate.lines.end,
            })
        };
        candidates.iter().map(entry).collect()
    };
    match refusal {
        SymbolRefusal::Unknown { candidates, total } => {
            json!({ "closest": [], "symbols": listed(candidates), "found": total })
        }
        SymbolRefusal::Ambiguous { candidates, more } => {
            json!({ "symbols": listed(candidates), "found": candidates.len() + more })
        }
        SymbolRefusal::Broken { line }
        | SymbolRefusal::SharedLines { line }
        | SymbolRefusal::NotAnItem { line }
        | SymbolRefusal::InMoved { line } => json!({ "line": line }),
        SymbolRefusal::WithoutBody { lines }
        | SymbolRefusal::BodyInLine { lines }
        | SymbolRefusal::WithoutName { lines } => {
            json!({ "closest": [], "line": lines.start })
        }
        SymbolRefusal::BadText { reason } => json!({ "reason": reason.to_string() }),
        SymbolRefusal::NoRename(refusal)
        | SymbolRefusal::NameTaken(refusal)
        | SymbolRefusal::RenameUnclear(refusal) => match refusal.line() {
            Some(line) => json!({ "reason": refusal.to_string(), "line": line }),
            None => json!({ "reason": refusal.to_string() }),
        },
    }
}

fn cell_details(op: Option<usize>, kind: &CellRefusalKind) -> Value {
    let cell = |cell: &CellSummary| {
        json!({
            "index": cell.index, "id": cell.id, "cellType": cell.cell_type,
            "startLine": cell.lines.start, "endLine": cell.lines.end,
        })
    };
    match kind {
        CellRefusalKind::NotFound { cells, total, .. } => {
            json!({ "closest": [], "cells": cells.iter().map(cell).collect::<Value>(), "found": total })
        }
        CellRefusalKind::Ambiguous { occurrences, .. } => {
            json!({ "found": occurrences.total, "occurrences": listed(occurrences) })
        }
        CellRefusalKind::Contradiction { other_op, lines, .. } => {
            both((op, Some(*lines)), (Some(*other_op), Some(*lines)))
        }
    }
}

/// Describes two edits that collide, each with its lines if known.
fn both(one: (Option<usize>, Option<LineRange>), other: (Option<usize>, Option<LineRange>)) -> Value {
    let entry = |(edit, lines): (Option<usize>, Option<LineRange>)| match lines {
        Some(LineRange { start, end }) => json!({ "edit": edit, "startLine": start, "endLine": end }),
        None => json!({ "edit": edit }),
    };
    json!({ "edits": [entry(one), entry(other)] })
}

fn closest_entries(closest: &[Closest]) -> Value {
    let entry = |closest: &Closest| {
        json!({
            "startLine": closest.start_line, "endLine": closest.end_line,
            "similarity": closest.similarity, "diff": closest.diff, "reason": closest.reason,
        })
    };
    closest.iter().map(entry).collect()
}

/// Adds a member to an object, if it has a value.
fn with(mut data: Value, (name, value): (&str, Option<Value>)) -> Value {
    if let Some(value) = value {
        data[name] = value;
    }
    data
}

fn listed(occurrences: &Occurrences) -> Value {
    occurrences
        .listed
        .iter()
        .map(|occurrence| json!({ "startLine": occurrence.start_line, "endLine": occurrence.end_line, "excerpt": occurrence.excerpt }))
        .collect()
}

fn region(region: &ConflictRegion) -> Value {
    json!({
        "base": region.base, "ours": region.ours, "theirs": region.theirs,
        "startLine": region.ours_line, "baseLine": region.base_line, "oursLine": region.ours_line,
        "theirsLine": region.theirs_line,
    })
}

fn hash(hash: Option<ContentHash>) -> Option<String> {
    hash.map(|hash| hash.to_string())
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}
