//! An in-memory disk for tests, in every way at least as awkward as a real one: its clock only advances in
//! ticks of one second, inode numbers are reused at once, and it can be made to fail.

mod tree;
mod walk;

use super::failing::half_written;
use crate::place::{HandleKind, RootInner};
use crate::{
    Disk, DiskError, DiskErrorKind, Entry, Examined, Expected, FileBytes, FileImage, Flush, Handle, Lease,
    Listed, Result, Root, Scanned, Sink, StageOrder, StagedFile, Stat, Streamed, Target,
};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tree::{Body, Tree};

/// An in-memory disk. A single lock protects all state, so each call is atomic.
#[derive(Debug, Default)]
pub struct MemoryDisk {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    tree: Tree,
    calls: usize,
    fail: Option<(usize, DiskErrorKind)>,
    log: Vec<String>,
    without_exchange: bool,
    without_links: bool,
}

impl MemoryDisk {
    /// Creates an empty disk whose clock is at 1000 seconds.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a folder and its parents.
    pub fn add_dir(&self, path: &str) {
        self.state.lock().tree.add_dirs(Path::new(path));
    }

    /// Writes a file as another program would, in place if it exists; missing folders are created.
    pub fn write_externally(&self, path: &str, bytes: &[u8]) {
        self.state.lock().tree.write(Path::new(path), bytes);
    }

    /// Saves a file as many editors do, by renaming a new file over it.
    pub fn replace_behind(&self, path: &str, bytes: &[u8]) {
        let tree = &mut self.state.lock().tree;
        tree.unlink_path(Path::new(path));
        tree.write(Path::new(path), bytes);
    }

    /// Adds a symlink.
    pub fn symlink(&self, to: &str, path: &str) {
        self.state.lock().tree.add(Path::new(path), Body::Link(PathBuf::from(to)), 0o120_777);
    }

    /// Adds a second name to an existing file.
    pub fn hard_link(&self, existing: &str, path: &str) {
        self.state.lock().tree.hard_link(Path::new(existing), Path::new(path));
    }

    /// Sets a file's permission bits.
    pub fn set_mode(&self, path: &str, mode: u32) {
        self.state.lock().tree.set_mode(Path::new(path), mode);
    }

    /// Makes the file system unable to swap two names.
    pub fn without_exchange(&self) {
        self.state.lock().without_exchange = true;
    }

    /// Makes the file system unable to give a file a second name.
    pub fn without_links(&self) {
        self.state.lock().without_links = true;
    }

    /// Makes the k-th primitive from now on, counted from 1, fail once. A failing write stops halfway.
    pub fn fail_at(&self, k: usize, kind: DiskErrorKind) {
        let mut state = self.state.lock();
        state.calls = 0;
        state.fail = Some((k, kind));
    }

    /// Number of primitives called since the disk was created or a failure was set.
    pub fn calls(&self) -> usize {
        self.state.lock().calls
    }

    /// All primitives called so far, one per line.
    pub fn log(&self) -> Vec<String> {
        self.state.lock().log.clone()
    }

    /// Contents of all files, and all folders (as `None`), by path. Symlinks are omitted.
    pub fn contents(&self) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
        self.state.lock().tree.contents()
    }

    /// Content of one file.
    pub fn content(&self, path: &str) -> Option<Vec<u8>> {
        self.contents().remove(Path::new(path)).flatten()
    }
}

impl State {
    /// Logs a primitive; fails if the failure applies to it.
    fn call(&mut self, operation: &'static str, path: &Path) -> Result<()> {
        self.calls += 1;
        self.log.push(format!("{operation} {}", path.display()));
        match &self.fail {
            Some((k, kind)) if *k == self.calls => Err(DiskError::new(kind.clone(), operation, path)),
            _ => Ok(()),
        }
    }
}

impl Handle {
    fn as_memory(&self) -> Result<u64> {
        match &self.0 {
            HandleKind::Memory(inode) => Ok(*inode),
            HandleKind::Os(_) => {
                Err(DiskError::new(DiskErrorKind::Io, "use a handle of another disk on", Path::new("")))
            }
        }
    }
}

