//! Messages and hints of all refusals. Groups of refusals have their texts in separate files.

use crate::notebook::Unreadable;

use super::super::rules::Protection;
use super::{Known, Refusal, RefusalKind, Since};
use super::{of_cell, of_disk, of_edit, of_editor, of_patch, of_proposal, of_review, of_undo};

pub(super) fn message(refusal: &Refusal) -> String {
    let file = refusal.path.as_ref().map_or_else(|| "the file".to_owned(), |p| format!("`{}`", p.display()));
    match &refusal.kind {
        RefusalKind::Unread { known: Known::SomeLines, .. } => {
            format!("Only a part of {file} was read in this session, so the whole of it cannot be changed.")
        }
        RefusalKind::Unread { .. } => format!("{file} has not been read in this session."),
        RefusalKind::Stale { current, since: Since::Written { later }, .. } => {
            of_undo::stale_message(&file, *current, later.as_deref())
        }
        RefusalKind::Stale { current: None, .. } => format!("{file} was read, but no longer exists."),
        RefusalKind::Stale { .. } => format!("{file} has changed since it was read."),
        RefusalKind::Conflict { regions } => {
            format!(
                "{file} has changed since it was read in {} that this change touches.",
                places(regions.len())
            )
        }
        RefusalKind::Edit(kind) => of_edit::message(kind, refusal.edit, refusal.patch_line, &file),
        RefusalKind::Cells(kind) => of_cell::message(kind, refusal.edit, &file),
        RefusalKind::Notebook(Unreadable { line, reason }) => {
            format!("{file} cannot be read as a notebook: {reason} (line {line}).")
        }
        RefusalKind::BrokenNotebook(Unreadable { line, reason }) => {
            format!("The change would make {file} an invalid notebook: {reason} (line {line} of the result).")
        }
        RefusalKind::BadPatch { line, expected } => {
            format!("Line {line} of the patch is invalid: expected {expected}.")
        }
        RefusalKind::NoChange => format!("The change would leave {file} exactly as it is."),
        RefusalKind::EmptyFile => format!("{file} is empty, so there is nothing in it to replace."),
        RefusalKind::Exists => format!("{file} exists already."),
        RefusalKind::OtherMode { is_executable } => {
            let is = if *is_executable { "is executable" } else { "is not executable" };
            format!("{file} exists already and {is}, and the mode of an existing file is not changed.")
        }
        RefusalKind::Missing => format!("{file} does not exist."),
        RefusalKind::NotAFile { what } => format!("{file} is not a regular file but {what}."),
        RefusalKind::DamagedImage(why) => format!("{file} begins like an image, but {why}."),
        RefusalKind::Binary => format!("{file} is a binary file."),
        RefusalKind::Encoding { detail } => {
            format!("{file} cannot be changed in its encoding: {detail}.")
        }
        RefusalKind::GuessedEncoding { name } => format!(
            "{file} cannot be changed in its encoding: it was guessed as {name}, so only ASCII text can be added safely."
        ),
        RefusalKind::TooLarge { limit, size } => {
            format!("{file} would take {size} bytes, more than the limit of {limit}.")
        }
        RefusalKind::ReadOnly => format!("{file} is read-only."),
        RefusalKind::OutsideWorkspace { roots } if roots.is_empty() => {
            format!("{file} lies outside the workspace: this session has no roots.")
        }
        RefusalKind::OutsideWorkspace { .. } => format!("{file} lies outside the workspace."),
        RefusalKind::Root { reason } => format!("{file} cannot be a root: {reason}."),
        RefusalKind::Protected(Protection { rule, what, .. }) => {
            format!("{file} is protected by the rule `{rule}`: it {what}.")
        }
        RefusalKind::Disk { .. } => of_disk::message(&refusal.kind, &file),
        RefusalKind::Editor(editor) => of_editor::message(editor, &file),
        RefusalKind::Undo(undo) => of_undo::message(undo),
        RefusalKind::Proposal(proposal) => of_proposal::message(proposal),
        RefusalKind::Review(review) => of_review::message(review, refusal.edit, &file),
        RefusalKind::NotPermitted { what } => format!("Not permitted: {what}."),
        RefusalKind::RequestIdUsed { id } => format!("The requestId `{id}` was used for another request."),
        RefusalKind::Recovering { transaction } => format!(
            "Transaction `{transaction}` was interrupted while it changed this file, and could not be rolled back yet."
        ),
        RefusalKind::Busy { what } => format!("The daemon is busy: {what}."),
        RefusalKind::Timeout { what } => format!("{what} took longer than the deadline allows."),
    }
}

