//! Texts for a file whose current content is not the one that the author of the change was given.

use std::path::Path;

use crate::{Audience, ChangeForm};
use editd_text::HashTag;

use super::messages::{Texts, texts};
use super::{Known, Since};

pub(super) fn unread(known: Known, file: &str, is_patch: bool, audience: Audience) -> Texts {
    let message = match (known, audience) {
        (Known::SomeLines, _) => {
            format!("Only a part of {file} was read in this session, so the whole of it cannot be changed.")
        }
        (_, Audience::CommandLine) => format!("{file} would be changed without a review of the change."),
        _ => format!("{file} has not been read in this session."),
    };
    let (request, hash, option) = if is_patch {
        ("patch", "`currentHash` in `bases`", "--base PATH=HASH")
    } else {
        ("change", "`currentHash` as `baseHash`", "--base")
    };
    if audience == Audience::CommandLine {
        let pass = if known == Known::SomeLines {
            "Pass --yes"
        } else {
            "Run it on a terminal to see and confirm the change; or pass --yes"
        };
        let hint = format!("{pass}, or {option} with the hash that `editd read` prints.");
        return texts(message, hint);
    }
    let read = audience.select("editd/read", "read", "");
    let first = format!(
        "Call `{read}` on it first, then send the {request} again; or send {hash} if you mean its current content."
    );
    let hint = match known {
        Known::NothingYet => format!(
            "{first} If you have read it before: this session is a new one, for instance because the daemon was restarted, and `currentHash` tells whether the file is still what you were given."
        ),
        Known::OtherFiles => first,
        Known::SomeLines if is_patch => format!("Send {hash} if you mean its whole current content."),
        Known::SomeLines => format!(
            "Send {hash} if you mean its whole current content; or read all of it in one call, if it fits."
        ),
    };
    texts(message, hint)
}

/// Returns the texts for a tag that no known version of the file has. `other` is another file that has one.
pub(super) fn unknown_tag(tag: &HashTag, other: Option<&Path>, file: &str, audience: Audience) -> Texts {
    let message = match other {
        Some(other) => format!("The tag #{tag} belongs to {}, not to {file}.", other.display()),
        None => format!("The tag #{tag} is not that of a version of {file} that this session was shown."),
    };
    let read = audience.select("`editd/read` with `anchored: true`", "`read`", "`editd read --anchored`");
    texts(
        message,
        format!("Use the tag and the line numbers of the newest {read} of that file, or read it again."),
    )
}

/// Returns the texts for a file that has changed. `exists` and `base_known` say whether the file still exists,
/// and whether the text of the base is known.
pub(super) fn stale(
    since: &Since,
    (exists, base_known): (bool, bool),
    file: &str,
    (is_patch, retry): (bool, Option<&str>),
    audience: Audience,
) -> Texts {
    if let Since::Written { later } = since {
        return stale_undo(file, exists, later.as_deref(), audience);
    }
    let is_gone = audience.parameters_or("was read, but no longer exists", "no longer exists");
    let what = if exists { has_changed(audience) } else { is_gone };
    let (asked, hash) = if is_patch {
        ("patch", "`currentHash` in `bases`")
    } else {
        ("change", "`currentHash` as `baseHash`")
    };
    let rebase = match (retry, audience) {
        (Some(id), _) => format!(", or only `retry: \"{id}\"` with `onStale: \"rebase\"`"),
        (None, Audience::Tools(ChangeForm::Content | ChangeForm::Cells)) => String::new(),
        (None, _) => ", or with `onStale: \"rebase\"`".to_owned(),
    };
    let with_hash = "and if it has --base, with the current hash of the file";
    let is_command = audience == Audience::CommandLine;
    let hint = match since {
        _ if !exists && is_command => "`editd write` creates it again.".to_owned(),
        _ if !exists => "Read it to confirm that it is gone; a `write` then creates it again.".to_owned(),
        Since::Proposed if is_command => "Look at the difference, then run the command again.".to_owned(),
        Since::Proposed => {
            // Clients of the protocol propose the change again by its files, even if it came from a patch.
            let hash = if audience == Audience::Wire { "`currentHash` as `baseHash`" } else { hash };
            format!(
                "The proposal is closed: look at `diff`, and propose the change again with {hash}{rebase}."
            )
        }
        _ if !base_known && is_command => {
            format!("Look at the file, then run the command again, {with_hash}.")
        }
        _ if !base_known => "Read the file again, then make the change again.".to_owned(),
        _ if is_command => {
            format!("Look at the difference; if the {asked} still makes sense, run it again, {with_hash}.")
        }
        _ => {
            // Models that resend a change by line numbers keep the old ones.
            let is_for_model = matches!(audience, Audience::Tools(_)) && !is_patch;
            let numbers = if is_for_model { " and the line numbers of the current text" } else { "" };
            format!(
                "Look at `diff`; if the {asked} still makes sense, send it again with {hash}{numbers}{rebase}."
            )
        }
    };
    texts(format!("{file} {what}."), hint)
}

/// Returns the texts for a file that differs from what the transaction to be undone left.
fn stale_undo(file: &str, exists: bool, later: Option<&str>, audience: Audience) -> Texts {
    let message = match later {
        _ if !exists => format!("{file} was deleted after the change to be undone."),
        Some(later) => format!(
            "The later transaction `{later}` changed {file} in the same place as the change to be undone."
        ),
        None => format!("{file} has changed since, in the same place as the change to be undone."),
    };
    let list = audience.select(" (`editd/history` lists it)", "", " (`editd log` lists it)");
    let hint = format!(
        "Nothing was undone. Undo the later change first{list}, or read the file and change it with an edit."
    );
    texts(message, hint)
}

pub(super) fn conflict(regions: usize, file: &str, audience: Audience) -> Texts {
    let places = match regions {
        0 => "places".to_owned(),
        1 => "one place".to_owned(),
        regions => format!("{regions} places"),
    };
    let more = match audience {
        Audience::Wire | Audience::Tools(ChangeForm::Edits) => {
            "; `regions` shows both sides. Or send `onConflict: \"markers\"` to write both into the file."
        }
        Audience::Tools(_) => "; `regions` shows both sides.",
        Audience::CommandLine => ".",
    };
    texts(
        format!("{file} {} in {places} that this change touches.", has_changed(audience)),
        format!("Read the file again and make the change on its current text{more}"),
    )
}

fn has_changed(audience: Audience) -> &'static str {
    audience.parameters_or("has changed since it was read", "has changed in the meantime")
}
