//! The protocol of Gemini CLI: MCP over HTTP, with notifications in a stream of events.

use std::io::{BufReader, Write as _};
use std::net::TcpStream;

use serde_json::{Value, json};

use super::server::{Server, read_json, scene};
use crate::review::scene::reviewer;
use crate::support::http::{self, HttpAnswer, event};
use crate::support::{Agent, Editor, Kind, Outcome, Workspace, eventually};

/// A client that behaves like Gemini CLI.
pub(super) struct Gemini {
    port: u16,
    token: String,
    session: String,
    events: BufReader<TcpStream>,
    last_id: u64,
}

impl Gemini {
    pub(super) fn connect(server: &Server) -> Self {
        let token = read_json(&server.discovery_file())["authToken"].as_str().expect("a token").to_owned();
        let params = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": { "name": "streamable-http-client", "version": "1.0.0" },
        });
        let request = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params });
        let answer = post(server.port, &token, None, &request);
        assert_eq!(answer.status, 200, "{answer:?}");
        let session = answer.header("mcp-session-id").expect("a session").to_owned();
        let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        assert_eq!(post(server.port, &token, Some(&session), &ready).status, 202);
        let events = listen(server.port, &token, &session);
        Self { port: server.port, token, session, events, last_id: 0 }
    }

    pub(super) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        self.last_id += 1;
        let params = json!({ "name": tool, "arguments": arguments });
        let request =
            json!({ "jsonrpc": "2.0", "id": self.last_id, "method": "tools/call", "params": params });
        let answer = post(self.port, &self.token, Some(&self.session), &request);
        let data = answer.body.lines().filter_map(|line| line.strip_prefix("data: "));
        let messages = data.filter_map(|data| serde_json::from_str::<Value>(data).ok());
        let found = messages.into_iter().find(|message| message["id"] == self.last_id);
        found.unwrap_or_else(|| panic!("no answer: {answer:?}"))["result"].clone()
    }

    pub(super) fn open_diff(&mut self, workspace: &Workspace, name: &str, text: &str) -> Value {
        self.call("openDiff", &json!({ "filePath": workspace.absolute(name), "newContent": text }))
    }

    /// Waits for the next decision. Returns the name of the notification and the text.
    pub(super) fn next_decision(&mut self) -> (String, Value) {
        let told = event(&mut self.events, "", "ide/diff");
        (told["method"].as_str().expect("a method").to_owned(), told["params"]["content"].clone())
    }

    /// Waits for a notification.
    pub(super) fn told(&mut self, method: &str) -> Value {
        event(&mut self.events, "", method)["params"].clone()
    }
}

fn post(port: u16, token: &str, session: Option<&str>, message: &Value) -> HttpAnswer {
    let bearer = format!("Bearer {token}");
    let mut headers = vec![
        ("Authorization", &*bearer),
        ("Accept", "application/json, text/event-stream"),
        ("Content-Type", "application/json"),
    ];
    headers.extend(session.map(|session| ("Mcp-Session-Id", session)));
    http::request(port, ("POST", "/mcp"), &headers, &message.to_string())
}

/// Opens the stream of notifications of a session.
fn listen(port: u16, token: &str, session: &str) -> BufReader<TcpStream> {
    let mut stream = http::connect(port);
    let request = format!(
        "GET /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n\
         Accept: text/event-stream\r\nMcp-Session-Id: {session}\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).expect("a request");
    BufReader::new(stream)
}

pub(super) fn decide(person: &mut Agent, workspace: &Workspace, name: &str, decision: Value) {
    let path = workspace.absolute(name);
    let proposal = eventually("the proposal", || {
        let list = person.call("editd/proposals", json!({ "state": "pending" })).done();
        list["proposals"].as_array()?.iter().find(|it| it["paths"][0] == *path).cloned()
    });
    let mut params = decision;
    (params["id"], params["revision"]) = (proposal["id"].clone(), proposal["revision"].clone());
    person.call("editd/decide", params).done();
}

#[test]
fn decisions_are_told_with_the_text_to_write() {
    let (machine, workspace, server) = scene();
    let (mut gemini, mut person) = (Gemini::connect(&server), reviewer(&machine, &workspace));
    assert_eq!(gemini.open_diff(&workspace, "a.txt", "1\n")["content"], json!([]));
    decide(&mut person, &workspace, "a.txt", json!({ "accept": "all" }));
    let told = gemini.told("ide/diffAccepted");
    assert_eq!(told, json!({ "filePath": workspace.absolute("a.txt"), "content": "1\n" }));
    workspace.put("a.txt", "1\n");

    gemini.open_diff(&workspace, "a.txt", "2\n");
    decide(&mut person, &workspace, "a.txt", json!({ "reject": "all" }));
    assert_eq!(gemini.told("ide/diffRejected"), json!({ "filePath": workspace.absolute("a.txt") }));
    assert_eq!(workspace.text("a.txt"), "1\n");
}

#[test]
fn a_refused_diff_is_answered_with_the_reason() {
    let (_machine, workspace, server) = scene();
    let mut gemini = Gemini::connect(&server);
    for name in ["../outside.txt", ".git/config"] {
        let answer = gemini.open_diff(&workspace, name, "text\n");
        assert_eq!(answer["isError"], true, "{answer}");
        assert!(answer["content"][0]["text"].as_str().is_some_and(|text| text.len() > 20), "{answer}");
    }
}

#[test]
fn an_accepted_diff_of_a_killed_client_is_written_by_editd() {
    let (machine, workspace, server) = scene();
    let (mut gemini, mut person) = (Gemini::connect(&server), reviewer(&machine, &workspace));
    gemini.open_diff(&workspace, "a.txt", "1\n");
    let (token, session) = (gemini.token.clone(), gemini.session.clone());
    drop(gemini); // its connections end, as those of a killed process
    eventually("the end of the session", || {
        let ping = json!({ "jsonrpc": "2.0", "id": 9, "method": "ping" });
        (post(server.port, &token, Some(&session), &ping).status == 404).then_some(())
    });
    // Its request to the daemon ends a moment later.
    std::thread::sleep(std::time::Duration::from_millis(300));
    decide(&mut person, &workspace, "a.txt", json!({ "accept": "all" }));
    eventually("the text", || (workspace.text("a.txt") == "1\n").then_some(()));
}

#[test]
fn gemini_cli_is_told_which_files_are_open() {
    let (machine, workspace, server) = scene();
    let editor = Editor::start(&machine, &workspace, Kind::Plugin);
    let uri = editor.open(&workspace, "a.txt");
    let selection = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 2 } });
    editor.notify("editd/focus", json!({ "uri": uri, "selection": selection }));
    let mut gemini = Gemini::connect(&server);
    let files = eventually("the selection", || {
        let files = gemini.told("ide/contextUpdate")["workspaceState"]["openFiles"].take();
        (files[0]["isActive"] == true).then_some(files)
    });
    assert_eq!(files[0]["path"], *workspace.absolute("a.txt"));
    assert_eq!(
        (&files[0]["selectedText"], &files[0]["cursor"]),
        (&json!("on"), &json!({ "line": 1, "character": 3 }))
    );
}

