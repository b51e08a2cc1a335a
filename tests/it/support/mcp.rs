//! An MCP client that runs `editd mcp` as a child process, with one JSON message per line. Answers the
//! server's requests.

use std::collections::{HashMap, VecDeque};
use std::io::Read as _;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};

use serde_json::{Value, json};

use super::{Arrival, Framing, Machine, PATIENCE, Wire, Workspace, eventually};

pub(crate) struct Mcp {
    child: Child,
    pub(crate) wire: Wire,
    last_id: u64,
    answers: HashMap<u64, Value>,
    /// Notifications from the server.
    notifications: VecDeque<Value>,
    /// Answer to `roots/list`; with `None`, the client does not answer.
    pub(crate) roots: Option<Value>,
    /// Number of received `roots/list` requests.
    pub(crate) asked: usize,
}

/// Maximum size of an answer, in bytes, as text or as data, that no known client truncates.
const MAX_ANSWER: usize = 36_000;

/// The result of a call.
#[derive(Clone, Debug)]
pub(crate) struct Called {
    pub(crate) text: String,
    pub(crate) data: Value,
    /// Image block of the result, if any.
    pub(crate) image: Value,
    is_error: bool,
}

impl Called {
    /// Returns a successful result. A refusal fails the test.
    #[track_caller]
    pub(crate) fn done(self) -> Self {
        assert!(!self.is_error, "refused: {}", self.text);
        self
    }

    /// Returns a refusal of this kind. If it also has structured data, that must match the text.
    #[track_caller]
    pub(crate) fn refused(self, kind: &str) -> Self {
        assert!(self.is_error, "should be refused as {kind}: {}", self.text);
        assert!(self.text.starts_with(&format!("Refused ({kind}): ")), "{}", self.text);
        for name in ["kind", "message"] {
            let expected = self.data["error"][name].as_str().unwrap_or_default();
            assert!(
                self.data.is_null() || self.text.contains(expected),
                "{expected} is in the text: {}",
                self.text
            );
        }
        self
    }

    /// Checks the size of the answer to an edit by lines or symbols: 300 bytes, and at most twelve lines of the file.
    #[track_caller]
    pub(crate) fn is_brief(&self) {
        let is_shown = |line: &&str| {
            let number = line.split_once('\t').map_or("", |(number, _)| number);
            !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
        };
        let (shown, rest): (Vec<&str>, Vec<&str>) = self.text.split_inclusive('\n').partition(is_shown);
        assert!(shown.len() <= 12, "{} lines: {}", shown.len(), self.text);
        assert!(rest.concat().len() <= 300, "{} bytes: {}", rest.concat().len(), self.text);
        let data = if self.data.is_null() { String::new() } else { self.data.to_string() };
        assert!(data.len() <= 300, "{} bytes: {data}", data.len());
    }

    /// Returns the file content, which follows the header line, without line numbers.
    #[track_caller]
    pub(crate) fn content(&self) -> String {
        let (head, content) = self.text.split_once("\n\n").expect("a line about the file");
        let is_tag =
            |tag: &str| tag.as_bytes().iter().take_while(|sign| sign.is_ascii_hexdigit()).count() == 6;
        if !head.lines().next().and_then(|line| line.split_once('#')).is_some_and(|(_, tag)| is_tag(tag)) {
            return content.to_owned();
        }
        let unnumbered = |line: &str| {
            let (number, text) = line.split_once('\t').expect("a line number");
            assert!(number.parse::<usize>().is_ok(), "{line}");
            text.to_owned()
        };
        content.split_inclusive('\n').map(unnumbered).collect()
    }

    /// Returns the rest of the line with this beginning.
    #[track_caller]
    pub(crate) fn said(&self, beginning: &str) -> &str {
        let found = self.text.lines().find_map(|line| line.strip_prefix(beginning));
        found.unwrap_or_else(|| panic!("no line begins with {beginning}: {}", self.text))
    }

