//! Copying owner, mode, ACL and extended attributes from a file to the one that replaces it.

use super::convert;
use crate::disk::{Examined, Stat};
use rustix::fs::{
    Gid, Mode, Uid, XattrFlags, fchmod, fchown, fgetxattr, flistxattr, fremovexattr, fsetxattr, fstat,
};
use rustix::io::Errno;
use std::ffi::CStr;
use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};

const ACL: &CStr = c"system.posix_acl_access";

/// Linux limits an attribute's value, and a file's list of names, to this many bytes.
const MAX_XATTR: usize = 64 * 1024;

/// Result of copying the attributes of a file.
pub(super) enum Likeness {
    /// The new file matches the original; this is its state.
    Reproduced(Stat),
    /// The new file would lose an attribute of the original.
    Impossible,
}

/// Treatment of an extended attribute.
enum Treatment {
    Copy,
    /// Dropped: privileges of a program, which the kernel removes on every write so that changed code does
    /// not inherit them.
    Drop,
    /// Not known to be copyable, so the original's inode has to stay.
    Unknown,
}

/// Gives `file` the owner, attributes and mode of `original`, in this order: a change of owner clears
/// set-user-id bits, and the mode of a file with an ACL is its mask.
pub(super) fn reproduce(file: &File, original: &Examined) -> Result<Likeness, Errno> {
    let old = original.handle.descriptor();
    let wanted = &original.stat;
    if !chown(file, wanted)? || !copy_xattrs(file, old)? {
        return Ok(Likeness::Impossible);
    }
    fchmod(file, Mode::from_raw_mode(wanted.mode & 0o7777))?;
    let stat = convert(&fstat(file)?);
    let alike = (stat.mode, stat.uid, stat.gid) == (wanted.mode, wanted.uid, wanted.gid);
    Ok(if alike { Likeness::Reproduced(stat) } else { Likeness::Impossible })
}

/// Returns `true` if a file has an access-control list beyond its mode.
pub(super) fn has_acl(file: impl AsFd) -> bool {
    fgetxattr(file, ACL, &mut [0_u8; 0][..]).is_ok()
}

fn chown(file: &File, wanted: &Stat) -> Result<bool, Errno> {
    let present = fstat(file)?;
    if (present.st_uid, present.st_gid) == (wanted.uid, wanted.gid) {
        return Ok(true);
    }
    match fchown(file, Some(Uid::from_raw(wanted.uid)), Some(Gid::from_raw(wanted.gid))) {
        Ok(()) => Ok(true),
        Err(Errno::PERM | Errno::INVAL) => Ok(false),
        Err(errno) => Err(errno),
    }
}

fn copy_xattrs(file: &File, old: &OwnedFd) -> Result<bool, Errno> {
    let mut inherited_acl = has_acl(file);
    let mut buffer = [0_u8; 512];
    let long;
    let names = match flistxattr(old, &mut buffer[..]) {
        Ok(length) => &buffer[..length],
        Err(Errno::RANGE) => {
            long = long_list(old)?;
            &long[..]
        }
        Err(Errno::OPNOTSUPP) => &[],
        Err(errno) => return Err(errno),
    };
    for name in names.split_inclusive(|byte| *byte == 0) {
        let name = CStr::from_bytes_with_nul(name).map_err(|_| Errno::INVAL)?;
        inherited_acl &= name != ACL;
        match treatment(name) {
            Treatment::Copy if copy_one(file, old, name)? => {}
            Treatment::Drop => {}
            Treatment::Copy | Treatment::Unknown => return Ok(false),
        }
    }
    if inherited_acl {
        fremovexattr(file, ACL)?;
    }
    Ok(true)
}

fn treatment(name: &CStr) -> Treatment {
    match name.to_bytes() {
        b"security.capability" => Treatment::Drop,
        b"security.selinux" | b"system.posix_acl_access" => Treatment::Copy,
        name if name.starts_with(b"user.") => Treatment::Copy,
        _ => Treatment::Unknown,
    }
}

fn long_list(old: &OwnedFd) -> Result<Vec<u8>, Errno> {
    let mut list = vec![0; MAX_XATTR];
    let length = flistxattr(old, &mut list[..])?;
    list.truncate(length);
    Ok(list)
}

/// Copies one attribute. Returns `false` if the new file does not accept it.
fn copy_one(file: &File, old: &OwnedFd, name: &CStr) -> Result<bool, Errno> {
    let mut value = vec![0; 256];
    let length = match fgetxattr(old, name, &mut value[..]) {
        Err(Errno::RANGE) => {
            value.resize(MAX_XATTR, 0);
            fgetxattr(old, name, &mut value[..])?
        }
        result => result?,
    };
    match fsetxattr(file, name, &value[..length], XattrFlags::empty()) {
        Ok(()) => Ok(true),
        Err(Errno::PERM | Errno::ACCESS | Errno::OPNOTSUPP | Errno::INVAL) => Ok(false),
        Err(errno) => Err(errno),
    }
}
