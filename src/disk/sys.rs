//! System calls that differ between systems, and the facts about this process that each system reports in
//! another way. All other code of editd is the same everywhere.
//!
//! [`System`] has a method for each of them, with a default for any POSIX system. Linux and macOS replace the
//! defaults where they can do better. A default that Linux replaces is still tested there: with
//! `EDITD_SYSTEM=portable`, editd uses no other.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "macos")]
mod macos;
mod portable;

use super::place::Root;
use super::{Handle, MTime, Result, Stat, Target};
use rustix::fs::{AtFlags, Mode, OFlags, RenameFlags, fremovexattr, fstat, fsync, statat};
use rustix::io::Errno;
use std::ffi::{CStr, OsStr, OsString};
use std::fs::File;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

#[cfg(target_os = "linux")]
pub use linux::Lease;
#[cfg(not(target_os = "linux"))]
pub use portable::Lease;

/// Result of a system call.
type Call<T> = rustix::io::Result<T>;

/// Returns the system that this process uses.
pub(super) fn system() -> &'static dyn System {
    #[cfg(target_os = "linux")]
    {
        /// Environment variable that makes Linux use the defaults of [`System`], for tests.
        const CHOICE: &str = "EDITD_SYSTEM";
        static PORTABLE: std::sync::OnceLock<bool> = std::sync::OnceLock::new();
        if *PORTABLE.get_or_init(|| std::env::var_os(CHOICE).is_some_and(|name| name == "portable")) {
            &portable::Portable
        } else {
            &linux::Linux
        }
    }
    #[cfg(target_os = "macos")]
    {
        &macos::MacOs
    }
    #[cfg(not(any(target_os = "linux", target_os = "macos")))]
    {
        &portable::Portable
    }
}

/// Calls of one system. The methods without a path in their error leave it to the caller.
pub(super) trait System: Sync {
    /// Returns the name of the system if some promises of editd are weaker on it, with a hint at them.
    fn weaker(&self) -> Option<&'static str>;

    /// Returns the flags that open a folder which is only held, neither listed nor flushed.
    fn held_folder(&self) -> OFlags {
        OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC
    }

    /// Opens an absolute path to a folder as a root.
    fn open_root(&self, given: &Path) -> Call<OpenedRoot> {
        portable::open_root(self.held_folder(), given)
    }

    /// Returns `true` if the root's path still leads to it.
    fn has_stayed(&self, root: &Root) -> Call<bool> {
        portable::has_stayed(root)
    }

    /// Opens a folder under the root, following symlinks that stay there. Fails with [`Errno::XDEV`] if the
    /// path leads out of the root, and with [`Errno::STALE`] if the root was moved away.
    fn open_folder(&self, root: &Root, folder: &Path) -> Call<OpenedFolder> {
        portable::open_folder(self.held_folder(), root, folder)
    }

    /// Opens a path under the root. Fails with [`Errno::LOOP`] if a symlink is on it.
    fn open_below(&self, root: &Root, below: &Path, flags: OFlags) -> Call<OwnedFd> {
        portable::open_below(self.held_folder(), root, below, flags)
    }

    /// Returns the target of the symlink at a path under the root. No other symlink is followed.
    fn read_link(&self, root: &Root, below: &Path) -> Call<PathBuf> {
        portable::read_link(self.held_folder(), root, below)
    }

    /// Returns the name that a folder has stored for a file, if its file system treats several spellings as
    /// one name. `name` is the spelling under which the file was found.
    fn stored_name(&self, folder: BorrowedFd<'_>, name: &OsStr, stat: &Stat) -> Call<OsString> {
        portable::stored_name(folder, name, stat)
    }

    /// Returns the state of a name in an opened folder, and the number of its mount where mounts have numbers.
    fn find(&self, folder: BorrowedFd<'_>, name: &OsStr) -> Call<(Stat, Option<u64>)> {
        Ok((Stat::of(&statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?), None))
    }

    /// Returns the state of a name in a listed folder.
    fn look(&self, folder: BorrowedFd<'_>, name: &CStr) -> Call<Look> {
        let stat = Stat::of(&statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?);
        Ok(Look { stat, born: None, mount: None })
    }

    /// Returns the current time of the clock by which file systems stamp files.
    fn file_clock(&self) -> MTime {
        crate::time::system_clock()
    }