impl Disk for MemoryDisk {
    fn open_root(&self, path: &Path) -> Result<Root> {
        let state = self.state.lock();
        let (inode, canonical) = walk::open_root(&state.tree, path)?;
        Ok(Root(Arc::new(RootInner {
            given: path.to_owned(),
            path: canonical,
            device: tree::DEVICE,
            mount: None,
            handle: Handle(HandleKind::Memory(inode)),
            steady_stamps: true,
            folds_names: false.into(),
        })))
    }

    fn resolve(&self, root: &Root, relative: &Path) -> Result<Target> {
        walk::resolve(&self.state.lock().tree, root, relative)
    }

    fn stat(&self, target: &Target) -> Result<Option<Stat>> {
        let Some(entry) = target.entry() else { return Ok(None) };
        self.state.lock().tree.stat_entry(&entry)
    }

    fn read(&self, target: &Target, limit: u64) -> Result<Option<FileImage>> {
        let Some(entry) = target.entry() else { return Ok(None) };
        self.state.lock().tree.read(&entry, limit)
    }

    fn stream(&self, target: &Target, sink: Sink<'_>) -> Result<Option<Streamed>> {
        let image = self.read(target, u64::MAX)?;
        Ok(image.map(|FileImage { bytes, stat, .. }| {
            // Small pieces, so that tests exercise text that is split across pieces.
            let _ = bytes.chunks(3).try_for_each(sink);
            Streamed { stat, steady: true }
        }))
    }

    fn peek(&self, root: &Root, below: &Path) -> Result<Option<Stat>> {
        walk::peek(&self.state.lock().tree, root, below)
    }

    fn folder(&self, root: &Root, relative: &Path) -> Result<PathBuf> {
        walk::folder(&self.state.lock().tree, root, relative)
    }

    fn list(&self, root: &Root, folder: &Path) -> Result<Vec<Listed>> {
        walk::list(&self.state.lock().tree, root, folder)
    }

    fn scan(&self, root: &Root, folder: &Path) -> Result<Vec<Scanned>> {
        walk::scan(&self.state.lock().tree, root, folder)
    }

    fn read_below(&self, root: &Root, below: &Path, limit: u64) -> Result<FileImage> {
        let target = self.resolve(root, below)?;
        let missing = || DiskError::new(DiskErrorKind::NotFound, "read", &target.path);
        self.read(&target, limit)?.ok_or_else(missing)
    }

    fn read_link(&self, root: &Root, below: &Path) -> Result<PathBuf> {
        walk::link(&self.state.lock().tree, root, below)
    }

    fn open_file(&self, root: &Root, below: &Path) -> Result<Box<dyn Read + Send>> {
        let bytes = walk::bytes(&self.state.lock().tree, root, below)?;
        Ok(Box::new(Cursor::new(bytes)))
    }

    /// Returns `None`: the memory disk has no mounts.
    fn behind_mounts(&self, _: &Root, _: Option<&Target>) -> Result<Option<PathBuf>> {
        Ok(None)
    }

    fn confirm(&self, target: &Target) -> Result<()> {
        let mut state = self.state.lock();
        state.call("confirm", &target.path)?;
        walk::confirm(&state.tree, target)
    }

    fn stat_entry(&self, entry: &Entry) -> Result<Option<Stat>> {
        let mut state = self.state.lock();
        state.call("check", &entry.path)?;
        state.tree.stat_entry(entry)
    }

    fn read_entry(&self, entry: &Entry, limit: u64) -> Result<Option<FileImage>> {
        let mut state = self.state.lock();
        state.call("read", &entry.path)?;
        state.tree.read(entry, limit)
    }

    fn holds(&self, entry: &Entry, bytes: &FileBytes) -> Result<bool> {
        let mut state = self.state.lock();
        state.call("compare", &entry.path)?;
        let image = state.tree.read(entry, bytes.len() as u64)?;
        Ok(image.is_some_and(|image| *bytes == *image.bytes))
    }

    fn holds_held(&self, held: &Handle, path: &Path, bytes: &FileBytes) -> Result<bool> {
        let mut state = self.state.lock();
        state.call("compare", path)?;
        Ok(*bytes == *state.tree.read_inode(held.as_memory()?, path, u64::MAX)?.bytes)
    }

