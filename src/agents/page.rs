//! `editd review --web`: a server beside the daemon for a page on which a person reviews changes in a browser.
//!
//! The server is a client of the daemon like any other, with the rights of a person. It forwards the methods that
//! the page uses (`routes`), passes on the daemon's notifications as a stream of events, and computes colours of
//! the syntax. It connects again when the daemon was restarted (`daemon`). The sources of the page are in
//! `editors/page`; the bundled files in `assets` are part of the program.
//!
//! ```no_run
//! use editd_agents::page::{Options, serve};
//! use editd_daemon::transport::{DirOptions, Identity, Spawn, dirs};
//!
//! let root = std::path::Path::new("/home/ada/shop");
//! serve(Options {
//!     places: dirs(&DirOptions::default())?,
//!     spawn: Spawn::Allowed,
//!     identity: Identity { reviews: true, ..Identity::own(Some(root)) },
//!     port: None,
//!     noticed: Box::new(|notice| println!("{notice:?}")),
//! })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answers;
mod assets;
mod colours;
mod daemon;
mod events;
mod preferences;
mod routes;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::web::{Limits, OneTimeToken, Server, Token};
use editd_daemon::server::Places;
use editd_daemon::transport::{ConnectError, Identity, Spawn};

use daemon::Daemon;

/// Number of threads for requests. Colours are computed on others.
const WORKERS: usize = 2;

/// Options of the server.
pub struct Options {
    /// Folders of the daemon.
    pub places: Places,
    /// Permission to start the daemon, also after it was killed. A daemon that was stopped is not started again.
    pub spawn: Spawn,
    /// The person, and the folder whose changes are shown first.
    pub identity: Identity,
    /// Port on the loopback interface; a free one if there is none.
    pub port: Option<u16>,
    /// Called with everything that the person should know, from any thread.
    pub noticed: Box<dyn Fn(Notice) + Send + Sync>,
}

/// An event that the person should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// The page can be opened at this address, once.
    Ready(String),
    /// The page was opened.
    Opened,
    /// The address was used again, and refused.
    OpenedAgain,
    /// The daemon has ended.
    DaemonEnded,
    /// The daemon runs again.
    DaemonBack,
    /// A daemon runs again that rejects this program, for instance because their versions differ. The reason.
    DaemonRefuses(String),
}

/// An error of the server.
#[derive(Debug, thiserror::Error)]
pub enum PageError {
    /// The daemon cannot be reached, or it rejected the person.
    #[error(transparent)]
    Unreachable(#[from] ConnectError),
    /// An I/O error.
    #[error("the page cannot be served: {0}")]
    Io(#[from] io::Error),
}

/// State that all requests share.
struct Page {
    daemon: Daemon,
    once: OneTimeToken,
    session: Token,
    root: Option<PathBuf>,
    state_dir: PathBuf,
    noticed: Box<dyn Fn(Notice) + Send + Sync>,
    shutdown: CancellationToken,
}

/// Serves the page until the process receives `SIGINT`, `SIGTERM` or `SIGHUP`.
pub fn serve(options: Options) -> Result<(), PageError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(WORKERS).enable_all().build()?;
    let served = runtime.block_on(serve_until_signal(options));
    // Do not wait for colours that are still being computed.
    runtime.shutdown_background();
    served
}

async fn serve_until_signal(options: Options) -> Result<(), PageError> {
    let Options { places, spawn, identity, port, noticed } = options;
    let (root, state_dir) = (identity.roots.first().cloned(), places.state_dir.clone());
    let daemon = Daemon::connect(places, spawn, identity).await?;
    let (once, session) = (OneTimeToken::new()?, Token::new()?);
    let shutdown = CancellationToken::new();
    let server = Server::bind_to(port.unwrap_or(0)).await?;
    let address = format!("http://127.0.0.1:{}/#{}", server.port(), once.text());
    let page = Arc::new(Page { daemon, once, session, root, state_dir, noticed, shutdown: shutdown.clone() });
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    let mut hangup = signal(SignalKind::hangup())?;
    (page.noticed)(Notice::Ready(address));
    let routes = routes::routes(page.clone(), server.port());
    let limits = Limits::default();
    tokio::select! {
        () = server.serve(routes, &limits, &shutdown) => {}
        () = page.daemon.stay_connected(page.noticed.as_ref()) => {}
        () = async {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
                _ = hangup.recv() => {}
            }
            shutdown.cancel();
            // The server ends first.
            std::future::pending::<()>().await;
        } => {}
    }
    page.daemon.say_goodbye().await;
    Ok(())
}
