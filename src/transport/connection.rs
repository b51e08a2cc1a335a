//! One connection, from its first byte to its end.
//!
//! Three tasks at most stand behind it: the one that runs [`serve`] reads messages and starts requests in
//! the order of arrival, one writes what is to be sent, and requests that have to wait go on in tasks of
//! their own. Where too many of those are under way, further requests wait in a line; answers and notifications
//! are read on, because those under way may need them. A malformed body or a panic costs one answer; framing that cannot be trusted, or a client
//! that does not read, costs the connection; nothing that happens here costs another connection anything.

use std::ops::ControlFlow;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use futures_util::{FutureExt, StreamExt};
use serde_json::{Value, json};
use tokio::io::{AsyncRead, BufReader};
use tokio::net::unix::OwnedWriteHalf;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tower::Service;
use tower_lsp::jsonrpc::Response;
use tower_lsp::{ClientSocket, LspService};

use crate::daemon::{Daemon, SessionContext};
use crate::protocol::{Code, RpcError};
use crate::workspace::Role;

use super::backlog::{Backlog, Call};
use super::framing::{Body, Bounds, FrameReader, FramingError};
use super::gate::{self, Stage};
use super::intake::{Room, Share};
use super::lsp::{self, Backend};
use super::message::{Malformed, Message, answer, error_message, goodbye, panicked, parse, too_many};
use super::outbound::Outbound;

/// How much is read from the socket at a time. Every open connection keeps as much, however quiet it is.
const READ_BUFFER: usize = 16 << 10;
/// From this size on, in bytes, a message is taken apart while another thread serves other connections.
const LARGE: usize = 256 << 10;
/// How long requests under way may take to end when the daemon does.
const GRACE: Duration = Duration::from_secs(10);

/// Serves a client until it leaves, the daemon ends, or its framing cannot be trusted any more.
pub(crate) async fn serve(
    daemon: Daemon,
    role: Role,
    share: Share,
    input: impl AsyncRead + Unpin,
    output: OwnedWriteHalf,
) {
    let limits = daemon.config().limits.clone();
    let stopped = daemon.stopped();
    let input = BufReader::with_capacity(READ_BUFFER, input);
    let time = Duration::from_millis(limits.message_ms);
    let bounds = Bounds { size: limits.message_size, time, share };
    let reader = tokio::select! {
        // In this order, here and below: a daemon that ends answers nobody new.
        biased;
        () = stopped.cancelled() => return,
        reader = FrameReader::new(input, bounds) => reader,
    };
    let Ok(Some(mut reader)) = reader else { return };
    let closed = CancellationToken::new();
    let (outbound, unsent) = Outbound::new(output, reader.framing(), limits.unsent_output, closed.clone());
    let writer = tokio::spawn(unsent.write());
    let mut dispatcher = Dispatcher::new(daemon.clone(), role, outbound);
    let end = loop {
        // Many small messages can be there at a time, and answered without waiting for anything: others have
        // their turn in between.
        tokio::task::consume_budget().await;
        let body = tokio::select! {
            biased;
            () = stopped.cancelled() => break End::Stopped,
            () = closed.cancelled() => break End::CutOff,
            body = dispatcher.work_until(reader.next()) => body,
        };
        let Some(body) = body else { break End::Exit };
        match body {
            Ok(Some(body)) => {
                if dispatcher.take(body).await.is_break() {
                    break End::Exit;
                }
            }
            Ok(None) => break End::Left,
            Err(error) => {
                dispatcher.complain(&error);
                break End::Framing;
            }
        }
    };
    dispatcher.end(end).await;
    // What was answered is still written, unless the client does not read.
    if end == End::CutOff {
        writer.abort();
    }
    let _ = tokio::time::timeout(GRACE, writer).await;
}

/// Why a connection ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Left,
    /// The client has said `exit`.
    Exit,
    Stopped,
    CutOff,
    Framing,
}

/// Starts requests in the order of arrival.
struct Dispatcher {
    daemon: Daemon,
    role: Role,
    session: Arc<OnceLock<Arc<SessionContext>>>,
    service: LspService<Backend>,
    /// Drains what the framework itself wants to send; nothing so far.
    requests: tokio::task::JoinHandle<()>,
    outbound: Outbound,
    running: JoinSet<()>,
    backlog: Backlog,
    /// Whether the client has said `shutdown`: from then on, whatever comes is refused.
    shut_down: bool,
}

