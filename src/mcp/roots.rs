use std::path::PathBuf;
use std::time::Duration;

use parking_lot::Mutex;
use rmcp::RoleServer;
use rmcp::service::RequestContext;
use tokio::time::timeout;

use crate::protocol::path_of_uri;

/// How long a client may take to tell its roots. The first call waits for it.
const PATIENCE: Duration = Duration::from_secs(3);

/// Where the work is.
pub(super) struct Roots {
    /// What the command line says; it wins.
    given: Vec<PathBuf>,
    /// The folder that the server was started in.
    here: PathBuf,
    /// What the client said; none where it was not asked yet.
    told: Mutex<Option<Vec<PathBuf>>>,
}

impl Roots {
    pub(super) fn new(given: Vec<PathBuf>, here: PathBuf) -> Self {
        Self { given, here, told: Mutex::new(None) }
    }

    /// The client has others now.
    pub(super) fn forget(&self) {
        *self.told.lock() = None;
    }

    /// Those given, else the client's, else the working folder.
    pub(super) async fn now(&self, context: &RequestContext<RoleServer>) -> Vec<PathBuf> {
        if !self.given.is_empty() {
            return self.given.clone();
        }
        let known = self.told.lock().clone();
        let told = if let Some(told) = known {
            told
        } else {
            let told = ask(context).await;
            self.told.lock().insert(told).clone()
        };
        if told.is_empty() { vec![self.here.clone()] } else { told }
    }
}

/// Asks the client for its roots. One that has none, or does not say, is as good as one that cannot be asked.
#[expect(deprecated, reason = "clients of the revisions with `initialize` tell their roots in no other way")]
async fn ask(context: &RequestContext<RoleServer>) -> Vec<PathBuf> {
    let can_tell = context.client_capabilities().is_some_and(|can| can.roots.is_some());
    if !can_tell {
        return Vec::new();
    }
    let asked = timeout(PATIENCE, context.peer.list_roots()).await;
    let Ok(Ok(told)) = asked else { return Vec::new() };
    told.roots.iter().filter_map(|root| path_of_uri(&root.uri).ok()).collect()
}
