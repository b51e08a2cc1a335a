//! `editd search`, `editd find` and `editd list`: the results that an agent would get, in the format of
//! `ripgrep`.

use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use anstyle::Style;
use serde_json::Value;

use crate::protocol::{
    Entries, EntryKind, Find, FindParams, FoundLine, List, ListParams, Method, Search, SearchParams,
    SearchResult, uri_of,
};

use super::arguments::{FindArguments, ListArguments, SearchArguments};
use super::paint::{FAINT, PLACE};
use super::read::print_json;
use super::{CliError, Context, End, paint, root, stream};

/// The searched file or folder, with its names for the daemon and for the user.
struct Scope {
    root: PathBuf,
    uri: String,
    /// Path in answers of the daemon.
    canonical: PathBuf,
    /// Path that the user passed. Empty for the working folder.
    given: PathBuf,
}

impl Scope {
    fn of(path: Option<&Path>) -> Result<Self, CliError> {
        let target = root::of_file(path.unwrap_or(Path::new(".")))?;
        let given = path.unwrap_or(Path::new("")).to_owned();
        Ok(Self { root: target.root, uri: uri_of(&target.path).to_string(), canonical: target.path, given })
    }

    /// Converts a path of the daemon to one relative to the path that the user passed.
    fn name(&self, path: &str) -> String {
        let folder = if path.ends_with('/') { "/" } else { "" };
        match Path::new(path).strip_prefix(&self.canonical) {
            Ok(rest) if rest.as_os_str().is_empty() => self.given.display().to_string(),
            Ok(rest) => format!("{}{folder}", self.given.join(rest).display()),
            Err(_) => path.to_owned(),
        }
    }

    fn ask<M: Method>(&self, context: &Context, params: &M::Params) -> Result<Value, CliError>
    where
        M::Params: serde::Serialize,
    {
        context.ask::<M>(Some(&self.root), params)
    }
}

/// `editd search`.
pub(crate) fn search(context: &Context, arguments: SearchArguments) -> Result<End, CliError> {
    let scope = Scope::of(arguments.path.as_deref())?;
    let params = SearchParams {
        pattern: arguments.pattern,
        uri: Some(scope.uri.clone()),
        glob: arguments.glob,
        ignore_case: arguments.ignore_case,
        literal: arguments.literal,
        context: arguments.context,
        limit: arguments.limit,
        ..SearchParams::default()
    };
    let result = scope.ask::<Search>(context, &params)?;
    if print_json(context, &result)? {
        return Ok(End::Done);
    }
    let found: SearchResult = serde_json::from_value(result).map_err(CliError::failed)?;
    let files = by_file(&found.matches);
    if std::io::stdout().is_terminal() {
        print_headed(&scope, &files)?;
    } else {
        print_plain(&scope, &files)?;
    }
    // The notice of an empty search lists what was searched.
    let nothing = found.matches.is_empty().then_some("No matches.");
    if let Some(notes) = found.notice.as_deref().or(nothing) {
        stream::note(notes)?;
    }
    Ok(End::Done)
}

/// Displayed lines of a file by number, each with a flag that is `true` for a match.
type Lines<'a> = BTreeMap<u64, (bool, &'a str)>;

