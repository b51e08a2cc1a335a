//! Walks a root, and reads the files that have changed since the last walk.

use std::ffi::OsStr;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::disk::{Disk, DiskError, DiskErrorKind, Kind, Root, Scanned, Stat};
use crate::search::Ignores;
use crate::text::ContentHash;
use crate::workspace::rules::is_version_control;

use super::contents::{Contents, Stored};
use super::tree::{Content, FileState, Folder, Node, Omission, Stamp, Tree};
use super::{NoSnapshot, SnapshotLimits, WalkControl};

/// Number of folders of one level from which on several threads share them.
const WORTH_SHARING: usize = 8;
/// Maximum number of threads.
const MAX_THREADS: usize = 4;

/// A walk over a root.
pub(super) struct Scan<'a> {
    pub(super) disk: &'a dyn Disk,
    pub(super) root: &'a Root,
    /// Top folder of the repository, in which ignore rules apply.
    pub(super) top: &'a Path,
    /// The tree of the last walk.
    pub(super) before: &'a Tree,
    pub(super) contents: &'a Contents,
    pub(super) limits: &'a SnapshotLimits,
    /// Absolute path of a folder that is never entered: the state folder of editd.
    pub(super) own: &'a Path,
    /// The moment at which the walk fails, and the time that it had.
    pub(super) until: Option<(Instant, Duration)>,
    /// Progress of the walk, and the wish to end it.
    pub(super) control: &'a WalkControl,
    /// `true` if the contents of the root were never recorded: the walk fails if there is no room for all.
    pub(super) is_first: bool,
}

/// A folder that waits for its visit, with the ignore rules of its parents.
type Waiting = (PathBuf, Ignores);

/// A visited folder.
struct Visited {
    path: PathBuf,
    folder: Arc<Folder>,
    below: Vec<Waiting>,
    /// Folders that cannot be listed; their last recorded state is kept.
    unreadable: Vec<PathBuf>,
}