#[test]
fn a_client_that_connects_again_keeps_its_diffs() {
    let (machine, workspace, server) = scene();
    let (mut gemini, mut person) = (Gemini::connect(&server), reviewer(&machine, &workspace));
    gemini.open_diff(&workspace, "a.txt", "1\n");
    gemini.events = listen(server.port, &gemini.token, &gemini.session);
    // The old stream has ended for longer than the server waits.
    std::thread::sleep(std::time::Duration::from_secs(6));
    decide(&mut person, &workspace, "a.txt", json!({ "accept": "all" }));
    assert_eq!(gemini.told("ide/diffAccepted")["content"], "1\n");
    assert_eq!(workspace.text("a.txt"), "one\n", "Gemini CLI writes it");
}

#[test]
fn the_newest_stream_of_a_session_gets_the_decisions() {
    let (machine, workspace, server) = scene();
    let (mut gemini, mut person) = (Gemini::connect(&server), reviewer(&machine, &workspace));
    gemini.open_diff(&workspace, "a.txt", "1\n");
    let newer = listen(server.port, &gemini.token, &gemini.session);
    // The older one stays open, as that of a client whose network has changed.
    let _older = std::mem::replace(&mut gemini.events, newer);
    decide(&mut person, &workspace, "a.txt", json!({ "accept": "all" }));
    assert_eq!(gemini.told("ide/diffAccepted")["content"], "1\n");
}

#[test]
fn a_diff_that_gemini_cli_closes_is_told_only_if_it_asks_for_that() {
    let (machine, workspace, server) = scene();
    let (mut gemini, mut person) = (Gemini::connect(&server), reviewer(&machine, &workspace));
    let path = workspace.absolute("a.txt");
    gemini.open_diff(&workspace, "a.txt", "1\n");
    let closed = gemini.call("closeDiff", &json!({ "filePath": path, "suppressNotification": true }));
    assert_eq!(closed["content"][0]["text"], json!({ "content": "1\n" }).to_string());
    // A notification of the first diff would be taken for one of the second.
    gemini.open_diff(&workspace, "a.txt", "2\n");
    decide(&mut person, &workspace, "a.txt", json!({ "accept": "all" }));
    assert_eq!(gemini.next_decision(), ("ide/diffAccepted".to_owned(), json!("2\n")));

    gemini.open_diff(&workspace, "a.txt", "3\n");
    gemini.call("closeDiff", &json!({ "filePath": path }));
    assert_eq!(gemini.next_decision(), ("ide/diffRejected".to_owned(), json!(null)));
}

#[test]
fn a_diff_that_another_one_replaces_is_not_told() {
    let (machine, workspace, server) = scene();
    let (mut gemini, mut person) = (Gemini::connect(&server), reviewer(&machine, &workspace));
    gemini.open_diff(&workspace, "a.txt", "1\n");
    gemini.open_diff(&workspace, "a.txt", "2\n");
    let list = person.call("editd/proposals", json!({ "state": "pending" })).done();
    assert_eq!(list["proposals"].as_array().map(Vec::len), Some(1), "{list}");
    decide(&mut person, &workspace, "a.txt", json!({ "accept": "all" }));
    assert_eq!(gemini.next_decision(), ("ide/diffAccepted".to_owned(), json!("2\n")));
}

#[test]
fn a_diff_is_decided_after_a_restart_of_the_daemon() {
    let (mut machine, workspace, server) = scene();
    let mut gemini = Gemini::connect(&server);
    drop(reviewer(&machine, &workspace));
    gemini.open_diff(&workspace, "a.txt", "1\n");
    // A proposal is shown a moment before it is stored.
    std::thread::sleep(std::time::Duration::from_secs(1));
    machine.restart();
    let mut person = reviewer(&machine, &workspace);
    std::thread::sleep(std::time::Duration::from_secs(1));
    decide(&mut person, &workspace, "a.txt", json!({ "accept": "all" }));
    assert_eq!(gemini.next_decision(), ("ide/diffAccepted".to_owned(), json!("1\n")));
    assert_eq!(workspace.text("a.txt"), "1\n");
}
