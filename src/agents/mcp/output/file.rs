use std::fmt::Write as _;

use serde::Serialize;

use editd_protocol::{AppliedFile, ChangedState, FileEntry, Hunk, Shift, SyntaxEntry};

use super::seams::seams;
use crate::mcp::readable::{in_one_line, uri_if_needed};
use crate::mcp::size::{beginning, is_beginning};

/// Maximum number of notes and of hunks per file.
const MAX_ENTRIES: usize = 50;

/// Maximum number of line ranges to list.
const MAX_RANGES: usize = 8;

/// Maximum number of shifts to list.
const MAX_SHIFTS: usize = 100;

/// Maximum size of the diff of an undo, in lines and in bytes. Of a longer one, only the ranges are shown.
const UNDO_LINES: usize = 60;
const UNDO_BYTES: usize = 6_000;

/// A file of a change.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FileOutput {
    pub(super) path: String,
    /// URI, if the path cannot represent the name.
    uri: Option<String>,
    /// `edit`, `create`, `delete` or `rename`.
    action: String,
    /// `100755` for a new executable file.
    mode: Option<String>,
    new_path: Option<String>,
    /// Tag of the version after the change, for the next edit.
    tag: Option<String>,
    /// New lines of the file, such as `3-5, 9`.
    lines: Option<String>,
    /// Number of replaced places, if an edit replaced several.
    pub(super) replacements: Option<usize>,
    /// Number of replaced places, if all edits are of texts.
    #[serde(skip)]
    pub(super) replaced: Option<usize>,
    /// Lines that have moved, in the order of the file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    shifts: Vec<Shift>,
    /// Current hash of a changed file, for clients that send hashes.
    hash: Option<String>,
    /// Diff, if requested or if the result may differ from what the caller sent.
    pub(super) diff: Option<String>,
    /// Lines at the borders of what was changed by numbers or names.
    seams: Option<String>,
    /// Diff of the changes of others that this one was merged with.
    pub(super) others: Option<String>,
    /// `false` if only an editor holds the text so far; else omitted.
    saved: Option<bool>,
    /// Decisions of a person about the hunks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hunks: Vec<HunkOutput>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
    /// Syntax errors that the change adds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    syntax: Vec<SyntaxEntry>,
    /// Numbers of added and removed lines.
    #[serde(skip)]
    size: (usize, usize),
    /// `true` if the file was changed.
    #[serde(skip)]
    is_done: bool,
}

/// The decision about a hunk.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct HunkOutput {
    id: String,
    /// First old line, from 1.
    old_start: usize,
    old_lines: usize,
    /// `pending`, `accepted`, `rejected`, `edited` or `conflicted`.
    state: String,
}

impl FileOutput {
    /// Converts a file of a change in the given state. The diff is included only for an undo, if it is short, or if the
    /// result may differ from what the caller sent.
    pub(super) fn of(file: AppliedFile, state: &str, hashes: bool, is_undo: bool) -> Self {
        let AppliedFile { entry, landed } = file;
        let diff = diff(&entry, landed.as_ref(), state, is_undo);
        let is_by_lines = is_by_lines(&entry);
        let is_seamed = is_by_lines && diff.is_none() && entry.action == "edit" && state != "partial";
        let seams = landed.as_ref().filter(|_| is_seamed).and_then(|it| seams(&entry.hunks, &it.snippet));
        let hash_now = landed.as_ref().and_then(|landed| landed.hash.as_deref());
        let tag = hash_now.and_then(|hash| Some(hash.get(3..9)?.to_owned()));
        // The numbers of a rebased change are not those that its author knows.
        let known = landed.as_ref().filter(|landed| !landed.rebased && entry.action == "edit");
        let mut shifts = known.map(|landed| landed.shifts.clone()).unwrap_or_default();
        shifts.truncate(MAX_SHIFTS);
        let is_partial = state == "partial";
        let decides = is_partial || state == "pending";
        let differs = decides && entry.hunks.iter().any(|hunk| hunk.state != "pending");
        let lines = lines(&entry.hunks).filter(|_| landed.is_some() && !is_partial);
        let several = entry.matches.iter().any(|found| found.replacements > 1);
        let replaced: usize = entry.matches.iter().map(|found| found.replacements).sum();
        let hunk =
            |Hunk { id, old_start, old_lines, state, .. }| HunkOutput { id, old_start, old_lines, state };
        let mut hunks: Vec<_> = entry.hunks.into_iter().filter(|_| differs).map(hunk).collect();
        let mut warnings = entry.warnings;
        let omitted = [(omitted(&mut warnings), "notes"), (omitted(&mut hunks), "parts")];
        let omitted = omitted.into_iter().filter(|(number, _)| *number > 0);
        warnings.extend(omitted.map(|(number, what)| format!("{number} more {what} are not shown.")));
        Self {
            uri: uri_if_needed(&entry.path, &entry.uri),
            diff,
            seams,
            tag,
            shifts,
            replacements: several.then_some(replaced),
            replaced: (!is_by_lines).then_some(replaced),
            lines: lines.filter(|_| entry.action == "edit"),
            path: entry.path,
            action: entry.action,
            mode: entry.mode,
            new_path: entry.new_path,
            size: (entry.added, entry.removed),
            hunks,
            warnings,
            syntax: entry.syntax,
            is_done: landed.is_some(),
            others: landed.as_ref().and_then(|landed| landed.others.as_deref()).map(beginning),
            saved: landed.as_ref().map(|landed| landed.saved).filter(|saved| !saved),
            hash: landed.and_then(|landed| landed.hash).filter(|_| hashes),
        }
    }

