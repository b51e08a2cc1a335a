//! Strangers and floods at the server of `editd ide`.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;

use super::server::{Claude, Server, scene};
use crate::support::http::{connect, receive, request, send};
use crate::support::{Outcome, eventually};

/// Maximum number of programs that are connected.
const CLIENTS: usize = 16;

#[test]
fn a_flood_of_half_requests_slows_no_agent() {
    let (machine, workspace, server) = scene();
    let mut agent = machine.agent(&workspace);
    let mut flood = Vec::new();
    for number in 0..300 {
        let mut stream = connect(server.port);
        let path = if number % 2 == 0 { "/" } else { "/mcp" };
        // With a kernel that has no room for it, the write fails.
        let _ = stream.write_all(format!("POST {path} HTTP/1.1\r\nHost: ").as_bytes());
        flood.push(stream);
    }
    let mut slowest = Duration::ZERO;
    for number in 0..20 {
        let (old, new) = (workspace.text("a.txt"), format!("line {number}\n"));
        let began = Instant::now();
        agent.read_and_edit("a.txt", &old, &new).done();
        slowest = slowest.max(began.elapsed());
    }
    assert!(slowest < Duration::from_secs(2), "an edit took {slowest:?}");
    drop(flood);
    Claude::connect(&server);
}

/// Opens 10,000 connections, of which the system queues those that the server does not accept, and holds them until its
/// input ends.
const MANY: &str = "
import resource, socket, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (11000, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
held = []
for _ in range(10000):
    connection = socket.socket()
    connection.setblocking(False)
    connection.connect_ex(('127.0.0.1', int(sys.argv[1])))
    held.append(connection)
print('open', flush=True)
sys.stdin.read()
";

#[test]
fn ten_thousand_connections_slow_no_agent_and_no_editor() {
    let (machine, workspace, server) = scene();
    let (mut agent, mut editor) = (machine.agent(&workspace), machine.editor(&workspace));
    let mut many = Command::new("python3")
        .args(["-c", MANY, &server.port.to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("python3 can be run");
    let mut line = String::new();
    BufReader::new(many.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
    assert_eq!(line, "open\n");
    let mut slowest = Duration::ZERO;
    for number in 0..20 {
        let (old, new) = (workspace.text("a.txt"), format!("line {number}\n"));
        let began = Instant::now();
        agent.read_and_edit("a.txt", &old, &new).done();
        editor.call("editd/status", json!({})).done();
        slowest = slowest.max(began.elapsed());
    }
    assert!(slowest < Duration::from_secs(2), "an edit took {slowest:?}");
    drop(many.stdin.take());
    many.wait().expect("an end");
    eventually("a connection", || Claude::try_connect(server.port, Some(&server.token), None).ok());
}

#[test]
fn half_requests_are_ended_and_the_server_goes_on() {
    let (_machine, _workspace, server) = scene();
    let began = Instant::now();
    let mut slow = connect(server.port);
    slow.write_all(b"GET / HTTP/1.1\r\nHost: ").expect("half a request");
    assert!([0, 408].contains(&receive(&mut slow).status));
    let waited = began.elapsed();
    assert!((Duration::from_secs(4)..Duration::from_secs(20)).contains(&waited), "{waited:?}");
    assert!([400, 0].contains(&send(server.port, b"\x16\x03\x01\x02\x00\x01\r\n\r\n").status));
    Claude::connect(&server);
}

#[test]
fn bodies_without_a_token_are_not_read() {
    let (_machine, _workspace, server) = scene();
    let port = server.port;
    let head = format!("POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: 99999999999\r\n\r\n");
    assert_eq!(send(port, head.as_bytes()).status, 401);
    let bearer = ("Authorization", "Bearer AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA");
    assert_eq!(request(port, ("POST", "/mcp"), &[bearer], "{}").status, 401);
    assert_eq!(request(port, ("GET", "/mcp"), &[bearer], "").status, 401);
    for (method, path) in [("GET", "/call"), ("PUT", "/"), ("GET", "/../etc/passwd")] {
        let answer = request(port, (method, path), &[], "");
        assert!([400, 401, 404, 405].contains(&answer.status), "{answer:?}");
    }
}

#[test]
fn messages_that_are_no_calls_are_answered_or_ignored() {
    let (_machine, workspace, server) = scene();
    let mut claude = Claude::connect(&server);
    for text in
        ["", "{", "[]", "null", "{\"jsonrpc\":\"1.0\"}", "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":7}"]
    {
        claude.send_text(text);
    }
    let deep = "[".repeat(100_000);
    claude.send_text(&format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{deep}"));
    for arguments in [json!({}), json!({ "old_file_path": 7 }), json!({ "tab_name": "\u{0}" })] {
        let id = claude.send_call("openDiff", &arguments);
        let answer = claude.answer(id);
        assert!(
            answer["error"]["message"]
                .as_str()
                .is_some_and(|it| it.contains("missing") || it.contains("invalid")),
            "{answer}"
        );
    }
    let id = claude.open_diff(&workspace, "../../etc/passwd", "x\n");
    assert_eq!(claude.answer(id)["result"]["isError"], true);
    assert_eq!(workspace.text("a.txt"), "one\n");
}

#[test]
fn programs_beyond_the_limit_are_refused() {
    let (_machine, _workspace, server) = scene();
    let mut all: Vec<_> = (0..CLIENTS).map(|_| Claude::connect(&server)).collect();
    let refused = |server: &Server| match Claude::try_connect(server.port, Some(&server.token), None) {
        Err(tungstenite::Error::Http(answer)) => Some(answer.status().as_u16()),
        _ => None,
    };
    assert_eq!(refused(&server), Some(503));
    all.pop();
    eventually("a free place", || refused(&server).is_none().then_some(()));
}
