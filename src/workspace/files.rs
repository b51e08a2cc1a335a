//! Files: their identity, their content, and their kind by name.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use editd_text::{ContentHash, Format, Text};

/// The identity of a file.
///
/// A file with one name is identified by its canonical path: an atomic replace gives it a new inode, so the
/// inode cannot be its identity. A file with several names (hard links) is only ever changed in place, so
/// its inode identifies it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FileKey {
    /// The canonical absolute path: no symlink, no `.` or `..` in it.
    Path(Arc<Path>),
    /// Device and inode of a file with more than one name.
    Inode {
        /// Number of the device.
        device: u64,
        /// Number of the inode on that device.
        inode: u64,
    },
}

impl FileKey {
    /// Returns the key of a file with one name, or of a file that does not exist yet.
    pub fn path(canonical: impl Into<PathBuf>) -> Self {
        Self::Path(canonical.into().into())
    }
}

/// The content of a file at one moment: immutable, shared and identified by its hash.
///
/// Versions of one file are derived from each other by edits, so their ropes share most of their memory.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// Hash of the whole file as bytes on disk.
    pub hash: ContentHash,
    /// The text, without a BOM.
    pub text: Text,
    /// Byte encoding of the text.
    pub format: Format,
    /// Length of the file in bytes.
    pub size: u64,
}

/// The last observed content of a file.
#[derive(Clone, Debug)]
pub enum FileContent {
    /// The file does not exist.
    Missing,
    /// The file is text.
    Text(Arc<Snapshot>),
    /// The file is not text; only its hash is known.
    Opaque(ContentHash),
}

impl FileContent {
    /// Returns the hash, or `None` if the file is missing.
    pub fn hash(&self) -> Option<ContentHash> {
        match self {
            Self::Missing => None,
            Self::Text(snapshot) => Some(snapshot.hash),
            Self::Opaque(hash) => Some(*hash),
        }
    }

    /// Returns the text, or `None` if the file is missing or not text.
    pub fn snapshot(&self) -> Option<&Arc<Snapshot>> {
        match self {
            Self::Text(snapshot) => Some(snapshot),
            Self::Missing | Self::Opaque(_) => None,
        }
    }
}

/// The observed state of a file.
#[derive(Clone, Debug)]
pub struct ObservedVersion {
    /// Key of the file.
    pub key: FileKey,
    /// Canonical path of the file.
    pub path: PathBuf,
    /// Current content.
    pub content: FileContent,
    /// `true` if the content is the unsaved text of an editor.
    pub is_unsaved: bool,
}

/// A file's timestamp. Timestamps are only compared for equality: copying tools set them back, so their order
/// does not tell which content is newer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MTime {
    /// Seconds since 1970, UTC.
    pub seconds: i64,
    /// Nanoseconds within the second.
    pub nanos: u32,
}

impl MTime {
    /// Returns `true` if a time of a file is certainly before another one. Some file systems round times down: to two
    /// seconds or to ten milliseconds.
    pub fn is_before(&self, other: &Self) -> bool {
        const MILLISECOND: i128 = 1_000_000;
        let rounding = match self.nanos {
            0 => 2000 * MILLISECOND,
            nanos if nanos % 10_000_000 == 0 => 10 * MILLISECOND,
            _ => 0,
        };
        let nanos = |time: &Self| i128::from(time.seconds) * 1_000_000_000 + i128::from(time.nanos);
        nanos(self) + rounding < nanos(other)
    }
}

/// Extensions of files written for human readers. Code in them is quoted and not executed from there.
const PROSE: &str = "
    md markdown mdown mkd mdx mdc rmd qmd rst adoc asciidoc asc txt text org tex latex textile wiki mediawiki
";

/// Names of prose files without an extension.
const PROSE_NAMES: &str = "readme license licence copying changelog contributing authors notice";

/// Prefixes of `.txt` files that programs read.
const CODE: [&str; 2] = ["cmakelists", "requirements"];

/// Returns `true` if a file contains prose, judging by its name.
pub fn is_prose(path: &Path) -> bool {
    let lower = |part: Option<&OsStr>| part.map(|part| part.to_string_lossy().to_lowercase());
    let stem = lower(path.file_stem()).unwrap_or_default();
    match lower(path.extension()) {
        Some(extension) if extension == "txt" => !CODE.iter().any(|code| stem.starts_with(code)),
        Some(extension) => PROSE.split_whitespace().any(|known| known == extension),
        None => PROSE_NAMES.split(' ').any(|known| known == stem),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_recognized_by_name() {
        for path in ["a.md", "docs/Guide.MDX", "a.b.rst", "/x/notes.txt", "thesis.tex", "LICENSE", "README"] {
            assert!(is_prose(Path::new(path)), "{path}");
        }
        for path in ["a.rs", "md", ".md", "a.md.rs", "CMakeLists.txt", "requirements-dev.txt", "Makefile", ""]
        {
            assert!(!is_prose(Path::new(path)), "{path}");
        }
    }
}
