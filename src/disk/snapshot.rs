//! Snapshots: the last known state of all files under a root, with their contents. A walk finds out what has
//! changed since, so that the changes of other programs can be recorded together with the text before.
//!
//! A snapshot is a folder with the state of each name, `tree.log`, and the contents of the files by their hash,
//! `contents`. Files that the ignore rules exclude and git does not track, folders of version control and other file
//! systems are left out.
//! A content is compressed, and its hash is checked when it is read.
//!
//! ```
//! use std::collections::HashSet;
//! use std::fs;
//! use std::sync::Arc;
//!
//! use editd_disk::{Disk, OsDisk};
//! use editd_disk::snapshot::{Room, Snapshot, SnapshotLimits, WalkControl};
//!
//! let folder = std::env::temp_dir().join(format!("editd-snapshot-{}", std::process::id()));
//! fs::create_dir_all(folder.join("shop"))?;
//! fs::write(folder.join("shop/cart.py"), "amount = 0\n")?;
//! let disk = OsDisk::default();
//! let root = disk.open_root(&folder.join("shop"))?;
//! let limits = SnapshotLimits { bytes: 1 << 20, files: 1000, file_size: 1 << 20, ignored: false };
//! let room = Arc::new(Room::of(&folder, 4 << 20));
//! let mut snapshot = Snapshot::open(&folder, (&root, root.path()), &folder.join("state"), (limits, room))?;
//! snapshot.update(&disk, &HashSet::new(), None, &WalkControl::default())?;
//! fs::write(folder.join("shop/cart.py"), "amount = 1\n")?;
//! let changes = snapshot.update(&disk, &HashSet::new(), None, &WalkControl::default())?;
//! let before = changes[0].before.as_ref().and_then(|node| node.hash()).expect("it is recorded");
//! assert_eq!(snapshot.content(before).expect("it is stored"), b"amount = 0\n");
//! # fs::remove_dir_all(folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod appeared;
mod contents;
mod log;
mod room;
mod scan;
#[cfg(test)]
mod tests;
mod tree;
mod walk;

use std::collections::HashSet;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use crate::search::{Ignores, TrackedFiles};
use crate::{Disk, DiskError, Root, Stat, make_private_folder};
use editd_text::ContentHash;
use editd_workspace::rules::is_version_control;

use appeared::Appeared;
use contents::{Contents, Stored};
use log::TreeLog;
pub use room::Room;
use scan::Scanning;
pub use tree::{Content, Difference, FileState, Node, Omission, Stamp, Tree};
pub use walk::{Walk, WalkControl, Walked};

/// Name of the file with the tree, in the folder of a snapshot.
const LOG: &str = "tree.log";
/// Name of the file with the contents.
const CONTENTS: &str = "contents";

/// Limits of a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SnapshotLimits {
    /// Maximum size of all compressed contents, in bytes.
    pub bytes: u64,
    /// Maximum number of files, links and folders.
    pub files: usize,
    /// Maximum size of a file whose content is stored, in bytes.
    pub file_size: u64,
    /// `true` if files that the ignore rules exclude are recorded, too.
    pub ignored: bool,
}

/// Reason why the state of a root is not known.
#[derive(Debug, thiserror::Error)]
pub enum NoSnapshot {
    /// The root contains too many files.
    #[error("it contains more than {limit} files")]
    TooManyFiles {
        /// The limit.
        limit: usize,
    },
    /// The walk took longer than allowed.
    #[error("reading it took longer than {} seconds", .limit.as_secs())]
    TooSlow {
        /// The limit.
        limit: Duration,
    },
    /// The contents of all snapshots reach their limit.
    #[error("the files of all projects with commands need more than {} MiB compressed", .limit >> 20)]
    NoRoom {
        /// The limit, in bytes.
        limit: u64,
    },
    /// The contents need more room than a snapshot has.
    #[error("its files need more than {} MiB compressed", .limit >> 20)]
    TooLarge {
        /// The limit, in bytes.
        limit: u64,
    },
    /// No client waits for the walk any more, or the daemon ends.
    #[error("the request was cancelled")]
    Cancelled,
    /// The root cannot be listed.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// The snapshot cannot be read or written.
    #[error("its snapshot cannot be stored: {0}")]
    Io(#[from] io::Error),
}

/// The snapshot of a root.
#[derive(Debug)]
pub struct Snapshot {
    root: Root,
    /// Top folder of the repository that contains the root.
    top: PathBuf,
    tree: Tree,
    log: TreeLog,
    contents: Arc<Contents>,
    limits: SnapshotLimits,
    /// The state folder of editd.
    own: PathBuf,
    /// `false` until the first walk is complete.
    is_known: bool,
}

impl Snapshot {
    /// Opens the snapshot of a root in a folder for snapshots, or begins one. All snapshots in the folder share the space.
    pub fn open(
        folder: &Path,
        (root, top): (&Root, &Path),
        own: &Path,
        (limits, space): (SnapshotLimits, Arc<Room>),
    ) -> Result<Self, NoSnapshot> {
        make_private_folder(folder)?;
        let folder = folder.join(name_of(root.path()));
        make_private_folder(&folder)?;
        let (log, tree) = TreeLog::open(&folder.join(LOG))?;
        let contents = Arc::new(Contents::open(&folder.join(CONTENTS), limits.bytes, space)?);
        let is_known = !tree.is_empty();
        let (root, top, own) = (root.clone(), top.to_owned(), own.to_owned());
        Ok(Self { root, top, tree, log, contents, limits, own, is_known })
    }

