//! Parsing in separate processes.
//!
//! Grammars contain programs in C, and a text can make them fail in ways that Rust cannot catch: they abort, overflow
//! the stack, or take gigabytes. So a program that must not end because of a text, like the daemon, calls
//! [`use_processes`] at its start. From then on the functions of this module run in other processes with limits of
//! memory and time, which are replaced when they fail. Otherwise the functions run in this process.
//!
//! ```
//! use editd::edit::Deadline;
//! use editd::syntax::Language;
//!
//! let outline = editd::parsing::outline("fn f() {}\n", Language::Rust, Deadline::NONE).unwrap();
//! assert_eq!(outline.symbols()[0].name, "f");
//! ```

mod pool;
mod wire;
mod work;
mod worker;

use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

use crate::edit::Deadline;
use crate::syntax::{
    self, ColourSpan, Language, MAX_CHECK_TIME, MAX_TIME, NoSyntax, Outline, SyntaxError, nearby_parts,
};
use pool::Pool;
use wire::{Request, Task};
pub use work::{COMMAND, work};

/// Maximum time for the colours of a text, which a page shows without them at first.
pub const MAX_COLOUR_TIME: Duration = Duration::from_secs(2);

static POOL: OnceLock<Pool> = OnceLock::new();

/// Makes this module parse in processes of the program `editd`, from now on.
pub fn use_processes(program: PathBuf) {
    let _ = POOL.set(Pool::new(program));
}

/// Returns the file of this program, for [`use_processes`], even if it was replaced or deleted since.
pub fn this_program() -> io::Result<PathBuf> {
    let own = PathBuf::from("/proc/self/exe");
    if own.exists() { Ok(own) } else { std::env::current_exe() }
}

/// Returns a command that runs this program, even if its file was replaced or deleted since: another program may have
/// put its own there.
pub fn this_command() -> io::Result<Command> {
    let mut command = Command::new(this_program()?);
    // Lists of processes show this name.
    if let Some(name) = std::env::args_os().next() {
        command.arg0(name);
    }
    Ok(command)
}

/// Returns the outline of a text, as [`syntax::outline`] does.
pub fn outline(text: &str, language: Language, deadline: Deadline) -> Result<Outline, NoSyntax> {
    match POOL.get() {
        Some(pool) => {
            let task = Task::Outline { text: text.into() };
            pool.answer(&Request { language, task }, MAX_TIME, deadline)?
        }
        None => syntax::outline(text, language, deadline),
    }
}

/// Returns the lines with a name, as [`syntax::uses`] does.
pub fn uses(text: &str, language: Language, name: &str, deadline: Deadline) -> Result<Vec<usize>, NoSyntax> {
    match POOL.get() {
        Some(pool) => {
            let task = Task::Uses { text: text.into(), name: name.into() };
            pool.answer(&Request { language, task }, MAX_TIME, deadline)?
        }
        None => syntax::uses(text, language, name, deadline),
    }
}

/// Returns the new syntax errors of a text, as [`syntax::new_errors`] does.
pub fn new_errors(
    before: &str,
    after: &str,
    language: Language,
    deadline: Deadline,
) -> Option<Vec<SyntaxError>> {
    match POOL.get() {
        Some(pool) => {
            // Most checks end with a small part of the texts.
            if let Some(parts) = nearby_parts(before, after) {
                let request = Request { language, task: Task::AreFree { parts: parts.map(Into::into) } };
                if pool.answer(&request, MAX_CHECK_TIME * 2, deadline) == Ok(true) {
                    return Some(Vec::new());
                }
            }
            let task = Task::NewErrors { before: before.into(), after: after.into() };
            // The check parses at most four times.
            pool.answer(&Request { language, task }, MAX_CHECK_TIME * 4, deadline).ok()?
        }
        None => syntax::new_errors(before, after, language, deadline),
    }
}

/// Returns the colours of a text, as [`syntax::colours`] does, within [`MAX_COLOUR_TIME`].
pub fn colours(text: &str, language: Language) -> Result<Vec<ColourSpan>, NoSyntax> {
    match POOL.get() {
        Some(pool) => {
            let task = Task::Colours { text: text.into() };
            pool.answer(&Request { language, task }, MAX_COLOUR_TIME, Deadline::NONE)?
        }
        None => colours_in_time(text, language),
    }
}

fn colours_in_time(text: &str, language: Language) -> Result<Vec<ColourSpan>, NoSyntax> {
    let stop = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        let (done, is_done) = channel::<()>();
        let stop = &stop;
        scope.spawn(move || {
            if is_done.recv_timeout(MAX_COLOUR_TIME) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                stop.store(1, Ordering::Relaxed);
            }
        });
        let colours = syntax::colours(text, language, stop);
        drop(done);
        colours
    })
}
