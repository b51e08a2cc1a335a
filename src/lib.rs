//! editd is an edit daemon: AI agents read and change files through it. It knows what each agent has read,
//! and refuses edits of content that the agent has not read or that has changed since. It finds the unique
//! match of an edit, shows the change before it is written, and writes all files of a change or none.
//!
//! This crate is the command line; `src/main.rs` only calls [`cli::main`]. The wire contract is described in
//! `docs/protocol.md`, the architecture in `docs/architecture.md`.
//!
//! # Code map
//!
//! Each folder of `src` with a manifest is a crate. From the bottom up:
//!
//! * [`editd_text`]: text files. Ropes, line endings, encodings, positions, the content hash. Pure.
//! * [`editd_edit`]: converts the edits of one call to one [`Plan`](editd_edit::Plan), or to refusals. Matching, diffs,
//!   merges. Pure. Start reading at [`editd_edit::find`]. [`patch`](editd_edit::patch) parses the patch formats that
//!   models use, and [`notebook`](editd_edit::notebook) converts operations on cells to a plan.
//! * [`editd_syntax`]: outlines, edits by the names of symbols, new syntax errors, and colours, by tree-sitter. Pure, but
//!   for [`parsing`](editd_syntax::parsing), which runs the functions that parse in separate processes, because a text
//!   can make a grammar fail.
//! * [`editd_workspace`]: the rules. Sessions and their ledgers, proposals, notifications, refusals and their
//!   messages. Pure.
//! * [`editd_disk`]: the file system behind a trait. Paths under an opened root, reads that detect a concurrent
//!   change, the commit of a change set, a file watcher, whose events are only hints. [`search`](editd_disk::search)
//!   walks directories, [`history`](editd_disk::history) stores past transactions and their undo plans, and
//!   [`snapshot`](editd_disk::snapshot) knows the last state of all files under a root.
//! * [`editd_protocol`]: the wire contract as data. Parameters, results, errors, and conversions from and to LSP.
//! * [`editd_daemon`]: [`config`](editd_daemon::config) reads the configuration and the policy.
//!   [`engine`](editd_daemon::engine) has the workspace state, and the work around it: files, changes, reviews, undo,
//!   editors. [`server`](editd_daemon::server) has the life of the daemon, and one handler for each method.
//!   [`transport`](editd_daemon::transport) has sockets, framing, connections, the LSP framework, and the client.
//!   [`image`](editd_daemon::image) scales images down for models.
//! * [`editd_agents`]: clients of the daemon for agent programs. [`gate`](editd_agents::gate) translates between their
//!   built-in tools and changes, [`connect`](editd_agents::connect) adds hooks to their settings,
//!   [`hook`](editd_agents::hook) answers their events, [`mcp`](editd_agents::mcp) has the tools of the Model Context
//!   Protocol, and [`ide`](editd_agents::ide) the protocols with which they show a change in an editor.
//!   [`page`](editd_agents::page) is the review page of `editd review --web`, over [`web`](editd_agents::web).
//! * [`cli`]: the command line, a client like any other.
//!
//! Integration tests, over sockets and the command line, are in `tests/it`. Unit tests are beside their
//! module.
//!
//! # Invariants
//!
//! * **Pure means pure.** `text`, `edit`, `syntax` and `workspace` name no file, clock, runtime or wire format. Callers
//!   pass in all external data. (Two exceptions: [`editd_edit::Deadline`] reads the clock, and
//!   [`parsing`](editd_syntax::parsing) starts processes.)
//! * **One writer.** Only `engine::workspace_handle` changes a [`Workspace`](editd_workspace::Workspace), in steps that
//!   never wait, read a file or scan a text.
//! * **Bytes decide.** The [`ContentHash`](editd_text::ContentHash) identifies the content of a file. Timestamps save
//!   work, but they prove nothing on their own.
//! * **A plan is for one text.** A [`Plan`](editd_edit::Plan) is sorted and disjoint by construction, and is stored with
//!   the hash of its base. The change that was shown is the change that is applied; nothing is matched twice.
//! * **Open, then check** (no TOCTOU races). A path is an opened root and a relative path. Access is checked
//!   for the file that it opened, not about the path as the request spelled it.
//! * **Every request is answered exactly once.** A refusal is an answer, not an error.
//! * **Everything has a limit** with a name and a reason: see [`Limits`](editd_workspace::Limits).

pub mod cli;
