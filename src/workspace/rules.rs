//! Rules for paths and workspace roots.
//!
//! A path is judged by its names alone, in every known spelling: as requested, as resolved, and each of
//! these with the characters removed that other file systems ignore. Every spelling is judged separately,
//! and the strictest verdict counts. A link, a letter in another case or an invisible character can
//! therefore make a verdict stricter, but never milder.
//!
//! The built-in rules are families of names, each a row of `FAMILIES` in `families.rs`. `builtin.rs` finds the
//! families that a path belongs to, `user.rs` the matching rules of the user, and `judge.rs` combines them. A
//! new family also needs a row in `docs/protocol.md`.

mod builtin;
mod classes;
mod families;
mod judge;
mod names;
mod user;

pub use builtin::{RootRefusal, check_root, is_version_control};
pub use classes::{Cause, Class, EXECUTABLE_CONFIG, Judgement, Operation, Protection, Remedy};
pub use families::{GIT_FILES, METADATA};
pub use judge::{Judge, Spelling};
pub use names::{folded, names_of};
pub use user::{BadPattern, Rule, UserRules};
