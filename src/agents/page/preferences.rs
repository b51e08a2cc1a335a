//! Preferences of the person. They are in the state folder, because every run of the server has another port, for
//! which a browser has stored nothing.

use std::io::{self, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use editd_disk::read_private_file;

/// Name of the file in the state folder.
const FILE: &str = "page.json";

/// Preferences that are stored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Preferences {
    layout: Layout,
}

/// Places of old and new lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Layout {
    /// Side by side.
    #[default]
    Split,
    /// Below each other.
    Unified,
}

impl Preferences {
    /// Reads the preferences. A missing or damaged file counts as the default.
    pub(super) fn read(state_dir: &Path) -> Self {
        let bytes = read_private_file(&state_dir.join(FILE)).unwrap_or_default();
        serde_json::from_slice(&bytes).unwrap_or_default()
    }

    /// Replaces the stored preferences.
    pub(super) fn write(&self, state_dir: &Path) -> io::Result<()> {
        let mut file = tempfile::NamedTempFile::new_in(state_dir)?;
        file.write_all(&serde_json::to_vec(self)?)?;
        file.persist(state_dir.join(FILE))?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn preferences_are_stored_and_damage_is_ignored() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Preferences::read(folder.path()), Preferences::default());
        let unified = Preferences { layout: Layout::Unified };
        unified.write(folder.path()).unwrap();
        assert_eq!(Preferences::read(folder.path()), unified);
        std::fs::write(folder.path().join(FILE), "{").unwrap();
        assert_eq!(Preferences::read(folder.path()), Preferences::default());
    }
}
