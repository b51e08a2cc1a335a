//! File state as reported by the file system, without reading the content.

use std::time::{SystemTime, UNIX_EPOCH};

pub use crate::workspace::MTime;

impl MTime {
    /// Returns the current time of the system's clock.
    pub fn now() -> Self {
        match SystemTime::now().duration_since(UNIX_EPOCH) {
            Ok(since) => Self { seconds: since.as_secs().cast_signed(), nanos: since.subsec_nanos() },
            Err(_) => Self { seconds: 0, nanos: 0 },
        }
    }
}

/// A file's state, as returned by one system call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    /// Device number.
    pub dev: u64,
    /// Inode number. Some file systems reuse it as soon as a file is removed.
    pub ino: u64,
    /// Size in bytes.
    pub size: u64,
    /// Time of the last change of the content, as reported by the file system.
    pub mtime: MTime,
    /// Time of the last change of content, link count, owner or mode. Unlike `mtime`, programs cannot set it.
    pub ctime: MTime,
    /// File type and permission bits.
    pub mode: u32,
    /// Number of names of the file.
    pub nlink: u64,
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
    /// `true` if an equal state later does not prove equal content, because the file was too young when it
    /// was read or its file system is not well known. See [`Stat::is_racy`].
    pub racy: bool,
}

impl Stat {
    /// Coarsest timestamp clock of a file system, rounded up (ext4 with small inodes: 1 s). A file changed
    /// within this many seconds before it was read may change again without a trace in its timestamps.
    pub const RACY_SECONDS: i64 = 2;

    /// Returns `true` if nothing that the file system reports has changed between two observations. Proves
    /// equal content only if the earlier observation was not [`racy`](Stat::racy).
    pub fn same_version(&self, other: &Self) -> bool {
        self.same_content(other)
            && self.ctime == other.ctime
            && self.mode == other.mode
            && self.nlink == other.nlink
            && (self.uid, self.gid) == (other.uid, other.gid)
    }

    /// Like [`Stat::same_version`], but ignores what a rename or a chmod changes.
    pub fn same_content(&self, other: &Self) -> bool {
        self.same_file(other) && self.size == other.size && self.mtime == other.mtime
    }

    /// Returns `true` if both are the same inode.
    pub fn same_file(&self, other: &Self) -> bool {
        (self.dev, self.ino) == (other.dev, other.ino)
    }

    /// Returns `true` if a state observed at `now` could not reveal a later change by its timestamps: one of
    /// them is younger than the coarsest clock, or in the future.
    pub fn is_racy(&self, now: MTime) -> bool {
        let young = |stamp: MTime| stamp.seconds >= now.seconds - Self::RACY_SECONDS;
        young(self.mtime) || young(self.ctime)
    }

    /// Returns `true` if the file has no write permission for anyone; editd respects that even as root.
    pub fn has_no_write_bit(&self) -> bool {
        self.mode & 0o222 == 0
    }
}
