//! Settings files, and their content before editd was connected.

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::cli::{CliError, Context, paint};
use editd_agents::connect::Unreadable;
use editd_daemon::server::Places;
use editd_daemon::transport::folder_in_state;
use editd_disk::{read_private_file, replace_private_file};
use editd_edit::{Deadline, Labels, diff_texts};
use editd_text::ContentHash;

/// Folder in the state folder with the settings before each connection.
const CONNECTED: &str = "connected";

/// A change of a settings file. An empty text stands for a missing file.
pub(super) struct FileChange {
    pub(super) file: PathBuf,
    pub(super) before: String,
    pub(super) after: String,
}

impl FileChange {
    /// Returns the change as a unified diff.
    pub(super) fn diff(&self) -> String {
        let name = self.file.display().to_string();
        let labels = Labels::same(name.trim_start_matches('/'));
        diff_texts(&self.before, &self.after, labels, Deadline::NONE).unified
    }

    /// Writes the file. Unless it is disconnected, its text is stored first, so that it can be restored.
    pub(super) fn write(&self, context: &Context, disconnects: bool) -> Result<(), CliError> {
        let backup = Backup::of(context, &self.file);
        if !disconnects {
            backup.store(&self.before, &self.after)?;
        }
        write(&self.file, &self.before, &self.after)?;
        if disconnects {
            backup.forget();
        }
        Ok(())
    }
}

/// Returns the text of a settings file before it was connected, if it has not been changed otherwise since.
pub(super) fn restored(context: &Context, file: &Path, now: &str) -> Option<String> {
    Backup::of(context, file).restored(now)
}

/// Returns the error about a settings file that is not changed.
pub(super) fn unreadable(file: &Path, error: &Unreadable) -> CliError {
    CliError::failed(format!("`{}` was not changed, because it cannot be read: {error}", paint::path(file)))
        .with_hint("correct the file first; in its current state, the program ignores it")
}

/// Returns the text of a file, or an empty text if it does not exist.
pub(super) fn read(file: &Path) -> Result<String, CliError> {
    match fs::read_to_string(file) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(String::new()),
        text => text.map_err(|error| CliError::at(file, &error)),
    }
}

/// Replaces a settings file, or removes it if nothing is left of it. Refuses if it has changed since it was
/// read. A link stays a link.
fn write(file: &Path, before: &str, after: &str) -> Result<(), CliError> {
    let at = |error: &std::io::Error| CliError::at(file, error);
    if read(file)? != before {
        return Err(CliError::failed(format!("`{}` has changed in the meantime", paint::path(file)))
            .with_hint("run the command again"));
    }
    if after.is_empty() && !file.is_symlink() {
        return fs::remove_file(file).map_err(|error| at(&error));
    }
    // The target of a link may be missing.
    let linked = || fs::read_link(file).map(|to| file.parent().unwrap_or(Path::new(".")).join(to));
    let real = fs::canonicalize(file).or_else(|_| linked()).unwrap_or_else(|_| file.to_owned());
    let folder = real.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(|error| at(&error))?;
    let mut new = tempfile::NamedTempFile::new_in(folder).map_err(|error| at(&error))?;
    if let Ok(known) = fs::metadata(&real) {
        new.as_file().set_permissions(known.permissions()).map_err(|error| at(&error))?;
    }
    new.write_all(after.as_bytes()).and_then(|()| new.as_file().sync_all()).map_err(|error| at(&error))?;
    new.persist(&real).map_err(|error| at(&error.error))?;
    Ok(())
}

/// The text of a settings file before editd was connected, in the state folder. As long as the settings are
/// not changed otherwise, it is restored byte for byte.
struct Backup<'a> {
    places: &'a Places,
    /// Name of the file in the folder [`CONNECTED`].
    name: String,
}

impl<'a> Backup<'a> {
    fn of(context: &'a Context, file: &Path) -> Self {
        let hash = ContentHash::of(file.as_os_str().as_encoded_bytes()).to_string();
        Self { places: &context.places, name: format!("{}.json", hash.replace(':', "-")) }
    }

    fn path(&self) -> PathBuf {
        self.places.state_dir.join(CONNECTED).join(&self.name)
    }

    fn store(&self, before: &str, after: &str) -> Result<(), CliError> {
        // The settings may be those of an earlier connection.
        let first = self.restored(before);
        let before = first.as_deref().unwrap_or(before);
        let after = ContentHash::of(after.as_bytes()).to_string();
        let stored = json!({ "before": before, "after": after }).to_string();
        folder_in_state(self.places, CONNECTED)
            .and_then(|folder| {
                let path = folder.join(&self.name);
                replace_private_file((&path.with_extension("part"), &path), [stored.as_bytes()], false)
            })
            .map(drop)
            .map_err(|error| CliError::at(&self.path(), &error))
    }

    /// Returns the text before the connection, if the settings are still those that it led to.
    fn restored(&self, now: &str) -> Option<String> {
        let stored: Value = serde_json::from_slice(&read_private_file(&self.path()).ok()?).ok()?;
        let is_same = stored["after"] == ContentHash::of(now.as_bytes()).to_string();
        stored["before"].as_str().filter(|_| is_same).map(str::to_owned)
    }

    fn forget(&self) {
        // A stored text of other settings is never restored.
        let _ = fs::remove_file(self.path());
    }
}