pub(super) fn hint(refusal: &Refusal) -> String {
    if let Some(hint) = refusal.patch_line.and_then(|_| of_patch::hint(&refusal.kind)) {
        return hint.to_owned();
    }
    match &refusal.kind {
        RefusalKind::Unread { known, .. } => unread_hint(*known),
        RefusalKind::Stale { since: Since::Written { .. }, .. } => of_undo::STALE_HINT,
        RefusalKind::Stale { current: None, .. } => {
            "Read it to confirm that it is gone; a `write` then creates it again."
        }
        RefusalKind::Stale { since: Since::Proposed, .. } => {
            "The proposal is closed: look at `diff`, and propose the change again with `currentHash` as `baseHash`, or with `onStale: \"rebase\"`."
        }
        RefusalKind::Stale { base_known: false, .. } => "Read the file again, then make the change again.",
        RefusalKind::Stale { .. } => {
            "Look at `diff`; if the change still makes sense, send it again with `currentHash` as `baseHash`, or with `onStale: \"rebase\"`."
        }
        RefusalKind::Conflict { .. } => {
            "Read the file again and make the change on its current text; `regions` shows both sides. Or send `onConflict: \"markers\"` to write both into the file."
        }
        RefusalKind::Cells(kind) => of_cell::hint(kind),
        RefusalKind::Notebook(_) => {
            "Check that line; an `edit` changes the file as text, valid or not."
        }
        RefusalKind::BrokenNotebook(_) => {
            "Change the cells with a `notebook` change, or edit the JSON so that it remains a valid notebook; a `write` change with `literal: true` takes any text."
        }
        RefusalKind::Edit(kind) => of_edit::hint(kind, refusal),
        RefusalKind::BadPatch { .. } => {
            "No part of the patch was applied: correct that line and send the whole patch again."
        }
        RefusalKind::NoChange => "Nothing needs to be done; if something should change, compare what you sent with the file.",
        RefusalKind::EmptyFile => "Give it content: a `write` change does that.",
        RefusalKind::OtherMode { .. } => "Write it without a mode, and change the mode with chmod afterwards.",
        RefusalKind::Exists => "Choose another path, or change the existing file with `edit` or `write`.",
        RefusalKind::Missing if refusal.change.is_none() => {
            "Check the path; `editd/find` looks for files by name."
        }
        RefusalKind::Missing => "Check the path; a new file is made by a `write` change.",
        RefusalKind::NotAFile { .. } => "Name a regular file; folders are made as needed by a `write` into them.",
        RefusalKind::DamagedImage(_) => "Ask the user for the image in another format.",
        RefusalKind::Binary => "editd changes text only; use a program made for this kind of file.",
        RefusalKind::Encoding { .. } => {
            "Keep to characters that the file's encoding has, or rewrite the file with a `write` that names `encoding`."
        }
        RefusalKind::GuessedEncoding { .. } => {
            "Keep to ASCII; or send that name as `encoding` with the edit, if the file reads right in it; or rewrite the file with a `write` that names `encoding`."
        }
        RefusalKind::TooLarge { .. } => "Work on a smaller file, or raise the limit in the configuration.",
        RefusalKind::ReadOnly => "Ask the user to make the file writable if it should be changed.",
        RefusalKind::OutsideWorkspace { .. } => {
            "Use a path inside one of `roots`; roots are set by `workspaceFolders` in `initialize`."
        }
        RefusalKind::Root { .. } => "Start the session with the folder of the project as its root.",
        RefusalKind::Protected(protection) => return protection.hint(),
        RefusalKind::Disk { .. } => of_disk::hint(&refusal.kind),
        RefusalKind::Editor(editor) => of_editor::hint(editor),
        RefusalKind::Undo(undo) => of_undo::hint(undo),
        RefusalKind::Proposal(proposal) => of_proposal::hint(proposal),
        RefusalKind::Review(review) => of_review::hint(review),
        RefusalKind::NotPermitted { .. } => "Ask the user; this connection cannot do it.",
        RefusalKind::RequestIdUsed { .. } => {
            "Nothing was done. Send this request with a new `requestId`; only an identical request may reuse one."
        }
        RefusalKind::Recovering { .. } => "Nothing is lost; reading still works. Each attempt to change the file tries to roll it back first. Ask the user to look at `editd doctor`.",
        RefusalKind::Busy { .. } => "Wait for earlier requests to end, or discard proposals, then try again.",
        RefusalKind::Timeout { .. } => "Ask for less at a time: smaller edits, a more distinctive `oldText`, a smaller file.",
    }
    .to_owned()
}

fn unread_hint(known: Known) -> &'static str {
    match known {
        Known::NothingYet => {
            "Call `editd/read` on it first, then send the change again; or send `currentHash` as `baseHash` if you mean its current content. If you have read it before: this session is a new one, for instance because the daemon was restarted, and `currentHash` tells whether the file is still what you were given."
        }
        Known::OtherFiles => {
            "Call `editd/read` on it first, then send the change again; or send `currentHash` as `baseHash` if you mean its current content."
        }
        Known::SomeLines => {
            "Send `currentHash` as `baseHash` if you mean its whole current content; or read all of it in one call, if it fits."
        }
    }
}

fn places(count: usize) -> String {
    match count {
        0 => "places".to_owned(),
        1 => "one place".to_owned(),
        count => format!("{count} places"),
    }
}
