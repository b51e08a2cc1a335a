//! Messages and hints of all refusals, for each audience. Edits, changed files, and reasons with several kinds
//! have their texts in separate files.

use crate::{Audience, ChangeForm};
use editd_edit::notebook::Unreadable;

use super::{Refusal, RefusalKind, base, of_edit, of_symbols, reasons};

/// Error numbers for missing permissions.
const EACCES: i32 = 13;
const EPERM: i32 = 1;

/// The texts of a refusal, in the terms of their readers.
pub(super) struct Texts {
    /// One sentence about the reason.
    pub(super) message: String,
    /// The next step.
    pub(super) hint: String,
}

pub(super) fn texts(message: impl Into<String>, hint: impl Into<String>) -> Texts {
    Texts { message: message.into(), hint: hint.into() }
}

impl Texts {
    /// Returns the texts of a refusal.
    pub(super) fn of(refusal: &Refusal, audience: Audience) -> Self {
        let path = refusal.path.as_ref();
        let file = path.map_or_else(|| "the file".to_owned(), |path| format!("`{}`", path.display()));
        let is_patch = refusal.patch_line.is_some() || audience == Audience::Tools(ChangeForm::Patch);
        match &refusal.kind {
            RefusalKind::Unread { known, .. } => base::unread(*known, &file, is_patch, audience),
            RefusalKind::Stale { current, since, base_known, .. } => {
                let retry = refusal.retry_id();
                let facts = (current.is_some(), *base_known);
                base::stale(since, facts, &file, (is_patch, retry.as_deref()), audience)
            }
            RefusalKind::UnknownTag { tag, other, .. } => {
                base::unknown_tag(tag, other.as_deref(), &file, audience)
            }
            RefusalKind::Conflict { regions } => base::conflict(regions.len(), &file, audience),
            RefusalKind::Edit(kind) => of_edit::texts_of(kind, refusal, &file, audience),
            RefusalKind::Symbol(kind) => of_symbols::texts_of(kind, &file, audience),
            RefusalKind::NoSyntax(reason) => of_symbols::no_syntax(reason, &file),
            RefusalKind::NewErrors(errors) => of_symbols::new_errors(errors, &file, audience),
            RefusalKind::Cells(kind) => of_edit::texts_of_cells(kind, refusal.edit, &file),
            RefusalKind::Protected(protection) => {
                let it = protection.description(audience);
                let message = format!("{file} is protected by the rule `{}`: it {it}.", protection.rule);
                texts(message, protection.hint(audience))
            }
            RefusalKind::Editor(reason) => reasons::texts_of_editor(reason, &file, audience),
            RefusalKind::Undo(reason) => reasons::texts_of_undo(reason, &file, audience),
            RefusalKind::Proposal(reason) => reasons::texts_of_proposal(reason, audience),
            RefusalKind::Review(reason) => reasons::texts_of_review(reason, refusal, &file, audience),
            _ => of_path(refusal, &file, is_patch, audience)
                .or_else(|| of_content(&refusal.kind, &file, audience))
                .unwrap_or_else(|| of_request(&refusal.kind, &file, audience)),
        }
    }
}

