//! Malformed and unusual messages of clients.

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Machine, Mcp, Workspace};

fn scene() -> (Machine, Workspace, Mcp) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mcp = Mcp::start(&machine, &workspace);
    (machine, workspace, mcp)
}

fn still_serves(mcp: &mut Mcp) {
    mcp.call("read", json!({ "path": "a.txt" })).done();
}

#[rstest]
#[case("{\"jsonrpc\":\"2.0\",", -32700)]
#[case("{\"a\":1,\"a\":2}", -32700)]
#[case("[]", -32600)]
#[case("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", -32600)]
#[case("7", -32600)]
fn a_malformed_message_is_answered_without_an_id(#[case] line: &str, #[case] code: i64) {
    let (_machine, _workspace, mut mcp) = scene();
    mcp.wire.send_body(line.as_bytes());
    assert_eq!(mcp.told("error")["code"], code);
    still_serves(&mut mcp);
}

#[rstest]
#[case("tools/call", json!({ "name": "read", "arguments": "path" }), -32602)]
#[case("tools/call", json!({ "name": "read", "arguments": [] }), -32602)]
#[case("tools/call", json!({ "name": "destroy", "arguments": {} }), -32602)]
#[case("tools/call", json!({}), -32602)]
#[case("tools/call", json!({ "name": 5 }), -32602)]
#[case("resources/list_nothing", json!({}), -32601)]
#[case("prompts/get", json!({ "name": "x" }), -32601)]
fn requests_that_cannot_be_served_are_protocol_errors(
    #[case] method: &str,
    #[case] params: Value,
    #[case] code: i64,
) {
    let (_machine, _workspace, mut mcp) = scene();
    let answer = mcp.request(method, params);
    assert_eq!(answer["error"]["code"], code, "{answer}");
    still_serves(&mut mcp);
}

#[test]
fn unknown_notifications_and_blank_lines_are_ignored() {
    let (_machine, _workspace, mut mcp) = scene();
    mcp.notify("notifications/strange", json!({ "a": 1 }));
    mcp.notify("notifications/cancelled", json!({ "requestId": 99 }));
    mcp.wire.send_bytes(b"\n  \r\n");
    still_serves(&mut mcp);
}

#[test]
fn a_notification_before_initialize_is_ignored() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut mcp = Mcp::with(&machine, workspace.root(), &[]);
    mcp.notify("notifications/initialized", json!({}));
    mcp.notify("notifications/roots/list_changed", json!({}));
    assert!(mcp.request("ping", json!({}))["result"].is_object());
    mcp.introduce("2025-06-18", json!({}));
    still_serves(&mut mcp);
}

#[rstest]
fn parameters_that_a_client_adds_to_every_tool_are_ignored(#[values(true, false)] added: bool) {
    let (_machine, workspace, mut mcp) = scene();
    for (tool, arguments) in [
        ("read", json!({ "path": "a.txt" })),
        ("edit", json!({ "path": "a.txt", "oldText": "one", "newText": "two" })),
        ("write", json!({ "path": "b.txt", "content": "bee\n" })),
        ("undo", json!({})),
        ("search", json!({ "pattern": "two" })),
        ("proposal_status", json!({})),
    ] {
        let mut arguments = arguments;
        arguments["wait_for_previous"] = added.into();
        mcp.call(tool, arguments).done();
    }
    assert!(!workspace.has("b.txt"), "the newest was undone");
    let odd = json!({ "path": "a.txt", "wait_for_previous": "b.txt" });
    mcp.call("read", odd).refused("invalid_params");
}

#[test]
fn a_second_initialize_is_answered() {
    let (_machine, workspace, mut mcp) = scene();
    still_serves(&mut mcp);
    mcp.introduce("2025-06-18", json!({}));
    still_serves(&mut mcp);
    mcp.call("edit", json!({ "path": "a.txt", "oldText": "one", "newText": "two" })).done();
    assert_eq!(workspace.text("a.txt"), "two\n");
}

#[test]
fn messages_above_the_limit_are_refused() {
    let (_machine, workspace, mut mcp) = scene();
    let content = "all work and no play\n".repeat(8 << 20 >> 4);
    mcp.call("write", json!({ "path": "big.txt", "content": content })).done();
    assert_eq!(workspace.text("big.txt").len(), content.len());
    mcp.wire.send_body(&vec![b' '; (64 << 20) + 1]);
    assert_eq!(mcp.told("error")["code"], -32600);
    still_serves(&mut mcp);
}

#[rstest]
#[case(json!({}))]
#[case(json!({ "clientInfo": { "name": "plain" }, "capabilities": null }))]
fn a_client_with_minimal_initialize_parameters_is_served(#[case] params: Value) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut mcp = Mcp::with(&machine, workspace.root(), &[]);
    let answer = mcp.request("initialize", params);
    assert_eq!(answer["result"]["protocolVersion"], "2024-11-05", "{answer}");
    mcp.notify("notifications/initialized", json!({}));
    still_serves(&mut mcp);
}
