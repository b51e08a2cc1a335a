use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

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
