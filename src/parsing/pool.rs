//! The parser processes of a program.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use serde::de::DeserializeOwned;

use super::wire::{Request, message};
use super::worker::{Silence, Worker};
use crate::edit::Deadline;
use crate::syntax::NoSyntax;

/// Minimum and maximum number of processes. Between them, one for each processor.
const PROCESSES: (usize, usize) = (2, 4);

/// Maximum time that a request waits for a process, while others use them all.
const TURN: Duration = Duration::from_secs(1);

/// Time that a process has beyond that of its task. A parser cannot check the time in every step, and the machine
/// may be busy.
const GRACE: Duration = Duration::from_secs(2);

/// Parser processes, started when they are needed.
#[derive(Debug)]
pub(super) struct Pool {
    program: PathBuf,
    most: usize,
    state: Mutex<State>,
    freed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Processes without a request. The last one was used last.
    idle: Vec<Worker>,
    /// Number of processes with a request.
    busy: usize,
}

/// The right to use a process.
struct Turn<'a> {
    pool: &'a Pool,
    /// A process that was idle.
    worker: Option<Worker>,
}

impl Pool {
    pub(super) fn new(program: PathBuf) -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let most = processors.clamp(PROCESSES.0, PROCESSES.1);
        Self { program, most, state: Mutex::default(), freed: Condvar::new() }
    }

    /// Returns the answer of a parser to a request that takes at most `limit`.
    pub(super) fn answer<T: DeserializeOwned>(
        &self,
        request: &Request<'_>,
        limit: Duration,
        deadline: Deadline,
    ) -> Result<T, NoSyntax> {
        let message = message(request).map_err(|_| NoSyntax::Failed)?;
        let mut turn = self.turn(deadline)?;
        let latest = Instant::now() + limit + GRACE;
        let until = deadline.instant().map_or(latest, |deadline| deadline.min(latest));
        // An idle process may have ended, because it had much memory or the system had little.
        let was_idle = turn.worker.is_some();
        let mut answer = self.ask(&mut turn, &message, until);
        if was_idle && answer == Err(Silence::Dead) {
            answer = self.ask(&mut turn, &message, until);
        }
        match answer {
            Ok(answer) => postcard::from_bytes(&answer).map_err(|_| NoSyntax::Failed),
            Err(Silence::Late) => Err(NoSyntax::TooSlow),
            Err(Silence::Dead) => Err(NoSyntax::Failed),
        }
    }

    /// Asks the process of a turn, or a new one. A process that gives no answer is ended.
    fn ask(&self, turn: &mut Turn<'_>, message: &[u8], until: Instant) -> Result<Vec<u8>, Silence> {
        let mut worker = match turn.worker.take() {
            Some(worker) => worker,
            None => Worker::start(&self.program).map_err(|error| {
                tracing::error!(%error, "no parser can be started");
                Silence::Dead
            })?,
        };
        let answer = worker.ask(message, until)?;
        turn.worker = Some(worker);
        Ok(answer)
    }

    fn turn(&self, deadline: Deadline) -> Result<Turn<'_>, NoSyntax> {
        let latest = Instant::now() + TURN;
        let until = deadline.instant().map_or(latest, |deadline| deadline.min(latest));
        let mut state = self.state.lock();
        while state.busy >= self.most {
            if self.freed.wait_until(&mut state, until).timed_out() && state.busy >= self.most {
                return Err(NoSyntax::TooSlow);
            }
        }
        state.busy += 1;
        Ok(Turn { pool: self, worker: state.idle.pop() })
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut state = self.pool.state.lock();
        state.busy -= 1;
        state.idle.extend(self.worker.take());
        drop(state);
        self.pool.freed.notify_one();
    }
}
