//! Messages and hints of all refusals, for each audience. Edits, changed files, and
//! reasons with several kinds have their texts in separate files.

use super::super::rules::Protection;
use super::{Refusal, RefusalKind, base, of_edit, reasons};
use crate::notebook::Unreadable;
use crate::workspace::{Audience, ChangeForm};

/// Error numbers for missing permissions.
const EACCES: i32 = 13;
const EPERM: i32 = 1;

pub(super) fn message(refusal: &Refusal, audience: Audience) -> String {
    let file = refusal.path.as_ref().map_or_else(|| "the file".to_owned(), |p| format!("`{}`", p.display()));
    match &refusal.kind {
        RefusalKind::Unread { .. } | RefusalKind::Stale { .. } | RefusalKind::Conflict { .. } => {
            base::message(&refusal.kind, &file, audience)
        }
        RefusalKind::Edit(kind) => of_edit::message(kind, refusal, &file, audience),
        RefusalKind::Cells(kind) => of_edit::cell_message(kind, refusal.edit, &file),
        RefusalKind::Notebook(Unreadable { line, reason }) => {
            format!("{file} cannot be read as a notebook: {reason} (line {line}).")
        }
        RefusalKind::BrokenNotebook(Unreadable { line, reason }) => {
            format!("The change would make {file} an invalid notebook: {reason} (line {line} of the result).")
        }
        RefusalKind::BadPatch { line, expected } => {
            format!("Line {line} of the patch is invalid: expected {expected}.")
        }
        RefusalKind::NoChange
        | RefusalKind::EmptyFile
        | RefusalKind::Exists
        | RefusalKind::OtherMode { .. }
        | RefusalKind::Missing
        | RefusalKind::NotAFile { .. }
        | RefusalKind::DamagedImage(_)
        | RefusalKind::Binary
        | RefusalKind::Encoding { .. }
        | RefusalKind::GuessedEncoding { .. }
        | RefusalKind::TooLarge { .. }
        | RefusalKind::ReadOnly => file_message(&refusal.kind, &file),
        RefusalKind::OutsideWorkspace { roots } if roots.is_empty() => {
            format!("{file} lies outside the workspace: this session has no roots.")
        }
        RefusalKind::OutsideWorkspace { .. } => format!("{file} lies outside the workspace."),
        RefusalKind::Root { reason } => {
            let cannot = audience.parameters_or("cannot be a root", "cannot be worked in");
            format!("{file} {cannot}: {reason}.")
        }
        RefusalKind::Protected(protection) => {
            let Protection { rule, .. } = protection;
            format!("{file} is protected by the rule `{rule}`: it {}.", protection.description(audience))
        }
        RefusalKind::Disk { .. } => disk_message(&refusal.kind, &file, audience),
        RefusalKind::Editor(editor) => reasons::editor_message(editor, &file),
        RefusalKind::Undo(undo) => reasons::undo_message(undo, audience),
        RefusalKind::Proposal(proposal) => reasons::proposal_message(proposal),
        RefusalKind::Review(review) => reasons::review_message(review, refusal, &file, audience),
        RefusalKind::NotPermitted { what } => format!("Not permitted: {what}."),
        RefusalKind::RequestIdUsed { id } => {
            let request_id = audience.parameters_or("requestId", "request id");
            format!("The {request_id} `{id}` was used for another request.")
        }
        RefusalKind::Recovering { transaction } => format!(
            "Transaction `{transaction}` was interrupted while it changed this file, and could not be rolled back yet."
        ),
        RefusalKind::Busy { what } => format!("The daemon is busy: {what}."),
        RefusalKind::Timeout { what } => format!("{what} took longer than the deadline allows."),
    }
}

/// Returns the message for a file that cannot be read or changed in this way.
fn file_message(kind: &RefusalKind, file: &str) -> String {
    match kind {
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
        _ => String::new(),
    }
}

