//! A last look at files that lost their name.
//!
//! Another program that had opened a file before it was displaced can still write into it afterwards, and
//! nobody would ever see what it wrote. So displaced files are held open a little longer, looked at once more,
//! and what does not belong there is kept.

use super::Disk;
use super::journal::{Lost, Rescue};
use super::place::Handle;
use super::stat::Stat;
use crate::text::ContentHash;
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// How long a displaced file is held: programs that save open, write and close within milliseconds.
const HELD_FOR: Duration = Duration::from_secs(1);
/// How long it rests between two looks: whoever changes many files, or one over and over, displaces one every few
/// milliseconds, and to be woken for each takes longer than the look.
const REST: Duration = Duration::from_millis(100);
/// Files held at a time; beyond it the oldest is looked at early.
const MAX_HELD: usize = 256;
/// Bytes of files held at a time: they take room on their disk.
const MAX_HELD_BYTES: u64 = 64 << 20;
/// Bytes up to which the content is compared; of larger files the state has to do.
const COMPARED: u64 = 64 << 10;

/// A file that lost its name, held open.
#[derive(Clone, Debug)]
pub struct Displaced {
    /// The file.
    pub handle: Handle,
    /// Where it stood.
    pub path: PathBuf,
    /// Its state when it was displaced.
    pub stat: Stat,
    /// Its content then, where that is known.
    pub hash: Option<ContentHash>,
}

/// Looks at displaced files once more, on a thread of its own.
pub struct LateLook {
    disk: Arc<dyn Disk>,
    rescue: Arc<dyn Rescue>,
    held: Arc<Mutex<Held>>,
    wake: Sender<()>,
}

#[derive(Default)]
struct Held {
    files: VecDeque<(Instant, Displaced)>,
    bytes: u64,
}

impl LateLook {
    /// Starts the thread; it ends with the last use of this.
    pub fn start(disk: Arc<dyn Disk>, rescue: Arc<dyn Rescue>) -> std::io::Result<Self> {
        let (wake, woken) = channel();
        let held = Arc::<Mutex<Held>>::default();
        let looker = Looker { disk: disk.clone(), rescue: rescue.clone(), held: held.clone() };
        std::thread::Builder::new().name("late-look".to_owned()).spawn(move || looker.run(&woken))?;
        Ok(Self { disk, rescue, held, wake })
    }

    /// Takes a file, to look at it a little later.
    pub fn hold(&self, displaced: Displaced) {
        let mut held = self.held.lock();
        held.bytes += displaced.stat.size;
        held.files.push_back((Instant::now(), displaced));
        // Otherwise it is awake by itself in time. It only ends with this.
        let wake = held.files.len() == 1 || held.is_crowded();
        drop(held);
        if wake {
            let _ = self.wake.send(());
        }
    }

    /// Looks at all of them now, and lets go of them: they take room that somebody needs.
    pub fn look_now(&self) {
        let files = std::mem::take(&mut *self.held.lock()).files;
        for (_, displaced) in files {
            look(&*self.disk, &*self.rescue, &displaced);
        }
    }
}

impl Drop for LateLook {
    fn drop(&mut self) {
        self.look_now();
    }
}

struct Looker {
    disk: Arc<dyn Disk>,
    rescue: Arc<dyn Rescue>,
    held: Arc<Mutex<Held>>,
}

impl Looker {
    fn run(&self, woken: &Receiver<()>) {
        loop {
            let wait = self.held.lock().wait();
            match wait.map_or_else(
                || woken.recv().map_err(|_| RecvTimeoutError::Disconnected),
                |wait| woken.recv_timeout(wait),
            ) {
                Err(RecvTimeoutError::Disconnected) => return,
                Ok(()) | Err(RecvTimeoutError::Timeout) => {}
            }
            // Where there are too many, it goes on until there are far fewer: else each one more would wake it.
            let thin_out = self.held.lock().is_crowded();
            loop {
                let due = self.held.lock().take_due(thin_out);
                let Some(due) = due else { break };
                look(&*self.disk, &*self.rescue, &due);
            }
        }
    }
}

impl Held {
    /// How long until the next one is due, or a little longer.
    fn wait(&self) -> Option<Duration> {
        self.files.front().map(|(since, _)| HELD_FOR.saturating_sub(since.elapsed()).max(REST))
    }

    fn is_crowded(&self) -> bool {
        self.files.len() > MAX_HELD || self.bytes > MAX_HELD_BYTES
    }

    fn is_thin(&self) -> bool {
        self.files.len() <= MAX_HELD / 2 && self.bytes <= MAX_HELD_BYTES / 2
    }

    fn take_due(&mut self, thin_out: bool) -> Option<Displaced> {
        let (since, _) = self.files.front()?;
        let stays = if thin_out { self.is_thin() } else { !self.is_crowded() };
        if stays && since.elapsed() < HELD_FOR {
            return None;
        }
        let (_, displaced) = self.files.pop_front()?;
        self.bytes = self.bytes.saturating_sub(displaced.stat.size);
        Some(displaced)
    }
}

/// Keeps the content if it is not what was displaced.
fn look(disk: &dyn Disk, rescue: &dyn Rescue, displaced: &Displaced) {
    let Displaced { handle, path, stat, hash } = displaced;
    let Ok(now) = disk.look_held(handle, path) else { return };
    let untouched = now.size == stat.size && now.mtime == stat.mtime;
    if untouched && (now.size > COMPARED || hash.is_none()) {
        return;
    }
    let Ok(image) = disk.read_held(handle, path, u64::MAX) else { return };
    if *hash == Some(ContentHash::of(&image.bytes)) {
        return;
    }
    match rescue.keep(path, &image.bytes, Lost::Displaced) {
        Ok(()) => {
            tracing::warn!(path = %path.display(), "what a program wrote into a file after it was replaced was kept");
        }
        Err(error) => {
            tracing::error!(path = %path.display(), %error, "what a program wrote into a replaced file is lost");
        }
    }
}