/// Returns the texts for a path that cannot be used in this way.
fn of_path(refusal: &Refusal, file: &str, is_patch: bool, audience: Audience) -> Option<Texts> {
    let is_read = refusal.change.is_none();
    Some(match &refusal.kind {
        RefusalKind::Exists => {
            let edits = audience.parameters_or("`edit` or `write`", "`editd edit` or `editd write`");
            let edits = if is_patch { "hunks" } else { edits };
            let hint = format!("Choose another path, or change the existing file with {edits}.");
            texts(format!("{file} exists already."), hint)
        }
        RefusalKind::OtherMode { is_executable } => {
            let is = if *is_executable { "is executable" } else { "is not executable" };
            texts(
                format!("{file} exists already and {is}, and the mode of an existing file is not changed."),
                "Write it without a mode, and change the mode with chmod afterwards.",
            )
        }
        RefusalKind::Missing => {
            let find = audience.select("editd/find", "find", "editd find");
            let tool = match audience {
                Audience::Tools(ChangeForm::Edits) => "`write` makes a new file, and a move with `create`",
                _ => "`write` makes a new file",
            };
            let write = audience.select(
                "a new file is made by a `write` change, or by a move with `create`",
                tool,
                "`editd write` makes a new file, and `editd move` with --create",
            );
            let find = format!("`{find}` looks for files by name");
            let next = if is_read { &find } else { write };
            texts(format!("{file} does not exist."), format!("Check the path; {next}."))
        }
        RefusalKind::NoFileMatches { searched } => texts(
            format!("The old text is in none of the {searched} files that were searched."),
            "Check the text, the glob and the folder; binary and ignored files are not searched.",
        ),
        RefusalKind::OtherTotal { expected, found, files } => texts(
            format!(
                "The edit expects {expected} places, but there are {found} in {files} {}.",
                if *files == 1 { "file" } else { "files" }
            ),
            format!(
                "Look at them with a search, then {} with the intended number, or a narrower glob.",
                expecting(audience)
            ),
        ),
        RefusalKind::UnreadFiles { unread, found, files } => texts(
            format!(
                "{unread} of the {files} files with this text have not been read in this session; it is in {found} places."
            ),
            format!(
                "To change all of them, {} with {found}; or search for the text first.",
                expecting(audience)
            ),
        ),
        RefusalKind::NothingToRetry { id } => texts(
            match id.strip_prefix('o') {
                Some(_) => format!("There is no offer `{id}` to accept."),
                None => format!("There is no refused change `{id}` to send again."),
            },
            "Send the whole change. An id is valid once, in its own session, and only the newest are kept.",
        ),
        RefusalKind::NotAFile { what } => {
            let write = "Name a regular file; folders are made as needed by a `write` into them.";
            let list = "Name a regular file; `editd list` shows what is in a folder.";
            let tools = if is_read { "For a folder use `list`." } else { write };
            let message = format!("{file} is not a regular file but {what}.");
            texts(message, audience.select(write, tools, list))
        }
        RefusalKind::ReadOnly => texts(
            format!("{file} is read-only."),
            audience.ask_user("make the file writable if it should be changed."),
        ),
        RefusalKind::OutsideWorkspace { roots } => {
            let why = if roots.is_empty() { ": this session has no roots" } else { "" };
            let hint = audience.select(
                "Use a path inside one of `roots`; roots are set by `workspaceFolders` in `initialize`.",
                "Use a path inside one of `roots`; roots come from the client, or from `editd mcp --root DIR`.",
                "Use the actual path of the file; links and patches cannot lead out of the project.",
            );
            texts(format!("{file} lies outside the workspace{why}."), hint)
        }
        RefusalKind::Root { reason } => {
            let cannot = audience.parameters_or("cannot be a root", "cannot be worked in");
            let hint = audience.select(
                "Start the session with the folder of the project as its root.",
                "Ask the user to start this server with the folder of the project: `editd mcp --root DIR`.",
                "Work in a folder of a project: not in your home itself, nor in folders of the system. `read_roots` in the configuration opens folders for reading.",
            );
            texts(format!("{file} {cannot}: {reason}."), hint)
        }
        _ => return None,
    })
}

/// Returns the texts for a content that cannot be read or changed in this way.
fn of_content(kind: &RefusalKind, file: &str, audience: Audience) -> Option<Texts> {
    Some(match kind {
        RefusalKind::NoChange => texts(
            format!("The change would leave {file} exactly as it is."),
            audience.parameters_or(
                "Nothing needs to be done; if something should change, compare what you sent with the file.",
                "Nothing needs to be done.",
            ),
        ),
        RefusalKind::EmptyFile => {
            let write = audience.select("a `write` change", "`write`", "`editd write`");
            let message = format!("{file} is empty, so there is nothing in it to replace.");
            texts(message, format!("Give it content: {write} does that."))
        }
        RefusalKind::Binary => texts(
            format!("{file} is a binary file."),
            "editd changes text only; use a program made for this kind of file.",
        ),
        RefusalKind::DamagedImage(why) => {
            let get = audience.parameters_or("Ask the user for", "Get");
            let message = format!("{file} begins like an image, but {why}.");
            texts(message, format!("{get} the image in another format."))
        }
        RefusalKind::Encoding { detail } => texts(
            format!("{file} cannot be changed in its encoding: {detail}."),
            match audience {
                Audience::CommandLine => "Keep to characters that the file's encoding has.",
                Audience::Tools(ChangeForm::Content) => {
                    "Keep to characters that the file's encoding has, or send `encoding` to have another one."
                }
                _ => {
                    "Keep to characters that the file's encoding has, or rewrite the file with a `write` that names `encoding`."
                }
            },
        ),
        RefusalKind::GuessedEncoding { name } => of_guessed_encoding(name, file, audience),
        RefusalKind::TooLarge { limit, size } => texts(
            format!("{file} would take {size} bytes, more than the limit of {limit}."),
            "Work on a smaller file, or raise the limit in the configuration.",
        ),
        RefusalKind::BadPatch { line, expected } => texts(
            format!("Line {line} of the patch is invalid: expected {expected}."),
            "No part of the patch was applied: correct that line and send the whole patch again.",
        ),
        RefusalKind::Notebook(_) | RefusalKind::BrokenNotebook(_) => {
            return of_notebook(kind, file, audience);
        }
        _ => return None,
    })
}

