//! editd: the one place on a machine through which AI agents change text.

pub mod cli;
pub mod config;
pub mod daemon;
pub mod disk;
pub mod edit;
pub mod protocol;
pub mod text;
pub mod transport;
pub mod workspace;