pub(super) fn hint(refusal: &Refusal, audience: Audience) -> String {
    let is_patch = refusal.patch_line.is_some() || audience == Audience::Tools(ChangeForm::Patch);
    let hint = match &refusal.kind {
        RefusalKind::Unread { known, .. } => return base::unread_hint(*known, is_patch, audience),
        RefusalKind::Stale { .. } => return base::stale_hint(refusal, is_patch, audience),
        RefusalKind::Protected(protection) => return protection.hint(audience),
        RefusalKind::Conflict { .. } => base::conflict_hint(audience),
        RefusalKind::Cells(kind) => of_edit::cell_hint(kind),
        RefusalKind::Notebook(_) | RefusalKind::BrokenNotebook(_) => notebook_hint(&refusal.kind, audience),
        RefusalKind::Edit(kind) => return of_edit::hint(kind, refusal, audience),
        RefusalKind::BadPatch { .. } => {
            "No part of the patch was applied: correct that line and send the whole patch again."
        }
        RefusalKind::NoChange => audience.parameters_or(
            "Nothing needs to be done; if something should change, compare what you sent with the file.",
            "Nothing needs to be done.",
        ),
        RefusalKind::EmptyFile => audience.select(
            "Give it content: a `write` change does that.",
            "Give it content: `write` does that.",
            "Give it content: `editd write` does that.",
        ),
        RefusalKind::Exists
        | RefusalKind::OtherMode { .. }
        | RefusalKind::Missing
        | RefusalKind::NotAFile { .. } => path_hint(refusal, is_patch, audience),
        RefusalKind::DamagedImage(_) => audience.parameters_or(
            "Ask the user for the image in another format.",
            "Get the image in another format.",
        ),
        RefusalKind::Binary => "editd changes text only; use a program made for this kind of file.",
        RefusalKind::Encoding { .. } | RefusalKind::GuessedEncoding { .. } => {
            encoding_hint(&refusal.kind, audience)
        }
        RefusalKind::TooLarge { .. } => "Work on a smaller file, or raise the limit in the configuration.",
        RefusalKind::ReadOnly => audience.parameters_or(
            "Ask the user to make the file writable if it should be changed.",
            "Make the file writable if it should be changed.",
        ),
        RefusalKind::OutsideWorkspace { .. } | RefusalKind::Root { .. } => root_hint(&refusal.kind, audience),
        RefusalKind::Disk { .. } => disk_hint(&refusal.kind, audience),
        RefusalKind::Editor(editor) => reasons::editor_hint(editor, audience),
        RefusalKind::Undo(undo) => reasons::undo_hint(undo, audience),
        RefusalKind::Proposal(proposal) => reasons::proposal_hint(proposal, audience),
        RefusalKind::Review(review) => reasons::review_hint(review, audience),
        RefusalKind::NotPermitted { .. }
        | RefusalKind::RequestIdUsed { .. }
        | RefusalKind::Recovering { .. }
        | RefusalKind::Busy { .. }
        | RefusalKind::Timeout { .. } => daemon_hint(&refusal.kind, audience),
    };
    hint.to_owned()
}

fn notebook_hint(kind: &RefusalKind, audience: Audience) -> &'static str {
    match kind {
        RefusalKind::Notebook(_) => audience.parameters_or(
            "Check that line; an `edit` changes the file as text, valid or not.",
            "Check that line; `editd edit` changes the file as text, valid or not.",
        ),
        _ => audience.select(
            "Change the cells with a `notebook` change, or edit the JSON so that it remains a valid notebook; a `write` change with `literal: true` takes any text.",
            "Change the cells with `notebook_edit`, or edit the JSON so that it remains a valid notebook; `write` takes any text that is meant literally.",
            "Change the cells so that the JSON remains a valid notebook; to replace it with another text, remove the file first.",
        ),
    }
}

/// Returns the hint for a request that the daemon does not perform now, or not for this client.
fn daemon_hint(kind: &RefusalKind, audience: Audience) -> &'static str {
    match kind {
        RefusalKind::NotPermitted { .. } => audience.parameters_or(
            "Ask the user; this connection cannot do it.",
            "`editd doctor` shows what is in force.",
        ),
        RefusalKind::RequestIdUsed { .. } => audience.select(
            "Nothing was done. Send this request with a new `requestId`; only an identical request may reuse one.",
            "Nothing was done. Call the tool again.",
            "Nothing was done. Send this request with a new request id; only an identical request may reuse one.",
        ),
        RefusalKind::Recovering { .. } => audience.parameters_or(
            "Nothing is lost; reading still works. Each attempt to change the file tries to roll it back first. Ask the user to look at `editd doctor`.",
            "Nothing is lost; reading still works. Each attempt to change the file tries to roll it back first. `editd doctor` shows details.",
        ),
        RefusalKind::Busy { .. } => {
            "Wait for earlier requests to end, or discard proposals, then try again."
        }
        _ => match audience {
            Audience::Wire | Audience::Tools(ChangeForm::Edits) => {
                "Ask for less at a time: smaller edits, a more distinctive `oldText`, a smaller file."
            }
            Audience::Tools(_) => "Ask for less at a time: smaller edits, a smaller file.",
            Audience::CommandLine => {
                "Ask for less at a time: smaller edits, a more distinctive --old, a smaller file."
            }
        },
    }
}