    /// Returns the path of a location within its own file system if a mount gives it a different one.
    fn behind_mounts(&self, _root: &Root, _target: Option<&Target>) -> Result<Option<PathBuf>> {
        Ok(None)
    }

    /// Inspects an opened file or folder.
    fn inspect(&self, file: BorrowedFd<'_>) -> Call<Inspected> {
        Ok(Inspected::plain(Stat::of(&fstat(file)?)))
    }

    /// Inspects a name in an opened folder. No symlink is followed.
    fn inspect_name(&self, folder: BorrowedFd<'_>, name: &OsStr) -> Call<Inspected> {
        Ok(Inspected::plain(Stat::of(&statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?)))
    }

    /// Returns how an extended attribute is treated when a file is replaced.
    fn treatment(&self, attribute: &[u8]) -> Treatment {
        portable::treatment(attribute)
    }

    /// Returns `true` if a file has an access-control list beyond its mode.
    fn has_acl(&self, file: BorrowedFd<'_>) -> bool {
        portable::has_acl(file)
    }

    /// Returns `true` if the umask does not apply to a new file or folder, because the access-control list that
    /// it has inherited applies instead.
    fn ignores_umask(&self, file: BorrowedFd<'_>) -> bool {
        self.has_acl(file)
    }

    /// Returns `true` for the name of the attribute that holds an access-control list, if lists are attributes.
    fn is_acl(&self, attribute: &CStr) -> bool {
        attribute == portable::ACL
    }

    /// Removes the access-control list of a file. Returns `false` if that is not possible.
    fn remove_acl(&self, file: BorrowedFd<'_>) -> Call<bool> {
        fremovexattr(file, portable::ACL).map(|()| true)
    }

    /// Returns `true` if a file has a property that no other file can be given, apart from its owner, mode and
    /// extended attributes.
    fn is_unique(&self, _file: BorrowedFd<'_>) -> bool {
        false
    }

    /// Sets the permission bits of a name in an opened folder, which is not a symlink.
    fn set_mode(&self, folder: BorrowedFd<'_>, name: &OsStr, mode: Mode) -> Call<()> {
        portable::set_mode(folder, name, mode)
    }

    /// Renames in a special way. Fails with an error for which [`is_unsupported`] is `true` if that is not
    /// possible.
    fn rename(
        &self,
        _from: (BorrowedFd<'_>, &OsStr),
        _to: (BorrowedFd<'_>, &OsStr),
        _how: RenameFlags,
    ) -> Call<()> {
        Err(Errno::NOSYS)
    }

    /// Flushes a file or folder to stable storage.
    fn flush(&self, file: BorrowedFd<'_>) -> Call<()> {
        fsync(file)
    }

    /// Makes sure that the content of a file reaches stable storage no later than a name that it is given
    /// afterwards.
    fn flush_ordered(&self, file: BorrowedFd<'_>) -> Call<()> {
        self.flush(file)
    }

    /// Fails with [`Errno::NOSPC`] or [`Errno::DQUOT`] if a file cannot grow to `size` bytes, as far as that
    /// is known. Other errors mean nothing.
    fn reserve(&self, file: &File, old_size: u64, size: u64) -> Call<()> {
        portable::reserve(file, size - old_size)
    }

    /// Makes programs that want to open a file for writing wait for a moment, where that is possible.
    fn lease(&self, _held: &Handle) -> Option<Lease> {
        None
    }

    /// Returns the umask of this process.
    fn umask(&self) -> u32 {
        portable::umask()
    }
}

/// A root, as a system opens it.
pub(super) struct OpenedRoot {
    pub(super) folder: OwnedFd,
    /// The canonical path.
    pub(super) path: PathBuf,
    pub(super) device: u64,
    /// Number of the mount, where mounts have numbers.
    pub(super) mount: Option<u64>,
    /// `true` if timestamps of this file system are known to change with every modification.
    pub(super) steady_stamps: bool,
    /// `true` if several spellings of a name lead to one file; `None` if that is not known yet.
    pub(super) folds_names: Option<bool>,
}

/// An opened folder and its canonical path.
pub(super) struct OpenedFolder {
    pub(super) handle: Handle,
    pub(super) path: PathBuf,
}

impl Root {
    /// Returns `true` if several spellings of a name lead to one file. As long as that is not known, every
    /// spelling counts as a name.
    pub(super) fn folds_names(&self) -> bool {
        let known = &self.0.folds_names;
        let folds = known.get().copied().or_else(|| {
            portable::fold_names(self).inspect(|folds| {
                let _ = known.set(*folds);
            })
        });
        folds.unwrap_or(false)
    }
}

impl OpenedFolder {
    /// Returns the root as an opened folder. Another folder may be at its path by now.
    fn root(root: &Root) -> Call<Self> {
        let opened = Self { handle: root.handle().clone(), path: root.path().to_owned() };
        if system().has_stayed(root)? { Ok(opened) } else { Err(Errno::STALE) }
    }

    /// Returns the folder's path relative to the root.
    pub(super) fn below<'p>(&'p self, root: &Root) -> &'p Path {
        self.path.strip_prefix(root.path()).unwrap_or(Path::new(""))
    }
}

