//! Changes of files since a session has read them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::engine::change::rebase::drift;
use crate::engine::files::resolve::Purpose;
use crate::engine::jobs::Located;
use crate::engine::{Engine, Failure, Result, SessionContext};
use editd_disk::Target;
use editd_edit::{Deadline, Plan};
use editd_text::{ContentHash, Text};
use editd_workspace::limits::CHANGES_BYTES;
use editd_workspace::{Changed, FileContent, FileKey, ObservedVersion, RequestedPath, Snapshot};

/// A file that a session has read, located again.
struct ReadFile {
    /// Key of the file when it was read. The current key may differ.
    key: FileKey,
    target: Target,
}

impl Located for ReadFile {
    fn targets(&self) -> Vec<&Target> {
        vec![&self.target]
    }

    fn keys(&self) -> Vec<FileKey> {
        vec![self.key.clone(), self.target.key.clone()]
    }
}

/// Parameters that all files of one answer share.
#[derive(Clone, Copy)]
struct ReportOptions {
    since: Option<u64>,
    deadline: Deadline,
    /// Remaining space for diffs in the answer, in bytes.
    room: usize,
}

/// The difference of a file from the content that a session knows.
pub(crate) struct FileDifference {
    pub(crate) path: PathBuf,
    /// The author of the last change.
    pub(crate) by: String,
    pub(crate) before: ContentHash,
    pub(crate) now: Option<ContentHash>,
    pub(crate) diff: Option<String>,
}

impl Engine {
    /// Returns a cursor and the changes since an earlier one of the files that a session has read, or of one
    /// of them. Checks one file after the other, so that no other request waits for all of them.
    pub(crate) async fn changes(
        &self,
        session: &Arc<SessionContext>,
        only: Option<RequestedPath>,
        since: Option<u64>,
    ) -> Result<(u64, Vec<FileDifference>)> {
        let only = match only {
            Some(path) => Some(self.on_file(session, path, |_, _, target, _| Ok(target)).await?),
            None => None,
        };
        // The cursor is taken before the files are checked: a change in the meantime may be reported twice,
        // but is never lost.
        let (cursor, mut read) = self.workspace.update(|w| w.files_read_by(session.id));
        read.retain(|(key, path)| only.as_ref().is_none_or(|only| only.key == *key || only.path == *path));
        let mut options = ReportOptions { since, deadline: self.deadline(), room: CHANGES_BYTES };
        let mut files = Vec::new();
        for (key, path) in read {
            let changed = self.on_files(
                session,
                move |engine, session| {
                    let target = engine.locate(session, &RequestedPath::of(&path), Purpose::Read)?;
                    Ok(ReadFile { key, target })
                },
                move |engine, session, file, _| engine.change_of(session, file, options),
            );
            match changed.await {
                Ok(changed) => {
                    let diff = changed.as_ref().and_then(|changed| changed.diff.as_ref());
                    options.room = options.room.saturating_sub(diff.map_or(0, String::len));
                    files.extend(changed);
                }
                // A file that cannot be read now is reported when it can be read again.
                Err(Failure::Refused(_)) => {}
                Err(failure) => return Err(failure),
            }
        }
        Ok((cursor, files))
    }

    fn change_of(
        &self,
        session: &SessionContext,
        ReadFile { key, target }: ReadFile,
        options: ReportOptions,
    ) -> Result<Option<FileDifference>> {
        let seen = ObservedVersion { key, ..self.observe_if_changed(target)? };
        let content = seen.content.clone();
        let changed = self.workspace.update(|w| w.change_of(session.id, &seen, options.since));
        Ok(changed.and_then(|changed| self.changed_file(changed, &content, options)))
    }

    /// Observes a file. Does not read it if its metadata proves that the cached content is current.
    fn observe_if_changed(&self, target: Target) -> Result<ObservedVersion> {
        if let (Some(cached), Ok(Some(stat)), false) =
            (self.cache.get(&target.key), self.disk.stat(&target), self.is_open(&target))
            && let Some(snapshot) = cached.unchanged(&stat)
        {
            let (Target { key, path, .. }, content) = (target, FileContent::Text(snapshot));
            return Ok(ObservedVersion { key, path, content, is_unsaved: false });
        }
        Ok(self.observe(target)?.version())
    }

    /// Describes the change of a file. Returns `None` if the changes of others cancel each other out.
    fn changed_file(
        &self,
        changed: Changed,
        now: &FileContent,
        options: ReportOptions,
    ) -> Option<FileDifference> {
        let Changed { path, by, before, before_text, own, .. } = changed;
        let given = before_text.or_else(|| self.stored_base(before));
        let known = match own {
            Some(own) => given.and_then(|given| with_own_edits(&given, &own)),
            None => given,
        };
        let before = known.as_ref().map_or(before, |known| known.hash);
        if now.hash() == Some(before) {
            return None;
        }
        let diff = known.and_then(|known| diff_since(&known, &path, now, options.deadline));
        let diff = diff.filter(|diff| diff.len() <= options.room);
        Some(FileDifference { path, by, before, now: now.hash(), diff })
    }
}

/// Applies a session's own edits to a text that it was given.
fn with_own_edits(given: &Snapshot, own: &Plan) -> Option<Arc<Snapshot>> {
    let text = own.apply(&given.text.to_string());
    let bytes = given.format.encode(&text).ok()?;
    let (hash, size) = (ContentHash::of(&bytes), bytes.len() as u64);
    Some(Arc::new(Snapshot { hash, text: Text::from(text.as_str()), format: given.format, size }))
}

fn diff_since(known: &Snapshot, path: &Path, now: &FileContent, deadline: Deadline) -> Option<String> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    match now {
        FileContent::Missing => drift(known, None, &name, deadline),
        FileContent::Text(now) => drift(known, Some(&now.text.to_string()), &name, deadline),
        FileContent::Opaque(_) => None,
    }
}
