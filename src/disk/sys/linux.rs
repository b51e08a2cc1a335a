//! Linux: `openat2`, `statx`, `/proc`, leases and the flushes of its file systems.

mod facts;
mod lease;
mod mounts;

use super::{Call, Inspected, Look, OpenedFolder, OpenedRoot, RenameFlags, Root, Stat, System, portable};
use crate::interface::MAX_TRIES;
use crate::{Handle, MTime, Result, Target};
use rustix::fs::{
    AtFlags, CWD, FallocateFlags, Mode, OFlags, ResolveFlags, Statx, StatxAttributes, StatxFlags,
    StatxTimestamp, chmod, fallocate, fstat, fstatfs, fsync, makedev, openat, openat2, readlinkat,
    renameat_with, statx,
};
use rustix::io::Errno;
use rustix::time::{ClockId, clock_gettime};
use std::ffi::{CStr, OsStr, OsString};
use std::fs::File;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path, PathBuf};
use std::sync::OnceLock;

pub use facts::{
    boot_id, fill_randomly, has_no_new_privileges, has_other_files, is_listening, leads_session,
    limit_unread, peer_has_no_new_privileges, resident_bytes, watch_limit,
};
pub use lease::Lease;
pub use mounts::{other_paths, usual_path};

// File system types as numbered by `statfs`. On these, every change is known to update a timestamp, up to the
// resolution of the clock.
const EXT4: u64 = 0xef53;
const XFS: u64 = 0x5846_5342;
const BTRFS: u64 = 0x9123_683e;
const TMPFS: u64 = 0x0102_1994;

/// File systems on which several spellings of a name may lead to one file: FAT, exFAT, NTFS, HFS, HFS+, CIFS
/// and SMB, FUSE (which may be any of them), 9P and shared folders of virtual machines.
const MAY_FOLD_NAMES: [u64; 13] = [
    0x4d44,
    0x2011_bab0,
    0x5346_544e,
    0x7366_746e,
    0x4244,
    0x482b,
    0xff53_4d42,
    0xfe53_4d42,
    0x517b,
    0x6573_5546,
    0x0102_1997,
    0x786f_4256,
    0x7c7c_6673,
];

/// Flags for a folder that is only held, not listed or flushed.
const HELD_FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

pub(super) struct Linux;

