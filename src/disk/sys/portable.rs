//! The defaults of [`System`], with what POSIX and its common extensions offer: a walk with `openat`, `fstat`,
//! links and plain renames.

mod names;
mod walk;

#[cfg(not(target_os = "macos"))]
use super::System;
use super::{Call, OpenedFolder, OpenedRoot, Root, Stat, Treatment, is_unsupported};
use crate::error::errno_of;
use crate::interface::MAX_TRIES;
use rustix::fs::{AtFlags, Mode, OFlags, chmodat, fchmod, fgetxattr, fstat, fstatvfs, openat, readlinkat};
use rustix::io::Errno;
use std::ffi::{CStr, OsStr, OsString};
use std::fs::File;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};
use walk::Walk;

#[cfg(target_os = "macos")]
pub(super) use walk::Walk as FolderWalk;

pub(super) use names::{fold_names, stored_name, stored_path};

/// The attribute that holds an access list. Only Linux has it.
pub(super) const ACL: &CStr = c"system.posix_acl_access";

/// A system that replaces no default.
#[cfg(not(target_os = "macos"))]
pub(super) struct Portable;

#[cfg(not(target_os = "macos"))]
impl System for Portable {
    fn weaker(&self) -> Option<&'static str> {
        Some("portable; docs/reliability.md lists the weaker promises")
    }
}

pub(super) fn open_root(flags: OFlags, given: &Path) -> Call<OpenedRoot> {
    let failed = |error| errno_of(&error);
    let path = std::fs::canonicalize(given).map_err(failed)?;
    let device = std::fs::metadata(&path).map_err(failed)?.dev();
    let path = stored_path(&path, device);
    let folder = rustix::fs::open(&path, flags | OFlags::NOFOLLOW, Mode::empty())?;
    let device = Stat::of(&fstat(&folder)?).dev;
    Ok(OpenedRoot { folder, path, device, mount: None, steady_stamps: false, folds_names: None })
}

pub(super) fn has_stayed(root: &Root) -> Call<bool> {
    let canonical = std::fs::canonicalize(root.path());
    let is_canonical = canonical.is_ok_and(|canonical| canonical == root.path());
    let opened = Stat::of(&fstat(root.handle())?);
    let named = std::fs::symlink_metadata(root.path());
    Ok(is_canonical && named.is_ok_and(|named| (named.dev(), named.ino()) == (opened.dev, opened.ino)))
}

/// Walks to a folder, and walks to it once more by its canonical path: a folder on the way may have been moved
/// after it was passed.
pub(super) fn open_folder(flags: OFlags, root: &Root, folder: &Path) -> Call<OpenedFolder> {
    let opened_root = OpenedFolder::root(root)?;
    for _ in 0..MAX_TRIES {
        let mut walk = Walk::new(root, flags, root.folds_names());
        walk.follow(folder)?;
        let below = walk.below();
        let Some(found) = walk.end() else { return Ok(opened_root) };
        match open_below(flags, root, &below, flags) {
            Ok(again) if is_same(&found, &again)? => {
                return Ok(OpenedFolder { handle: found.into(), path: root.path().join(below) });
            }
            Ok(_) | Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => {}
            Err(errno) => return Err(errno),
        }
    }
    Err(Errno::AGAIN)
}

fn is_same(a: &OwnedFd, b: &OwnedFd) -> Call<bool> {
    Ok(Stat::of(&fstat(a)?).same_file(&Stat::of(&fstat(b)?)))
}

pub(super) fn open_below(folders: OFlags, root: &Root, below: &Path, flags: OFlags) -> Call<OwnedFd> {
    let (walk, name) = walked_to_parent(folders, root, below)?;
    match openat(walk.at(), &name, flags | OFlags::NOFOLLOW, Mode::empty()) {
        // Systems disagree about the error for a symlink that is opened as a folder.
        Err(Errno::NOTDIR | Errno::LOOP) if is_link(walk.at(), &name) => Err(Errno::LOOP),
        result => result,
    }
}

pub(super) fn read_link(folders: OFlags, root: &Root, below: &Path) -> Call<PathBuf> {
    let (walk, name) = walked_to_parent(folders, root, below)?;
    let target = readlinkat(walk.at(), &name, Vec::with_capacity(256))?;
    Ok(OsString::from_vec(target.into_bytes()).into())
}

/// Walks to the folder of a path without following any symlink. Returns the last name, too.
fn walked_to_parent<'r>(folders: OFlags, root: &'r Root, below: &Path) -> Call<(Walk<'r>, OsString)> {
    if below.components().any(|part| part == Component::ParentDir) {
        return Err(Errno::XDEV);
    }
    let mut walk = Walk::new(root, folders, false);
    let name = below.file_name().unwrap_or(OsStr::new("."));
    walk.descend(below.parent().unwrap_or(Path::new("")))?;
    Ok((walk, name.to_owned()))
}

