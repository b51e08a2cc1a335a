//! The real disk.

mod attributes;
mod open;
mod read;
mod resolve;
mod state;
mod write;

use super::error::ErrnoContext;
use super::sys::{is_unsupported, system};
use crate::{
    Disk, DiskError, Entry, Examined, Expected, FileBytes, FileImage, Flush, Handle, Lease, Listed, Result,
    Root, Scanned, Sink, StageOrder, StagedFile, Stat, Streamed, Target,
};
use rustix::fs::{
    AtFlags, Mode, OFlags, RenameFlags, fchmod, fstat, linkat, mkdirat, openat, renameat, statat, symlinkat,
    unlinkat,
};
use rustix::io::Errno;
use state::stat_entry;
use std::io::Read;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use write::Appender;

/// The file system of this machine.
#[derive(Debug)]
pub struct OsDisk {
    umask: u32,
    appender: Appender,
}

impl Default for OsDisk {
    fn default() -> Self {
        Self::new()
    }
}

impl OsDisk {
    /// Creates a disk. New files get their mode from the current umask, so a daemon that sets its own umask
    /// must create its disk first.
    pub fn new() -> Self {
        Self { umask: system().umask(), appender: Appender::default() }
    }
}

impl Disk for OsDisk {
    fn open_root(&self, path: &Path) -> Result<Root> {
        open::open_root(path)
    }

    fn resolve(&self, root: &Root, relative: &Path) -> Result<Target> {
        resolve::resolve(root, relative)
    }

    fn stat(&self, target: &Target) -> Result<Option<Stat>> {
        let Some(entry) = target.entry() else { return Ok(None) };
        Ok(stat_entry(&entry)?.map(|stat| target.root.mark_racy(stat)))
    }

    fn read(&self, target: &Target, limit: u64) -> Result<Option<FileImage>> {
        let Some(entry) = target.entry() else { return Ok(None) };
        let Some(mut image) = self.read_entry(&entry, limit)? else { return Ok(None) };
        image.stat = target.root.mark_racy(image.stat);
        Ok(Some(image))
    }

    fn stream(&self, target: &Target, sink: Sink<'_>) -> Result<Option<Streamed>> {
        let Some(entry) = target.entry() else { return Ok(None) };
        read::stream(&entry, sink)
    }

    fn peek(&self, root: &Root, below: &Path) -> Result<Option<Stat>> {
        stat_entry(&root.entry(below))
    }

    fn folder(&self, root: &Root, relative: &Path) -> Result<PathBuf> {
        resolve::resolve_folder(root, relative)
    }

    fn list(&self, root: &Root, folder: &Path) -> Result<Vec<Listed>> {
        open::list(root, folder)
    }

    fn scan(&self, root: &Root, folder: &Path) -> Result<Vec<Scanned>> {
        open::scan(root, folder)
    }

    fn read_below(&self, root: &Root, below: &Path, limit: u64) -> Result<FileImage> {
        let file = open::open_file(root, below)?;
        let mut image = read::read(&OwnedFd::from(file).into(), &root.path().join(below), limit)?;
        image.stat = root.mark_racy(image.stat);
        Ok(image)
    }

    fn read_link(&self, root: &Root, below: &Path) -> Result<PathBuf> {
        open::read_link(root, below)
    }

    fn open_file(&self, root: &Root, below: &Path) -> Result<Box<dyn Read + Send>> {
        Ok(Box::new(open::open_file(root, below)?))
    }

    fn behind_mounts(&self, root: &Root, target: Option<&Target>) -> Result<Option<PathBuf>> {
        if target.is_some_and(|target| root.has_mount_of(target)) {
            return Ok(None);
        }
        system().behind_mounts(root, target)
    }

    fn confirm(&self, target: &Target) -> Result<()> {
        open::confirm(target)
    }

    fn stat_entry(&self, entry: &Entry) -> Result<Option<Stat>> {
        stat_entry(entry)
    }

    fn read_entry(&self, entry: &Entry, limit: u64) -> Result<Option<FileImage>> {
        let Some(fd) = read::open(entry)? else { return Ok(None) };
        read::read(&fd.into(), &entry.path, limit).map(Some)
    }

    fn holds(&self, entry: &Entry, bytes: &FileBytes) -> Result<bool> {
        let Some(fd) = read::open(entry)? else { return Ok(false) };
        read::holds(&fd.into(), &entry.path, bytes)
    }

    /// Programs that watch the folder do not see another open.
    fn holds_held(&self, held: &Handle, path: &Path, bytes: &FileBytes) -> Result<bool> {
        read::holds(held, path, bytes)
    }

    fn examine(&self, entry: &Entry, expected: Option<&Expected>) -> Result<Option<Examined>> {
        attributes::examine(entry, expected)
    }

    fn stage(&self, entry: &Entry, order: StageOrder<'_>) -> Result<Option<StagedFile>> {
        write::stage(entry, order, self.umask)
    }

    fn rename_over(&self, from: &Entry, to: &Entry) -> Result<()> {
        renameat(&from.dir, &from.name, &to.dir, &to.name).context("replace", &to.path)
    }

    fn rename_new(&self, from: &Entry, to: &Entry) -> Result<()> {
        match rename(from, to, RenameFlags::NOREPLACE) {
            Err(errno) if is_rename_unsupported(errno) => link_and_remove(self, from, to),
            result => result.context("rename to", &to.path),
        }
    }