    /// Returns `true` if the state of the root was recorded before, so that [`update`](Self::update) finds out what
    /// has changed.
    pub fn is_known(&self) -> bool {
        self.is_known
    }

    /// Walks the root, and returns what a user can see of the changes since the last walk. Paths that `skipped`
    /// contains keep their state. If the walk fails, nothing changes. The first walk finds no changes. With a limit, it
    /// fails when it takes longer.
    pub fn update(
        &mut self,
        disk: &dyn Disk,
        skipped: &HashSet<PathBuf>,
        limit: Option<Duration>,
        control: &WalkControl,
    ) -> Result<Vec<Difference>, NoSnapshot> {
        let walked = self.walk().run(disk, limit, control)?;
        self.enter(walked, skipped)
    }

    /// Returns a walk over the root, which needs the snapshot again only for its result. One walk at a time: until its
    /// result is [entered](Self::enter), the contents must not be [compacted](Self::compact).
    pub fn walk(&self) -> Walk {
        Walk {
            root: self.root.clone(),
            top: self.top.clone(),
            tree: self.tree.clone(),
            contents: self.contents.clone(),
            limits: self.limits,
            own: self.own.clone(),
            is_first: !self.is_known,
            last: self.log.walked(),
        }
    }

    /// Enters the result of a walk, and returns what a user can see of the changes since the last one. Paths that
    /// `skipped` contains keep their state: those that were set since the walk has begun.
    pub fn enter(
        &mut self,
        Walked { found: Scanning { tree: mut later, appeared, leaving, too_long, .. }, began }: Walked,
        skipped: &HashSet<PathBuf>,
    ) -> Result<Vec<Difference>, NoSnapshot> {
        let tree = &self.tree;
        for path in skipped {
            later.set(path, tree.name(path).cloned());
            // The folders of a file may be as new as the file.
            for folder in path.ancestors().skip(1) {
                if later.name(folder).is_some() {
                    break;
                }
                later.set(folder, tree.name(folder).cloned());
            }
        }
        if !self.is_known {
            self.log.begin(&later, began)?;
            self.tree = later;
            self.is_known = true;
            return Ok(Vec::new());
        }
        let mut differences = tree.differences(&later);
        appeared::mark(&mut differences, &appeared);
        for path in too_long.into_iter().filter(|path| !skipped.contains(path)) {
            if differences.iter().all(|difference| difference.path != path) {
                let (before, after) = (tree.name(&path).cloned(), later.name(&path).cloned());
                differences.push(Difference { path, before, after });
            }
        }
        for path in &leaving {
            later.hide(path);
        }
        let changed = tree.compare(&later, |before, after| before != after);
        // What is not in the log is compared again by the next daemon, so the tree must not be newer than the log.
        self.log.record(&changed, &later, Some(began))?;
        self.tree = later;
        Ok(differences)
    }

    /// Returns the difference between a recorded state of a file and the present one. If the file was there before
    /// and was not recorded, its state before is hidden.
    pub fn difference(&self, disk: &dyn Disk, path: &Path, before: Option<Node>) -> Option<Difference> {
        let after = self.tree.node(path).cloned();
        let is_changed = match (&before, &after) {
            (Some(before), Some(after)) => !before.equals(after),
            (before, after) => before.is_some() != after.is_some(),
        };
        let was_there = || Appeared::new(&self.tree, self.log.walked()).is_at(disk, &self.root, path);
        let is_hidden = is_changed && before.is_none() && was_there();
        let before = if is_hidden { Some(Node::Hidden) } else { before };
        is_changed.then(|| Difference { path: path.to_owned(), before, after })
    }

