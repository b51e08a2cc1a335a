//! Requests that the server of the page refuses.

use serde_json::json;

use super::scene::Page;

/// Routes with data.
const PROTECTED: [(&str, &str); 4] =
    [("POST", "/call"), ("POST", "/colours"), ("POST", "/preferences"), ("GET", "/events")];

#[test]
fn requests_to_another_host_are_refused() {
    let page = Page::start();
    let port = page.port;
    let with =
        |head: &str| page.send(format!("GET / HTTP/1.1\r\n{head}Connection: close\r\n\r\n").as_bytes());
    for host in ["127.0.0.1", "door.example", "localhost:1", "127.0.0.1:80", "0.0.0.0:{port}"] {
        let host = host.replace("{port}", &port.to_string());
        with(&format!("Host: {host}\r\n")).is_refused(403, &format!("http://127.0.0.1:{port}"));
    }
    with("").is_refused(403, "it has no other name");
    with(&format!("Host: 127.0.0.1:{port}\r\nHost: door.example\r\n")).is_refused(403, "no other name");
    let absolute =
        format!("GET http://door.example/ HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n");
    page.send(absolute.as_bytes()).is_refused(403, "no other name");
    assert_eq!(with(&format!("Host: localhost:{port}\r\n")).status, 200);
    assert_eq!(with(&format!("Host: 127.0.0.1:{port}\r\n")).status, 200);
}

#[test]
fn requests_from_another_origin_are_refused() {
    let page = Page::start();
    let exchange = json!({ "once": page.once }).to_string();
    for origin in ["https://door.example", "null", "http://127.0.0.1", "http://localhost:1"] {
        let answer = page.request("POST", "/session", &[("Origin", origin)], &exchange);
        answer.is_refused(403, "from a page of this server");
    }
    // Refused requests did not use up the token.
    let own = format!("http://127.0.0.1:{}", page.port);
    let answer = page.request("POST", "/session", &[("Origin", &own)], &exchange);
    assert_eq!(answer.status, 200, "{answer:?}");
    let token = answer.json()["token"].as_str().expect("a token").to_owned();
    let headers = [("Authorization", &*format!("Bearer {token}")), ("Origin", "https://door.example")];
    let call = json!({ "method": "editd/proposals", "params": {} }).to_string();
    page.request("POST", "/call", &headers, &call).is_refused(403, "from a page of this server");
}

#[test]
fn data_require_the_token_of_the_session() {
    let page = Page::start();
    let token = page.session();
    let wrong =
        format!("Bearer {}", token.replace(&token[..1], if token.starts_with('x') { "y" } else { "x" }));
    let basic = format!("Basic {token}");
    let once = format!("Bearer {}", page.once);
    for (method, path) in PROTECTED {
        page.request(method, path, &[], "").is_refused(401, "run the command again");
        for value in ["Bearer", "Bearer ", &wrong, &basic, &token, &once] {
            let answer = page.request(method, path, &[("Authorization", value)], "");
            answer.is_refused(401, "Open the address that the command printed");
        }
        let right = format!("Bearer {token}");
        let both = [("Authorization", &*right), ("Authorization", &*wrong)];
        page.request(method, path, &both, "").is_refused(401, "run the command again");
    }
    assert_eq!(page.call(&token, "editd/proposals", &json!({})).status, 200);
}

#[test]
fn the_address_works_once() {
    let page = Page::start();
    let exchange = |once: &str| page.request("POST", "/session", &[], &json!({ "once": once }).to_string());
    exchange("wrong").is_refused(401, "This address is not valid");
    exchange("").is_refused(401, "This address is not valid");
    let answer = exchange(&page.once);
    assert_eq!(answer.status, 200, "{answer:?}");
    let root = answer.json()["root"].clone();
    assert_eq!(root, json!(page.workspace.root()));
    exchange(&page.once).is_refused(410, "already opened; run `editd review --web` again");
    page.request("POST", "/session", &[], "no JSON").is_refused(400, "Send a JSON object");
    page.request("GET", &format!("/session?once={}", page.once), &[], "").is_refused(405, "Use the method");
}

#[test]
fn every_answer_restricts_the_browser() {
    let page = Page::start();
    let token = page.session();
    let bearer = format!("Bearer {token}");
    let answers = [
        page.request("GET", "/", &[], ""),
        page.request("GET", "/page.js", &[], ""),
        page.request("GET", "/page.css", &[], ""),
        page.request("GET", "/none", &[], ""),
        page.request("POST", "/call", &[], ""),
        page.request("GET", "/", &[("Origin", "null")], ""),
        page.request("GET", "/call", &[("Authorization", &bearer)], ""),
        page.call(&token, "editd/proposals", &json!({})),
    ];
    let statuses: Vec<_> = answers.iter().map(|answer| answer.status).collect();
    assert_eq!(statuses, [200, 200, 200, 404, 401, 403, 405, 200]);
    for answer in &answers {
        let policy = answer.header("Content-Security-Policy").expect("a policy");
        for rule in [
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "connect-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        ] {
            assert!(policy.split("; ").any(|known| known == rule), "{rule}: {policy}");
        }
        assert_eq!(answer.header("X-Content-Type-Options"), Some("nosniff"));
        assert_eq!(answer.header("Referrer-Policy"), Some("no-referrer"));
        assert_eq!(answer.header("Cache-Control"), Some("no-store"));
        assert_eq!(answer.header("Set-Cookie"), None);
        assert_eq!(answer.header("Access-Control-Allow-Origin"), None);
        assert!(!answer.body.contains(&token) && !answer.body.contains(&page.once));
    }
}

#[test]
fn the_server_listens_on_the_loopback_interface_only() {
    let page = Page::start();
    let port = format!(":{:04X}", page.port);
    let sockets = |path: &str| {
        let table = std::fs::read_to_string(path).unwrap_or_default();
        let local =
            table.lines().skip(1).filter_map(|line| line.split_whitespace().nth(1).map(str::to_owned));
        local.filter(|address| address.ends_with(&port)).collect::<Vec<_>>()
    };
    assert_eq!(sockets("/proc/net/tcp"), [format!("0100007F{port}")]);
    assert!(sockets("/proc/net/tcp6").is_empty());
}
