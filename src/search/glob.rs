use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};

/// Bytes of a glob: room for any path.
const LONGEST: usize = 4096;

/// A pattern of paths. Without `/` it is about the name alone, with it (`./` before a name will do) about the path from
/// the folder that is searched, and beginning with `/` about the absolute path. `*` stays within a name and `**` does not.
#[derive(Clone, Debug)]
pub struct Glob {
    matcher: GlobMatcher,
    about: About,
    folders_only: bool,
}

/// What a glob is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum About {
    Name,
    Path,
    Absolute,
}

impl Glob {
    /// Reads a pattern; fails with what is wrong with it, in words that can follow its name.
    pub fn new(pattern: &str) -> Result<Self, String> {
        let (pattern, from_here) = pattern.strip_prefix("./").map_or((pattern, false), |rest| (rest, true));
        if pattern.len() > LONGEST {
            return Err(format!("it is longer than {LONGEST} bytes"));
        }
        let bare = pattern.trim_end_matches('/');
        if bare.is_empty() {
            return Err("it is empty".to_owned());
        }
        let about = match bare {
            bare if bare.starts_with('/') => About::Absolute,
            bare if from_here || bare.contains('/') => About::Path,
            _ => About::Name,
        };
        let glob = GlobBuilder::new(bare).literal_separator(true).backslash_escape(true).build();
        let glob = glob.map_err(|error| error.kind().to_string())?;
        Ok(Self { matcher: glob.compile_matcher(), about, folders_only: bare != pattern })
    }

    /// Whether a path fits, of which `below` is the part from the folder that is searched.
    pub fn fits(&self, absolute: &Path, below: &Path, is_folder: bool) -> bool {
        let compared = match self.about {
            About::Name => below.file_name().map_or(below, Path::new),
            About::Path => below,
            About::Absolute => absolute,
        };
        (is_folder || !self.folders_only) && self.matcher.is_match(compared)
    }
}

/// Which files are searched, by their paths.
#[derive(Clone, Debug)]
pub struct FileGlob {
    glob: Glob,
    /// Whether those that fit are left out.
    negated: bool,
}

impl FileGlob {
    /// Reads a glob, with `!` before it for what is left out.
    pub fn new(pattern: &str) -> Result<Self, String> {
        let (pattern, negated) = pattern.strip_prefix('!').map_or((pattern, false), |rest| (rest, true));
        Ok(Self { glob: Glob::new(pattern)?, negated })
    }

    pub(super) fn admits(&self, absolute: &Path, below: &Path) -> bool {
        self.glob.fits(absolute, below, false) != self.negated
    }

    /// Whether nothing in a folder is wanted.
    pub(super) fn closes(&self, absolute: &Path, below: &Path) -> bool {
        self.negated && self.glob.fits(absolute, below, true)
    }
}
