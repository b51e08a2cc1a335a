//! Claude Code reports events by a tool of `editd mcp`, whose arguments are in the hooks that `editd connect` writes.

use std::fs;
use std::path::PathBuf;

use rstest::rstest;
use serde_json::{Value, json};

use super::claude::{Claude, Form, history, made, refused};
use crate::review::scene::reviewer;
use crate::support::{Agent, Machine, Mcp, Outcome, Workspace, eventually};

/// A configuration with which an attached editor reviews changes.
const REVIEWED: &str = "review = \"auto\"\n";

/// `editd mcp`, and the input of the hooks that call it.
pub(super) struct Server {
    mcp: Mcp,
    input: Value,
}

impl Server {
    pub(super) fn start(machine: &Machine, workspace: &Workspace) -> Self {
        let settings = connect(machine, &["--mcp"]);
        let input = settings["hooks"]["PreToolUse"][0]["hooks"][0]["input"].clone();
        Self { mcp: Mcp::of_claude_code(machine, workspace), input }
    }

    /// Reports an event. Returns the answer, or null if there is none.
    pub(super) fn report(&mut self, event: &Value) -> Value {
        let id = self.send(event);
        self.answer(id)
    }

    fn send(&mut self, event: &Value) -> u64 {
        self.mcp.send_call("gate", arguments(&self.input, event))
    }

    fn answer(&mut self, id: u64) -> Value {
        let answer = self.mcp.answer(id);
        let result = &answer["result"];
        assert_ne!(result["isError"], true, "Claude Code ignores what an error says: {answer}");
        let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {answer}"));
        let answer: Value = serde_json::from_str(text).expect("an answer");
        if answer == json!({}) { Value::Null } else { answer }
    }
}

/// Replaces the references in the input of a hook by the members of an event, as Claude Code does.
fn arguments(input: &Value, event: &Value) -> Value {
    let inserted = |reference: &Value| {
        let reference = reference.as_str().expect("a text");
        let name = reference.strip_prefix("${").and_then(|name| name.strip_suffix('}')).expect("a reference");
        match &event[name] {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            other => other.to_string(),
        }
    };
    let members = input.as_object().expect("an object").iter();
    members.map(|(name, reference)| (name.clone(), Value::from(inserted(reference)))).collect()
}

fn settings_file(machine: &Machine) -> PathBuf {
    machine.home().join(".claude/settings.json")
}

/// Runs `editd connect claude`. Returns the settings.
fn connect(machine: &Machine, options: &[&str]) -> Value {
    let output = machine.run(&[&["connect", "claude", "--yes"], options].concat());
    assert!(output.status.success(), "{output:?}");
    let settings = fs::read_to_string(settings_file(machine)).expect("the settings");
    serde_json::from_str(&settings).expect("JSON")
}

fn event(workspace: &Workspace, name: &str, tool: &str, input: &Value) -> Value {
    json!({
        "hook_event_name": name, "session_id": "0b1c7d2e-9a53-4c1b-8f0e-6d7a12f4b001",
        "cwd": workspace.root().to_str(), "tool_name": tool, "tool_use_id": "t", "tool_input": input,
    })
}

fn edit(workspace: &Workspace) -> Value {
    let path = workspace.absolute("a.txt");
    let input = json!({ "file_path": path, "old_string": "one", "new_string": "1" });
    event(workspace, "PreToolUse", "Edit", &input)
}

fn next_pending(editor: &mut Agent) -> Value {
    eventually("a proposal", || {
        let pending = editor.call("editd/proposals", json!({ "state": "pending" })).done();
        Some(pending["proposals"][0].clone()).filter(|proposal| !proposal.is_null())
    })
}

fn accept(editor: &mut Agent, pending: &Value) {
    let decision = json!({ "id": pending["id"], "revision": pending["revision"], "accept": "all" });
    editor.call("editd/decide", decision).done();
}

/// Reads the file, and reports an edit that waits for a person.
fn waiting_edit(machine: &Machine, workspace: &Workspace) -> (Server, Agent, Value, u64) {
    let editor = reviewer(machine, workspace);
    let claude = Form::Server.claude(machine, workspace);
    claude.read("a.txt");
    let mut server = claude.server.expect("a server").into_inner();
    let call = server.send(&edit(workspace));
    let mut editor = editor;
    let pending = next_pending(&mut editor);
    (server, editor, pending, call)
}

