//! What is known of a file without reading it.

use std::time::{SystemTime, UNIX_EPOCH};

/// A file's time stamp: equal or different, never earlier or later. Copying tools set stamps back, so
/// an order between them says nothing about which content is newer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MTime {
    /// Seconds since 1970, UTC.
    pub seconds: i64,
    /// Nanoseconds within the second.
    pub nanos: u32,
}

impl MTime {
    /// The present time of the system's clock.
    pub fn now() -> Self {
        match SystemTime::now().duration_since(UNIX_EPOCH) {
            Ok(since) => Self { seconds: since.as_secs().cast_signed(), nanos: since.subsec_nanos() },
            Err(_) => Self { seconds: 0, nanos: 0 },
        }
    }
}

/// A file's state as one system call saw it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    /// The device's number.
    pub dev: u64,
    /// The inode's number; reused at once by some file systems when a file is removed.
    pub ino: u64,
    /// Bytes.
    pub size: u64,
    /// When the content was last changed, as far as the file system says.
    pub mtime: MTime,
    /// When content, name count, owner or mode were last changed. Unlike `mtime` it cannot be set.
    pub ctime: MTime,
    /// File type and permission bits.
    pub mode: u32,
    /// How many names the file has.
    pub nlink: u64,
    /// The owner.
    pub uid: u32,
    /// The group.
    pub gid: u32,
    /// Whether the file was so young when it was looked at, or its file system so little known, that an
    /// equal state later does not prove an equal content. See [`Stat::is_racy`].
    pub racy: bool,
}

impl Stat {
    /// File systems stamp with at most this coarse a clock (ext4 with small inodes: 1 s), so a file changed
    /// within this many seconds before it was looked at may change again without a trace in its stamps.
    pub const RACY_SECONDS: i64 = 2;

    /// Whether nothing that the file system reports has changed between two looks. Proves an equal
    /// content only if the earlier look was not [`racy`](Stat::racy).
    pub fn same_version(&self, other: &Self) -> bool {
        self.same_content(other)
            && self.ctime == other.ctime
            && self.mode == other.mode
            && self.nlink == other.nlink
            && (self.uid, self.gid) == (other.uid, other.gid)
    }

    /// Like [`Stat::same_version`] without what a rename or a chmod changes.
    pub fn same_content(&self, other: &Self) -> bool {
        self.same_file(other) && self.size == other.size && self.mtime == other.mtime
    }

    /// Whether both are the same inode.
    pub fn same_file(&self, other: &Self) -> bool {
        (self.dev, self.ino) == (other.dev, other.ino)
    }

    /// Whether a look at `now` could not tell a later change by the stamps: one of them is younger than
    /// the coarsest clock, or in the future.
    pub fn is_racy(&self, now: MTime) -> bool {
        let young = |stamp: MTime| stamp.seconds >= now.seconds - Self::RACY_SECONDS;
        young(self.mtime) || young(self.ctime)
    }

    /// Whether no one has permission to write, which root too should honour.
    pub fn has_no_write_bit(&self) -> bool {
        self.mode & 0o222 == 0
    }
}
