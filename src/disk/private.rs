use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Read as _, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt as _, OpenOptionsExt, PermissionsExt as _};
use std::path::Path;

use rustix::fs::OFlags;
use rustix::io::Errno;

/// Opens a file of editd itself. Follows no link there, never blocks, and fails for anything but a regular file of
/// this user, so that no other file is read or written in its place. A new file is readable by its owner only. The
/// options must not truncate, because that would happen before the check.
pub fn open_private_file(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC).bits().cast_signed();
    let opened = options.mode(0o600).custom_flags(flags).open(path);
    let file = opened.map_err(|error| match Errno::from_io_error(&error) {
        Some(Errno::LOOP | Errno::NXIO) => foreign(path, "a regular file"),
        _ => error,
    })?;
    let found = file.metadata()?;
    if found.is_file() && is_own(&found) { Ok(file) } else { Err(foreign(path, "a regular file")) }
}

/// Reads a file of editd itself, as [`open_private_file`] opens it.
pub fn read_private_file(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_private_file(path, OpenOptions::new().read(true))?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Creates a folder of editd itself that this user can use and others cannot access; changes the mode of an existing
/// one to that. Fails if something else has the name, also if it is a link to a folder.
pub fn make_private_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)?;
    let found = fs::symlink_metadata(path)?;
    if !found.is_dir() || !is_own(&found) {
        return Err(foreign(path, "a folder"));
    }
    let is_private = found.permissions().mode() & 0o777 == 0o700;
    if is_private { Ok(()) } else { fs::set_permissions(path, Permissions::from_mode(0o700)) }
}

fn is_own(found: &fs::Metadata) -> bool {
    found.uid() == rustix::process::geteuid().as_raw()
}

fn foreign(path: &Path, kind: &str) -> io::Error {
    let what = format!("{} is not {kind} of this user; move it away", path.display());
    io::Error::new(ErrorKind::PermissionDenied, what)
}

/// Creates or replaces a file of editd itself, completely or not at all: writes `part`, which is in the same
/// folder, and renames it. With `flush`, the file is on stable storage when the call returns.
pub fn replace_private_file<'a>(
    (part, path): (&Path, &Path),
    pieces: impl IntoIterator<Item = &'a [u8]>,
    flush: bool,
) -> io::Result<File> {
    match fs::remove_file(part) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(part)?;
    let written = pieces.into_iter().try_for_each(|piece| file.write_all(piece));
    let stored = written.and_then(|()| if flush { file.sync_all() } else { Ok(()) });
    stored.and_then(|()| fs::rename(part, path)).inspect_err(|_| {
        // A partial file does no harm but takes up space.
        fs::remove_file(part).ok();
    })?;
    if let Some(folder) = path.parent().filter(|_| flush) {
        File::open(folder)?.sync_all()?;
    }
    Ok(file)
}
