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
//! use editd_daemon::transport::{Client, DirOptions, Spawn, dirs};
//! use editd_workspace::Role;
//! use serde_json::json;
//!
//! let dirs = dirs(&DirOptions::default())?;
//! let root = Path::new("/home/ada/shop");
//! let mut client = Client::connect(&dirs, Role::Agent, Spawn::Allowed, Some(root))?;
//! client.request("editd/read", &json!({ "path": "cart.py" }))?;
//! let edit = json!({ "path": "cart.py", "oldText": "sum = 0", "newText": "amount = 0" });
//! let done = client.request("editd/edit", &edit)?;
//! println!("{}", done["files"][0]["diff"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bridge;
mod client;
mod concurrent;
mod connection;
mod dirs;
mod enforced;
mod framing;
mod limits;
mod lsp;
mod message;
mod named;
mod outbound;
mod path_maps;
mod serve;
mod sockets;
mod target;
mod whole_text;

pub use bridge::{Crossing, bridge};
pub use client::{
    CallError, Client, ConnectError, Identity, Incoming, Outgoing, Spawn, is_end, is_timeout, outcome,
};
pub use concurrent::{ConcurrentClient, PendingCall};
pub use dirs::{DirOptions, dirs, folder_in_state, instance_is_alive, prepare_folders, runtime_dir_of};
pub use enforced::{ENFORCED, is_enforced, note_enforced, was_enforced};
pub use named::check_places;
pub use serve::{ServeError, serve};
pub use sockets::InheritedSockets;
pub use target::{Target, Unresolved, allowed_root, home, repository, repository_without_root};
pub use whole_text::{WholeText, whole_text};
