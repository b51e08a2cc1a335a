//! `editd ide`: a server for the protocols with which agent programs show a change in an editor and wait for the
//! person. editd takes the place of the editor: each diff becomes a proposal under review, which the person
//! decides wherever they review.
//!
//! Claude Code finds the server by a lock file and connects over a WebSocket (`claude`). Gemini CLI finds it by
//! a discovery file and sends MCP over HTTP (`gemini`). Both programs write the accepted text themselves, so a
//! diff is an `editd/nativeEdit` of the daemon (`reviews`): it is checked, reviewed, and recorded when the program
//! has written it (`written`).
//!
//! ```no_run
//! use editd_agents::ide::{Options, serve};
//! use editd_daemon::transport::{DirOptions, Spawn, dirs};
//!
//! serve(Options {
//!     places: dirs(&DirOptions::default())?,
//!     spawn: Spawn::Allowed,
//!     roots: vec!["/home/ada/shop".into()],
//! }, |_| {}, |server| println!("port {}", server.port))?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod arguments;
mod claude;
mod context;
mod daemon;
mod files;
mod gemini;
mod open_files;
mod reviews;
mod written;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use axum::Router;
use rmcp::model::{Implementation, ServerCapabilities, ServerConfig};
use tokio_util::sync::CancellationToken;

use crate::web::{Limits, Server, Token};
use editd_daemon::server::Places;
use editd_daemon::transport::Spawn;
use editd_protocol::NAME;

use daemon::Daemon;
use files::OwnedFile;

/// Maximum size of a message, in bytes: a text of the largest size that editd changes, with escapes.
const MESSAGE: usize = 64 << 20;

/// Options of the server.
#[derive(Clone, Debug)]
pub struct Options {
    /// Folders of the daemon.
    pub places: Places,
    /// Permission to start the daemon.
    pub spawn: Spawn,
    /// The folders in which the programs work, absolute.
    pub roots: Vec<PathBuf>,
}

/// A running server.
#[derive(Debug)]
pub struct Running {
    /// Port on the loopback interface.
    pub port: u16,
    /// Variables with which a program finds this server and no other.
    pub environment: Vec<(&'static str, String)>,
    /// Warnings about programs that do not find this server by themselves.
    pub warnings: Vec<String>,
    /// Ends the server when it is cancelled.
    pub end: CancellationToken,
}

/// Serves until [`Running::end`] is cancelled. Calls `prepare` with that token before it writes files that it has to
/// remove in the end, and `started` when programs can connect.
pub fn serve(
    options: Options,
    prepare: impl FnOnce(&CancellationToken),
    started: impl FnOnce(Running),
) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let ended = runtime.block_on(serve_on(options, prepare, started));
    // A thread that waits for the daemon ends with the process.
    runtime.shutdown_background();
    ended
}

async fn serve_on(
    options: Options,
    prepare: impl FnOnce(&CancellationToken),
    started: impl FnOnce(Running),
) -> io::Result<()> {
    let Options { places, spawn, roots } = options;
    let daemon = Arc::new(Daemon { places, spawn, roots });
    let (server, token, end) = (Server::bind().await?, Token::new()?, CancellationToken::new());
    let port = server.port();
    prepare(&end);
    let (files, warnings) = announce(port, &token, &daemon.roots)?;
    let router = Router::new()
        .merge(claude::routes(&daemon, &token, &end))
        .merge(gemini::routes(&daemon, &token, &end));
    let environment = [claude::environment(port), gemini::environment(port, &token, &daemon.roots)].concat();
    started(Running { port, environment, warnings, end: end.clone() });
    server.serve(router, &Limits::default(), &end).await;
    drop(files);
    Ok(())
}

/// Writes the files by which the programs find the server, which are removed when they are dropped. Returns warnings
/// about the programs that cannot find it. Fails if none can.
fn announce(port: u16, token: &Token, roots: &[PathBuf]) -> io::Result<(Vec<OwnedFile>, Vec<String>)> {
    let written = [
        ("Gemini CLI", gemini::discovery::write(port, token, roots)),
        ("Claude Code", claude::lock_file::write(port, token, roots)),
    ];
    let (mut files, mut warnings, mut failure) = (Vec::new(), Vec::new(), None);
    for (program, result) in written {
        match result {
            Ok(file) => files.push(file),
            Err(error) => {
                warnings.push(format!(
                    "{program} finds this server only if `editd ide` starts it, because its file cannot be written: {error}"
                ));
                failure = Some(error);
            }
        }
    }
    match failure {
        Some(error) if files.is_empty() => Err(error),
        _ => Ok((files, warnings)),
    }
}

/// Returns the introduction of both protocols.
fn server_config() -> ServerConfig {
    ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
        .with_server_info(Implementation::new(NAME, env!("CARGO_PKG_VERSION")))
}
