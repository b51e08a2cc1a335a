//! The way in: sockets, framing, connections, and the LSP framework behind them; and the way to a daemon
//! for clients on the same machine.
//!
//! The framework's own server loop is not used. It runs handlers in any order, ends the connection on one
//! malformed body or panic, trusts lengths and waits for clients that do not read. `connection` drives
//! the framework's service instead, in order and bounded.
//!
//! A client in Rust:
//!
//! ```no_run
//! use std::path::Path;
//!
//! use editd::transport::{Client, PlaceOptions, Spawn, places};
//! use editd::workspace::Role;
//! use serde_json::json;
//!
//! let places = places(&PlaceOptions::default())?;
//! let mut client = Client::connect(&places, Role::Agent, Spawn::Allowed, Some(Path::new("/home/ada/shop")))?;
//! client.request("editd/read", &json!({ "path": "cart.py" }))?;
//! let edit = json!({ "path": "cart.py", "oldText": "sum = 0", "newText": "amount = 0" });
//! let done = client.request("editd/edit", &edit)?;
//! println!("{}", done["files"][0]["diff"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod backlog;
mod bridge;
mod client;
mod connection;
mod folders;
mod framing;
mod gate;
mod given;
mod intake;
mod json;
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
pub use given::GivenSockets;
pub use listen::{ServeError, serve};
pub use places::{PlaceOptions, instance_is_alive, places, runtime_dir_of};
pub use reach::{ConnectError, Spawn};
