//! `editd mcp`: the daemon's methods as tools of the Model Context Protocol, over the standard streams. A
//! client of the daemon like any other.
//!
//! A call comes in through `stdio`, which mends what can be mended. `server` finds the tool; the tool makes a
//! request for the daemon of its arguments, as they are. `call` sends it over the `session`, waits, reports
//! progress, cancels. The tool makes an `Answer` of the result: a text for models, and where that is short
//! the same as data, since some clients show their model only that. A refusal is an answer, too.
//!
//! ```no_run
//! use editd::mcp::{Options, Selection, serve};
//! use editd::transport::{PlaceOptions, Spawn, places};
//!
//! serve(Options {
//!     places: places(&PlaceOptions::default())?,
//!     spawn: Spawn::Allowed,
//!     roots: vec!["/home/ada/shop".into()],
//!     tools: Selection::new(vec!["read".to_owned(), "edit".to_owned()], false)?,
//! })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod additions;
mod advice;
mod answer;
mod call;
mod coerce;
mod given;
mod guide;
mod link;
mod output;
mod readable;
mod refusal;
mod roots;
mod schema;
mod server;
mod session;
mod size;
mod stdio;
mod tools;

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::daemon::Places;
use crate::transport::Spawn;

use roots::Roots;
use server::Server;
use session::Session;
use stdio::Stdio;
pub use tools::{Selection, UnknownTool};

/// What a server is started with.
#[derive(Debug)]
pub struct Options {
    /// Where the daemon is.
    pub places: Places,
    /// Whether it may be started.
    pub spawn: Spawn,
    /// Roots that win over the client's.
    pub roots: Vec<PathBuf>,
    /// The tools that are served.
    pub tools: Selection,
}

/// How long calls that are under way may go on when the client has closed its end.
const GRACE: Duration = Duration::from_secs(1);

/// Serves a client on the standard streams until it closes its end.
pub fn serve(options: Options) -> io::Result<()> {
    // Only where nobody names a root does it matter that there is a working folder, and which.
    let here = if options.roots.is_empty() { std::env::current_dir().ok() } else { None };
    let roots = Roots::new(options.roots, here);
    let (ending, over) = (CancellationToken::new(), CancellationToken::new());
    let session = Session::new(options.places, options.spawn);
    let server = Server::new(session, roots, &options.tools, over.clone());
    // One thread: calls then begin in the order in which they came.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let end = runtime.block_on(async {
        let streams = Stdio::start(ending.clone())?;
        tokio::spawn(async move {
            ending.cancelled().await;
            sleep(GRACE).await;
            over.cancel();
        });
        serve_on(&streams, server).await;
        Ok(())
    });
    // Nobody waits for a connection that is still being made.
    runtime.shutdown_background();
    end
}

async fn serve_on(streams: &Stdio, server: Server) {
    let server = std::sync::Arc::new(server);
    loop {
        match server.clone().serve(streams.clone()).await {
            // What it ends with is that the client has gone.
            Ok(running) => drop(running.waiting().await),
            // A notification before anything was agreed on means nothing.
            Err(ServerInitializeError::ExpectedInitializeRequest(_)) => continue,
            Err(_) => {}
        }
        return;
    }
}
