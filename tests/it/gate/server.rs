//! Calls of editd's own tools by Claude Code belong to the agent or sub-agent that makes them.

use serde_json::{Value, json};

use super::claude::{Claude, history, made, refused};
use crate::support::{Called, Machine, Mcp, Outcome, Workspace, eventually};

/// An agent that uses its built-in tools, and those of a server that it shares with other agents.
struct Both<'a> {
    claude: Claude<'a>,
    calls: usize,
}

impl<'a> Both<'a> {
    fn new(machine: &'a Machine, workspace: &'a Workspace, agent: Option<&'a str>) -> Self {
        Self { claude: Claude { agent, ..Claude::new(machine, workspace) }, calls: 0 }
    }

    /// Reports a call of the server's tool as the program does before it makes the call. Returns the id.
    fn announce(&mut self, tool: &str, arguments: &Value) -> String {
        self.calls += 1;
        let id = format!("toolu_{}_{}", self.claude.agent.unwrap_or("main"), self.calls);
        let name = format!("mcp__editd__{tool}");
        let event = json!({ "tool_name": name, "tool_use_id": id, "tool_input": arguments });
        assert_eq!(self.claude.report("PreToolUse", event), Value::Null, "nothing is said about the call");
        id
    }

    fn call(&mut self, mcp: &mut Mcp, tool: &str, arguments: Value) -> Called {
        let id = self.announce(tool, &arguments);
        mcp.call_of(&id, tool, arguments)
    }
}

fn edit(old: &str, new: &str) -> Value {
    json!({ "path": "a.txt", "oldText": old, "newText": new })
}

#[test]
fn what_one_sub_agent_has_read_is_unread_for_the_other() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo\n"));
    let mut mcp = Mcp::of_claude_code(&machine, &workspace);
    let mut first = Both::new(&machine, &workspace, Some("a1"));
    let mut second = Both::new(&machine, &workspace, Some("b2"));
    first.call(&mut mcp, "read", json!({ "path": "a.txt" })).done();
    second.call(&mut mcp, "edit", edit("two", "2")).refused("unread");
    first.call(&mut mcp, "edit", edit("two", "2")).done();
    second.call(&mut mcp, "read", json!({ "path": "a.txt" })).done();
    first.call(&mut mcp, "edit", edit("one", "1")).done();
    second.call(&mut mcp, "edit", edit("2", "II")).refused("stale");
    assert_eq!(workspace.text("a.txt"), "1\n2\n");
}

#[test]
fn built_in_tools_and_those_of_the_server_share_what_was_read() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo\n"));
    workspace.put("b.txt", "three\n");
    let mut mcp = Mcp::of_claude_code(&machine, &workspace);
    let mut agent = Both::new(&machine, &workspace, None);
    agent.claude.read("a.txt");
    agent.call(&mut mcp, "edit", edit("two", "2")).done();
    made(&agent.claude.edit("a.txt", "one", "1"));
    agent.call(&mut mcp, "edit", edit("2", "II")).done();
    agent.call(&mut mcp, "read", json!({ "path": "b.txt" })).done();
    made(&agent.claude.edit("b.txt", "three", "3"));
    let other = Both::new(&machine, &workspace, Some("a1"));
    refused(other.claude.edit("b.txt", "3", "III"));
    assert_eq!((workspace.text("a.txt"), workspace.text("b.txt")), ("1\nII\n".into(), "3\n".into()));
}

#[test]
fn a_change_by_the_server_is_recorded_with_its_turn_agent_and_call() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut mcp = Mcp::of_claude_code(&machine, &workspace);
    let mut agent = Both::new(&machine, &workspace, Some("a1"));
    agent.call(&mut mcp, "write", json!({ "path": "b.txt", "content": "new\n" })).done();
    agent.claude.read("a.txt");
    made(&agent.claude.edit("a.txt", "one", "1"));
    let past = history(&machine, &workspace);
    let origin = json!({ "turn": "turn-1", "agent": "a1", "toolCall": "toolu_a1_1" });
    assert_eq!((&past[1]["author"], &past[1]["origin"]), (&json!("claude-code"), &origin));
    assert_eq!(past[0]["session"], past[1]["session"]);
    agent.call(&mut mcp, "undo", json!({})).done();
    assert_eq!(workspace.text("a.txt"), "one\n", "its newest change is the one by its built-in tool");
}

