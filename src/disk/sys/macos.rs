//! macOS: the defaults, and `fcntl`, access lists and flags of its kernel.
//!
//! The source is named beside each call. Compared with Apple's headers, as the package `ziglang` 0.13 carries them:
//! the numbers and types of `fcntl`, `renameatx_np`, the access lists, the flags, sockets and limits. Compared with
//! manual pages of Apple only: `fgetxattr`, whose header the package lacks, and the behaviour of the calls. The
//! names of attributes and the errors of file systems are from reports of others and from Apple's published sources.
//! Nothing here has run on a Mac.

use super::portable::{self, FolderWalk};
use super::{
    Call, Inspected, OpenedFolder, OpenedRoot, RenameFlags, Root, Stat, System, Treatment, is_unsupported,
};
use editd_workspace::rules::folded;
use rustix::fs::{
    AtFlags, Mode, OFlags, fcntl_fullfsync, fstat, fstatfs, fsync, getpath, openat, renameat_with, statat,
};
use rustix::io::Errno;
use std::ffi::{CStr, OsStr, OsString, c_int, c_void};
use std::fs::File;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

pub(super) struct MacOs;

impl System for MacOs {
    fn weaker(&self) -> Option<&'static str> {
        Some("macOS, on which editd has never been run; docs/reliability.md lists the weaker promises")
    }

    fn open_root(&self, given: &Path) -> Call<OpenedRoot> {
        let folder = rustix::fs::open(given, self.held_folder(), Mode::empty())?;
        if !tells_stored_names(&folder) {
            return portable::open_root(self.held_folder(), given);
        }
        Ok(OpenedRoot {
            path: path_of(&folder)?,
            device: Stat::of(&fstat(&folder)?).dev,
            mount: None,
            steady_stamps: false,
            // APFS and HFS+ treat names that differ in normalization as one, and mostly those that differ in
            // letter case (Apple's "Apple File System Guide", FAQ).
            folds_names: Some(true),
            folder,
        })
    }

    /// No manual page tells whether a folder that was removed still has a path, so the path alone proves nothing.
    fn has_stayed(&self, root: &Root) -> Call<bool> {
        if !tells_stored_names(root.handle()) {
            return portable::has_stayed(root);
        }
        let opened = Stat::of(&fstat(root.handle())?);
        let is_there = path_of(root.handle()).is_ok_and(|path| path == root.path());
        let named = rustix::fs::lstat(root.path());
        Ok(is_there && named.is_ok_and(|named| Stat::of(&named).same_file(&opened)))
    }

    /// The kernel tells where the folder is now, and how its names are spelled.
    fn open_folder(&self, root: &Root, folder: &Path) -> Call<OpenedFolder> {
        let mut walk = FolderWalk::new(root, self.held_folder(), false);
        walk.follow(folder)?;
        let Some(found) = walk.end() else { return OpenedFolder::root(root) };
        if !tells_stored_names(root.handle()) || !tells_stored_names(&found) {
            return portable::open_folder(self.held_folder(), root, folder);
        }
        let path = path_of(&found)?;
        // A root that was moved away still opens its files, but under paths that no client asked for.
        if !path.starts_with(root.path()) {
            return Err(Errno::STALE);
        }
        Ok(OpenedFolder { handle: found.into(), path })
    }

    /// Asks the kernel, which needs no listing. For a file that cannot be read, for one with several hard links, of
    /// which `F_GETPATH` may name any, and on other file systems, the folder is listed.
    fn stored_name(&self, folder: BorrowedFd<'_>, name: &OsStr, stat: &Stat) -> Call<OsString> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let told = if tells_stored_names(folder) && stat.nlink == 1 {
            openat(folder, name, flags, Mode::empty()).and_then(path_of).ok()
        } else {
            None
        };
        let stored = told.and_then(|path| path.file_name().map(OsStr::to_owned));
        let fold = |name: &OsStr| name.to_str().map(folded);
        match stored.filter(|stored| fold(stored) == fold(name)) {
            Some(stored) => Ok(stored),
            None => portable::stored_name(folder, name, stat),
        }
    }

    fn inspect(&self, file: BorrowedFd<'_>) -> Call<Inspected> {
        fstat(file).map(|raw| inspected(&raw))
    }

    fn inspect_name(&self, folder: BorrowedFd<'_>, name: &OsStr) -> Call<Inspected> {
        statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).map(|raw| inspected(&raw))
    }

    /// No header or manual page lists these names, except the resource fork (`XATTR_RESOURCEFORK_NAME` of
    /// `sys/xattr.h`): they are from articles, and the last one from `xattr_protected` of Apple's kernel.
    fn treatment(&self, attribute: &[u8]) -> Treatment {
        match attribute {
            // Names the program that wrote the file. The system gives it to the new file, and no program can.
            b"com.apple.provenance" => Treatment::Drop,
            // Protected by the system: a new file cannot be given them.
            b"com.apple.macl" | b"com.apple.rootless" => Treatment::Keep,
            // Read like a file: a buffer that is too small gets a part of it, not `ERANGE`, so a copy could lose
            // the rest (`position` in `getxattr(2)`; `hfs_vnop_getxattr` in Apple's sources).
            b"com.apple.ResourceFork" => Treatment::Keep,
            system if system.starts_with(b"com.apple.system.") => Treatment::Keep,
            _ => Treatment::Copy,
        }
    }

    fn has_acl(&self, file: BorrowedFd<'_>) -> bool {
        has_acl(file)
    }

    /// An inherited list is added to the mode, which the umask restricts (`open(2)`, `chmod(1)`).
    fn ignores_umask(&self, _file: BorrowedFd<'_>) -> bool {
        false
    }

    /// Access lists are not attributes here (`acl(3)`).
    fn is_acl(&self, _attribute: &CStr) -> bool {
        false
    }

    fn remove_acl(&self, _file: BorrowedFd<'_>) -> Call<bool> {
        Ok(false)
    }

    fn is_unique(&self, file: BorrowedFd<'_>) -> bool {
        /// Flags that describe how the file is stored, not what a user has set (0x20 and 0x40 in `sys/stat.h`).
        const OF_STORAGE: u32 = libc::UF_COMPRESSED | libc::UF_TRACKED;
        has_acl(file) || fstat(file).is_ok_and(|raw| raw.st_flags & !OF_STORAGE != 0)
    }

    /// `renameatx_np` with `RENAME_SWAP` (2) or `RENAME_EXCL` (4), in `sys/stdio.h` and `renamex_np(2)`. File
    /// systems without them answer `ENOTSUP`.
    fn rename(
        &self,
        from: (BorrowedFd<'_>, &OsStr),
        to: (BorrowedFd<'_>, &OsStr),
        how: RenameFlags,
    ) -> Call<()> {
        renameat_with(from.0, from.1, to.0, to.1, how)
    }

    /// `fsync` leaves bytes in the cache of the drive; `F_FULLFSYNC` does not (`fcntl(2)`). File systems without
    /// it, for example those of a network, have `fsync`. Their errors are in no manual page; `ENOTSUP`, `ENOTTY`
    /// and `EINVAL` were reported (golang/go#64215, libuv/libuv#1579, macfuse/macfuse#79).
    fn flush(&self, file: BorrowedFd<'_>) -> Call<()> {
        match fcntl_fullfsync(file) {
            Err(errno) if !is_failed_write(errno) => fsync(file),
            result => result,
        }
    }

    fn flush_ordered(&self, file: BorrowedFd<'_>) -> Call<()> {
        match barrier(file) {
            Err(errno) if !is_failed_write(errno) => self.flush(file),
            result => result,
        }
    }

    fn reserve(&self, file: &File, old_size: u64, size: u64) -> Call<()> {
        preallocate(file, size - old_size)
    }
}

/// Returns the canonical path of an open file or folder: `F_GETPATH` (50 in `sys/fcntl.h`, `fcntl(2)`), with
/// firmlinks and at most 1,023 bytes. The manual page does not say that names are spelled as they are stored; see
/// [`tells_stored_names`].
fn path_of(file: impl AsFd) -> Call<PathBuf> {
    Ok(OsString::from_vec(getpath(file)?.into_bytes()).into())
}

/// Returns `true` if `F_GETPATH` is taken to spell the names on a file system as they are stored: on APFS and HFS+.
/// FAT, exFAT and network file systems may repeat the spelling with which the name was looked up. The names of the types
/// are those that `mount(8)` shows (`f_fstypename` in `sys/mount.h`, `statfs(2)`).
fn tells_stored_names(folder: impl AsFd) -> bool {
    let Ok(system) = fstatfs(folder) else { return false };
    [c"apfs", c"hfs"].iter().any(|known| {
        let name = known.to_bytes_with_nul();
        system.f_fstypename.iter().zip(name).all(|(byte, expected)| byte.cast_unsigned() == *expected)
    })
}

fn inspected(raw: &rustix::fs::Stat) -> Inspected {
    /// `chflags(2)`, `sys/stat.h`.
    const SEALED: u32 = libc::UF_IMMUTABLE | libc::UF_APPEND | libc::SF_IMMUTABLE | libc::SF_APPEND;
    let is_sealed = raw.st_flags & SEALED != 0;
    Inspected { is_sealed, ..Inspected::plain(Stat::of(raw)) }
}

/// Returns `true` for an error of a flush that does not mean that the call is missing. A second flush may then
/// succeed although the bytes are lost.
fn is_failed_write(errno: Errno) -> bool {
    matches!(errno, Errno::IO | Errno::NOSPC | Errno::DQUOT)
}

/// Writes the file out before anything that is written later: `F_BARRIERFSYNC` (85 in `sys/fcntl.h`). exFAT lacks
/// it (realm/realm-core#5806).
#[expect(unsafe_code, reason = "rustix has no `F_BARRIERFSYNC`")]
fn barrier(file: BorrowedFd<'_>) -> Call<()> {
    // SAFETY: the descriptor is open as long as the file is borrowed, and the operation has no argument.
    let result = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_BARRIERFSYNC) };
    if result == -1 { Err(last_error()) } else { Ok(()) }
}

