//! Path resolution on the memory disk, by the same rules as on the real one.

use super::tree::{Body, TOP, Tree};
use super::{DiskError, DiskErrorKind, Handle, HandleKind, Listed, Result, Root, Scanned, Stat, Target};
use crate::Kind;
use editd_workspace::FileKey;
use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Maximum number of symlinks followed, as on the real disk.
const MAX_LINKS: usize = 40;

/// Maximum length of a name in bytes, as on nearly every file system.
const MAX_NAME: usize = 255;

/// A walk along a path, with the folders opened since its start.
struct Walk<'t> {
    tree: &'t Tree,
    folders: Vec<u64>,
    path: PathBuf,
    rest: VecDeque<OsString>,
    links: usize,
    /// `true` if the path's last component is a link.
    by_link: bool,
    requested: PathBuf,
}

/// Opens a root; its own path may lead through any symlink.
pub(super) fn open_root(tree: &Tree, path: &Path) -> Result<(u64, PathBuf)> {
    let failed = |kind| DiskError::new(kind, "open the root", path);
    if !path.is_absolute() {
        return Err(failed(DiskErrorKind::InvalidName));
    }
    let mut inode = TOP;
    for name in path.iter().skip(1) {
        inode = tree.child(inode, name).ok_or_else(|| failed(DiskErrorKind::NotFound))?;
    }
    match tree.body(inode) {
        Some(Body::Dir(_)) => Ok((inode, path.to_owned())),
        _ => Err(failed(DiskErrorKind::NotAFile { what: "a path through a file" })),
    }
}

/// Resolves a path to a location under a root.
pub(super) fn resolve(tree: &Tree, root: &Root, relative: &Path) -> Result<Target> {
    let mut walk = Walk {
        tree,
        folders: vec![root.0.handle.as_memory()?],
        path: root.path().to_owned(),
        rest: VecDeque::new(),
        links: 0,
        by_link: false,
        requested: root.path().join(relative),
    };
    if relative.as_os_str().as_bytes().contains(&0) {
        return walk.refuse(DiskErrorKind::InvalidName);
    }
    if relative.as_os_str().as_bytes().ends_with(b"/") {
        return walk.refuse(DiskErrorKind::NotAFile { what: "the name of a folder" });
    }
    walk.prepend(relative)?;
    while let Some(name) = walk.rest.pop_front() {
        if let Some(target) = walk.step(root, &name)? {
            return Ok(target);
        }
    }
    walk.refuse(DiskErrorKind::NotAFile { what: "a folder" })
}

/// Returns the state of a canonical path under a root.
pub(super) fn peek(tree: &Tree, root: &Root, below: &Path) -> Result<Option<Stat>> {
    let inode = below.iter().try_fold(root.0.handle.as_memory()?, |dir, name| tree.child(dir, name));
    Ok(inode.and_then(|inode| tree.stat_of(inode)))
}

/// Returns the canonical path of a folder. Here, a path with symlinks has none.
pub(super) fn folder(tree: &Tree, root: &Root, relative: &Path) -> Result<PathBuf> {
    list(tree, root, relative).map(|_| relative.to_owned())
}

/// Lists a folder.
pub(super) fn list(tree: &Tree, root: &Root, folder: &Path) -> Result<Vec<Listed>> {
    let Body::Dir(names) = at(tree, root, folder)? else {
        let not_a_folder = DiskErrorKind::NotAFile { what: "a path through a file" };
        return Err(DiskError::new(not_a_folder, "list", &root.path().join(folder)));
    };
    let kind = |inode: &u64| match tree.body(*inode) {
        Some(Body::Dir(_)) => Kind::Folder,
        Some(Body::Link(_)) => Kind::Symlink,
        _ => Kind::File,
    };
    Ok(names.iter().map(|(name, inode)| Listed { name: name.clone(), kind: kind(inode) }).collect())
}

/// Lists a folder with the state of each name.
pub(super) fn scan(tree: &Tree, root: &Root, folder: &Path) -> Result<Vec<Scanned>> {
    let state = |Listed { name, .. }| {
        let stat = peek(tree, root, &folder.join(&name)).transpose()?;
        Some(stat.map(|stat| Scanned { name, stat, born: None, is_mounted: false }))
    };
    list(tree, root, folder)?.into_iter().filter_map(state).collect()
}

/// Returns the target of a symlink.
pub(super) fn link(tree: &Tree, root: &Root, below: &Path) -> Result<PathBuf> {
    match at(tree, root, below)? {
        Body::Link(target) => Ok(target.clone()),
        Body::Dir(_) | Body::File(_) => {
            Err(DiskError::new(DiskErrorKind::Changed, "read the link", &root.path().join(below)))
        }
    }
}

