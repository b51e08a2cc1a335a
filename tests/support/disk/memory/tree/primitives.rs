//! The primitives of the memory disk.

use super::super::{
    DiskError, DiskErrorKind, Entry, Examined, FileImage, Handle, HandleKind, Result, StageOrder, StagedFile,
    Stat,
};
use super::{Body, Tree};
use editd_workspace::NewMode;
use std::collections::BTreeMap;
use std::path::Path;

fn error<T>(kind: DiskErrorKind, operation: &'static str, entry: &Entry) -> Result<T> {
    Err(DiskError::new(kind, operation, &entry.path))
}

impl Tree {
    pub(crate) fn stat_entry(&self, entry: &Entry) -> Result<Option<Stat>> {
        let dir = entry.dir.as_memory()?;
        let inode = if entry.name == "." { Some(dir) } else { self.child(dir, &entry.name) };
        Ok(inode.and_then(|inode| self.stat_of(inode)))
    }

    pub(crate) fn read(&self, entry: &Entry, limit: u64) -> Result<Option<FileImage>> {
        let Some(stat) = self.stat_entry(entry)? else { return Ok(None) };
        self.read_inode(stat.ino, &entry.path, limit).map(Some)
    }

    pub(crate) fn read_inode(&self, inode: u64, path: &Path, limit: u64) -> Result<FileImage> {
        let failed = |kind| Err(DiskError::new(kind, "read", path));
        match (self.body(inode), self.stat_of(inode)) {
            (Some(Body::File(_)), Some(stat)) if stat.size > limit => {
                failed(DiskErrorKind::TooLarge { size: stat.size, limit })
            }
            (Some(Body::File(bytes)), Some(stat)) => {
                let handle = Handle(HandleKind::Memory(inode));
                Ok(FileImage { bytes: bytes.clone(), stat, handle })
            }
            (Some(Body::Link(_)), _) => failed(DiskErrorKind::Changed),
            (Some(Body::Dir(_)), _) => failed(DiskErrorKind::NotAFile { what: "a folder" }),
            _ => failed(DiskErrorKind::NotFound),
        }
    }

    pub(crate) fn append(&mut self, entry: &Entry, bytes: &[u8]) -> Result<()> {
        let dir = entry.dir.as_memory()?;
        let Some(inode) = self.child(dir, &entry.name) else {
            self.insert(dir, &entry.name, Body::File(bytes.to_vec()), 0o100_600);
            return Ok(());
        };
        let FileImage { bytes: mut whole, .. } = self.read_inode(inode, &entry.path, u64::MAX)?;
        whole.extend_from_slice(bytes);
        self.fill(inode, &whole);
        Ok(())
    }

    pub(crate) fn examine(&self, entry: &Entry) -> Result<Option<Examined>> {
        let Some(FileImage { stat, handle, .. }) = self.read(entry, u64::MAX)? else { return Ok(None) };
        if stat.has_no_write_bit() {
            return error(DiskErrorKind::ReadOnly, "examine", entry);
        }
        Ok(Some(Examined { stat, pinned: None, handle }))
    }

    pub(crate) fn stage(&mut self, entry: &Entry, order: StageOrder<'_>) -> Result<Option<StagedFile>> {
        let dir = self.require_free(entry)?;
        let bits = match order.mode {
            NewMode::Plain => 0o644,
            NewMode::Executable => 0o755,
            NewMode::Bits(bits) => bits,
        };
        let mode = order.like.map_or(0o100_000 | bits, |like| like.stat.mode);
        let inode = self.insert(dir, &entry.name, Body::File(order.content.to_vec()), mode);
        let handle = Handle(HandleKind::Memory(inode));
        match self.stat_of(inode) {
            Some(stat) => Ok(Some(StagedFile { stat, handle })),
            None => error(DiskErrorKind::Io, "stage", entry),
        }
    }

