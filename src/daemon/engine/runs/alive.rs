//! The time at which the daemon was last alive while a run was open. After a daemon was killed, it tells which changes
//! the command may have made, and which ones it may not have made.

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::engine::Engine;
use crate::engine::jobs::blocking;
use crate::engine::runs::Runs;
use editd_disk::{MTime, make_private_folder, read_private_file, replace_private_file};

/// Name of the file beside those of the open runs.
const NAME: &str = "alive";
/// Time between two beats while a run is open.
const BEAT: Duration = Duration::from_millis(250);

impl Runs {
    /// Stores the current time.
    pub(super) fn beat(&self) {
        self.began.notify_one();
        let MTime { seconds, nanos } = editd_disk::time::file_clock();
        let path = self.files.join(NAME);
        let text = format!("{seconds} {nanos}");
        let written = make_private_folder(&self.files).and_then(|()| {
            replace_private_file((&path.with_extension("part"), &path), [text.as_bytes()], false)
        });
        if let Err(error) = written {
            tracing::warn!(%error, "the time of open runs cannot be stored");
        }
    }
}

/// Removes and returns the time at which an earlier daemon was last alive. A time in the future proves nothing.
pub(super) fn take(files: &Path) -> Option<MTime> {
    make_private_folder(files).ok()?;
    let path = files.join(NAME);
    let text = String::from_utf8(read_private_file(&path).ok()?).ok()?;
    if let Err(error) = fs::remove_file(&path) {
        tracing::warn!(%error, "the time of earlier runs cannot be removed");
    }
    let (seconds, nanos) = text.split_once(' ')?;
    let time = MTime { seconds: seconds.parse().ok()?, nanos: nanos.parse().ok()? };
    let now = editd_disk::time::file_clock();
    ((time.seconds, time.nanos) <= (now.seconds, now.nanos)).then_some(time)
}

impl Engine {
    /// Stores the time again and again while a run is open, until the daemon stops.
    pub(crate) async fn beat_for_runs(self) {
        loop {
            let pause = async {
                if self.runs.is_idle() {
                    self.runs.began.notified().await;
                }
                tokio::time::sleep(BEAT).await;
            };
            tokio::select! {
                () = pause => {}
                () = self.stopped.cancelled() => return,
            }
            let engine = self.clone();
            if !self.runs.is_idle() && blocking(move || engine.runs.beat()).await.is_err() {
                return;
            }
        }
    }
}
