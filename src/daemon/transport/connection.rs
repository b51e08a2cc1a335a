//! The lifecycle of one connection.
//!
//! The task that runs [`serve`] reads messages and starts requests in the order of arrival. A second task
//! writes the output. Requests that have to wait continue in separate tasks. If too many of them are running,
//! further requests are queued, but responses and notifications are still read, because running requests may
//! need them.
//!
//! A malformed body or a panic results in one error response. Invalid framing, or a client that does not
//! read, closes the connection. Other connections are never affected.

use std::any::Any;
use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use futures_util::FutureExt;
use serde_json::Value;
use tokio::io::{AsyncRead, BufReader};
use tokio::net::unix::OwnedWriteHalf;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tower::Service;
use tower_lsp::jsonrpc::Response;
use tower_lsp::{ExitedError, LspService};

use crate::server::{Daemon, SessionContext};
use editd_protocol::{Code, RpcError};
use editd_workspace::Role;

use super::framing::{Body, Bounds, FrameReader, FramingError};
use super::limits::{MemoryBudget, Reservation};
use super::lsp::{self, Backend, Peer};
use super::message::{
    Malformed, Message, Stage, answer, error_message, goodbye, panicked, parse, refused, too_many,
};
use super::outbound::Outbound;
use super::path_maps::PathMaps;

/// Size of the read buffer, in bytes. Every open connection holds one, even if it is idle.
const READ_BUFFER: usize = 16 << 10;
/// Size from which a message is parsed while another thread serves other connections, in bytes.
const LARGE: usize = 256 << 10;
/// Maximum number of queued requests of one connection.
const MAX_QUEUED: usize = 256;
/// Time that running requests have to end when the connection ends.
const GRACE: Duration = Duration::from_secs(10);

/// Serves a client until it disconnects, the daemon stops, or the framing is invalid.
pub(crate) async fn serve(
    daemon: Daemon,
    peer: Peer,
    (budget, maps): (MemoryBudget, Option<PathMaps>),
    input: impl AsyncRead + Unpin,
    output: OwnedWriteHalf,
) {
    let limits = daemon.config().limits.clone();
    let stopped = daemon.stopped();
    let input = BufReader::with_capacity(READ_BUFFER, input);
    let time = Duration::from_millis(limits.message_ms);
    let bounds = Bounds { size: limits.message_size, time, budget };
    let reader = tokio::select! {
        // Biased, here and below: a daemon that is stopping accepts no new messages.
        biased;
        () = stopped.cancelled() => return,
        reader = FrameReader::new(input, bounds) => reader,
    };
    let Ok(Some(mut reader)) = reader else { return };
    let closed = CancellationToken::new();
    let (outbound, writer) = Outbound::new(output, reader.framing, limits.unsent_output, closed.clone());
    let outbound = outbound.with_maps(maps.clone());
    let writer = tokio::spawn(writer.write());
    let mut dispatcher = Dispatcher::new(daemon.clone(), (peer, maps), outbound);
    let end = loop {
        // Many small messages may be buffered and handled without waiting. Yield to other connections
        // in between.
        tokio::task::consume_budget().await;
        let body = tokio::select! {
            biased;
            () = stopped.cancelled() => break End::Stopped,
            () = closed.cancelled() => break End::CutOff,
            body = dispatcher.run_until(reader.next()) => body,
        };
        let Some(body) = body else { break End::Exit };
        match body {
            Ok(Some(body)) => {
                if dispatcher.handle(body).await.is_break() {
                    break End::Exit;
                }
            }
            Ok(None) => break End::Left,
            Err(error) => {
                dispatcher.report_framing_error(&error);
                break End::Framing;
            }
        }
    };
    dispatcher.end(end).await;
    // Pending responses are still written, unless the client does not read.
    if end == End::CutOff {
        writer.abort();
    }
    let _ = tokio::time::timeout(GRACE, writer).await;
}

/// Reason for the end of a connection.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Left,
    /// The client has sent `exit`.
    Exit,
    Stopped,
    CutOff,
    Framing,
}

/// A request or notification, the size of its message in bytes, and the memory reserved for it.
struct Call {
    id: Option<Value>,
    method: String,
    params: Option<Value>,
    size: usize,
    reservation: Reservation,
    /// `true` if the client had already sent more data when the message was complete.
    followed: bool,
}

/// The response to a request, `None` for a notification, or else an error of the framework or a panic.
type Outcome = Result<Result<Option<Response>, ExitedError>, Box<dyn Any + Send>>;

/// Starts requests in the order of arrival.
struct Dispatcher {
    daemon: Daemon,
    role: Role,
    session: Arc<OnceLock<Arc<SessionContext>>>,
    service: LspService<Backend>,
    outbound: Outbound,
    running: JoinSet<()>,
    /// Requests that arrived while the maximum number of requests was running, in the order of arrival. The
    /// connection keeps reading while requests are queued, because running requests may wait for responses or
    /// notifications of an editor that arrive after the queued requests.
    backlog: VecDeque<Call>,
    /// The paths of a client in a container.
    maps: Option<PathMaps>,
    /// `true` after the client has sent `shutdown`. Further requests are refused.
    shut_down: bool,
}

