//! A final check of files that have lost their name.
//!
//! A program that opened a file before it was displaced can still write into it afterwards, and nothing would
//! ever read that write. Displaced files are therefore held open a little longer and checked again, and
//! unexpected content is rescued.

use crate::{Disk, Displaced, LossReason, Rescue};
use editd_text::ContentHash;
use parking_lot::Mutex;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// Time for which a displaced file is held: programs that save open, write and close within milliseconds.
const HELD_FOR: Duration = Duration::from_secs(1);
/// Pause between two checks. A client that changes many files, or one file repeatedly, displaces a file every
/// few milliseconds, and a wake-up for each takes longer than the check.
const REST: Duration = Duration::from_millis(100);
/// Maximum number and total size in bytes of the files held for one owner: they take up descriptors, and space on
/// their disk. Beyond it, the oldest of the owner are checked early.
const OWN: Limit = Limit { files: 256, bytes: 64 << 20 };
/// Maximum number and total size in bytes of all files held. Beyond it, the oldest of the owner with the most files are
/// checked early, so that no owner loses the check of few files by the many of another.
const ALL: Limit = Limit { files: 2048, bytes: 512 << 20 };
/// Maximum size up to which the content is compared, in bytes; for larger files the state has to suffice.
const COMPARED: u64 = 64 << 10;

/// Checks displaced files once more, on its own thread.
pub struct DisplacedFileMonitor {
    shared: Arc<Shared>,
    wake: Sender<()>,
}

/// State shared with the thread.
struct Shared {
    disk: Arc<dyn Disk>,
    rescue: Arc<dyn Rescue>,
    held: Mutex<HeldFiles>,
}

/// The files held for all owners.
#[derive(Default)]
struct HeldFiles {
    owners: HashMap<String, Held>,
    sum: Sum,
}

/// The files held for one owner, the oldest first.
#[derive(Default)]
struct Held {
    files: VecDeque<(Instant, Displaced)>,
    sum: Sum,
}

/// Number and total size of files.
#[derive(Clone, Copy, Default)]
struct Sum {
    files: usize,
    bytes: u64,
}

struct Limit {
    files: usize,
    bytes: u64,
}

impl DisplacedFileMonitor {
    /// Starts the thread, which ends when the monitor is dropped.
    pub fn start(disk: Arc<dyn Disk>, rescue: Arc<dyn Rescue>) -> std::io::Result<Self> {
        let (wake, woken) = channel();
        let shared = Arc::new(Shared { disk, rescue, held: Mutex::default() });
        let worker = shared.clone();
        std::thread::Builder::new().name("displaced-files".to_owned()).spawn(move || worker.run(&woken))?;
        Ok(Self { shared, wake })
    }

    /// Takes a file that was displaced for an owner, the session of an author, and checks it a little later.
    pub fn hold(&self, owner: &str, displaced: Displaced) {
        let wake = self.shared.held.lock().add(owner, displaced);
        // Otherwise the thread wakes up by itself in time. A send only fails when the monitor ends.
        if wake {
            let _ = self.wake.send(());
        }
    }

    /// Checks and releases files now, because a client needs the space that they take up.
    pub fn check_now(&self, is_needed: impl Fn(&Displaced) -> bool) {
        let files = self.shared.held.lock().take_all(is_needed);
        for displaced in &files {
            self.shared.recheck(displaced);
        }
    }
}

impl Drop for DisplacedFileMonitor {
    fn drop(&mut self) {
        self.check_now(|_| true);
    }
}

impl Shared {
    fn run(&self, woken: &Receiver<()>) {
        loop {
            let wait = self.held.lock().wait();
            let ended = match wait {
                Some(wait) => woken.recv_timeout(wait) == Err(RecvTimeoutError::Disconnected),
                None => woken.recv().is_err(),
            };
            if ended {
                return;
            }
            loop {
                let due = self.held.lock().take_due();
                if due.is_empty() {
                    break;
                }
                for displaced in &due {
                    self.recheck(displaced);
                }
            }
        }
    }