/// Groups matches by file. Lines that belong to several matches appear once.
fn by_file(matches: &[FoundLine]) -> Vec<(&str, Lines<'_>)> {
    let mut files: Vec<(&str, Lines<'_>)> = Vec::new();
    let mut last = None;
    for FoundLine { path, uri, line, text, before, after } in matches {
        // Different paths that are not UTF-8 may have the same text.
        if last.replace((path, uri)) != Some((path, uri)) {
            files.push((path, Lines::new()));
        }
        let Some((_, lines)) = files.last_mut() else { continue };
        let around = before.iter().zip(line.saturating_sub(before.len() as u64)..);
        for (text, number) in around.chain(after.iter().zip(line + 1..)) {
            lines.entry(number).or_insert((false, text));
        }
        lines.insert(*line, (true, text));
    }
    files
}

/// Returns, for each line, `true` if lines are omitted before it.
fn gaps<'a>(lines: &'a Lines<'_>) -> impl Iterator<Item = bool> + 'a {
    let before = std::iter::once(None).chain(lines.keys().map(Some));
    lines.keys().zip(before).map(|(line, before)| before.is_some_and(|before| before + 1 < *line))
}

fn has_context(files: &[(&str, Lines<'_>)]) -> bool {
    files.iter().any(|(_, lines)| lines.values().any(|(is_match, _)| !is_match))
}

/// Prints matches for programs: each line with its path, unchanged.
fn print_plain(scope: &Scope, files: &[(&str, Lines<'_>)]) -> std::io::Result<()> {
    let (mut out, parted) = (stream::raw_stdout(), has_context(files));
    for (index, (path, lines)) in files.iter().enumerate() {
        let name = scope.name(path);
        for ((number, (is_match, text)), gap) in lines.iter().zip(gaps(lines)) {
            let is_first = lines.first_key_value().is_some_and(|(first, _)| first == number);
            if parted && (gap || (index > 0 && is_first)) {
                writeln!(out, "--")?;
            }
            let mark = if *is_match { ':' } else { '-' };
            writeln!(out, "{name}{mark}{number}{mark}{text}")?;
        }
    }
    Ok(())
}

/// Prints matches for people: lines below the name of their file.
fn print_headed(scope: &Scope, files: &[(&str, Lines<'_>)]) -> std::io::Result<()> {
    let (mut out, parted) = (stream::stdout(), has_context(files));
    for (index, (path, lines)) in files.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        writeln!(out, "{PLACE}{}{PLACE:#}", paint::visible(&scope.name(path)))?;
        for ((number, (is_match, text)), gap) in lines.iter().zip(gaps(lines)) {
            if parted && gap {
                writeln!(out, "{FAINT}--{FAINT:#}")?;
            }
            let (mark, style) = if *is_match { (':', Style::new()) } else { ('-', FAINT) };
            writeln!(out, "{FAINT}{number}{mark}{FAINT:#}{style}{}{style:#}", paint::visible(text))?;
        }
    }
    Ok(())
}

/// `editd find`.
pub(crate) fn find(context: &Context, arguments: FindArguments) -> Result<End, CliError> {
    let scope = Scope::of(arguments.path.as_deref())?;
    let (uri, limit) = (Some(scope.uri.clone()), arguments.limit);
    let params = FindParams { pattern: arguments.pattern, uri, limit, ..FindParams::default() };
    let result = scope.ask::<Find>(context, &params)?;
    print_entries(context, &scope, result, "No path matches; a glob without `/` matches names.")
}

/// `editd list`.
pub(crate) fn list(context: &Context, arguments: &ListArguments) -> Result<End, CliError> {
    let scope = Scope::of(arguments.path.as_deref())?;
    let params = ListParams { uri: Some(scope.uri.clone()), limit: arguments.limit, ..ListParams::default() };
    let result = scope.ask::<List>(context, &params)?;
    print_entries(context, &scope, result, "No entries to list.")
}

fn print_entries(context: &Context, scope: &Scope, result: Value, nothing: &str) -> Result<End, CliError> {
    if print_json(context, &result)? {
        return Ok(End::Done);
    }
    let found: Entries = serde_json::from_value(result).map_err(CliError::failed)?;
    if std::io::stdout().is_terminal() {
        let mut out = stream::stdout();
        for entry in &found.entries {
            let style = if entry.kind == EntryKind::Folder { PLACE } else { Style::new() };
            writeln!(out, "{style}{}{style:#}", paint::visible(&scope.name(&entry.path)))?;
        }
    } else {
        let mut out = stream::raw_stdout();
        for entry in &found.entries {
            writeln!(out, "{}", scope.name(&entry.path))?;
        }
    }
    let nothing = found.entries.is_empty().then_some(nothing);
    let notes: Vec<_> = nothing.into_iter().chain(found.notice.as_deref()).collect();
    if !notes.is_empty() {
        stream::note(&notes.join(" "))?;
    }
    Ok(End::Done)
}
