//! Inodes and names of the memory disk.

use super::{DiskError, DiskErrorKind, Entry, Examined, FileImage, Handle, HandleKind, Result};
use super::{StageOrder, Staged, Stat};
use crate::disk::MTime;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The number of the only device.
pub(super) const DEVICE: u64 = 1;

/// The inode of `/`.
pub(super) const TOP: u64 = 2;

/// The user to whom everything belongs.
const OWNER: u32 = 1000;

/// What an inode holds.
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
    /// Seconds; all stamps are taken from it.
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

fn error<T>(kind: DiskErrorKind, operation: &'static str, entry: &Entry) -> Result<T> {
    Err(DiskError::new(kind, operation, &entry.path))
}

/// Seen from outside: what other programs do, by path. Symlinks on the way are not followed.
impl Tree {
    pub(super) fn add_dirs(&mut self, path: &Path) -> u64 {
        let mut dir = TOP;
        for name in path.iter().skip(1) {
            dir = match self.child(dir, name) {
                Some(existing) => existing,
                None => self.insert(dir, name, Body::Dir(BTreeMap::new()), 0o40_755),
            };
        }
        dir
    }

    pub(super) fn add(&mut self, path: &Path, body: Body, mode: u32) {
        let dir = self.add_dirs(path.parent().unwrap_or(path));
        self.insert(dir, path.file_name().unwrap_or_default(), body, mode);
    }

    pub(super) fn write(&mut self, path: &Path, bytes: &[u8]) {
        match self.find(path) {
            Some(inode) => self.fill(inode, bytes),
            None => self.add(path, Body::File(bytes.to_owned()), 0o100_644),
        }
    }

    pub(super) fn unlink_path(&mut self, path: &Path) {
        let dir = self.find(path.parent().unwrap_or(path)).unwrap_or(TOP);
        self.take(dir, path.file_name().unwrap_or_default())
            .into_iter()
            .for_each(|inode| self.drop_name(inode));
    }

    pub(super) fn hard_link(&mut self, existing: &Path, path: &Path) {
        let dir = self.add_dirs(path.parent().unwrap_or(path));
        if let Some(inode) = self.find(existing) {
            self.put(dir, path.file_name().unwrap_or_default(), inode);
            self.add_name(inode);
        }
    }

    pub(super) fn set_mode(&mut self, path: &Path, mode: u32) {
        let clock = self.clock;
        if let Some(node) = self.find(path).and_then(|inode| self.nodes.get_mut(&inode)) {
            node.mode = node.mode & !0o7777 | mode;
            node.ctime = clock;
        }
    }

