//! The changes that a commit applies, on resolved targets.

use crate::{DiskError, FileBytes, FileImage, Handle, Stat, Target};
use editd_text::ContentHash;
use editd_workspace::NewMode;
use std::path::{Path, PathBuf};

/// The file state that a change requires.
#[derive(Clone, Debug)]
pub struct Expected {
    /// State in which the caller read the file.
    pub stat: Stat,
    /// Bytes that the caller read; compared only if the state alone does not prove them unchanged.
    pub bytes: FileBytes,
    /// Hash of those bytes.
    pub hash: ContentHash,
    /// The file that was read, if it is still open, so that it need not be opened again.
    pub handle: Option<Handle>,
}

impl Expected {
    /// Expects the file as it was read.
    pub fn image(image: &FileImage) -> Self {
        let hash = ContentHash::of(&image.bytes);
        let handle = Some(image.handle.clone());
        Self { stat: image.stat, bytes: image.bytes.clone().into(), hash, handle }
    }
}

/// The change of one file in a set.
#[derive(Clone, Debug)]
pub enum Change {
    /// Replaces the content of an existing file and keeps everything else.
    Replace {
        /// The file.
        target: Target,
        /// Whole new content.
        content: FileBytes,
        /// Required state of the file.
        expect: Expected,
    },
    /// Creates a file that does not exist; missing folders are created.
    Create {
        /// Location of the file.
        target: Target,
        /// Whole content.
        content: FileBytes,
        /// Permission bits.
        mode: NewMode,
    },
    /// Deletes a file.
    Delete {
        /// The file.
        target: Target,
        /// Required state of the file.
        expect: Expected,
    },
    /// Renames a file to a free name; missing folders are created.
    Rename {
        /// The file.
        from: Target,
        /// New location.
        to: Target,
        /// Required state of the file.
        expect: Expected,
        /// Whole new content, if the file is edited together with the rename.
        content: Option<FileBytes>,
    },
}

impl Change {
    /// Location of the file after the change, or before its deletion.
    pub(super) fn destination(&self) -> &Target {
        match self {
            Self::Replace { target, .. } | Self::Create { target, .. } | Self::Delete { target, .. } => {
                target
            }
            Self::Rename { to, .. } => to,
        }
    }

    /// Returns `true` if a displaced file takes up space on the file system of this change.
    pub fn needs_space_of(&self, displaced: &Displaced) -> bool {
        self.destination().root.has_device_of(&displaced.stat)
    }

    /// Paths of the affected files.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        let former = if let Self::Rename { from, .. } = self { Some(from) } else { None };
        former.into_iter().chain([self.destination()]).map(|target| target.path.as_path())
    }
}

/// Durability that a commit guarantees once it has returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Durability {
    /// The change survives the end of this process. A power cut may revert it and leave the old file; of
    /// several files, some may then be old and some new.
    Process,
    /// The change survives a power cut.
    Full,
}

/// Result of one committed change.
#[derive(Clone, Debug)]
pub struct Committed {
    /// Current state of the file; `None` for a deleted file, or if its state could not be read.
    pub stat: Option<Stat>,
    /// Current or former path of the file.
    pub path: PathBuf,
    /// A staged or displaced file that could not be removed. It is harmless and named in the log.
    pub leftover: Option<PathBuf>,
    /// The previous file, still open, for a [later check](super::DisplacedFileMonitor). Closing it frees its
    /// space, which can take as long as writing it did, so do not make a client wait for that.
    pub displaced: Option<Displaced>,
}

/// A file that lost its name, held open.
#[derive(Clone, Debug)]
pub struct Displaced {
    /// The file.
    pub handle: Handle,
    /// Former path of the file.
    pub path: PathBuf,
    /// State of the file when it was displaced.
    pub stat: Stat,
    /// Hash of the content at that time, if known.
    pub hash: Option<ContentHash>,
}

/// Error of a set of changes that was not applied.
#[derive(Debug, thiserror::Error)]
#[error("{error}")]
pub struct CommitError {
    /// Cause.
    #[source]
    pub error: DiskError,
    /// Index of the change that failed.
    pub change: usize,
    /// Files that could not be restored or removed; empty if everything is as it was before.
    pub not_undone: Vec<DiskError>,
    /// Files of editd that briefly had their final names, still open: another program may have found and
    /// written them.
    pub displaced: Vec<Displaced>,
}

impl CommitError {
    /// Creates the error of a change, when nothing was changed yet.
    pub(super) fn new(change: usize, error: DiskError) -> Self {
        Self { error, change, not_undone: Vec::new(), displaced: Vec::new() }
    }

    /// Returns `true` if everything is as it was before the commit began.
    pub fn rolled_back(&self) -> bool {
        self.not_undone.is_empty()
    }
}
