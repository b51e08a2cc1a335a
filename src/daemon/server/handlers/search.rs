//! Methods that search and list files.

mod shown;

use std::path::Path;
use std::sync::Arc;

use lsp_types::Uri;

use crate::engine::searching::{Locations, SessionAccess};
use crate::engine::{Engine, Result, SessionContext, refusal_of};
use crate::server::Daemon;
use editd_disk::search::{
    Bounds, Entry, FileGlob, FileMatches, Glob, Line, NamedCounter, Passed, PatternError, Query, Report,
    Start, StopCondition, Then, search, walk,
};
use editd_disk::{DiskErrorKind, Kind};
use editd_protocol::{
    Entries, EntryKind, FileCount, FindParams, FoundEntry, FoundLine, Invalid, ListParams, SearchParams,
    SearchResult, requested_path, uri_of,
};
use editd_text::with_codes;
use editd_workspace::limits::{
    ENTRIES_MOST, FIND_ENTRIES, FOUND_BYTES, LIST_ENTRIES, SEARCH_CONTEXT_MOST, SEARCH_LINES,
    SEARCH_LINES_MOST,
};
use editd_workspace::{Audience, Refusal, RequestedPath};

/// Notice for a request that names version-control metadata.
fn metadata_notice(audience: Audience) -> String {
    let read = audience.select("editd/read", "read", "editd read");
    format!("Files of version control are left out here; `{read}` reads them.")
}

/// Description of a directory that has the layout of a git repository, as part of a sentence.
pub(crate) const REPOSITORY: &str = "treated as a repository by git (with `HEAD`, `objects` and `refs`)";

impl Daemon {
    /// `editd/find`.
    pub async fn find(&self, session: &Arc<SessionContext>, params: FindParams) -> Result<Entries> {
        if let Some(symbol) = params.symbol.clone() {
            return self.find_symbol(session, params, symbol).await;
        }
        let limit = limit_of(params.limit, FIND_ENTRIES, ENTRIES_MOST)?;
        let pattern =
            params.pattern.ok_or_else(|| Invalid::new("pattern", "it is missing, and so is `symbol`"))?;
        let glob = Glob::new(&pattern).map_err(|problem| Invalid::new("pattern", problem))?;
        let path = path_of(params.path, params.uri)?;
        let found = self.engine.searching(session, move |engine, session, stop| {
            let locations = engine.locations(session, path.as_ref())?;
            let fits = |entry: &Entry<'_>| glob.fits(entry.absolute, entry.below, entry.kind == Kind::Folder);
            Ok(list_entries(engine, session, &locations, (stop, limit), fits, Then::Enter))
        });
        found.await
    }

    /// `editd/list`.
    pub async fn list(&self, session: &Arc<SessionContext>, params: ListParams) -> Result<Entries> {
        let limit = limit_of(params.limit, LIST_ENTRIES, ENTRIES_MOST)?;
        let path = path_of(params.path, params.uri)?;
        let listed = self.engine.searching(session, move |engine, session, stop| {
            let locations = engine.locations(session, path.as_ref())?;
            if path.is_some() {
                require_listable(engine, &locations)?;
            }
            Ok(list_entries(engine, session, &locations, (stop, limit), |_| true, Then::Pass))
        });
        listed.await
    }

