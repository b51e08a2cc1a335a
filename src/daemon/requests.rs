//! The requests: one file for each method, and shared helpers.

mod apply;
mod blame;
mod call;
mod changes;
mod decide;
mod diagnostics;
mod discard;
mod documents;
mod edit;
mod find;
mod forget;
mod history;
mod introduce;
mod list;
mod once;
mod patched;
mod perform;
mod proposals;
mod propose;
mod read;
mod reopen;
mod search;
mod shutdown;
mod status;
mod undo;

pub(crate) use documents::canonical;
pub use introduce::Introduction;
pub(crate) use introduce::open_root;
pub(crate) use once::RememberedAnswers;
