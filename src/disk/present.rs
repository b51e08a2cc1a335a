//! The content of a file whose path comes from a record: anything may have that name now.

use std::fs::File;
use std::io::{self, ErrorKind, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use rustix::fs::OFlags;
use rustix::io::Errno;

use editd_text::ContentHash;

/// Returns the hash of the file at a canonical path, or `None` if there is no file, for instance because a link or a
/// folder has its name. Fails for a file above `limit`, in bytes. Never blocks.
pub fn present(path: &Path, limit: u64) -> io::Result<Option<ContentHash>> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let folder = path.parent().unwrap_or(Path::new("/"));
    if folder.canonicalize().is_ok_and(|canonical| canonical != folder) {
        return Ok(None);
    }
    let mut file = match File::options().read(true).custom_flags(flags).open(path) {
        Err(error) if is_no_file(&error) => return Ok(None),
        opened => opened?,
    };
    let stat = file.metadata()?;
    if !stat.is_file() {
        return Ok(None);
    }
    if stat.len() > limit {
        return Err(ErrorKind::Unsupported.into());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(stat.len()).unwrap_or_default());
    file.read_to_end(&mut bytes)?;
    Ok(Some(ContentHash::of(&bytes)))
}

/// Returns `true` if an error of opening a file says that there is none: nothing, or a link, or something below a file.
fn is_no_file(error: &io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::NOENT | Errno::NOTDIR | Errno::LOOP))
}
