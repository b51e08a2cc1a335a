//! Requests over plain TCP to servers on the loopback interface.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;

use serde_json::Value;

use super::PATIENCE;

/// An answer.
#[derive(Debug)]
pub(crate) struct HttpAnswer {
    pub(crate) status: u16,
    pub(crate) headers: String,
    pub(crate) body: String,
}

impl HttpAnswer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let lines = self.headers.lines().filter_map(|line| line.split_once(": "));
        lines.filter(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value).next()
    }

    /// Asserts that the request was refused with one sentence.
    #[track_caller]
    pub(crate) fn is_refused(&self, status: u16, words: &str) {
        assert_eq!(self.status, status, "{self:?}");
        assert!(self.body.contains(words) && self.body.trim_end().lines().count() == 1, "{self:?}");
    }
}

pub(crate) fn connect(port: u16) -> TcpStream {
    let stream = TcpStream::connect(("127.0.0.1", port)).expect("a connection");
    stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    stream
}

/// Sends bytes and returns the answer.
pub(crate) fn send(port: u16, request: &[u8]) -> HttpAnswer {
    let mut stream = connect(port);
    // The server may refuse the request before it has arrived completely.
    let _ = stream.write_all(request);
    receive(&mut stream)
}

/// Sends a request of a method to a path, with these headers besides `Host`.
pub(crate) fn request(
    port: u16,
    (method, path): (&str, &str),
    headers: &[(&str, &str)],
    body: &str,
) -> HttpAnswer {
    let named: String = headers.iter().map(|(name, value)| [name, ": ", value, "\r\n"].concat()).collect();
    let length = body.len();
    let text = format!(
        "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{named}Content-Length: {length}\r\n\
         Connection: close\r\n\r\n{body}"
    );
    send(port, text.as_bytes())
}

/// Reads an answer until the connection ends.
pub(crate) fn receive(stream: &mut TcpStream) -> HttpAnswer {
    let mut bytes = Vec::new();
    // A connection that is reset has delivered its answer before.
    let _ = stream.read_to_end(&mut bytes);
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or_default();
    HttpAnswer { status, headers: head.to_owned(), body: body.to_owned() }
}

/// Reads the stream of events up to one that contains a text, and returns its data.
pub(crate) fn event(events: &mut BufReader<TcpStream>, name: &str, contains: &str) -> Value {
    let mut current = String::new();
    loop {
        let mut line = String::new();
        assert!(events.read_line(&mut line).expect("an event") > 0, "the stream has ended");
        if let Some(event) = line.trim_end().strip_prefix("event: ") {
            event.clone_into(&mut current);
        }
        if let Some(data) = line.trim_end().strip_prefix("data: ")
            && current == name
            && data.contains(contains)
        {
            return serde_json::from_str(data).expect("JSON");
        }
    }
}