#[test]
fn an_event_that_waits_for_a_person_holds_up_no_other_call() {
    let (machine, workspace) = (Machine::configured(REVIEWED), Workspace::file("a.txt", "one\n"));
    let (mut server, mut editor, pending, call) = waiting_edit(&machine, &workspace);
    server.mcp.call("read", json!({ "path": "a.txt" })).done();
    let other =
        event(&workspace, "PreToolUse", "Write", &json!({ "file_path": ".env", "content": "KEY=1\n" }));
    assert_eq!(server.report(&other)["hookSpecificOutput"]["permissionDecision"], "deny");
    accept(&mut editor, &pending);
    assert_eq!(server.answer(call), Value::Null, "the tool makes the accepted change");
    assert_eq!(workspace.text("a.txt"), "one\n");
}

#[test]
fn an_edit_whose_event_is_cancelled_is_written_by_editd_when_it_is_accepted() {
    let (machine, workspace) = (Machine::configured(REVIEWED), Workspace::file("a.txt", "one\n"));
    let (mut server, mut editor, pending, call) = waiting_edit(&machine, &workspace);
    server.mcp.notify("notifications/cancelled", json!({ "requestId": call }));
    eventually("the end of the connection", || {
        let status = editor.call("editd/status", json!({})).done();
        (status["sessions"] == 1).then_some(())
    });
    accept(&mut editor, &pending);
    assert_eq!(workspace.text("a.txt"), "1\n");
    assert_eq!(history(&machine, &workspace)[0]["author"], "claude-code");
}

#[test]
fn an_event_that_waits_ends_with_the_client() {
    let (machine, workspace) = (Machine::configured(REVIEWED), Workspace::file("a.txt", "one\n"));
    let (server, mut editor, pending, _) = waiting_edit(&machine, &workspace);
    let (status, errors) = server.mcp.until_ended();
    assert!(status.success() && errors.is_empty(), "{status}: {errors}");
    eventually("the end of the connection", || {
        let status = editor.call("editd/status", json!({})).done();
        (status["sessions"] == 1).then_some(())
    });
    accept(&mut editor, &pending);
    assert_eq!(workspace.text("a.txt"), "1\n");
}

#[test]
fn the_tool_is_neither_listed_nor_answered_for_other_clients() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut server = Server::start(&machine, &workspace);
    assert!(server.mcp.tools().iter().all(|tool| tool["name"] != "gate"));
    let mut other = Mcp::start(&machine, &workspace);
    let call = other.send_call("gate", arguments(&server.input, &edit(&workspace)));
    let answer = other.answer(call);
    assert!(
        answer["error"]["message"].as_str().is_some_and(|text| text.contains("Unknown tool")),
        "{answer}"
    );
}

#[test]
fn a_call_of_the_server_that_it_is_told_of_belongs_to_the_sub_agent() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut server = Server::start(&machine, &workspace);
    for (id, tool, input) in [
        ("toolu_1", "read", json!({ "path": "a.txt" })),
        ("toolu_2", "edit", json!({ "path": "a.txt", "oldText": "one", "newText": "1" })),
    ] {
        let mut announced = event(&workspace, "PreToolUse", &format!("mcp__editd__{tool}"), &input);
        (announced["tool_use_id"], announced["agent_id"]) = (id.into(), "a1".into());
        announced["prompt_id"] = "turn-1".into();
        assert_eq!(server.report(&announced), Value::Null);
        server.mcp.call_of(id, tool, input).done();
    }
    let origin = json!({ "turn": "turn-1", "agent": "a1", "toolCall": "toolu_2" });
    assert_eq!(history(&machine, &workspace)[0]["origin"], origin);
}