    /// Sets the state of a file that editd or an editor has written. `content` is the content that it was given;
    /// `None` if there is no file now.
    pub fn set(
        &mut self,
        disk: &dyn Disk,
        path: &Path,
        content: Option<(&Stat, &[u8])>,
    ) -> Result<(), NoSnapshot> {
        let node = content.map(|(stat, bytes)| {
            let hash = ContentHash::of(bytes);
            let content = match self.contents.put(hash, bytes)? {
                Stored::Yes => Content::Stored(hash),
                Stored::NoRoom => Content::Omitted(Omission::NoRoom),
            };
            Ok::<_, io::Error>(Node::File(FileState { stamp: Stamp::of(stat), content }))
        });
        let node = node.transpose()?;
        let mut changed = Vec::new();
        if node.is_some() {
            changed = self.new_folders(disk, path);
        }
        changed.push(Difference {
            path: path.to_owned(),
            before: self.tree.node(path).cloned(),
            after: node,
        });
        for Difference { path, after, .. } in &changed {
            self.tree.set(path, after.clone());
        }
        Ok(self.log.record(&changed, &self.tree, None)?)
    }

    /// Returns the folders of a path that are not recorded yet.
    fn new_folders(&self, disk: &dyn Disk, path: &Path) -> Vec<Difference> {
        let folders = path.ancestors().skip(1).take_while(|folder| folder.file_name().is_some());
        let unknown = folders.filter(|folder| self.tree.node(folder).is_none());
        let state = |folder: &Path| {
            let stat = disk.peek(&self.root, folder).ok()??;
            let after = Some(Node::Folder { mode: Stamp::of(&stat).mode, ino: stat.ino });
            Some(Difference { path: folder.to_owned(), before: None, after })
        };
        unknown.filter_map(state).collect()
    }

    /// Returns `true` if a walk records this path from the root, if there is a file.
    pub fn covers(&self, disk: &dyn Disk, path: &Path) -> bool {
        let mut folders = path.ancestors().skip(1).filter_map(|folder| self.tree.name(folder));
        if folders.any(|folder| folder.is_mount() || *folder == Node::Hidden) {
            return false;
        }
        match self.tree.name(path) {
            Some(Node::Hidden) => return false,
            Some(node) if node.is_mount() => return false,
            Some(_) => return true,
            None => {}
        }
        let mut ignores = Ignores::around(disk, &self.root, &self.top, Path::new(""));
        let (mut here, mut top, mut is_excluded) = (PathBuf::new(), self.top.clone(), false);
        let last = path.iter().count();
        let can_be_recorded = path.iter().enumerate().all(|(at, name)| {
            ignores = ignores.within(disk, &self.root, &here, |_| true);
            if disk.peek(&self.root, &here.join(".git")).is_ok_and(|found| found.is_some()) {
                (top, is_excluded) = (self.root.path().join(&here), false);
            }
            here.push(name);
            let absolute = self.root.path().join(&here);
            is_excluded |= !self.limits.ignored && ignores.ignore(&absolute, at + 1 < last);
            !is_version_control(Path::new(name)) && absolute != self.own
        });
        can_be_recorded && (!is_excluded || TrackedFiles::new(top).has(&self.root.path().join(path)))
    }

    /// Returns the recorded state of a path from the root.
    pub fn node(&self, path: &Path) -> Option<&Node> {
        self.tree.node(path)
    }

    /// Returns the number of recorded names.
    pub fn len(&self) -> usize {
        self.tree.len()
    }

    /// Returns `true` if no name is recorded.
    pub fn is_empty(&self) -> bool {
        self.tree.is_empty()
    }

    /// Returns a stored content.
    pub fn content(&self, hash: ContentHash) -> Option<Vec<u8>> {
        self.contents.get(hash)
    }

    /// Frees the space of contents that no file has anymore.
    pub fn compact(&self) -> io::Result<()> {
        self.contents.compact(|| self.tree.nodes().filter_map(|(_, node)| node.hash()).collect())
    }
}

/// Returns the name of the folder with the snapshot of a root.
pub fn name_of(root: &Path) -> String {
    ContentHash::of(root.as_os_str().as_bytes()).to_string().replace(':', "-")
}

/// Removes the snapshots that were not used since a time.
pub fn remove_unused(folder: &Path, since: SystemTime) -> io::Result<()> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let path = entry?.path();
        let used = fs::metadata(path.join(LOG)).and_then(|metadata| metadata.modified());
        if used.is_ok_and(|used| used < since) {
            fs::remove_dir_all(path)?;
        }
    }
    Ok(())
}
