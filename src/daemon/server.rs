//! The server: the life of a daemon, and one handler for each method. A handler decodes the parameters, runs
//! the request in the engine, and encodes the result. Each request is answered exactly once.
//!
//! To run a daemon inside another program, with its sockets:
//!
//! ```no_run
//! use editd_daemon::config::Config;
//! use editd_daemon::transport::{DirOptions, dirs, serve};
//!
//! let config = Config::load("/home/ada/.config/editd/config.toml".into());
//! let dirs = dirs(&DirOptions::default())?;
//! tokio::runtime::Runtime::new()?.block_on(serve(config, dirs, None))?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod clients;
mod connections;
mod decode;
mod encode;
mod failure;
mod ide_servers;
mod lsp_review;
mod once;
mod retry;

mod handlers {
    pub(crate) mod change;
    mod decide;
    mod editor;
    mod files;
    mod history;
    mod native;
    mod native_call;
    mod read;
    mod review;
    mod reviewers;
    mod run;
    mod search;
    mod status;
    pub(super) mod symbols;

    pub use editor::Introduction;
}

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use tokio_util::sync::CancellationToken;

use crate::config::Config;
use crate::engine::Engine;
use editd_disk::Disk;
use editd_workspace::reviewers::Departure;
use editd_workspace::{Role, Session, SessionId};

pub use crate::engine::{Failure, Places, SessionContext, SessionRoot};
pub use clients::{ClientSink, PendingResponse};
pub use connections::{ConnectionGuard, Crowded};
pub use handlers::Introduction;
pub use lsp_review::Follow;

use clients::WireClient;
use connections::Connections;
use ide_servers::IdeServers;
use once::RememberedAnswers;
use retry::RefusedRequests;

/// A running daemon. Cheap to clone.
#[derive(Clone)]
pub struct Daemon {
    engine: Engine,
    answers: RememberedAnswers,
    /// Refused requests that can be sent again.
    refused: RefusedRequests,
    ide_servers: Arc<IdeServers>,
    life: Arc<Life>,
}

/// The conditions under which the daemon stops.
struct Life {
    connections: Arc<Connections>,
    /// A client newer than this daemon has connected: stop as soon as no client is connected.
    outdated: AtomicBool,
    next_session: AtomicU64,
}

impl Daemon {
    /// Recovers what an earlier daemon left unfinished, and starts background tasks on the current runtime.
    pub fn start(config: Config, disk: Arc<dyn Disk>, places: Places) -> std::io::Result<Self> {
        lsp_review::clear(&places.runtime_dir);
        let answers = RememberedAnswers::default();
        let engine = Engine::start(config, disk, places, |proposal| {
            // A repeated request must not make another proposal.
            if let Some(request) = proposal.request.clone() {
                answers.remember(&proposal.author, request, encode::undecided(proposal));
            }
        })?;
        let life =
            Life { connections: Arc::default(), outdated: false.into(), next_session: AtomicU64::new(1) };
        Ok(Self {
            engine,
            answers,
            refused: RefusedRequests::default(),
            ide_servers: Arc::default(),
            life: Arc::new(life),
        })
    }

    /// The configuration of the daemon.
    pub fn config(&self) -> &Config {
        &self.engine.config
    }

    /// The folders of the daemon.
    pub(crate) fn places(&self) -> &Places {
        &self.engine.places
    }

    /// Counts a connection of a process, if it is known. Refuses it if a limit is reached.
    pub fn connection(&self, role: Role, process: Option<i32>) -> Result<ConnectionGuard, Crowded> {
        self.life.connections.admit(role, process, &self.engine.config.limits)
    }

    /// Returns a token that is cancelled when the daemon stops.
    pub fn stopped(&self) -> CancellationToken {
        self.engine.stopped.clone()
    }

    /// Stops the daemon. It accepts no new connections, cancels searches, and finishes all other requests.
    pub fn stop(&self) {
        self.engine.searches.close();
        self.engine.stopped.cancel();
    }

