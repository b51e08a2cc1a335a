//! Names of authors and labels: nothing that an agent calls itself makes it a person, or misleads one.

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Agent, Framing, Machine, Outcome, Workspace};

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
    let mut person = Agent::connect_as_editor(&machine);
    let mut session = workspace.session("terminal");
    session["capabilities"]["experimental"]["editd"]["agent"] = json!(true);
    person.initialize(session).done();
    person.read("a.txt");
    let made = person.edit("a.txt", "one", "two").done();
    assert_eq!(person.history()[0]["author"], "terminal");
    let mut agent = machine.agent_named("terminal", &workspace);
    agent.call("editd/undo", json!({ "transaction": made["transaction"] })).refused("missing");
    agent.call("editd/undo", json!({})).refused("missing");
    assert_eq!(workspace.text("a.txt"), "two\n");
    person.call("editd/undo", json!({ "transaction": made["transaction"] })).done();
}

#[test]
fn a_person_with_the_rights_of_an_agent_is_bound_by_the_path_rules() {
    let (machine, workspace) = (Machine::start(), Workspace::file(".env", "A=1\n"));
    let mut person = Agent::connect_as_editor(&machine);
    let mut session = workspace.session("terminal");
    session["capabilities"]["experimental"]["editd"]["agent"] = json!(true);
    person.initialize(session).done();
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
