//! The stream of events, with which a page stays up to date.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::response::IntoResponse;
use axum::response::sse::{Event as Sent, KeepAlive, Sse};
use futures_util::StreamExt;
use futures_util::stream::unfold;
use serde_json::json;
use tokio::sync::broadcast::error::RecvError;

use super::Page;
use super::daemon::Event;

/// Time after which something is sent, so that the page notices a server that has ended.
const SILENCE: Duration = Duration::from_secs(10);

/// Streams the state of the connection and everything that changes from now on.
pub(super) async fn events(State(page): State<Arc<Page>>) -> impl IntoResponse {
    let (first, receiver) = page.daemon.subscribe();
    let shutdown = page.shutdown.clone();
    let stream = unfold((Some(first), receiver, page), |(first, mut receiver, page)| async move {
        let event = match first {
            Some(event) => event,
            None => match receiver.recv().await {
                Ok(event) => event,
                // The page has missed events. On this one, it loads everything again.
                Err(RecvError::Lagged(_)) => page.daemon.state(),
                Err(RecvError::Closed) => return None,
            },
        };
        Some((Ok::<_, Infallible>(sent(&event)), (None, receiver, page)))
    });
    let stream = stream.take_until(shutdown.cancelled_owned());
    Sse::new(stream).keep_alive(KeepAlive::new().interval(SILENCE))
}

fn sent(event: &Event) -> Sent {
    match event {
        Event::Daemon { is_connected } => {
            Sent::default().event("daemon").data(json!({ "connected": is_connected }).to_string())
        }
        Event::Proposal(params) => Sent::default().event("proposal").data(params.to_string()),
    }
}
