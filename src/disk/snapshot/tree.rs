//! The recorded state of a tree of files. Pure.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::{MTime, Stat};
use editd_text::ContentHash;

/// The permission bits of a mode.
const PERMISSIONS: u32 = 0o7777;

/// The state of all recorded names under a root. Cheap to clone: folders are shared.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    folders: BTreeMap<PathBuf, Arc<Folder>>,
}

/// The recorded names of a folder, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Folder {
    names: Vec<(OsString, Node)>,
}

/// The state of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// A regular file.
    File(FileState),
    /// A symlink.
    Link {
        /// The path that it contains.
        target: PathBuf,
        /// State of the link itself.
        stamp: Stamp,
    },
    /// A folder.
    Folder {
        /// Permission bits.
        mode: u32,
        /// Inode number; 0 if an earlier version has recorded the folder.
        ino: u64,
    },
    /// Something whose state is not recorded: ignore rules exclude it, or it is metadata of version control.
    Hidden,
}

/// The state of a regular file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileState {
    /// State reported by the file system.
    pub stamp: Stamp,
    /// The content.
    pub content: Content,
}

/// The content of a file, as far as it is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// The content with this hash is stored.
    Stored(ContentHash),
    /// The content is not stored.
    Omitted(Omission),
}

/// Reason why the content of a file is not stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display, strum::EnumString)]
#[strum(serialize_all = "snake_case")]
pub enum Omission {
    /// The file is larger than the limit for a file.
    TooLarge,
    /// The file cannot be read.
    Unreadable,
    /// The file changed all the time while it was read.
    Unstable,
    /// The contents of the snapshot reach their limit.
    NoRoom,
    /// The content could not be written to the state folder.
    NotStored,
    /// The file is a device, a named pipe or a socket.
    Special,
    /// Another file system is mounted there.
    Mount,
    /// The path is longer than the system allows.
    TooLong,
}

/// The part of a file's state that changes with its content, its mode or its identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// Inode number.
    pub ino: u64,
    /// Size in bytes.
    pub size: u64,
    /// Time of the last change of the content.
    pub mtime: MTime,
    /// Time of the last change of content, link count, owner or mode.
    pub ctime: MTime,
    /// Permission bits.
    pub mode: u32,
    /// `true` if an equal stamp later does not prove equal content.
    pub racy: bool,
}

/// A name whose state differs between two trees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Path from the root.
    pub path: PathBuf,
    /// The earlier state.
    pub before: Option<Node>,
    /// The later state.
    pub after: Option<Node>,
}

impl Omission {
    /// Returns the reason as a clause that follows a path.
    pub fn reason(self) -> &'static str {
        match self {
            Self::TooLarge => "it is larger than `limits.snapshot_file_size`",
            Self::Unreadable => "it cannot be read",
            Self::Unstable => "it changed while it was read",
            Self::NoRoom => "the contents reach `limits.snapshot_bytes`",
            Self::NotStored => "its content could not be stored",
            Self::Special => "it is a device, a named pipe or a socket",
            Self::Mount => "another file system is mounted there",
            Self::TooLong => "its path is longer than 4,095 bytes",
        }
    }
}

impl Stamp {
    /// Returns the stamp of a file.
    pub fn of(stat: &Stat) -> Self {
        let Stat { ino, size, mtime, ctime, mode, racy, .. } = *stat;
        Self { ino, size, mtime, ctime, mode: mode & PERMISSIONS, racy }
    }

    /// Returns the stamp as the state of a regular file. What a stamp does not contain is unknown.
    pub fn stat(&self) -> Stat {
        const REGULAR: u32 = 0o100_000;
        let Self { ino, size, mtime, ctime, mode, racy } = *self;
        Stat { dev: 0, ino, size, mtime, ctime, mode: REGULAR | mode, nlink: 1, uid: 0, gid: 0, racy }
    }

    /// Returns `true` if an equal stamp proves that the file has not changed.
    pub(super) fn proves(&self, later: &Self) -> bool {
        !self.racy && Self { racy: false, ..*later } == *self
    }

