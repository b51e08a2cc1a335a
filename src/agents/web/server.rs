//! The listener, its connections, and their limits.

use std::io;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use axum::{Router, middleware};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use editd_disk::limit_unread;

use super::{access, headers};

/// Pause after a connection could not be accepted, for example because too many files are open.
const PAUSE: Duration = Duration::from_millis(100);
/// Time that open connections have to end after the server was stopped.
const GRACE: Duration = Duration::from_secs(1);

/// Limits of a server against clients that are not its own.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Number of connections at the same time. Further ones wait until one ends.
    pub connections: usize,
    /// Time for the first line and the headers of a request to arrive, also after an earlier request.
    pub header_time: Duration,
    /// Size of the first line and the headers of a request together, at least 8 KiB.
    pub header_bytes: usize,
    /// Number of headers of a request.
    pub headers: usize,
    /// Time after which a client that does not read its answer is disconnected.
    pub unread_time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 64,
            header_time: Duration::from_secs(5),
            header_bytes: 16 * 1024,
            headers: 64,
            unread_time: Duration::from_secs(20),
        }
    }
}

/// A listener on the loopback interface, with a port that was free.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    port: u16,
}

impl Server {
    /// Binds a free port. Connections wait until [`serve`](Self::serve) accepts them.
    pub async fn bind() -> io::Result<Self> {
        Self::bind_to(0).await
    }

    /// Binds this port, or a free one if it is 0. Connections wait until [`serve`](Self::serve) accepts them.
    pub async fn bind_to(port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        let port = listener.local_addr()?.port();
        Ok(Self { listener, port })
    }

    /// Returns the port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Serves the routes until `shutdown` is cancelled, then ends all connections.
    ///
    /// An answer that streams must end with `shutdown`, or it is cut off after a second.
    pub async fn serve(self, router: Router, limits: &Limits, shutdown: &CancellationToken) {
        let router = router
            .layer(middleware::from_fn_with_state(self.port, access::check))
            .layer(middleware::from_fn(headers::secure));
        let (slots, open) = (Arc::new(Semaphore::new(limits.connections)), TaskTracker::new());
        let cut_off = CancellationToken::new();
        loop {
            let accepted = tokio::select! {
                () = shutdown.cancelled() => break,
                accepted = self.accept(&slots) => accepted,
            };
            let Some((stream, slot)) = accepted else {
                sleep(PAUSE).await;
                continue;
            };
            let connection = connection(stream, router.clone(), *limits, shutdown.clone());
            let cut_off = cut_off.clone();
            open.spawn(async move {
                cut_off.run_until_cancelled(connection).await;
                drop(slot);
            });
        }
        drop(self.listener);
        open.close();
        if timeout(GRACE, open.wait()).await.is_err() {
            cut_off.cancel();
            open.wait().await;
        }
    }

    /// Waits for a slot and then for a connection, so that connections beyond the limit stay in the kernel.
    async fn accept(&self, slots: &Arc<Semaphore>) -> Option<(TcpStream, tokio::sync::OwnedSemaphorePermit)> {
        let slot = slots.clone().acquire_owned().await.ok()?;
        let (stream, _) = self.listener.accept().await.ok()?;
        Some((stream, slot))
    }
}

/// Serves one connection until it ends.
async fn connection(stream: TcpStream, router: Router, limits: Limits, shutdown: CancellationToken) {
    // Answers are written at once, and events are small. Without these options it works, too.
    let _ = stream.set_nodelay(true);
    let unread = u32::try_from(limits.unread_time.as_millis()).unwrap_or(u32::MAX);
    limit_unread(&stream, unread);
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(limits.header_time)
        .max_buf_size(limits.header_bytes)
        .max_headers(limits.headers);
    let service = TowerToHyperService::new(router);
    let served = builder.serve_connection(TokioIo::new(stream), service).with_upgrades();
    let mut served = std::pin::pin!(served);
    // An error means that the client is gone or was disconnected because of a limit.
    tokio::select! {
        _ = served.as_mut() => return,
        () = shutdown.cancelled() => {}
    }
    served.as_mut().graceful_shutdown();
    let _ = served.await;
}
