//! Commands of the user that this program starts and waits for.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};

use rustix::process::{Pid, Signal, kill_process};
use tokio::signal::unix::{SignalKind, signal};

use super::{CliError, End};

/// Signals that are passed on. Those of the keyboard reach the command by themselves.
const PASSED_ON: [Signal; 4] = [Signal::TERM, Signal::HUP, Signal::USR1, Signal::USR2];
/// Signals that this program ignores while the command runs.
const OF_KEYBOARD: [Signal; 2] = [Signal::INT, Signal::QUIT];
/// Exit code for a command that cannot be started, and for one that does not exist, as of shells.
const NOT_STARTED: u8 = 126;
const NOT_FOUND: u8 = 127;

/// Runs a command with the terminal and the environment of this program.
pub(super) fn start_and_wait(command: &mut Command) -> io::Result<ExitStatus> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        // The handlers are installed before the command can be interrupted. A new program does not inherit them.
        let kept = OF_KEYBOARD.map(|kind| signal(SignalKind::from_raw(kind.as_raw())));
        let mut passed_on = Vec::new();
        for kind in PASSED_ON {
            passed_on.push((kind, signal(SignalKind::from_raw(kind.as_raw()))?));
        }
        let mut child = command.spawn()?;
        let pid = pid_of(&child);
        for (kind, mut signals) in passed_on {
            tokio::spawn(async move {
                while signals.recv().await.is_some() {
                    // It fails if the command has just ended.
                    let _ = pid.map(|pid| kill_process(pid, kind));
                }
            });
        }
        let ended = tokio::task::spawn_blocking(move || child.wait()).await;
        drop(kept);
        ended.map_err(io::Error::other)?
    })
}

/// Makes a command end when the thread that starts it ends, even if this program is killed.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "the standard library has no other way to run code in the new process")]
pub(super) fn end_with_this(command: &mut Command) {
    use std::os::unix::process::CommandExt as _;
    let bind =
        || rustix::process::set_parent_process_death_signal(Some(Signal::TERM)).map_err(io::Error::from);
    // SAFETY: Between `fork` and `exec`, only one system call runs. It allocates nothing and takes no locks.
    unsafe { command.pre_exec(bind) };
}

/// Makes a command end when the thread that starts it ends. Only Linux can do that.
#[cfg(not(target_os = "linux"))]
pub(super) fn end_with_this(_: &mut Command) {}

fn pid_of(child: &Child) -> Option<Pid> {
    Pid::from_raw(child.id().cast_signed())
}

/// Returns the exit code, for a signal as shells do.
fn code_of(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| Some(128 + status.signal()?));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)
}

/// Returns the exit code of a command, and reports one that could not be started.
pub(super) fn end_of(program: &OsString, ended: io::Result<ExitStatus>) -> End {
    match ended {
        Ok(status) => End::Code(code_of(status)),
        Err(error) => {
            CliError::at(Path::new(program), &error).show(false);
            let is_missing = error.kind() == io::ErrorKind::NotFound;
            End::Code(if is_missing { NOT_FOUND } else { NOT_STARTED })
        }
    }
}
