use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What makes two names the same file.
///
/// A file with one name is known by its canonical path: an atomic replace gives it a new inode, so the
/// inode cannot be its identity. A file with several names (hard links) is only ever changed in place,
/// so there the inode is the identity and the names are not.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FileKey {
    /// The canonical absolute path: no symlink, no `.` or `..` in it.
    Path(Arc<Path>),
    /// Device and inode of a file with more than one name.
    Inode {
        /// The device's number.
        device: u64,
        /// The inode's number on that device.
        inode: u64,
    },
}

impl FileKey {
    /// The key of a file with one name, or of a file that does not exist yet.
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
