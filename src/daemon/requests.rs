//! One file for each request, and what several need.

mod apply;
mod call;
mod changes;
mod introduce;
mod patched;
mod proposals;
mod propose;
mod read;
mod status;

pub use introduce::Introduction;
