//! editd is an edit daemon: AI agents read and change files through it. It knows what each agent has read,
//! and refuses edits of content that the agent has not read or that has changed since. It finds the unique
//! match of an edit, shows the change before it is written, and writes all files of a change or none.
//!
//! This crate contains the daemon and its command line; `src/main.rs` only calls [`cli::main`]. The wire
//! contract is described in `docs/protocol.md`, the architecture in `docs/architecture.md`.
//!
//! # Code map
//!
//! From the bottom up. A module uses only itself and the modules before it; a test (`tests/it/house`)
//! enforces this.
//!
//! * [`text`]: text files. Ropes, line endings, encodings, positions, the content hash. Pure.
//! * [`edit`]: converts the edits of one call to one [`Plan`](edit::Plan), or to refusals. Matching, diffs,
//!   merges. Pure. Start reading at [`edit::find`].
//! * [`syntax`]: outlines, edits by the names of symbols, new syntax errors, and colours, by tree-sitter. Pure.
//! * [`parsing`]: the functions of `syntax` that parse, in separate processes, because a text can make a grammar fail.
//! * [`patch`]: parsers of the patch formats that models use, which produce the same edits. Pure.
//! * [`notebook`]: converts operations on the cells of a notebook to a plan over its text. Pure.
//! * [`workspace`]: the rules. Sessions and their ledgers, proposals, notifications, refusals and their
//!   messages. Pure.
//! * [`image`]: images, recognized by their bytes and scaled down for models. No I/O, although its decoders
//!   take [`std::io::Read`].
//! * [`disk`]: the file system behind a trait. Paths under an opened root, reads that detect a concurrent
//!   change, the commit of a change set, a file watcher, whose events are only hints.
//! * [`search`]: directory walks, ignore rules, line search in files and in unsaved text.
//! * [`history`]: past transactions and their undo plans, stored in the state folder.
//! * [`snapshot`]: the last known state of all files under a root, with their contents, and what has changed since.
//! * [`config`]: the configuration file and the policy file.
//! * [`protocol`]: the wire contract as data. Parameters, results, errors, and conversions from and to LSP.
//! * [`gate`]: translates between the built-in tools of agent programs and changes. Pure.
//! * [`connect`]: adds the hooks of editd to the settings of agent programs. Pure.
//! * [`engine`]: the workspace state, and the work around it: files, changes, reviews, undo, editors.
//! * [`server`]: the life of the daemon, and one handler for each method, in `server/handlers`.
//! * [`transport`]: sockets, framing, connections, the LSP framework, and the client.
//! * [`hook`]: answers to the events of agent programs, a client of the daemon.
//! * [`mcp`]: the tools of the Model Context Protocol, over standard streams, for agents. One file for each
//!   tool in `mcp/tools`.
//! * [`web`]: HTTP servers on the loopback interface, with tokens and limits. Knows nothing of editd.
//! * [`ide`]: the protocols with which agent programs show a change in an editor, so that it is reviewed in editd. A
//!   client of the daemon.
//! * [`page`]: the review page of `editd review --web`, a client of the daemon. Its sources are in
//!   `editors/page`.
//! * [`cli`]: the command line, a client like any other.
//!
//! Integration tests, over sockets and the command line, are in `tests/it`. Unit tests are beside their
//! module.
//!
//! # Invariants
//!
//! * **Pure means pure.** `text`, `edit`, `syntax`, `patch`, `notebook` and `workspace` name no file, clock, runtime or
//!   wire format. Callers pass in all external data. (One exception: [`edit::Deadline`] reads the clock.)
//! * **One writer.** Only `engine::workspace_handle` changes a [`workspace::Workspace`], in steps that never
//!   wait, read a file or scan a text.
//! * **Bytes decide.** The [`text::ContentHash`] identifies the content of a file. Timestamps save work, but
//!   they prove nothing on their own.
//! * **A plan is for one text.** An [`edit::Plan`] is sorted and disjoint by construction, and is stored with
//!   the hash of its base. The change that was shown is the change that is applied; nothing is matched twice.
//! * **Open, then check** (no TOCTOU races). A path is an opened root and a relative path. Access is checked
//!   for the file that it opened, not about the path as the request spelled it.
//! * **Every request is answered exactly once.** A refusal is an answer, not an error.
//! * **Everything has a limit** with a name and a reason: see [`workspace::Limits`].

pub mod cli;
pub mod config;
pub mod connect;
pub mod disk;
pub mod edit;
pub mod engine;
pub mod gate;
pub mod history;
pub mod hook;
pub mod ide;
pub mod image;
pub mod mcp;
pub mod notebook;
pub mod page;
pub mod parsing;
pub mod patch;
pub mod protocol;
pub mod search;
pub mod server;
pub mod snapshot;
pub mod syntax;
pub mod text;
pub mod transport;
pub mod web;
pub mod workspace;