impl Scan<'_> {
    /// Returns the tree as it is now. The contents of all new files are stored.
    pub(super) fn tree(&self) -> Result<Tree, NoSnapshot> {
        let mut level =
            vec![(PathBuf::new(), Ignores::around(self.disk, self.root, self.top, Path::new("")))];
        let mut tree = Tree::default();
        while !level.is_empty() {
            let visited = self.visit_all(&level)?;
            level.clear();
            for Visited { path, folder, below, unreadable } in visited {
                tree.insert(path, folder);
                level.extend(below);
                for path in unreadable {
                    tree.insert_below(&path, self.before);
                }
            }
        }
        Ok(tree)
    }

    /// Visits the folders of a level.
    fn visit_all(&self, level: &[Waiting]) -> Result<Vec<Visited>, NoSnapshot> {
        let cores = thread::available_parallelism().map_or(1, NonZero::get).min(MAX_THREADS);
        if level.len() < WORTH_SHARING || cores == 1 {
            return level.iter().filter_map(|waiting| self.visit(waiting).transpose()).collect();
        }
        let next = AtomicUsize::new(0);
        let take = || level.get(next.fetch_add(1, Ordering::Relaxed));
        let work = || -> Result<Vec<Visited>, NoSnapshot> {
            std::iter::from_fn(take).filter_map(|waiting| self.visit(waiting).transpose()).collect()
        };
        thread::scope(|scope| {
            let threads: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
            let mut visited = Vec::with_capacity(level.len());
            for thread in threads {
                visited.extend(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
            }
            Ok(visited)
        })
    }

    /// Visits a folder. Returns `None` if it no longer exists.
    fn visit(&self, (path, around): &Waiting) -> Result<Option<Visited>, NoSnapshot> {
        let listed = match self.disk.scan(self.root, path) {
            Ok(listed) => listed,
            Err(error) if path.as_os_str().is_empty() => return Err(error.into()),
            Err(DiskError { kind: DiskErrorKind::NotFound, .. }) => return Ok(None),
            Err(_) => {
                let folder = self.before.folder(path).cloned().unwrap_or_default();
                let unreadable = vec![path.clone()];
                return Ok(Some(Visited { path: path.clone(), folder, below: Vec::new(), unreadable }));
            }
        };
        let holds = |name: &OsStr| listed.iter().any(|it| it.name == name);
        let ignores = around.within(self.disk, self.root, path, holds);
        let before = self.before.folder(path);
        let (mut names, mut below) = (Vec::with_capacity(listed.len()), Vec::new());
        let absolute = self.root.path().join(path);
        for Scanned { name, stat } in listed {
            self.check()?;
            let kind = stat.kind();
            let here = absolute.join(&name);
            let known = before.and_then(|before| before.get(&name));
            // A recorded name is no metadata of version control, which keeps its own history.
            if known.is_none() && is_version_control(Path::new(&name))
                || here == self.own
                || !self.limits.ignored && ignores.ignore(&here, kind == Kind::Folder)
            {
                continue;
            }
            let path = path.join(&name);
            let node = self.node(&path, &stat, known);
            if matches!(node, Some(Node::Folder { .. })) {
                below.push((path, ignores.clone()));
            }
            if node.is_some() {
                self.count_name()?;
            }
            names.extend(node.map(|node| (name, node)));
        }
        let folder = Folder::new(names);
        // Trees share the folders that have not changed.
        let folder = match before {
            Some(before) if **before == folder => before.clone(),
            _ => Arc::new(folder),
        };
        Ok(Some(Visited { path: path.clone(), folder, below, unreadable: Vec::new() }))
    }

    /// Counts a name, and fails at the limit.
    fn count_name(&self) -> Result<(), NoSnapshot> {
        let names = self.control.names.fetch_add(1, Ordering::Relaxed);
        if names >= self.limits.files {
            return Err(NoSnapshot::TooManyFiles { limit: self.limits.files });
        }
        Ok(())
    }

    /// Fails if the walk must end.
    fn check(&self) -> Result<(), NoSnapshot> {
        if self.control.is_cancelled() {
            return Err(NoSnapshot::Cancelled);
        }
        // A limit of 0 asks for a record without contents.
        if self.is_first && self.limits.bytes > 0 && self.contents.is_full() {
            return Err(NoSnapshot::TooLarge { limit: self.limits.bytes });
        }
        match self.until {
            Some((until, limit)) if Instant::now() > until => Err(NoSnapshot::TooSlow { limit }),
            _ => Ok(()),
        }
    }

    /// Returns the state of a name, or `None` if it no longer exists.
    fn node(&self, path: &Path, stat: &Stat, before: Option<&Node>) -> Option<Node> {
        let stamp = Stamp::of(stat);
        let omitted = |omission| Node::File(FileState { stamp, content: Content::Omitted(omission) });
        match stat.kind() {
            Kind::Folder if !self.root.has_device_of(stat) => Some(omitted(Omission::Mount)),
            Kind::Folder => Some(Node::Folder { mode: stamp.mode }),
            Kind::Symlink => match before {
                Some(link @ Node::Link { stamp: known, .. }) if known.proves(&stamp) => Some(link.clone()),
                _ => match self.disk.read_link(self.root, path) {
                    Ok(target) => Some(Node::Link { target, stamp }),
                    Err(DiskError { kind: DiskErrorKind::NotFound, .. }) => None,
                    Err(_) => Some(omitted(Omission::Unreadable)),
                },
            },
            Kind::Other => Some(omitted(Omission::Special)),
            Kind::File => match before {
                Some(Node::File(known)) if known.stamp.proves(&stamp) => Some(Node::File(*known)),
                _ => self.file(path, stamp),
            },
        }
    }

    /// Reads a file and stores its content. Returns `None` if it no longer exists.
    fn file(&self, path: &Path, stamp: Stamp) -> Option<Node> {
        let state = |stamp, content| Some(Node::File(FileState { stamp, content }));
        let omitted = |omission| state(stamp, Content::Omitted(omission));
        if self.contents.is_full() {
            return omitted(Omission::NoRoom);
        }
        match self.disk.read_below(self.root, path, self.limits.file_size) {
            Ok(image) => {
                self.control.bytes.fetch_add(image.bytes.len() as u64, Ordering::Relaxed);
                let hash = ContentHash::of(&image.bytes);
                let content = match self.contents.put(hash, &image.bytes) {
                    Ok(Stored::Yes) => Content::Stored(hash),
                    Ok(Stored::NoRoom) => Content::Omitted(Omission::NoRoom),
                    Err(error) => {
                        tracing::warn!(%error, path = %path.display(), "a content cannot be stored");
                        Content::Omitted(Omission::NotStored)
                    }
                };
                state(Stamp::of(&image.stat), content)
            }
            Err(DiskError { kind: DiskErrorKind::NotFound, .. }) => None,
            Err(DiskError { kind: DiskErrorKind::TooLarge { .. }, .. }) => omitted(Omission::TooLarge),
            Err(DiskError { kind: DiskErrorKind::Changed, .. }) => omitted(Omission::Unstable),
            Err(_) => omitted(Omission::Unreadable),
        }
    }
}
