//! Tests of the disks and of the commit.

mod aside;
mod attributes;
mod bases;
mod crash;
mod escapes;
mod hostile;
#[cfg(target_os = "linux")]
mod limits;
mod reading;
mod recovering;
mod sets;
mod single;
mod trees;
mod watching;
mod writers;

use super::*;
use editd_workspace::NewMode;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;

/// Larger than any test file.
const LIMIT: u64 = 1 << 20;

/// Returns `true` if the real disk uses only calls of all POSIX systems. docs/reliability.md lists what is weaker.
fn is_portable() -> bool {
    weaker_system().is_some()
}

/// Creates a named pipe or a device with the program for it: not every system has a call that `rustix` knows.
fn make_node(path: &Path, kind: &[&str]) {
    let status = std::process::Command::new("mknod").arg(path).args(kind).status().expect("mknod(1)");
    assert!(status.success(), "mknod {}: a device needs root", path.display());
}

/// A workspace on the real disk, with a neighbor folder that must stay untouched.
struct Fixture {
    dir: TempDir,
    disk: OsDisk,
    root: Root,
}

impl Fixture {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("a temporary folder");
        fs::create_dir_all(dir.path().join("ws")).expect("the workspace");
        fs::create_dir_all(dir.path().join("ws-evil")).expect("the neighbour");
        fs::write(dir.path().join("ws-evil/canary"), "alive").expect("the canary");
        let disk = OsDisk::new();
        let root = disk.open_root(&dir.path().join("ws")).expect("the root");
        Self { dir, disk, root }
    }

    fn path(&self, relative: &str) -> PathBuf {
        self.root.path().join(relative)
    }

    fn write(&self, relative: &str, text: impl AsRef<[u8]>) {
        let path = self.path(relative);
        fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        fs::write(path, text).expect("a file");
    }

    fn text(&self, relative: &str) -> String {
        fs::read_to_string(self.path(relative)).expect("a readable file")
    }

    fn target(&self, relative: &str) -> Target {
        self.disk.resolve(&self.root, Path::new(relative)).expect("a place")
    }

    fn commit(&self, changes: &[Change]) -> std::result::Result<Vec<Committed>, CommitError> {
        commit(&self.disk, changes, Durability::Process)
    }

    /// Returns everything under the workspace by path: content of files, `None` for folders.
    fn all(&self) -> std::collections::BTreeMap<PathBuf, Option<Vec<u8>>> {
        let mut all = std::collections::BTreeMap::new();
        let mut folders = vec![self.root.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry")) {
                let is_dir = entry.file_type().expect("a type").is_dir();
                all.insert(entry.path(), (!is_dir).then(|| fs::read(entry.path()).expect("a file")));
                if is_dir {
                    folders.push(entry.path());
                }
            }
        }
        all
    }
}

/// Rescued texts, with the paths of their files.
#[derive(Default)]
struct RescuedTexts(parking_lot::Mutex<Vec<(PathBuf, Vec<u8>)>>);

impl Rescue for RescuedTexts {
    fn keep(&self, path: &Path, bytes: &[u8], _: LossReason) -> std::io::Result<()> {
        self.0.lock().push((path.to_owned(), bytes.to_owned()));
        Ok(())
    }
}

/// A private journal and the texts that it rescued. Open it before making the disk fail.
struct TestJournal {
    journal: Journal,
    kept: Arc<RescuedTexts>,
    _folder: TempDir,
}

impl TestJournal {
    fn on(disk: &dyn Disk) -> Self {
        let (kept, folder) = (Arc::new(RescuedTexts::default()), tempfile::tempdir().expect("a folder"));
        // The memory disk may have the journal's folder itself.
        let inside = Path::new("/state");
        let at = if disk.open_root(inside).is_ok() { inside } else { folder.path() };
        let (journal, _) = Journal::open(disk, at, kept.clone()).expect("a journal");
        Self { journal, kept, _folder: folder }
    }

    fn commit(
        &self,
        disk: &dyn Disk,
        changes: &[Change],
        durability: Durability,
    ) -> std::result::Result<Vec<Committed>, CommitError> {
        super::commit(disk, &self.journal, changes, durability)
    }

    /// The rescued texts.
    fn kept(&self) -> Vec<String> {
        let kept = self.kept.0.lock();
        kept.iter().map(|(_, text)| String::from_utf8_lossy(text).into_owned()).collect()
    }
}

/// Commits with a new journal.
fn commit(
    disk: &dyn Disk,
    changes: &[Change],
    durability: Durability,
) -> std::result::Result<Vec<Committed>, CommitError> {
    TestJournal::on(disk).commit(disk, changes, durability)
}

/// Returns what a caller that has just read the file expects.
fn expected(disk: &dyn Disk, target: &Target) -> Expected {
    Expected::image(&disk.read(target, LIMIT).expect("readable").expect("there"))
}

fn replace(disk: &dyn Disk, target: &Target, text: &str) -> Change {
    let expect = expected(disk, target);
    Change::Replace { target: target.clone(), content: bytes(text), expect }
}

fn create(target: &Target, text: &str) -> Change {
    Change::Create { target: target.clone(), content: bytes(text), mode: NewMode::Plain }
}

fn delete(disk: &dyn Disk, target: &Target) -> Change {
    Change::Delete { target: target.clone(), expect: expected(disk, target) }
}

fn rename(disk: &dyn Disk, from: &Target, to: &Target, text: Option<&str>) -> Change {
    let expect = expected(disk, from);
    Change::Rename { from: from.clone(), to: to.clone(), expect, content: text.map(bytes) }
}

fn bytes(text: &str) -> FileBytes {
    text.as_bytes().to_vec().into()
}
