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

/// Maximum size of a message that is sent without waiting for the answer, in bytes. A pipe holds more.
const SHORT: usize = 32 << 10;

/// Time for an answer that is not wanted any more. Later, the process is ended, which loses its trees.
const UNWANTED: Duration = Duration::from_millis(20);

/// Maximum time that a request waits for the process that may have the tree of its file, while others are idle.
const PREFERENCE: Duration = Duration::from_millis(100);

/// Parser processes, started when they are needed.
#[derive(Debug)]
pub(super) struct Pool {
    program: PathBuf,
    places: Mutex<Vec<Place>>,
    freed: Condvar,
}

/// A place for a process.
#[derive(Debug)]
enum Place {
    /// No request uses it.
    Free(Option<Worker>),
    Busy,
}

/// The right to use a place.
#[derive(Debug)]
struct Turn<'a> {
    pool: &'a Pool,
    place: usize,
    /// A process that was idle.
    worker: Option<Worker>,
}

/// A request whose answer is read later.
#[derive(Debug)]
pub(super) struct Asked<'a> {
    turn: Turn<'a>,
    /// `None` once the answer was read, or did not come.
    worker: Option<Worker>,
    until: Instant,
}

impl Asked<'_> {
    /// Returns the answer.
    pub(super) fn answer<T: DeserializeOwned>(mut self) -> Result<T, NoSyntax> {
        read(self.wait(self.until))
    }

    /// Waits for the answer. A process that gives none is ended.
    fn wait(&mut self, until: Instant) -> Result<Vec<u8>, Silence> {
        let mut worker = self.worker.take().ok_or(Silence::Dead)?;
        let answer = worker.answer(until)?;
        self.turn.worker = Some(worker);
        Ok(answer)
    }
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        if self.worker.is_some() {
            let _ = self.wait(self.until.min(Instant::now() + UNWANTED));
        }
    }
}

/// Returns the value in the answer of a process.
fn read<T: DeserializeOwned>(answer: Result<Vec<u8>, Silence>) -> Result<T, NoSyntax> {
    match answer {
        Ok(answer) => postcard::from_bytes(&answer).map_err(|_| NoSyntax::Failed),
        Err(Silence::Late) => Err(NoSyntax::TooSlow),
        Err(Silence::Dead) => Err(NoSyntax::Failed),
    }
}

impl Pool {
    pub(super) fn new(program: PathBuf) -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let most = processors.clamp(PROCESSES.0, PROCESSES.1);
        let places = Mutex::new((0..most).map(|_| Place::Free(None)).collect());
        Self { program, places, freed: Condvar::new() }
    }

    /// Returns the answer of a parser to a request that takes at most `limit`.
    pub(super) fn answer<T: DeserializeOwned>(
        &self,
        request: &Request<'_>,
        limit: Duration,
        deadline: Deadline,
    ) -> Result<T, NoSyntax> {
        self.answer_at(None, request, limit, deadline)
    }

    /// Like [`answer`](Self::answer), if possible by the process that has answered before for a file.
    pub(super) fn answer_for<T: DeserializeOwned>(
        &self,
        file: u64,
        request: &Request<'_>,
        limit: Duration,
        deadline: Deadline,
    ) -> Result<T, NoSyntax> {
        let most = self.places.lock().len() as u64;
        self.answer_at(usize::try_from(file % most).ok(), request, limit, deadline)
    }

    fn answer_at<T: DeserializeOwned>(
        &self,
        place: Option<usize>,
        request: &Request<'_>,
        limit: Duration,
        deadline: Deadline,
    ) -> Result<T, NoSyntax> {
        let message = message(request).map_err(|_| NoSyntax::Failed)?;
        let mut turn = self.turn(place, deadline)?;
        let until = answer_until(limit, deadline);
        // An idle process may have ended, because it had much memory or the system had little.
        let was_idle = turn.worker.is_some();
        let mut answer = self.ask(&mut turn, &message, until);
        if was_idle && answer == Err(Silence::Dead) {
            answer = self.ask(&mut turn, &message, until);
        }
        read(answer)
    }

    /// Sends a short request to the process that has answered before for a file, and returns without the answer.
    /// Returns `None` if the process is in use, or not there.
    pub(super) fn begin(
        &self,
        file: u64,
        request: &Request<'_>,
        limit: Duration,
        deadline: Deadline,
    ) -> Option<Asked<'_>> {
        let message = message(request).ok().filter(|message| message.len() <= SHORT)?;
        let mut places = self.places.lock();
        let place = usize::try_from(file % places.len() as u64).ok()?;
        if !matches!(places[place], Place::Free(Some(_))) {
            return None;
        }
        let Place::Free(Some(mut worker)) = std::mem::replace(&mut places[place], Place::Busy) else {
            return None;
        };
        drop(places);
        let turn = Turn { pool: self, place, worker: None };
        let until = answer_until(limit, deadline);
        worker.send(&message, until).ok()?;
        Some(Asked { turn, worker: Some(worker), until })
    }

    /// Sends a request to the process that will answer for a file, and waits for the answer. Returns `None` if the
    /// process is in use.
    pub(super) fn answer_if_free<T: DeserializeOwned>(
        &self,
        file: u64,
        request: &Request<'_>,
        limit: Duration,
    ) -> Option<T> {
        let mut places = self.places.lock();
        let place = usize::try_from(file % places.len() as u64).ok()?;
        if !matches!(places[place], Place::Free(_)) {
            return None;
        }
        let Place::Free(worker) = std::mem::replace(&mut places[place], Place::Busy) else { return None };
        drop(places);
        let mut turn = Turn { pool: self, place, worker };
        let message = message(request).ok()?;
        read(self.ask(&mut turn, &message, answer_until(limit, Deadline::NONE))).ok()
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

    /// Waits for a place: at first for the preferred one, then for any.
    fn turn(&self, preferred: Option<usize>, deadline: Deadline) -> Result<Turn<'_>, NoSyntax> {
        let now = Instant::now();
        let latest = now + TURN;
        let until = deadline.instant().map_or(latest, |deadline| deadline.min(latest));
        let until_any = if preferred.is_some() { until.min(now + PREFERENCE) } else { now };
        let mut places = self.places.lock();
        loop {
            let is_patient = Instant::now() < until_any;
            let found = match preferred {
                Some(place) if is_patient || matches!(places[place], Place::Free(_)) => {
                    matches!(places[place], Place::Free(_)).then_some(place)
                }
                _ => any_free(&places),
            };
            if let Some(place) = found
                && let Place::Free(worker) = std::mem::replace(&mut places[place], Place::Busy)
            {
                return Ok(Turn { pool: self, place, worker });
            }
            let until = if is_patient { until_any } else { until };
            if self.freed.wait_until(&mut places, until).timed_out() && !is_patient {
                return Err(NoSyntax::TooSlow);
            }
        }
    }
}

/// Returns the time until which the answer to a request that takes at most `limit` is waited for.
fn answer_until(limit: Duration, deadline: Deadline) -> Instant {
    let latest = Instant::now() + limit + GRACE;
    deadline.instant().map_or(latest, |deadline| deadline.min(latest))
}

/// Returns a free place, if possible one with a process.
fn any_free(places: &[Place]) -> Option<usize> {
    let running = places.iter().position(|place| matches!(place, Place::Free(Some(_))));
    running.or_else(|| places.iter().position(|place| matches!(place, Place::Free(None))))
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.pool.places.lock()[self.place] = Place::Free(self.worker.take());
        // Each of those that wait may wait for another place.
        self.pool.freed.notify_all();
    }
}