impl System for Linux {
    fn weaker(&self) -> Option<&'static str> {
        None
    }

    fn held_folder(&self) -> OFlags {
        HELD_FOLDER
    }

    fn open_root(&self, given: &Path) -> Call<OpenedRoot> {
        let mut folder = rustix::fs::open(given, HELD_FOLDER, Mode::empty())?;
        let known = StatxFlags::BASIC_STATS | StatxFlags::MNT_ID;
        let state = statx(&folder, c"", AtFlags::EMPTY_PATH, known)?;
        let fs_type = fstatfs(&folder)?.f_type.cast_unsigned();
        let (mut path, device) = (path_of(&folder)?, convert(&state).dev);
        let may_fold = MAY_FOLD_NAMES.contains(&fs_type);
        if may_fold {
            path = portable::stored_path(&path, device);
            folder = rustix::fs::open(&path, HELD_FOLDER | OFlags::NOFOLLOW, Mode::empty())?;
        } else {
            // Below `/proc/PID/root`, a folder can have the path of another one.
            let named = statx(CWD, &path, AtFlags::SYMLINK_NOFOLLOW, known)?;
            let place =
                |state: &Statx| (state.stx_dev_major, state.stx_dev_minor, state.stx_ino, state.stx_mnt_id);
            if place(&named) != place(&state) {
                return Err(Errno::XDEV);
            }
        }
        Ok(OpenedRoot {
            path,
            device,
            mount: Some(state.stx_mnt_id),
            steady_stamps: matches!(fs_type, EXT4 | XFS | BTRFS | TMPFS),
            folds_names: (!may_fold).then_some(false),
            folder,
        })
    }

    fn has_stayed(&self, root: &Root) -> Call<bool> {
        if root.folds_names() {
            return portable::has_stayed(root);
        }
        Ok(path_of(root.handle())? == root.path())
    }

    fn open_folder(&self, root: &Root, folder: &Path) -> Call<OpenedFolder> {
        if folder.as_os_str().is_empty() {
            return OpenedFolder::root(root);
        }
        if root.folds_names() {
            // The kernel would name the folders as they are spelled here.
            return portable::open_folder(HELD_FOLDER, root, folder);
        }
        let fd = match open_beneath(root, folder, HELD_FOLDER, ResolveFlags::empty()) {
            Err(Errno::XDEV) => {
                open_beneath(root, &inside(root, folder)?, HELD_FOLDER, ResolveFlags::NO_SYMLINKS)?
            }
            opened => opened?,
        };
        let path = path_of(&fd)?;
        // A root that was moved away still opens its files, but under paths that no client asked for.
        if !path.starts_with(root.path()) {
            return Err(Errno::STALE);
        }
        Ok(OpenedFolder { handle: fd.into(), path })
    }

    fn open_below(&self, root: &Root, below: &Path, flags: OFlags) -> Call<OwnedFd> {
        open_beneath(root, below, flags, ResolveFlags::NO_SYMLINKS)
    }

    fn read_link(&self, root: &Root, below: &Path) -> Call<PathBuf> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let link = open_beneath(root, below, flags, ResolveFlags::NO_SYMLINKS)?;
        let target = readlinkat(&link, c"", Vec::with_capacity(256))?;
        Ok(OsString::from_vec(target.into_bytes()).into())
    }

    fn find(&self, folder: BorrowedFd<'_>, name: &OsStr) -> Call<(Stat, Option<u64>)> {
        let known = StatxFlags::BASIC_STATS | StatxFlags::MNT_ID;
        let raw = statx(folder, name, AtFlags::SYMLINK_NOFOLLOW | AtFlags::NO_AUTOMOUNT, known)?;
        Ok((convert(&raw), Some(raw.stx_mnt_id)))
    }

    fn look(&self, folder: BorrowedFd<'_>, name: &CStr) -> Call<Look> {
        let known = StatxFlags::BASIC_STATS | StatxFlags::BTIME | StatxFlags::MNT_ID;
        let raw = statx(folder, name, AtFlags::SYMLINK_NOFOLLOW | AtFlags::NO_AUTOMOUNT, known)?;
        let has_born = StatxFlags::from_bits_retain(raw.stx_mask).contains(StatxFlags::BTIME);
        let born = has_born.then(|| stamp(&raw.stx_btime)).filter(|born| born.seconds != 0);
        Ok(Look { stat: convert(&raw), born, mount: Some(raw.stx_mnt_id) })
    }

    fn file_clock(&self) -> MTime {
        let now = clock_gettime(ClockId::RealtimeCoarse);
        MTime { seconds: now.tv_sec, nanos: u32::try_from(now.tv_nsec).unwrap_or_default() }
    }

    fn behind_mounts(&self, root: &Root, target: Option<&Target>) -> Result<Option<PathBuf>> {
        mounts::behind(root, target)
    }

    fn inspect(&self, file: BorrowedFd<'_>) -> Call<Inspected> {
        statx(file, c"", AtFlags::EMPTY_PATH, StatxFlags::BASIC_STATS).map(|raw| inspected(&raw))
    }

    fn inspect_name(&self, folder: BorrowedFd<'_>, name: &OsStr) -> Call<Inspected> {
        let flags = AtFlags::SYMLINK_NOFOLLOW | AtFlags::NO_AUTOMOUNT;
        statx(folder, name, flags, StatxFlags::BASIC_STATS).map(|raw| inspected(&raw))
    }

    fn set_mode(&self, folder: BorrowedFd<'_>, name: &OsStr, mode: Mode) -> Call<()> {
        // A file need not be readable for this, but such a descriptor can only be used by its name in `/proc`.
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = openat(folder, name, flags, Mode::empty())?;
        chmod(format!("/proc/self/fd/{}", file.as_raw_fd()), mode)
    }

    fn rename(
        &self,
        from: (BorrowedFd<'_>, &OsStr),
        to: (BorrowedFd<'_>, &OsStr),
        how: RenameFlags,
    ) -> Call<()> {
        renameat_with(from.0, from.1, to.0, to.1, how)
    }

    fn flush_ordered(&self, file: BorrowedFd<'_>) -> Call<()> {
        match fstatfs(file)?.f_type.cast_unsigned() {
            // A power cut leaves nothing on tmpfs.
            TMPFS => Ok(()),
            EXT4 => begin_writing(file).or_else(|_| fsync(file)),
            // XFS and btrfs update a file's length when its data is written, at any time; other file systems
            // are unknown.
            _ => fsync(file),
        }
    }

    fn reserve(&self, file: &File, old_size: u64, size: u64) -> Call<()> {
        fallocate(file, FallocateFlags::KEEP_SIZE, old_size, size - old_size)
    }

    fn lease(&self, held: &Handle) -> Option<Lease> {
        Lease::take(held)
    }

    fn umask(&self) -> u32 {
        facts::umask()
    }
}

/// Returns the canonical path of an open file or folder. A removed folder has none ([`Errno::NOENT`]).
fn path_of(fd: impl AsFd) -> Call<PathBuf> {
    const REMOVED: &[u8] = b" (deleted)";
    let number = fd.as_fd().as_raw_fd().to_string();
    let bytes = readlinkat(descriptors()?, number, Vec::with_capacity(256))?.into_bytes();
    if bytes.ends_with(REMOVED) && fstat(fd)?.st_nlink == 0 {
        return Err(Errno::NOENT);
    }
    Ok(OsString::from_vec(bytes).into())
}

/// Returns the folder of this process's descriptors, as links to the open files. It stays open, because every
/// change reads it twice and looking it up again would add half of the remaining cost.
fn descriptors() -> Call<&'static OwnedFd> {
    static FOLDER: OnceLock<OwnedFd> = OnceLock::new();
    if let Some(folder) = FOLDER.get() {
        return Ok(folder);
    }
    let folder = rustix::fs::open("/proc/self/fd", HELD_FOLDER, Mode::empty())?;
    Ok(FOLDER.get_or_init(|| folder))
}