/// Reserves space beyond the end of a file: `F_PREALLOCATE` (42) with `fstore_t` (`sys/fcntl.h`, `fcntl(2)`).
/// The system frees what is not used when the file is closed, as `F_ALLOCATEPERSIST` is not given. That the size of
/// the file stays the same is in no manual page, and nothing depends on it: the caller sets the size.
#[expect(unsafe_code, reason = "the call of rustix also changes the size of the file")]
fn preallocate(file: &File, bytes: u64) -> Call<()> {
    let mut order = libc::fstore_t {
        fst_flags: libc::F_ALLOCATEALL,
        fst_posmode: libc::F_PEOFPOSMODE,
        fst_offset: 0,
        fst_length: bytes.cast_signed(),
        fst_bytesalloc: 0,
    };
    // SAFETY: the descriptor is open as long as the file is borrowed, and `order` lives longer than the call.
    let result = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_PREALLOCATE, &raw mut order) };
    if result == -1 { Err(last_error()) } else { Ok(()) }
}

/// Returns `true` if a file has an access list (`sys/acl.h`, `acl_get(3)`, `acl_free(3)`). For a file without one,
/// the result is null with `ENOENT` (`filesec_get_property(3)`, which `acl_get_fd_np` of Apple's Libc calls). After
/// another error, the file counts as one with a list, which is then written in place.
#[expect(unsafe_code, reason = "neither rustix nor libc has the calls for access lists")]
fn has_acl(file: BorrowedFd<'_>) -> bool {
    /// `sys/acl.h`. The type there is an enumeration, which C passes as an `int`.
    const ACL_TYPE_EXTENDED: c_int = 0x100;
    unsafe extern "C" {
        fn acl_get_fd_np(file: c_int, kind: c_int) -> *mut c_void;
        fn acl_free(list: *mut c_void) -> c_int;
    }
    // SAFETY: the descriptor is open as long as the file is borrowed. The list is freed once and not used.
    unsafe {
        let list = acl_get_fd_np(file.as_raw_fd(), ACL_TYPE_EXTENDED);
        if list.is_null() {
            let errno = last_error();
            return errno != Errno::NOENT && !is_unsupported(errno);
        }
        acl_free(list);
    }
    true
}

fn last_error() -> Errno {
    crate::error::errno_of(&std::io::Error::last_os_error())
}
