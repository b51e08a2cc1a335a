use std::sync::Arc;

use crate::disk::Kind;
use crate::protocol::{Entries, EntryKind, FindParams, FoundEntry, Invalid, RequestPath};
use crate::search::{Entry, Glob, Passed, StopCondition, Then, walk};
use crate::workspace::Audience;
use crate::workspace::limits::{ENTRIES_MOST, FIND_ENTRIES, FOUND_BYTES};

use crate::daemon::searching::{Locations, SessionAccess, counted, path_and_uri};
use crate::daemon::{Core, Daemon, Failure, SessionContext};

/// Notice for a request that names version-control metadata.
pub(super) fn metadata_notice(audience: Audience) -> String {
    let read = audience.select("editd/read", "read", "editd read");
    format!("Files of version control are left out here; `{read}` reads them.")
}

/// Description of a directory that has the layout of a git repository, as part of a sentence.
pub(super) const REPOSITORY: &str = "treated as a repository by git (with `HEAD`, `objects` and `refs`)";

impl Daemon {
    /// `editd/find`.
    pub async fn find(&self, session: &Arc<SessionContext>, params: FindParams) -> Result<Entries, Failure> {
        let limit = limit_of(params.limit, FIND_ENTRIES, ENTRIES_MOST)?;
        let glob = Glob::new(&params.pattern).map_err(|problem| Invalid::new("pattern", problem))?;
        let path = path_of(params.path, params.uri)?;
        let work = move |core: &Core, session: &SessionContext, stop: &StopCondition<'_>| {
            let locations = core.locations(session, path.as_ref())?;
            let fits = |entry: &Entry<'_>| glob.fits(entry.absolute, entry.below, entry.kind == Kind::Folder);
            Ok(core.list_entries(session, &locations, (stop, limit), fits, Then::Enter))
        };
        self.core.searching(session, work).await
    }
}

impl Core {
    /// Returns the wanted entries of some locations, in order. `then` says how the walk continues after a
    /// wanted directory.
    pub(super) fn list_entries(
        &self,
        session: &SessionContext,
        locations: &Locations,
        (stop, limit): (&StopCondition<'_>, usize),
        wanted: impl Fn(&Entry<'_>) -> bool,
        then: Then,
    ) -> Entries {
        let access = SessionAccess::new(self, session, &locations.scopes);
        let (mut found, mut bytes, mut more, passed) = (Vec::new(), 0, false, Passed::default());
        for scope in &locations.scopes {
            walk(&*self.disk, scope, &access, (stop, &passed), |entry| {
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
        let mut notices = self.incomplete_notices(stop, &passed, more, audience);
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
        let notice = (!notices.is_empty()).then(|| notices.join(" "));
        Entries { entries: found, truncated: more || stop.has_happened(), notice }
    }
}

/// Returns notices about omitted entries, which may be the wanted ones.
fn omission_notices(passed: &Passed) -> Vec<String> {
    let mut notices = Vec::new();
    if passed.ignored() > 0 {
        let ignored = counted(passed.ignored(), "file or folder is", "files and folders are");
        notices.push(format!("{ignored} left out because of `.gitignore` or similar rules."));
    }
    if passed.repositories() > 0 {
        let folders = counted(passed.repositories(), "folder is", "folders are");
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
pub(super) fn limit_of(limit: Option<usize>, default: usize, max: usize) -> Result<usize, Invalid> {
    match limit {
        Some(0) => Err(Invalid::new("limit", "must be at least 1")),
        limit => Ok(limit.unwrap_or(default).min(max)),
    }
}

/// Returns the path of a request whose path is optional.
pub(super) fn path_of(path: Option<String>, uri: Option<String>) -> Result<Option<RequestPath>, Invalid> {
    match (&path, &uri) {
        (None, None) => Ok(None),
        _ => RequestPath::from_fields(path, uri, ("path", "uri")).map(Some),
    }
}