impl Dispatcher {
    fn new(daemon: Daemon, (peer, maps): (Peer, Option<PathMaps>), outbound: Outbound) -> Self {
        let session = Arc::new(OnceLock::new());
        let sink = Arc::new(outbound.clone());
        let service = lsp::service(daemon.clone(), peer, sink, session.clone());
        let (running, backlog) = (JoinSet::new(), VecDeque::new());
        Self { daemon, role: peer.role, session, service, outbound, running, backlog, maps, shut_down: false }
    }

    /// Waits for a future and starts queued requests in the meantime. Returns `None` if the client has sent
    /// `exit`.
    async fn run_until<T>(&mut self, next: impl Future<Output = T>) -> Option<T> {
        let mut next = std::pin::pin!(next);
        loop {
            tokio::select! {
                biased;
                () = self.has_room(), if !self.backlog.is_empty() => {
                    if self.start_next().await.is_break() {
                        return None;
                    }
                }
                next = &mut next => return Some(next),
            }
        }
    }

    /// Handles one message. Breaks if the client has sent `exit`.
    async fn handle(&mut self, body: Body) -> ControlFlow<()> {
        let Body { bytes, reservation, followed } = body;
        let size = bytes.len();
        let permit = if size < LARGE { None } else { reservation.parse_permit().await };
        let parsed = run_sized(size, || self.converted(parse(&bytes)));
        drop((bytes, permit));
        match parsed {
            Ok(Message::Call { id, method, params }) => {
                return self.call(Call { id, method, params, size, reservation, followed }).await;
            }
            Ok(Message::Answer(answer)) => self.outbound.handle_response(answer),
            Err(Malformed { id, error }) => self.answer_error(&id, &error),
        }
        ControlFlow::Continue(())
    }

    /// Converts the paths of a client in a container.
    fn converted(&self, mut parsed: Result<Message, Malformed>) -> Result<Message, Malformed> {
        match (&self.maps, &mut parsed) {
            (Some(maps), Ok(Message::Call { params: Some(params), .. })) => maps.received(params),
            (Some(maps), Ok(Message::Answer(answer))) => maps.received(answer),
            _ => {}
        }
        parsed
    }

    /// Starts a call, or queues it after earlier calls.
    async fn call(&mut self, call: Call) -> ControlFlow<()> {
        let in_session = self.session.get().is_some();
        let stage = match (self.shut_down, in_session) {
            (true, _) => Stage::Over,
            (false, true) => Stage::Within,
            (false, false) => Stage::Before,
        };
        if let Some(refused) = refused(self.role, stage, &call.method, call.id.is_some()) {
            if let Some(id) = &call.id {
                self.answer_error(id, &refused);
            }
            return ControlFlow::Continue(());
        }
        self.shut_down |= in_session && call.id.is_some() && call.method == "shutdown";
        match &call.id {
            Some(id) if !self.backlog.is_empty() || self.is_full() => {
                if self.backlog.len() >= MAX_QUEUED && self.role == Role::Editor {
                    self.answer_error(id, &too_many());
                    return ControlFlow::Continue(());
                }
                // An agent sends nothing that a running request waits for, so reading can stop here.
                while self.backlog.len() >= MAX_QUEUED {
                    self.has_room().await;
                    self.start_next().await?;
                }
                self.backlog.push_back(Call { followed: true, ..call });
                ControlFlow::Continue(())
            }
            None if call.method == "exit" && !self.backlog.is_empty() => {
                self.drain().await;
                self.start(call).await
            }
            None if call.method == "$/cancelRequest"
                && let Some(removed) = self.remove_queued(call.params.as_ref()) =>
            {
                let id = removed.id.unwrap_or_default();
                self.answer_error(&id, &RpcError::new(Code::Cancelled, "The request was cancelled."));
                ControlFlow::Continue(())
            }
            _ => self.start(call).await,
        }
    }

    /// Removes and returns the queued request that a `$/cancelRequest` with these parameters refers to.
    fn remove_queued(&mut self, params: Option<&Value>) -> Option<Call> {
        let id = params?.get("id")?;
        let at = self.backlog.iter().position(|call| call.id.as_ref() == Some(id))?;
        self.backlog.remove(at)
    }

    /// Returns `true` if the maximum number of requests is running.
    fn is_full(&mut self) -> bool {
        while self.running.try_join_next().is_some() {}
        self.running.len() >= self.daemon.config().limits.requests_in_flight
    }

    /// Waits until another request may be started. Returns at the latest when no request is running, even if
    /// the limit is zero.
    async fn has_room(&mut self) {
        while self.is_full() && self.running.join_next().await.is_some() {}
    }

