//! Walks folders and searches files with the crates behind ripgrep: ignore rules and patterns work as they do
//! there.
//!
//! A walk visits a tree in path order. It opens every folder by its path from the root
//! ([`Disk::list`](crate::Disk::list)), so a concurrent rename cannot lead it outside of the root. The
//! walk hands files to several threads. `results.rs` keeps the first results in path order, independent of the
//! number of threads, and reports when later files cannot contribute any more.
//!
//! Unsaved text in editors takes precedence over the disk: [`FileAccess`] returns it, and decides what may be
//! reported.
//!
//! ```
//! use std::path::{Path, PathBuf};
//!
//! use editd_disk::{Disk, MemoryDisk};
//! use editd_edit::Deadline;
//! use editd_disk::search::{Bounds, FileAccess, OpenText, Query, Scope, Start, StopCondition, search};
//!
//! /// Allows every file; no editor has anything open.
//! struct Open;
//!
//! impl FileAccess for Open {
//!     fn allows(&self, _: &Path) -> bool { true }
//!     fn confirms(&self, _: &Path) -> bool { true }
//!     fn shown(&self, _: &Path) -> OpenText { OpenText::Disk }
//! }
//!
//! let disk = MemoryDisk::new();
//! disk.write_externally("/shop/a.rs", b"fn main() {}\n");
//! disk.write_externally("/shop/.gitignore", b"target\n");
//! disk.write_externally("/shop/target/b.rs", b"fn main() {}\n");
//! let scope = Scope {
//!     root: disk.open_root(Path::new("/shop"))?,
//!     start: Start::Folder(PathBuf::new()),
//!     top: PathBuf::from("/shop"),
//!     others: Vec::new(),
//!     open: Default::default(),
//! };
//! let query = Query::new(r"fn \w+", false, false, Bounds { lines: 100, context: 0, bytes: 1 << 16, counts: false })?;
//! let stop = StopCondition::new(&|| false, Deadline::NONE);
//! let report = search(&disk, &[scope], (&query, None), &Open, &stop);
//! assert_eq!(report.files.len(), 1, "the other file is ignored");
//! assert!(!report.more);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod filter;
mod ignored;
mod lines;
mod matcher;
mod query;
mod results;
mod run;
mod tracked;
mod walk;

use std::collections::BTreeSet;
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::Root;

pub use filter::points_to;
pub use filter::{FileGlob, Glob, Ignores};
pub use ignored::{IgnoredFiles, ignored};
pub use lines::Line;
pub use matcher::StopCondition;
pub use query::{Bounds, PatternError, Query};
pub use results::{Counter, FileMatches, NamedCounter, Passed};
pub use run::{Report, search};
pub use tracked::{Tracked, TrackedFiles, metadata as git_metadata};
pub use walk::{Entry, Then, walk};

/// The part of a root that a search covers.
#[derive(Clone, Debug)]
pub struct Scope {
    /// The opened root.
    pub root: Root,
    /// Start of the search, as a canonical path from the root.
    pub start: Start,
    /// Top folder of the workspace around the root. Ignore rules are read there and in the folders in
    /// between.
    pub top: PathBuf,
    /// Folders covered by another scope, as paths from the root.
    pub others: Vec<PathBuf>,
    /// Files that are open in editors and may have unsaved text, as paths from the root.
    pub open: BTreeSet<PathBuf>,
}

/// The start of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// All entries of a folder that are not ignored.
    Folder(PathBuf),
    /// A single file, ignored or not.
    File(PathBuf),
}

impl Scope {
    /// Returns the open files in a folder and its subfolders, as paths from that folder.
    pub(super) fn open_in<'a>(&'a self, folder: &'a Path) -> impl Iterator<Item = &'a Path> {
        let from = self.open.range::<Path, _>((Bound::Excluded(folder), Bound::Unbounded));
        from.map_while(move |path| path.strip_prefix(folder).ok())
    }
}

/// Access rules and unsaved texts for a search. Paths are absolute and canonical.
pub trait FileAccess: Sync {
    /// Returns `true` if the content of a file may be reported, judged by its path. The search calls this for
    /// every file before opening it, so that the number of skipped files does not depend on their content.
    fn allows(&self, path: &Path) -> bool;

    /// Returns `true` if the path still leads to this file and the file may be read. The search calls this
    /// only for files with matches.
    fn confirms(&self, path: &Path) -> bool;

    /// Returns the text of a file that may have unsaved changes in an editor.
    fn shown(&self, path: &Path) -> OpenText;
}

/// The text of a file that is open in editors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpenText {
    /// The text on disk.
    Disk,
    /// The unsaved text of an editor.
    Unsaved(Arc<String>),
    /// Two editors have different unsaved texts.
    Contested,
    /// The text on disk; an editor may have another text, which is not known.
    Unknown,
}

impl OpenText {
    /// Returns `true` if the file exists at least in an editor.
    pub(super) fn is_there(&self) -> bool {
        matches!(self, Self::Unsaved(_) | Self::Contested)
    }
}
