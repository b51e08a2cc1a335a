//! A final check of files that have lost their name.
//!
//! A program that opened a file before it was displaced can still write into it afterwards, and nothing would
//! ever read that write. Displaced files are therefore held open a little longer and checked again, and
//! unexpected content is rescued.

use crate::disk::{Disk, Displaced, LossReason, Rescue};
use crate::text::ContentHash;
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// Time for which a displaced file is held: programs that save open, write and close within milliseconds.
const HELD_FOR: Duration = Duration::from_secs(1);
/// Pause between two checks. A client that changes many files, or one file repeatedly, displaces a file every
/// few milliseconds, and a wake-up for each takes longer than the check.
const REST: Duration = Duration::from_millis(100);
/// Maximum number of files held; beyond it the oldest is checked early.
const MAX_HELD: usize = 256;
/// Maximum total size of the files held, in bytes: they take up space on their disk.
const MAX_HELD_BYTES: u64 = 64 << 20;
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

#[derive(Default)]
struct HeldFiles {
    files: VecDeque<(Instant, Displaced)>,
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

    /// Takes a file and checks it a little later.
    pub fn hold(&self, displaced: Displaced) {
        let mut held = self.shared.held.lock();
        held.bytes += displaced.stat.size;
        held.files.push_back((Instant::now(), displaced));
        // Otherwise the thread wakes up by itself in time. A send only fails when the monitor ends.
        let wake = held.files.len() == 1 || held.exceed(1);
        drop(held);
        if wake {
            let _ = self.wake.send(());
        }
    }

    /// Checks and releases all files now, because a client needs the space that they take up.
    pub fn check_now(&self) {
        let files = std::mem::take(&mut *self.shared.held.lock()).files;
        for (_, displaced) in &files {
            self.shared.recheck(displaced);
        }
    }
}

impl Drop for DisplacedFileMonitor {
    fn drop(&mut self) {
        self.check_now();
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
            // If there are too many files, go on until there are far fewer; otherwise every further file
            // would wake the thread.
            let thin_out = self.held.lock().exceed(1);
            loop {
                let expired = self.held.lock().take_expired(thin_out);
                let Some(expired) = expired else { break };
                self.recheck(&expired);
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

impl HeldFiles {
    /// Time until the next file is due, or a little longer.
    fn wait(&self) -> Option<Duration> {
        self.files.front().map(|(since, _)| HELD_FOR.saturating_sub(since.elapsed()).max(REST))
    }

    /// Returns `true` if the files exceed this part of what may be held.
    fn exceed(&self, divisor: u32) -> bool {
        self.files.len() > MAX_HELD / divisor as usize || self.bytes > MAX_HELD_BYTES / u64::from(divisor)
    }

    fn take_expired(&mut self, thin_out: bool) -> Option<Displaced> {
        let (since, _) = self.files.front()?;
        let stays = !self.exceed(if thin_out { 2 } else { 1 });
        if stays && since.elapsed() < HELD_FOR {
            return None;
        }
        let (_, displaced) = self.files.pop_front()?;
        self.bytes = self.bytes.saturating_sub(displaced.stat.size);
        Some(displaced)
    }
}
