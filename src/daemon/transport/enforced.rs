//! Commands that cannot write to the project (`editd run --enforce`), and what they may not do over sockets either.
//!
//! The kernel lets such a command write nowhere in the project, but connect to every socket. Its process, and all that
//! it starts, can never gain privileges again, which the daemon can see. Other sandboxes have the same effect, so this
//! counts only on a system where `--enforce` has been used since its start.

use std::io;
use std::path::Path;

use tokio::net::UnixStream;

use crate::server::Places;
use editd_disk::{
    boot_id, has_no_new_privileges, peer_has_no_new_privileges, read_private_file, replace_private_file,
};

/// Set in the environment of programs that cannot write to the project, and can start no daemon that could.
pub const ENFORCED: &str = "EDITD_ENFORCED";

/// File in the state folder with the id of the run of the system in which a command was restricted last.
const NOTE: &str = "enforced";

/// Returns `true` if this program runs where programs cannot write to the project. The variable alone proves nothing:
/// settings in a project can set it, and hooks would then not start the daemon that checks changes.
pub fn is_enforced() -> bool {
    let is_set = std::env::var_os(ENFORCED).is_some_and(|value| !value.is_empty());
    is_set && of_this_process() == Some(true)
}

/// Returns `true` if the daemon takes this process for a restricted command on the socket of editors.
pub(super) fn counts_as_enforced(places: &Places) -> bool {
    of_this_process() == Some(true) && was_enforced(&places.state_dir)
}

/// Returns `true` if this process can gain no privileges; `None` if that cannot be known.
fn of_this_process() -> Option<bool> {
    has_no_new_privileges(i32::try_from(std::process::id()).ok()?)
}

/// Notes that a command is restricted on this system, before it is. Returns `false` if the daemon cannot tell such
/// commands from others, because even this process can gain no privileges.
pub fn note_enforced(places: &Places) -> io::Result<bool> {
    let Some(boot) = boot_id().filter(|_| of_this_process() == Some(false)) else { return Ok(false) };
    if !is_noted(&places.state_dir, &boot) {
        let path = places.state_dir.join(NOTE);
        replace_private_file((&path.with_extension("part"), &path), [boot.as_bytes()], true)?;
    }
    Ok(true)
}

/// Returns `true` if a command has been restricted since the start of the system, so that one may still run.
pub fn was_enforced(state_dir: &Path) -> bool {
    boot_id().is_some_and(|boot| is_noted(state_dir, &boot))
}

fn is_noted(state_dir: &Path, boot: &str) -> bool {
    read_private_file(&state_dir.join(NOTE)).is_ok_and(|noted| noted == boot.as_bytes())
}

/// Returns `true` if the process at the other end may be such a command, or one that it has started.
pub(super) fn is_restricted(places: &Places, stream: &UnixStream) -> bool {
    if !was_enforced(&places.state_dir) {
        return false;
    }
    let process = stream.peer_cred().ok().and_then(|peer| peer.pid());
    process.and_then(|process| peer_has_no_new_privileges(stream, process)) != Some(false)
}