/// State of a name in a listed folder.
pub(super) struct Look {
    pub(super) stat: Stat,
    /// Time at which the file was created, if it is known.
    pub(super) born: Option<MTime>,
    /// Number of the mount, where mounts have numbers.
    pub(super) mount: Option<u64>,
}

/// State of a file, and what may forbid to change or replace it.
pub(super) struct Inspected {
    pub(super) stat: Stat,
    /// `true` for a file that is immutable or append-only.
    pub(super) is_sealed: bool,
    /// `true` if something is mounted on the name.
    pub(super) is_mount_root: bool,
}

impl Inspected {
    fn plain(stat: Stat) -> Self {
        Self { stat, is_sealed: false, is_mount_root: false }
    }
}

/// Treatment of an extended attribute of a file when another file replaces it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Treatment {
    /// The new file gets it.
    Copy,
    /// The new file does not get it.
    Drop,
    /// Not known to be copyable, so the file must not be replaced.
    Keep,
}

impl Stat {
    /// Converts the result of `stat`.
    #[expect(clippy::unnecessary_cast, reason = "the system's field types differ between processors")]
    pub(super) fn of(raw: &rustix::fs::Stat) -> Self {
        let stat = Self {
            dev: raw.st_dev as u64,
            ino: raw.st_ino as u64,
            size: raw.st_size.cast_unsigned(),
            mtime: MTime { seconds: raw.st_mtime as i64, nanos: raw.st_mtime_nsec as u32 },
            ctime: MTime { seconds: raw.st_ctime as i64, nanos: raw.st_ctime_nsec as u32 },
            mode: raw.st_mode as u32,
            nlink: raw.st_nlink as u64,
            uid: raw.st_uid as u32,
            gid: raw.st_gid as u32,
            racy: false,
        };
        stat.judged()
    }

    /// Marks a state that was observed just now as racy if it is too young.
    fn judged(mut self) -> Self {
        self.racy = self.is_racy(crate::time::system_clock());
        self
    }
}

/// Returns `true` for the errors of file systems that do not support an operation. On some systems, the two
/// names of this error have two numbers.
pub(super) fn is_unsupported(errno: Errno) -> bool {
    errno == Errno::OPNOTSUPP || errno == Errno::NOTSUP || errno == Errno::NOSYS
}

/// Returns the name of the system that this process uses if some promises of editd are weaker on it, with a hint at
/// them.
pub fn weaker_system() -> Option<&'static str> {
    system().weaker()
}

#[cfg(target_os = "linux")]
pub use linux::{
    boot_id, fill_randomly, has_no_new_privileges, has_other_files, is_listening, leads_session,
    limit_unread, peer_has_no_new_privileges, resident_bytes, watch_limit,
};
#[cfg(target_os = "linux")]
pub use linux::{other_paths, usual_path};
#[cfg(not(target_os = "linux"))]
pub use portable::{
    boot_id, fill_randomly, has_no_new_privileges, has_other_files, is_listening, leads_session,
    limit_unread, peer_has_no_new_privileges, resident_bytes, usual_path, watch_limit,
};

/// Maximum length of the path of a socket in bytes: the size of `sun_path` in `sockaddr_un`, less the NUL
/// byte.
#[cfg(target_os = "linux")]
pub const SOCKET_PATH: usize = 107;
/// Maximum length of the path of a socket in bytes: the size of `sun_path` in `sockaddr_un`, less the NUL
/// byte. Source: Apple's `sys/un.h`.
#[cfg(not(target_os = "linux"))]
pub const SOCKET_PATH: usize = 103;
