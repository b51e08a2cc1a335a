//! Walking folders and searching files, with ripgrep's parts: what is ignored and what a pattern means is what
//! people know from there.
//!
//! A walk goes through a tree in the order of its paths and opens each folder anew beneath its root
//! ([`Disk::list`](crate::disk::Disk::list)), so nothing that is renamed meanwhile leads it elsewhere. It hands
//! files to several threads; `found.rs` keeps what comes first in the order of paths, however many threads there
//! are, and tells when nothing behind can matter any more.
//!
//! What is open in editors lies over the disk: [`Access`] gives unsaved texts, and says what may be told.

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
