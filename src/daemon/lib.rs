//! The daemon of editd: it carries out requests of editors and agents, and its client.

pub mod config;
pub mod engine;
pub mod image;
pub mod server;
pub mod transport;