    pub(crate) fn rename(&mut self, from: &Entry, to: &Entry, over: bool) -> Result<()> {
        let to_dir = if over { to.dir.as_memory()? } else { self.require_free(to)? };
        let Some(inode) = self.take(from.dir.as_memory()?, &from.name) else {
            return error(DiskErrorKind::NotFound, "rename", from);
        };
        self.take(to_dir, &to.name).into_iter().for_each(|old| self.drop_name(old));
        self.put(to_dir, &to.name, inode);
        self.renamed(inode);
        Ok(())
    }

    pub(crate) fn exchange(&mut self, a: &Entry, b: &Entry) -> Result<()> {
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

    pub(crate) fn link(&mut self, from: &Entry, to: &Entry) -> Result<()> {
        let dir = self.require_free(to)?;
        let Some(inode) = self.child(from.dir.as_memory()?, &from.name) else {
            return error(DiskErrorKind::NotFound, "link", from);
        };
        self.put(dir, &to.name, inode);
        self.add_name(inode);
        Ok(())
    }

    pub(crate) fn overwrite(&mut self, entry: &Entry, original: &Examined, content: &[u8]) -> Result<()> {
        match self.stat_entry(entry)? {
            Some(stat) if stat.same_file(&original.stat) => self.fill(stat.ino, content),
            _ => return error(DiskErrorKind::Changed, "overwrite", entry),
        }
        Ok(())
    }

    pub(crate) fn remove(&mut self, entry: &Entry) -> Result<()> {
        match self.take(entry.dir.as_memory()?, &entry.name) {
            Some(inode) => self.drop_name(inode),
            None => return error(DiskErrorKind::NotFound, "remove", entry),
        }
        Ok(())
    }

    pub(crate) fn make_dir(&mut self, entry: &Entry) -> Result<()> {
        let dir = self.require_free(entry)?;
        self.insert(dir, &entry.name, Body::Dir(BTreeMap::new()), 0o40_755);
        Ok(())
    }

    pub(crate) fn make_link(&mut self, entry: &Entry, target: &Path) -> Result<()> {
        let dir = self.require_free(entry)?;
        self.insert(dir, &entry.name, Body::Link(target.to_owned()), 0o120_777);
        Ok(())
    }

    pub(crate) fn set_entry_mode(&mut self, entry: &Entry, mode: u32) -> Result<()> {
        let clock = self.clock;
        let inode = self.child(entry.dir.as_memory()?, &entry.name);
        match inode.and_then(|inode| self.nodes.get_mut(&inode)) {
            Some(node) if !matches!(node.body, Body::Link(_)) => {
                (node.mode, node.ctime) = (node.mode & !0o7777 | mode, clock);
                Ok(())
            }
            Some(_) => error(DiskErrorKind::NotAFile { what: "a symlink" }, "set the mode of", entry),
            None => error(DiskErrorKind::NotFound, "set the mode of", entry),
        }
    }

    pub(crate) fn open_dir(&self, entry: &Entry) -> Result<Handle> {
        match self.child(entry.dir.as_memory()?, &entry.name) {
            Some(inode) if self.names(inode).is_some() => Ok(Handle(HandleKind::Memory(inode))),
            Some(_) => error(DiskErrorKind::NotAFile { what: "a path through a file" }, "open", entry),
            None => error(DiskErrorKind::NotFound, "open", entry),
        }
    }

    pub(crate) fn remove_dir(&mut self, entry: &Entry) -> Result<()> {
        let inode = self.open_dir(entry)?.as_memory()?;
        if self.names(inode).is_some_and(|names| !names.is_empty()) {
            return error(DiskErrorKind::Exists, "remove the folder", entry);
        }
        self.remove(entry)
    }

    /// Returns the folder of a name that must be free.
    fn require_free(&self, entry: &Entry) -> Result<u64> {
        let dir = entry.dir.as_memory()?;
        match self.names(dir) {
            None => error(DiskErrorKind::NotFound, "use the folder of", entry),
            Some(names) if names.contains_key(&entry.name) => error(DiskErrorKind::Exists, "create", entry),
            Some(_) => Ok(dir),
        }
    }
}