    fn examine(&self, entry: &Entry, _: Option<&Expected>) -> Result<Option<Examined>> {
        let mut state = self.state.lock();
        state.call("examine", &entry.path)?;
        state.tree.examine(entry)
    }

    fn stage(&self, entry: &Entry, order: StageOrder<'_>) -> Result<Option<StagedFile>> {
        let mut state = self.state.lock();
        state.call("stage", &entry.path)?;
        state.tree.stage(entry, order)
    }

    fn rename_over(&self, from: &Entry, to: &Entry) -> Result<()> {
        let mut state = self.state.lock();
        state.call("rename over", &to.path)?;
        state.tree.rename(from, to, true)
    }

    fn rename_new(&self, from: &Entry, to: &Entry) -> Result<()> {
        let mut state = self.state.lock();
        state.call("rename to", &to.path)?;
        state.tree.rename(from, to, false)
    }

    fn exchange(&self, a: &Entry, b: &Entry) -> Result<bool> {
        let mut state = self.state.lock();
        state.call("exchange", &b.path)?;
        if state.without_exchange {
            return Ok(false);
        }
        state.tree.exchange(a, b).map(|()| true)
    }

    fn link(&self, from: &Entry, to: &Entry) -> Result<bool> {
        let mut state = self.state.lock();
        state.call("link", &from.path)?;
        if state.without_links {
            return Ok(false);
        }
        state.tree.link(from, to).map(|()| true)
    }

    fn overwrite(&self, entry: &Entry, original: &Examined, content: &[u8]) -> Result<()> {
        let mut state = self.state.lock();
        if let Err(error) = state.call("overwrite", &entry.path) {
            let old = state.tree.read(entry, u64::MAX)?.map(|image| image.bytes);
            state.tree.overwrite(entry, original, &half_written(&old.unwrap_or_default(), content))?;
            return Err(error);
        }
        state.tree.overwrite(entry, original, content)
    }

    fn append(&self, entry: &Entry, bytes: &[u8], _flush: Flush) -> Result<()> {
        let mut state = self.state.lock();
        if let Err(error) = state.call("append to", &entry.path) {
            state.tree.append(entry, &bytes[..bytes.len() / 2])?;
            return Err(error);
        }
        state.tree.append(entry, bytes)
    }

    fn read_held(&self, held: &Handle, path: &Path, limit: u64) -> Result<FileImage> {
        self.state.lock().tree.read_inode(held.as_memory()?, path, limit)
    }

    fn stat_held(&self, held: &Handle, path: &Path) -> Result<Stat> {
        let stat = self.state.lock().tree.stat_of(held.as_memory()?);
        stat.ok_or_else(|| DiskError::new(DiskErrorKind::NotFound, "check", path))
    }

    /// Returns `None`: no other program opens files of the memory disk.
    fn lease(&self, _: &Handle) -> Option<Lease> {
        None
    }

    fn remove(&self, entry: &Entry) -> Result<()> {
        let mut state = self.state.lock();
        state.call("remove", &entry.path)?;
        state.tree.remove(entry)
    }

    fn make_dir(&self, entry: &Entry) -> Result<()> {
        let mut state = self.state.lock();
        state.call("make the folder", &entry.path)?;
        state.tree.make_dir(entry)
    }

    fn make_link(&self, entry: &Entry, target: &Path) -> Result<()> {
        let mut state = self.state.lock();
        state.call("create the link", &entry.path)?;
        state.tree.make_link(entry, target)
    }

    fn set_mode(&self, entry: &Entry, mode: u32) -> Result<()> {
        let mut state = self.state.lock();
        state.call("set the mode", &entry.path)?;
        state.tree.set_entry_mode(entry, mode)
    }

    fn open_dir(&self, entry: &Entry) -> Result<Handle> {
        let mut state = self.state.lock();
        state.call("open the folder", &entry.path)?;
        state.tree.open_dir(entry)
    }

    fn remove_dir(&self, entry: &Entry) -> Result<()> {
        let mut state = self.state.lock();
        state.call("remove the folder", &entry.path)?;
        state.tree.remove_dir(entry)
    }

    fn sync_dir(&self, _dir: &Handle, path: &Path) -> Result<()> {
        self.state.lock().call("flush the folder", path)
    }
}
