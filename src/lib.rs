//! editd, an edit daemon: AI agents read files through it, and change them through it. It knows what each
//! agent has read, refuses edits of what was not read or has changed since, finds the one place that an edit
//! means, shows the change before it happens, and writes all files of a change or none.
//!
//! This crate is the daemon and its command line; `src/main.rs` only calls [`cli::main`]. The wire contract
//! is told in `docs/protocol.md`, the whole in `docs/architecture.md`.
//!
//! # Codemap
//!
//! From the bottom up. A module uses itself and those before it, never one that comes later; a test
//! (`tests/it/house`) sees to it.
//!
//! * [`text`]: what a text file is. Ropes, line ends, encodings, positions, the content hash. Pure.
//! * [`edit`]: from the edits of one call to one [`Plan`](edit::Plan), or to the reasons why there is none.
//!   Matching, diffs, merges. Pure; the place to start reading is [`edit::find`].
//! * [`patch`]: patches, as models print them, to the same edits. Pure.
//! * [`notebook`]: from operations on a notebook's cells to a plan over its text. Pure.
//! * [`workspace`]: the rules. Sessions and what each was given, proposals, who is told what, refusals in
//!   words. Pure.
//! * [`image`]: images, told by their bytes and made small enough for models. Computes, too, but its decoders
//!   want readers.
//! * [`disk`]: files behind a trait. Paths beneath an opened root, reads that notice a change in between,
//!   the commit of a set, a watcher for hints.
//! * [`search`]: walking folders, what is ignored, finding lines in files and in unsaved text.
//! * [`history`]: what was done to files and the way back, kept in the state folder.
//! * [`config`]: what the user configured.
//! * [`protocol`]: the wire contract as data. Parameters, results, errors, and the ways to and from LSP.
//! * [`daemon`]: the books that alone change the workspace, and the work around them. One file for each
//!   method in `daemon/requests`.
//! * [`transport`]: sockets, framing, connections, the LSP framework, and the client's side of the same.
//! * [`mcp`]: the tools of the Model Context Protocol, over standard streams, for agents. One file for each tool
//!   in `mcp/tools`.
//! * [`cli`]: the command line, a client like any other.
//!
//! Tests from outside, over sockets and the command line, are in `tests/it`; tests of one module are beside
//! it.
//!
//! # Invariants
//!
//! * **Pure means pure.** `text`, `edit`, `patch`, `notebook` and `workspace` name no file, clock, runtime or
//!   wire format. What they need of the world is handed to them. (One exception: an [`edit::Deadline`] looks at the clock.)
//! * **One writer.** Only the daemon's books change a [`workspace::Workspace`], in steps that never wait,
//!   read a file or walk a text.
//! * **Bytes decide.** What a file is, is its [`text::ContentHash`]. Time stamps save work and prove nothing.
//! * **A plan is for one text.** An [`edit::Plan`] is sorted and disjoint by construction and is kept with
//!   the hash of its base. What was shown is what is applied; nothing is searched for a second time.
//! * **Opened, then judged.** A path is an opened root and a relative path. What the daemon decides about a
//!   file, it decides about what it opened, not about how the request spelled it.
//! * **Every request is answered once**, whatever happens to it; a refusal is an answer, not a fault.
//! * **Everything has a bound** with a name and a reason: see [`workspace::Limits`].

pub mod cli;
pub mod config;
pub mod daemon;
pub mod disk;
pub mod edit;
pub mod history;
pub mod image;
pub mod mcp;
pub mod notebook;
pub mod patch;
pub mod protocol;
pub mod search;
pub mod text;
pub mod transport;
pub mod workspace;
