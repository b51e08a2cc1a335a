use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::disk::{MTime, Stat, WatchHint, Watcher};

use super::Core;
use super::event::Event;

/// Changed paths that wait to be looked at; beyond as many, everything is looked at anew instead.
const WAITING_PATHS: usize = 4096;

/// When stamps are old enough to tell one content from another, and a little more.
const GROWN: Duration = Duration::from_secs(Stat::RACY_SECONDS.unsigned_abs() + 1);

/// How long typing is let go on before those who have read the file are told.
const PAUSE: Duration = Duration::from_millis(250);

/// What the watcher should do.
#[derive(Debug)]
pub(crate) enum WatchOrder {
    Watch(PathBuf),
    Forget(PathBuf),
}

/// What other programs may have changed, collected until somebody looks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hints(Arc<HintsInner>);

#[derive(Debug, Default)]
struct HintsInner {
    waiting: Mutex<Waiting>,
    some: Notify,
    /// Files to be looked at again when their stamps have grown old.
    young: Mutex<HashSet<PathBuf>>,
    /// Files that are being changed in an editor.
    typed: Mutex<HashSet<PathBuf>>,
}

#[derive(Debug, Default)]
struct Waiting {
    paths: HashSet<PathBuf>,
    anything: bool,
}

impl Hints {
    fn changed(&self, paths: impl IntoIterator<Item = PathBuf>) {
        let mut waiting = self.0.waiting.lock();
        waiting.paths.extend(paths);
        if waiting.paths.len() > WAITING_PATHS {
            *waiting = Waiting { paths: HashSet::new(), anything: true };
        }
        self.0.some.notify_one();
    }

    fn anything(&self) {
        self.0.waiting.lock().anything = true;
        self.0.some.notify_one();
    }

    /// Gives the hint once more when the file's stamps are old enough to tell. For tasks and their threads.
    fn later(&self, path: PathBuf) {
        self.after(GROWN, path, |hints| &hints.young);
    }

    /// Gives the hint in a moment, once for all that happens until then.
    pub(crate) fn soon(&self, path: PathBuf) {
        self.after(PAUSE, path, |hints| &hints.typed);
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

    async fn take(&self) -> Waiting {
        self.0.some.notified().await;
        std::mem::take(&mut *self.0.waiting.lock())
    }
}

/// Carries out orders to watch, on a thread of its own: the system's calls may take long.
///
/// Watching is never needed for correctness. Where it fails, changes are noticed at the next request.
pub(crate) fn keep_watch(orders: &Receiver<WatchOrder>, hints: &Hints) {
    let told = hints.clone();
    let watcher = Watcher::new(move |hint| match hint {
        WatchHint::Changed(paths) => told.changed(paths),
        WatchHint::Rescan => told.anything(),
        WatchHint::Degraded(why) => tracing::warn!(why, "changes of files may be noticed late"),
    });
    for order in orders {
        match order {
            WatchOrder::Watch(path) => {
                watcher.watch(&path);
                // What happened between the read and the watch.
                hints.changed([path]);
            }
            WatchOrder::Forget(path) => watcher.unwatch(&path),
        }
    }
}

impl Core {
    /// Looks at what hints name, for as long as the daemon runs.
    pub(crate) async fn follow_hints(self) {
        loop {
            let Waiting { paths, anything } = self.hints.take().await;
            let paths = if anything { self.cache.paths() } else { paths.into_iter().collect() };
            for path in paths {
                self.look_again(&path).await;
            }
        }
    }

    /// Looks at a file that may have changed, in turn with the requests on it: so a change that editd is
    /// just making itself is in the books before it is seen.
    async fn look_again(&self, path: &Path) {
        let Some(key) = self.cache.key_of(path) else { return };
        let place = self.lanes.join(vec![key.clone()]);
        place.at_head().await;
        let core = self.clone();
        let looked = tokio::task::spawn_blocking(move || {
            let _place = place;
            let cached = core.cache.get(&key)?;
            let relative = cached.path.strip_prefix(cached.root.path()).ok()?;
            let target = core.disk.resolve(&cached.root, relative).ok()?;
            let stat = core.disk.stat(&target).ok()?;
            // The stamps say nothing of what an editor shows.
            let is_open = core.is_open(&target);
            match stat.map_or(State::Unknown, |now| state(&now, &cached.stat)) {
                State::Same if !is_open => return None,
                State::Young if !is_open => {
                    core.hints.later(cached.path.clone());
                    return None;
                }
                _ => {}
            }
            let observed = core.observe(target).ok()?;
            // Those who have read it know it by the key that it had then.
            let mut sighting = observed.sighting();
            sighting.seen.key = key;
            core.books.send(Event::Looked { sighting });
            Some(())
        });
        // A panic in there was logged; there is nobody to tell.
        let _ = looked.await;
    }
}

/// What the stamps of a file say of its content.
enum State {
    /// It is what it was.
    Same,
    /// They are equal but too young to prove anything. Nearly always they are so because editd itself has
    /// just written the file; reading it after every edit would cost as much as the edits.
    Young,
    /// They differ, or it was read while they were young.
    Unknown,
}

fn state(now: &Stat, then: &Stat) -> State {
    match (now.same_version(then), then.racy) {
        (true, false) => State::Same,
        (true, true) if now.is_racy(MTime::now()) => State::Young,
        (false, _) | (true, true) => State::Unknown,
    }
}
