use std::time::Duration;

use futures_util::FutureExt;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt};
use tokio::time::{Instant, timeout_at};

use super::limits::{MemoryBudget, Reservation};

/// Maximum size of all headers of a message, in bytes.
const HEADER_BYTES: usize = 4 << 10;
/// Maximum number of headers of a message.
const HEADER_LINES: usize = 16;
/// Minimum amount by which the buffer of a body grows, in bytes.
const BODY_STEP: usize = 64 << 10;

/// Framing of messages, detected from the first byte that a client sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    /// JSON messages, separated by newlines.
    Lines,
    /// `Content-Length` headers, as in LSP.
    Headers,
}

/// An error after which the beginning of the next message is unknown, so that the connection must be closed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FramingError {
    #[error(transparent)]
    Io(#[from] std::io::Error),
    #[error("the connection ended in the middle of a message")]
    Truncated,
    #[error("the headers are longer than {HEADER_BYTES} bytes or {HEADER_LINES} lines")]
    Headers,
    #[error("`{0}` is not a header")]
    InvalidHeader(String),
    #[error("there is no usable Content-Length")]
    ContentLength,
    #[error("a message has more than {0} bytes")]
    TooLarge(usize),
    #[error("a message was not complete after {0:?}")]
    TooSlow(Duration),
}

/// Reads messages within [`Bounds`].
#[derive(Debug)]
pub(crate) struct FrameReader<R> {
    input: R,
    pub(crate) framing: Framing,
    bounds: Bounds,
}

/// Limits for every message of a connection.
#[derive(Clone, Debug)]
pub(crate) struct Bounds {
    /// Maximum size of a message, in bytes.
    pub(crate) size: usize,
    /// Maximum time from the first to the last byte of a message.
    pub(crate) time: Duration,
    /// Memory budget for messages.
    pub(crate) budget: MemoryBudget,
}

/// The body of a message, with its memory reservation, which is held until the message is processed.
#[derive(Debug)]
pub(crate) struct Body {
    pub(crate) bytes: Vec<u8>,
    pub(crate) reservation: Reservation,
    /// `true` if the client had already sent more data when the body was complete.
    pub(crate) followed: bool,
}

/// Deadline for a message whose first byte has arrived.
#[derive(Debug, Default)]
struct Deadline(Option<Instant>);

impl Deadline {
    /// Waits for input within the deadline. The time starts at the first byte of a message, so a client may
    /// be silent between messages indefinitely.
    async fn within<T>(
        &mut self,
        bounds: &Bounds,
        coming: impl Future<Output = std::io::Result<T>>,
    ) -> Result<T, FramingError> {
        let come = match self.0 {
            Some(deadline) => {
                timeout_at(deadline, coming).await.map_err(|_| FramingError::TooSlow(bounds.time))?
            }
            None => coming.await,
        };
        self.0.get_or_insert_with(|| Instant::now() + bounds.time);
        Ok(come?)
    }

    /// Reserves memory, and extends the deadline by the waiting time, which the client is not responsible
    /// for.
    async fn reserve(&mut self, reservation: &mut Reservation, bytes: usize) {
        let waited = reservation.reserve(bytes).await;
        self.0 = self.0.map(|deadline| deadline + waited);
    }
}

impl<R: AsyncBufRead + Unpin> FrameReader<R> {
    /// Waits for the client's first byte. Returns `None` if the client never sends one.
    pub(crate) async fn new(mut input: R, bounds: Bounds) -> std::io::Result<Option<Self>> {
        let first = input.fill_buf().await?.first().copied();
        let framing = |first| if first == b'{' { Framing::Lines } else { Framing::Headers };
        Ok(first.map(|first| Self { input, framing: framing(first), bounds }))
    }

    /// Reads the body of the next message. Returns `None` at the end of the input.
    pub(crate) async fn next(&mut self) -> Result<Option<Body>, FramingError> {
        let mut body = match self.framing {
            Framing::Lines => self.next_line().await,
            Framing::Headers => self.next_with_headers().await,
        }?;
        if let Some(body) = &mut body {
            body.followed = self.input.fill_buf().now_or_never().is_some();
        }
        Ok(body)
    }

    /// Reads the next non-blank line.
    async fn next_line(&mut self) -> Result<Option<Body>, FramingError> {
        loop {
            let (mut line, mut reservation, mut deadline) =
                (Vec::new(), self.bounds.budget.reservation(), Deadline::default());
            while line.last() != Some(&b'\n') {
                let more = deadline.within(&self.bounds, self.input.fill_buf()).await?;
                if more.is_empty() {
                    break;
                }
                let end = memchr::memchr(b'\n', more);
                let taken = end.map_or(more.len(), |at| at + 1);
                if line.len() + taken - usize::from(end.is_some()) > self.bounds.size {
                    return Err(FramingError::TooLarge(self.bounds.size));
                }
                deadline.reserve(&mut reservation, line.len() + taken).await;
                line.extend_from_slice(&more[..taken]);
                self.input.consume(taken);
            }
            if line.is_empty() {
                return Ok(None);
            }
            line.truncate(line.trim_ascii_end().len());
            if !line.is_empty() {
                return Ok(Some(Body { bytes: line, reservation, followed: false }));
            }
        }
    }

