//! `editd ide` as a process, and clients of its protocols.

use std::fs;
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tungstenite::client::IntoClientRequest;
use tungstenite::{Message, WebSocket};

use crate::support::{Machine, PATIENCE, Workspace, eventually};

/// The server for a workspace.
pub(super) struct Server {
    child: Child,
    temporary: PathBuf,
    pub(super) port: u16,
    pub(super) token: String,
}

impl Server {
    pub(super) fn start(machine: &Machine, workspace: &Workspace) -> Self {
        Self::start_with_errors(machine, workspace).0
    }

    /// Also returns a function for the text that the server has written to standard error.
    pub(super) fn start_with_errors(machine: &Machine, workspace: &Workspace) -> (Self, impl Fn() -> String) {
        let mut command = machine.command(&["ide"]);
        command.current_dir(workspace.root());
        let errors = tempfile::NamedTempFile::new().expect("a file");
        command.stderr(errors.reopen().expect("a second handle"));
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().expect("editd can be run");
        let is_own = |path: &PathBuf| read_json(path)["pid"] == child.id();
        let lock = eventually("the lock file", || lock_files(machine).into_iter().find(is_own));
        let content = read_json(&lock);
        let port = lock.file_stem().and_then(|name| name.to_str()?.parse().ok()).expect("a port");
        let token = content["authToken"].as_str().expect("a token").to_owned();
        let server = Self { child, temporary: machine.temporary(), port, token };
        (server, move || fs::read_to_string(errors.path()).expect("a text"))
    }

    /// Returns the discovery file of Gemini CLI.
    pub(super) fn discovery_file(&self) -> PathBuf {
        let id = self.child.id();
        self.temporary.join(format!("gemini/ide/gemini-ide-server-{id}-{}.json", self.port))
    }

    /// Returns the largest amount of memory that the server has used so far, in bytes.
    pub(super) fn memory(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).expect("a status");
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("the peak");
        peak.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") << 10
    }

    pub(super) fn terminate(&mut self) {
        let id = Pid::from_raw(self.child.id().cast_signed()).expect("a process");
        kill_process(id, Signal::TERM).expect("a running process");
        assert!(self.child.wait().expect("an end").success());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns a machine, a workspace with the file `a.txt`, and the server for it.
pub(super) fn scene() -> (Machine, Workspace, Server) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let server = Server::start(&machine, &workspace);
    (machine, workspace, server)
}

/// Returns the lock files of Claude Code.
pub(super) fn lock_files(machine: &Machine) -> Vec<PathBuf> {
    let entries = fs::read_dir(machine.home().join(".claude/ide")).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|it| it == "lock")).collect()
}

pub(super) fn read_json(path: &std::path::Path) -> Value {
    serde_json::from_slice(&fs::read(path).expect("a file")).expect("JSON")
}

/// A client that behaves like Claude Code.
pub(super) struct Claude {
    socket: WebSocket<TcpStream>,
    last_id: u64,
    /// Messages that were received before they were asked for.
    received: Vec<Value>,
}

impl Claude {
    pub(super) fn connect(server: &Server) -> Self {
        let mut claude = Self::try_connect(server.port, Some(&server.token), None).expect("a connection");
        let client = json!({ "name": "claude-code", "version": "2.1.331" });
        let capabilities = json!({ "roots": {}, "elicitation": {} });
        let params =
            json!({ "protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": client });
        let id = claude.send("initialize", &params);
        assert!(claude.answer(id)["result"]["capabilities"]["tools"].is_object());
        claude.notify("notifications/initialized", &json!({}));
        claude.notify("ide_connected", &json!({ "pid": 1 }));
        claude
    }

    pub(super) fn try_connect(
        port: u16,
        token: Option<&str>,
        origin: Option<&str>,
    ) -> Result<Self, tungstenite::Error> {
        let stream = TcpStream::connect(("127.0.0.1", port)).expect("a listener");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        let mut request = format!("ws://127.0.0.1:{port}/").into_client_request()?;
        let headers = request.headers_mut();
        headers.insert("sec-websocket-protocol", "mcp".parse().expect("a header"));
        if let Some(token) = token {
            headers.insert("x-claude-code-ide-authorization", token.parse().expect("a header"));
        }
        if let Some(origin) = origin {
            headers.insert("origin", origin.parse().expect("a header"));
        }
        match tungstenite::client(request, stream) {
            Ok((socket, _)) => Ok(Self { socket, last_id: 0, received: Vec::new() }),
            Err(tungstenite::HandshakeError::Failure(error)) => Err(error),
            Err(tungstenite::HandshakeError::Interrupted(_)) => panic!("the server does not answer"),
        }
    }

    pub(super) fn send(&mut self, method: &str, params: &Value) -> u64 {
        self.last_id += 1;
        let id = self.last_id;
        self.send_text(
            &json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string(),
        );
        id
    }

    pub(super) fn notify(&mut self, method: &str, params: &Value) {
        self.send_text(&json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string());
    }

    pub(super) fn send_text(&mut self, text: &str) {
        self.socket.send(Message::text(text)).expect("an open connection");
    }

    /// Waits for the answer to a request.
    pub(super) fn answer(&mut self, id: u64) -> Value {
        loop {
            if let Some(at) = self.received.iter().position(|answer| answer["id"] == id) {
                return self.received.remove(at);
            }
            self.receive();
        }
    }

    /// Waits for a notification and returns its parameters.
    pub(super) fn told(&mut self, method: &str) -> Value {
        let is_wanted = |message: &Value| message["method"] == method;
        loop {
            if let Some(at) = self.received.iter().position(is_wanted) {
                return self.received.remove(at)["params"].take();
            }
            self.receive();
        }
    }

    /// Receives a message.
    fn receive(&mut self) {
        if let Message::Text(text) = self.socket.read().expect("a message") {
            self.received.push(serde_json::from_str(&text).expect("JSON"));
        }
    }

    pub(super) fn send_call(&mut self, tool: &str, arguments: &Value) -> u64 {
        self.send("tools/call", &json!({ "name": tool, "arguments": arguments }))
    }

    /// Calls a tool and returns the texts of its result.
    pub(super) fn call(&mut self, tool: &str, arguments: &Value) -> Vec<String> {
        let id = self.send_call(tool, arguments);
        self.texts(id)
    }

    /// Waits for the texts of a result.
    pub(super) fn texts(&mut self, id: u64) -> Vec<String> {
        let answer = self.answer(id);
        let blocks = answer["result"]["content"].as_array().unwrap_or_else(|| panic!("no result: {answer}"));
        blocks.iter().map(|block| block["text"].as_str().expect("a text").to_owned()).collect()
    }

    /// Shows a diff, as Claude Code does before an edit.
    pub(super) fn open_diff(&mut self, workspace: &Workspace, name: &str, text: &str) -> u64 {
        let path = workspace.absolute(name);
        let arguments = json!({
            "old_file_path": path, "new_file_path": path, "new_file_contents": text, "tab_name": tab(name),
        });
        self.send_call("openDiff", &arguments)
    }
}

/// Returns the name of the tab for a file.
pub(super) fn tab(name: &str) -> String {
    format!("✻ [Claude Code] {name} (a1b2c3) ⧉")
}
