//! Watching files for changes by other programs.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::engine::Engine;
use crate::engine::files::locks::Client;
use editd_disk::{Stat, WatchHint, Watcher};

/// Maximum number of paths that wait for a recheck. Beyond it, all cached files are rechecked instead.
const MAX_WAITING_PATHS: usize = 4096;

/// Age from which the timestamps of a file reliably reveal later changes, with a margin of a second.
const RELIABLE_AGE: Duration = Duration::from_secs(Stat::RACY_SECONDS.unsigned_abs() + 1);

/// Delay between typing in an editor and the recheck that notifies the sessions that have read the file.
const TYPING_DELAY: Duration = Duration::from_millis(250);

/// A command to the watcher thread.
#[derive(Debug)]
pub(crate) enum WatchOrder {
    Watch(PathBuf),
    Forget(PathBuf),
}

/// Paths that other programs may have changed, collected until they are rechecked.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hints(Arc<HintsInner>);

#[derive(Debug, Default)]
struct HintsInner {
    waiting: Mutex<PendingPaths>,
    arrived: Notify,
    /// Files to be rechecked when their timestamps are old enough to be reliable.
    racy: Mutex<HashSet<PathBuf>>,
    /// Files that a user is changing in an editor.
    typed: Mutex<HashSet<PathBuf>>,
}

#[derive(Debug, Default)]
struct PendingPaths {
    paths: HashSet<PathBuf>,
    /// `true` if any file may have changed.
    all: bool,
}

impl Hints {
    fn changed(&self, paths: impl IntoIterator<Item = PathBuf>) {
        let mut waiting = self.0.waiting.lock();
        waiting.paths.extend(paths);
        if waiting.paths.len() > MAX_WAITING_PATHS {
            *waiting = PendingPaths { paths: HashSet::new(), all: true };
        }
        self.0.arrived.notify_one();
    }

    fn all_changed(&self) {
        self.0.waiting.lock().all = true;
        self.0.arrived.notify_one();
    }

    /// Repeats the hint when the timestamps of the file are reliable. Must be called within the runtime.
    fn later(&self, path: PathBuf) {
        self.after(RELIABLE_AGE, path, |hints| &hints.racy);
    }

    /// Adds the hint after a short delay, once for all typing until then.
    pub(crate) fn soon(&self, path: PathBuf) {
        self.after(TYPING_DELAY, path, |hints| &hints.typed);
    }

    fn after(&self, time: Duration, path: PathBuf, set: fn(&HintsInner) -> &Mutex<HashSet<PathBuf>>) {
        if !set(&self.0).lock().insert(path.clone()) {
            return;
        }
        let hints = self.clone();
        tokio::spawn(async move {
            tokio::time::sleep(time).await;
            set(&hints.0).lock().remove(&path);
            hints.changed([path]);
        });
    }

    async fn take(&self) -> PendingPaths {
        self.0.arrived.notified().await;
        std::mem::take(&mut *self.0.waiting.lock())
    }
}

/// Carries out watch orders. Runs on a separate thread, because the system calls may take long.
///
/// Watching is never needed for correctness. If it fails, the next request on the file detects the change.
pub(crate) fn run_watcher(orders: &Receiver<WatchOrder>, hints: &Hints) {
    let for_watcher = hints.clone();
    let watcher = Watcher::new(move |hint| match hint {
        WatchHint::Changed(paths) => for_watcher.changed(paths),
        WatchHint::Rescan => for_watcher.all_changed(),
        WatchHint::Degraded(why) => tracing::warn!(why, "file changes may be detected late"),
    });
    for order in orders {
        match order {
            WatchOrder::Watch(path) => {
                watcher.watch(&path);
                // The file may have changed between the read and the start of the watch.
                hints.changed([path]);
            }
            WatchOrder::Forget(path) => watcher.unwatch(&path),
        }
    }
}

impl Engine {
    /// Rechecks the files that hints name, for as long as the daemon runs.
    pub(crate) async fn follow_hints(self) {
        loop {
            let PendingPaths { paths, all } = self.hints.take().await;
            let paths = if all { self.cache.paths() } else { paths.into_iter().collect() };
            for path in paths {
                self.recheck_changed(&path).await;
            }
        }
    }

    /// Rechecks a file that may have changed, under its file lock. So a change that editd itself is making is
    /// in the workspace state before the file is observed.
    async fn recheck_changed(&self, path: &Path) {
        let Some(key) = self.cache.key_of(path) else { return };
        let lock = self.locks.join(Client::Daemon, vec![key.clone()]);
        lock.at_head().await;
        let engine = self.clone();
        let rechecked = tokio::task::spawn_blocking(move || {
            let _lock = lock;
            let cached = engine.cache.get(&key)?;
            let relative = cached.path.strip_prefix(cached.root.path()).ok()?;
            let target = engine.disk.resolve(&cached.root, relative).ok()?;
            let stat = engine.disk.stat(&target).ok()?;
            // The timestamps reveal nothing about unsaved text in an editor.
            let is_open = engine.is_open(&target);
            match stat.map_or(DiskState::Unknown, |now| disk_state(&now, &cached.stat)) {
                DiskState::Same if !is_open => return None,
                DiskState::Racy if !is_open => {
                    engine.hints.later(cached.path.clone());
                    return None;
                }
                _ => {}
            }
            let observed = engine.observe(target).ok()?;
            // The sessions that have read the file know it by its key at that time.
            let mut observation = observed.observation();
            observation.seen.key = key;
            engine.workspace.update(|w| {
                w.observe(&observation.seen);
                w.cache(observation);
            });
            Some(())
        });
        // A panic was logged, and there is no client to report it to.
        let _ = rechecked.await;
    }
}

/// The conclusion from the timestamps of a file about its content.
enum DiskState {
    /// The content has not changed.
    Same,
    /// The timestamps are equal, but too recent to prove anything. Nearly always, the reason is that editd
    /// itself has just written the file. Reading it after each edit would cost as much as the edit.
    Racy,
    /// The timestamps differ, or were too recent when the file was read.
    Unknown,
}

fn disk_state(now: &Stat, then: &Stat) -> DiskState {
    match (now.same_version(then), then.racy) {
        (true, false) => DiskState::Same,
        (true, true) if now.is_racy(editd_disk::time::system_clock()) => DiskState::Racy,
        (false, _) | (true, true) => DiskState::Unknown,
    }
}