#[test]
fn a_call_that_no_hook_has_announced_belongs_to_the_session_of_the_server() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut mcp = Mcp::of_claude_code(&machine, &workspace);
    let mut agent = Both::new(&machine, &workspace, None);
    agent.call(&mut mcp, "read", json!({ "path": "a.txt" })).done();
    mcp.call_of("toolu_unknown", "edit", edit("one", "1")).refused("unread");
    mcp.call("read", json!({ "path": "a.txt" })).done();
    mcp.call_of("toolu_unknown", "edit", edit("one", "1")).done();
    let change = &history(&machine, &workspace)[0];
    assert!(change["session"].as_str().is_some_and(|name| name.starts_with("mcp-")), "{change:#}");
    assert_eq!(change["origin"], Value::Null);
}

#[test]
fn another_author_does_not_learn_the_session_of_a_call() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut agent = Both::new(&machine, &workspace, None);
    let id = agent.announce("read", &json!({ "path": "a.txt" }));
    let ask = |author: &str| {
        let asked =
            machine.agent_named(author, &workspace).call("editd/nativeSession", json!({ "toolCall": id }));
        asked.done()["session"].clone()
    };
    assert_eq!(ask("robot"), Value::Null);
    assert_eq!(ask("claude-code"), "claude-0b1c7d2e-9a53-4c1b-8f0e-6d7a12f4b001");
}

#[test]
fn a_change_by_another_is_listed_in_the_next_answer_to_the_agent_that_has_read_the_file() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut mcp = Mcp::of_claude_code(&machine, &workspace);
    let mut first = Both::new(&machine, &workspace, Some("a1"));
    let mut second = Both::new(&machine, &workspace, Some("b2"));
    first.call(&mut mcp, "read", json!({ "path": "a.txt" })).done();
    // The hook has another connection to the session, which has ended.
    first.announce("list", &json!({}));
    workspace.put("a.txt", "other\n");
    eventually("the change to be listed", || {
        let listed = second.call(&mut mcp, "list", json!({})).done();
        assert!(
            !listed.text.contains("Changed by others"),
            "the other agent has not read it: {}",
            listed.text
        );
        let listed = first.call(&mut mcp, "list", json!({})).done();
        listed.text.contains("Changed by others").then_some(())
    });
}

#[test]
fn a_cancelled_read_of_a_sub_agent_does_not_count_as_read() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut mcp = Mcp::of_claude_code(&machine, &workspace);
    let mut agent = Both::new(&machine, &workspace, Some("a1"));
    let id = agent.announce("read", &json!({ "path": "a.txt" }));
    let call = mcp.send_call_of(&id, "read", json!({ "path": "a.txt" }));
    mcp.called("read", call).done();
    mcp.notify("notifications/cancelled", json!({ "requestId": call }));
    agent.call(&mut mcp, "edit", edit("one", "1")).refused("unread");
}

#[test]
fn after_a_restart_of_the_daemon_every_agent_reads_again() {
    let (mut machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut mcp = Mcp::of_claude_code(&machine, &workspace);
    Both::new(&machine, &workspace, Some("a1")).call(&mut mcp, "read", json!({ "path": "a.txt" })).done();
    machine.restart();
    let mut agent = Both { calls: 1, ..Both::new(&machine, &workspace, Some("a1")) };
    agent.call(&mut mcp, "edit", edit("one", "1")).refused("unread");
    agent.call(&mut mcp, "read", json!({ "path": "a.txt" })).done();
    agent.call(&mut mcp, "edit", edit("one", "1")).done();
    assert_eq!(history(&machine, &workspace)[0]["origin"]["agent"], "a1");
}

#[test]
fn more_sub_agents_than_connections_remember_what_they_have_read() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut mcp = Mcp::of_claude_code(&machine, &workspace);
    let names: Vec<_> = (0..20).map(|number| format!("a{number}")).collect();
    for name in &names {
        let mut agent = Both::new(&machine, &workspace, Some(name));
        agent.call(&mut mcp, "read", json!({ "path": "a.txt" })).done();
    }
    let mut asking = machine.agent(&workspace);
    eventually(
        "all but 16 of the connections to end, besides those of the server and of this client",
        || (asking.call("editd/status", json!({})).done()["sessions"] == 18).then_some(()),
    );
    Both { calls: 1, ..Both::new(&machine, &workspace, Some(&names[0])) }
        .call(&mut mcp, "edit", edit("one", "1"))
        .done();
}
