use std::fmt::Write as _;

use serde::Serialize;

use crate::protocol::{AppliedFile, FileEntry, Hunk, LandedFile};

use crate::mcp::size::{beginning, is_beginning};

use super::{in_one_line, uri_if_needed};

/// Notes about a file, and parts of it, that one answer tells.
const ENTRIES: usize = 50;

/// Places of a change whose lines are told.
const PLACES: usize = 8;

/// One file of a change.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FileOutput {
    pub(super) path: String,
    /// Names it where the path is no text.
    #[serde(skip_serializing_if = "Option::is_none")]
    uri: Option<String>,
    /// `edit`, `create`, `delete` or `rename`.
    action: String,
    /// `100755` for a new executable file.
    #[serde(skip_serializing_if = "Option::is_none")]
    mode: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    new_path: Option<String>,
    /// Which lines of the file are new, such as `3-5, 9`.
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<String>,
    /// Of the file now, where something was done: for those who send hashes, and where it is another one than that
    /// of what was sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    hash: Option<String>,
    /// Where it is not plain what has become of the file, or where it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) diff: Option<String>,
    /// False where only an editor has it so far; else left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    saved: Option<bool>,
    /// Which parts a person wanted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hunks: Vec<HunkOutput>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
    /// Lines that came, and lines that went.
    #[serde(skip)]
    size: (usize, usize),
    /// `true` if the file was changed.
    #[serde(skip)]
    is_done: bool,
}

/// The decision about a part.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct HunkOutput {
    id: String,
    /// From 1.
    old_start: usize,
    old_lines: usize,
    /// `pending`, `accepted`, `rejected`, `edited` or `conflicted`.
    state: String,
}

impl From<&Hunk> for HunkOutput {
    fn from(hunk: &Hunk) -> Self {
        let Hunk { id, old_start, old_lines, state, .. } = hunk.clone();
        Self { id, old_start, old_lines, state }
    }
}

impl FileOutput {
    /// A file of a change in this state. The difference is in it only where it is `news` in any case, or where
    /// what was done may not be what was sent.
    pub(super) fn of(file: AppliedFile, state: &str, hashes: bool, news: bool) -> Self {
        let AppliedFile { entry, landed } = file;
        let diff = diff(&entry, landed.as_ref(), state, news);
        let is_partial = state == "partial";
        let decides = is_partial || state == "pending";
        let differs = decides && entry.hunks.iter().any(|hunk| hunk.state != "pending");
        let mut hunks = if differs { entry.hunks.iter().map(HunkOutput::from).collect() } else { Vec::new() };
        let lines = lines(&entry.hunks).filter(|_| landed.is_some() && !is_partial);
        let mut warnings = entry.warnings;
        let left_out = [(left_out(&mut warnings), "notes"), (left_out(&mut hunks), "parts")];
        let left_out = left_out.into_iter().filter(|(number, _)| *number > 0);
        warnings.extend(left_out.map(|(number, what)| format!("{number} more {what} are not shown.")));
        Self {
            uri: uri_if_needed(&entry.path, &entry.uri),
            diff,
            lines: lines.filter(|_| entry.action == "edit"),
            path: entry.path,
            action: entry.action,
            mode: entry.mode,
            new_path: entry.new_path,
            size: (entry.added, entry.removed),
            hunks,
            warnings,
            is_done: landed.is_some(),
            saved: landed.as_ref().map(|landed| landed.saved).filter(|saved| !saved),
            hash: landed
                .and_then(|landed| landed.hash)
                .filter(|hash| hashes || entry.hash_after.as_ref() != Some(hash)),
        }
    }

    pub(super) fn write(&self, text: &mut String) {
        let verb = match (self.action.as_str(), self.is_done) {
            ("create", true) => "Created",
            ("create", false) => "To create:",
            ("delete", true) => "Deleted",
            ("delete", false) => "To delete:",
            ("rename", true) => "Renamed",
            ("rename", false) => "To rename:",
            (_, true) => "Changed",
            (_, false) => "To change:",
        };
        let to = self.new_path.as_ref().map(|to| format!(" to {}", in_one_line(to))).unwrap_or_default();
        let several = |lines: &str| if lines.contains(['-', ',']) { "lines" } else { "line" };
        let mode = self.mode.as_ref().map(|_| ", executable".to_owned());
        let lines = self.lines.as_ref().map(|lines| format!(", {} {lines}", several(lines)));
        let hash = self.hash.as_ref().map(|hash| format!(", hash {hash}"));
        let extras: String = [mode, lines, hash].into_iter().flatten().collect();
        let (path, (added, removed)) = (in_one_line(&self.path), self.size);
        // A string takes all.
        let _ = writeln!(text, "{verb} {path}{to} (+{added} -{removed}){extras}");
        if let Some(uri) = &self.uri {
            let _ = writeln!(text, "uri: {uri}");
        }
        text.push_str(self.diff.as_deref().unwrap_or_default());
        for hunk in &self.hunks {
            let HunkOutput { id, old_start, old_lines, state } = hunk;
            let _ = writeln!(text, "Part {id} (at old line {old_start}, {old_lines} lines): {state}");
        }
        for warning in &self.warnings {
            let _ = writeln!(text, "Note: {warning}");
        }
    }
}

/// The form that was asked for, or the difference where its author could not tell what it is.
fn diff(entry: &FileEntry, landed: Option<&LandedFile>, state: &str, news: bool) -> Option<String> {
    if let Some(display) = &entry.display {
        return Some(beginning(display));
    }
    // A new file holds what was sent; what is gone, nobody needs to see.
    let has_text = matches!(entry.action.as_str(), "edit" | "rename") && !entry.diff.is_empty();
    let tells = |landed: &LandedFile| {
        let tolerated = entry.matches.iter().any(|found| found.strategy != "exact");
        // One note is that the editor has not saved it, which says nothing of the text. Of a long change that was
        // done as it was sent, the beginning would not show what a note is about.
        let is_noted = entry.warnings.len() > usize::from(!landed.saved) && is_beginning(&entry.diff);
        let is_other = landed.rebased || landed.hash != entry.hash_after;
        news || state == "partial" || tolerated || is_noted || is_other
    };
    let landed = landed.filter(|landed| has_text && tells(landed))?;
    // Who has changed the text further, such as an editor that formats it, is not in the difference.
    let is_planned = landed.hash == entry.hash_after || landed.snippet.is_empty();
    Some(beginning(if is_planned { &entry.diff } else { &landed.snippet }))
}

/// The new lines of a change, in words.
fn lines(hunks: &[Hunk]) -> Option<String> {
    let places: Vec<_> = hunks.iter().filter(|hunk| hunk.kind.is_none()).collect();
    let line = |hunk: &&Hunk| match hunk.new_lines {
        0 | 1 => hunk.new_start.to_string(),
        lines => format!("{}-{}", hunk.new_start, hunk.new_start + lines - 1),
    };
    let told = places.iter().take(PLACES).map(line).collect::<Vec<_>>().join(", ");
    let more = places.len().saturating_sub(PLACES);
    let more = if more > 0 { format!(" and {more} more places") } else { String::new() };
    (!told.is_empty()).then(|| told + &more)
}

/// Leaves out the last of a list that is too long; tells how many.
fn left_out<T>(list: &mut Vec<T>) -> usize {
    let left_out = list.len().saturating_sub(ENTRIES);
    list.truncate(ENTRIES);
    left_out
}
