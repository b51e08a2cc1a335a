//! Hints that files may have changed. They are only hints: events get lost, come late or never come (memory
//! maps, remote file systems), so no decision relies on them.
//!
//! The watcher watches the folder of a file: a watch on the file itself would end with the first save that
//! replaces it.

use notify::event::{AccessKind, AccessMode, EventKind, ModifyKind};
use notify::{Config, ErrorKind, Event, RecommendedWatcher, RecursiveMode, Watcher as _, WatcherKind};
use parking_lot::{Condvar, Mutex};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// Time during which hints are collected before they are sent: a save is several events, a checkout
/// thousands.
const QUIET: Duration = Duration::from_millis(20);

/// Time for which the system's thread leaves events in the queue before it takes the next ones. A change of a
/// file causes about seven events, and a wake-up for each took a sixth of the daemon's total time.
const REST: Duration = Duration::from_millis(20);

/// Events that arrive within this time after a rest were already queued when it ended.
const TOGETHER: Duration = Duration::from_millis(2);

/// Interval between attempts to watch a missing folder again.
const RETRY: Duration = Duration::from_secs(1);

/// Maximum number of files named in one hint. Above it, a rescan is cheaper than the list.
const MAX_NAMED: usize = 4096;

/// A hint of the watcher.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WatchHint {
    /// These watched files may have changed, appeared or disappeared.
    Changed(Vec<PathBuf>),
    /// Any watched file may have changed: events were lost, or there were too many.
    Rescan,
    /// Some files cannot be watched, for this reason; reported once.
    Degraded(String),
}

/// Watches the folders of files. A dedicated thread, which ends with the watcher, sends the hints.
pub struct Watcher {
    shared: Arc<Shared>,
}

/// State shared by the threads. If both locks are needed, `system` is taken before `state`: the system's
/// thread takes `state` for every event, and holders of `system` wait for that thread.
#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    /// Wakes the watcher's own thread.
    wake: Condvar,
    /// Ends the rest of the system's thread.
    end_rest: Condvar,
    system: Mutex<Option<RecommendedWatcher>>,
    /// `true` if the system's watcher loses events of all folders whenever a folder is added or removed.
    restarts: bool,
}

impl Watcher {
    /// Creates a watcher that calls `hint` from its own thread. The watcher also works on a system that
    /// cannot watch files at all; its first hint then reports that.
    pub fn new(hint: impl Fn(WatchHint) + Send + 'static) -> Self {
        // With FSEvents, `notify` ends the stream of events and starts another one.
        let restarts = RecommendedWatcher::kind() == WatcherKind::Fsevent;
        let shared = Arc::new(Shared { restarts, ..Shared::default() });
        let listener = Arc::downgrade(&shared);
        let handler = move |event| {
            if let Some(shared) = listener.upgrade() {
                shared.record_event(event);
            }
        };
        match RecommendedWatcher::new(handler, Config::default().with_follow_symlinks(false)) {
            Ok(system) => *shared.system.lock() = Some(system),
            Err(error) => shared.state.lock().record_problem(&error),
        }
        let sender = shared.clone();
        let spawned = thread::Builder::new().name("watch".into()).spawn(move || sender.send_hints(&hint));
        drop(spawned); // Without the thread there are no hints, which is what hints may do.
        Self { shared }
    }

    /// Watches a file by its canonical path, whether or not it exists. Watches are counted: a file watched
    /// twice needs two calls of [`Watcher::unwatch`].
    pub fn watch(&self, path: &Path) {
        let Some(folder) = path.parent() else { return };
        let mut system = self.shared.system.lock();
        if self.shared.state.lock().add(path, folder) {
            self.shared.watch_folder(system.as_mut(), folder);
        }
    }

    /// Ends one watch of a file.
    pub fn unwatch(&self, path: &Path) {
        let Some(folder) = path.parent() else { return };
        let mut system = self.shared.system.lock();
        let last = self.shared.state.lock().remove(path, folder);
        if let (true, Some(system)) = (last, system.as_mut()) {
            // The watch may already be lost; then there is nothing to end.
            self.shared.request(|| system.unwatch(folder).ok());
        }
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.shared.state.lock().ended = true;
        self.shared.wake.notify_all();
        self.shared.end_rest.notify_all();
        // The system's thread does not wait for any of ours, so this returns at once.
        drop(self.shared.system.lock().take());
    }
}

