use std::sync::Arc;

use crate::protocol::{FoundLine, Invalid, RequestPath, SearchParams, SearchResult};
use crate::search::{
    Bounds, FileGlob, FileMatches, Line, Passed, PatternError, Query, Report, StopCondition, search,
};
use crate::workspace::Audience;
use crate::workspace::limits::{FOUND_BYTES, SEARCH_CONTEXT_MOST, SEARCH_LINES, SEARCH_LINES_MOST};

use crate::daemon::searching::{SessionAccess, counted, path_and_uri};
use crate::daemon::{Core, Daemon, Failure, SessionContext};

use super::find::{REPOSITORY, limit_of, metadata_notice, path_of};

impl Daemon {
    /// `editd/search`.
    pub async fn search(
        &self,
        session: &Arc<SessionContext>,
        params: SearchParams,
    ) -> Result<SearchResult, Failure> {
        let path = path_of(params.path.clone(), params.uri.clone())?;
        let options = SearchOptions::of(&params)?;
        let work = move |core: &Core, session: &SessionContext, stop: &StopCondition<'_>| {
            core.search(session, path.as_ref(), &options, stop)
        };
        self.core.searching(session, work).await
    }
}

/// The parameters of a search.
struct SearchOptions {
    pattern: String,
    literal: bool,
    ignore_case: bool,
    glob: Option<FileGlob>,
    bounds: Bounds,
}

impl SearchOptions {
    fn of(params: &SearchParams) -> Result<Self, Invalid> {
        let glob = params.glob.as_deref().map(FileGlob::new).transpose();
        let glob = glob.map_err(|problem| Invalid::new("glob", problem))?;
        let bounds = Bounds {
            lines: limit_of(params.limit, SEARCH_LINES, SEARCH_LINES_MOST)?,
            context: params.context.unwrap_or_default().min(SEARCH_CONTEXT_MOST),
            bytes: FOUND_BYTES,
        };
        let SearchParams { pattern, literal, ignore_case, .. } = params.clone();
        Ok(Self { pattern, literal, ignore_case, glob, bounds })
    }
}

impl Core {
    fn search(
        &self,
        session: &SessionContext,
        path: Option<&RequestPath>,
        options: &SearchOptions,
        stop: &StopCondition<'_>,
    ) -> Result<SearchResult, Failure> {
        let SearchOptions { pattern, literal, ignore_case, glob, bounds } = options;
        let query = Query::new(pattern, *literal, *ignore_case, *bounds);
        let audience = session.abilities.audience;
        let query = query.map_err(|error| Invalid::new("pattern", pattern_problem(&error, audience)))?;
        let locations = self.locations(session, path)?;
        let access = SessionAccess::new(self, session, &locations.scopes);
        let report = search(&*self.disk, &locations.scopes, (&query, glob.as_ref()), &access, stop);
        let mut notices = self.incomplete_notices(stop, &report.passed, report.more, audience);
        if locations.metadata {
            notices.push(metadata_notice(audience));
        }
        notices.extend(report_notices(&report, bounds, audience));
        let truncated = report.more || stop.has_happened();
        let matches = report.files.into_iter().flat_map(lines).collect();
        Ok(SearchResult { matches, truncated, notice: (!notices.is_empty()).then(|| notices.join(" ")) })
    }
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
    })
}

/// Describes an invalid pattern, so that the description can follow its name.
fn pattern_problem(error: &PatternError, audience: Audience) -> String {
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
        notices
            .push(format!("There are more matches; these are the first {count} by path. {narrow}{raise}."));
    } else if report.more {
        notices.push(format!(
            "There are more matches than fit into one answer ({} KiB). {narrow}, or {}.",
            FOUND_BYTES >> 10,
            audience.parameters_or("request less `context`", "pass a smaller --context")
        ));
    }
    if report.files.iter().any(|file| file.is_truncated) {
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
fn skip_notices(passed: &Passed) -> Vec<String> {
    let mut notices = Vec::new();
    if passed.endless() > 0 {
        let files = counted(passed.endless(), "file", "files");
        notices.push(format!("{files} with a line of more than 16 MiB: searched up to that line only."));
    }
    if passed.contested() > 0 {
        let files = counted(passed.contested(), "file", "files");
        notices.push(format!(
            "{files} with different unsaved texts in two editors: not searched. The user must save or close one of them."
        ));
    }
    if passed.unknown() > 0 {
        let files = counted(passed.unknown(), "file", "files");
        notices.push(format!(
            "{files} open in an editor whose text is not known: searched as on disk, so unsaved text is missing."
        ));
    }
    if passed.protected() > 0 {
        let files = counted(passed.protected(), "file", "files");
        notices.push(format!("{files} that may not be read: not searched."));
    }
    notices
}

/// Returns a notice about omitted files, which may be the reason why nothing matches.
fn no_match_notice(passed: &Passed) -> Option<String> {
    let binary = counted(passed.binary(), "file that is not text", "files that are not text");
    let ignored = counted(
        passed.ignored(),
        "file or folder ignored by `.gitignore` or similar rules",
        "files and folders ignored by `.gitignore` or similar rules",
    );
    let repositories = counted(passed.repositories(), "folder", "folders");
    let left = [
        (passed.binary(), binary),
        (passed.ignored(), ignored),
        (passed.repositories(), format!("the contents of {repositories} {REPOSITORY}")),
    ];
    let left: Vec<_> = left.into_iter().filter_map(|(count, what)| (count > 0).then_some(what)).collect();
    if left.is_empty() {
        return None;
    }
    let left = left.join(" and ");
    Some(format!("Nothing matches in {}; left out: {left}.", counted(passed.searched(), "file", "files")))
}
