//! The parser processes of a program.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard};
use serde::de::DeserializeOwned;

use super::wire::{Request, message};
use super::worker::{Silence, Worker};
use crate::NoSyntax;
use editd_edit::Deadline;

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
    /// A request was sent, and nobody waits for the answer yet. A request that needs a process reads the answer for its
    /// sender, who may itself be the one that waits for a process.
    Asked(Pending),
    Busy,
}

/// A process that works on a request.
#[derive(Debug)]
struct Pending {
    worker: Worker,
    answer: Arc<OnceLock<Answer>>,
    until: Instant,
}

type Answer = Result<Vec<u8>, Silence>;

/// The right to use a place.
#[derive(Debug)]
struct Turn<'a> {
    pool: &'a Pool,
    place: usize,
    /// A process that is idle.
    worker: Option<Worker>,
    /// A process that works on a request whose answer nobody waits for yet. The place returns to this state.
    pending: Option<Pending>,
}

/// A request whose answer is read later.
#[derive(Debug)]
pub(super) struct Asked<'a> {
    pool: &'a Pool,
    place: usize,
    answer: Arc<OnceLock<Answer>>,
    until: Instant,
}

impl Asked<'_> {
    /// Returns the answer.
    pub(super) fn answer<T: DeserializeOwned>(self) -> Result<T, NoSyntax> {
        read(self.wait(self.until))
    }

    /// Waits for the answer. A process that gives none is ended.
    fn wait(&self, until: Instant) -> Answer {
        let mut places = self.pool.places.lock();
        loop {
            if let Some(answer) = self.answer.get() {
                return answer.clone();
            }
            let is_mine =
                matches!(&places[self.place], Place::Asked(it) if Arc::ptr_eq(&it.answer, &self.answer));
            // Otherwise another request reads the answer.
            if is_mine && let Some(mut turn) = self.pool.take(&mut places, self.place) {
                drop(places);
                turn.collect(until);
                return self.answer.get().cloned().unwrap_or(Err(Silence::Dead));
            }
            if self.pool.freed.wait_until(&mut places, until).timed_out() {
                return self.answer.get().cloned().unwrap_or(Err(Silence::Late));
            }
        }
    }
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        if self.answer.get().is_none() {
            let _ = self.wait(self.until.min(Instant::now() + UNWANTED));
        }
    }
}

impl<'a> Turn<'a> {
    /// Leaves the place to a process that works on a request.
    fn asked(mut self, worker: Worker, until: Instant) -> Asked<'a> {
        let answer = Arc::default();
        let asked = Asked { pool: self.pool, place: self.place, answer: Arc::clone(&answer), until };
        self.pending = Some(Pending { worker, answer, until });
        asked
    }

    /// Returns this turn without a request that the process of the place works on, once its answer is there. Returns
    /// `None` if it takes longer.
    fn collected(mut self, until: Instant) -> Option<Self> {
        if let Some(pending) = &self.pending {
            let pending_until = pending.until;
            if !pending.worker.answers(until.min(pending_until)) && until < pending_until {
                return None;
            }
            self.collect(pending_until);
        }
        Some(self)
    }

    /// Reads the answer to the request that the process of the place works on. A process that gives none until then is
    /// ended.
    fn collect(&mut self, until: Instant) {
        let Some(Pending { mut worker, answer, .. }) = self.pending.take() else { return };
        let found = worker.answer(until);
        if found.is_ok() {
            self.worker = Some(worker);
        }
        // With the lock, so that the sender does not miss it between its look and its wait.
        let _places = self.pool.places.lock();
        let _ = answer.set(found);
        self.pool.freed.notify_all();
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
        let mut turn = self.turn_if_free(file)?;
        let mut worker = turn.worker.take()?;
        let until = answer_until(limit, deadline);
        worker.send(&message, until).ok()?;
        Some(turn.asked(worker, until))
    }

    /// Sends a request to the process that will answer for a file, and waits for the answer. Returns `None` if the
    /// process is in use.
    pub(super) fn answer_if_free<T: DeserializeOwned>(
        &self,
        file: u64,
        request: &Request<'_>,
        limit: Duration,
    ) -> Option<T> {
        let message = message(request).ok()?;
        let mut turn = self.turn_if_free(file)?;
        read(self.ask(&mut turn, &message, answer_until(limit, Deadline::NONE))).ok()
    }

    /// Returns the place of a file, if no request uses it.
    fn turn_if_free(&self, file: u64) -> Option<Turn<'_>> {
        let mut places = self.places.lock();
        let place = usize::try_from(file % places.len() as u64).ok()?;
        if matches!(places[place], Place::Free(_)) { self.take(&mut places, place) } else { None }
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
            let until = if is_patient { until_any } else { until };
            let found = match preferred.filter(|place| is_patient || !matches!(places[*place], Place::Busy)) {
                Some(place) => Some(place),
                None => most_idle(&places),
            };
            if let Some(turn) = found.and_then(|place| self.take(&mut places, place)) {
                if let Some(turn) = MutexGuard::unlocked(&mut places, || turn.collected(until)) {
                    return Ok(turn);
                }
            } else {
                self.freed.wait_until(&mut places, until);
            }
            if !is_patient && Instant::now() >= until {
                return Err(NoSyntax::TooSlow);
            }
        }
    }

    /// Takes a place, unless it is in use.
    fn take(&self, places: &mut [Place], place: usize) -> Option<Turn<'_>> {
        let (worker, pending) = match std::mem::replace(&mut places[place], Place::Busy) {
            Place::Free(worker) => (worker, None),
            Place::Asked(pending) => (None, Some(pending)),
            Place::Busy => return None,
        };
        Some(Turn { pool: self, place, worker, pending })
    }
}

/// Returns the time until which the answer to a request that takes at most `limit` is waited for.
fn answer_until(limit: Duration, deadline: Deadline) -> Instant {
    let latest = Instant::now() + limit + GRACE;
    deadline.instant().map_or(latest, |deadline| deadline.min(latest))
}

/// Returns a place that is not in use, if possible a free one with a process.
fn most_idle(places: &[Place]) -> Option<usize> {
    let first = |is_wanted: fn(&Place) -> bool| places.iter().position(is_wanted);
    first(|place| matches!(place, Place::Free(Some(_))))
        .or_else(|| first(|place| matches!(place, Place::Free(None))))
        .or_else(|| first(|place| matches!(place, Place::Asked(_))))
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let next = match self.pending.take() {
            Some(pending) => Place::Asked(pending),
            None => Place::Free(self.worker.take()),
        };
        self.pool.places.lock()[self.place] = next;
        // Each of those that wait may wait for another place.
        self.pool.freed.notify_all();
    }
}
