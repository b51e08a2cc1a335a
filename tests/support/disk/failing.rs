//! A disk whose k-th primitive fails, or is preceded by an action of another program.

use crate::{
    Disk, DiskError, DiskErrorKind, Entry, Examined, Expected, FileBytes, FileImage, Flush, Handle, Lease,
    Listed, Result, Root, Scanned, Sink, StageOrder, StagedFile, Stat, Streamed, Target,
};
use parking_lot::Mutex;
use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};

/// A fault injected at a counted call.
enum Fault {
    /// The call fails without any effect.
    Error(DiskErrorKind),
    /// The call fails after its full effect.
    Late(DiskErrorKind),
    /// The call and all later ones fail.
    Broken(DiskErrorKind),
    /// The call panics.
    Panic,
    /// An action runs right before the call.
    Interpose(Box<dyn FnMut() + Send>),
}

/// The calls counted so far, and the fault to inject.
#[derive(Default)]
struct Plan {
    calls: usize,
    fault: Option<(usize, Fault)>,
}

/// A disk that delegates to another one and counts the primitives, starting at 1.
pub struct FailingDisk<D> {
    inner: D,
    plan: Mutex<Plan>,
}

impl<D> fmt::Debug for FailingDisk<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FailingDisk").field("calls", &self.calls()).finish_non_exhaustive()
    }
}

impl<D> FailingDisk<D> {
    /// Creates a disk without a fault.
    pub fn new(inner: D) -> Self {
        Self { inner, plan: Mutex::default() }
    }

    /// The underlying disk.
    pub fn inner(&self) -> &D {
        &self.inner
    }

    /// Makes the k-th primitive from now on fail once.
    pub fn fail_at(&self, k: usize, kind: DiskErrorKind) {
        self.arm(k, Fault::Error(kind));
    }

    /// Makes the k-th primitive from now on fail once, after its effect. Applies only to primitives that
    /// change names; the others fail without an effect.
    pub fn fail_late_at(&self, k: usize, kind: DiskErrorKind) {
        self.arm(k, Fault::Late(kind));
    }

    /// Makes the k-th primitive from now on and every later one fail.
    pub fn fail_from(&self, k: usize, kind: DiskErrorKind) {
        self.arm(k, Fault::Broken(kind));
    }

    /// Makes the k-th primitive from now on panic once, without any effect.
    pub fn panic_at(&self, k: usize) {
        self.arm(k, Fault::Panic);
    }

    /// Runs an action right before the k-th primitive from now on.
    pub fn run_at(&self, k: usize, what: impl FnMut() + Send + 'static) {
        self.arm(k, Fault::Interpose(Box::new(what)));
    }

    /// Number of primitives called since the last fault was set.
    pub fn calls(&self) -> usize {
        self.plan.lock().calls
    }

    /// Returns `true` if a failing write still writes half of its bytes. The write at which a fault sets in
    /// does; a disk that is already broken writes nothing.
    fn writes_halves(&self) -> bool {
        let plan = self.plan.lock();
        !matches!(&plan.fault, Some((k, Fault::Broken(_))) if plan.calls > *k)
    }

    fn arm(&self, k: usize, fault: Fault) {
        *self.plan.lock() = Plan { calls: 0, fault: Some((k, fault)) };
    }

    /// Counts a call that changes names and delegates it; fails before or after it as the fault requires.
    fn around<T>(
        &self,
        operation: &'static str,
        path: &Path,
        call: impl FnOnce(&D) -> Result<T>,
    ) -> Result<T> {
        let counted = self.count(operation, path);
        let late = matches!(&self.plan.lock().fault, Some((_, Fault::Late(_))));
        match counted {
            Err(error) if late => call(&self.inner).and(Err(error)),
            Err(error) => Err(error),
            Ok(()) => call(&self.inner),
        }
    }

    /// Counts a call; fails if the fault applies to it.
    fn count(&self, operation: &'static str, path: &Path) -> Result<()> {
        let mut plan = self.plan.lock();
        plan.calls += 1;
        let calls = plan.calls;
        let kind = match &mut plan.fault {
            Some((k, Fault::Interpose(what))) if calls == *k => {
                what();
                return Ok(());
            }
            Some((k, Fault::Panic)) if calls == *k => {
                drop(plan);
                panic!("the disk was set to panic at call {calls}");
            }
            Some((k, Fault::Error(kind) | Fault::Late(kind))) if calls == *k => kind.clone(),
            Some((k, Fault::Broken(kind))) if calls >= *k => kind.clone(),
            _ => return Ok(()),
        };
        Err(DiskError::new(kind, operation, path))
    }
}

/// Returns the content of a file after half of its new content was written over the old one.
pub(super) fn half_written(old: &[u8], new: &[u8]) -> Vec<u8> {
    let half = new.len() / 2;
    [&new[..half], old.get(half..).unwrap_or_default()].concat()
}

impl<D: Disk> Disk for FailingDisk<D> {
    fn open_root(&self, path: &Path) -> Result<Root> {
        self.inner.open_root(path)
    }

    fn resolve(&self, root: &Root, relative: &Path) -> Result<Target> {
        self.inner.resolve(root, relative)
    }

    fn stat(&self, target: &Target) -> Result<Option<Stat>> {
        self.inner.stat(target)
    }

    fn read(&self, target: &Target, limit: u64) -> Result<Option<FileImage>> {
        self.inner.read(target, limit)
    }

    fn stream(&self, target: &Target, sink: Sink<'_>) -> Result<Option<Streamed>> {
        self.inner.stream(target, sink)
    }