    /// Cleans up after the last request, so that the next start has nothing to recover if no request failed.
    pub fn tidy(&self) {
        lsp_review::clear(&self.engine.places.runtime_dir);
        self.engine.record_all_set_aside();
        self.engine.displaced_files.check_now(|_| true);
        self.engine.journal.tidy(&*self.engine.disk, true);
    }

    /// Returns an id for a new session.
    pub fn next_session(&self) -> SessionId {
        SessionId(self.life.next_session.fetch_add(1, Ordering::Relaxed))
    }

    /// Registers a session and the sink of its client. From now on the session may send requests.
    pub fn connect(&self, context: &SessionContext, sink: Arc<dyn ClientSink>) {
        let names = (context.author.clone(), context.name.clone());
        let mut session = Session::new(context.id, context.role, names, context.root_paths());
        session.abilities = context.abilities;
        self.engine.clients.insert(context, Arc::new(WireClient(sink)));
        self.engine.workspace.update(|w| w.connect(session, SystemTime::now()));
        // Agent programs can ask for reviews in the folders of an editor that shows them.
        if self.engine.config.ide && context.abilities.review {
            self.ide_servers.connect(&self.engine.places, context.connection, &context.root_paths());
        }
    }

    /// Takes the documents back from an editor that sends nothing more. Its requests may still be running until it is
    /// [disconnected](Self::disconnect), but it applies, saves and answers nothing.
    pub fn take_back_documents(&self, session: &SessionContext) {
        self.engine.clients.remove(session);
        self.engine.workspace.update(|w| w.close_documents(session.id));
    }

    /// Removes a connection that has ended, and its session unless that outlives it. `said_goodbye` is `true` if the
    /// client has sent `shutdown`: then no change waits for its review any more, unless it may come back at once.
    pub fn disconnect(&self, session: &SessionContext, said_goodbye: bool) {
        let departure = match (said_goodbye, session.may_return.load(Ordering::Relaxed)) {
            (false, _) => Departure::Lost,
            (true, true) => Departure::MayReturn,
            (true, false) => Departure::Closed,
        };
        self.engine.clients.remove(session);
        self.engine.workspace.update(|w| w.disconnect(session.id, departure, SystemTime::now()));
        self.ide_servers.disconnect(session.connection);
        self.engine.diagnostics_reported.notify_waiters();
        self.engine.focus_changed.notify_waiters();
        if self.engine.has_runs_of(session.connection) {
            let (engine, connection) = (self.engine.clone(), session.connection);
            tokio::spawn(async move { engine.interrupt_runs_of(connection).await });
        }
    }

    /// Stops the daemon when no client has been connected for the configured time.
    pub async fn exit_when_idle(&self) {
        loop {
            let idle = self.life.connections.count() == 0;
            let outdated = self.life.outdated.load(Ordering::SeqCst);
            if idle && outdated {
                return self.stop();
            }
            let idle_for = if idle { self.engine.config.idle_exit } else { Duration::MAX };
            tokio::select! {
                () = tokio::time::sleep(idle_for) => return self.stop(),
                () = self.life.connections.changed.notified() => {}
                () = self.engine.stopped.cancelled() => return,
            }
        }
    }

    /// Records the version of a client. If it is newer than the daemon, the daemon stops when no client is
    /// connected.
    pub fn met_client_version(&self, version: &str) {
        if is_newer(version, env!("CARGO_PKG_VERSION")) {
            self.life.outdated.store(true, Ordering::SeqCst);
        }
    }
}

/// Returns `true` if version `a` is newer than version `b`. Compares number by number.
fn is_newer(a: &str, b: &str) -> bool {
    let numbers = |version: &str| -> Vec<u64> {
        version.split(['.', '-', '+']).take(3).map_while(|part| part.parse().ok()).collect()
    };
    numbers(a) > numbers(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_number() {
        assert!(is_newer("0.10.0", "0.9.1") && is_newer("1.0.0", "0.9.9"));
        assert!(!is_newer("0.1.0", "0.1.0") && !is_newer("nonsense", "0.1.0"));
    }
}