    fn exchange(&self, a: &Entry, b: &Entry) -> Result<bool> {
        match rename(a, b, RenameFlags::EXCHANGE) {
            Err(errno) if is_rename_unsupported(errno) => Ok(false),
            result => result.map(|()| true).context("replace", &b.path),
        }
    }

    fn link(&self, from: &Entry, to: &Entry) -> Result<bool> {
        match linkat(&from.dir, &from.name, &to.dir, &to.name, AtFlags::empty()) {
            Err(errno) if is_link_unsupported(errno) => Ok(false),
            result => result.map(|()| true).context("keep", &from.path),
        }
    }

    fn overwrite(&self, entry: &Entry, original: &Examined, content: &[u8]) -> Result<()> {
        write::overwrite(entry, original, content)
    }

    fn append(&self, entry: &Entry, bytes: &[u8], flush: Flush) -> Result<()> {
        self.appender.append(entry, bytes, flush)
    }

    fn read_held(&self, held: &Handle, path: &Path, limit: u64) -> Result<FileImage> {
        read::read(held, path, limit)
    }

    fn stat_held(&self, held: &Handle, path: &Path) -> Result<Stat> {
        state::state(held, "read", path)
    }

    fn lease(&self, held: &Handle) -> Option<Lease> {
        system().lease(held)
    }

    fn remove(&self, entry: &Entry) -> Result<()> {
        unlinkat(&entry.dir, &entry.name, AtFlags::empty()).context("remove", &entry.path)
    }

    fn make_dir(&self, entry: &Entry) -> Result<()> {
        mkdirat(&entry.dir, &entry.name, permissions(0o777)).context("create the folder", &entry.path)?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        // The folder exists now, so a mode that cannot be checked or corrected is not a failure.
        let Ok(fd) = openat(&entry.dir, &entry.name, flags, Mode::empty()) else { return Ok(()) };
        let wanted = 0o777 & !self.umask;
        let present = fstat(&fd).map_or(wanted, |raw| Stat::of(&raw).mode);
        if present & 0o777 != wanted && !system().ignores_umask(fd.as_fd()) {
            fchmod(&fd, permissions(present & 0o7000 | wanted)).ok();
        }
        Ok(())
    }

    fn make_link(&self, entry: &Entry, target: &Path) -> Result<()> {
        symlinkat(target, &entry.dir, &entry.name).context("create the link", &entry.path)
    }

    fn set_mode(&self, entry: &Entry, mode: u32) -> Result<()> {
        attributes::set_mode(entry, mode)
    }

    fn open_dir(&self, entry: &Entry) -> Result<Handle> {
        let flags = system().held_folder() | OFlags::NOFOLLOW;
        openat(&entry.dir, &entry.name, flags, Mode::empty())
            .map(Handle::from)
            .context("open the folder", &entry.path)
    }

    fn remove_dir(&self, entry: &Entry) -> Result<()> {
        unlinkat(&entry.dir, &entry.name, AtFlags::REMOVEDIR).context("remove the folder", &entry.path)
    }

    fn sync_dir(&self, dir: &Handle, path: &Path) -> Result<()> {
        const OPERATION: &str = "flush the folder";
        // On Linux, the held handle is an `O_PATH` descriptor, which cannot be flushed.
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let fd = openat(dir, ".", flags, Mode::empty()).context(OPERATION, path)?;
        match system().flush(fd.as_fd()) {
            // The file system has nothing to flush for folders.
            Err(Errno::INVAL) => Ok(()),
            result => result.context(OPERATION, path),
        }
    }
}

/// Converts permission bits to the type of the system, which has 16 bits on some systems.
fn permissions(bits: u32) -> Mode {
    Mode::from_bits_truncate(bits as rustix::fs::RawMode)
}

/// Renames in a special way.
fn rename(from: &Entry, to: &Entry, how: RenameFlags) -> rustix::io::Result<()> {
    system().rename((from.dir.as_fd(), &from.name), (to.dir.as_fd(), &to.name), how)
}

/// Renames with a link and a removal, for a file system that cannot restrict a rename to a free name.
fn link_and_remove(disk: &OsDisk, from: &Entry, to: &Entry) -> Result<()> {
    match linkat(&from.dir, &from.name, &to.dir, &to.name, AtFlags::empty()) {
        Ok(()) => disk.remove(from),
        Err(errno) if is_link_unsupported(errno) => check_and_rename(disk, from, to),
        Err(errno) => Err(DiskError::from_errno(errno, "link to", &to.path)),
    }
}

/// Renames on a file system that has no hard links either (exFAT through FUSE). Weaker: a file that another
/// program creates between the check and the rename is lost.
fn check_and_rename(disk: &OsDisk, from: &Entry, to: &Entry) -> Result<()> {
    match statat(&to.dir, &to.name, AtFlags::SYMLINK_NOFOLLOW) {
        Err(Errno::NOENT) => disk.rename_over(from, to),
        result => Err(DiskError::from_errno(result.err().unwrap_or(Errno::EXIST), "rename to", &to.path)),
    }
}

/// Returns `true` if a link is not possible: the system may forbid links to files of other owners, or the
/// file system has no links.
fn is_link_unsupported(errno: Errno) -> bool {
    matches!(errno, Errno::PERM | Errno::MLINK) || is_rename_unsupported(errno)
}

/// Returns `true` for the errors of file systems that do not support a kind of rename.
fn is_rename_unsupported(errno: Errno) -> bool {
    errno == Errno::INVAL || is_unsupported(errno)
}
