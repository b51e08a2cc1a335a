use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};

/// Maximum length of a glob, in bytes: enough for any path.
const LONGEST: usize = 4096;

/// A path pattern. Without `/` it is matched against the file name, with a `/` (or a leading `./`) against
/// the path from the searched folder, and with a leading `/` against the absolute path. `*` does not match
/// `/`; `**` does.
#[derive(Clone, Debug)]
pub struct Glob {
    matcher: GlobMatcher,
    subject: Subject,
    folders_only: bool,
}

/// The subject of a glob.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Subject {
    Name,
    Path,
    Absolute,
}

impl Glob {
    /// Parses a pattern. The error is a description that can follow the name of the parameter.
    pub fn new(pattern: &str) -> Result<Self, String> {
        let (pattern, is_relative) = pattern.strip_prefix("./").map_or((pattern, false), |rest| (rest, true));
        if pattern.len() > LONGEST {
            return Err(format!("it is longer than {LONGEST} bytes"));
        }
        let bare = pattern.trim_end_matches('/');
        if bare.is_empty() {
            return Err("it is empty".to_owned());
        }
        let subject = match bare {
            bare if bare.starts_with('/') => Subject::Absolute,
            bare if is_relative || bare.contains('/') => Subject::Path,
            _ => Subject::Name,
        };
        let glob = GlobBuilder::new(bare).literal_separator(true).backslash_escape(true).build();
        let glob = glob.map_err(|error| error.kind().to_string())?;
        Ok(Self { matcher: glob.compile_matcher(), subject, folders_only: bare != pattern })
    }

    /// Returns `true` if a path matches. `below` is the path from the searched folder.
    pub fn fits(&self, absolute: &Path, below: &Path, is_folder: bool) -> bool {
        let compared = match self.subject {
            Subject::Name => below.file_name().map_or(below, Path::new),
            Subject::Path => below,
            Subject::Absolute => absolute,
        };
        (is_folder || !self.folders_only) && self.matcher.is_match(compared)
    }
}

/// A filter on the paths of searched files.
#[derive(Clone, Debug)]
pub struct FileGlob {
    glob: Glob,
    /// `true` if matching files are excluded.
    negated: bool,
}

impl FileGlob {
    /// Parses a glob; a leading `!` makes it an exclusion.
    pub fn new(pattern: &str) -> Result<Self, String> {
        let (pattern, negated) = pattern.strip_prefix('!').map_or((pattern, false), |rest| (rest, true));
        Ok(Self { glob: Glob::new(pattern)?, negated })
    }

    pub(super) fn admits(&self, absolute: &Path, below: &Path) -> bool {
        self.glob.fits(absolute, below, false) != self.negated
    }

    /// Returns `true` if everything in a folder is excluded.
    pub(super) fn excludes_folder(&self, absolute: &Path, below: &Path) -> bool {
        self.negated && self.glob.fits(absolute, below, true)
    }
}
