//! Walking folders and searching files, with ripgrep's parts: what is ignored and what a pattern means is what
//! people know from there.
//!
//! A walk goes through a tree in the order of its paths and opens each folder anew beneath its root
//! ([`Disk::list`](crate::disk::Disk::list)), so nothing that is renamed meanwhile leads it elsewhere. It hands
//! files to several threads; `found.rs` keeps what comes first in the order of paths, however many threads there
//! are, and tells when nothing behind can matter any more.
//!
//! What is open in editors lies over the disk: [`Access`] gives unsaved texts, and says what may be told.
//!
//! ```
//! use std::path::{Path, PathBuf};
//!
//! use editd::disk::{Disk, MemoryDisk};
//! use editd::edit::Deadline;
//! use editd::search::{Access, Bounds, Query, Scope, Shown, Start, Stop, search};
//!
//! /// Everything may be told, and no editor has anything open.
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
//! assert_eq!(report.files.len(), 1, "one is ignored");
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

pub use found::FileFound;
pub use glob::{FileGlob, Glob};
pub use lines::Line;
pub use passed::Passed;
pub use query::{Bounds, Query};
pub use run::{Report, search};
pub use scope::{Access, Scope, Shown, Start};
pub use stop::Stop;
pub use walk::{Entry, Then, walk};
