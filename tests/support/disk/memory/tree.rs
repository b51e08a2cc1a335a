//! Inodes and names of the memory disk.

mod outside;
mod primitives;

use super::Stat;
use crate::MTime;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// Number of the only device.
pub(super) const DEVICE: u64 = 1;

/// The inode of `/`.
pub(super) const TOP: u64 = 2;

/// User who owns everything.
const OWNER: u32 = 1000;

/// Content of an inode.
#[derive(Clone, Debug)]
pub(super) enum Body {
    File(Vec<u8>),
    Dir(BTreeMap<OsString, u64>),
    Link(PathBuf),
}

#[derive(Clone, Debug)]
struct Node {
    body: Body,
    mode: u32,
    nlink: u64,
    mtime: i64,
    ctime: i64,
}

/// The whole file system.
#[derive(Debug)]
pub(super) struct Tree {
    nodes: BTreeMap<u64, Node>,
    /// Current time in seconds, the source of all timestamps.
    pub(super) clock: i64,
}

impl Default for Tree {
    fn default() -> Self {
        let clock = 1000;
        let top =
            Node { body: Body::Dir(BTreeMap::new()), mode: 0o40_755, nlink: 2, mtime: clock, ctime: clock };
        Self { nodes: BTreeMap::from([(TOP, top)]), clock }
    }
}

/// Inodes and folder entries.
impl Tree {
    pub(super) fn body(&self, inode: u64) -> Option<&Body> {
        self.nodes.get(&inode).map(|node| &node.body)
    }

    pub(super) fn nlink(&self, inode: u64) -> u64 {
        self.nodes.get(&inode).map_or(0, |node| node.nlink)
    }

    pub(super) fn child(&self, dir: u64, name: &OsStr) -> Option<u64> {
        self.names(dir)?.get(name).copied()
    }

    fn names(&self, dir: u64) -> Option<&BTreeMap<OsString, u64>> {
        match self.body(dir)? {
            Body::Dir(names) => Some(names),
            Body::File(_) | Body::Link(_) => None,
        }
    }

    fn put(&mut self, dir: u64, name: &OsStr, inode: u64) {
        if let Some(Node { body: Body::Dir(names), .. }) = self.nodes.get_mut(&dir) {
            names.insert(name.to_owned(), inode);
        }
    }

    fn take(&mut self, dir: u64, name: &OsStr) -> Option<u64> {
        match self.nodes.get_mut(&dir) {
            Some(Node { body: Body::Dir(names), .. }) => names.remove(name),
            _ => None,
        }
    }

    /// Uses the lowest free inode number, even if it was in use a moment ago.
    fn insert(&mut self, dir: u64, name: &OsStr, body: Body, mode: u32) -> u64 {
        let inode = (TOP..=u64::MAX).find(|inode| !self.nodes.contains_key(inode)).unwrap_or(u64::MAX);
        let node = Node { body, mode, nlink: 1, mtime: self.clock, ctime: self.clock };
        self.nodes.insert(inode, node);
        self.put(dir, name, inode);
        inode
    }

    fn fill(&mut self, inode: u64, bytes: &[u8]) {
        let clock = self.clock;
        if let Some(node) = self.nodes.get_mut(&inode) {
            node.body = Body::File(bytes.to_owned());
            (node.mtime, node.ctime) = (clock, clock);
        }
    }

    fn add_name(&mut self, inode: u64) {
        let clock = self.clock;
        if let Some(node) = self.nodes.get_mut(&inode) {
            node.nlink += 1;
            node.ctime = clock;
        }
    }

    fn drop_name(&mut self, inode: u64) {
        let clock = self.clock;
        if let Some(node) = self.nodes.get_mut(&inode) {
            node.nlink -= 1;
            node.ctime = clock;
        }
        if self.nlink(inode) == 0 {
            self.nodes.remove(&inode);
        }
    }

    /// Updates the ctime of a renamed inode, as most real file systems do.
    fn renamed(&mut self, inode: u64) {
        let clock = self.clock;
        if let Some(node) = self.nodes.get_mut(&inode) {
            node.ctime = clock;
        }
    }

    pub(super) fn stat_of(&self, inode: u64) -> Option<Stat> {
        let node = self.nodes.get(&inode)?;
        let size = match &node.body {
            Body::File(bytes) => bytes.len() as u64,
            Body::Dir(_) | Body::Link(_) => 0,
        };
        let stamp = |seconds| MTime { seconds, nanos: 0 };
        let mut stat = Stat {
            dev: DEVICE,
            ino: inode,
            size,
            mtime: stamp(node.mtime),
            ctime: stamp(node.ctime),
            mode: node.mode,
            nlink: node.nlink,
            uid: OWNER,
            gid: OWNER,
            racy: false,
        };
        stat.racy = stat.is_racy(stamp(self.clock));
        Some(stat)
    }
}
