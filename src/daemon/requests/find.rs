use std::sync::Arc;

use crate::disk::Kind;
use crate::protocol::{Entries, EntryKind, FindParams, FoundEntry, Invalid, RequestPath};
use crate::search::{Entry, Glob, Passed, Stop, Then, walk};
use crate::workspace::limits::{ENTRIES_MOST, FIND_ENTRIES, FOUND_BYTES};

use crate::daemon::searching::{Places, Sight, counted, named};
use crate::daemon::{Core, Daemon, Failure, SessionContext};

/// What is said where nothing is looked at.
pub(super) const METADATA: &str =
    "What belongs to version control is left out here; `editd/read` reads its files.";

/// What a folder is that is laid out like one of git's own.
pub(super) const REPOSITORY: &str = "taken for a repository by git (`HEAD`, `objects` and `refs` lie in it)";

impl Daemon {
    /// `editd/find`.
    pub async fn find(&self, session: &Arc<SessionContext>, params: FindParams) -> Result<Entries, Failure> {
        let limit = limit_of(params.limit, FIND_ENTRIES, ENTRIES_MOST)?;
        let glob = Glob::new(&params.pattern).map_err(|problem| Invalid::new("pattern", problem))?;
        let path = path_of(params.path, params.uri)?;
        let work = move |core: &Core, session: &SessionContext, stop: &Stop<'_>| {
            let places = core.places(session, path.as_ref())?;
            let fits = |entry: &Entry<'_>| glob.fits(entry.absolute, entry.below, entry.kind == Kind::Folder);
            Ok(core.walked(session, &places, (stop, limit), fits, Then::Enter))
        };
        self.core.searching(session, work).await
    }
}

impl Core {
    /// The entries of some places that are wanted, in order; `then` is how to go on after a folder.
    pub(super) fn walked(
        &self,
        session: &SessionContext,
        places: &Places,
        (stop, limit): (&Stop<'_>, usize),
        wanted: impl Fn(&Entry<'_>) -> bool,
        then: Then,
    ) -> Entries {
        let sight = Sight::new(self, session, &places.scopes);
        let (mut found, mut bytes, mut more, passed) = (Vec::new(), 0, false, Passed::default());
        for scope in &places.scopes {
            walk(&*self.disk, scope, &sight, (stop, &passed), |entry| {
                if !wanted(&entry) {
                    return then;
                }
                let entry = told(&entry);
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
        let mut said = self.left_out(stop, &passed, more);
        said.extend(places.metadata.then(|| METADATA.to_owned()));
        if more {
            let count = found.len();
            let raise = if limit < ENTRIES_MOST && count == limit {
                format!(" or raise `limit` (at most {ENTRIES_MOST})")
            } else {
                String::new()
            };
            said.push(format!(
                "There is more; these are the first {count} by path. Name a smaller part of it{raise}."
            ));
        } else if found.is_empty() || then == Then::Pass {
            said.extend(of_left(&passed));
        }
        let notice = (!said.is_empty()).then(|| said.join(" "));
        Entries { entries: found, truncated: more || stop.has_happened(), notice }
    }
}

/// What is missing in a list, and may be what was looked for.
fn of_left(passed: &Passed) -> Vec<String> {
    let mut said = Vec::new();
    if passed.ignored() > 0 {
        let ignored = counted(passed.ignored(), "file or folder is", "files and folders are");
        said.push(format!("{ignored} left out, because `.gitignore` or the like names them."));
    }
    if passed.repositories() > 0 {
        let folders = counted(passed.repositories(), "folder is", "folders are");
        said.push(format!("{folders} {REPOSITORY}; what is in it is left out."));
    }
    said
}

fn told(entry: &Entry<'_>) -> FoundEntry {
    let (path, uri) = named(entry.absolute);
    match entry.kind {
        Kind::Folder => FoundEntry { path: path + "/", uri, kind: EntryKind::Folder },
        Kind::Symlink => FoundEntry { path, uri, kind: EntryKind::Symlink },
        Kind::File | Kind::Other => FoundEntry { path, uri, kind: EntryKind::File },
    }
}

/// How many are wanted.
pub(super) fn limit_of(limit: Option<usize>, usual: usize, most: usize) -> Result<usize, Invalid> {
    match limit {
        Some(0) => Err(Invalid::new("limit", "it is at least 1")),
        limit => Ok(limit.unwrap_or(usual).min(most)),
    }
}

/// The path of a request that may have none.
pub(super) fn path_of(path: Option<String>, uri: Option<String>) -> Result<Option<RequestPath>, Invalid> {
    match (&path, &uri) {
        (None, None) => Ok(None),
        _ => RequestPath::from_fields(path, uri, ("path", "uri")).map(Some),
    }
}
