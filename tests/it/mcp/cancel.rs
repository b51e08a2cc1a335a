//! Cancelled calls.

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Machine, Mcp, Workspace, uri_of};

fn scene() -> (Machine, Workspace, Mcp) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "0\n"));
    let mcp = Mcp::start(&machine, &workspace);
    (machine, workspace, mcp)
}

fn cancel(mcp: &mut Mcp, call: u64) {
    mcp.notify("notifications/cancelled", json!({ "requestId": call }));
}

/// A client must not overwrite text that it was never shown.
#[rstest]
#[case::read("read", json!({ "path": "a.txt" }))]
#[case::changes("changes", json!({}))]
fn a_cancelled_read_does_not_count_as_read(#[case] tool: &str, #[case] arguments: Value) {
    let (machine, workspace, mut mcp) = scene();
    mcp.call("read", json!({ "path": "a.txt" })).done();
    workspace.put("a.txt", "precious\n");
    machine.pause();
    let call = mcp.send_call(tool, arguments);
    cancel(&mut mcp, call);
    mcp.request("ping", json!({}));
    machine.resume();
    let written = mcp.call("write", json!({ "path": "a.txt", "content": "mine\n" }));
    let refused = ["Refused (stale)", "Refused (unread)"];
    assert!(refused.iter().any(|refused| written.text.starts_with(refused)), "{}", written.text);
    assert_eq!(workspace.text("a.txt"), "precious\n");
}

#[test]
fn an_answer_cancelled_after_its_arrival_does_not_count_as_read() {
    let (_machine, workspace, mut mcp) = scene();
    let call = mcp.send_call("read", json!({ "path": "a.txt" }));
    mcp.called("read", call).done();
    cancel(&mut mcp, call);
    mcp.call("write", json!({ "path": "a.txt", "content": "mine\n" })).refused("unread");
    assert_eq!(workspace.text("a.txt"), "0\n");
}

#[test]
fn a_call_cancelled_before_it_is_sent_is_not_sent() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "0\n"));
    let mut mcp = Mcp::with(&machine, workspace.root(), &[]);
    mcp.introduce("2025-06-18", json!({ "roots": {} }));
    let call = mcp.send_call("write", json!({ "path": "b.txt", "content": "mine\n" }));
    let asked = mcp.wire.receive();
    assert_eq!(asked["method"], "roots/list");
    cancel(&mut mcp, call);
    let roots = json!([{ "uri": uri_of(workspace.root()) }]);
    mcp.wire.send(&json!({ "jsonrpc": "2.0", "id": asked["id"], "result": { "roots": roots } }));
    let listed = mcp.call("list", json!({})).done();
    assert!(listed.text.contains("a.txt") && !listed.text.contains("b.txt"), "{}", listed.text);
    assert!(!listed.text.contains("Made although"), "{}", listed.text);
}

#[test]
fn a_change_made_although_cancelled_is_reported_with_the_next_answer() {
    let (_machine, _workspace, mut mcp) = scene();
    let call = mcp.send_call("write", json!({ "path": "b.txt", "content": "mine\n" }));
    let transaction = mcp.called("write", call).done().data["transaction"].clone();
    cancel(&mut mcp, call);
    let next = mcp.call("proposal_status", json!({})).done();
    let made = json!([{ "transaction": transaction, "paths": ["b.txt"] }]);
    assert_eq!(next.data["madeThoughCancelled"], made);
    assert!(next.text.contains(transaction.as_str().expect("an id")), "{}", next.text);
    let quiet = mcp.call("proposal_status", json!({})).done();
    assert!(quiet.data.get("madeThoughCancelled").is_none(), "it is reported once: {}", quiet.text);
}

#[test]
fn an_answer_counts_for_a_client_that_cancels_every_call_afterwards() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut mcp = Mcp::with(&machine, workspace.root(), &[]);
    mcp.introduce_as("opencode", "2025-11-25", json!({}));
    let read = mcp.send_call("read", json!({ "path": "a.txt" }));
    mcp.called("read", read).done();
    mcp.notify("notifications/cancelled", json!({ "requestId": read, "reason": "AbortError" }));
    mcp.call("edit", json!({ "path": "a.txt", "oldText": "one", "newText": "1" })).done();
    assert_eq!(workspace.text("a.txt"), "1\n");
}
