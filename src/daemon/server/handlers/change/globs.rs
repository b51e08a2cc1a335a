//! The files of an edit that is made in all files that match a glob.

use std::sync::Arc;

use crate::engine::change::request::Call;
use crate::engine::change::spread::Everywhere;
use crate::engine::searching::SessionAccess;
use crate::engine::{Result, SessionContext};
use crate::server::Daemon;
use crate::server::handlers::search::{joined, pattern_problem, skip_notices, unreadable_notice};
use editd_disk::search::{Bounds, Query, search};
use editd_protocol::Invalid;
use editd_workspace::{Refusal, RefusalKind, RequestedPath};

/// Maximum total size of the paths of the files, in bytes.
pub(super) const PATHS: usize = 8 << 20;

/// Maximum number of lines with a name that is renamed.
const NAMED_LINES: usize = 100_000;

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
        let Some(spread) = call.spread.as_mut() else { return Ok(call) };
        let Some(glob) = spread.glob.clone() else { return Ok(call) };
        let max = self.engine.config.limits.changes.saturating_sub(call.files.len());
        // The lines of a name are listed where it is left.
        let (counts, lines) =
            if matches!(spread.what, Everywhere::Text { .. }) { (true, max) } else { (false, NAMED_LINES) };
        let bounds = Bounds { lines, context: 0, bytes: PATHS, counts };
        let (pattern, literal) = line_pattern(&spread.what);
        let audience = session.abilities.audience;
        let query = Query::new(&pattern, literal, false, bounds)
            .map_err(|error| Invalid::new("oldText", pattern_problem(&error, audience)))?;
        let folder = spread.folder().cloned();
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
        if report.more || report.files.len() > max {
            let problem = format!("more than {max} files may have matches; narrow it");
            return Err(Invalid::new("glob", problem).into());
        }
        let left: Vec<String> =
            skip_notices(&report.passed).into_iter().chain(unreadable_notice(&report.passed)).collect();
        let (searched, notice) = (report.passed.searched.get(), joined(&left));
        // A symbol is renamed in its own file at least.
        if report.files.is_empty() && (counts || searched == 0) {
            return Err(Refusal::new(RefusalKind::NoFileMatches { searched }).into());
        }
        call.files.extend(spread.found(report.files, searched, notice));
        Ok(call)
    }
}

/// Returns a pattern that matches the lines with a name, as a whole word if it consists of such characters, and `true` if
/// the pattern is literal.
pub(super) fn word_pattern(name: &str) -> (String, bool) {
    let is_word = name.chars().all(|c| c.is_alphanumeric() || c == '_');
    if is_word { (format!(r"\b{name}\b"), false) } else { (name.to_owned(), true) }
}

/// Returns a pattern that matches a line of each file that contains the text of an edit, and `true` if it is literal.
fn line_pattern(what: &Everywhere) -> (String, bool) {
    let edit = match what {
        Everywhere::Text { edit, .. } => edit,
        Everywhere::Uses { name, .. } => return word_pattern(name),
        Everywhere::Served => return (String::new(), true),
    };
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
