//! The work of a parser process.

use std::io::{Read, Write};
use std::process::ExitCode;
use std::time::Duration;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustix::time::{ClockId, clock_gettime};
use serde::Serialize;

use super::colours_in_time;
use super::wire::{MAX_MESSAGE, Request, Task, message};
use crate::edit::Deadline;
use crate::syntax;

/// First argument of a parser process.
pub const COMMAND: &str = "parser";

/// Maximum address space, in bytes: twenty times what the tree of a text of the maximum size needs.
const MEMORY: u64 = 1 << 30;

/// Stack, in bytes. Some grammars use it in proportion to the nesting of a text.
const STACK: usize = 64 << 20;

/// Maximum processor time for a request, in case its sender has died, in seconds.
const PROCESSOR: u64 = 10;

/// Resident memory, in bytes, above which the process ends, so that a large text does not occupy memory permanently.
const RESIDENT: u64 = 128 << 20;

/// Answers requests from standard input until it ends.
pub fn work() -> ExitCode {
    limit(Resource::Core, 0);
    limit(Resource::As, MEMORY);
    let worker = std::thread::Builder::new().stack_size(STACK).spawn(answer_all);
    match worker.map(std::thread::JoinHandle::join) {
        Ok(Ok(Some(()))) => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

/// Lowers a limit of this process. The system may not have it.
fn limit(resource: Resource, most: u64) {
    let _ = setrlimit(resource, Rlimit { current: Some(most), maximum: getrlimit(resource).maximum });
}

/// Answers requests until the sender closes standard input. Returns `None` if it sends something else.
fn answer_all() -> Option<()> {
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    let mut length = [0; 4];
    while input.read_exact(&mut length).is_ok() {
        let length =
            usize::try_from(u32::from_le_bytes(length)).ok().filter(|length| *length <= MAX_MESSAGE)?;
        let mut request = vec![0; length];
        input.read_exact(&mut request).ok()?;
        let used = clock_gettime(ClockId::ProcessCPUTime).tv_sec.unsigned_abs();
        limit(Resource::Cpu, used + PROCESSOR);
        let answer = answer(&postcard::from_bytes(&request).ok()?)?;
        output.write_all(&answer).and_then(|()| output.flush()).ok()?;
        if resident().is_some_and(|resident| resident > RESIDENT) {
            break;
        }
    }
    Some(())
}

fn answer(Request { language, task }: &Request<'_>) -> Option<Vec<u8>> {
    fn of(result: &impl Serialize) -> Option<Vec<u8>> {
        message(result).ok()
    }
    // The sender stops waiting when the time of the request is over.
    let deadline = Deadline::after(Duration::from_secs(PROCESSOR));
    match task {
        Task::Outline { text } => of(&syntax::outline(text, *language, deadline)),
        Task::Uses { text, name } => of(&syntax::uses(text, *language, name, deadline)),
        Task::AreFree { parts: [before, after] } => {
            of(&syntax::are_free_of_errors([before, after], *language, deadline))
        }
        Task::NewErrors { before, after } => of(&syntax::new_errors(before, after, *language, deadline)),
        Task::Colours { text } => of(&colours_in_time(text, *language)),
    }
}

/// Returns the resident memory of this process, in bytes; `None` where the system does not tell it.
fn resident() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split_ascii_whitespace().nth(1)?.parse().ok()?;
    Some(pages * rustix::param::page_size() as u64)
}
