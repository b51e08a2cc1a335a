//! Walks a root, and reads the files that have changed since the last walk.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::search::{Ignores, TrackedFiles};
use crate::{Disk, DiskError, DiskErrorKind, Kind, Root, Scanned, is_stray};
use editd_text::ContentHash;
use editd_workspace::rules::is_version_control;

use super::appeared::Appeared;
use super::contents::{Contents, Stored};
use super::tree::{Content, FileState, Folder, Node, Omission, Stamp, Tree};
use super::{NoSnapshot, SnapshotLimits, WalkControl};

/// Files with ignore rules.
const RULES: [&str; 2] = [".gitignore", ".ignore"];

/// Length in bytes from which on no file can be opened by its path.
const TOO_LONG: usize = 4096;

/// Maximum number of folders with such a path that are named.
const FOLDERS_NAMED: usize = 100;

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
    /// Tells which new names were there before.
    pub(super) appeared: Appeared<'a>,
    /// Number of hidden names that were kept.
    pub(super) hidden: AtomicUsize,
}

/// The result of a walk.
#[derive(Debug, Default)]
pub(super) struct Scanning {
    /// The tree as it is now.
    pub(super) tree: Tree,
    /// Names that were there at the last walk, but hidden or elsewhere. What is below one of them is not in the list.
    pub(super) appeared: HashSet<PathBuf>,
    /// Older names that are recorded in another place, with their inode numbers.
    moved: Vec<(PathBuf, u64)>,
    /// Recorded names that the ignore rules exclude now. Their state is recorded a last time.
    pub(super) leaving: Vec<PathBuf>,
    /// New names of the kind that editd gives to files for a moment.
    pub(super) strays: Vec<PathBuf>,
    /// Folders whose path is too long. It is not known what is in them.
    pub(super) too_long: Vec<PathBuf>,
}

/// A folder that waits for its visit, with the ignore rules of its parents.
struct Waiting {
    path: PathBuf,
    around: Ignores,
    role: Role,
    work_tree: WorkTree,
}

/// The work tree of git around a folder.
#[derive(Clone)]
struct WorkTree {
    tracked: Arc<TrackedFiles>,
    /// `true` if ignore rules exclude the folder: only its tracked files are visited.
    is_excluded: bool,
}

/// The role of a folder in a walk.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Plain,
    /// New names in it were there before, but not recorded.
    Appeared,
    /// An excluded folder, of which only the recorded names are visited.
    Leaving,
}

/// A visited folder.
struct Visited {
    path: PathBuf,
    folder: Arc<Folder>,
    below: Vec<Waiting>,
    /// Folders that cannot be listed, or on which something is mounted; their last recorded state is kept.
    covered: Vec<PathBuf>,
    appeared: Vec<PathBuf>,
    moved: Vec<(PathBuf, u64)>,
    leaving: Vec<PathBuf>,
    strays: Vec<PathBuf>,
    too_long: Vec<PathBuf>,
}

/// The names of a folder, as they are collected.
struct Names<'s> {
    path: &'s Path,
    role: Role,
    work_tree: WorkTree,
    ignores: Ignores,
    before: Option<&'s Arc<Folder>>,
    nodes: Vec<(OsString, Node)>,
    visited: Visited,
}

impl Names<'_> {
    /// Returns `true` if a name of the folder was recorded at the last walk.
    fn has_recorded(&self) -> bool {
        self.before.is_some_and(|before| before.nodes().any(|node| *node != Node::Hidden))
    }
}

impl Scanning {
    /// Adds to the names that have appeared those that are recorded in folders whose recorded state is kept: there, an
    /// undo would not restore them.
    fn moved_from(&mut self, kept: &[PathBuf], before: &Tree) {
        let moved = std::mem::take(&mut self.moved);
        if moved.is_empty() || kept.is_empty() {
            return;
        }
        let is_kept = |path: &Path| path.ancestors().any(|folder| kept.iter().any(|kept| kept == folder));
        let names = before.nodes().filter(|(path, _)| is_kept(path));
        let names: HashSet<_> = names.filter_map(|(_, node)| node.restorable()).collect();
        self.appeared.extend(moved.into_iter().filter(|(_, ino)| names.contains(ino)).map(|(path, _)| path));
    }
}

