//! Notices that are given once, as files in the state folder.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::path::Path;
use std::time::{Duration, SystemTime};

use editd_daemon::server::Places;
use editd_daemon::transport::folder_in_state;
use editd_text::ContentHash;

/// Age at which a notice is forgotten.
const MAX_AGE: Duration = Duration::from_secs(7 * 86_400);

/// Stores a notice. Returns `true` if it was not stored before. One that cannot be stored is given each time.
pub(super) fn give_once(places: &Places, notice: &str) -> bool {
    let Ok(folder) = folder_in_state(places, "notices") else { return true };
    forget_old(&folder);
    let name = ContentHash::of(notice.as_bytes()).to_string().replace(':', "-");
    match OpenOptions::new().write(true).create_new(true).open(folder.join(name)) {
        Ok(mut file) => {
            // An empty notice still counts as given.
            let _ = writeln!(file, "{notice}");
            true
        }
        Err(error) => error.kind() != ErrorKind::AlreadyExists,
    }
}

fn forget_old(folder: &Path) {
    let now = SystemTime::now();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let changed = entry.metadata().and_then(|metadata| metadata.modified());
        if changed.is_ok_and(|at| now.duration_since(at).is_ok_and(|age| age > MAX_AGE)) {
            // It is removed next time if that fails.
            let _ = fs::remove_file(entry.path());
        }
    }
}
