//! Patches between `*** Begin Patch` and `*** End Patch`, as the tools of Codex and opencode take them.
//!
//! These tools search the lines of a chunk from the end of the chunk before, first as they are, then without blanks
//! at their ends, and take the first place that fits. So a chunk is unambiguous for them if its lines occur only
//! once, even without their blanks.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::ToolCall;
use editd_edit::patch::{FilePatch, PatchChange, PatchFormat, PatchHunk, parse};
use editd_edit::{Deadline, Run, line_runs};
use editd_protocol::NativeFile;
use editd_text::normalize_line_endings;

/// Words before the path in the lines that name a file.
const NAMING: [&str; 4] = ["Update File:", "Add File:", "Delete File:", "Move to:"];

/// Number of unchanged lines around a change.
const CONTEXT: usize = 3;

/// Returns the path in a line that names a file.
fn path_in(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("***")?.trim_start();
    NAMING.iter().find_map(|naming| rest.strip_prefix(naming)).map(str::trim).filter(|path| !path.is_empty())
}

/// Returns the absolute paths that a patch names.
pub(super) fn paths(patch: &str, cwd: &Path) -> Vec<PathBuf> {
    patch.lines().filter_map(path_in).map(|path| cwd.join(path)).collect()
}

/// Returns the patch with absolute paths.
pub(super) fn absolute_paths(patch: &str, cwd: &Path) -> String {
    with_paths(patch, |name| Some(cwd.join(name).display().to_string()))
}

/// Returns the patch with other paths. `other` returns `None` for a path that stays.
pub(super) fn with_paths(patch: &str, other: impl Fn(&str) -> Option<String>) -> String {
    let line = |line: &str| {
        let replaced = path_in(line).and_then(|name| {
            let (at, replacement) = (line.rfind(name)?, other(name)?);
            Some(format!("{}{replacement}{}", &line[..at], &line[at + name.len()..]))
        });
        replaced.unwrap_or_else(|| line.to_owned())
    };
    patch.split_inclusive('\n').map(line).collect()
}

/// Returns a patch from which the tool writes the prepared texts, or `None` if it does so with the patch that it
/// has.
pub(super) fn rewritten(call: &ToolCall, given: &str, files: &[NativeFile]) -> Option<String> {
    let absolute = call.params["patch"]["text"].as_str().unwrap_or_default();
    let parsed = parse(absolute, Some(PatchFormat::ApplyPatch)).unwrap_or_default();
    let is_prepared = |file: &NativeFile| {
        parsed.iter().find(|patch| patch.path == file.path).is_some_and(|patch| leads_to(patch, file))
    };
    if is_plain(absolute, files) && parsed.len() == files.len() && files.iter().all(is_prepared) {
        return None;
    }
    let names: HashMap<_, _> =
        absolute.lines().filter_map(path_in).zip(given.lines().filter_map(path_in)).collect();
    let name = |path: &str| names.get(path).map_or(path, |name| name).to_owned();
    let sections = files.iter().map(|file| section(file, name));
    Some(format!("*** Begin Patch\n{}*** End Patch\n", sections.collect::<String>()))
}

/// Returns `true` if a patch has none of the forms that a tool gets wrong: two sections for a file, of which one
/// is lost; a file that is moved to its own path, which deletes it; and lines without `@@` before them, which have
/// no effect.
fn is_plain(patch: &str, files: &[NativeFile]) -> bool {
    let naming = |line: &&str| path_in(line).is_some();
    let is_move = |line: &&str| naming(line) && line.contains(NAMING[3]);
    let is_update = |line: &str| naming(&line) && line.contains(NAMING[0]);
    let named = patch.lines().filter(naming).count();
    let moved = patch.lines().filter(is_move).count();
    let mut lines = patch.lines().filter(|line| !is_move(line)).peekable();
    let mut has_headers = true;
    while let Some(line) = lines.next() {
        has_headers &= !is_update(line) || lines.peek().is_some_and(|next| next.starts_with("@@"));
    }
    let renamed = files.iter().filter(|file| file.new_path.is_some()).count();
    named - moved == files.len() && moved == renamed && has_headers
}