/// Returns the content of a file.
pub(super) fn bytes(tree: &Tree, root: &Root, below: &Path) -> Result<Vec<u8>> {
    match at(tree, root, below)? {
        Body::File(bytes) => Ok(bytes.clone()),
        Body::Dir(_) | Body::Link(_) => {
            let no_file = DiskErrorKind::NotAFile { what: "a folder or symlink" };
            Err(DiskError::new(no_file, "read", &root.path().join(below)))
        }
    }
}

fn at<'t>(tree: &'t Tree, root: &Root, below: &Path) -> Result<&'t Body> {
    let inode = below.iter().try_fold(root.0.handle.as_memory()?, |dir, name| tree.child(dir, name));
    let missing = || DiskError::new(DiskErrorKind::NotFound, "check", &root.path().join(below));
    inode.and_then(|inode| tree.body(inode)).ok_or_else(missing)
}

/// Walks the canonical path again and requires it to lead to the folder that was opened.
pub(super) fn confirm(tree: &Tree, target: &Target) -> Result<()> {
    let root = target.root.0.handle.as_memory()?;
    let folder = target.opened_dir();
    let below = folder.strip_prefix(target.root.path()).unwrap_or(Path::new(""));
    let there = below.iter().try_fold(root, |dir, name| tree.child(dir, name));
    if there == Some(target.parent.as_memory()?) {
        return Ok(());
    }
    Err(DiskError::new(DiskErrorKind::Changed, "reopen", &folder))
}

impl Walk<'_> {
    fn refuse<T>(&self, kind: DiskErrorKind) -> Result<T> {
        Err(DiskError::new(kind, "resolve", &self.requested))
    }

    fn here(&self) -> u64 {
        self.folders.last().copied().unwrap_or(TOP)
    }

    /// Inserts the components of a link's target or of a request before the rest of the path.
    fn prepend(&mut self, path: &Path) -> Result<()> {
        if path.is_absolute() {
            return self.refuse(DiskErrorKind::OutsideRoot);
        }
        for part in path.iter().rev() {
            self.rest.push_front(part.to_owned());
        }
        Ok(())
    }

    fn step(&mut self, root: &Root, name: &OsStr) -> Result<Option<Target>> {
        if name == "." {
            return Ok(None);
        }
        if name == ".." {
            return self.up().map(|()| None);
        }
        if name.len() > MAX_NAME {
            return self.refuse(DiskErrorKind::NameTooLong);
        }
        let Some(inode) = self.tree.child(self.here(), name) else {
            return self.missing(root, name).map(Some);
        };
        match self.tree.body(inode) {
            Some(Body::Dir(_)) => {
                self.folders.push(inode);
                self.path.push(name);
                Ok(None)
            }
            Some(Body::Link(to)) => self.follow(&to.clone()).map(|()| None),
            _ if self.rest.is_empty() => Ok(Some(self.found(root, name, inode))),
            _ => self.refuse(DiskErrorKind::NotAFile { what: "a path through a file" }),
        }
    }

    fn up(&mut self) -> Result<()> {
        if self.folders.len() == 1 {
            return self.refuse(DiskErrorKind::OutsideRoot);
        }
        self.folders.pop();
        self.path.pop();
        Ok(())
    }

    fn follow(&mut self, to: &Path) -> Result<()> {
        self.links += 1;
        self.by_link |= self.rest.is_empty();
        if self.links > MAX_LINKS {
            return self.refuse(DiskErrorKind::Loop);
        }
        self.prepend(to)
    }

    fn found(&self, root: &Root, name: &OsStr, inode: u64) -> Target {
        let mut target = self.target(root, name, Vec::new());
        target.exists = true;
        target.size = self.tree.stat_of(inode).map_or(0, |stat| stat.size);
        if self.tree.nlink(inode) > 1 {
            target.key = FileKey::Inode { device: super::tree::DEVICE, inode };
        }
        target
    }

    fn missing(&self, root: &Root, name: &OsStr) -> Result<Target> {
        if self.rest.iter().any(|part| part == "..") {
            return self.refuse(DiskErrorKind::NotFound);
        }
        Ok(self.target(root, name, self.rest.iter().cloned().collect()))
    }

    fn target(&self, root: &Root, name: &OsStr, rest: Vec<OsString>) -> Target {
        let mut path = self.path.join(name);
        path.extend(&rest);
        let mut missing_dirs = vec![name.to_owned()];
        missing_dirs.extend(rest);
        let name = missing_dirs.pop().unwrap_or_default();
        Target {
            key: FileKey::Path(Arc::from(path.as_path())),
            path,
            root: root.clone(),
            exists: false,
            size: 0,
            mount: None,
            via_symlink: self.by_link,
            missing_dirs,
            name,
            in_the_way: None,
            parent: Handle(HandleKind::Memory(self.here())),
        }
    }
}