fn path_hint(refusal: &Refusal, is_patch: bool, audience: Audience) -> &'static str {
    let is_read = refusal.change.is_none();
    match &refusal.kind {
        RefusalKind::OtherMode { .. } => {
            "Write it without a mode, and change the mode with chmod afterwards."
        }
        RefusalKind::Exists if is_patch => "Choose another path, or change the existing file with hunks.",
        RefusalKind::Exists => audience.parameters_or(
            "Choose another path, or change the existing file with `edit` or `write`.",
            "Choose another path, or change the existing file with `editd edit` or `editd write`.",
        ),
        RefusalKind::Missing if is_read => audience.select(
            "Check the path; `editd/find` looks for files by name.",
            "Check the path; `find` looks for files by name.",
            "Check the path; `editd find` looks for files by name.",
        ),
        RefusalKind::Missing => audience.select(
            "Check the path; a new file is made by a `write` change.",
            "Check the path; `write` makes a new file.",
            "Check the path; `editd write` makes a new file.",
        ),
        _ => audience.select(
            "Name a regular file; folders are made as needed by a `write` into them.",
            if is_read {
                "For a folder use `list`."
            } else {
                "Name a regular file; folders are made as needed by a `write` into them."
            },
            "Name a regular file; `editd list` shows what is in a folder.",
        ),
    }
}

fn encoding_hint(kind: &RefusalKind, audience: Audience) -> &'static str {
    match (kind, audience) {
        (RefusalKind::GuessedEncoding { .. }, Audience::CommandLine) => {
            "Keep to ASCII; or use `editd edit --json` with that name as `encoding`, if the file reads right in it."
        }
        (RefusalKind::GuessedEncoding { .. }, Audience::Tools(ChangeForm::Content)) => {
            "Keep to ASCII; or send that name as `encoding`, if the file reads right in it, or another `encoding` that the file shall have."
        }
        (RefusalKind::GuessedEncoding { .. }, _) => {
            "Keep to ASCII; or send that name as `encoding` with the edit, if the file reads right in it; or rewrite the file with a `write` that names `encoding`."
        }
        (_, Audience::CommandLine) => "Keep to characters that the file's encoding has.",
        (_, Audience::Tools(ChangeForm::Content)) => {
            "Keep to characters that the file's encoding has, or send `encoding` to have another one."
        }
        _ => {
            "Keep to characters that the file's encoding has, or rewrite the file with a `write` that names `encoding`."
        }
    }
}

fn root_hint(kind: &RefusalKind, audience: Audience) -> &'static str {
    match kind {
        RefusalKind::OutsideWorkspace { .. } => audience.select(
            "Use a path inside one of `roots`; roots are set by `workspaceFolders` in `initialize`.",
            "Use a path inside one of `roots`; roots come from the client, or from `editd mcp --root DIR`.",
            "Use the actual path of the file; links and patches cannot lead out of the project.",
        ),
        _ => audience.select(
            "Start the session with the folder of the project as its root.",
            "Ask the user to start this server with the folder of the project: `editd mcp --root DIR`.",
            "Work in a folder of a project: not in your home itself, nor in folders of the system. `read_roots` in the configuration opens folders for reading.",
        ),
    }
}

fn disk_message(kind: &RefusalKind, file: &str, audience: Audience) -> String {
    let RefusalKind::Disk { operation, errno, detail, required, available } = kind else {
        return String::new();
    };
    match (errno, required.zip(*available)) {
        (_, Some((required, available))) => format!(
            "There is no room for {file}, which takes {required} bytes while {available} are free; nothing was changed."
        ),
        (Some(EACCES | EPERM), None) => {
            let user = audience.parameters_or("The user that editd runs as", "You");
            format!("{user} may not {operation} {file} ({detail}); nothing was changed.")
        }
        (_, None) => {
            format!("The file system refused to {operation} {file} ({detail}); nothing was changed.")
        }
    }
}

fn disk_hint(kind: &RefusalKind, audience: Audience) -> &'static str {
    match kind {
        RefusalKind::Disk { required: Some(_), .. } => audience.parameters_or(
            "Ask the user to free disk space, then send the same request again.",
            "Free disk space, then run the command again.",
        ),
        RefusalKind::Disk { errno: Some(EACCES | EPERM), .. } => audience.parameters_or(
            "Ask the user to allow it for the file and its folder, then send the same request again.",
            "Allow it for the file and its folder, then run the command again.",
        ),
        _ => audience.parameters_or(
            "Tell the user; the same request can be sent again once the cause is fixed.",
            "Run the command again once the cause is fixed.",
        ),
    }
}