    fn peek(&self, root: &Root, below: &Path) -> Result<Option<Stat>> {
        self.inner.peek(root, below)
    }

    fn folder(&self, root: &Root, relative: &Path) -> Result<PathBuf> {
        self.inner.folder(root, relative)
    }

    fn list(&self, root: &Root, folder: &Path) -> Result<Vec<Listed>> {
        self.inner.list(root, folder)
    }

    fn scan(&self, root: &Root, folder: &Path) -> Result<Vec<Scanned>> {
        self.inner.scan(root, folder)
    }

    fn read_below(&self, root: &Root, below: &Path, limit: u64) -> Result<FileImage> {
        self.inner.read_below(root, below, limit)
    }

    fn read_link(&self, root: &Root, below: &Path) -> Result<PathBuf> {
        self.inner.read_link(root, below)
    }

    fn open_file(&self, root: &Root, below: &Path) -> Result<Box<dyn Read + Send>> {
        self.inner.open_file(root, below)
    }

    fn behind_mounts(&self, root: &Root, target: Option<&Target>) -> Result<Option<PathBuf>> {
        self.inner.behind_mounts(root, target)
    }

    fn confirm(&self, target: &Target) -> Result<()> {
        self.count("confirm", &target.path)?;
        self.inner.confirm(target)
    }

    fn stat_entry(&self, entry: &Entry) -> Result<Option<Stat>> {
        self.count("check", &entry.path)?;
        self.inner.stat_entry(entry)
    }

    fn read_entry(&self, entry: &Entry, limit: u64) -> Result<Option<FileImage>> {
        self.count("read", &entry.path)?;
        self.inner.read_entry(entry, limit)
    }

    fn holds(&self, entry: &Entry, bytes: &FileBytes) -> Result<bool> {
        self.count("compare", &entry.path)?;
        self.inner.holds(entry, bytes)
    }

    fn holds_held(&self, held: &Handle, path: &Path, bytes: &FileBytes) -> Result<bool> {
        self.count("compare", path)?;
        self.inner.holds_held(held, path, bytes)
    }

    fn examine(&self, entry: &Entry, expected: Option<&Expected>) -> Result<Option<Examined>> {
        self.count("examine", &entry.path)?;
        self.inner.examine(entry, expected)
    }

    fn stage(&self, entry: &Entry, order: StageOrder<'_>) -> Result<Option<StagedFile>> {
        self.count("stage", &entry.path)?;
        self.inner.stage(entry, order)
    }

    fn rename_over(&self, from: &Entry, to: &Entry) -> Result<()> {
        self.around("rename over", &to.path, |inner| inner.rename_over(from, to))
    }

    fn rename_new(&self, from: &Entry, to: &Entry) -> Result<()> {
        self.around("rename to", &to.path, |inner| inner.rename_new(from, to))
    }

    fn exchange(&self, a: &Entry, b: &Entry) -> Result<bool> {
        self.around("exchange", &b.path, |inner| inner.exchange(a, b))
    }

    fn link(&self, from: &Entry, to: &Entry) -> Result<bool> {
        self.around("link", &from.path, |inner| inner.link(from, to))
    }

    fn overwrite(&self, entry: &Entry, original: &Examined, content: &[u8]) -> Result<()> {
        // A failing write has often written something. Writing half of the bytes is the hardest case for the
        // rollback.
        if let Err(error) = self.count("overwrite", &entry.path) {
            if self.writes_halves() {
                let old = self.inner.read_entry(entry, u64::MAX)?.map(|image| image.bytes);
                let half = half_written(&old.unwrap_or_default(), content);
                self.inner.overwrite(entry, original, &half)?;
            }
            return Err(error);
        }
        self.inner.overwrite(entry, original, content)
    }

    fn append(&self, entry: &Entry, bytes: &[u8], flush: Flush) -> Result<()> {
        if let Err(error) = self.count("append to", &entry.path) {
            if self.writes_halves() {
                self.inner.append(entry, &bytes[..bytes.len() / 2], flush)?;
            }
            return Err(error);
        }
        self.inner.append(entry, bytes, flush)
    }

    fn read_held(&self, held: &Handle, path: &Path, limit: u64) -> Result<FileImage> {
        self.inner.read_held(held, path, limit)
    }

    fn stat_held(&self, held: &Handle, path: &Path) -> Result<Stat> {
        self.inner.stat_held(held, path)
    }

    fn lease(&self, held: &Handle) -> Option<Lease> {
        self.inner.lease(held)
    }

    fn remove(&self, entry: &Entry) -> Result<()> {
        self.around("remove", &entry.path, |inner| inner.remove(entry))
    }

    fn make_dir(&self, entry: &Entry) -> Result<()> {
        self.around("make the folder", &entry.path, |inner| inner.make_dir(entry))
    }

    fn make_link(&self, entry: &Entry, target: &Path) -> Result<()> {
        self.around("create the link", &entry.path, |inner| inner.make_link(entry, target))
    }

    fn set_mode(&self, entry: &Entry, mode: u32) -> Result<()> {
        self.around("set the mode", &entry.path, |inner| inner.set_mode(entry, mode))
    }

    fn open_dir(&self, entry: &Entry) -> Result<Handle> {
        self.count("open the folder", &entry.path)?;
        self.inner.open_dir(entry)
    }

    fn remove_dir(&self, entry: &Entry) -> Result<()> {
        self.around("remove the folder", &entry.path, |inner| inner.remove_dir(entry))
    }

    fn sync_dir(&self, dir: &Handle, path: &Path) -> Result<()> {
        self.count("flush the folder", path)?;
        self.inner.sync_dir(dir, path)
    }
}
