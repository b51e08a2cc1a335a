use std::path::PathBuf;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared};
use parking_lot::Mutex;
use rmcp::RoleServer;
use rmcp::service::{Peer, RequestContext};
use tokio::time::timeout;

use crate::protocol::path_of_uri;

use super::session::{Failure, refusal};

/// Time that a call waits for the client's roots.
const ROOTS_TIMEOUT: Duration = Duration::from_secs(3);

const START_ELSEWHERE: &str =
    "Ask the user to start this server with the folder of the project: `editd mcp --root DIR`.";
const TRY_AGAIN: &str = "Try again; if that fails too, ask the user to start this server with the folder of the \
    project: `editd mcp --root DIR`.";

/// The client's response to a request for its roots, or the problem with it.
type Response = Shared<BoxFuture<'static, Result<Vec<PathBuf>, &'static str>>>;

/// The roots of the session.
pub(super) struct Roots {
    /// Roots from the command line, which take precedence.
    given: Vec<PathBuf>,
    /// Working folder of the server, if it exists.
    here: Option<PathBuf>,
    /// Latest request to the client. It is retained if the response is late.
    response: Mutex<Option<Response>>,
}

impl Roots {
    pub(super) fn new(given: Vec<PathBuf>, here: Option<PathBuf>) -> Self {
        Self { given, here, response: Mutex::default() }
    }

    /// Discards the roots of the client, which have changed.
    pub(super) fn forget(&self) {
        *self.response.lock() = None;
    }

    /// Returns the given roots, else those of the client, else the working folder.
    pub(super) async fn now(&self, context: &RequestContext<RoleServer>) -> Result<Vec<PathBuf>, Failure> {
        if !self.given.is_empty() {
            return Ok(self.given.clone());
        }
        if !lists_roots(context) {
            return self.here.clone().map(|here| vec![here]).ok_or_else(|| {
                let message = "The folder that this server was started in no longer exists.".to_owned();
                refusal("unavailable", message, START_ELSEWHERE)
            });
        }
        let listed = timeout(ROOTS_TIMEOUT, self.listed(&context.peer)).await;
        listed.unwrap_or(Err("it has not answered yet")).map_err(|problem| {
            let message = format!("The client did not send its roots: {problem}.");
            refusal("unavailable", message, TRY_AGAIN)
        })
    }

    /// Waits for the response to the latest request.
    async fn listed(&self, peer: &Peer<RoleServer>) -> Result<Vec<PathBuf>, &'static str> {
        loop {
            let response = self.response.lock().get_or_insert_with(|| ask(peer.clone())).clone();
            let listed = response.clone().await;
            let mut newest = self.response.lock();
            if newest.as_ref().is_some_and(|newest| newest.ptr_eq(&response)) {
                if listed.is_err() {
                    *newest = None;
                }
                return listed;
            }
        }
    }
}

/// Returns `true` if the client has roots and can be response for them. Clients of the stateless revision
/// cannot.
fn lists_roots(context: &RequestContext<RoleServer>) -> bool {
    let has_sessions = context.meta.protocol_version().is_none();
    has_sessions && context.client_capabilities().is_some_and(|can| can.roots.is_some())
}

#[expect(
    deprecated,
    reason = "clients of the revisions with `initialize` have no other way to send their roots"
)]
fn ask(peer: Peer<RoleServer>) -> Response {
    let listed = async move {
        let listed = peer.list_roots().await.map_err(|_| "it answered with an error")?;
        let roots: Vec<_> = listed.roots.iter().filter_map(|root| path_of_uri(&root.uri).ok()).collect();
        if roots.is_empty() { Err("it names no folder of this computer") } else { Ok(roots) }
    };
    listed.boxed().shared()
}