impl Dispatcher {
    fn new(daemon: Daemon, role: Role, outbound: Outbound) -> Self {
        let session = Arc::new(OnceLock::new());
        let outlet = Arc::new(outbound.clone());
        let (service, socket) = lsp::service(daemon.clone(), role, outlet, session.clone());
        let requests = tokio::spawn(forward(socket, outbound.clone()));
        let (running, backlog) = (JoinSet::new(), Backlog::default());
        Self { daemon, role, session, service, requests, outbound, running, backlog, shut_down: false }
    }

    /// Waits for something, and meanwhile starts what is in line. None if the client has said `exit`.
    async fn work_until<T>(&mut self, next: impl Future<Output = T>) -> Option<T> {
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

    /// Handles one message. Breaks when the client has said `exit`.
    async fn take(&mut self, body: Body) -> ControlFlow<()> {
        let Body { bytes, room, followed } = body;
        let size = bytes.len();
        let turn = if size < LARGE { None } else { room.turn_to_take_apart().await };
        let parsed = aside(size, || parse(&bytes));
        drop((bytes, turn));
        match parsed {
            Ok(Message::Call { id, method, params }) => {
                self.call(Call { id, method, params, size, room, followed }).await
            }
            Ok(Message::Answer(answer)) => {
                self.outbound.answered(answer);
                ControlFlow::Continue(())
            }
            Err(Malformed { id, error }) => {
                self.answer_error(&id, &error);
                ControlFlow::Continue(())
            }
        }
    }

    /// Starts a call, or puts it in line behind those that came before it.
    async fn call(&mut self, call: Call) -> ControlFlow<()> {
        let in_session = self.session.get().is_some();
        let stage = match (self.shut_down, in_session) {
            (true, _) => Stage::Over,
            (false, true) => Stage::Within,
            (false, false) => Stage::Before,
        };
        if let Some(refused) = gate::refused(self.role, stage, &call) {
            if let Some(id) = &call.id {
                self.answer_error(id, &refused);
            }
            return ControlFlow::Continue(());
        }
        self.shut_down |= in_session && call.id.is_some() && call.method == "shutdown";
        match &call.id {
            Some(id) if !self.backlog.is_empty() || self.is_full() => {
                if self.backlog.is_full() && self.role == Role::Editor {
                    self.answer_error(id, &too_many());
                    return ControlFlow::Continue(());
                }
                // Of an agent nothing is read that others wait for.
                while self.backlog.is_full() {
                    self.has_room().await;
                    self.start_next().await?;
                }
                self.backlog.push(Call { followed: true, ..call });
                ControlFlow::Continue(())
            }
            None if call.method == "exit" && !self.backlog.is_empty() => {
                self.work_off().await;
                self.start(call).await
            }
            None if call.method == "$/cancelRequest" => match self.backlog.cancel(call.params.as_ref()) {
                Some(taken_out) => {
                    let id = taken_out.id.unwrap_or_default();
                    self.answer_error(&id, &RpcError::new(Code::Cancelled, "The request was cancelled."));
                    ControlFlow::Continue(())
                }
                None => self.start(call).await,
            },
            _ => self.start(call).await,
        }
    }

    /// Whether no more requests may be under way.
    fn is_full(&mut self) -> bool {
        while self.running.try_join_next().is_some() {}
        self.running.len() >= self.daemon.config().limits.requests_in_flight
    }

    /// Waits until one more request may be under way; ends when none is, even if the limit were none.
    async fn has_room(&mut self) {
        while self.is_full() && self.running.join_next().await.is_some() {}
    }

    /// Starts what is first in line.
    async fn start_next(&mut self) -> ControlFlow<()> {
        match self.backlog.pop() {
            Some(call) => self.start(call).await,
            None => ControlFlow::Continue(()),
        }
    }

    /// Starts all that is in line, and waits for all that is under way; not for ever.
    async fn work_off(&mut self) {
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
        let Call { id, method, params, size, room, followed } = call;
        let ready = std::future::poll_fn(|cx| self.service.poll_ready(cx)).await;
        if ready.is_err() {
            return ControlFlow::Break(());
        }
        let is_introduction = method == "initialize";
        let waits_inline = id.is_none() || is_introduction;
        let is_exit = method == "exit" && id.is_none();
        let request = lsp::request(id.clone(), method, params);
        let called = std::panic::catch_unwind(AssertUnwindSafe(|| self.service.call(request)));
        let Ok(called) = called else {
            self.answer_panic(id);
            return ControlFlow::Continue(());
        };
        let mut running = Box::pin(AssertUnwindSafe(called).catch_unwind());
        if let Some(session) = self.session.get() {
            session.alone.store(!followed, Ordering::Relaxed);
        }
        // Polled once right here, so that requests take their places in the order of arrival. Nobody has to be
        // woken for the next time: a task of its own begins with that.
        let outcome = if waits_inline {
            Poll::Ready(running.as_mut().await)
        } else {
            aside(size, || running.as_mut().poll(&mut Context::from_waker(Waker::noop())))
        };
        match outcome {
            Poll::Ready(Ok(Ok(Some(response)))) if is_introduction => self.introduced(response),
            Poll::Ready(Ok(Ok(Some(response)))) => self.outbound.send_json(&answer(response)),
            Poll::Ready(Ok(Ok(None) | Err(_))) => {}
            Poll::Ready(Err(_)) => self.answer_panic(id),
            Poll::Pending => self.spawn(id, running, room),
        }
        if is_exit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Lets a request go on by itself.
    fn spawn<F, E, P>(&mut self, id: Option<Value>, running: F, room: Room)
    where
        F: Future<Output = Result<Result<Option<Response>, E>, P>> + Send + 'static,
        E: Send + 'static,
        P: Send + 'static,
    {
        let outbound = self.outbound.clone();
        self.running.spawn(async move {
            match running.await {
                Ok(Ok(Some(response))) => outbound.send_json(&answer(response)),
                Ok(Ok(None) | Err(_)) => {}
                Err(_) => outbound.send_json(&panicked(id)),
            }
            // What came with the request is in memory until here.
            drop(room);
        });
    }

    /// Answers an `initialize`.
    fn introduced(&self, response: Response) {
        let mut answer = answer(response);
        if let Some(session) = self.session.get() {
            lsp::complete(&mut answer, session.abilities);
        }
        self.outbound.send_json(&answer);
    }

    fn answer_error(&self, id: &Value, error: &RpcError) {
        self.outbound.send_json(&error_message(id, error));
    }

    fn answer_panic(&self, id: Option<Value>) {
        if id.is_some() {
            self.outbound.send_json(&panicked(id));
        }
    }

    fn complain(&self, error: &FramingError) {
        tracing::info!(%error, "a connection ends: its framing cannot be trusted");
        if !matches!(error, FramingError::Io(_) | FramingError::Truncated) {
            let error = RpcError::new(Code::InvalidRequest, format!("The connection ends: {error}."));
            self.answer_error(&Value::Null, &error);
        }
    }

    /// Ends what still runs. A change that is being written is finished in any case: it runs on a thread.
    async fn end(mut self, end: End) {
        self.outbound.end_questions();
        match end {
            End::CutOff => {}
            // Nothing is begun any more.
            End::Stopped => {
                let drain = async { while self.running.join_next().await.is_some() {} };
                let _ = tokio::time::timeout(GRACE, drain).await;
            }
            // A client that closes its sending side may still read its answers.
            End::Left | End::Exit | End::Framing => self.work_off().await,
        }
        self.running.abort_all();
        self.requests.abort();
        let is_orderly = matches!(end, End::Exit | End::Stopped);
        if is_orderly && self.role == Role::Editor && self.session.get().is_some() {
            self.outbound.send_json(&goodbye());
        }
        if let Some(session) = self.session.get() {
            self.daemon.disconnect(session.id);
        }
    }
}

/// Works on a message of so many bytes. A large one takes a while, and other connections have their turn
/// meanwhile.
fn aside<T>(size: usize, work: impl FnOnce() -> T) -> T {
    if size < LARGE { work() } else { tokio::task::block_in_place(work) }
}

async fn forward(mut socket: ClientSocket, outbound: Outbound) {
    while let Some(request) = socket.next().await {
        outbound.send_json(&json!(request));
    }
}
