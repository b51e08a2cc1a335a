//! MCP transport over the standard streams, with one JSON message per line.

use std::fmt::Display;
use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, ErrorCode, ErrorData, JsonObject, RequestId, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::io::{AsyncWriteExt, Stdout};
use tokio::sync::{Mutex, mpsc};
use tokio_util::sync::CancellationToken;

use editd_protocol::Strict;

use super::coerce::without_nulls;

/// Maximum size of a message, in bytes. Even with additional escapes it fits in a message to the daemon.
const LINE: usize = 64 << 20;
/// First revision of the protocol.
const FIRST_REVISION: &str = "2024-11-05";
/// Maximum number of messages to read ahead.
const READ_AHEAD: usize = 16;

/// A line of input.
enum Line {
    Complete(Vec<u8>),
    TooLong,
}

/// The standard streams. Clones share them.
#[derive(Clone)]
pub(super) struct Stdio {
    lines: Arc<Mutex<mpsc::Receiver<Line>>>,
    output: Arc<Mutex<Stdout>>,
}

impl Stdio {
    /// Starts to read. Cancels `ending` when the client closes its sending side.
    pub(super) fn start(ending: CancellationToken) -> io::Result<Self> {
        let (sender, lines) = mpsc::channel(READ_AHEAD);
        // The thread ends with the process: a read from a silent client cannot be interrupted.
        std::thread::Builder::new().name("client".to_owned()).spawn(move || {
            let mut input = BufReader::new(io::stdin());
            while let Ok(Some(line)) = read_line(&mut input) {
                if sender.blocking_send(line).is_err() {
                    break;
                }
            }
            ending.cancel();
        })?;
        let output = Arc::new(Mutex::new(tokio::io::stdout()));
        Ok(Self { lines: Arc::new(Mutex::new(lines)), output })
    }
}

impl Transport<RoleServer> for Stdio {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        let output = self.output.clone();
        async move { write_line(&output, serde_json::to_vec(&message)?).await }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            let line = self.lines.lock().await.recv().await?;
            let parsed = match line {
                Line::Complete(line) => parse(&line),
                Line::TooLong => Err(malformed(format!("it is longer than {LINE} bytes"), None)),
            };
            let (error, id) = match parsed {
                Ok(Some(message)) => return Some(message),
                Ok(None) => continue,
                Err(mistake) => mistake,
            };
            let answer = serde_json::json!({ "jsonrpc": "2.0", "id": id, "error": error });
            let output = self.output.clone();
            // Written in a separate task, because this future may be dropped in the middle of a line.
            tokio::spawn(async move { write_line(&output, answer.to_string().into_bytes()).await });
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.output.lock().await.flush().await
    }
}

async fn write_line(output: &Mutex<Stdout>, mut line: Vec<u8>) -> io::Result<()> {
    line.push(b'\n');
    let mut output = output.lock().await;
    output.write_all(&line).await?;
    output.flush().await
}

/// Reads a line. Returns `None` at the end of the input.
fn read_line(input: &mut impl BufRead) -> io::Result<Option<Line>> {
    let mut line = Vec::new();
    input.by_ref().take(LINE as u64 + 1).read_until(b'\n', &mut line)?;
    if line.is_empty() {
        return Ok(None);
    }
    if line.len() <= LINE || line.ends_with(b"\n") {
        return Ok(Some(Line::Complete(line)));
    }
    input.skip_until(b'\n')?;
    Ok(Some(Line::TooLong))
}

/// An error in a message, with the id of the request if known.
type Mistake = (ErrorData, Option<RequestId>);

/// Parses a message. Returns `None` for blank lines and unknown notifications.
fn parse(line: &[u8]) -> Result<Option<ClientJsonRpcMessage>, Mistake> {
    let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return Ok(None);
    }
    let Strict(mut message) = serde_json::from_slice(line).map_err(|error| {
        (ErrorData::parse_error(format!("The message is not JSON: {error}."), None), None)
    })?;
    if !message.is_object() {
        return Err(malformed("expected one object, not a batch", None));
    }
    let id = serde_json::from_value::<RequestId>(message["id"].clone()).ok();
    let is_request = message.get("method").is_some() && message.get("id").is_some();
    if message["method"] == "initialize" {
        complete(&mut message);
    }
    if message["method"] == "tools/call" {
        if is_request && message.pointer("/params/name").and_then(Value::as_str).is_none() {
            let text = "Parameter `name` is invalid: expected the name of a tool.";
            return Err((ErrorData::invalid_params(text, None), id));
        }
        let arguments = message.pointer_mut("/params/arguments");
        arguments.map_or(Ok(()), normalize).map_err(|problem| {
            let text = format!("Parameter `arguments` is invalid: {problem}.");
            (ErrorData::invalid_params(text, None), id.clone())
        })?;
    }
    match serde_json::from_value(message) {
        Ok(message) => Ok(Some(message)),
        Err(_) if is_request => Err(malformed("a member is missing or has the wrong type", id)),
        Err(_) => Ok(None),
    }
}

/// Adds members of `initialize` that a simple client may omit, because the library would not recognize the
/// request without them. A client without a revision gets the first one.
fn complete(initialize: &mut Value) {
    let Value::Object(message) = initialize else { return };
    let params = message.entry("params").or_insert(Value::Null);
    if params.is_null() {
        *params = Value::Object(JsonObject::new());
    }
    let Value::Object(params) = params else { return };
    params.retain(|_, value| !value.is_null());
    params.entry("protocolVersion").or_insert_with(|| FIRST_REVISION.into());
    params.entry("capabilities").or_insert_with(|| serde_json::json!({}));
    let client = params.entry("clientInfo").or_insert_with(|| serde_json::json!({}));
    if let Value::Object(client) = client {
        for name in ["name", "version"] {
            client.entry(name).or_insert_with(|| "".into());
        }
    }
}

/// Parses arguments that are a string of JSON, and removes null members: models and clients send both.
fn normalize(arguments: &mut Value) -> Result<(), &'static str> {
    if let Value::String(text) = arguments {
        let object = serde_json::from_str::<Strict>(text).ok().map(|Strict(value)| value);
        *arguments = object.filter(Value::is_object).ok_or("a string that is not a JSON object")?;
    }
    without_nulls(arguments);
    if arguments.is_object() || arguments.is_null() { Ok(()) } else { Err("expected an object") }
}

fn malformed(problem: impl Display, id: Option<RequestId>) -> Mistake {
    let text = format!("This is not a message of the protocol: {problem}.");
    (ErrorData::new(ErrorCode::INVALID_REQUEST, text, None), id)
}
