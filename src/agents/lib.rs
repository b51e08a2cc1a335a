//! Agent programs with editd: their built-in tools and hooks, the Model Context Protocol, their protocols for editors,
//! and the review page. `hook`, `mcp`, `ide` and `page` are clients of the daemon.

pub mod connect;
pub mod gate;
pub mod hook;
pub mod ide;
pub mod mcp;
pub mod page;
pub mod web;