impl Visited {
    fn of(path: PathBuf) -> Self {
        let (below, covered, appeared, moved, leaving, strays, too_long) = Default::default();
        Self { path, folder: Arc::default(), below, covered, appeared, moved, leaving, strays, too_long }
    }
}

impl Scan<'_> {
    /// Returns what is there now. The contents of all new files are stored.
    pub(super) fn run(&self) -> Result<Scanning, NoSnapshot> {
        let around = Ignores::around(self.disk, self.root, self.top, Path::new(""));
        let tracked = Arc::new(TrackedFiles::new(self.top.to_owned()));
        let work_tree = WorkTree { tracked, is_excluded: false };
        let mut level = vec![Waiting { path: PathBuf::new(), around, role: Role::Plain, work_tree }];
        let (mut found, mut kept) = (Scanning::default(), Vec::new());
        while !level.is_empty() {
            let visited = self.visit_all(&level)?;
            level.clear();
            for visited in visited {
                let Visited { path, folder, below, covered, appeared, moved, leaving, strays, too_long } =
                    visited;
                found.tree.insert(path, folder);
                level.extend(below);
                found.appeared.extend(appeared);
                found.moved.extend(moved);
                found.leaving.extend(leaving);
                found.strays.extend(strays);
                found.too_long.extend(too_long);
                for path in covered {
                    found.tree.insert_below(&path, self.before);
                    kept.push(path);
                }
            }
        }
        found.moved_from(&kept, self.before);
        found.too_long.truncate(FOLDERS_NAMED);
        Ok(found)
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
    fn visit(&self, waiting: &Waiting) -> Result<Option<Visited>, NoSnapshot> {
        let Waiting { path, around, role, work_tree } = waiting;
        let before = self.before.folder(path);
        let mut visited = Visited::of(path.clone());
        let listed = match self.disk.scan(self.root, path) {
            Ok(listed) => listed,
            Err(error) if path.as_os_str().is_empty() => return Err(error.into()),
            Err(DiskError { kind: DiskErrorKind::NotFound, .. }) => return Ok(None),
            Err(_) => {
                visited.folder = before.cloned().unwrap_or_default();
                visited.covered.push(path.clone());
                return Ok(Some(visited));
            }
        };
        let holds = |name: &OsStr| listed.iter().any(|it| it.name == name);
        let ignores = match role {
            Role::Leaving => around.clone(),
            _ => around.within(self.disk, self.root, path, holds),
        };
        // A repository in another one has an index, and ignore rules that begin there.
        let work_tree = if holds(OsStr::new(".git")) {
            let tracked = Arc::new(TrackedFiles::new(self.root.path().join(path)));
            WorkTree { tracked, is_excluded: false }
        } else {
            work_tree.clone()
        };
        let nodes = Vec::with_capacity(listed.len());
        let mut found = Names { path, role: *role, work_tree, ignores, before, nodes, visited };
        for scanned in listed {
            self.check()?;
            self.add(&mut found, scanned)?;
        }
        let Names { nodes, mut visited, .. } = found;
        let folder = Folder::new(nodes);
        // Trees share the folders that have not changed.
        visited.folder = match before {
            Some(before) if **before == folder => before.clone(),
            _ => Arc::new(folder),
        };
        Ok(Some(visited))
    }

    /// Adds a name of a folder.
    fn add(&self, found: &mut Names<'_>, scanned: Scanned) -> Result<(), NoSnapshot> {
        let kind = scanned.kind();
        let here = self.root.path().join(found.path).join(&scanned.name);
        let was = found.before.and_then(|before| before.get(&scanned.name));
        let known = was.filter(|node| **node != Node::Hidden);
        // Rules that exclude recorded files could exclude themselves as well.
        let is_rules = RULES.iter().any(|rules| scanned.name == *rules) && found.has_recorded();
        let is_excluded = !self.limits.ignored
            && !is_rules
            && (found.work_tree.is_excluded || found.ignores.ignore(&here, kind == Kind::Folder));
        let is_tracked = is_excluded && found.work_tree.tracked.has(&here);
        let is_ignored = found.role == Role::Leaving || is_excluded && !is_tracked;
        // A recorded name is no metadata of version control, which keeps its own history.
        let is_hidden = known.is_none() && (is_ignored || is_version_control(Path::new(&scanned.name)));
        if is_hidden || here == self.own {
            // The limit is for names that cost more than this one.
            if self.hidden.fetch_add(1, Ordering::Relaxed) < self.limits.files {
                found.nodes.push((scanned.name, Node::Hidden));
            }
            return Ok(());
        }
        let path = found.path.join(&scanned.name);
        let Some(node) = self.node(&path, &scanned, known) else { return Ok(()) };
        self.count_name()?;
        if kind == Kind::Folder && node.omission() == Some(Omission::TooLong) {
            found.visited.too_long.push(path.clone());
        }
        let ino = scanned.stat.ino;
        let mut has_appeared = known.is_none() && (found.role == Role::Appeared || was.is_some());
        // A recorded name that an older file has taken is a change: an undo restores what was there, and the history keeps
        // the text of the older file.
        if known.is_none() && !has_appeared && self.appeared.is_old(&scanned) {
            has_appeared = !self.appeared.is_recorded(ino);
            found.visited.moved.extend((!has_appeared).then(|| (path.clone(), ino)));
        }
        let was_mount = known.is_some_and(Node::is_mount);
        let role = match () {
            () if is_ignored => Role::Leaving,
            () if has_appeared || was_mount => Role::Appeared,
            () => Role::Plain,
        };
        if has_appeared {
            found.visited.appeared.push(path.clone());
        }
        if known.is_none() && is_stray(&scanned.name) {
            found.visited.strays.push(path.clone());
        }
        if is_ignored && found.role != Role::Leaving {
            found.visited.leaving.push(path.clone());
        }
        if matches!(node, Node::Folder { .. }) {
            let work_tree = WorkTree { is_excluded, ..found.work_tree.clone() };
            found.visited.below.push(Waiting { path, around: found.ignores.clone(), role, work_tree });
        } else if node.is_mount() {
            found.visited.covered.push(path);
        }
        found.nodes.push((scanned.name, node));
        Ok(())
    }

    fn is_too_long(&self, path: &Path) -> bool {
        self.root.path().as_os_str().len() + 1 + path.as_os_str().len() >= TOO_LONG
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
            let limit = self.contents.limit_of_all();
            let too_large = NoSnapshot::TooLarge { limit: self.limits.bytes };
            return Err(limit.map_or(too_large, |limit| NoSnapshot::NoRoom { limit }));
        }
        match self.until {
            Some((until, limit)) if Instant::now() > until => Err(NoSnapshot::TooSlow { limit }),
            _ => Ok(()),
        }
    }

    /// Returns the state of a name, or `None` if it no longer exists.
    fn node(&self, path: &Path, scanned: &Scanned, before: Option<&Node>) -> Option<Node> {
        let stamp = Stamp::of(&scanned.stat);
        let omitted = |omission| Node::File(FileState { stamp, content: Content::Omitted(omission) });
        match scanned.kind() {
            _ if scanned.is_mounted => Some(omitted(Omission::Mount)),
            _ if self.is_too_long(path) => Some(omitted(Omission::TooLong)),
            Kind::Folder => Some(Node::Folder { mode: stamp.mode, ino: stamp.ino }),
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
