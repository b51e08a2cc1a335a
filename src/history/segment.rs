use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::disk::FileBytes;
use crate::text::ContentHash;

use super::writer::Extent;

/// Name of a segment's file of lines.
const ENTRIES: &str = "entries.jsonl";

/// Name of a segment's folder: a number that gives the order, and the run of the daemon that it belongs to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SegmentName {
    pub(super) number: u64,
    pub(super) nonce: String,
}

/// Location of an entry's line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct LineLocation {
    pub(super) segment: SegmentName,
    pub(super) offset: u64,
    pub(super) len: usize,
}

impl SegmentName {
    pub(super) fn parse(name: &OsStr) -> Option<Self> {
        let (number, nonce) = name.to_str()?.split_once('-')?;
        let is_nonce = !nonce.is_empty() && nonce.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_nonce.then_some(Self { number: number.parse().ok()?, nonce: nonce.to_owned() })
    }

    pub(super) fn folder(&self, history: &Path) -> PathBuf {
        history.join(format!("{:08}-{}", self.number, self.nonce))
    }

    pub(super) fn entries(&self, history: &Path) -> PathBuf {
        self.folder(history).join(ENTRIES)
    }

    pub(super) fn make(&self, history: &Path) -> io::Result<File> {
        let folder = self.folder(history);
        match DirBuilder::new().mode(0o700).create(&folder) {
            // An earlier attempt may have stopped right after creating the folder.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            made => made?,
        }
        OpenOptions::new().append(true).create(true).mode(0o600).open(folder.join(ENTRIES))
    }

    /// Returns the size, images included, and the time of the last change.
    pub(super) fn measure(&self, history: &Path) -> io::Result<Extent> {
        let (mut size, mut changed) = (0, SystemTime::UNIX_EPOCH);
        for entry in fs::read_dir(self.folder(history))? {
            let stat = entry?.metadata()?;
            size += stat.len();
            changed = changed.max(stat.modified()?);
        }
        Ok(Extent { size, changed })
    }

    /// Stores an image under its hash, unless it already exists.
    pub(super) fn put_image(
        &self,
        history: &Path,
        hash: ContentHash,
        bytes: &FileBytes,
    ) -> io::Result<Option<File>> {
        let path = self.image(history, hash);
        let part = path.with_extension("part");
        if path.exists() {
            return Ok(None);
        }
        let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&part)?;
        let written = bytes.pieces().try_for_each(|piece| file.write_all(piece));
        written.and_then(|()| fs::rename(&part, &path)).inspect_err(|_| {
            // A leftover is removed together with the segment.
            let _ = fs::remove_file(&part);
        })?;
        Ok(Some(file))
    }

    pub(super) fn image(&self, history: &Path, hash: ContentHash) -> PathBuf {
        self.folder(history).join(hash.to_string().replace(':', "-"))
    }
}

impl LineLocation {
    pub(super) fn read(&self, history: &Path) -> io::Result<Vec<u8>> {
        let mut file = File::open(self.segment.entries(history))?;
        file.seek(SeekFrom::Start(self.offset))?;
        let mut line = vec![0; self.len];
        file.read_exact(&mut line)?;
        Ok(line)
    }

    pub(super) fn image(&self, history: &Path, hash: ContentHash) -> PathBuf {
        self.segment.image(history, hash)
    }
}