    /// Returns the first hash in the text.
    #[track_caller]
    pub(crate) fn hash(&self) -> &str {
        let start = self.text.find("b3:").unwrap_or_else(|| panic!("no hash: {}", self.text));
        let hash = &self.text[start..];
        &hash[..hash.find(|c: char| c.is_whitespace() || c == ',').unwrap_or(hash.len())]
    }
}

impl Mcp {
    /// Starts a client of protocol revision 2025-06-18 in a folder.
    pub(crate) fn start(machine: &Machine, workspace: &Workspace) -> Self {
        let mut mcp = Self::with(machine, workspace.root(), &[]);
        mcp.introduce("2025-06-18", json!({}));
        mcp
    }

    /// Starts a client as Claude Code does.
    pub(crate) fn of_claude_code(machine: &Machine, workspace: &Workspace) -> Self {
        Self::of_claude_code_with(machine, workspace, &[])
    }

    pub(crate) fn of_claude_code_with(machine: &Machine, workspace: &Workspace, arguments: &[&str]) -> Self {
        let mut mcp = Self::with(machine, workspace.root(), arguments);
        mcp.introduce_as("claude-code", "2025-06-18", json!({}));
        mcp
    }

    /// Starts the server without sending `initialize`.
    pub(crate) fn with(machine: &Machine, folder: &Path, arguments: &[&str]) -> Self {
        let mut command = machine.command(&["mcp"]);
        command.args(arguments).current_dir(folder);
        Self::of(command)
    }

    /// Starts a server by a command, without sending `initialize`.
    pub(crate) fn of(mut command: Command) -> Self {
        let (ours, theirs) = UnixStream::pair().expect("two connected sockets");
        let theirs = OwnedFd::from(theirs);
        command.stdin(theirs.try_clone().expect("a second handle")).stdout(theirs).stderr(Stdio::piped());
        let child = command.spawn().expect("editd can be run");
        Self {
            child,
            wire: Wire::over(ours, Framing::Lines),
            last_id: 0,
            answers: HashMap::new(),
            notifications: VecDeque::new(),
            roots: None,
            asked: 0,
        }
    }

    /// Performs the `initialize` handshake.
    pub(crate) fn introduce(&mut self, revision: &str, capabilities: Value) -> Value {
        self.introduce_as("robot", revision, capabilities)
    }

