use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::disk::Target;
use crate::edit::{Deadline, Plan};
use crate::protocol::{ChangedFile, ChangesParams, ChangesResult, RequestPath, uri_of};
use crate::text::{ContentHash, Text};
use crate::workspace::limits::CHANGES_BYTES;
use crate::workspace::{Changed, FileKey, Seen, Snapshot, Truth};

use crate::daemon::difference::drift;
use crate::daemon::event::Event;
use crate::daemon::job::{Job, Located};
use crate::daemon::locate::Purpose;
use crate::daemon::{Core, Daemon, Failure, SessionContext};

/// A file that a session has read, found again.
struct Again {
    /// What it was known by when it was read; it may go by another key by now.
    key: FileKey,
    target: Target,
}

impl Located for Again {
    fn targets(&self) -> Vec<&Target> {
        vec![&self.target]
    }

    fn keys(&self) -> Vec<FileKey> {
        vec![self.key.clone(), self.target.key.clone()]
    }
}

/// What all files of one answer have in common.
#[derive(Clone, Copy)]
struct Telling {
    since: Option<u64>,
    deadline: Deadline,
    /// Bytes of diffs that still fit into the answer.
    room: usize,
}

impl Daemon {
    /// `editd/changes`. One file after another is looked at, so that nobody waits for all of them.
    pub async fn changes(
        &self,
        session: &Arc<SessionContext>,
        ChangesParams { since, path, uri }: ChangesParams,
    ) -> Result<ChangesResult, Failure> {
        let only = if path.is_some() || uri.is_some() {
            Some(self.only(session, RequestPath::from_fields(path, uri, ("path", "uri"))?).await?)
        } else {
            None
        };
        // The cursor is from before the looking: what happens meanwhile may be told twice, never not at all.
        let (cursor, mut read) = self.core.ask(|reply| Event::FilesRead { session: session.id, reply })?;
        read.retain(|(key, path)| only.as_ref().is_none_or(|only| only.key == *key || only.path == *path));
        let mut telling = Telling { since, deadline: self.core.deadline(), room: CHANGES_BYTES };
        let mut files = Vec::new();
        for (key, path) in read {
            match self.change_of(session, key, path, telling).await {
                Ok(changed) => {
                    let diff = changed.as_ref().and_then(|changed| changed.diff.as_ref());
                    telling.room = telling.room.saturating_sub(diff.map_or(0, String::len));
                    files.extend(changed);
                }
                // What cannot be looked at now is told when it can be again.
                Err(Failure::Refused(_)) => {}
                Err(failure) => return Err(failure),
            }
        }
        Ok(ChangesResult { cursor, files })
    }

    /// The one file that is asked about.
    async fn only(&self, session: &Arc<SessionContext>, path: RequestPath) -> Result<Target, Failure> {
        let locate =
            move |core: &Core, session: &SessionContext| Ok(core.locate(session, &path, Purpose::Read)?);
        self.core.on_files(session, locate, |_, _, target: Target, _| Ok(target)).await
    }

    async fn change_of(
        &self,
        session: &Arc<SessionContext>,
        key: FileKey,
        path: PathBuf,
        telling: Telling,
    ) -> Result<Option<ChangedFile>, Failure> {
        let locate = move |core: &Core, session: &SessionContext| {
            let target = core.locate(session, &RequestPath::of(&path), Purpose::Read)?;
            Ok(Again { key, target })
        };
        let work = move |core: &Core, session: &SessionContext, file: Again, _: &Job| {
            core.change_of(session, file, telling)
        };
        self.core.on_files(session, locate, work).await
    }
}

impl Core {
    fn change_of(
        &self,
        session: &SessionContext,
        Again { key, target }: Again,
        telling: Telling,
    ) -> Result<Option<ChangedFile>, Failure> {
        let seen = Seen { key, ..self.glance(target)? };
        let truth = seen.truth.clone();
        let (session, since) = (session.id, telling.since);
        let changed = self.ask(|reply| Event::Changes { session, seen, since, reply })?;
        Ok(changed.and_then(|changed| self.changed_file(changed, &truth, telling)))
    }

    /// What a file is, without reading it where its stamps prove that it is what it was.
    fn glance(&self, target: Target) -> Result<Seen, Failure> {
        if let (Some(cached), Ok(Some(stat)), false) =
            (self.cache.get(&target.key), self.disk.stat(&target), self.is_open(&target))
            && let Some(snapshot) = cached.unchanged(&stat)
        {
            let Target { key, path, .. } = target;
            return Ok(Seen { key, path, truth: Truth::Text(snapshot), typed: false });
        }
        Ok(self.observe(target)?.seen())
    }

    /// Nothing if others did nothing in the end.
    fn changed_file(&self, changed: Changed, now: &Truth, telling: Telling) -> Option<ChangedFile> {
        let Changed { path, by, before, before_text, own, .. } = changed;
        let given = before_text.or_else(|| self.kept_base(before));
        let known = match own {
            Some(own) => given.and_then(|given| edited(&given, &own)),
            None => given,
        };
        let before = known.as_ref().map_or(before, |known| known.hash);
        if now.hash() == Some(before) {
            return None;
        }
        let diff = known.and_then(|known| diff_since(&known, &path, now, telling.deadline));
        Some(ChangedFile {
            uri: uri_of(&path),
            path: path.display().to_string(),
            by,
            hash_before: Some(before.to_string()),
            hash: now.hash().map(|hash| hash.to_string()),
            diff: diff.filter(|diff| diff.len() <= telling.room),
        })
    }
}

/// What a session made of a text that it was given.
fn edited(given: &Snapshot, own: &Plan) -> Option<Arc<Snapshot>> {
    let text = own.apply(&given.text.to_string());
    let bytes = given.format.encode(&text).ok()?;
    let (hash, size) = (ContentHash::of(&bytes), bytes.len() as u64);
    Some(Arc::new(Snapshot { hash, text: Text::from(text.as_str()), format: given.format, size }))
}

fn diff_since(known: &Snapshot, path: &Path, now: &Truth, deadline: Deadline) -> Option<String> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    match now {
        Truth::Missing => drift(known, None, &name, deadline),
        Truth::Text(now) => drift(known, Some(&now.text.to_string()), &name, deadline),
        Truth::Opaque(_) => None,
    }
}