#[test]
fn a_call_that_is_not_valid_unicode_is_refused() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let mut server = Server::start(&machine, &workspace);
    let mut input = arguments(&server.input, &edit(&workspace));
    input["tool_input"] = r#"{ "file_path": "a.txt", "old_string": "", "new_string": "\ud83d" }"#.into();
    let call = server.mcp.send_call("gate", input);
    assert_eq!(server.answer(call)["hookSpecificOutput"]["permissionDecision"], "deny");
}

#[test]
fn events_of_an_unknown_form_are_let_through() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let mut server = Server::start(&machine, &workspace);
    let other = event(&workspace, "PreToolUse", "Bash", &json!({ "command": "ls" }));
    let mut failed = event(&workspace, "PostToolUse", "Edit", &json!({}));
    failed["tool_response"] = "no object".into();
    for event in [json!({}), json!({ "hook_event_name": "PreToolUse", "tool_name": "Edit" }), other, failed] {
        assert_eq!(server.report(&event), Value::Null, "{event}");
    }
}

#[test]
fn without_a_daemon_the_tool_runs_unless_every_change_must_be_reviewed() {
    let workspace = Workspace::file("a.txt", "one\n");
    let machine = Machine::asleep("");
    let input = Server::start(&machine, &workspace).input;
    let report = || {
        let mut mcp = Mcp::of_claude_code_with(&machine, &workspace, &["--no-spawn"]);
        let call = mcp.send_call("gate", arguments(&input, &edit(&workspace)));
        Server { mcp, input: Value::Null }.answer(call)
    };
    let warning = report()["systemMessage"].as_str().expect("a warning").to_owned();
    assert!(warning.contains("editd does not check changes now"), "{warning}");
    assert_eq!(report(), Value::Null, "the second time, nothing is said");
    machine.write_config("review = \"always\"\n");
    assert_eq!(report()["hookSpecificOutput"]["permissionDecision"], "deny");
}

#[test]
fn agents_with_one_server_are_told_apart() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let claude = Form::Server.claude(&machine, &workspace);
    claude.read("a.txt");
    let other = Claude { agent: Some("a1"), ..claude };
    refused(other.edit("a.txt", "one", "1"));
    made(&Claude { agent: None, ..other }.edit("a.txt", "one", "1"));
}

#[rstest]
#[case::from_commands_to_the_server(&[], &["--mcp"])]
#[case::from_the_server_to_commands(&["--mcp"], &[])]
fn connecting_in_the_other_way_replaces_the_hooks(#[case] first: &[&str], #[case] second: &[&str]) {
    let machine = Machine::asleep("");
    let fresh = connect(&Machine::asleep(""), second);
    fs::create_dir_all(machine.home().join(".claude")).expect("a folder");
    let settings = "{\n  \"model\":  \"opus\"\n}\n";
    fs::write(settings_file(&machine), settings).expect("the settings");
    connect(&machine, first);
    assert_eq!(connect(&machine, second)["hooks"], fresh["hooks"]);
    let output = machine.run(&["connect", "claude", "--yes", "--undo"]);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(fs::read_to_string(settings_file(&machine)).expect("the settings"), settings);
}

#[test]
fn the_user_is_told_to_add_the_server_until_claude_code_knows_it() {
    let machine = Machine::asleep("");
    let said = |arguments: &[&str]| {
        let output = machine.run(arguments);
        String::from_utf8_lossy(&output.stdout).split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let connected = said(&["connect", "claude", "--mcp", "--yes"]);
    let command = "claude mcp add-json --scope user editd '{";
    assert!(connected.contains(command), "{connected}");
    assert!(said(&["doctor"]).contains("so edits are not checked"));
    let servers = r#"{ "mcpServers": { "editd": { "command": "editd", "args": ["mcp"] } } }"#;
    fs::write(machine.home().join(".claude.json"), servers).expect("the servers");
    let again = said(&["connect", "claude", "--mcp", "--yes"]);
    assert!(again.contains("is connected already") && !again.contains(command), "{again}");
    let doctor = said(&["doctor"]);
    assert!(doctor.contains("Claude Code connected in") && !doctor.contains("not checked"), "{doctor}");
}

#[test]
fn only_claude_code_can_call_the_server() {
    let output = Machine::asleep("").run(&["connect", "codex", "--mcp", "--yes"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("omit --mcp"), "{output:?}");
}
