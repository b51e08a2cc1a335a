//! One file for each request, and what several need.

mod apply;
mod blame;
mod call;
mod changes;
mod decide;
mod diagnostics;
mod documents;
mod history;
mod introduce;
mod patched;
mod proposals;
mod propose;
mod read;
mod status;
mod undo;

pub(crate) use documents::canonical;
pub use introduce::Introduction;
pub(crate) use introduce::open_root;
