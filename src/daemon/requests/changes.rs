use std::sync::Arc;

use crate::disk::Target;
use crate::edit::{Labels, diff_texts};
use crate::protocol::{ChangedFile, ChangesParams, ChangesResult, RequestPath, uri_of};
use crate::workspace::limits::DIFFED_BYTES;
use crate::workspace::{Changed, FileKey};

use crate::daemon::event::Event;
use crate::daemon::job::{Job, Located};
use crate::daemon::locate::Purpose;
use crate::daemon::observe::Observed;
use crate::daemon::{Core, Daemon, Failure, SessionContext};

/// All files that a session has read.
struct Ledger(Vec<Target>);

impl Located for Ledger {
    fn keys(&self) -> Vec<FileKey> {
        self.0.iter().map(|target| target.key.clone()).collect()
    }
}

impl Daemon {
    /// `editd/changes`.
    pub async fn changes(
        &self,
        session: &Arc<SessionContext>,
        ChangesParams { since }: ChangesParams,
    ) -> Result<ChangesResult, Failure> {
        let work = move |core: &Core, session: &SessionContext, ledger: Ledger, _: &Job| {
            core.changes(session, ledger, since)
        };
        self.core.on_files(session, Core::ledger_of, work).await
    }
}

impl Core {
    fn ledger_of(&self, session: &SessionContext) -> Result<Ledger, Failure> {
        let files = self.ask(|reply| Event::FilesRead { session: session.id, reply })?;
        let locate = |path| self.locate(session, &RequestPath::of(path), Purpose::Read).ok();
        Ok(Ledger(files.iter().filter_map(|(_, path)| locate(path)).collect()))
    }

    fn changes(
        &self,
        session: &SessionContext,
        Ledger(targets): Ledger,
        since: Option<u64>,
    ) -> Result<ChangesResult, Failure> {
        // What cannot be looked at now is told when it can be again.
        let observed: Vec<Observed> =
            targets.into_iter().filter_map(|target| self.observe(target).ok()).collect();
        let seen = observed.iter().map(Observed::seen).collect();
        let (cursor, changed) =
            self.ask(|reply| Event::Changes { session: session.id, seen, since, reply })?;
        let tell = |changed: &Changed| {
            let now = observed.iter().find(|now| now.target.key == changed.key)?;
            Some(self.changed_file(changed, now))
        };
        Ok(ChangesResult { cursor, files: changed.iter().filter_map(tell).collect() })
    }

    fn changed_file(&self, changed: &Changed, now: &Observed) -> ChangedFile {
        ChangedFile {
            uri: uri_of(&changed.path),
            path: changed.path.display().to_string(),
            by: changed.by.clone(),
            hash_before: Some(changed.before.to_string()),
            hash: now.truth.hash().map(|hash| hash.to_string()),
            diff: self.diff_since(changed, now),
        }
    }

    fn diff_since(&self, changed: &Changed, now: &Observed) -> Option<String> {
        let before = changed.before_text.clone().or_else(|| self.kept_base(changed.before))?;
        let after = if now.stat.is_none() { "" } else { now.text.as_ref()?.as_str() };
        if before.text.len_bytes() + after.len() > DIFFED_BYTES {
            return None;
        }
        let root = now.target.root.path();
        let name = changed.path.strip_prefix(root).unwrap_or(&changed.path).display().to_string();
        let labels = Labels { old: Some(&name), new: now.stat.is_some().then_some(name.as_str()) };
        Some(diff_texts(&before.text.to_string(), after, labels, self.deadline()).unified)
    }
}