    fn same_content(&self, other: &Self) -> bool {
        (self.ino, self.size, self.mtime) == (other.ino, other.size, other.mtime)
    }
}

impl Node {
    /// Returns the hash of the content, if it is a file whose content is stored.
    pub fn hash(&self) -> Option<ContentHash> {
        match self {
            Self::File(FileState { content: Content::Stored(hash), .. }) => Some(*hash),
            _ => None,
        }
    }

    /// Returns `true` if another file system is mounted there.
    pub fn is_mount(&self) -> bool {
        self.omission() == Some(Omission::Mount)
    }

    /// Returns the inode number of a name that can be restored: a file whose content is stored, a link or a folder.
    pub(super) fn restorable(&self) -> Option<u64> {
        match self {
            Self::File(FileState { stamp, content: Content::Stored(_) }) | Self::Link { stamp, .. } => {
                Some(stamp.ino)
            }
            Self::Folder { ino, .. } => Some(*ino).filter(|ino| *ino != 0),
            Self::File(_) | Self::Hidden => None,
        }
    }

    /// Returns the reason why the content of the file is not stored.
    pub fn omission(&self) -> Option<Omission> {
        match self {
            Self::File(FileState { content: Content::Omitted(omission), .. }) => Some(*omission),
            _ => None,
        }
    }

    /// Returns `true` if the two states do not differ for a user: same kind, content and permissions.
    pub fn equals(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::File(a), Self::File(b)) => {
                let same_content = match (a.content, b.content) {
                    (Content::Stored(a), Content::Stored(b)) => a == b,
                    _ => a.stamp.same_content(&b.stamp),
                };
                same_content && a.stamp.mode == b.stamp.mode
            }
            (Self::Link { target: a, .. }, Self::Link { target: b, .. }) => a == b,
            (Self::Folder { mode: a, .. }, Self::Folder { mode: b, .. }) => a == b,
            _ => false,
        }
    }
}

impl Folder {
    /// Creates a folder from its names.
    pub(super) fn new(mut names: Vec<(OsString, Node)>) -> Self {
        names.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        names.shrink_to_fit();
        Self { names }
    }

    /// Returns the state of a name.
    pub(super) fn get(&self, name: &OsStr) -> Option<&Node> {
        let at = self.position(name).ok()?;
        Some(&self.names[at].1)
    }

    /// Returns the states of all names.
    pub(super) fn nodes(&self) -> impl Iterator<Item = &Node> {
        self.names.iter().map(|(_, node)| node)
    }

    fn position(&self, name: &OsStr) -> Result<usize, usize> {
        self.names.binary_search_by(|(other, _)| other.as_os_str().cmp(name))
    }

    fn set(&mut self, name: &OsStr, node: Option<Node>) {
        match (self.position(name), node) {
            (Ok(at), Some(node)) => self.names[at].1 = node,
            (Ok(at), None) => drop(self.names.remove(at)),
            (Err(at), Some(node)) => self.names.insert(at, (name.to_owned(), node)),
            (Err(_), None) => {}
        }
    }
}

impl Tree {
    /// Returns a folder by its path from the root.
    pub(super) fn folder(&self, path: &Path) -> Option<&Arc<Folder>> {
        self.folders.get(path)
    }

    pub(super) fn insert(&mut self, path: PathBuf, folder: Arc<Folder>) {
        self.folders.insert(path, folder);
    }

    /// Adds a folder and all folders below it as another tree has them, unless they are there.
    pub(super) fn insert_below(&mut self, path: &Path, other: &Self) {
        let below = other.folders.range(path.to_owned()..);
        for (folder, names) in below.take_while(|(folder, _)| folder.starts_with(path)) {
            self.folders.entry(folder.clone()).or_insert_with(|| names.clone());
        }
    }

    /// Makes a name hidden, with all that is below it.
    pub(super) fn hide(&mut self, path: &Path) {
        self.remove(path);
        self.set(path, Some(Node::Hidden));
    }

