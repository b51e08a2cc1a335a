//! The way in: sockets, framing, connections, and the LSP framework behind them; and the way to a daemon
//! for clients on the same machine.
//!
//! The framework's own server loop is not used. It runs handlers in any order, ends the connection on one
//! malformed body or panic, trusts lengths and waits for clients that do not read. `connection` drives
//! the framework's service instead, in order and bounded.

mod backlog;
mod bridge;
mod client;
mod connection;
mod folders;
mod framing;
mod gate;
mod intake;
mod listen;
mod lsp;
mod message;
mod outbound;
mod places;
mod reach;
mod signals;
mod sockets;

pub use bridge::{Crossing, bridge};
pub use client::{CallError, Client, Identity, Incoming, Outgoing, outcome};
pub use folders::prepare_folders;
pub use listen::{ServeError, serve};
pub use places::{PlaceOptions, instance_is_alive, places, runtime_dir_of};
pub use reach::{ConnectError, Spawn};
