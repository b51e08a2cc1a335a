//! Which paths and roots are allowed.
//!
//! A path is judged by its names alone, in every spelling under which it is known: as it was asked for, as
//! it was resolved, and each of them without the disguises that other file systems see through. Every
//! spelling is judged on its own, and the strictest judgement counts. So a link, a letter in another case or
//! an invisible character can make a judgement stricter, and never milder.
//!
//! The built-in rules are families of names, each a row of `FAMILIES` in `names.rs` (the names themselves in
//! `names/lists.rs`); `builtin.rs` finds those that a path belongs to, `user.rs` the user's own, `judge.rs` weighs
//! them. A new family also wants its row in `docs/protocol.md`.

mod builtin;
mod classes;
mod fold;
mod judge;
mod names;
mod protection;
mod roots;
mod user;

pub use classes::{Class, Judgement, Operation, Operations, Tag};
pub use fold::folded;
pub use judge::{Judge, Spelling, is_version_control, names_of};
pub use names::{GIT_FILES, METADATA};
pub use protection::{Opening, Protection};
pub use roots::{RootRefusal, check_root};
pub use user::{BadPattern, Rule, UserRules};
