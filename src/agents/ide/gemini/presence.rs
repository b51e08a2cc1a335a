//! Ends the sessions of clients that are gone. In this protocol, a session outlives its connections, so a client
//! that was killed would otherwise count as connected.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::Method;
use axum::middleware::Next;
use axum::response::Response;
use futures_util::StreamExt;
use parking_lot::Mutex;
use rmcp::transport::streamable_http_server::SessionManager;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

/// Header with the name of the session.
const SESSION: &str = "mcp-session-id";
/// Time for a client to open its stream of notifications again.
const GRACE: Duration = Duration::from_secs(5);

/// Time for the end of an older stream of a session.
const END: Duration = Duration::from_secs(2);

/// The open streams of notifications, by session.
#[derive(Clone)]
pub(super) struct Presence {
    sessions: Arc<LocalSessionManager>,
    streams: Arc<Mutex<HashMap<String, Streams>>>,
}

/// The open streams of a session.
#[derive(Default)]
struct Streams {
    count: usize,
    /// Ends them, for a newer one.
    replaced: CancellationToken,
    /// Notified when no stream is open any more.
    ended: Arc<Notify>,
}

impl Presence {
    pub(super) fn of(sessions: Arc<LocalSessionManager>) -> Self {
        Self { sessions, streams: Arc::default() }
    }

    fn begin(&self, session: String) -> OpenStream {
        let mut streams = self.streams.lock();
        let open = streams.entry(session.clone()).or_default();
        open.count += 1;
        OpenStream { session, replaced: open.replaced.clone(), presence: self.clone() }
    }

    /// Ends the older streams of a session. The SDK sends notifications to the oldest open stream, and that of a client
    /// that connects again may still look open.
    async fn end_older(&self, session: &str) {
        let ended = {
            let streams = self.streams.lock();
            let Some(open) = streams.get(session) else { return };
            open.replaced.cancel();
            open.ended.clone().notified_owned()
        };
        // A stream whose connection is stuck ends with it.
        let _ = timeout(END, ended).await;
    }

    /// Ends a session that has had no stream for the whole grace time.
    async fn end_unless_back(self, session: String) {
        sleep(GRACE).await;
        if self.streams.lock().contains_key(&session) {
            return;
        }
        // A session that has ended already is an error, which changes nothing.
        let _ = self.sessions.close_session(&session.into()).await;
    }
}

/// Counts as a stream of its session until it is dropped.
struct OpenStream {
    session: String,
    /// Cancelled when a newer stream replaces this one.
    replaced: CancellationToken,
    presence: Presence,
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        let mut streams = self.presence.streams.lock();
        let Some(open) = streams.get_mut(&self.session) else { return };
        open.count -= 1;
        if open.count > 0 {
            return;
        }
        if let Some(closed) = streams.remove(&self.session) {
            closed.ended.notify_waiters();
        }
        // Without a runtime, the server has ended.
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(self.presence.clone().end_unless_back(self.session.clone()));
        }
    }
}

/// Counts the streams of notifications, which clients keep open as long as they run.
pub(super) async fn watch(State(presence): State<Presence>, request: Request, next: Next) -> Response {
    let is_stream = request.method() == Method::GET;
    let session = request.headers().get(SESSION).and_then(|name| name.to_str().ok()).map(str::to_owned);
    if let Some(session) = session.as_deref().filter(|_| is_stream) {
        presence.end_older(session).await;
    }
    let response = next.run(request).await;
    match session.filter(|_| is_stream && response.status().is_success()) {
        None => response,
        Some(session) => {
            let open = presence.begin(session);
            let replaced = open.replaced.clone().cancelled_owned();
            response.map(|body| {
                let events = body.into_data_stream().inspect(move |_| {
                    // The closure owns the count, so the end of the stream drops it.
                    let _ = &open;
                });
                Body::from_stream(events.take_until(replaced))
            })
        }
    }
}
