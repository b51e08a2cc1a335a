//! Walks folders and searches files with the crates behind ripgrep: ignore rules and patterns work as they do
//! there.
//!
//! A walk visits a tree in path order. It opens every folder by its path from the root
//! ([`Disk::list`](crate::disk::Disk::list)), so a concurrent rename cannot lead it outside of the root. The
//! walk hands files to several threads. `found.rs` keeps the first results in path order, independent of the
//! number of threads, and reports when later files cannot contribute any more.
//!
//! Unsaved text in editors takes precedence over the disk: [`FileAccess`] returns it, and decides what may be
//! reported.
//!
//! ```
//! use std::path::{Path, PathBuf};
//!
//! use editd::disk::{Disk, MemoryDisk};
//! use editd::edit::Deadline;
//! use editd::search::{Access, Bounds, Query, Scope, Shown, Start, Stop, search};
//!
//! /// Allows every file; no editor has anything open.
//! struct Open;
//!
//! impl Access for Open {
//!     fn allows(&self, _: &Path) -> bool { true }
//!     fn confirms(&self, _: &Path) -> bool { true }
//!     fn shown(&self, _: &Path) -> Shown { Shown::Disk }
//! }
//!
//! let disk = MemoryDisk::new();
//! disk.write_behind("/shop/a.rs", b"fn main() {}\n");
//! disk.write_behind("/shop/.gitignore", b"target\n");
//! disk.write_behind("/shop/target/b.rs", b"fn main() {}\n");
//! let scope = Scope {
//!     root: disk.open_root(Path::new("/shop"))?,
//!     start: Start::Folder(PathBuf::new()),
//!     top: PathBuf::from("/shop"),
//!     others: Vec::new(),
//!     open: Default::default(),
//! };
//! let query = Query::new(r"fn \w+", false, false, Bounds { lines: 100, context: 0, bytes: 1 << 16 })?;
//! let stop = Stop::new(&|| false, Deadline::NONE);
//! let report = search(&disk, &[scope], (&query, None), &Open, &stop);
//! assert_eq!(report.files.len(), 1, "the other file is ignored");
//! assert!(!report.more);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod finder;
mod found;
mod glob;
mod ignores;
mod lines;
mod passed;
mod query;
mod run;
mod scope;
mod source;
mod steps;
mod stop;
mod walk;

pub use found::FileMatches;
pub use glob::{FileGlob, Glob};
pub use lines::Line;
pub use passed::Passed;
pub use query::{Bounds, PatternError, Query};
pub use run::{Report, search};
pub use scope::{FileAccess, OpenText, Scope, Start};
pub use stop::StopCondition;
pub use walk::{Entry, Then, walk};
