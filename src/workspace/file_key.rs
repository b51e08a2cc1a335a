use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The identity of a file.
///
/// A file with one name is identified by its canonical path: an atomic replace gives it a new inode, so the
/// inode cannot be its identity. A file with several names (hard links) is only ever changed in place, so
/// its inode identifies it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FileKey {
    /// The canonical absolute path: no symlink, no `.` or `..` in it.
    Path(Arc<Path>),
    /// Device and inode of a file with more than one name.
    Inode {
        /// Number of the device.
        device: u64,
        /// Number of the inode on that device.
        inode: u64,
    },
}

impl FileKey {
    /// Returns the key of a file with one name, or of a file that does not exist yet.
    pub fn path(canonical: impl Into<PathBuf>) -> Self {
        Self::Path(canonical.into().into())
    }
}

impl fmt::Display for FileKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(path) => write!(f, "{}", path.display()),
            Self::Inode { device, inode } => write!(f, "inode {device}:{inode}"),
        }
    }
}
