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

/// How long a call waits for the client to tell its roots.
const PATIENCE: Duration = Duration::from_secs(3);

const START_ELSEWHERE: &str =
    "Ask the user to start this server with the folder of the project: `editd mcp --root DIR`.";
const TRY_AGAIN: &str = "Try again; if it goes on, ask the user to start this server with the folder of the \
    project: `editd mcp --root DIR`.";

/// What the client says when it is asked, or what is wrong with that.
type Asked = Shared<BoxFuture<'static, Result<Vec<PathBuf>, &'static str>>>;

/// Where the work is.
pub(super) struct Roots {
    /// What the command line says; it wins.
    given: Vec<PathBuf>,
    /// The folder that the server was started in, if it is there.
    here: Option<PathBuf>,
    /// The newest question to the client. It stays if its answer is late.
    asked: Mutex<Option<Asked>>,
}

impl Roots {
    pub(super) fn new(given: Vec<PathBuf>, here: Option<PathBuf>) -> Self {
        Self { given, here, asked: Mutex::default() }
    }

    /// The client has others now. What it was asked before says nothing any more.
    pub(super) fn forget(&self) {
        *self.asked.lock() = None;
    }

    /// Those given, else the client's, else the working folder.
    pub(super) async fn now(&self, context: &RequestContext<RoleServer>) -> Result<Vec<PathBuf>, Failure> {
        if !self.given.is_empty() {
            return Ok(self.given.clone());
        }
        if !can_tell(context) {
            return self.here.clone().map(|here| vec![here]).ok_or_else(|| {
                let message = "The folder that this server was started in is not there any more.".to_owned();
                refusal("unavailable", message, START_ELSEWHERE)
            });
        }
        let told = timeout(PATIENCE, self.told(&context.peer)).await;
        told.unwrap_or(Err("it has not answered yet")).map_err(|problem| {
            let message = format!("The client does not say in which folders to work: {problem}.");
            refusal("unavailable", message, TRY_AGAIN)
        })
    }

    /// What the client says to the newest question.
    async fn told(&self, peer: &Peer<RoleServer>) -> Result<Vec<PathBuf>, &'static str> {
        loop {
            let asked = self.asked.lock().get_or_insert_with(|| ask(peer.clone())).clone();
            let told = asked.clone().await;
            let mut newest = self.asked.lock();
            if newest.as_ref().is_some_and(|newest| newest.ptr_eq(&asked)) {
                if told.is_err() {
                    *newest = None;
                }
                return told;
            }
        }
    }
}

/// Whether the client has roots and can be asked for them: one of the revision without sessions cannot.
fn can_tell(context: &RequestContext<RoleServer>) -> bool {
    let has_sessions = context.meta.protocol_version().is_none();
    has_sessions && context.client_capabilities().is_some_and(|can| can.roots.is_some())
}

#[expect(deprecated, reason = "clients of the revisions with `initialize` tell their roots in no other way")]
fn ask(peer: Peer<RoleServer>) -> Asked {
    let told = async move {
        let told = peer.list_roots().await.map_err(|_| "it answered with an error")?;
        let roots: Vec<_> = told.roots.iter().filter_map(|root| path_of_uri(&root.uri).ok()).collect();
        if roots.is_empty() { Err("it names no folder of this computer") } else { Ok(roots) }
    };
    told.boxed().shared()
}
