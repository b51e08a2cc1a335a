use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt};

/// Bytes of all header lines of a message together.
const HEADER_BYTES: usize = 4 << 10;
/// Header lines of a message.
const HEADER_LINES: usize = 16;

/// How messages are told apart, chosen by the first byte that a client sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    /// One JSON message a line.
    Lines,
    /// `Content-Length` headers, as in LSP.
    Headers,
}

/// Why a connection cannot go on: where the next message begins is unknown.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FramingError {
    #[error(transparent)]
    Io(#[from] std::io::Error),
    #[error("the connection ended in the middle of a message")]
    Truncated,
    #[error("the headers are longer than {HEADER_BYTES} bytes or {HEADER_LINES} lines")]
    Headers,
    #[error("`{0}` is no header")]
    NoHeader(String),
    #[error("there is no usable Content-Length")]
    ContentLength,
    #[error("a message has more than {0} bytes")]
    TooLarge(usize),
}

/// Reads messages of at most a given size.
#[derive(Debug)]
pub(crate) struct FrameReader<R> {
    input: R,
    framing: Framing,
    limit: usize,
}

impl<R: AsyncBufRead + Unpin> FrameReader<R> {
    /// Waits for the client's first byte. None if it never sends one.
    pub(crate) async fn new(mut input: R, limit: usize) -> std::io::Result<Option<Self>> {
        let first = input.fill_buf().await?.first().copied();
        let framing = |first| if first == b'{' { Framing::Lines } else { Framing::Headers };
        Ok(first.map(|first| Self { input, framing: framing(first), limit }))
    }

    pub(crate) fn framing(&self) -> Framing {
        self.framing
    }

    /// The next message's body; none at the end of the input.
    pub(crate) async fn next(&mut self) -> Result<Option<Vec<u8>>, FramingError> {
        match self.framing {
            Framing::Lines => self.next_line().await,
            Framing::Headers => self.next_with_headers().await,
        }
    }

    /// The next line that is not blank.
    async fn next_line(&mut self) -> Result<Option<Vec<u8>>, FramingError> {
        loop {
            let mut line = Vec::new();
            // One byte over the limit shows that it is exceeded.
            let limit = self.limit as u64 + 1;
            let read = (&mut self.input).take(limit).read_until(b'\n', &mut line).await?;
            if read == 0 {
                return Ok(None);
            }
            if line.last() != Some(&b'\n') && read as u64 == limit {
                return Err(FramingError::TooLarge(self.limit));
            }
            line.truncate(line.trim_ascii_end().len());
            if !line.is_empty() {
                return Ok(Some(line));
            }
        }
    }

    async fn next_with_headers(&mut self) -> Result<Option<Vec<u8>>, FramingError> {
        let Some(length) = self.content_length().await? else { return Ok(None) };
        if length > self.limit {
            return Err(FramingError::TooLarge(self.limit));
        }
        // The vector grows as bytes arrive: a client that only claims a length costs nothing.
        let mut body = Vec::with_capacity(length.min(64 << 10));
        let read = (&mut self.input).take(length as u64).read_to_end(&mut body).await?;
        if read < length {
            return Err(FramingError::Truncated);
        }
        Ok(Some(body))
    }

    async fn content_length(&mut self) -> Result<Option<usize>, FramingError> {
        let (mut used, mut length) = (0, None);
        for count in 0..HEADER_LINES {
            let Some(line) = self.header_line(&mut used).await? else {
                return if count == 0 { Ok(None) } else { Err(FramingError::Truncated) };
            };
            if line.is_empty() {
                return length.map(Some).ok_or(FramingError::ContentLength);
            }
            let Some((name, value)) = line.split_once(':') else { return Err(FramingError::NoHeader(line)) };
            if name.trim().eq_ignore_ascii_case("content-length") {
                let number = decimal(value.trim()).ok_or(FramingError::ContentLength)?;
                if length.replace(number).is_some() {
                    return Err(FramingError::ContentLength);
                }
            } else if !is_header_name(name) {
                return Err(FramingError::NoHeader(line));
            }
        }
        Err(FramingError::Headers)
    }

    async fn header_line(&mut self, used: &mut usize) -> Result<Option<String>, FramingError> {
        let mut line = Vec::new();
        let room = (HEADER_BYTES - *used) as u64;
        let read = (&mut self.input).take(room).read_until(b'\n', &mut line).await?;
        *used += read;
        if line.last() == Some(&b'\n') {
            let line = String::from_utf8_lossy(line.trim_ascii_end()).into_owned();
            return Ok(Some(line));
        }
        match read {
            0 if room > 0 => Ok(None),
            _ if *used >= HEADER_BYTES => Err(FramingError::Headers),
            _ => Err(FramingError::Truncated),
        }
    }
}

fn decimal(text: &str) -> Option<usize> {
    (!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok()).flatten()
}

fn is_header_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// A message as it goes over the wire.
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
    use super::*;

    async fn read_all(input: &[u8]) -> Result<Vec<String>, FramingError> {
        let mut reader = FrameReader::new(input, 64).await?.expect("some input");
        let mut bodies = Vec::new();
        while let Some(body) = reader.next().await? {
            bodies.push(String::from_utf8(body).unwrap());
        }
        Ok(bodies)
    }

    #[tokio::test]
    async fn both_framings_are_read() {
        assert_eq!(read_all(b"{\"a\":1}\n\r\n{}\r\n{}").await.unwrap(), ["{\"a\":1}", "{}", "{}"]);
        let headers = b"content-LENGTH: 2\r\n\r\n{}Content-Type: x; charset=y\nContent-Length:3\n\nabc";
        assert_eq!(read_all(headers).await.unwrap(), ["{}", "abc"]);
    }

    #[tokio::test]
    async fn framing_that_cannot_be_trusted_is_an_error() {
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
