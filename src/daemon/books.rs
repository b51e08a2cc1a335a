use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Instant;

use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::disk::BaseStore;
use crate::history::Waiting;
use crate::workspace::{Moved, Notice, Outcome, Record, Seen, Snapshot, Workspace};

use super::cache::{Cached, SnapshotCache};
use super::clients::Clients;
use super::event::{DiagnosticsEvent, Event, FindFor, ReviewEvent, Sighting};
use super::hints::WatchOrder;

/// The way to the [`Workspace`]: takes events one at a time, from any thread.
///
/// Every event is handled on the thread that brings it, behind a lock that is held for microseconds. A loop
/// with a thread of its own would have to be woken for each, and wake the one that waits for the answer: with
/// three events to an edit, that took longer than all the rest of a small one.
///
/// Texts that leave memory by an event are stored by that thread too, behind no lock: so they cannot pile up
/// faster than the disk takes them.
pub(crate) struct Books {
    keeper: Mutex<Keeper>,
    bases: Arc<BaseStore>,
    /// Where proposals that wait for a person are written down.
    waiting: Arc<Waiting>,
    /// Told after each change of one of these.
    decided: Arc<Notify>,
}

impl Books {
    pub(crate) fn new(keeper: Keeper, bases: Arc<BaseStore>, waiting: Arc<Waiting>) -> Self {
        Self { keeper: Mutex::new(keeper), bases, waiting, decided: Arc::default() }
    }

    /// Told after each change of a proposal that a person decides or has decided.
    pub(crate) fn decided(&self) -> &Arc<Notify> {
        &self.decided
    }

    /// Whether any proposal waits for a person.
    pub(crate) fn anything_waits(&self) -> bool {
        self.waiting.is_anything()
    }

    /// Handles the event. When this returns, it has happened and its answer has been sent.
    pub(crate) fn send(&self, event: Event) {
        let Left { evicted, records } = self.keeper.lock().take(event);
        for snapshot in evicted {
            self.store(&snapshot);
        }
        if records.is_empty() {
            return;
        }
        for record in &records {
            self.waiting.write_down(record);
        }
        self.decided.notify_waiters();
    }

    fn store(&self, snapshot: &Snapshot) {
        let text = snapshot.text.to_string();
        let Ok(bytes) = snapshot.format.encode(&text) else { return };
        if let Err(error) = self.bases.put(&snapshot.hash.to_string(), &bytes) {
            tracing::warn!(%error, "a base could not be kept");
        }
    }
}

/// What an event leaves to be done behind no lock.
struct Left {
    /// Texts that left memory.
    evicted: Vec<Arc<Snapshot>>,
    /// What to write down of proposals that wait for a person.
    records: Vec<Record>,
}

/// The one place that changes the [`Workspace`].
pub(crate) struct Keeper {
    pub(crate) workspace: Workspace,
    pub(crate) cache: Arc<SnapshotCache>,
    pub(crate) clients: Clients,
    pub(crate) watch: Sender<WatchOrder>,
}

impl Keeper {
    /// Handles an event and what follows from it; gives what has to be written to the state folder.
    fn take(&mut self, event: Event) -> Left {
        self.handle(event);
        let outcome = self.workspace.take_outcome();
        self.perform(outcome)
    }

    fn handle(&mut self, event: Event) {
        let workspace = &mut self.workspace;
        // A reply to somebody who has gone away is no error.
        match event {
            Event::Connected { session, reply } => {
                workspace.connect(session);
                let _ = reply.send(());
            }
            Event::Disconnected { session } => workspace.disconnect(session),
            Event::Read { session, sighting, coverage, reply } => {
                workspace.record_read(session, &sighting.seen, coverage);
                self.keep(sighting);
                let _ = reply.send(());
            }
            Event::Forget { session, key, reply } => {
                workspace.forget(session, &key);
                let _ = reply.send(());
            }
            Event::Looked { sighting } => {
                workspace.observe(&sighting.seen);
                self.keep(sighting);
            }
            Event::Bases { session, files, reply } => {
                let states =
                    files.iter().map(|(seen, sent)| workspace.base_state(session, seen, *sent)).collect();
                let _ = reply.send(states);
            }
            Event::Propose { new, reply } => drop(reply.send(workspace.add_proposal(new))),
            Event::Find { session, id, purpose, reply } => {
                let found = match purpose {
                    FindFor::Applying(revision) => workspace.proposal_to_apply(session, &id, revision),
                    FindFor::Looking => workspace.proposal(session, &id),
                };
                let _ = reply.send(found.cloned());
            }
            Event::List { session, state, reply } => {
                let list = workspace.proposals(session, state.as_deref()).into_iter().cloned().collect();
                let _ = reply.send(list);
            }
            Event::Discard { session, id, reason, reply } => {
                let _ = reply.send(workspace.discard(session, &id, reason));
            }
            Event::BeginApply { session, id, seen, reply } => {
                let _ = reply.send(workspace.begin_apply(session, &id, &seen));
            }
            Event::Applied { session, author, id, transaction, files, moved, reply } => {
                let transaction = workspace.applied(session, &id, transaction, files);
                let books = moved.iter().map(|(moved, _)| moved.clone()).collect();
                workspace.record_commit(session, &author, books);
                self.keep_all(moved);
                let _ = reply.send(transaction);
            }
            Event::NotApplied { session, id, state } => workspace.not_applied(session, &id, state),
            Event::Text { hash, reply } => drop(reply.send(workspace.text(hash))),
            Event::FilesRead { session, reply } => drop(reply.send(workspace.files_read_by(session))),
            Event::Changes { session, seen, since, reply } => {
                let _ = reply.send(workspace.change_of(session, &seen, since));
            }
            Event::Recall { key, reply } => drop(reply.send(workspace.remembered(&key, Instant::now()))),
            Event::Remember { key, answered } => workspace.remember(key, answered, Instant::now()),
            Event::Editors(event) => event.handle(workspace),
            Event::Diagnostics(event) => diagnostics(workspace, event),
            Event::Count { reply } => drop(reply.send(workspace.counts())),
            Event::Reviewed(event) => self.handle_review(event),
        }
    }

