//! The engine's only access to the workspace state.

use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;

use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::config::PolicyFile;
use crate::engine::clients::{Client, Clients};
use crate::engine::files::observe::{Cached, SnapshotCache};
use crate::engine::files::watch::WatchOrder;
use editd_disk::history::{ReviewersFile, WaitingProposals};
use editd_disk::{BaseStore, Root, Stat};
use editd_workspace::reviewers::StoredReviewers;
use editd_workspace::rules::{Judge, Operation, Spelling};
use editd_workspace::{Notice, ObservedVersion, Record, Role, Snapshot, Workspace};

/// An observed version of a file with everything needed to check it again.
#[derive(Clone, Debug)]
pub(crate) struct Observation {
    /// The file and its content.
    pub(crate) seen: ObservedVersion,
    /// The state in which the file was read; `None` if it does not exist.
    pub(crate) stat: Option<Stat>,
    /// The content on disk, if an editor holds other text.
    pub(crate) disk: Option<Arc<Snapshot>>,
    /// The root through which the file was opened.
    pub(crate) root: Root,
}

/// The daemon's only access to the [`Workspace`].
///
/// An update runs on the calling thread, under a lock that is held for microseconds: an update never waits, reads a
/// file or scans a text. A separate thread with a mailbox would have to be woken for each update and would have to wake
/// the caller; with three updates per edit, that took longer than all other work of a small edit.
pub(crate) struct WorkspaceHandle {
    state: Mutex<WorkspaceState>,
    rules: NoticeRules,
    pub(crate) bases: BaseStore,
    /// Stores pending proposals on disk.
    pub(crate) waiting: WaitingProposals,
    /// Stores the reviewers on disk.
    reviewers: ReviewersFile,
    /// Notified after each change of a proposal under review.
    pub(crate) decided: Notify,
    /// `true` if any editor has a document open.
    has_open_documents: AtomicBool,
}

impl WorkspaceHandle {
    pub(crate) fn new(
        state: WorkspaceState,
        bases: BaseStore,
        (waiting, reviewers): (WaitingProposals, ReviewersFile),
        rules: NoticeRules,
    ) -> Self {
        let (decided, has_open_documents) = (Notify::default(), AtomicBool::default());
        Self { state: Mutex::new(state), rules, bases, waiting, reviewers, decided, has_open_documents }
    }

    /// Returns `true` if any editor has a document open. Does not wait for the lock.
    pub(crate) fn has_open_documents(&self) -> bool {
        self.has_open_documents.load(Ordering::Acquire)
    }

    /// Runs `step` on the workspace, then carries out its effects, and returns its result.
    ///
    /// `step` must not call `update` again. Effects on disk are carried out after the lock is released, by the calling
    /// thread, so that evicted texts cannot accumulate faster than the disk stores them.
    pub(crate) fn update<R>(&self, step: impl FnOnce(&mut WorkspaceState) -> R) -> R {
        let (result, deferred) = {
            let mut state = self.state.lock();
            let result = step(&mut state);
            self.has_open_documents.store(state.buffers.all().next().is_some(), Ordering::Release);
            (result, state.drain_effects())
        };
        for (clients, notice) in &deferred.notices {
            if !matches!(notice, Notice::FileChanged { path, .. } if !self.rules.may_read(path)) {
                for client in clients {
                    client.notify(notice);
                }
            }
        }
        for snapshot in deferred.evicted {
            self.store(&snapshot);
        }
        for record in &deferred.records {
            self.waiting.write_down(record);
        }
        if let Some(reviewers) = &deferred.reviewers {
            self.reviewers.write_down(reviewers);
        }
        if !deferred.records.is_empty() {
            self.decided.notify_waiters();
        }
        result
    }

    fn store(&self, snapshot: &Snapshot) {
        let text = snapshot.text.to_string();
        let Ok(bytes) = snapshot.format.encode(&text) else { return };
        if let Err(error) = self.bases.put(&snapshot.hash.to_string(), &bytes) {
            tracing::warn!(%error, "an evicted base could not be stored");
        }
    }
}

/// Effects that must not run under the lock.
struct Deferred {
    /// Notices about files, for agents that may still read them, with the connections of each.
    notices: Vec<(Vec<Arc<dyn Client>>, Notice)>,
    /// Texts evicted from memory.
    evicted: Vec<Arc<Snapshot>>,
    /// Changes of pending proposals to store on disk.
    records: Vec<Record>,
    /// The reviewers to store on disk, if they have changed.
    reviewers: Option<StoredReviewers>,
}

/// The [`Workspace`] with the receivers of its effects.
pub(crate) struct WorkspaceState {
    pub(crate) workspace: Workspace,
    pub(crate) cache: Arc<SnapshotCache>,
    pub(crate) clients: Clients,
    pub(crate) watch: Sender<WatchOrder>,
}

/// The rules about files that a session has read, and that it may no longer be allowed to read.
pub(crate) struct NoticeRules {
    pub(crate) policy: Arc<PolicyFile>,
    /// Names of the path of the home folder.
    pub(crate) home: Vec<String>,
}

impl NoticeRules {
    /// Returns `true` if agents may read a file, by its canonical path.
    fn may_read(&self, path: &Path) -> bool {
        let policy = self.policy.current();
        let judge = Judge { rules: &policy.rules, policy: self.policy.path(), home: &self.home, agent: true };
        let spelling = Spelling { path, top: Path::new("/") };
        judge.judge(&[spelling], &[Operation::Read]).is_ok()
    }
}

impl WorkspaceState {
    /// Caches the content on disk of a file that a session has read.
    pub(crate) fn cache(&self, Observation { seen, stat, disk, root }: Observation) {
        let ObservedVersion { key, path, content, is_unsaved } = seen;
        let disk = if is_unsaved { disk } else { content.snapshot().cloned() };
        if let (Some(snapshot), Some(stat), true) = (disk, stat, self.workspace.is_read(&key)) {
            self.cache.insert(&key, Cached { snapshot: Some(snapshot), stat, root, path });
        }
    }

    /// Caches several files as [`cache`](Self::cache) does.
    pub(crate) fn cache_all(&self, observations: Vec<Observation>) {
        for observation in observations {
            self.cache(observation);
        }
    }

    fn drain_effects(&mut self) -> Deferred {
        let effects = self.workspace.take_outcome();
        let mut to_judge = Vec::new();
        for (session, notice) in effects.notices {
            let clients = self.clients.all(session);
            let is_agent = self.workspace.session(session).is_none_or(|it| it.role == Role::Agent);
            if is_agent && matches!(notice, Notice::FileChanged { .. }) {
                to_judge.push((clients, notice));
            } else {
                for client in clients {
                    client.notify(&notice);
                }
            }
        }
        for (key, path) in effects.forget {
            self.cache.remove(&key);
            // The watcher only stops with the daemon.
            let _ = self.watch.send(WatchOrder::Forget(path));
        }
        for (_, path) in effects.watch {
            let _ = self.watch.send(WatchOrder::Watch(path));
        }
        for snapshot in &effects.evicted {
            self.cache.evict(snapshot.hash);
        }
        let (records, reviewers) = (effects.records, effects.reviewers);
        Deferred { notices: to_judge, evicted: effects.evicted, records, reviewers }
    }
}

impl Deref for WorkspaceState {
    type Target = Workspace;

    fn deref(&self) -> &Workspace {
        &self.workspace
    }
}

impl DerefMut for WorkspaceState {
    fn deref_mut(&mut self) -> &mut Workspace {
        &mut self.workspace
    }
}
