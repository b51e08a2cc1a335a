//! The ends of transcripts, which name the model.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

/// Maximum length of the part that is read, in bytes. A message with a long text of a file fits.
const MAX_PART: u64 = 1 << 20;

/// Returns the last lines of a transcript, newest last. The first one may be incomplete.
pub(super) fn last_lines(transcript: &Path) -> io::Result<String> {
    if !transcript.metadata()?.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut file = File::open(transcript)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(MAX_PART)))?;
    let mut part = Vec::new();
    // The program may be adding to it.
    file.take(MAX_PART).read_to_end(&mut part)?;
    Ok(String::from_utf8_lossy(&part).into_owned())
}
