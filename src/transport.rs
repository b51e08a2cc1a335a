//! Sockets, framing, connections and the LSP framework of the daemon, and a client for processes on the same
//! machine.
//!
//! The server loop of the framework is not used, because it runs handlers in any order, closes the connection
//! after a malformed body or a panic, trusts the `Content-Length` of clients, and waits for clients that do
//! not read. Instead, `connection` drives the framework's service in order and within limits.
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
//! let mut client = Client::connect(&places, Role::Agent, Spawn::Allowed,
//! Some(Path::new("/home/ada/shop")))?; client.request("editd/read", &json!({ "path": "cart.py" }))?;
//! let edit = json!({ "path": "cart.py", "oldText": "sum = 0", "newText": "amount = 0" });
//! let done = client.request("editd/edit", &edit)?;
//! println!("{}", done["files"][0]["diff"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod activation;
mod backlog;
mod bridge;
mod budget;
mod client;
mod connect;
mod connection;
mod folders;
mod framing;
mod gate;
mod json;
mod listen;
mod lsp;
mod message;
mod outbound;
mod places;
mod signals;
mod sockets;

pub use activation::InheritedSockets;
pub use bridge::{Crossing, bridge};
pub use client::{CallError, Client, Identity, Incoming, Outgoing, outcome};
pub use connect::{ConnectError, Spawn};
pub use folders::prepare_folders;
pub use listen::{ServeError, serve};
pub use places::{PlaceOptions, instance_is_alive, places, runtime_dir_of};
