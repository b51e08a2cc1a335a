//! Test harness: an isolated machine for each test, folders with files, and clients that use only the wire
//! protocol. Every wait has a timeout.

mod agent;
mod answer;
mod bridge;
mod documents;
mod editor;
mod encoded;
pub(crate) mod http;
mod machine;
mod mcp;
mod nvim;
mod strace;
mod system;
mod terminal;
mod tmux;
mod unified;
mod volume;
mod wire;
mod workspace;

use std::time::{Duration, Instant};

pub(crate) use agent::Agent;
pub(crate) use answer::{Answer, Outcome, RpcError};
pub(crate) use bridge::Bridge;
pub(crate) use documents::Documents;
pub(crate) use editor::{Editor, Kind, Manner};
pub(crate) use encoded::{FRENCH, latin, utf16};
pub(crate) use machine::{Machine, TESTERS};
pub(crate) use mcp::{Called, Mcp};
pub(crate) use nvim::{Nvim, Release};
pub(crate) use strace::{Fault, Strace, Trace};
pub(crate) use system::{
    Chance, installed, is_portable, makes, need, need_root, repeat, run, soak, tell, text_of,
};
pub(crate) use terminal::{Screen, Typed, converse, converse_on, plain, shell, type_into};
pub(crate) use tmux::Tmux;
pub(crate) use unified::apply_unified;
pub(crate) use volume::Volume;
pub(crate) use wire::{Arrival, Framing, Wire};
pub(crate) use workspace::{Workspace, hash_of, numbered_lines, put_mtime, uri_of};

/// Maximum duration of any single wait in a test. Long, because only a failing test reaches it.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// Polls `probe` until it returns a value. Panics with `what` after [`PATIENCE`].
pub(crate) fn eventually<T>(what: &str, probe: impl FnMut() -> Option<T>) -> T {
    within(PATIENCE, what, probe)
}

/// Like [`eventually`], with an explicit timeout.
pub(crate) fn within<T>(patience: Duration, what: &str, mut probe: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + patience;
    loop {
        if let Some(found) = probe() {
            return found;
        }
        assert!(Instant::now() < deadline, "timeout after {patience:?}: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
