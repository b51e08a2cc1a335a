//! `editd mcp`: an MCP server on the standard streams that offers the daemon's methods as tools. It is an
//! ordinary client of the daemon.
//!
//! `stdio` reads a call and repairs common mistakes. `server` selects the tool, which converts its arguments
//! to a request for the daemon. `call` sends the request over the `session`, waits, reports progress and
//! cancels. The tool converts the result to an `Answer`: a text for models and, if it is short, the same
//! content as data, because some clients show their model only the data. A refusal is an answer, too.
//!
//! ```no_run
//! use editd_agents::mcp::{Options, Selection, serve};
//! use editd_daemon::transport::{DirOptions, Spawn, dirs};
//!
//! serve(Options {
//!     places: dirs(&DirOptions::default())?,
//!     spawn: Spawn::Allowed,
//!     roots: vec!["/home/ada/shop".into()],
//!     tools: Selection::new(vec!["read".to_owned(), "edit".to_owned()], false)?,
//! })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answer;
mod call;
mod coerce;
mod gate;
mod link;
mod links;
mod output;
mod question;
mod readable;
mod refusal;
mod relative;
mod served;
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

use crate::gate::AgentProgram;
use crate::hook::Hook;
use editd_daemon::server::Places;
use editd_daemon::transport::{Spawn, is_enforced};

use gate::Gate;
use server::{Roots, Server};
use session::Session;
use stdio::Stdio;
pub use tools::{EditFormat, Selection, UnknownTool};

/// Options of the server.
#[derive(Debug)]
pub struct Options {
    /// Folders of the daemon.
    pub places: Places,
    /// Permission to start the daemon.
    pub spawn: Spawn,
    /// Roots that take precedence over those of the client.
    pub roots: Vec<PathBuf>,
    /// Tools to serve.
    pub tools: Selection,
}

/// Time that running calls have to end after the client has closed its sending side.
const GRACE: Duration = Duration::from_secs(1);

/// Serves a client on the standard streams until the client closes its sending side.
pub fn serve(options: Options) -> io::Result<()> {
    // The working folder matters only if no root is given.
    let here = if options.roots.is_empty() { std::env::current_dir().ok() } else { None };
    let roots = Roots::new(options.roots, here);
    let (ending, over) = (CancellationToken::new(), CancellationToken::new());
    let Options { places, spawn, .. } = options;
    let gate = Gate::new(Hook {
        places: places.clone(),
        spawn,
        program: AgentProgram::Claude,
        is_enforced: is_enforced(),
    });
    let session = Session::new(places, spawn);
    let server = Server::new(session, gate, roots, &options.tools, over.clone());
    // A single thread, so that calls start in the order of arrival.
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
    // Do not wait for a connection that is still being established.
    runtime.shutdown_background();
    end
}

async fn serve_on(streams: &Stdio, server: Server) {
    let server = std::sync::Arc::new(server);
    loop {
        match server.clone().serve(streams.clone()).await {
            // The server runs until the client disconnects.
            Ok(running) => drop(running.waiting().await),
            // A notification before `initialize` is ignored.
            Err(ServerInitializeError::ExpectedInitializeRequest(_)) => continue,
            Err(_) => {}
        }
        return;
    }
}