    /// Performs the `initialize` handshake as a client with this name.
    pub(crate) fn introduce_as(&mut self, name: &str, revision: &str, capabilities: Value) -> Value {
        let mut params =
            json!({ "protocolVersion": revision, "clientInfo": { "name": name, "version": "1" } });
        params["capabilities"] = capabilities;
        let result = self.request("initialize", params)["result"].take();
        self.notify("notifications/initialized", json!({}));
        result
    }

    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        self.answer(id)
    }

    pub(crate) fn send(&mut self, method: &str, params: Value) -> u64 {
        self.last_id += 1;
        let mut message = json!({ "jsonrpc": "2.0", "id": self.last_id, "method": method });
        message["params"] = params;
        self.wire.send(&message);
        self.last_id
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        let mut message = json!({ "jsonrpc": "2.0", "method": method });
        message["params"] = params;
        self.wire.send(&message);
    }

    /// Calls a tool.
    #[track_caller]
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Called {
        let id = self.send_call(tool, arguments);
        self.called(tool, id)
    }

    pub(crate) fn send_call(&mut self, tool: &str, arguments: Value) -> u64 {
        let mut params = json!({ "name": tool });
        params["arguments"] = arguments;
        self.send("tools/call", params)
    }

    /// Calls a tool as Claude Code does, which sends the id of the call that its hooks are told.
    #[track_caller]
    pub(crate) fn call_of(&mut self, tool_call: &str, tool: &str, arguments: Value) -> Called {
        let id = self.send_call_of(tool_call, tool, arguments);
        self.called(tool, id)
    }

    pub(crate) fn send_call_of(&mut self, tool_call: &str, tool: &str, arguments: Value) -> u64 {
        let mut params = json!({ "name": tool, "_meta": { "claudecode/toolUseId": tool_call } });
        params["arguments"] = arguments;
        self.send("tools/call", params)
    }

    #[track_caller]
    pub(crate) fn called(&mut self, tool: &str, id: u64) -> Called {
        let answer = self.answer(id);
        let result = &answer["result"];
        assert!(result.is_object(), "{tool} has a result: {answer}");
        let blocks = result["content"].as_array().expect("blocks");
        let texts: Vec<_> = blocks.iter().filter_map(|block| block["text"].as_str()).collect();
        let called = Called {
            text: texts.join("\n"),
            data: result["structuredContent"].clone(),
            image: blocks.iter().find(|block| block["type"] == "image").cloned().unwrap_or_default(),
            is_error: result["isError"] == true,
        };
        assert!(!called.text.trim().is_empty(), "{tool} returns text: {answer}");
        for shown in [called.text.len(), called.data.to_string().len()] {
            assert!(shown <= MAX_ANSWER, "clients truncate {shown} bytes of {tool}");
        }
        assert!(
            !called.data.to_string().contains("\\n"),
            "multi-line strings belong in the text of {tool}: {:#}",
            called.data
        );
        called
    }

    /// Returns the server's list of tools.
    pub(crate) fn tools(&mut self) -> Vec<Value> {
        let list = self.request("tools/list", json!({}));
        list["result"]["tools"].as_array().unwrap_or_else(|| panic!("no tools: {list}")).clone()
    }

    pub(crate) fn answer(&mut self, id: u64) -> Value {
        loop {
            if let Some(answer) = self.answers.remove(&id) {
                return answer;
            }
            self.take_one();
        }
    }

    /// Waits for a request of the server. Returns its id and parameters.
    pub(crate) fn asked_for(&mut self, method: &str) -> (Value, Value) {
        loop {
            if let Some(at) = self.notifications.iter().position(|told| told["method"] == method) {
                let mut request = self.notifications.remove(at).expect("it was just found");
                return (request["id"].take(), request["params"].take());
            }
            self.take_one();
        }
    }

    /// Answers a request of the server.
    pub(crate) fn reply(&mut self, id: &Value, result: &Value) {
        self.wire.send(&json!({ "jsonrpc": "2.0", "id": id, "result": result }));
    }

    /// Waits for a notification.
    pub(crate) fn told(&mut self, method: &str) -> Value {
        loop {
            if let Some(at) = self.notifications.iter().position(|told| told["method"] == method) {
                return self.notifications.remove(at).expect("it was just found")["params"].clone();
            }
            self.take_one();
        }
    }

    fn take_one(&mut self) {
        match self.wire.arrival(PATIENCE) {
            Arrival::Message(message) => self.file(message),
            other => panic!("expected a message, but: {other:?}"),
        }
    }

    fn file(&mut self, message: Value) {
        if message["method"] == "roots/list" {
            self.asked += 1;
            if let Some(roots) = &self.roots {
                let answer = json!({ "jsonrpc": "2.0", "id": message["id"], "result": { "roots": roots } });
                self.wire.send(&answer);
            }
        } else if message.get("method").is_some() {
            self.notifications.push_back(message);
        } else if let Some(id) = message["id"].as_u64() {
            let twice = self.answers.insert(id, message);
            assert!(twice.is_none(), "every request is answered once: {twice:?}");
        } else {
            self.notifications.push_back(json!({ "method": "error", "params": message["error"] }));
        }
    }

    /// Closes the client's end and waits for the process to exit. Returns its status and standard error.
    pub(crate) fn until_ended(mut self) -> (ExitStatus, String) {
        self.wire.close_sending();
        let status = eventually("the server to exit", || self.child.try_wait().expect("a child's state"));
        let mut errors = String::new();
        let mut stderr = self.child.stderr.take().expect("a captured stderr");
        stderr.read_to_string(&mut errors).expect("stderr is text");
        (status, errors)
    }
}

impl Drop for Mcp {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
