//! Why the file system said no.

use rustix::io::Errno;
use std::io;
use std::path::{Path, PathBuf};

/// Result of a disk operation.
pub type Result<T> = std::result::Result<T, DiskError>;

/// What kind of no it was, as far as a caller decides by it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DiskErrorKind {
    /// The path, or a symlink on it, leads out of the root.
    #[error("leads outside the root")]
    OutsideRoot,
    /// A file or folder that had to exist does not.
    #[error("does not exist")]
    NotFound,
    /// Something is there, but not a regular file.
    #[error("is not a file but {what}")]
    NotAFile {
        /// What it is, as words that follow "but".
        what: &'static str,
    },
    /// This process may not do that here.
    #[error("permission denied")]
    PermissionDenied,
    /// The file is marked as one not to be changed: no write permission, immutable, append-only, or on
    /// a read-only file system.
    #[error("is read-only")]
    ReadOnly,
    /// The file is larger than the caller wants to read.
    #[error("has {size} bytes, more than the limit of {limit}")]
    TooLarge {
        /// Bytes in the file.
        size: u64,
        /// Bytes the caller would take.
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
    #[error("exists already")]
    Exists,
    /// The file is not what the change was made for.
    #[error("has changed")]
    Changed,
    /// The file or its folders changed again and again while they were looked at.
    #[error("keeps changing while it is looked at")]
    Unstable,
    /// A component is longer than the file system takes.
    #[error("has a name that is too long")]
    NameTooLong,
    /// The name cannot be one of a file: it contains a NUL byte.
    #[error("has a name that no file can have")]
    InvalidName,
    /// Symlinks lead round in a circle.
    #[error("is a loop of symlinks")]
    Loop,
    /// The file is in a use that forbids the change (a mount point, a running program).
    #[error("is busy")]
    Busy,
    /// An earlier transaction on it could be neither finished nor taken back yet.
    #[error("waits for transaction {transaction} to be taken back")]
    Recovering {
        /// Its id in the journal.
        transaction: String,
    },
    /// Anything else; `errno` says more.
    #[error("input/output error")]
    Io,
}

/// A failed operation on a path.
#[derive(Debug, thiserror::Error)]
#[error("cannot {operation} {}: {kind}", path.display())]
pub struct DiskError {
    /// What kind of failure it is.
    pub kind: DiskErrorKind,
    /// What was attempted, as a verb phrase that follows "cannot".
    pub operation: &'static str,
    /// The path it was attempted on, as canonical as it was known by then.
    pub path: PathBuf,
    /// The system's error number, if a system call failed.
    pub errno: Option<i32>,
    /// The system's error.
    #[source]
    pub source: Option<io::Error>,
}

impl DiskError {
    /// An error of editd's own judgement, without a failed system call.
    pub fn new(kind: DiskErrorKind, operation: &'static str, path: &Path) -> Self {
        Self { kind, operation, path: path.to_owned(), errno: None, source: None }
    }

    /// The error for a system call that failed.
    pub(super) fn from_errno(errno: Errno, operation: &'static str, path: &Path) -> Self {
        Self {
            kind: kind_of(errno),
            operation,
            path: path.to_owned(),
            errno: Some(errno.raw_os_error()),
            source: Some(errno.into()),
        }
    }

    /// The same failure, told as another kind.
    pub(super) fn with_kind(mut self, kind: DiskErrorKind) -> Self {
        self.kind = kind;
        self
    }
}

/// The kind that an error number means wherever the place of the call does not tell better.
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