impl Shared {
    /// Records an event on the system's thread, then lets further events accumulate.
    fn record_event(&self, event: notify::Result<Event>) {
        let mut state = self.state.lock();
        match event {
            Ok(event) => state.record(&event),
            Err(error) => {
                state.record_problem(&error);
                state.rescan = true;
            }
        }
        if state.has_news() {
            self.wake.notify_all();
        }
        if state.rested.is_none_or(|at| at.elapsed() >= TOGETHER) {
            let until = Instant::now() + REST;
            while !state.ended
                && state.requesting == 0
                && !self.end_rest.wait_until(&mut state, until).timed_out()
            {}
            state.rested = Some(Instant::now());
        }
    }

    /// Adds or removes a folder on the system's thread, which does not rest in the meantime.
    fn request<T>(&self, ask: impl FnOnce() -> T) -> T {
        self.state.lock().requesting += 1;
        self.end_rest.notify_all();
        let answer = ask();
        let mut state = self.state.lock();
        state.requesting -= 1;
        if self.restarts {
            state.rescan = true;
            self.wake.notify_all();
        }
        answer
    }

    /// On the watcher's own thread: waits for news, lets them accumulate, and sends the hints.
    fn send_hints(&self, hint: &impl Fn(WatchHint)) {
        while self.wait() {
            thread::sleep(QUIET);
            let hints = self.state.lock().take_hints();
            hints.into_iter().for_each(hint);
        }
    }

    /// Waits for news; returns `false` at the end. Retries missing folders while waiting.
    fn wait(&self) -> bool {
        let mut state = self.state.lock();
        while !state.ended && !state.has_news() {
            if state.lost.is_empty() {
                self.wake.wait(&mut state);
            } else if self.wake.wait_for(&mut state, RETRY).timed_out() {
                drop(state);
                self.retry_lost();
                state = self.state.lock();
            }
        }
        !state.ended
    }

    fn retry_lost(&self) {
        let mut system = self.system.lock();
        let lost = self.state.lock().lost.clone();
        for folder in lost {
            // Any remaining watch refers to an inode that is no longer this folder.
            self.request(|| system.as_mut().map(|system| system.unwatch(&folder).ok()));
            if self.watch_folder(system.as_mut(), &folder) {
                self.state.lock().mark_folder(&folder);
            }
        }
    }

    /// Asks the system to watch a folder; records it as lost if that fails.
    fn watch_folder(&self, system: Option<&mut RecommendedWatcher>, folder: &Path) -> bool {
        let watch = |system: &mut RecommendedWatcher| system.watch(folder, RecursiveMode::NonRecursive);
        let result = self.request(|| system.map(watch));
        let mut state = self.state.lock();
        match result {
            Some(Ok(())) => {
                state.lost.remove(folder);
                return true;
            }
            Some(Err(error)) => {
                state.lost.insert(folder.to_owned());
                // A folder that does not exist yet is not worth a warning.
                if !is_missing(&error) {
                    state.record_problem(&error);
                }
            }
            // Already reported: this system cannot watch files.
            None => {}
        }
        self.wake.notify_all();
        false
    }
}

/// Watched files, and pending news.
#[derive(Default)]
struct State {
    /// Number of watches of each file.
    files: HashMap<PathBuf, usize>,
    /// Number of watched files in each folder.
    folders: HashMap<PathBuf, usize>,
    /// Folders that should be watched but are not: missing, or above the system's limit.
    lost: BTreeSet<PathBuf>,
    changed: HashSet<PathBuf>,
    rescan: bool,
    problem: Option<String>,
    problem_reported: bool,
    ended: bool,
    /// Number of threads that wait for the system's thread.
    requesting: usize,
    /// End of the last rest of the system's thread.
    rested: Option<Instant>,
}

impl State {
    /// Counts a file; returns `true` if its folder is new.
    fn add(&mut self, path: &Path, folder: &Path) -> bool {
        count_up(&mut self.files, path) && count_up(&mut self.folders, folder)
    }

    /// Uncounts a file; returns `true` if its folder is no longer needed.
    fn remove(&mut self, path: &Path, folder: &Path) -> bool {
        let is_last = count_down(&mut self.files, path) && count_down(&mut self.folders, folder);
        is_last && !self.lost.remove(folder)
    }