    /// `editd/search`.
    pub async fn search(&self, session: &Arc<SessionContext>, params: SearchParams) -> Result<SearchResult> {
        let path = path_of(params.path.clone(), params.uri.clone())?;
        let glob = params.glob.as_deref().map(FileGlob::new).transpose();
        let glob = glob.map_err(|problem| Invalid::new("glob", problem))?;
        let bounds = Bounds {
            lines: limit_of(params.limit, SEARCH_LINES, SEARCH_LINES_MOST)?,
            context: params.context.filter(|_| !params.count).unwrap_or_default().min(SEARCH_CONTEXT_MOST),
            bytes: FOUND_BYTES,
            counts: params.count,
        };
        let found = self.engine.searching(session, move |engine, session, stop| {
            let query = Query::new(&params.pattern, params.literal, params.ignore_case, bounds);
            let audience = session.abilities.audience;
            let query = query.map_err(|error| Invalid::new("pattern", pattern_problem(&error, audience)))?;
            let locations = engine.locations(session, path.as_ref())?;
            let access = SessionAccess::new(engine, session, &locations.scopes);
            let report = search(&*engine.disk, &locations.scopes, (&query, glob.as_ref()), &access, stop);
            let mut notices = incomplete_notices(engine, stop, &report.passed, report.more, audience);
            notices.extend(locations.metadata.then(|| metadata_notice(audience)));
            notices.extend(report_notices(&report, &bounds, audience));
            let truncated = report.more || stop.has_happened();
            if bounds.counts {
                let counts = report.files.iter().map(|file| {
                    let (path, uri) = path_and_uri(&file.path);
                    FileCount { path, uri, count: file.matches }
                });
                let counts = counts.collect();
                return Ok(SearchResult {
                    counts,
                    truncated,
                    notice: joined(&notices),
                    ..Default::default()
                });
            }
            let paths: Vec<_> =
                report.files.iter().map(|file| (file.path.clone(), file.lines.len())).collect();
            let mut matches: Vec<_> = report.files.into_iter().flat_map(lines).collect();
            shown::show(engine, session, paths, &mut matches);
            Ok(SearchResult { matches, truncated, notice: joined(&notices), ..Default::default() })
        });
        found.await
    }
}

/// Joins notices to one.
pub(super) fn joined(notices: &[String]) -> Option<String> {
    (!notices.is_empty()).then(|| notices.join(" "))
}