    /// Rescues the content if it is not the content that was displaced.
    fn recheck(&self, displaced: &Displaced) {
        let Displaced { handle, path, stat, hash } = displaced;
        let Ok(now) = self.disk.stat_held(handle, path) else { return };
        let untouched = now.size == stat.size && now.mtime == stat.mtime;
        if untouched && (now.size > COMPARED || hash.is_none()) {
            return;
        }
        let Ok(image) = self.disk.read_held(handle, path, u64::MAX) else { return };
        if *hash == Some(ContentHash::of(&image.bytes)) {
            return;
        }
        let path = path.display();
        match self.rescue.keep(&displaced.path, &image.bytes, LossReason::Displaced) {
            Ok(()) => tracing::warn!(%path, "a text that a program wrote into a replaced file was rescued"),
            Err(error) => {
                tracing::error!(%path, %error, "a text that a program wrote into a replaced file is lost");
            }
        }
    }
}

impl Sum {
    fn add(&mut self, displaced: &Displaced) {
        self.files += 1;
        self.bytes += displaced.stat.size;
    }

    fn subtract(&mut self, displaced: &Displaced) {
        self.files -= 1;
        self.bytes = self.bytes.saturating_sub(displaced.stat.size);
    }

    /// Returns `true` if the files exceed this part of a limit.
    fn exceeds(&self, limit: &Limit, divisor: usize) -> bool {
        self.files > limit.files / divisor || self.bytes > limit.bytes / divisor as u64
    }
}

impl Held {
    /// Removes the oldest file, if there is one.
    fn take(&mut self, all: &mut Sum) -> Option<Displaced> {
        let (_, displaced) = self.files.pop_front()?;
        self.sum.subtract(&displaced);
        all.subtract(&displaced);
        Some(displaced)
    }
}

impl HeldFiles {
    /// Adds a file. Returns `true` if the thread has to wake up for it.
    fn add(&mut self, owner: &str, displaced: Displaced) -> bool {
        self.sum.add(&displaced);
        let is_first = self.sum.files == 1;
        let held = match self.owners.get_mut(owner) {
            Some(held) => held,
            None => self.owners.entry(owner.to_owned()).or_default(),
        };
        held.sum.add(&displaced);
        held.files.push_back((Instant::now(), displaced));
        is_first || held.sum.exceeds(&OWN, 1) || self.sum.exceeds(&ALL, 1)
    }

    /// Time until the next file is due, or a little longer.
    fn wait(&self) -> Option<Duration> {
        let oldest = self.owners.values().filter_map(|held| held.files.front()).map(|(since, _)| since).min();
        oldest.map(|since| HELD_FOR.saturating_sub(since.elapsed()).max(REST))
    }

    /// Removes and returns the files that `is_it` selects.
    fn take_all(&mut self, is_it: impl Fn(&Displaced) -> bool) -> Vec<Displaced> {
        let mut taken = Vec::new();
        for held in self.owners.values_mut() {
            for (since, displaced) in std::mem::take(&mut held.files) {
                if is_it(&displaced) {
                    held.sum.subtract(&displaced);
                    self.sum.subtract(&displaced);
                    taken.push(displaced);
                } else {
                    held.files.push_back((since, displaced));
                }
            }
        }
        self.owners.retain(|_, held| !held.files.is_empty());
        taken
    }

    /// Removes and returns files that are due, or that are too many. Of those, so many are removed that not every
    /// further file wakes the thread.
    fn take_due(&mut self) -> Vec<Displaced> {
        let (owners, all) = (&mut self.owners, &mut self.sum);
        let mut due = Vec::new();
        for held in owners.values_mut() {
            while held.files.front().is_some_and(|(since, _)| since.elapsed() >= HELD_FOR) {
                due.extend(held.take(all));
            }
            let thin_out = held.sum.exceeds(&OWN, 1);
            while thin_out && held.sum.exceeds(&OWN, 2) {
                due.extend(held.take(all));
            }
        }
        owners.retain(|_, held| !held.files.is_empty());
        while all.exceeds(&ALL, 1) {
            let most = owners.values_mut().max_by_key(|held| (held.sum.files, held.sum.bytes));
            let Some(most) = most else { break };
            // The half of the owner with the most.
            for _ in 0..most.sum.files.div_ceil(2) {
                due.extend(most.take(all));
            }
        }
        due
    }
}
