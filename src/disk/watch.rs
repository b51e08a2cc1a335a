//! Hints that files may have changed. Never more than hints: events get lost, come late, or never come
//! (memory maps, remote file systems), so nothing is decided by them.
//!
//! What is watched is the folder of a file: a watch on the file itself would end with the first save
//! that replaces it.

mod state;

use notify::{Config, ErrorKind, Event, RecommendedWatcher, RecursiveMode, Watcher as _};
use parking_lot::{Condvar, Mutex, MutexGuard};
use state::{State, take_note};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// How long hints are gathered before they are given: a save is several events, a checkout thousands.
const QUIET: Duration = Duration::from_millis(20);

/// How long the system's thread leaves events with the system before it takes the next ones: a change of a file
/// is some seven, and to be woken for each of them took a sixth of all the daemon's time.
const REST: Duration = Duration::from_millis(20);

/// Events that are heard so soon after a rest were there when it ended.
const TOGETHER: Duration = Duration::from_millis(2);

/// How long until a folder that disappeared is looked for again.
const RETRY: Duration = Duration::from_secs(1);

/// Files named in one hint. Above it, saying "look at everything" is cheaper than the list.
const MAX_NAMED: usize = 4096;

/// What the watcher has to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WatchHint {
    /// These watched files may have changed, appeared or gone.
    Changed(Vec<PathBuf>),
    /// Any watched file may have changed: events were lost, or there were too many.
    Rescan,
    /// Some files cannot be watched, for this reason; said once.
    Degraded(String),
}

/// Watches the folders of files. Hints are given on a thread of its own, which ends with the watcher.
pub struct Watcher {
    shared: Arc<Shared>,
}

/// Two locks, never one inside the other except `system` before `state`: the system's thread takes
/// `state` in every event, and `system` waits for that thread.
#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    /// Wakes the watcher's own thread.
    wake: Condvar,
    /// Ends the rest of the system's thread.
    hurry: Condvar,
    system: Mutex<Option<RecommendedWatcher>>,
}

impl fmt::Debug for Watcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.shared.state.lock();
        f.debug_struct("Watcher").field("folders", &state.folders.len()).finish_non_exhaustive()
    }
}

impl Watcher {
    /// A watcher that calls `hint` from its own thread. Where the system offers no watching at all the
    /// watcher works too, and says so in its first hint.
    pub fn new(hint: impl Fn(WatchHint) + Send + 'static) -> Self {
        let shared = Arc::new(Shared::default());
        let listener = Arc::downgrade(&shared);
        let heard = move |event| {
            if let Some(shared) = listener.upgrade() {
                shared.hear(event);
            }
        };
        match RecommendedWatcher::new(heard, Config::default().with_follow_symlinks(false)) {
            Ok(system) => *shared.system.lock() = Some(system),
            Err(error) => shared.state.lock().complain(&error),
        }
        let teller = shared.clone();
        let spawned = thread::Builder::new().name("watch".into()).spawn(move || teller.tell(&hint));
        drop(spawned); // Without the thread there are no hints, which is what hints may do.
        Self { shared }
    }

    /// Watches a file by its canonical path, whether or not it exists. Counted: a file watched twice
    /// needs two calls of [`Watcher::unwatch`].
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
            // It may have been lost before; then there is nothing to end.
            self.shared.attended(|| system.unwatch(folder).ok());
        }
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.shared.state.lock().ended = true;
        self.shared.wake.notify_all();
        self.shared.hurry.notify_all();
        // Its thread waits for no one of ours, so this ends at once.
        drop(self.shared.system.lock().take());
    }
}

impl Shared {
    /// On the system's thread: takes note, and lets the next events gather.
    fn hear(&self, event: notify::Result<Event>) {
        let mut state = self.state.lock();
        match event {
            Ok(event) => take_note(&mut state, &event),
            Err(error) => {
                state.complain(&error);
                state.rescan = true;
            }
        }
        if state.has_news() {
            self.wake.notify_all();
        }
        self.rest(&mut state);
    }

    fn rest(&self, state: &mut MutexGuard<'_, State>) {
        if state.rested.is_some_and(|at| at.elapsed() < TOGETHER) {
            return;
        }
        let until = Instant::now() + REST;
        while !state.ended && state.asking == 0 && !self.hurry.wait_until(state, until).timed_out() {}
        state.rested = Some(Instant::now());
    }

    /// Has the system's thread do something: it does not rest meanwhile.
    fn attended<T>(&self, ask: impl FnOnce() -> T) -> T {
        self.state.lock().asking += 1;
        self.hurry.notify_all();
        let answer = ask();
        self.state.lock().asking -= 1;
        answer
    }

    /// On the watcher's own thread: waits for news, lets them gather, tells them.
    fn tell(&self, hint: &impl Fn(WatchHint)) {
        while self.wait() {
            thread::sleep(QUIET);
            let hints = self.state.lock().take_hints();
            hints.into_iter().for_each(hint);
        }
    }

    /// Waits for news; `false` at the end. Meanwhile looks for folders that have come back.
    fn wait(&self) -> bool {
        let mut state = self.state.lock();
        while !state.ended && !state.has_news() {
            if state.lost.is_empty() {
                self.wake.wait(&mut state);
            } else if self.wake.wait_for(&mut state, RETRY).timed_out() {
                drop(state);
                self.find_lost();
                state = self.state.lock();
            }
        }
        !state.ended
    }

    fn find_lost(&self) {
        let mut system = self.system.lock();
        let lost = self.state.lock().lost.clone();
        for folder in lost {
            // Whatever watch is left leads to an inode that is not that folder any more.
            self.attended(|| system.as_mut().map(|system| system.unwatch(&folder).ok()));
            if self.watch_folder(system.as_mut(), &folder) {
                self.state.lock().mark_folder(&folder);
            }
        }
    }

    /// Asks the system to watch a folder; notes it as lost if it cannot.
    fn watch_folder(&self, system: Option<&mut RecommendedWatcher>, folder: &Path) -> bool {
        let watch = |system: &mut RecommendedWatcher| system.watch(folder, RecursiveMode::NonRecursive);
        let result = self.attended(|| system.map(watch));
        let mut state = self.state.lock();
        match result {
            Some(Ok(())) => {
                state.lost.remove(folder);
                return true;
            }
            Some(Err(error)) => {
                state.lost.insert(folder.to_owned());
                // A folder that does not exist yet is nothing to complain of.
                if !is_missing(&error) {
                    state.complain(&error);
                }
            }
            // Already said: there is no watching here.
            None => {}
        }
        self.wake.notify_all();
        false
    }
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
    use notify::event::{EventKind, Flag};

    fn hints_after(events: Vec<notify::Result<Event>>) -> Vec<WatchHint> {
        let shared = Shared::default();
        for event in events {
            shared.hear(event);
        }
        shared.state.into_inner().take_hints()
    }

    #[test]
    fn lost_events_ask_for_a_look_at_everything() {
        let overflow = Event::new(EventKind::Other).set_flag(Flag::Rescan);
        assert_eq!(hints_after(vec![Ok(overflow)]), [WatchHint::Rescan]);
    }

    #[test]
    fn an_exhausted_limit_is_said_once() {
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