fn is_link(folder: BorrowedFd<'_>, name: &OsStr) -> bool {
    readlinkat(folder, name, Vec::new()).is_ok()
}

pub(super) fn treatment(attribute: &[u8]) -> Treatment {
    match attribute {
        // Privileges of a program, which the kernel removes on every write so that changed code does not
        // inherit them.
        b"security.capability" => Treatment::Drop,
        b"security.selinux" | b"system.posix_acl_access" => Treatment::Copy,
        user if user.starts_with(b"user.") => Treatment::Copy,
        _ => Treatment::Keep,
    }
}

pub(super) fn has_acl(file: BorrowedFd<'_>) -> bool {
    fgetxattr(file, ACL, &mut [0_u8; 0][..]).is_ok()
}

pub(super) fn set_mode(folder: BorrowedFd<'_>, name: &OsStr, mode: Mode) -> Call<()> {
    match chmodat(folder, name, mode, AtFlags::SYMLINK_NOFOLLOW) {
        Err(errno) if is_unsupported(errno) || errno == Errno::INVAL => {
            let flags =
                OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
            fchmod(openat(folder, name, flags, Mode::empty())?, mode)
        }
        result => result,
    }
}

/// Compares the free space with the bytes that are needed. Another program may still take it.
pub(super) fn reserve(file: &File, needed: u64) -> Call<()> {
    let space = fstatvfs(file)?;
    let is_known = space.f_blocks > 0 && space.f_frsize > 0;
    let free = space.f_bfree.saturating_mul(space.f_frsize);
    if is_known && free < needed { Err(Errno::NOSPC) } else { Ok(()) }
}

/// Reads the umask by setting it, so no other thread may create a file meanwhile.
pub(super) fn umask() -> u32 {
    let before = rustix::process::umask(Mode::from_raw_mode(0o077));
    rustix::process::umask(before);
    // The type has 16 or 32 bits, by system.
    u64::from(before.as_raw_mode()) as u32
}

#[cfg(not(target_os = "linux"))]
pub use elsewhere::{
    Lease, boot_id, fill_randomly, has_no_new_privileges, has_other_files, is_listening, leads_session,
    limit_unread, peer_has_no_new_privileges, resident_bytes, usual_path, watch_limit,
};

/// Facts and calls for which Linux has its own.
#[cfg(not(target_os = "linux"))]
mod elsewhere {
    use std::fs::File;
    use std::io::{self, Read as _};
    use std::os::fd::AsFd;
    use std::path::{Path, PathBuf};

    /// A lease on a file, which this system does not have.
    #[derive(Debug)]
    pub enum Lease {}

    impl Lease {
        /// Returns `true` if another program is waiting to open the file.
        pub fn is_wanted(&self) -> bool {
            match *self {}
        }
    }

    /// Returns `true` if this process is the leader of its session (`getsid(2)`).
    pub fn leads_session() -> bool {
        rustix::process::getsid(None).is_ok_and(|session| session == rustix::process::getpid())
    }

    /// Returns `true`, because not every system tells whether a socket accepts connections.
    pub fn is_listening(_socket: impl AsFd) -> bool {
        true
    }

    /// Leaves a TCP connection whose peer acknowledges nothing to the system, which ends it after some minutes.
    pub fn limit_unread(_socket: impl AsFd, _milliseconds: u32) {}

    /// Fills a buffer with random bytes that cannot be guessed (`urandom(4)`).
    pub fn fill_randomly(bytes: &mut [u8]) -> io::Result<()> {
        File::open("/dev/urandom")?.read_exact(bytes)
    }

    /// Returns the resident memory of this process in bytes, if the system reports it.
    pub fn resident_bytes() -> Option<u64> {
        None
    }

    /// Returns `false`, because only Linux has processes with other file systems than this one.
    pub fn has_other_files(_process: i32) -> Option<bool> {
        Some(false)
    }

    /// Returns `None`, because only Linux has processes that can gain no privileges.
    pub fn has_no_new_privileges(_process: i32) -> Option<bool> {
        None
    }

    /// Returns `None`: no call of POSIX tells where else a folder is mounted.
    pub fn usual_path(_folder: &Path, _is_possible: impl Fn(&Path) -> bool) -> Option<PathBuf> {
        None
    }

    /// Returns `true` if the process that has connected a socket can gain no privileges. This system does not tell.
    pub fn peer_has_no_new_privileges(_socket: impl AsFd, _process: i32) -> Option<bool> {
        None
    }

    /// Returns the id of this run of the system, if the system has one.
    pub fn boot_id() -> Option<String> {
        None
    }

    /// Returns the maximum number of folders that a user can watch, if there is one.
    pub fn watch_limit() -> Option<u64> {
        None
    }
}