/// Returns the wanted entries of some locations, in order. `then` says how the walk continues after a
/// wanted directory.
pub(crate) fn list_entries(
    engine: &Engine,
    session: &SessionContext,
    locations: &Locations,
    (stop, limit): (&StopCondition<'_>, usize),
    wanted: impl Fn(&Entry<'_>) -> bool,
    then: Then,
) -> Entries {
    let access = SessionAccess::new(engine, session, &locations.scopes);
    let (mut found, mut bytes, mut more, passed) = (Vec::new(), 0, false, Passed::default());
    for scope in &locations.scopes {
        walk(&*engine.disk, scope, &access, (stop, &passed), |entry| {
            if !wanted(&entry) {
                return then;
            }
            let entry = found_entry(&entry);
            bytes += entry.path.len();
            more = found.len() == limit || bytes > FOUND_BYTES;
            if more {
                return Then::End;
            }
            found.push(entry);
            then
        });
        if more {
            break;
        }
    }
    let audience = session.abilities.audience;
    let mut notices = incomplete_notices(engine, stop, &passed, more, audience);
    notices.extend(locations.metadata.then(|| metadata_notice(audience)));
    if more {
        let count = found.len();
        let raise = if limit < ENTRIES_MOST && count == limit {
            let limit = audience.parameters_or("`limit`", "--limit");
            format!(" or raise {limit} (at most {ENTRIES_MOST})")
        } else {
            String::new()
        };
        let path = audience.parameters_or("`path`", "path");
        notices.push(format!(
            "There are more entries; these are the first {count} by path. Use a narrower {path}{raise}."
        ));
    } else if found.is_empty() || then == Then::Pass {
        notices.extend(omission_notices(&passed));
    }
    let truncated = more || stop.has_happened();
    Entries { entries: found, truncated, notice: joined(&notices), ..Entries::default() }
}

/// Returns notices about omitted entries, which may be the wanted ones.
fn omission_notices(passed: &Passed) -> Vec<String> {
    let mut notices = Vec::new();
    if passed.ignored.get() > 0 {
        let ignored = counted(passed.ignored.get(), "file or folder is", "files and folders are");
        notices.push(format!("{ignored} left out because of `.gitignore` or similar rules."));
    }
    if passed.repositories.get() > 0 {
        let folders = counted(passed.repositories.get(), "folder is", "folders are");
        notices.push(format!("{folders} {REPOSITORY}, so the contents are left out."));
    }
    notices
}

fn found_entry(entry: &Entry<'_>) -> FoundEntry {
    let (path, uri) = path_and_uri(entry.absolute);
    match entry.kind {
        Kind::Folder => FoundEntry { path: path + "/", uri, kind: EntryKind::Folder },
        Kind::Symlink => FoundEntry { path, uri, kind: EntryKind::Symlink },
        Kind::File | Kind::Other => FoundEntry { path, uri, kind: EntryKind::File },
    }
}

/// Returns the limit of a request, or the default, at most `max`.
pub(crate) fn limit_of(limit: Option<usize>, default: usize, max: usize) -> Result<usize, Invalid> {
    match limit {
        Some(0) => Err(Invalid::new("limit", "must be at least 1")),
        limit => Ok(limit.unwrap_or(default).min(max)),
    }
}

/// Returns the path of a request whose path is optional.
pub(crate) fn path_of(path: Option<String>, uri: Option<String>) -> Result<Option<RequestedPath>, Invalid> {
    match (&path, &uri) {
        (None, None) => Ok(None),
        _ => requested_path(path, uri, ("path", "uri")).map(Some),
    }
}

/// Refuses a requested directory that cannot be listed, so that it does not look empty.
fn require_listable(engine: &Engine, locations: &Locations) -> Result<(), Refusal> {
    for scope in &locations.scopes {
        let Start::Folder(folder) = &scope.start else { continue };
        match engine.disk.list(&scope.root, folder) {
            Err(error) if error.kind != DiskErrorKind::NotFound => {
                let path = scope.root.path().join(folder);
                return Err(Refusal::at(path, refusal_of(&error)));
            }
            _ => {}
        }
    }
    Ok(())
}

fn lines(FileMatches { path, lines, .. }: FileMatches) -> impl Iterator<Item = FoundLine> {
    let (path, uri) = path_and_uri(&path);
    lines.into_iter().map(move |Line { number: line, text, before, after }| FoundLine {
        path: path.clone(),
        uri: uri.clone(),
        line,
        text,
        before,
        after,
        tag: None,
    })
}

/// Describes an invalid pattern, so that the description can follow its name.
pub(super) fn pattern_problem(error: &PatternError, audience: Audience) -> String {
    match error {
        PatternError::Invalid(problem) => problem.clone(),
        PatternError::Syntax(message) => {
            let literal = audience.parameters_or("send `literal: true`", "pass -F");
            format!("it is not a regular expression ({message}); {literal} to search for the literal text")
        }
    }
}

fn report_notices(report: &Report, bounds: &Bounds, audience: Audience) -> Vec<String> {
    let mut notices = Vec::new();
    let narrow = audience
        .parameters_or("Narrow `pattern`, `path` or `glob`", "Narrow the pattern, the path or --glob");
    let count: usize = report.files.iter().map(|file| file.lines.len()).sum();
    if report.more && count >= bounds.lines {
        let raise = if bounds.lines < SEARCH_LINES_MOST {
            let limit = audience.parameters_or("`limit`", "--limit");
            format!(", or raise {limit} (at most {SEARCH_LINES_MOST})")
        } else {
            String::new()
        };
        let (more, first) = if bounds.counts {
            ("files with matches", format!("{count} files"))
        } else {
            ("matches", count.to_string())
        };
        notices.push(format!("There are more {more}; these are the first {first} by path. {narrow}{raise}."));
    } else if report.more {
        notices.push(format!(
            "There are more matches than fit into one answer ({} KiB). {narrow}, or {}.",
            FOUND_BYTES >> 10,
            audience.parameters_or("request less `context`", "pass a smaller --context")
        ));
    }
    if !bounds.counts && report.files.iter().any(|file| file.is_truncated) {
        notices
            .push("Lines longer than 2,000 characters are cut to that length around the match.".to_owned());
    }
    if !report.more {
        notices.extend(skip_notices(&report.passed));
    }
    if count == 0 {
        notices.extend(no_match_notice(&report.passed));
    }
    notices
}

/// Returns notices about skipped files, for a complete search.
pub(super) fn skip_notices(passed: &Passed) -> Vec<String> {
    let skipped = [
        (passed.endless.get(), "with a line of more than 16 MiB: searched up to that line only."),
        (
            passed.contested.get(),
            "with different unsaved texts in two editors: not searched. The user must save or close one of them.",
        ),
        (
            passed.unknown.get(),
            "open in an editor whose text is not known: searched as on disk, so unsaved text is missing.",
        ),
    ];
    let skipped = skipped.into_iter().filter(|(count, _)| *count > 0);
    let skipped = skipped.map(|(count, why)| format!("{} {why}", counted(count, "file", "files")));
    skipped.chain(protected_notice(passed)).collect()
}

/// Returns a notice with the names of files that the session may not read.
fn protected_notice(passed: &Passed) -> Option<String> {
    let count = passed.protected.get();
    let files = counted(count, "file", "files");
    (count > 0)
        .then(|| format!("{files} that may not be read: not searched ({}).", first_names(&passed.protected)))
}

/// Returns a notice with the names of files and folders that could not be read.
pub(super) fn unreadable_notice(passed: &Passed) -> Option<String> {
    let count = passed.unreadable.get();
    let entries = counted(count, "file or folder", "files or folders");
    (count > 0).then(|| format!("{entries} could not be read ({}).", first_names(&passed.unreadable)))
}

/// Returns the first of the counted paths, and the number of the others.
fn first_names(counter: &NamedCounter) -> String {
    let names = counter.first().into_iter().map(|path| with_codes(&path.display().to_string()));
    let names: Vec<String> = names.collect();
    match counter.get().saturating_sub(names.len() as u64) {
        0 => names.join(", "),
        more => format!("{} and {more} more", names.join(", ")),
    }
}

/// Returns a notice about omitted files, which may be the reason why nothing matches.
fn no_match_notice(passed: &Passed) -> Option<String> {
    let binary = counted(passed.binary.get(), "file that is not text", "files that are not text");
    let ignored = counted(
        passed.ignored.get(),
        "file or folder ignored by `.gitignore` or similar rules",
        "files and folders ignored by `.gitignore` or similar rules",
    );
    let repositories = counted(passed.repositories.get(), "folder", "folders");
    let left = [
        (passed.binary.get(), binary),
        (passed.ignored.get(), ignored),
        (passed.repositories.get(), format!("the contents of {repositories} {REPOSITORY}")),
    ];
    let left: Vec<_> = left.into_iter().filter_map(|(count, what)| (count > 0).then_some(what)).collect();
    if left.is_empty() {
        return None;
    }
    let left = left.join(" and ");
    Some(format!("Nothing matches in {}; left out: {left}.", counted(passed.searched.get(), "file", "files")))
}

/// Returns a path for display and, if it is not UTF-8, its URI. Such a path is displayed with replacement
/// characters and does not identify the file.
pub(crate) fn path_and_uri(path: &Path) -> (String, Option<Uri>) {
    (path.display().to_string(), path.to_str().is_none().then(|| uri_of(path)))
}

/// Formats a count with its noun.
pub(crate) fn counted(count: u64, one: &str, more: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {more}") }
}

/// Returns notices about a timeout and about unreadable files. If the answer was full, unreadable files
/// are not counted, because the progress of the search at that moment is random.
pub(crate) fn incomplete_notices(
    engine: &Engine,
    stop: &StopCondition<'_>,
    passed: &Passed,
    is_full: bool,
    audience: Audience,
) -> Vec<String> {
    let mut notices = Vec::new();
    if stop.has_happened() {
        let seconds = engine.config.limits.deadline_ms.div_ceil(1000);
        notices.push(format!(
            "The result is incomplete: the request was stopped after {seconds} s. Use a narrower {}.",
            audience.parameters_or("`path`", "path")
        ));
    }
    notices.extend(unreadable_notice(passed).filter(|_| !is_full));
    notices
}
