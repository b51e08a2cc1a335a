//! Setup of the daemon's folders, which are private to the user and never shared with another purpose.

use std::fs::{DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, PermissionsExt};
use std::path::Path;

use crate::server::Places;

use super::listen::{ServeError, failed};

/// Creates the daemon's folders, or checks that they are private. Must be called before anything is created
/// in them.
pub fn prepare_folders(places: &Places) -> Result<(), ServeError> {
    private_dir(&places.state_dir)?;
    private_dir(&places.runtime_dir)
}

/// Creates a folder that only this user can access, or checks that an existing one is private. Restricts the
/// permissions of an existing folder only if it is empty: one with content, such as `/tmp`, has another
/// purpose.
fn private_dir(path: &Path) -> Result<(), ServeError> {
    let create = DirBuilder::new().recursive(true).mode(0o700).create(path);
    create.map_err(failed(format!("creating {}", path.display())))?;
    let checking = || failed(format!("checking {}", path.display()));
    let found = std::fs::symlink_metadata(path).map_err(checking())?;
    let refuse = |reason| Err(ServeError::Unsafe { path: path.to_owned(), reason });
    if found.is_symlink() {
        return refuse("it is a link; name the folder that it leads to");
    }
    if !found.is_dir() {
        return refuse("it is not a folder");
    }
    if found.uid() != rustix::process::geteuid().as_raw() {
        return refuse("it belongs to another user");
    }
    let is_open = found.permissions().mode() & 0o077 != 0;
    if !is_open {
        return Ok(());
    }
    if std::fs::read_dir(path).map_err(checking())?.next().is_some() {
        return refuse(
            "others may enter it and it is not empty; \
             choose another folder, or close it with `chmod 700` if only editd uses it",
        );
    }
    std::fs::set_permissions(path, Permissions::from_mode(0o700))
        .map_err(failed(format!("closing {}", path.display())))
}

/// Removes a stale socket. Anything else at the path belongs to another program and is an error.
pub(super) fn clear_for_socket(path: &Path) -> Result<(), ServeError> {
    match std::fs::symlink_metadata(path) {
        Ok(found) if !found.file_type().is_socket() => {
            let reason = "it is not a socket; move it away, or choose another folder with --runtime-dir";
            Err(ServeError::Unsafe { path: path.to_owned(), reason })
        }
        Ok(_) => std::fs::remove_file(path).map_err(failed(format!("replacing {}", path.display()))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(failed(format!("checking {}", path.display()))(error)),
    }
}