    pub(super) fn contents(&self) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
        let mut all = BTreeMap::new();
        self.collect(TOP, Path::new("/"), &mut all);
        all
    }

    fn collect(&self, dir: u64, path: &Path, all: &mut BTreeMap<PathBuf, Option<Vec<u8>>>) {
        for (name, inode) in self.names(dir).into_iter().flatten() {
            let path = path.join(name);
            match self.body(*inode) {
                Some(Body::File(bytes)) => drop(all.insert(path, Some(bytes.clone()))),
                Some(Body::Dir(_)) => {
                    all.insert(path.clone(), None);
                    self.collect(*inode, &path, all);
                }
                Some(Body::Link(_)) | None => {}
            }
        }
    }

    fn find(&self, path: &Path) -> Option<u64> {
        path.iter().skip(1).try_fold(TOP, |dir, name| self.child(dir, name))
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

    /// Takes the lowest number that is free, even if it was in use a moment ago.
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

    /// A rename moves an inode's ctime, as on most real file systems.
    fn renamed(&mut self, inode: u64) {
        let clock = self.clock;
        if let Some(node) = self.nodes.get_mut(&inode) {
            node.ctime = clock;
        }
    }

    fn stat_of(&self, inode: u64) -> Option<Stat> {
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

/// The primitives.
impl Tree {
    pub(super) fn look(&self, entry: &Entry) -> Result<Option<Stat>> {
        let dir = entry.dir.as_memory()?;
        let inode = if entry.name == "." { Some(dir) } else { self.child(dir, &entry.name) };
        Ok(inode.and_then(|inode| self.stat_of(inode)))
    }

    pub(super) fn read(&self, entry: &Entry, limit: u64) -> Result<Option<FileImage>> {
        let Some(stat) = self.look(entry)? else { return Ok(None) };
        match self.body(stat.ino) {
            Some(Body::File(_)) if stat.size > limit => {
                error(DiskErrorKind::TooLarge { size: stat.size, limit }, "read", entry)
            }
            Some(Body::File(bytes)) => Ok(Some(FileImage { bytes: bytes.clone(), stat })),
            Some(Body::Link(_)) => error(DiskErrorKind::Changed, "read", entry),
            _ => error(DiskErrorKind::NotAFile { what: "a folder" }, "read", entry),
        }
    }

    pub(super) fn examine(&self, entry: &Entry) -> Result<Option<Examined>> {
        let Some(FileImage { stat, .. }) = self.read(entry, u64::MAX)? else { return Ok(None) };
        if stat.has_no_write_bit() {
            return error(DiskErrorKind::ReadOnly, "examine", entry);
        }
        let handle = Handle(HandleKind::Memory(stat.ino));
        Ok(Some(Examined { stat, replaceable: stat.nlink == 1, handle }))
    }

    pub(super) fn stage(&mut self, entry: &Entry, order: StageOrder<'_>) -> Result<Staged> {
        let dir = self.free_place(entry)?;
        let mode = order.like.map_or(0o100_000 | order.mode.unwrap_or(0o644), |like| like.stat.mode);
        let inode = self.insert(dir, &entry.name, Body::File(order.content.to_owned()), mode);
        let handle = Handle(HandleKind::Memory(inode));
        match self.stat_of(inode) {
            Some(stat) => Ok(Staged::Ready { stat, handle }),
            None => error(DiskErrorKind::Io, "stage", entry),
        }
    }

    pub(super) fn rename(&mut self, from: &Entry, to: &Entry, over: bool) -> Result<()> {
        let to_dir = if over { to.dir.as_memory()? } else { self.free_place(to)? };
        let Some(inode) = self.take(from.dir.as_memory()?, &from.name) else {
            return error(DiskErrorKind::NotFound, "rename", from);
        };
        self.take(to_dir, &to.name).into_iter().for_each(|old| self.drop_name(old));
        self.put(to_dir, &to.name, inode);
        self.renamed(inode);
        Ok(())
    }

    pub(super) fn exchange(&mut self, a: &Entry, b: &Entry) -> Result<()> {
        let (a_dir, b_dir) = (a.dir.as_memory()?, b.dir.as_memory()?);
        let (Some(first), Some(second)) = (self.child(a_dir, &a.name), self.child(b_dir, &b.name)) else {
            return error(DiskErrorKind::NotFound, "exchange", b);
        };
        self.put(a_dir, &a.name, second);
        self.put(b_dir, &b.name, first);
        self.renamed(first);
        self.renamed(second);
        Ok(())
    }

    pub(super) fn link(&mut self, from: &Entry, to: &Entry) -> Result<()> {
        let dir = self.free_place(to)?;
        let Some(inode) = self.child(from.dir.as_memory()?, &from.name) else {
            return error(DiskErrorKind::NotFound, "link", from);
        };
        self.put(dir, &to.name, inode);
        self.add_name(inode);
        Ok(())
    }

    pub(super) fn overwrite(&mut self, entry: &Entry, original: &Examined, content: &[u8]) -> Result<()> {
        match self.look(entry)? {
            Some(stat) if stat.same_file(&original.stat) => self.fill(stat.ino, content),
            _ => return error(DiskErrorKind::Changed, "overwrite", entry),
        }
        Ok(())
    }

    pub(super) fn remove(&mut self, entry: &Entry) -> Result<()> {
        match self.take(entry.dir.as_memory()?, &entry.name) {
            Some(inode) => self.drop_name(inode),
            None => return error(DiskErrorKind::NotFound, "remove", entry),
        }
        Ok(())
    }

    pub(super) fn make_dir(&mut self, entry: &Entry) -> Result<()> {
        let dir = self.free_place(entry)?;
        self.insert(dir, &entry.name, Body::Dir(BTreeMap::new()), 0o40_755);
        Ok(())
    }

    pub(super) fn open_dir(&self, entry: &Entry) -> Result<Handle> {
        match self.child(entry.dir.as_memory()?, &entry.name) {
            Some(inode) if self.names(inode).is_some() => Ok(Handle(HandleKind::Memory(inode))),
            Some(_) => error(DiskErrorKind::NotAFile { what: "a path through a file" }, "open", entry),
            None => error(DiskErrorKind::NotFound, "open", entry),
        }
    }

    pub(super) fn remove_dir(&mut self, entry: &Entry) -> Result<()> {
        let inode = self.open_dir(entry)?.as_memory()?;
        if self.names(inode).is_some_and(|names| !names.is_empty()) {
            return error(DiskErrorKind::Exists, "remove the folder", entry);
        }
        self.remove(entry)
    }

    /// The folder of a name that must be free.
    fn free_place(&self, entry: &Entry) -> Result<u64> {
        let dir = entry.dir.as_memory()?;
        match self.names(dir) {
            None => error(DiskErrorKind::NotFound, "use the folder of", entry),
            Some(names) if names.contains_key(&entry.name) => error(DiskErrorKind::Exists, "create", entry),
            Some(_) => Ok(dir),
        }
    }
}
