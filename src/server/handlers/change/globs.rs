//! The files of an edit that is made in all files that match a glob.

use std::sync::Arc;

use crate::edit::Edit;
use crate::engine::change::request::Call;
use crate::engine::searching::SessionAccess;
use crate::engine::{Result, SessionContext};
use crate::protocol::Invalid;
use crate::search::{Bounds, Query, search};
use crate::server::Daemon;
use crate::server::handlers::search::{joined, pattern_problem, skip_notices};
use crate::workspace::{Refusal, RefusalKind, RequestedPath};

/// Maximum total size of the paths of the files, in bytes.
const PATHS: usize = 8 << 20;

/// Parts of regular expressions that may match the end of a line, which a search by lines does not find.
const SPANNING: [&str; 12] =
    ["\n", "\\n", "\\r", "\\s", "\\S", "\\W", "\\D", "\\p", "\\P", "\\x", "[^", "(?"];

impl Daemon {
    /// Adds to a call the files in which a search finds the text of the edit of all files.
    pub(super) async fn spread(
        &self,
        session: &Arc<SessionContext>,
        mut call: Call<RequestedPath>,
    ) -> Result<Call<RequestedPath>> {
        let Some(spread) = &mut call.spread else { return Ok(call) };
        let max = self.engine.config.limits.changes.saturating_sub(call.files.len());
        let bounds = Bounds { lines: max, context: 0, bytes: PATHS, counts: true };
        let (pattern, literal) = line_pattern(&spread.edit);
        let audience = session.abilities.audience;
        let query = Query::new(&pattern, literal, false, bounds)
            .map_err(|error| Invalid::new("oldText", pattern_problem(&error, audience)))?;
        let (folder, glob) = (spread.folder.clone(), spread.glob.clone());
        let found = self.engine.searching(session, move |engine, session, stop| {
            let locations = engine.locations(session, folder.as_ref())?;
            let access = SessionAccess::new(engine, session, &locations.scopes);
            let report = search(&*engine.disk, &locations.scopes, (&query, Some(&glob)), &access, stop);
            Ok((report, stop.has_happened()))
        });
        let (report, is_stopped) = found.await?;
        if is_stopped {
            return Err(Refusal::new(RefusalKind::Timeout { what: "Searching the files" }).into());
        }
        if report.more {
            let problem = format!("more than {max} files may have matches; narrow it");
            return Err(Invalid::new("glob", problem).into());
        }
        let (searched, notice) = (report.passed.searched.get(), joined(&skip_notices(&report.passed)));
        if report.files.is_empty() {
            return Err(Refusal::new(RefusalKind::NoFileMatches { searched }).into());
        }
        let paths = report.files.into_iter().map(|file| file.path).collect();
        call.files.extend(spread.found(paths, searched, notice));
        Ok(call)
    }
}

/// Returns a pattern that matches a line of each file that contains the text of an edit, and `true` if it is literal.
fn line_pattern(edit: &Edit) -> (String, bool) {
    let old = edit.old.as_str();
    if !edit.kind.regex {
        let longest = old.lines().map(str::trim).max_by_key(|line| line.len());
        return (longest.filter(|line| !line.is_empty()).unwrap_or(old).to_owned(), true);
    }
    if SPANNING.iter().any(|part| old.contains(part)) {
        return ("^".to_owned(), false);
    }
    (old.to_owned(), false)
}