    fn handle_review(&mut self, event: ReviewEvent) {
        let workspace = &mut self.workspace;
        match event {
            ReviewEvent::Watched { paths, reply } => {
                let paths: Vec<_> = paths.iter().map(PathBuf::as_path).collect();
                let _ = reply.send(workspace.is_watched(&paths));
            }
            ReviewEvent::Review { session, id, revision, reply } => {
                let _ = reply.send(workspace.put_under_review(session, &id, revision));
            }
            ReviewEvent::FindToDecide { session, id, revision, reply } => {
                let _ = reply.send(workspace.proposal_to_decide(session, &id, revision).cloned());
            }
            ReviewEvent::Decide { session, id, revision, review, reply } => {
                let _ = reply.send(workspace.decide(session, &id, revision, review));
            }
            ReviewEvent::BeginDecided { session, id, revision, reply } => {
                let _ = reply.send(workspace.begin_decided(session, &id, revision));
            }
            ReviewEvent::Decided { session, by, id, review, transaction, moved, reply } => {
                workspace.decided(session, &id, review, transaction);
                let books = moved.iter().map(|(moved, ..)| moved.clone()).collect();
                workspace.record_decided(by.0, &by.1, books);
                self.keep_all(moved);
                let _ = reply.send(());
            }
            ReviewEvent::NotDecided { id } => workspace.not_decided(&id),
            ReviewEvent::FindRejected { session, id, reply } => {
                let _ = reply.send(workspace.rejected(session, &id));
            }
            ReviewEvent::ListRejected { session, reply } => {
                drop(reply.send(workspace.rejected_here(session)));
            }
            ReviewEvent::Reopen { session, id, files, at, reply } => {
                let _ = reply.send(workspace.reopen(session, &id, files, at));
            }
            ReviewEvent::PendingOn { author, key, reply } => {
                let _ = reply.send(workspace.pending_on(&author, &key));
            }
            ReviewEvent::Restore { proposals } => workspace.restore(proposals),
        }
    }

    fn keep_all(&self, moved: Vec<(Moved, Sighting)>) {
        for (_, sighting) in moved {
            self.keep(sighting);
        }
    }

    /// Keeps what was seen of a file at hand, as long as somebody has read the file.
    /// Keeps what is on the disk of a file that somebody has read.
    fn keep(&self, Sighting { seen, stat, disk, root }: Sighting) {
        let Seen { key, path, truth, typed } = seen;
        let disk = if typed { disk } else { truth.snapshot().cloned() };
        if let (Some(snapshot), Some(stat), true) = (disk, stat, self.workspace.is_read(&key)) {
            self.cache.insert(&key, Cached { snapshot: Some(snapshot), stat, root, path });
        }
    }

    fn perform(&self, outcome: Outcome) -> Left {
        for (session, notice) in outcome.notices {
            self.clients.notify(session, &notice);
        }
        for (key, path) in outcome.forget {
            self.cache.remove(&key);
            // The watcher only ends with the daemon.
            let _ = self.watch.send(WatchOrder::Forget(path));
        }
        for (_, path) in outcome.watch {
            let _ = self.watch.send(WatchOrder::Watch(path));
        }
        for snapshot in &outcome.evicted {
            self.cache.evict(snapshot.hash);
        }
        Left { evicted: outcome.evicted, records: outcome.records }
    }
}

fn diagnostics(workspace: &mut Workspace, event: DiagnosticsEvent) {
    match event {
        DiagnosticsEvent::Told { id, path, report } => workspace.diagnose(&id, &path, report),
        DiagnosticsEvent::Of { path, key, reply } => drop(reply.send(workspace.diagnosed(&path, &key))),
        DiagnosticsEvent::Files { reply } => drop(reply.send(workspace.diagnosed_files())),
    }
}

impl Clients {
    fn notify(&self, session: crate::workspace::SessionId, notice: &Notice) {
        let (method, params) = super::answer::notice(notice);
        self.send(session, method, params);
    }
}
