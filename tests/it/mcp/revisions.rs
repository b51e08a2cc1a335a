//! Support for all revisions of the protocol.

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Machine, Mcp, Workspace};

#[rstest]
fn a_client_of_any_revision_is_served(
    #[values("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")] revision: &str,
) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut mcp = Mcp::with(&machine, workspace.root(), &[]);
    let said = mcp.introduce(revision, json!({}));
    assert_eq!((&said["protocolVersion"], &said["serverInfo"]["name"]), (&json!(revision), &json!("editd")));
    assert!(said["instructions"].as_str().is_some_and(|words| !words.is_empty()));
    let answer = mcp.request("tools/call", json!({ "name": "read", "arguments": { "path": "a.txt" } }));
    assert!(answer["result"].get("resultType").is_none(), "{answer}");
    mcp.call("edit", json!({ "path": "a.txt", "oldText": "one", "newText": "two" })).done();
    assert_eq!(workspace.text("a.txt"), "two\n");
}

#[rstest]
fn an_unknown_revision_is_answered_with_a_known_one(#[values("1999-01-01", "2999-01-01")] revision: &str) {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let mut mcp = Mcp::with(&machine, workspace.root(), &[]);
    assert_eq!(mcp.introduce(revision, json!({}))["protocolVersion"], "2025-11-25");
    assert_eq!(mcp.tools().len(), 13);
}

/// Metadata of every request in the stateless revision.
fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "stateless", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": { "roots": {} },
    })
}

fn call(mcp: &mut Mcp, tool: &str, arguments: Value) -> Value {
    let mut params = json!({ "name": tool, "_meta": meta() });
    params["arguments"] = arguments;
    mcp.request("tools/call", params)["result"].take()
}

#[test]
fn a_client_without_sessions_is_served() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut mcp = Mcp::with(&machine, workspace.root(), &[]);
    let found = mcp.request("server/discover", json!({ "_meta": meta() }))["result"].take();
    let versions = found["supportedVersions"].as_array().expect("versions");
    assert!(versions.contains(&json!("2026-07-28")) && versions.contains(&json!("2024-11-05")), "{found}");
    let tools = mcp.request("tools/list", json!({ "_meta": meta() }))["result"].take();
    assert_eq!(
        (tools["tools"].as_array().expect("tools").len(), &tools["resultType"]),
        (13, &json!("complete"))
    );
    let read = call(&mut mcp, "read", json!({ "path": "a.txt" }));
    let said = read["content"][0]["text"].as_str().expect("words");
    let tag = said.split_once('#').and_then(|(_, rest)| rest.get(..6)).expect("a tag");
    let edit = json!({ "path": "a.txt", "oldText": "one", "newText": "two", "baseHash": tag });
    let edited = call(&mut mcp, "edit", edit);
    assert_eq!((&edited["isError"], &edited["resultType"]), (&json!(false), &json!("complete")), "{edited}");
    assert_eq!((workspace.text("a.txt"), mcp.asked), ("two\n".to_owned(), 0));
    let new = call(&mut mcp, "write", json!({ "path": "b.txt", "content": "new\n" }));
    assert_eq!(
        new["structuredContent"]["files"][0]["hash"],
        workspace.hash("b.txt"),
        "it sends hashes: {new}"
    );
    let log = machine.agent(&workspace).call("editd/history", json!({})).expect("a history");
    assert_eq!(log["transactions"][0]["author"], "stateless");
}

#[test]
fn a_request_without_its_metadata_is_refused_and_the_next_is_served() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut mcp = Mcp::with(&machine, workspace.root(), &[]);
    assert_eq!(mcp.request("tools/list", json!({}))["error"]["code"], -32602);
    let read = call(&mut mcp, "read", json!({ "path": "a.txt" }));
    assert!(read["content"][0]["text"].as_str().is_some_and(|text| text.ends_with("\n\n1\tone\n")), "{read}");
    assert_eq!(mcp.request("tools/list", json!({}))["error"]["code"], -32602);
}
