//! The texts that a parser keeps with their trees, for the next change of their files.

use crate::ParsedText;
use editd_text::ContentHash;

/// Maximum size of the kept texts of a process, in bytes. Their trees need about ten times as much.
const MAX_KEPT: usize = 400 << 10;

/// Maximum number of versions of a file: the one before the last change may be the base of another proposal.
const VERSIONS: usize = 2;

/// Versions of files, the last used one at the end.
#[derive(Debug, Default)]
pub(super) struct Kept {
    versions: Vec<Version>,
}

#[derive(Debug)]
struct Version {
    file: u64,
    hash: ContentHash,
    parsed: ParsedText,
}

impl Kept {
    /// Returns a version of a file.
    pub(super) fn get(&mut self, file: u64, hash: ContentHash) -> Option<&mut ParsedText> {
        let at = self.versions.iter().position(|version| version.file == file && version.hash == hash)?;
        let version = self.versions.remove(at);
        self.versions.push(version);
        self.versions.last_mut().map(|version| &mut version.parsed)
    }

    /// Returns the version of a file that was used last.
    pub(super) fn latest(&self, file: u64) -> Option<&ParsedText> {
        self.versions.iter().rev().find(|version| version.file == file).map(|version| &version.parsed)
    }

    /// Keeps a version of a file.
    pub(super) fn put(&mut self, file: u64, hash: ContentHash, parsed: ParsedText) {
        self.versions.retain(|version| version.file != file || version.hash != hash);
        self.versions.push(Version { file, hash, parsed });
        let of_file = |version: &Version| version.file == file;
        if self.versions.iter().filter(|version| of_file(version)).count() > VERSIONS
            && let Some(first) = self.versions.iter().position(of_file)
        {
            self.versions.remove(first);
        }
        let mut size: usize = self.versions.iter().map(|version| version.parsed.text().len()).sum();
        while size > MAX_KEPT && self.versions.len() > 1 {
            size -= self.versions.remove(0).parsed.text().len();
        }
    }
}
