//! Limits of the server against strangers.

use std::io::Write as _;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::Outcome;
use crate::support::http::receive;

use super::scene::Page;

/// Maximum size of a request.
const MOST: usize = 8 * 1024 * 1024;

/// Maximum number of connections.
const CONNECTIONS: usize = 64;

#[test]
fn large_bodies_are_refused() {
    let page = Page::start();
    let token = page.session();
    let bearer = format!("Bearer {token}");
    let large = format!("\"{}\"", "x".repeat(MOST));
    page.request("POST", "/call", &[("Authorization", &bearer)], &large)
        .is_refused(413, "at most 8388608 bytes");
    let once = json!({ "once": "x".repeat(2000) }).to_string();
    page.request("POST", "/session", &[], &once).is_refused(413, "at most 1024 bytes");
    // Without a token, the body is not read.
    let head = format!(
        "POST /call HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Length: {}\r\n\r\n",
        page.port,
        MOST * 1000
    );
    page.send(head.as_bytes()).is_refused(401, "run the command again");
    assert_eq!(page.call(&token, "editd/proposals", &json!({})).status, 200);
}

#[test]
fn large_headers_are_refused() {
    let page = Page::start();
    let long = "x".repeat(32 * 1024);
    assert_eq!(page.request("GET", "/", &[("X-Long", &long)], "").status, 431);
    let many: Vec<_> = (0..100).map(|at| format!("X-{at}")).collect();
    let many: Vec<_> = many.iter().map(|name| (name.as_str(), "x")).collect();
    assert_eq!(page.request("GET", "/", &many, "").status, 431);
    assert!([414, 431].contains(&page.request("GET", &format!("/{long}"), &[], "").status));
    assert_eq!(page.send(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n").status, 400);
    assert_eq!(page.request("GET", "/", &[], "").status, 200);
}

#[test]
fn a_request_that_does_not_arrive_is_ended() {
    let page = Page::start();
    let began = Instant::now();
    let mut slow = page.connect();
    slow.write_all(b"GET / HTTP/1.1\r\nHost: ").expect("half a request");
    let mut idle = page.connect();
    idle.write_all(format!("GET / HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", page.port).as_bytes())
        .expect("a request");
    assert!(receive(&mut idle).body.contains("</html>"), "the connection ends after its answer");
    let answer = receive(&mut slow);
    assert!([0, 408].contains(&answer.status), "{answer:?}");
    let waited = began.elapsed();
    assert!((Duration::from_secs(4)..Duration::from_secs(20)).contains(&waited), "{waited:?}");
}

#[test]
fn a_flood_of_connections_slows_no_agent() {
    let mut page = Page::configured("review = \"off\"");
    let token = page.session();
    let mut flood = Vec::new();
    for _ in 0..300 {
        let mut stream = page.connect();
        stream.write_all(b"POST /call HTTP/1.1\r\nHost: ").expect("half a request");
        flood.push(stream);
    }
    let open =
        std::fs::read_dir(format!("/proc/{}/fd", page.pid().as_raw_nonzero())).expect("its files").count();
    assert!(open < CONNECTIONS + 64, "{open} files are open");
    let mut slowest = Duration::ZERO;
    for number in 0..20 {
        let began = Instant::now();
        let text = format!("line {number}\n");
        page.workspace.put("b.txt", "old\n");
        page.agent.read_and_edit("b.txt", "old\n", &text).done();
        slowest = slowest.max(began.elapsed());
        assert_eq!(page.workspace.text("b.txt"), text);
    }
    assert!(slowest < Duration::from_secs(2), "an edit took {slowest:?}");
    drop(flood);
    assert_eq!(page.call(&token, "editd/proposals", &json!({})).status, 200);
}
