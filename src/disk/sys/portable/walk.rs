//! A walk from a root to a folder below it, one name at a time. No call follows a symlink: the walk reads it and
//! continues with its names. So it cannot leave the root, whatever other programs do to the folders meanwhile.

use super::super::{Call, Root};
use super::names::stored_name;
use crate::Stat;
use rustix::fs::{Mode, OFlags, fstat, openat, readlinkat};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path, PathBuf};

/// Maximum number of symlinks followed, as in Linux.
const MAX_LINKS: usize = 40;

/// The folders that a walk has entered and not left.
pub(in super::super) struct Walk<'r> {
    root: &'r Root,
    /// Flags for opening folders.
    flags: OFlags,
    /// `true` if names are replaced by the spelling that the folder has stored.
    corrects_names: bool,
    entered: Vec<(OwnedFd, OsString)>,
    links: usize,
}

impl<'r> Walk<'r> {
    pub(in super::super) fn new(root: &'r Root, flags: OFlags, corrects_names: bool) -> Self {
        let flags = flags | OFlags::NOFOLLOW;
        Self { root, flags, corrects_names, entered: Vec::new(), links: 0 }
    }

    /// Returns the folder that the walk has reached.
    pub(in super::super) fn at(&self) -> BorrowedFd<'_> {
        self.entered.last().map_or_else(|| self.root.handle().as_fd(), |(folder, _)| folder.as_fd())
    }

    /// Returns the path of this folder, relative to the root.
    pub(in super::super) fn below(&self) -> PathBuf {
        self.entered.iter().map(|(_, name)| name).collect()
    }

    /// Returns this folder, or `None` if it is the root.
    pub(in super::super) fn end(mut self) -> Option<OwnedFd> {
        self.entered.pop().map(|(folder, _)| folder)
    }

    /// Enters the folders of a path, following symlinks that stay under the root.
    pub(in super::super) fn follow(&mut self, path: &Path) -> Call<()> {
        let mut ahead = reversed(path);
        while let Some(name) = ahead.pop() {
            if name == ".." {
                // The parent of a folder is the one through which the walk came, even if it was moved.
                self.entered.pop().ok_or(Errno::XDEV)?;
                continue;
            }
            match self.enter(&name) {
                Err(Errno::LOOP) => ahead.extend(self.link(&name)?),
                result => result?,
            }
        }
        Ok(())
    }

    /// Enters the folders of a path. Fails with [`Errno::LOOP`] at a symlink.
    pub(in super::super) fn descend(&mut self, path: &Path) -> Call<()> {
        path.components().try_for_each(|part| match part {
            Component::Normal(name) => self.enter(name),
            Component::CurDir => Ok(()),
            _ => Err(Errno::XDEV),
        })
    }

    /// Enters a folder. Fails with [`Errno::LOOP`] if it is a symlink.
    fn enter(&mut self, name: &OsStr) -> Call<()> {
        let mut folder = self.open(name)?;
        let mut name = name.to_owned();
        if self.corrects_names {
            let stored = stored_name(self.at(), &name, &Stat::of(&fstat(&folder)?))?;
            if stored != name {
                // Some file systems have an inode number for each spelling.
                (folder, name) = (self.open(&stored)?, stored);
            }
        }
        self.entered.push((folder, name));
        Ok(())
    }

    fn open(&self, name: &OsStr) -> Call<OwnedFd> {
        match openat(self.at(), name, self.flags, Mode::empty()) {
            // Systems disagree about the error for a symlink that is opened as a folder.
            Err(Errno::NOTDIR | Errno::LOOP) if super::is_link(self.at(), name) => Err(Errno::LOOP),
            result => result,
        }
    }

    /// Returns the names to which a symlink leads, last one first. For an absolute one, the walk returns to the
    /// root.
    fn link(&mut self, name: &OsStr) -> Call<Vec<OsString>> {
        self.links += 1;
        if self.links > MAX_LINKS {
            return Err(Errno::LOOP);
        }
        let text = readlinkat(self.at(), name, Vec::with_capacity(256))?;
        let text = PathBuf::from(OsString::from_vec(text.into_bytes()));
        if !text.is_absolute() {
            return Ok(reversed(&text));
        }
        let below = self.inside(&text).ok_or(Errno::XDEV)?;
        self.entered.clear();
        Ok(reversed(&below))
    }

    /// Returns the path, relative to the root, to which an absolute symlink leads. The path is only a candidate:
    /// the walk enters each of its folders.
    fn inside(&self, text: &Path) -> Option<PathBuf> {
        let roots = [self.root.path(), self.root.given()];
        if let Some(below) = roots.iter().find_map(|root| text.strip_prefix(root).ok()) {
            return Some(below.to_owned());
        }
        if text.components().any(|part| part == Component::ParentDir) {
            return None;
        }
        let canonical = std::fs::canonicalize(text).ok()?;
        canonical.strip_prefix(self.root.path()).map(Path::to_owned).ok()
    }
}

/// Returns the names of a relative path, last one first.
fn reversed(path: &Path) -> Vec<OsString> {
    let names = path.components().filter(|part| !matches!(part, Component::CurDir | Component::RootDir));
    names.map(|part| part.as_os_str().to_owned()).rev().collect()
}
