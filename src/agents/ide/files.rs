//! Files with the secrets of a server, which exist as long as it runs.

use std::fs::{self, DirBuilder};
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use editd_disk::{read_private_file, replace_private_file};

/// Maximum time for a server on this machine to accept a connection.
const CONNECTING: Duration = Duration::from_millis(200);

/// The process and the port that a file names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Named {
    pub(super) process: i32,
    pub(super) port: u16,
}

/// A file that is removed when this is dropped.
#[derive(Debug)]
pub(super) struct OwnedFile(PathBuf);

impl Drop for OwnedFile {
    fn drop(&mut self) {
        // It may have been removed by the program that reads it.
        let _ = fs::remove_file(&self.0);
    }
}

/// A folder that only its owner can read and change. Nothing in it is opened before that is certain: another user of the
/// machine could leave a pipe there, which is never read to its end.
pub(super) struct PrivateFolder<'f>(&'f Path);

impl<'f> PrivateFolder<'f> {
    /// Creates the folder, unless it exists. Refuses one that other users can change.
    pub(super) fn open(folder: &'f Path) -> io::Result<Self> {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        check(folder)?;
        Ok(Self(folder))
    }

    /// Writes a file that only its owner can read.
    pub(super) fn write(&self, name: &str, content: &Value) -> io::Result<OwnedFile> {
        let (path, part) = (self.0.join(name), self.0.join(format!(".{name}.new")));
        replace_private_file((&part, &path), [content.to_string().as_bytes()], false)?;
        Ok(OwnedFile(path))
    }

    /// Removes the files that this function accepts and whose server has ended: its process is unknown, and nothing
    /// listens on its port. The process of a server outside of a container is unknown inside.
    pub(super) fn remove_stale(&self, named: impl Fn(&str, &Value) -> Option<Named>) {
        for entry in fs::read_dir(self.0).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let content =
                read_private_file(&entry.path()).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
            let named = content.and_then(|content: Value| named(name.to_str()?, &content));
            if named.is_some_and(Named::is_over) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

fn check(folder: &Path) -> io::Result<()> {
    let metadata = fs::symlink_metadata(folder)?;
    let is_own = metadata.is_dir() && metadata.uid() == rustix::process::getuid().as_raw();
    if !is_own {
        let text = format!("{} is not a folder of yours, so no token is written to it", folder.display());
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, text));
    }
    if metadata.permissions().mode() & 0o077 != 0 {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
    }
    Ok(())
}

/// Creates a folder like `/tmp`, in which each user can have a folder, unless it exists. Refuses one in which another user
/// can rename the folders of this one.
pub(super) fn create_shared(folder: &Path) -> io::Result<()> {
    match DirBuilder::new().create(folder) {
        // The mode of a new folder depends on the umask.
        Ok(()) => return fs::set_permissions(folder, fs::Permissions::from_mode(0o1777)),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(error),
    }
    let metadata = fs::symlink_metadata(folder)?;
    let is_own = [0, rustix::process::getuid().as_raw()].contains(&metadata.uid());
    let is_writable = metadata.permissions().mode() & 0o022 != 0;
    let is_sticky = metadata.permissions().mode() & 0o1000 != 0;
    if metadata.is_dir() && is_own && (is_sticky || !is_writable) {
        return Ok(());
    }
    let text =
        format!("other users can rename what is in {}, so no token is written there", folder.display());
    Err(io::Error::new(io::ErrorKind::PermissionDenied, text))
}

impl Named {
    fn is_over(self) -> bool {
        let process = rustix::process::Pid::from_raw(self.process);
        let is_unknown = process.is_some_and(|id| {
            rustix::process::test_kill_process(id).is_err_and(|error| error == rustix::io::Errno::SRCH)
        });
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, self.port));
        is_unknown && TcpStream::connect_timeout(&address, CONNECTING).is_err()
    }
}