    /// Records, once, that watching is incomplete.
    fn record_problem(&mut self, error: &notify::Error) {
        if !self.problem_reported {
            self.problem_reported = true;
            self.problem = Some(error.to_string());
        }
    }

    /// Marks all files of a folder as changed.
    fn mark_folder(&mut self, folder: &Path) {
        let within = self.files.keys().filter(|path| path.parent() == Some(folder));
        self.changed.extend(within.cloned());
    }

    fn mark(&mut self, path: &Path) {
        if self.files.contains_key(path) {
            self.changed.insert(path.to_owned());
        }
    }

    /// Marks the files that an event affects.
    fn record(&mut self, event: &Event) {
        self.rescan |= event.need_rescan();
        // Closing a file after writing counts, because it ends a long write.
        if let EventKind::Access(access) = event.kind
            && access != AccessKind::Close(AccessMode::Write)
        {
            return;
        }
        for path in &event.paths {
            let gone = matches!(event.kind, EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_)));
            if gone && self.folders.contains_key(path) {
                self.lost.insert(path.clone());
                self.mark_folder(path);
            }
            self.mark(path);
        }
    }

    fn has_news(&self) -> bool {
        self.rescan || !self.changed.is_empty() || self.problem.is_some()
    }

    /// Takes the pending hints, in order.
    fn take_hints(&mut self) -> Vec<WatchHint> {
        let changed = std::mem::take(&mut self.changed);
        let rescan = std::mem::take(&mut self.rescan) || changed.len() > MAX_NAMED;
        let problem = self.problem.take().map(WatchHint::Degraded);
        let news = if rescan {
            Some(WatchHint::Rescan)
        } else if changed.is_empty() {
            None
        } else {
            Some(WatchHint::Changed(changed.into_iter().collect()))
        };
        problem.into_iter().chain(news).collect()
    }
}

/// Increments a count; returns `true` if it was zero.
fn count_up(counts: &mut HashMap<PathBuf, usize>, path: &Path) -> bool {
    let count = counts.entry(path.to_owned()).or_default();
    *count += 1;
    *count == 1
}

/// Decrements a count; returns `true` if it reached zero.
fn count_down(counts: &mut HashMap<PathBuf, usize>, path: &Path) -> bool {
    let Some(count) = counts.get_mut(path) else { return false };
    *count -= 1;
    let is_zero = *count == 0;
    if is_zero {
        counts.remove(path);
    }
    is_zero
}

fn is_missing(error: &notify::Error) -> bool {
    match &error.kind {
        ErrorKind::PathNotFound => true,
        ErrorKind::Io(source) => source.kind() == std::io::ErrorKind::NotFound,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use notify::event::Flag;

    fn hints_after(events: Vec<notify::Result<Event>>) -> Vec<WatchHint> {
        let shared = Shared::default();
        for event in events {
            shared.record_event(event);
        }
        shared.state.into_inner().take_hints()
    }

    #[test]
    fn lost_events_cause_a_rescan() {
        let overflow = Event::new(EventKind::Other).set_flag(Flag::Rescan);
        assert_eq!(hints_after(vec![Ok(overflow)]), [WatchHint::Rescan]);
    }

    #[test]
    fn a_watcher_that_restarts_causes_a_rescan() {
        for restarts in [false, true] {
            let shared = Shared { restarts, ..Shared::default() };
            shared.request(|| ());
            assert_eq!(shared.state.lock().has_news(), restarts);
        }
    }

    #[test]
    fn an_exhausted_limit_is_reported_once() {
        let full = || Err(notify::Error::new(ErrorKind::MaxFilesWatch));
        let hints = hints_after(vec![full(), full()]);
        assert!(matches!(&hints[..], [WatchHint::Degraded(_), WatchHint::Rescan]), "{hints:?}");
    }

    #[test]
    fn too_many_files_become_one_hint() {
        let mut state = State::default();
        for number in 0..=MAX_NAMED {
            let path = PathBuf::from(format!("/folder/{number}"));
            state.add(&path, Path::new("/folder"));
            state.mark(&path);
        }
        assert_eq!(state.take_hints(), [WatchHint::Rescan]);
        assert!(state.take_hints().is_empty());
    }
}
