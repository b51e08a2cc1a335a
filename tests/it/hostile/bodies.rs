//! Tests of malformed bodies: each costs one error answer, and the connection survives.

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Framing, Machine, Wire, Workspace};

fn nested(depth: usize) -> Vec<u8> {
    let (open, close) = ("[".repeat(depth), "]".repeat(depth));
    format!(r#"{{"jsonrpc":"2.0","id":7,"method":"editd/status","params":{{"a":{open}{close}}}}}"#)
        .into_bytes()
}

const BODIES: &[(&str, &[u8])] = &[
    ("no JSON", b"hello"),
    ("cut off", br#"{"jsonrpc":"2.0","id":7,"method":"editd/status""#),
    ("trailing data", br#"{"jsonrpc":"2.0","id":7,"method":"editd/status"} x"#),
    ("two messages", br#"{"jsonrpc":"2.0","id":7,"method":"editd/status"}{"jsonrpc":"2.0","id":8,"method":"editd/status"}"#),
    ("a trailing comma", br#"{"jsonrpc":"2.0","id":7,"method":"editd/status",}"#),
    ("single quotes", b"{'jsonrpc':'2.0','id':7,'method':'editd/status'}"),
    ("a repeated id", br#"{"jsonrpc":"2.0","id":7,"id":8,"method":"editd/status"}"#),
    ("a repeated method", br#"{"jsonrpc":"2.0","id":7,"method":"editd/status","method":"editd/read"}"#),
    ("a repeated parameter", br#"{"jsonrpc":"2.0","id":7,"method":"editd/read","params":{"path":"a.txt","path":"b.txt"}}"#),
    ("a repetition in disguise", br#"{"jsonrpc":"2.0","id":7,"method":"editd/read","params":{"path":"a.txt","p\u0061th":"b.txt"}}"#),
    ("a repetition deep inside", br#"{"jsonrpc":"2.0","id":7,"method":"editd/edit","params":{"path":"a.txt","edits":[{"oldText":"a","newText":"b","newText":"c"}]}}"#),
    ("invalid UTF-8", b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"editd/read\",\"params\":{\"path\":\"a\xff.txt\"}}"),
    ("an overlong form", b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"editd/read\",\"params\":{\"path\":\"a\xc0\xaf.txt\"}}"),
    ("half a surrogate pair", br#"{"jsonrpc":"2.0","id":7,"method":"editd/read","params":{"path":"\ud800"}}"#),
    ("a batch", br#"[{"jsonrpc":"2.0","id":7,"method":"editd/status"}]"#),
    ("an empty batch", b"[]"),
    ("a number", b"42"),
    ("a text", br#""editd/status""#),
    ("null", b"null"),
    ("no member", b"{}"),
    ("an object for id", br#"{"jsonrpc":"2.0","id":{},"method":"editd/status"}"#),
    ("a list for id", br#"{"jsonrpc":"2.0","id":[7],"method":"editd/status"}"#),
    ("a truth for id", br#"{"jsonrpc":"2.0","id":true,"method":"editd/status"}"#),
    ("a number for method", br#"{"jsonrpc":"2.0","id":7,"method":7}"#),
    ("no method", br#"{"jsonrpc":"2.0","id":7}"#),
    ("an older protocol", br#"{"jsonrpc":"1.0","id":7,"method":"editd/status"}"#),
    ("no protocol", br#"{"id":7,"method":"editd/status"}"#),
    ("a zero byte", b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"editd/\0status\"}"),
];

fn session(machine: &Machine, workspace: &Workspace, framing: Framing) -> Wire {
    let mut wire = machine.wire(framing);
    let mut initialize = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize" });
    initialize["params"] = workspace.session("alice");
    wire.send(&initialize);
    assert_eq!(wire.receive()["id"], 1);
    wire
}

/// Sends a body and then a valid request; returns the answers before the answer to the valid one.
fn answers_before_next(wire: &mut Wire, body: &[u8], id: u64) -> Vec<Value> {
    wire.send_body(body);
    wire.send(&json!({ "jsonrpc": "2.0", "id": id, "method": "editd/read", "params": { "path": "a.txt" } }));
    let mut before = Vec::new();
    loop {
        let message = wire.receive();
        if message["id"] == id {
            assert_eq!(message["result"]["text"], "one\n", "{message}");
            return before;
        }
        before.push(message);
    }
}

#[track_caller]
fn assert_one_error(what: &str, answers: &[Value]) {
    assert_eq!(answers.len(), 1, "{what}: {answers:?}");
    let code = answers[0]["error"]["code"].as_i64();
    assert!(code == Some(-32700) || code == Some(-32600), "{what}: {answers:?}");
}

#[rstest]
#[case::one_message_a_line(Framing::Lines)]
#[case::base_protocol(Framing::Headers)]
fn a_malformed_body_costs_one_error(#[case] framing: Framing) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut wire = session(&machine, &workspace, framing);
    for ((what, body), id) in BODIES.iter().zip(1_000..) {
        let answers = answers_before_next(&mut wire, body, id);
        assert_one_error(what, &answers);
    }
    assert_eq!(workspace.text("a.txt"), "one\n");
}

#[rstest]
#[case::one_message_a_line(Framing::Lines)]
#[case::base_protocol(Framing::Headers)]
fn too_deep_a_body_costs_one_error(#[case] framing: Framing, #[values(200, 100_000)] depth: usize) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut wire = session(&machine, &workspace, framing);
    let answers = answers_before_next(&mut wire, &nested(depth), 1_000);
    assert_one_error("nested lists", &answers);
}

#[test]
fn an_empty_body_costs_one_error() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut wire = session(&machine, &workspace, Framing::Headers);
    for (body, id) in [&b""[..], b" ", b"\n"].into_iter().zip(1_000..) {
        assert_one_error("nothing", &answers_before_next(&mut wire, body, id));
    }
}

#[test]
fn an_empty_line_costs_nothing() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut wire = session(&machine, &workspace, Framing::Lines);
    assert!(answers_before_next(&mut wire, b"", 1_000).is_empty());
}

#[rstest]
#[case::lists(json!([1, 2]))]
#[case::a_text(json!("a.txt"))]
#[case::a_number(json!(7))]
fn parameters_that_are_not_an_object_cost_one_error(#[case] params: Value) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut wire = session(&machine, &workspace, Framing::Lines);
    let body = json!({ "jsonrpc": "2.0", "id": 7, "method": "editd/read", "params": params }).to_string();
    let answers = answers_before_next(&mut wire, body.as_bytes(), 1_000);
    assert_eq!(answers.len(), 1, "{answers:?}");
    let code = answers[0]["error"]["code"].as_i64();
    assert!([Some(-32602), Some(-32600), Some(-32700)].contains(&code), "{answers:?}");
}

#[test]
fn unsolicited_responses_are_ignored() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut wire = session(&machine, &workspace, Framing::Lines);
    let stray = br#"{"jsonrpc":"2.0","id":12345,"result":null}"#;
    assert!(answers_before_next(&mut wire, stray, 1_000).is_empty());
}

#[test]
fn an_id_may_be_a_string() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut wire = session(&machine, &workspace, Framing::Lines);
    wire.send(
        &json!({ "jsonrpc": "2.0", "id": "seven", "method": "editd/read", "params": { "path": "a.txt" } }),
    );
    let answer = wire.receive();
    assert_eq!((&answer["id"], &answer["result"]["text"]), (&json!("seven"), &json!("one\n")));
}

#[test]
fn malformed_bodies_before_initialize_cost_an_error_each_too() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut wire = machine.wire(Framing::Headers);
    for (what, body) in BODIES {
        wire.send_body(body);
        assert_one_error(what, &[wire.receive()]);
    }
    let mut initialize = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize" });
    initialize["params"] = workspace.session("alice");
    wire.send(&initialize);
    assert!(wire.receive()["result"]["capabilities"].is_object());
}
