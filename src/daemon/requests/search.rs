use std::sync::Arc;

use crate::protocol::{FoundLine, Invalid, RequestPath, SearchParams, SearchResult};
use crate::search::{Bounds, FileFound, FileGlob, Line, Passed, Query, Report, Stop, search};
use crate::workspace::limits::{FOUND_BYTES, SEARCH_CONTEXT_MOST, SEARCH_LINES, SEARCH_LINES_MOST};

use crate::daemon::searching::{Sight, counted, named};
use crate::daemon::{Core, Daemon, Failure, SessionContext};

use super::find::{METADATA, REPOSITORY, limit_of, path_of};

impl Daemon {
    /// `editd/search`.
    pub async fn search(
        &self,
        session: &Arc<SessionContext>,
        params: SearchParams,
    ) -> Result<SearchResult, Failure> {
        let path = path_of(params.path.clone(), params.uri.clone())?;
        let wanted = Wanted::of(&params)?;
        let work = move |core: &Core, session: &SessionContext, stop: &Stop<'_>| {
            core.search(session, path.as_ref(), &wanted, stop)
        };
        self.core.searching(session, work).await
    }
}

/// What is looked for.
struct Wanted {
    pattern: String,
    literal: bool,
    ignore_case: bool,
    glob: Option<FileGlob>,
    bounds: Bounds,
}

impl Wanted {
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
        wanted: &Wanted,
        stop: &Stop<'_>,
    ) -> Result<SearchResult, Failure> {
        let Wanted { pattern, literal, ignore_case, glob, bounds } = wanted;
        let query = Query::new(pattern, *literal, *ignore_case, *bounds);
        let query = query.map_err(|problem| Invalid::new("pattern", problem))?;
        let places = self.places(session, path)?;
        let sight = Sight::new(self, session, &places.scopes);
        let report = search(&*self.disk, &places.scopes, (&query, glob.as_ref()), &sight, stop);
        let mut said = self.left_out(stop, &report.passed, report.more);
        if places.metadata {
            said.push(METADATA.to_owned());
        }
        said.extend(notices(&report, bounds));
        let truncated = report.more || stop.has_happened();
        let matches = report.files.into_iter().flat_map(lines).collect();
        Ok(SearchResult { matches, truncated, notice: (!said.is_empty()).then(|| said.join(" ")) })
    }
}

fn lines(FileFound { path, lines, .. }: FileFound) -> impl Iterator<Item = FoundLine> {
    let (path, uri) = named(&path);
    lines.into_iter().map(move |Line { number: line, text, before, after }| FoundLine {
        path: path.clone(),
        uri: uri.clone(),
        line,
        text,
        before,
        after,
    })
}

fn notices(report: &Report, bounds: &Bounds) -> Vec<String> {
    let mut said = Vec::new();
    let told: usize = report.files.iter().map(|file| file.lines.len()).sum();
    if report.more && told >= bounds.lines {
        let raise = if bounds.lines < SEARCH_LINES_MOST {
            format!(", or raise `limit` (at most {SEARCH_LINES_MOST})")
        } else {
            String::new()
        };
        said.push(format!(
            "There are more matches; these are the first {told} by path. Narrow `pattern`, `path` or `glob`{raise}."
        ));
    } else if report.more {
        said.push(format!(
            "There are more matches than one answer has room for ({} KiB); narrow `pattern`, `path` or `glob`, or ask for less `context`.",
            FOUND_BYTES >> 10
        ));
    }
    if report.files.iter().any(|file| file.is_cut) {
        said.push(
            "Of lines longer than 2,000 characters only so many are told, around the match.".to_owned(),
        );
    }
    if !report.more {
        said.extend(of_passed(&report.passed));
    }
    if told == 0 {
        said.extend(of_nothing(&report.passed));
    }
    said
}

/// What was passed over, where all was looked at.
fn of_passed(passed: &Passed) -> Vec<String> {
    let mut said = Vec::new();
    if passed.endless() > 0 {
        let files = counted(passed.endless(), "file", "files");
        said.push(format!("{files} with a line of more than 16 MiB: searched up to that line only."));
    }
    if passed.contested() > 0 {
        let files = counted(passed.contested(), "file", "files");
        said.push(format!(
            "{files} with different unsaved texts in two editors: not searched. A person has to save or close one of them."
        ));
    }
    if passed.unknown() > 0 {
        let files = counted(passed.unknown(), "file", "files");
        said.push(format!(
            "{files} open in an editor whose text is not known: searched as on the disk, so unsaved text is missing."
        ));
    }
    if passed.protected() > 0 {
        let files = counted(passed.protected(), "file", "files");
        said.push(format!("{files} that may not be read: not searched."));
    }
    said
}

/// What may be the reason why nothing was found.
fn of_nothing(passed: &Passed) -> Option<String> {
    let binary = counted(passed.binary(), "file that is no text", "files that are no text");
    let ignored = counted(
        passed.ignored(),
        "file or folder that `.gitignore` or the like names",
        "files and folders that `.gitignore` or the like names",
    );
    let repositories = counted(passed.repositories(), "folder", "folders");
    let left = [
        (passed.binary(), binary),
        (passed.ignored(), ignored),
        (passed.repositories(), format!("what is in {repositories} {REPOSITORY}")),
    ];
    let left: Vec<_> = left.into_iter().filter_map(|(count, what)| (count > 0).then_some(what)).collect();
    if left.is_empty() {
        return None;
    }
    let left = left.join(" and ");
    Some(format!("Nothing matches in {}; left out: {left}.", counted(passed.searched(), "file", "files")))
}
