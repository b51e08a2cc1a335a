//! The daemon's folders: for this user alone, and never taken from another use.

use std::fs::{DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, PermissionsExt};
use std::path::Path;

use crate::daemon::Places;

use super::listen::{ServeError, failed};

/// Makes the daemon's folders, or makes sure that they are its own. Comes before anything is put in them.
pub fn prepare_folders(places: &Places) -> Result<(), ServeError> {
    private_dir(&places.state_dir)?;
    private_dir(&places.runtime_dir)
}

/// Makes a folder for this user only, or makes sure that it is one. Only an empty one is closed to others:
/// one with something in it, such as `/tmp`, has another use.
fn private_dir(path: &Path) -> Result<(), ServeError> {
    let create = DirBuilder::new().recursive(true).mode(0o700).create(path);
    create.map_err(failed(format!("creating {}", path.display())))?;
    let looking = || failed(format!("looking at {}", path.display()));
    let found = std::fs::symlink_metadata(path).map_err(looking())?;
    let refuse = |reason| Err(ServeError::Unsafe { path: path.to_owned(), reason });
    if found.is_symlink() {
        return refuse("it is a link; name the folder that it leads to");
    }
    if !found.is_dir() {
        return refuse("it is no folder");
    }
    if found.uid() != rustix::process::geteuid().as_raw() {
        return refuse("it belongs to another user");
    }
    let is_open = found.permissions().mode() & 0o077 != 0;
    if !is_open {
        return Ok(());
    }
    if std::fs::read_dir(path).map_err(looking())?.next().is_some() {
        return refuse(
            "others may enter it and it is not empty; \
             choose another folder, or close it with `chmod 700` if it is editd's alone",
        );
    }
    std::fs::set_permissions(path, Permissions::from_mode(0o700))
        .map_err(failed(format!("closing {}", path.display())))
}

/// Makes room for a socket. Only a socket goes; what else bears its name is somebody's.
pub(super) fn clear_for_socket(path: &Path) -> Result<(), ServeError> {
    match std::fs::symlink_metadata(path) {
        Ok(found) if !found.file_type().is_socket() => {
            let reason = "it is no socket; move it away, or choose another folder with --runtime-dir";
            Err(ServeError::Unsafe { path: path.to_owned(), reason })
        }
        Ok(_) => std::fs::remove_file(path).map_err(failed(format!("replacing {}", path.display()))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(failed(format!("looking at {}", path.display()))(error)),
    }
}
