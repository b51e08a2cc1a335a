//! Names of authors and labels: nothing that an agent calls itself makes it a person, or misleads one.

use rstest::rstest;
use serde_json::{Value, json};

use crate::review::scene::reviewer;
use crate::support::{Agent, Framing, Machine, Mcp, Outcome, Workspace, eventually};

fn edited_by(machine: &Machine, workspace: &Workspace, name: &str, label: &str) -> Value {
    let mut agent = machine.agent_named(name, workspace);
    agent.read("a.txt");
    let now = workspace.text("a.txt");
    let params = json!({ "path": "a.txt", "oldText": now, "newText": format!("{now}x"), "label": label });
    agent.call("editd/edit", params).done();
    agent.history()[0].clone()
}

#[rstest]
#[case::of_the_command_line("terminal", "terminal (agent)")]
#[case::in_another_case(" Terminal ", "Terminal (agent)")]
#[case::with_a_hidden_character("ter\u{200b}minal", "terminal (agent)")]
#[case::in_wide_letters("ｔｅｒｍｉｎａｌ", "ｔｅｒｍｉｎａｌ (agent)")]
#[case::of_an_editor("editor", "editor (agent)")]
#[case::of_the_disk("disk", "disk (agent)")]
#[case::of_a_known_editor("Neovim", "Neovim (agent)")]
#[case::of_a_connected_editor("ada's pencil", "ada's pencil (agent)")]
#[case::of_nothing("\u{202e} \n", "unknown")]
#[case::with_escapes("ada\u{1b}[31m\u{202e}\r\nbob", "ada [31m bob")]
#[case::free("claude-code", "claude-code")]
fn the_name_of_a_person_is_not_given_to_agents(#[case] name: &str, #[case] author: &str) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut editor = Agent::connect_as_editor(&machine);
    editor.initialize(workspace.session("Ada's  Pencil")).done();
    assert_eq!(edited_by(&machine, &workspace, name, "it")["author"], author);
}

#[test]
fn an_agent_with_the_name_of_a_person_cannot_undo_what_the_person_did() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut person = person(&machine, &workspace);
    person.read("a.txt");
    let made = person.edit("a.txt", "one", "two").done();
    assert_eq!(person.history()[0]["author"], "terminal");
    let mut agent = machine.agent_named("terminal", &workspace);
    agent.call("editd/undo", json!({ "transaction": made["transaction"] })).refused("missing");
    agent.call("editd/undo", json!({})).refused("missing");
    assert_eq!(workspace.text("a.txt"), "two\n");
    person.call("editd/undo", json!({ "transaction": made["transaction"] })).done();
}

/// Opens a session of a person who confirms changes at the command line.
fn person(machine: &Machine, workspace: &Workspace) -> Agent {
    let mut person = Agent::connect_as_editor(machine);
    let mut session = workspace.session("terminal");
    session["capabilities"]["experimental"]["editd"]["agent"] = json!(true);
    person.initialize(session).done();
    person
}

#[test]
fn an_mcp_client_cannot_have_the_name_of_a_person() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut mcp = Mcp::with(&machine, workspace.root(), &[]);
    mcp.introduce_as("terminal", "2025-06-18", json!({}));
    mcp.call("read", json!({ "path": "a.txt" }));
    mcp.call("edit", json!({ "path": "a.txt", "old_text": "one", "new_text": "two" }));
    assert_eq!(machine.agent(&workspace).history()[0]["author"], "terminal (agent)");
}

#[test]
fn an_agent_with_the_name_of_a_person_cannot_apply_or_discard_what_the_person_is_asked_about() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut person = person(&machine, &workspace);
    person.read("a.txt");
    let asked = json!({ "path": "a.txt", "oldText": "one", "newText": "two", "review": true });
    let id = person.call("editd/edit", asked).done()["id"].clone();
    let mut agent = machine.agent_named("terminal", &workspace);
    for method in ["editd/apply", "editd/discard"] {
        agent.call(method, json!({ "id": id })).refused("unknown_proposal");
    }
    assert_eq!(workspace.text("a.txt"), "one\n");
    assert_eq!(person.call("editd/proposal", json!({ "id": id })).done()["state"], "pending");
    person.call("editd/discard", json!({ "id": id })).done();
}

#[test]
fn the_commands_of_an_agent_with_the_name_of_a_person_are_reviewed() {
    let (machine, workspace) =
        (Machine::configured("review = \"auto\"\n"), Workspace::file("a.txt", "one\n"));
    let mut editor = reviewer(&machine, &workspace);
    let mut agent = machine.agent_named("terminal", &workspace);
    let begun = agent.call("editd/runBegin", json!({ "command": "format" })).done();
    workspace.put("a.txt", "two\n");
    agent.call("editd/runEnd", json!({ "run": begun["run"], "exitCode": 0 })).done();
    let review = eventually("the review of the command", || {
        let listed = editor.call("editd/proposals", json!({ "state": "landed" })).done();
        listed["proposals"].get(0).cloned()
    });
    assert_eq!(review["author"], "terminal (agent)");
    for taken in ["terminal", "editor", "disk"] {
        let mut command = machine.command(&["run", "--as", taken, "--", "touch", "b.txt"]);
        let output = command.current_dir(workspace.root()).output().expect("editd can be run");
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && told.contains("cannot be an author"), "{told}");
    }
    assert!(!workspace.has("b.txt"));
}

#[test]
fn a_person_with_the_rights_of_an_agent_is_bound_by_the_path_rules() {
    let (machine, workspace) = (Machine::start(), Workspace::file(".env", "A=1\n"));
    let mut person = person(&machine, &workspace);
    person.call("editd/read", json!({ "path": ".env" })).refused("protected");
}

#[test]
fn long_names_and_labels_are_cut() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let entry = edited_by(&machine, &workspace, &"n".repeat(1 << 20), &"\u{1b}é".repeat(1 << 20));
    let length = |field: &str| entry[field].as_str().expect("a text").chars().count();
    assert_eq!((length("author"), length("label")), (64, 2049));
}

#[test]
fn the_history_keeps_the_changes_of_others_when_an_agent_sends_huge_names() {
    let machine = Machine::configured("[limits]\nhistory_bytes = 1048576\n");
    let workspace = Workspace::file("a.txt", "one\n");
    let first = edited_by(&machine, &workspace, "alice", "mine");
    for _ in 0..4 {
        edited_by(&machine, &workspace, &"m".repeat(1 << 20), &"l".repeat(1 << 20));
    }
    let mut alice = machine.agent_named("alice", &workspace);
    assert!(alice.history().iter().any(|entry| entry["transaction"] == first["transaction"]));
}

#[test]
fn an_editor_can_list_the_proposals_of_an_agent_with_a_huge_name() {
    let (machine, workspace) =
        (Machine::configured("review = \"always\"\n"), Workspace::file("a.txt", "one\n"));
    let mut editor = machine.editor(&workspace);
    for number in 0..8 {
        let mut agent = Agent::connect(&machine, Framing::Lines);
        agent.initialize(workspace.session(&format!("{number}{}", "n".repeat(4 << 20)))).done();
        agent.read("a.txt");
        let change = json!({ "kind": "write", "path": format!("{number}.txt"), "content": "new\n" });
        agent.call("editd/edit", json!({ "label": "l".repeat(4 << 20), "changes": [change] })).done();
    }
    assert_eq!(
        editor.call("editd/proposals", json!({})).done()["proposals"].as_array().map(Vec::len),
        Some(8)
    );
}