/// Returns the path, relative to the root, of a folder that is reached by an absolute symlink. The kernel
/// treats such a link as a way out even if it stays inside. The path is only a candidate: the caller opens it
/// again under the root, without following any symlink.
fn inside(root: &Root, folder: &Path) -> Call<PathBuf> {
    if folder.components().any(|part| part == Component::ParentDir) {
        return Err(Errno::XDEV);
    }
    let fd = openat2(root.handle(), folder, HELD_FOLDER, Mode::empty(), ResolveFlags::NO_MAGICLINKS);
    // Errors from outside must be indistinguishable.
    let path = path_of(fd.map_err(|_| Errno::XDEV)?)?;
    let below = path.strip_prefix(root.path()).map_err(|_| Errno::XDEV)?;
    Ok(Path::new(".").join(below))
}

/// Opens a path, always under the root. Retries if the kernel reports that a rename or mount elsewhere made
/// its walk uncertain.
fn open_beneath(root: &Root, path: &Path, flags: OFlags, also: ResolveFlags) -> Call<OwnedFd> {
    let how = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS | also;
    for _ in 0..MAX_TRIES * 4 {
        match openat2(root.handle(), path, flags, Mode::empty(), how) {
            Err(Errno::AGAIN | Errno::INTR) => {}
            result => return result,
        }
    }
    Err(Errno::AGAIN)
}

/// Makes the kernel start writing the file out, without waiting for it.
///
/// ext4 allocates blocks when it starts to write, and (with `data=ordered`, its default) commits an
/// allocation only after its data. A name that the file is given later is committed with it or after it. ext4
/// does this by itself for a `rename` over a file; doing it here covers exchanges of names and file systems
/// mounted with `noauto_da_alloc` as well.
#[expect(unsafe_code, reason = "rustix has no `sync_file_range`")]
fn begin_writing(file: BorrowedFd<'_>) -> Call<()> {
    // SAFETY: the descriptor is open as long as the file is borrowed, and no memory is handed over.
    let result = unsafe { libc::sync_file_range(file.as_raw_fd(), 0, 0, libc::SYNC_FILE_RANGE_WRITE) };
    if result == 0 { Ok(()) } else { Err(Errno::IO) }
}

fn inspected(raw: &Statx) -> Inspected {
    let attributes = raw.stx_attributes;
    Inspected {
        stat: convert(raw),
        is_sealed: attributes.intersects(StatxAttributes::IMMUTABLE | StatxAttributes::APPEND),
        is_mount_root: attributes.contains(StatxAttributes::MOUNT_ROOT),
    }
}

fn stamp(time: &StatxTimestamp) -> MTime {
    MTime { seconds: time.tv_sec, nanos: time.tv_nsec }
}

/// Converts the result of `statx`.
fn convert(raw: &Statx) -> Stat {
    let stat = Stat {
        dev: makedev(raw.stx_dev_major, raw.stx_dev_minor),
        ino: raw.stx_ino,
        size: raw.stx_size,
        mtime: stamp(&raw.stx_mtime),
        ctime: stamp(&raw.stx_ctime),
        mode: raw.stx_mode.into(),
        nlink: raw.stx_nlink.into(),
        uid: raw.stx_uid,
        gid: raw.stx_gid,
        racy: false,
    };
    stat.judged()
}
