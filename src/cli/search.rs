//! `editd search`, `editd find` and `editd list`: what an agent would find, printed as `ripgrep` prints it.

use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use anstyle::Style;
use serde_json::Value;

use crate::protocol::{
    Door, Entries, EntryKind, Find, FindParams, FoundLine, List, ListParams, Method, Search, SearchParams,
    SearchResult, uri_of,
};

use super::arguments::{FindArguments, ListArguments, SearchArguments};
use super::paint::{FAINT, PLACE};
use super::read::print_json;
use super::{Complaint, Context, End, paint, root, stream};

/// Where to look, and how what lies there is called.
struct Here {
    root: PathBuf,
    uri: String,
    /// What the daemon calls it.
    canonical: PathBuf,
    /// What the user calls it; nothing for the working folder.
    given: PathBuf,
}

impl Here {
    fn of(path: Option<&Path>) -> Result<Self, Complaint> {
        let place = root::of_file(path.unwrap_or(Path::new(".")))?;
        let given = path.unwrap_or(Path::new("")).to_owned();
        Ok(Self { root: place.root, uri: uri_of(&place.path).to_string(), canonical: place.path, given })
    }

    /// A path as the user would write it.
    fn name(&self, path: &str) -> String {
        let folder = if path.ends_with('/') { "/" } else { "" };
        match Path::new(path).strip_prefix(&self.canonical) {
            Ok(rest) if rest.as_os_str().is_empty() => self.given.display().to_string(),
            Ok(rest) => format!("{}{folder}", self.given.join(rest).display()),
            Err(_) => path.to_owned(),
        }
    }

    fn ask<M: Method>(&self, context: &Context, params: &M::Params) -> Result<Value, Complaint>
    where
        M::Params: serde::Serialize,
    {
        context.ask::<M>(Some(&self.root), params)
    }
}

/// `editd search`.
pub(crate) fn search(context: &Context, arguments: SearchArguments) -> Result<End, Complaint> {
    let here = Here::of(arguments.path.as_deref())?;
    let params = SearchParams {
        pattern: arguments.pattern,
        uri: Some(here.uri.clone()),
        glob: arguments.glob,
        ignore_case: arguments.ignore_case,
        literal: arguments.literal,
        context: arguments.context,
        limit: arguments.limit,
        ..SearchParams::default()
    };
    let result = here.ask::<Search>(context, &params)?;
    if print_json(context, &result)? {
        return Ok(End::Done);
    }
    let found: SearchResult = serde_json::from_value(result).map_err(Complaint::failed)?;
    let files = by_file(&found.matches);
    if std::io::stdout().is_terminal() {
        print_headed(&here, &files)?;
    } else {
        print_plain(&here, &files)?;
    }
    // Of a search that was in vain, the notice says where.
    let nothing = found.matches.is_empty().then_some("No matches.");
    if let Some(said) = found.notice.as_deref().or(nothing) {
        stream::note(&Door::CommandLine.say(said))?;
    }
    Ok(End::Done)
}

/// The lines of a file that are shown, by number, and whether each is a match.
type Lines<'a> = BTreeMap<u64, (bool, &'a str)>;

/// What was found, file by file; lines that belong to several matches once.
fn by_file(matches: &[FoundLine]) -> Vec<(&str, Lines<'_>)> {
    let mut files: Vec<(&str, Lines<'_>)> = Vec::new();
    let mut last = None;
    for FoundLine { path, uri, line, text, before, after } in matches {
        // Paths that are no UTF-8 may look alike.
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

/// Whether lines are left out before each of these.
fn gaps<'a>(lines: &'a Lines<'_>) -> impl Iterator<Item = bool> + 'a {
    let before = std::iter::once(None).chain(lines.keys().map(Some));
    lines.keys().zip(before).map(|(line, before)| before.is_some_and(|before| before + 1 < *line))
}

fn has_context(files: &[(&str, Lines<'_>)]) -> bool {
    files.iter().any(|(_, lines)| lines.values().any(|(is_match, _)| !is_match))
}

/// For other programs: each line with its path, as it is.
fn print_plain(here: &Here, files: &[(&str, Lines<'_>)]) -> std::io::Result<()> {
    let (mut out, parted) = (stream::raw_stdout(), has_context(files));
    for (index, (path, lines)) in files.iter().enumerate() {
        let name = here.name(path);
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

/// For people: lines below the name of their file.
fn print_headed(here: &Here, files: &[(&str, Lines<'_>)]) -> std::io::Result<()> {
    let (mut out, parted) = (stream::stdout(), has_context(files));
    for (index, (path, lines)) in files.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        writeln!(out, "{PLACE}{}{PLACE:#}", paint::visible(&here.name(path)))?;
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
pub(crate) fn find(context: &Context, arguments: FindArguments) -> Result<End, Complaint> {
    let here = Here::of(arguments.path.as_deref())?;
    let (uri, limit) = (Some(here.uri.clone()), arguments.limit);
    let params = FindParams { pattern: arguments.pattern, uri, limit, ..FindParams::default() };
    let result = here.ask::<Find>(context, &params)?;
    print_entries(context, &here, result, "Nothing fits; a glob without `/` is about names.")
}

/// `editd list`.
pub(crate) fn list(context: &Context, arguments: &ListArguments) -> Result<End, Complaint> {
    let here = Here::of(arguments.path.as_deref())?;
    let params = ListParams { uri: Some(here.uri.clone()), limit: arguments.limit, ..ListParams::default() };
    let result = here.ask::<List>(context, &params)?;
    print_entries(context, &here, result, "Nothing is there.")
}

fn print_entries(context: &Context, here: &Here, result: Value, nothing: &str) -> Result<End, Complaint> {
    if print_json(context, &result)? {
        return Ok(End::Done);
    }
    let found: Entries = serde_json::from_value(result).map_err(Complaint::failed)?;
    if std::io::stdout().is_terminal() {
        let mut out = stream::stdout();
        for entry in &found.entries {
            let style = if entry.kind == EntryKind::Folder { PLACE } else { Style::new() };
            writeln!(out, "{style}{}{style:#}", paint::visible(&here.name(&entry.path)))?;
        }
    } else {
        let mut out = stream::raw_stdout();
        for entry in &found.entries {
            writeln!(out, "{}", here.name(&entry.path))?;
        }
    }
    let nothing = found.entries.is_empty().then_some(nothing);
    let said: Vec<_> = nothing.into_iter().chain(found.notice.as_deref()).collect();
    if !said.is_empty() {
        stream::note(&Door::CommandLine.say(&said.join(" ")))?;
    }
    Ok(End::Done)
}
