//! Recording a change that a client has written.

use std::path::PathBuf;
use std::sync::Arc;

use crate::engine::change::commit::{CommittedFile, PendingWrite};
use crate::engine::change::compute::{ComputeOptions, ComputedChange, finish};
use crate::engine::change::draft::Draft;
use crate::engine::change::history_recording::Intent;
use crate::engine::files::observe::Observed;
use crate::engine::files::resolve::Purpose;
use crate::engine::jobs::Located;
use crate::engine::native::{PreparedChange, PreparedFile};
use crate::engine::{Engine, Failure, SessionContext};
use editd_disk::Target;
use editd_edit::Plan;
use editd_workspace::history::Origin;
use editd_workspace::{
    Action, Coverage, FileContent, OnStale, PlannedFile, Refusal, RefusalKind, RequestedPath,
};

/// A change that a client has written, with its files located again.
pub(crate) struct LocatedRecord {
    tool_call: String,
    change: Arc<PreparedChange>,
    /// Target of each file, and of its new name.
    targets: Vec<(Target, Option<Target>)>,
}

impl Located for LocatedRecord {
    fn targets(&self) -> Vec<&Target> {
        self.targets.iter().flat_map(|(target, to)| [Some(target), to.as_ref()]).flatten().collect()
    }
}

/// The result of recording a change.
#[derive(Debug, Default)]
pub(crate) struct RecordedChange {
    /// The transaction, if the files have changed.
    pub(crate) transaction: Option<Arc<str>>,
    /// Files whose content is not the prepared one.
    pub(crate) different: Vec<PathBuf>,
}

impl Engine {
    /// Locates the files of the change that a call was to write. Returns `None` if no such change is known.
    pub(crate) fn locate_record(
        &self,
        session: &SessionContext,
        tool_call: &str,
    ) -> Result<Option<LocatedRecord>, Failure> {
        let Some(change) = self.prepared.of_call(session, tool_call) else { return Ok(None) };
        let locate = |path: &PathBuf| self.locate(session, &RequestedPath::of(path), Purpose::Read);
        let target = |PreparedFile { file, .. }: &PreparedFile| {
            let to = match &file.action {
                Action::Rename { to, .. } => Some(locate(to)?),
                _ => None,
            };
            Ok((locate(&file.path)?, to))
        };
        let targets = change.files.iter().map(target).collect::<Result<_, Refusal>>()?;
        Ok(Some(LocatedRecord { tool_call: tool_call.to_owned(), change, targets }))
    }

    /// Adds the change to the history, with what the client has really written. A model that is given here is the one
    /// that has made the call.
    pub(crate) fn record_native(
        &self,
        session: &SessionContext,
        LocatedRecord { tool_call, change, targets }: LocatedRecord,
        failed: bool,
        model: Option<String>,
    ) -> Result<RecordedChange, Failure> {
        let rules = self.compute_options(OnStale::Reject, None);
        let others = self.prepared.others(session, &tool_call);
        let files: Vec<_> = targets.iter().map(|(target, _)| target.clone()).collect();
        let (mut writes, mut found, mut different) = (Vec::new(), Vec::new(), Vec::new());
        for (index, (prepared, (target, to))) in change.files.iter().zip(targets).enumerate() {
            let now = self.observe_disk(to.clone().unwrap_or_else(|| target.clone()))?;
            let hash = now.content.hash();
            let is_prepared = hash == prepared.file.hash_after || prepared.leads_to(hash, &others);
            if !is_prepared {
                different.push(prepared.file.path.clone());
            }
            // After a failure, another program may have changed the file.
            let is_foreign = failed && !is_prepared;
            if is_foreign || to.is_none() && hash == prepared.file.hash_before {
                continue;
            }
            if let Some(computed) = prepared.written(target, (&now, is_prepared), &rules)? {
                writes.push(PendingWrite::new(index, computed, to));
                found.push(now);
            }
        }
        if writes.is_empty() {
            return Ok(RecordedChange { transaction: None, different });
        }
        let origin = Origin { model: model.or_else(|| change.origin.model.clone()), ..change.origin.clone() };
        let intent = Intent { origin, label: change.label.clone(), ..Intent::by(session) };
        self.reported(writes.iter().map(|write| &write.computed.file));
        let mut entry = self.begin_history_entry(&mut writes, &intent)?;
        self.record_committed(&mut entry);
        let written = |(write, now): (PendingWrite, Observed)| {
            CommittedFile::written_by_client(&write.computed.file, now)
        };
        let result = entry.result(writes.into_iter().zip(found).map(written).collect());
        for committed in &result.files {
            self.written_by_others(&committed.file.path);
            if committed.seen.path != committed.file.path {
                self.written_by_others(&committed.seen.path);
            }
            // A walk may have found it in the meantime.
            self.reported([&committed.file]);
        }
        let is_as_prepared = different.is_empty();
        self.prepared.remove_same(session, &change);
        let moved = |committed: &CommittedFile| committed.moved(is_as_prepared);
        let (moved, observations): (Vec<_>, Vec<_>) = result.files.iter().map(moved).unzip();
        self.workspace.update(|w| {
            if is_as_prepared {
                w.record_commit(session.id, &session.author, moved);
            } else {
                // The author does not know what else is in the files now, so its bases stay.
                w.record_decided(session.id, &session.author, moved);
            }
            w.cache_all(observations);
        });
        if is_as_prepared {
            self.rebase_others((&change, &files), &others, &rules);
        }
        Ok(RecordedChange { transaction: result.transaction, different })
    }
}

impl PreparedFile {
    /// Returns the change from the content before to the content that the file has now, or `None` if there is
    /// no such change of text.
    fn written(
        &self,
        target: Target,
        (now, is_prepared): (&Observed, bool),
        rules: &ComputeOptions<'_>,
    ) -> Result<Option<ComputedChange>, Refusal> {
        let before = self.observed_before(target);
        if is_prepared {
            return ComputedChange::of_planned(&self.file, before, rules).map(Some);
        }
        let old = self.before.as_ref().map_or("", |text| text.as_str());
        let (action, new, format) = match (&now.content, &now.text) {
            (FileContent::Missing, _) if self.before.is_some() => (Action::Delete, "", self.file.format),
            (FileContent::Text(snapshot), Some(text)) => (self.action(), text.as_str(), snapshot.format),
            _ => return Ok(None),
        };
        let plan =
            if action == Action::Delete { Plan::default() } else { Plan::between(old, new, rules.deadline) };
        let draft = Draft { plan, ..Draft::default() };
        match finish(before, action, format, draft, Coverage::Part, rules) {
            Ok(computed) => Ok(Some(computed)),
            Err(RefusalKind::NoChange) => Ok(None),
            Err(kind) => Err(Refusal::at(&self.file.path, kind)),
        }
    }

    /// Returns the action, for a file that exists now.
    fn action(&self) -> Action {
        match &self.file.action {
            rename @ Action::Rename { .. } => rename.clone(),
            _ if self.before.is_none() => Action::CREATE,
            _ => Action::Edit,
        }
    }

    /// Returns the file as it was observed before the change.
    pub(super) fn observed_before(&self, target: Target) -> Observed {
        let PlannedFile { before, .. } = &self.file;
        Observed {
            target,
            stat: self.stat,
            handle: None,
            bytes: self.bytes.clone(),
            content: before.clone().map_or(FileContent::Missing, FileContent::Text),
            text: self.before.clone(),
            not_text: None,
            open: None,
            on_disk: None,
        }
    }
}