    /// Starts the first queued request.
    async fn start_next(&mut self) -> ControlFlow<()> {
        match self.backlog.pop_front() {
            Some(call) => self.start(call).await,
            None => ControlFlow::Continue(()),
        }
    }

    /// Starts all queued requests and waits for all running ones, for at most [`GRACE`].
    async fn drain(&mut self) {
        let all = async {
            while !self.backlog.is_empty() {
                self.has_room().await;
                if self.start_next().await.is_break() {
                    break;
                }
            }
            while self.running.join_next().await.is_some() {}
        };
        let _ = tokio::time::timeout(GRACE, all).await;
    }

    async fn start(&mut self, call: Call) -> ControlFlow<()> {
        let Call { id, method, params, size, reservation, followed } = call;
        let ready = std::future::poll_fn(|cx| self.service.poll_ready(cx)).await;
        if ready.is_err() {
            return ControlFlow::Break(());
        }
        let is_initialize = method == "initialize";
        let waits_inline = id.is_none() || is_initialize;
        let is_exit = method == "exit" && id.is_none();
        let request = lsp::request(id.clone(), method, params);
        let called = std::panic::catch_unwind(AssertUnwindSafe(|| self.service.call(request)));
        let Ok(called) = called else {
            if let Some(id) = &id {
                self.outbound.send_json(&panicked(id));
            }
            return ControlFlow::Continue(());
        };
        let mut running = AssertUnwindSafe(called).catch_unwind();
        if let Some(session) = self.session.get() {
            session.has_no_followers.store(!followed, Ordering::Relaxed);
        }
        // Polled once here, so that requests take their positions in the file lock queues in the order of
        // arrival. A no-op waker suffices, because the spawned task begins with another poll.
        let outcome = if waits_inline {
            Poll::Ready((&mut running).await)
        } else {
            run_sized(size, || running.poll_unpin(&mut Context::from_waker(Waker::noop())))
        };
        match outcome {
            Poll::Ready(outcome) => {
                let mut message = response_to(id, outcome);
                if let (true, Some(message), Some(session)) =
                    (is_initialize, &mut message, self.session.get())
                {
                    lsp::complete(message, session.abilities);
                }
                message.inspect(|message| self.outbound.send_json(message));
            }
            Poll::Pending => {
                let outbound = self.outbound.clone();
                self.running.spawn(async move {
                    response_to(id, running.await).inspect(|message| outbound.send_json(message));
                    // The message of the request stays in memory until here.
                    drop(reservation);
                });
            }
        }
        if is_exit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn answer_error(&self, id: &Value, error: &RpcError) {
        self.outbound.send_json(&error_message(id, error));
    }

    fn report_framing_error(&self, error: &FramingError) {
        // A client can cause any number of these.
        tracing::debug!(%error, "closing a connection: invalid framing");
        if !matches!(error, FramingError::Io(_) | FramingError::Truncated) {
            let error = RpcError::new(Code::InvalidRequest, format!("The connection ends: {error}."));
            self.answer_error(&Value::Null, &error);
        }
    }

    /// Ends all running requests. A change that is being written is always completed, because aborting a task
    /// does not interrupt blocking work.
    async fn end(mut self, end: End) {
        // Before the requests to the client fail: a change that waits for them must not find its documents open.
        if let Some(session) = self.session.get().filter(|_| self.role == Role::Editor) {
            self.daemon.take_back_documents(session);
        }
        self.outbound.cancel_requests();
        match end {
            End::CutOff => {}
            // Queued requests are not started.
            End::Stopped => {
                self.backlog.clear();
                self.drain().await;
            }
            // A client that closes its sending side may still read responses. If it is gone, its requests end.
            End::Left | End::Exit | End::Framing => {
                let outbound = self.outbound.clone();
                tokio::select! {
                    () = self.drain() => {}
                    () = outbound.client_is_gone() => {}
                }
            }
        }
        self.running.abort_all();
        let is_orderly = matches!(end, End::Exit | End::Stopped);
        if is_orderly && self.role == Role::Editor && self.session.get().is_some() {
            self.outbound.send_json(&goodbye());
        }
        if let Some(session) = self.session.get() {
            self.daemon.disconnect(session, self.shut_down);
        }
    }
}

/// Processes a message of the given size. A large message takes a while, so another thread serves other
/// connections in the meantime.
fn run_sized<T>(size: usize, work: impl FnOnce() -> T) -> T {
    if size < LARGE { work() } else { tokio::task::block_in_place(work) }
}

/// Returns the message that reports the outcome of a request, if the client expects one.
fn response_to(id: Option<Value>, outcome: Outcome) -> Option<Value> {
    match outcome {
        Ok(Ok(response)) => response.map(answer),
        Ok(Err(_)) => None,
        Err(_) => id.map(|id| panicked(&id)),
    }
}
