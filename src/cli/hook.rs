//! `editd hook`: lets the built-in tools of an agent program pass through editd.
//!
//! The program starts this command before and after it runs a tool, with an event on standard input. The
//! command always succeeds.

use std::io::{self, Read as _, Write as _};

use serde_json::json;

use editd_agents::gate::AgentProgram;
use editd_agents::hook::{Abort, Hook};
use editd_daemon::transport::is_enforced;

use super::{CliError, Context, End, stream};

/// Maximum size of an event, in bytes.
const MAX_EVENT: u64 = 64 << 20;

/// `editd hook`.
pub(crate) fn hook(context: &Context, program: AgentProgram) -> Result<End, CliError> {
    let mut event = Vec::new();
    io::stdin().lock().take(MAX_EVENT).read_to_end(&mut event)?;
    let hook =
        Hook { places: context.places.clone(), spawn: context.spawn, program, is_enforced: is_enforced() };
    // This process is killed to abort it.
    let answer = hook.answer(&event, &Abort::default());
    if answer != json!({}) {
        writeln!(stream::stdout(), "{answer}")?;
    }
    Ok(End::Done)
}