    pub(super) fn write(&self, text: &mut String) {
        let (done, planned) = match self.action.as_str() {
            "create" => ("Created", "To create:"),
            "delete" => ("Deleted", "To delete:"),
            "rename" => ("Renamed", "To rename:"),
            _ => ("Changed", "To change:"),
        };
        let verb = if self.is_done { done } else { planned };
        let to = self.new_path.as_ref().map(|to| format!(" to {}", in_one_line(to))).unwrap_or_default();
        let several = |lines: &str| if lines.contains(['-', ',']) { "lines" } else { "line" };
        let mode = self.mode.as_ref().map(|_| ", executable".to_owned());
        let lines = self.lines.as_ref().map(|lines| format!(", {} {lines}", several(lines)));
        let replaced = self.replacements.map(|number| format!(", {number} replacements"));
        let hash = self.hash.as_ref().map(|hash| format!(", hash {hash}"));
        let shifts = self.shifts.iter().map(|Shift { line, by }| format!("{line}+: {by:+}"));
        let rest = (self.shifts.len() == MAX_SHIFTS).then(|| "and more".to_owned());
        let shifts = shifts.chain(rest).collect::<Vec<_>>().join(", ");
        let shifts = (!shifts.is_empty()).then(|| format!("; old lines {shifts}"));
        let extras: String = [mode, replaced, lines, shifts, hash].into_iter().flatten().collect();
        let tag = self.tag.as_ref().map(|tag| format!("#{tag}")).unwrap_or_default();
        let (path, (added, removed)) = (in_one_line(&self.path), self.size);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{verb} {path}{to}{tag} (+{added} -{removed}){extras}");
        if let Some(uri) = &self.uri {
            let _ = writeln!(text, "uri: {uri}");
        }
        text.push_str(self.diff.as_deref().unwrap_or_default());
        text.push_str(self.seams.as_deref().unwrap_or_default());
        if let Some(others) = &self.others {
            let _ = write!(text, "Others had changed the file since you read it:\n{others}");
        }
        for hunk in &self.hunks {
            let HunkOutput { id, old_start, old_lines, state } = hunk;
            let _ = writeln!(text, "Part {id} (at old line {old_start}, {old_lines} lines): {state}");
        }
        for warning in &self.warnings {
            let _ = writeln!(text, "Note: {warning}");
        }
        if let [first, others @ ..] = &self.syntax[..] {
            let rest = if others.is_empty() { String::new() } else { format!(" and {} more", others.len()) };
            let (line, excerpt) = (first.line, in_one_line(&first.excerpt));
            let _ = writeln!(text, "Syntax error in line {line}{rest}, not there before: {excerpt}");
        }
    }
}

/// Returns the requested representation, or the diff if the author cannot know the result.
fn diff(entry: &FileEntry, landed: Option<&ChangedState>, state: &str, is_undo: bool) -> Option<String> {
    if let Some(display) = &entry.display {
        return Some(beginning(display));
    }
    // A new file contains the text that was sent, and a deleted file needs no diff.
    let has_text = matches!(entry.action.as_str(), "edit" | "rename") && !entry.diff.is_empty();
    let differs_from_sent = |landed: &ChangedState| {
        let is_certain = |strategy: &str| strategy == "exact" || names_lines(strategy);
        let tolerated = entry.matches.iter().any(|found| !is_certain(&found.strategy));
        // One warning is that the editor has not saved the file, which does not concern the text. For a long
        // change that was applied as sent, an excerpt would not show the subject of a warning.
        let is_noted = entry.warnings.len() > usize::from(!landed.saved) && is_beginning(&entry.diff);
        let is_other = landed.rebased || landed.hash != entry.hash_after;
        state == "partial" || tolerated || is_noted || is_other
    };
    if is_undo && landed.is_some_and(|landed| landed.hash == entry.hash_after) {
        return (has_text && entry.diff.lines().count() <= UNDO_LINES && entry.diff.len() <= UNDO_BYTES)
            .then(|| entry.diff.clone());
    }
    let landed = landed.filter(|landed| has_text && (is_undo || differs_from_sent(landed)))?;
    // The diff does not contain further changes, such as those of an editor that formats the text.
    let is_planned = !is_by_lines(entry) && landed.hash == entry.hash_after || landed.snippet.is_empty();
    Some(beginning(if is_planned { &entry.diff } else { &landed.snippet }))
}

/// Returns `true` if an edit of the file named lines or a symbol, so that the author needs the new numbers.
fn is_by_lines(entry: &FileEntry) -> bool {
    entry.matches.iter().any(|found| names_lines(&found.strategy))
}

fn names_lines(strategy: &str) -> bool {
    matches!(strategy, "lines" | "symbol")
}

/// Describes the new lines of a change.
fn lines(hunks: &[Hunk]) -> Option<String> {
    let ranges: Vec<_> = hunks.iter().filter(|hunk| hunk.kind.is_none() && hunk.new_lines > 0).collect();
    let line = |hunk: &&Hunk| match hunk.new_lines {
        1 => hunk.new_start.to_string(),
        lines => format!("{}-{}", hunk.new_start, hunk.new_start + lines - 1),
    };
    // A note about a single further range would be as long as the range.
    let shown = if ranges.len() == MAX_RANGES + 1 { MAX_RANGES + 1 } else { MAX_RANGES };
    let listed = ranges.iter().take(shown).map(line).collect::<Vec<_>>().join(", ");
    let more = ranges.len().saturating_sub(shown);
    let more = if more > 0 { format!(" and {more} more ranges") } else { String::new() };
    (!listed.is_empty()).then(|| listed + &more)
}

/// Truncates a list that is too long. Returns the number of omitted items.
fn omitted<T>(list: &mut Vec<T>) -> usize {
    let omitted = list.len().saturating_sub(MAX_ENTRIES);
    list.truncate(MAX_ENTRIES);
    omitted
}
