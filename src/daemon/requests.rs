//! One file for each request, and what several need.

mod apply;
mod blame;
mod call;
mod changes;
mod decide;
mod diagnostics;
mod documents;
mod find;
mod forget;
mod history;
mod introduce;
mod list;
mod patched;
mod proposals;
mod propose;
mod read;
mod search;
mod status;
mod undo;

pub(crate) use documents::canonical;
pub use introduce::Introduction;
pub(crate) use introduce::open_root;
