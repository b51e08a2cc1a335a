//! editd: the one place on a machine through which AI agents change text.

pub mod disk;
pub mod edit;
pub mod text;
pub mod workspace;