    /// Removes a name, with all that is below it.
    pub(super) fn remove(&mut self, path: &Path) {
        let below = self.folders.range(path.to_owned()..).map(|(folder, _)| folder);
        let below: Vec<_> = below.take_while(|folder| folder.starts_with(path)).cloned().collect();
        for folder in below {
            self.folders.remove(&folder);
        }
        self.set(path, None);
    }

    /// Returns all recorded names with their paths, folders before their names.
    pub(super) fn nodes(&self) -> impl Iterator<Item = (PathBuf, &Node)> {
        self.folders
            .iter()
            .flat_map(|(path, folder)| folder.names.iter().map(move |(name, node)| (path.join(name), node)))
    }

    /// Returns the recorded state of a path from the root.
    pub fn node(&self, path: &Path) -> Option<&Node> {
        self.name(path).filter(|node| **node != Node::Hidden)
    }

    /// Returns the state of a path from the root, also if it is hidden.
    pub(super) fn name(&self, path: &Path) -> Option<&Node> {
        self.folders.get(path.parent()?)?.get(path.file_name()?)
    }

    /// Sets the state of a path. Its folder is added if it is not recorded.
    pub(super) fn set(&mut self, path: &Path, node: Option<Node>) {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return };
        let folder = self.folders.entry(parent.to_owned()).or_default();
        Arc::make_mut(folder).set(name, node);
    }

    /// Number of recorded names.
    pub fn len(&self) -> usize {
        self.folders.values().map(|folder| folder.names.len()).sum()
    }

    /// Returns `true` if nothing is recorded.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the names for which `is_changed` holds, with the states in both trees, in the order of their
    /// paths by folder.
    pub(super) fn compare(
        &self,
        later: &Self,
        is_changed: impl Fn(Option<&Node>, Option<&Node>) -> bool,
    ) -> Vec<Difference> {
        let mut found = Vec::new();
        let empty = Folder::default();
        let mut compare = |path: &Path, before: &Folder, after: &Folder| {
            for (name, before, after) in merged(&before.names, &after.names) {
                if is_changed(before, after) {
                    let (before, after) = (before.cloned(), after.cloned());
                    found.push(Difference { path: path.join(name), before, after });
                }
            }
        };
        for (path, before) in &self.folders {
            match later.folders.get(path) {
                Some(after) if Arc::ptr_eq(before, after) => {}
                Some(after) => compare(path, before, after),
                None => compare(path, before, &empty),
            }
        }
        for (path, after) in later.folders.iter().filter(|(path, _)| !self.folders.contains_key(*path)) {
            compare(path, &empty, after);
        }
        found
    }

    /// Returns the differences that a user can see. Names that are hidden in the later tree count as missing there.
    pub fn differences(&self, later: &Self) -> Vec<Difference> {
        self.compare(later, |before, after| match (before, after) {
            (Some(Node::Hidden) | None, Some(Node::Hidden) | None) => false,
            (Some(before), Some(after)) => !before.equals(after),
            _ => true,
        })
    }
}

/// Merges the sorted names of two folders.
fn merged<'a>(
    before: &'a [(OsString, Node)],
    after: &'a [(OsString, Node)],
) -> impl Iterator<Item = (&'a OsStr, Option<&'a Node>, Option<&'a Node>)> {
    let (mut before, mut after) = (before.iter().peekable(), after.iter().peekable());
    std::iter::from_fn(move || {
        let order = match (before.peek(), after.peek()) {
            (None, None) => return None,
            (Some(_), None) => std::cmp::Ordering::Less,
            (None, Some(_)) => std::cmp::Ordering::Greater,
            (Some((a, _)), Some((b, _))) => a.cmp(b),
        };
        let old = if order.is_le() { before.next() } else { None };
        let new = if order.is_ge() { after.next() } else { None };
        let (name, _) = old.or(new)?;
        Some((name.as_os_str(), old.map(|(_, node)| node), new.map(|(_, node)| node)))
    })
}
