//! Messages and hints for a file whose current content is not the one that the author of the change was given.

use crate::workspace::{Audience, ChangeForm};

use super::{Known, Refusal, RefusalKind, Since, reasons};

pub(super) fn message(kind: &RefusalKind, file: &str, audience: Audience) -> String {
    let changed = audience.parameters_or("has changed since it was read", "has changed in the meantime");
    match kind {
        RefusalKind::Unread { known: Known::SomeLines, .. } => {
            format!("Only a part of {file} was read in this session, so the whole of it cannot be changed.")
        }
        RefusalKind::Unread { .. } => {
            let is_unread = "has not been read in this session";
            let is_unseen = "would be changed without a review of the change";
            format!("{file} {}.", audience.parameters_or(is_unread, is_unseen))
        }
        RefusalKind::Stale { current, since: Since::Written { later }, .. } => {
            reasons::stale_undo_message(file, *current, later.as_deref())
        }
        RefusalKind::Stale { current: None, .. } => {
            let is_gone = audience.parameters_or("was read, but no longer exists", "no longer exists");
            format!("{file} {is_gone}.")
        }
        RefusalKind::Stale { .. } => format!("{file} {changed}."),
        RefusalKind::Conflict { regions } => {
            format!("{file} {changed} in {} that this change touches.", places(regions.len()))
        }
        _ => String::new(),
    }
}

pub(super) fn unread_hint(known: Known, is_patch: bool, audience: Audience) -> String {
    let (request, hash, option) = if is_patch {
        ("patch", "`currentHash` in `bases`", "--base PATH=HASH")
    } else {
        ("change", "`currentHash` as `baseHash`", "--base")
    };
    if audience == Audience::CommandLine {
        return match known {
            Known::SomeLines => format!("Pass --yes, or {option} with the hash that `editd read` prints."),
            Known::NothingYet | Known::OtherFiles => format!(
                "Run it on a terminal to see and confirm the change; or pass --yes, or {option} with the hash that `editd read` prints."
            ),
        };
    }
    let read = audience.select("editd/read", "read", "");
    let first = format!(
        "Call `{read}` on it first, then send the {request} again; or send {hash} if you mean its current content."
    );
    match known {
        Known::NothingYet => format!(
            "{first} If you have read it before: this session is a new one, for instance because the daemon was restarted, and `currentHash` tells whether the file is still what you were given."
        ),
        Known::OtherFiles => first,
        Known::SomeLines if is_patch => format!("Send {hash} if you mean its whole current content."),
        Known::SomeLines => format!(
            "Send {hash} if you mean its whole current content; or read all of it in one call, if it fits."
        ),
    }
}

pub(super) fn stale_hint(refusal: &Refusal, is_patch: bool, audience: Audience) -> String {
    let RefusalKind::Stale { current, since, base_known, .. } = &refusal.kind else { return String::new() };
    let asked = if is_patch { "patch" } else { "change" };
    let hash = if is_patch { "`currentHash` in `bases`" } else { "`currentHash` as `baseHash`" };
    let rebase = match audience {
        Audience::Tools(ChangeForm::Content | ChangeForm::Cells) => "",
        _ => ", or with `onStale: \"rebase\"`",
    };
    let parameters = match (since, current) {
        (Since::Written { .. }, _) => return reasons::stale_undo_hint(audience).to_owned(),
        (_, None) => "Read it to confirm that it is gone; a `write` then creates it again.".to_owned(),
        (Since::Proposed, _) => {
            // Clients of the protocol propose the change again by its files, even if it came from a patch.
            let hash = if audience == Audience::Wire { "`currentHash` as `baseHash`" } else { hash };
            format!(
                "The proposal is closed: look at `diff`, and propose the change again with {hash}{rebase}."
            )
        }
        (Since::Read, _) if !base_known => "Read the file again, then make the change again.".to_owned(),
        (Since::Read, _) => {
            format!("Look at `diff`; if the {asked} still makes sense, send it again with {hash}{rebase}.")
        }
    };
    let with_hash = "and if it has --base, with the current hash of the file";
    let command = match (since, current) {
        (_, None) => "`editd write` creates it again.".to_owned(),
        (Since::Proposed, _) => "Look at the difference, then run the command again.".to_owned(),
        _ if !base_known => format!("Look at the file, then run the command again, {with_hash}."),
        _ => format!("Look at the difference; if the {asked} still makes sense, run it again, {with_hash}."),
    };
    audience.parameters_or(parameters, command)
}

pub(super) fn conflict_hint(audience: Audience) -> &'static str {
    match audience {
        Audience::Wire | Audience::Tools(ChangeForm::Edits) => {
            "Read the file again and make the change on its current text; `regions` shows both sides. Or send `onConflict: \"markers\"` to write both into the file."
        }
        Audience::Tools(_) => {
            "Read the file again and make the change on its current text; `regions` shows both sides."
        }
        Audience::CommandLine => "Read the file again and make the change on its current text.",
    }
}

fn places(count: usize) -> String {
    match count {
        0 => "places".to_owned(),
        1 => "one place".to_owned(),
        count => format!("{count} places"),
    }
}
