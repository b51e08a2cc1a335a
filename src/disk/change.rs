//! What is to be changed, in resolved terms.

use super::bytes::FileBytes;
use super::error::DiskError;
use super::late::Displaced;
use super::place::{FileImage, Handle, Target};
use super::stat::Stat;
use crate::text::ContentHash;
use crate::workspace::NewMode;
use std::path::{Path, PathBuf};

/// What a file must be for a change to be meant for it.
#[derive(Clone, Debug)]
pub struct Expected {
    /// The state in which the caller read it.
    pub stat: Stat,
    /// The bytes that the caller read: compared only when the state alone does not prove them.
    pub bytes: FileBytes,
    /// The hash of those bytes.
    pub hash: ContentHash,
    /// The file that was read, if it is still open: it need not be opened once more.
    pub handle: Option<Handle>,
}

impl Expected {
    /// Expects what was read.
    pub fn image(image: &FileImage) -> Self {
        let hash = ContentHash::of(&image.bytes);
        let handle = Some(image.handle.clone());
        Self { stat: image.stat, bytes: image.bytes.clone().into(), hash, handle }
    }
}

/// One file's part of a set.
#[derive(Clone, Debug)]
pub enum Change {
    /// An existing file gets a new content and keeps all else.
    Replace {
        /// The file.
        target: Target,
        /// Its whole new content.
        content: FileBytes,
        /// What it must be.
        expect: Expected,
    },
    /// A file appears where none is; missing folders are created.
    Create {
        /// The place.
        target: Target,
        /// Its whole content.
        content: FileBytes,
        /// Its permission bits.
        mode: NewMode,
    },
    /// A file goes away.
    Delete {
        /// The file.
        target: Target,
        /// What it must be.
        expect: Expected,
    },
    /// A file takes another name, which must be free; missing folders are created.
    Rename {
        /// The file.
        from: Target,
        /// Its new place.
        to: Target,
        /// What it must be.
        expect: Expected,
        /// Its whole new content, if it is edited together with the rename.
        content: Option<FileBytes>,
    },
}

impl Change {
    /// The files that it is about.
    pub(super) fn paths(&self) -> impl Iterator<Item = &Path> {
        let (first, second) = match self {
            Self::Replace { target, .. } | Self::Create { target, .. } | Self::Delete { target, .. } => {
                (target, None)
            }
            Self::Rename { from, to, .. } => (from, Some(to)),
        };
        std::iter::once(first).chain(second).map(|target| target.path.as_path())
    }
}

/// What is promised once a commit has returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// The change survives the end of this process. A power cut may take it back, leaving the old file; of
    /// several files some may then be old and some new.
    Process,
    /// The change survives a power cut.
    Full,
}

/// What became of one change.
#[derive(Clone, Debug)]
pub struct Committed {
    /// The file's state now; none for a deleted one, or where it could not be looked at any more.
    pub stat: Option<Stat>,
    /// Where the file is now, or was.
    pub path: PathBuf,
    /// A staged or displaced file that could not be removed any more; harmless, and named in the log.
    pub leftover: Option<PathBuf>,
    /// The file that was there before, still open, for a [late look](super::LateLook). Letting go of it frees
    /// its space, which can take as long as writing it did: nobody needs to wait for that.
    pub displaced: Option<Displaced>,
}

/// A set that did not happen.
#[derive(Debug, thiserror::Error)]
#[error("{error}")]
pub struct CommitError {
    /// Why.
    #[source]
    pub error: DiskError,
    /// The index of the change that failed.
    pub change: usize,
    /// What could not be put back or removed, empty if everything is as it was before.
    pub not_undone: Vec<DiskError>,
    /// Files of ours that had their names for a moment, still open: somebody may have found and written them.
    pub displaced: Vec<Displaced>,
}

impl CommitError {
    /// Whether everything is as it was before the commit began.
    pub fn rolled_back(&self) -> bool {
        self.not_undone.is_empty()
    }
}
