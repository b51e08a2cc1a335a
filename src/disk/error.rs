//! Errors of file system operations.

use rustix::io::Errno;
use std::io;
use std::path::{Path, PathBuf};

/// Result of a disk operation.
pub type Result<T> = std::result::Result<T, DiskError>;

/// Kind of error, as far as callers distinguish it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DiskErrorKind {
    /// The path, or a symlink on it, leads out of the root.
    #[error("leads outside the root")]
    OutsideRoot,
    /// A required file or folder does not exist.
    #[error("does not exist")]
    NotFound,
    /// The path exists but is not a regular file.
    #[error("is not a file but {what}")]
    NotAFile {
        /// Description of the object, worded to follow "but".
        what: &'static str,
    },
    /// This process lacks the permission.
    #[error("permission denied")]
    PermissionDenied,
    /// The file must not be changed: it has no write permission, is immutable or append-only, or lies on a
    /// read-only file system.
    #[error("is read-only")]
    ReadOnly,
    /// The file is larger than the caller's limit.
    #[error("has {size} bytes, more than the limit of {limit}")]
    TooLarge {
        /// Size of the file, in bytes.
        size: u64,
        /// The caller's limit, in bytes.
        limit: u64,
    },
    /// The file system is full.
    #[error("no space left on the file system")]
    NoSpace {
        /// Bytes that the write needed, where known.
        required: Option<u64>,
        /// Bytes that an ordinary user could still write, where known.
        available: Option<u64>,
    },
    /// The name is taken.
    #[error("already exists")]
    Exists,
    /// The file is not what the change was made for.
    #[error("has changed")]
    Changed,
    /// The file or its folders changed again and again while editd read them.
    #[error("keeps changing while it is read")]
    Unstable,
    /// A component is longer than the file system allows.
    #[error("has a name that is too long")]
    NameTooLong,
    /// No file can have this name: it contains a NUL byte.
    #[error("has an invalid name")]
    InvalidName,
    /// The symlinks form a loop.
    #[error("is a loop of symlinks")]
    Loop,
    /// The file is in use in a way that forbids the change (a mount point, a running program).
    #[error("is busy")]
    Busy,
    /// An earlier transaction on the file could not be finished or rolled back yet.
    #[error("waits for transaction {transaction} to be rolled back")]
    Recovering {
        /// Id of the transaction in the journal.
        transaction: String,
    },
    /// Any other error; `errno` has the details.
    #[error("input/output error")]
    Io,
}

/// A failed operation on a path.
#[derive(Debug, thiserror::Error)]
#[error("cannot {operation} {}: {kind}", path.display())]
pub struct DiskError {
    /// Kind of failure.
    pub kind: DiskErrorKind,
    /// The attempted operation, as a verb phrase that follows "cannot".
    pub operation: &'static str,
    /// The path of the operation, as canonical as it was known by then.
    pub path: PathBuf,
    /// The system's error number, if a system call failed.
    pub errno: Option<i32>,
    /// The system's error.
    #[source]
    pub source: Option<io::Error>,
}

impl DiskError {
    /// Creates an error for a check that editd itself made, without a failed system call.
    pub fn new(kind: DiskErrorKind, operation: &'static str, path: &Path) -> Self {
        Self { kind, operation, path: path.to_owned(), errno: None, source: None }
    }

    /// Creates the error for a failed system call.
    pub(super) fn from_errno(errno: Errno, operation: &'static str, path: &Path) -> Self {
        let (number, source) = (Some(errno.raw_os_error()), Some(errno.into()));
        Self { errno: number, source, ..Self::new(kind_of(errno), operation, path) }
    }

    /// Returns the error with another kind.
    pub(super) fn with_kind(mut self, kind: DiskErrorKind) -> Self {
        self.kind = kind;
        self
    }
}

/// Turns the error number of a failed system call into a [`DiskError`].
pub(super) trait ErrnoContext<T> {
    /// Adds the attempted operation, as a verb phrase that follows "cannot", and its path.
    fn context(self, operation: &'static str, path: &Path) -> Result<T>;
}

impl<T> ErrnoContext<T> for std::result::Result<T, Errno> {
    fn context(self, operation: &'static str, path: &Path) -> Result<T> {
        self.map_err(|errno| DiskError::from_errno(errno, operation, path))
    }
}

/// Returns the error number of a failed input or output, [`Errno::IO`] if it has none.
pub(super) fn errno_of(error: &io::Error) -> Errno {
    Errno::from_io_error(error).unwrap_or(Errno::IO)
}

/// Returns the default kind of an error number, for calls that do not know a more specific one.
fn kind_of(errno: Errno) -> DiskErrorKind {
    match errno {
        Errno::NOENT => DiskErrorKind::NotFound,
        Errno::ACCESS | Errno::PERM => DiskErrorKind::PermissionDenied,
        Errno::ROFS => DiskErrorKind::ReadOnly,
        Errno::NOSPC | Errno::DQUOT => DiskErrorKind::NoSpace { required: None, available: None },
        Errno::EXIST | Errno::NOTEMPTY => DiskErrorKind::Exists,
        Errno::NAMETOOLONG => DiskErrorKind::NameTooLong,
        Errno::LOOP => DiskErrorKind::Loop,
        Errno::BUSY | Errno::TXTBSY => DiskErrorKind::Busy,
        Errno::ISDIR => DiskErrorKind::NotAFile { what: "a folder" },
        Errno::NOTDIR => DiskErrorKind::NotAFile { what: "a path through a file" },
        Errno::NXIO => DiskErrorKind::NotAFile { what: "a socket or a device" },
        _ => DiskErrorKind::Io,
    }
}