    async fn next_with_headers(&mut self) -> Result<Option<Body>, FramingError> {
        let mut deadline = Deadline::default();
        let Some(length) = self.content_length(&mut deadline).await? else { return Ok(None) };
        if length > self.bounds.size {
            return Err(FramingError::TooLarge(self.bounds.size));
        }
        let (mut bytes, mut reservation) = (Vec::new(), self.bounds.budget.reservation());
        while bytes.len() < length {
            // Memory is reserved as bytes arrive: a client that only announces a length costs nothing.
            let step = (length - bytes.len()).min(bytes.len().max(BODY_STEP));
            deadline.reserve(&mut reservation, bytes.len() + step).await;
            bytes.reserve_exact(step);
            let mut coming = (&mut self.input).take(step as u64);
            if deadline.within(&self.bounds, coming.read_buf(&mut bytes)).await? == 0 {
                return Err(FramingError::Truncated);
            }
        }
        Ok(Some(Body { bytes, reservation, followed: false }))
    }

    async fn content_length(&mut self, deadline: &mut Deadline) -> Result<Option<usize>, FramingError> {
        let (mut used, mut length) = (0, None);
        for count in 0..HEADER_LINES {
            let Some(line) = self.header_line(&mut used, deadline).await? else {
                return if count == 0 { Ok(None) } else { Err(FramingError::Truncated) };
            };
            if line.is_empty() {
                return length.map(Some).ok_or(FramingError::ContentLength);
            }
            let Some((name, value)) = line.split_once(':') else {
                return Err(FramingError::InvalidHeader(line));
            };
            if name.trim().eq_ignore_ascii_case("content-length") {
                // `parse` alone would accept a sign.
                let number = value.trim().parse().ok().filter(|_| !value.trim().starts_with('+'));
                let number = number.ok_or(FramingError::ContentLength)?;
                if length.replace(number).is_some() {
                    return Err(FramingError::ContentLength);
                }
            } else if !is_header_name(name) {
                return Err(FramingError::InvalidHeader(line));
            }
        }
        Err(FramingError::Headers)
    }

    async fn header_line(
        &mut self,
        used: &mut usize,
        deadline: &mut Deadline,
    ) -> Result<Option<String>, FramingError> {
        let mut line = Vec::new();
        while line.last() != Some(&b'\n') {
            if *used == HEADER_BYTES {
                return Err(FramingError::Headers);
            }
            let more = deadline.within(&self.bounds, self.input.fill_buf()).await?;
            if more.is_empty() {
                return if line.is_empty() { Ok(None) } else { Err(FramingError::Truncated) };
            }
            let more = &more[..more.len().min(HEADER_BYTES - *used)];
            let taken = memchr::memchr(b'\n', more).map_or(more.len(), |at| at + 1);
            line.extend_from_slice(&more[..taken]);
            self.input.consume(taken);
            *used += taken;
        }
        Ok(Some(String::from_utf8_lossy(line.trim_ascii_end()).into_owned()))
    }
}

fn is_header_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// Adds the framing to a message body.
pub(crate) fn framed(mut body: Vec<u8>, framing: Framing) -> Vec<u8> {
    match framing {
        Framing::Lines => {
            body.push(b'\n');
            body
        }
        Framing::Headers => {
            let mut message = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
            message.append(&mut body);
            message
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::limits::MemoryBudget;
    use super::*;

    async fn read_all(input: &[u8]) -> Result<Vec<String>, FramingError> {
        let bounds =
            Bounds { size: 64, time: Duration::from_secs(60), budget: MemoryBudget::new(0).connection() };
        let mut reader = FrameReader::new(input, bounds).await?.expect("some input");
        let mut bodies = Vec::new();
        while let Some(body) = reader.next().await? {
            bodies.push(String::from_utf8(body.bytes).unwrap());
        }
        Ok(bodies)
    }

    #[tokio::test]
    async fn both_framings_are_supported() {
        assert_eq!(read_all(b"{\"a\":1}\n\r\n{}\r\n{}").await.unwrap(), ["{\"a\":1}", "{}", "{}"]);
        let headers = b"content-LENGTH: 2\r\n\r\n{}Content-Type: x; charset=y\nContent-Length:3\n\nabc";
        assert_eq!(read_all(headers).await.unwrap(), ["{}", "abc"]);
    }

    #[tokio::test]
    async fn invalid_framing_is_an_error() {
        let long_line = format!("{{{}", "x".repeat(100));
        let long_header = format!("X: {}", "y".repeat(5000));
        let many = "X: y\r\n".repeat(20);
        for input in [
            "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
            "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
            "Content-Length: -2\r\n\r\n{}",
            "Content-Length: 0x2\r\n\r\n{}",
            "Content-Length: \r\n\r\n{}",
            "Content-Length: 65\r\n\r\n{}",
            "Content-Length: 99999999999999999999999\r\n\r\n{}",
            "Content-Type: x\r\n\r\n{}",
            "Content-Length: 9\r\n\r\n{}",
            "Content-Le",
            &long_line,
            &long_header,
            &many,
        ] {
            assert!(read_all(input.as_bytes()).await.is_err(), "{input}");
        }
    }
}