/// Returns `true` if the tool writes the prepared text from this part of a patch.
fn leads_to(patch: &FilePatch, file: &NativeFile) -> bool {
    let before = file.before.as_deref().map(normalize_line_endings);
    let after = file.after.as_deref().map(normalize_line_endings);
    match (&patch.change, before, after) {
        (PatchChange::Create { content, .. }, None, Some(after)) => *content == after,
        (PatchChange::Delete { .. }, Some(_), None) => true,
        (PatchChange::Edit { hunks, to }, Some(before), Some(after)) => {
            *to == file.new_path && applied(&before, hunks).is_some_and(|text| text == after)
        }
        _ => false,
    }
}

/// Returns the text that exactly matching hunks lead to, or `None` if a hunk does not have a single place.
fn applied(before: &str, hunks: &[PatchHunk]) -> Option<String> {
    let lines: Vec<_> = before.split_inclusive('\n').collect();
    let (mut text, mut next) = (String::new(), 0);
    for PatchHunk { edit, .. } in hunks {
        let block: Vec<_> = edit.old.split_inclusive('\n').collect();
        let at = next + lines[next..].windows(block.len().max(1)).position(|window| window == block)?;
        if !is_unique(&lines, at..at + block.len()) {
            return None;
        }
        text.extend(lines[next..at].iter().copied());
        text.push_str(&edit.new);
        next = at + block.len();
    }
    text.extend(lines[next..].iter().copied());
    Some(text)
}

/// Returns `true` if no other lines equal those of the range, blanks at their ends ignored.
fn is_unique(lines: &[&str], range: Range<usize>) -> bool {
    let is_same = |(one, other): (&&str, &&str)| one.trim() == other.trim();
    let block = &lines[range.clone()];
    let mut places = (0..=lines.len() - block.len())
        .filter(|&at| lines[at..at + block.len()].iter().zip(block).all(is_same));
    block.len() == lines.len() || places.next() == Some(range.start) && places.next().is_none()
}

/// Returns the section of a patch for a file. `name` returns the path as the patch is to name it.
fn section(file: &NativeFile, name: impl Fn(&str) -> String) -> String {
    let path = name(&file.path);
    let (before, after) = match (&file.before, &file.after) {
        (_, None) => return format!("*** Delete File: {path}\n"),
        (None, Some(after)) => return format!("*** Add File: {path}\n{}", signed('+', after.lines())),
        (Some(before), Some(after)) => (normalize_line_endings(before), normalize_line_endings(after)),
    };
    let mut section = format!("*** Update File: {path}\n");
    if let Some(to) = &file.new_path {
        let _ = writeln!(section, "*** Move to: {}", name(to));
    }
    let (old, new): (Vec<_>, Vec<_>) = (before.lines().collect(), after.lines().collect());
    let runs = line_runs(&old, &new, Deadline::NONE);
    for chunk in chunks(&old, &runs) {
        section.push_str("@@\n");
        let mut at = chunk.start;
        for (there, here) in runs.iter().filter(|(there, _)| is_within(there, &chunk)) {
            section.push_str(&signed(' ', old[at..there.start].iter().copied()));
            section.push_str(&signed('-', old[there.clone()].iter().copied()));
            section.push_str(&signed('+', new[here.clone()].iter().copied()));
            at = there.end;
        }
        section.push_str(&signed(' ', old[at..chunk.end].iter().copied()));
    }
    section
}

fn is_within(inner: &Range<usize>, outer: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

fn signed<'a>(sign: char, lines: impl Iterator<Item = &'a str>) -> String {
    lines.flat_map(|line| [sign.to_string(), line.to_owned(), "\n".to_owned()]).collect()
}

/// Returns the lines of the old text that each chunk shows: changed lines with as many lines around them as make
/// the chunk unambiguous.
fn chunks(old: &[&str], runs: &[Run]) -> Vec<Range<usize>> {
    let around =
        |range: &Range<usize>| range.start.saturating_sub(CONTEXT)..(range.end + CONTEXT).min(old.len());
    let mut chunks: Vec<Range<usize>> = Vec::new();
    for (there, _) in runs {
        let mut chunk = around(there);
        while !is_unique(old, chunk.clone()) {
            chunk = chunk.start.saturating_sub(1)..(chunk.end + 1).min(old.len());
        }
        // Chunks that touch are one, which is unambiguous because its parts are.
        while let Some(last) = chunks.pop_if(|last| chunk.start <= last.end) {
            chunk = last.start.min(chunk.start)..last.end.max(chunk.end);
        }
        chunks.push(chunk);
    }
    chunks
}