fn of_notebook(kind: &RefusalKind, file: &str, audience: Audience) -> Option<Texts> {
    Some(match kind {
        RefusalKind::Notebook(Unreadable { line, reason }) => {
            let edit = audience.parameters_or("an `edit`", "`editd edit`");
            texts(
                format!("{file} cannot be read as a notebook: {reason} (line {line})."),
                format!("Check that line; {edit} changes the file as text, valid or not."),
            )
        }
        RefusalKind::BrokenNotebook(Unreadable { line, reason }) => texts(
            format!("The change would make {file} an invalid notebook: {reason} (line {line} of the result)."),
            audience.select(
                "Change the cells with a `notebook` change, or edit the JSON so that it remains a valid notebook; a `write` change with `literal: true` takes any text.",
                "Change the cells with `notebook_edit`, or edit the JSON so that it remains a valid notebook; `write` takes any text that is meant literally.",
                "Change the cells so that the JSON remains a valid notebook; to replace it with another text, remove the file first.",
            ),
        ),
        _ => return None,
    })
}

fn of_guessed_encoding(name: &str, file: &str, audience: Audience) -> Texts {
    let next = match audience {
        Audience::CommandLine => {
            "use `editd edit --json` with that name as `encoding` if the text was decoded correctly"
        }
        Audience::Tools(ChangeForm::Content) => {
            "send that name as `encoding` if the text was decoded correctly, or the name of another `encoding` to convert the file to it"
        }
        _ => {
            "send that name as `encoding` with the edit if the text was decoded correctly; or rewrite the file with a `write` that names `encoding`"
        }
    };
    texts(
        format!(
            "{file} cannot be changed in its encoding: it was guessed as {name}, so only ASCII text can be added safely."
        ),
        format!("Keep to ASCII; or {next}."),
    )
}

/// Returns the texts for a request that the daemon does not perform now, or not for this client.
fn of_request(kind: &RefusalKind, file: &str, audience: Audience) -> Texts {
    match kind {
        RefusalKind::Disk { .. } => of_disk(kind, file, audience),
        RefusalKind::NotPermitted { what } => texts(
            format!("Not permitted: {what}."),
            audience.parameters_or(
                "Ask the user; this connection cannot do it.",
                "`editd doctor` shows what is in force.",
            ),
        ),
        RefusalKind::RequestIdUsed { id } => {
            let request_id = audience.parameters_or("requestId", "request id");
            let next = audience.select(
                "Send this request with a new `requestId`; only an identical request may reuse one.",
                "Call the tool again.",
                "Send this request with a new request id; only an identical request may reuse one.",
            );
            let message = format!("The {request_id} `{id}` was used for another request.");
            texts(message, format!("Nothing was done. {next}"))
        }
        RefusalKind::Recovering { transaction } => {
            let look = audience
                .parameters_or("Ask the user to look at `editd doctor`.", "`editd doctor` shows details.");
            texts(
                format!(
                    "Transaction `{transaction}` was interrupted while it changed this file, and could not be rolled back yet."
                ),
                format!(
                    "Nothing is lost; reading still works. Each attempt to change the file tries to roll it back first. {look}"
                ),
            )
        }
        RefusalKind::Busy { what } => texts(
            format!("The daemon is busy: {what}."),
            "Wait for earlier requests to end, or discard proposals, then try again.",
        ),
        RefusalKind::Timeout { what } => {
            let old = match audience {
                Audience::Wire | Audience::Tools(ChangeForm::Edits) => " a more distinctive `oldText`,",
                Audience::Tools(_) => "",
                Audience::CommandLine => " a more distinctive --old,",
            };
            let message = format!("{what} took longer than the deadline allows.");
            texts(message, format!("Ask for less at a time: smaller edits,{old} a smaller file."))
        }
        // A test reports a kind without texts.
        _ => texts("The request was refused.", ""),
    }
}

fn of_disk(kind: &RefusalKind, file: &str, audience: Audience) -> Texts {
    let RefusalKind::Disk { operation, errno, detail, required, available } = kind else {
        return texts("The file system refused the request.", "");
    };
    let again = audience.parameters_or("send the same request again", "run the command again");
    let is_forbidden = matches!(errno, Some(EACCES | EPERM));
    let hint = if required.is_some() {
        format!("{}, then {again}.", audience.ask_user("free disk space"))
    } else if is_forbidden {
        format!("{}, then {again}.", audience.ask_user("allow it for the file and its folder"))
    } else {
        let parameters = "Tell the user; the same request can be sent again once the cause is fixed.";
        audience.parameters_or(parameters, "Run the command again once the cause is fixed.").to_owned()
    };
    let message = if let Some((required, available)) = required.zip(*available) {
        format!(
            "There is no room for {file}, which takes {required} bytes while {available} are free; nothing was changed."
        )
    } else if is_forbidden {
        let user = audience.parameters_or("The user that editd runs as", "You");
        format!("{user} may not {operation} {file} ({detail}); nothing was changed.")
    } else {
        format!("The file system refused to {operation} {file} ({detail}); nothing was changed.")
    };
    texts(message, hint)
}

/// Returns the advice to send a number of places.
fn expecting(audience: Audience) -> &'static str {
    match audience {
        Audience::CommandLine => "pass --expect",
        Audience::Wire | Audience::Tools(ChangeForm::Edits) => "send `expect`",
        Audience::Tools(_) => "send an edit",
    }
}
