//! Hostile agents and an editor without the editd plugin: nothing that they send controls what the editor shows.

use std::os::unix::fs::symlink;

use rstest::rstest;
use serde_json::{Value, json};

use super::review::{Scene, scene};
use crate::support::{Agent, Editor, Kind, Machine, Outcome, Workspace, eventually};

/// Clears the screen, sets the title, begins a line, and changes the colour and the direction of text.
const EVIL: &str = "\u{1b}[2J\u{1b}]0;owned\u{7}\r\n\u{9b}31m\u{202e}\u{200b}";

/// Returns `true` for characters that control a terminal, or that a reader does not see.
fn is_evil(c: char) -> bool {
    (c.is_control() && c != '\t') || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}')
}

/// Members of messages that no editor shows as they are: texts of documents, and data that comes back in a command.
const NOT_SHOWN: [&str; 2] = ["newText", "arguments"];

/// Asserts that no text of a message, except of a document, has a control or hidden character. Only the message of a
/// diagnostic has several lines.
#[track_caller]
fn assert_harmless(method: &str, message: &Value) {
    match message {
        Value::String(text) => {
            let is_harmful = |c: char| is_evil(c) && !(c == '\n' && method == "message of a diagnostic");
            assert!(!text.contains(is_harmful), "{method}: {text:?}");
        }
        Value::Array(all) => all.iter().for_each(|one| assert_harmless(method, one)),
        Value::Object(members) => {
            for (name, value) in members.iter().filter(|(name, _)| !NOT_SHOWN.contains(&name.as_str())) {
                assert!(!name.contains(is_evil), "{method}: {name:?}");
                let is_diagnostic = method == "textDocument/publishDiagnostics" && name == "message";
                assert_harmless(if is_diagnostic { "message of a diagnostic" } else { method }, value);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Proposes hostile changes of `a.txt` and of a file with a hostile name, and a new file.
fn propose(scene: &Scene) -> (Agent, Value) {
    let file = format!("{EVIL}.txt");
    let mut agent = scene.machine.agent_named(&format!("mallory{EVIL}"), &scene.workspace);
    agent.read_all(&["a.txt", &file]);
    let edits = json!([{ "oldText": "two", "newText": format!("2{EVIL}2") }]);
    let changes = json!([
        { "kind": "edit", "path": "a.txt", "edits": edits },
        { "kind": "edit", "path": file, "edits": edits },
        { "kind": "write", "path": format!("new{EVIL}"), "content": EVIL },
    ]);
    let call = json!({ "label": format!("{EVIL}Label{EVIL}"), "changes": changes });
    let pending = agent.call("editd/edit", call).done();
    assert_eq!(pending["state"], "pending", "{pending}");
    (agent, pending)
}

/// Returns the messages for the user that contain this text.
fn messages(scene: &Scene, part: &str) -> Vec<Value> {
    let told = scene.editor.told("window/showMessage");
    told.into_iter().filter(|told| told["message"].as_str().expect("a text").contains(part)).collect()
}

#[test]
fn nothing_raw_of_a_hostile_proposal_is_shown() {
    let scene = scene(json!({ "capabilities": {
        "window": null,
        "textDocument": { "codeLens": {} },
        "workspace": { "codeLens": { "refreshSupport": true } },
    }}));
    scene.workspace.put(&format!("{EVIL}.txt"), "one\ntwo\n");
    let other = scene.editor.open(&scene.workspace, &format!("{EVIL}.txt"));
    let (mut agent, pending) = propose(&scene);
    eventually("an announcement", || (!messages(&scene, "mallory").is_empty()).then_some(()));
    eventually("hints in both documents", || {
        let told = scene.editor.told("textDocument/publishDiagnostics");
        [&scene.uri, &other].iter().all(|uri| told.iter().any(|told| told["uri"] == **uri)).then_some(())
    });
    for uri in [&scene.uri, &other] {
        let document = json!({ "textDocument": { "uri": uri } });
        let lenses = scene.editor.call("textDocument/codeLens", document);
        assert_eq!(lenses.as_array().map(Vec::len), Some(3), "{lenses}");
        assert_harmless("textDocument/codeLens", &lenses);
    }
    let actions = scene.actions_at(1);
    let titles: Vec<_> = actions.iter().map(|action| action["title"].as_str().expect("a title")).collect();
    assert!(titles[0].contains("mallory") && titles[0].contains("Label"), "{titles:?}");
    assert!(titles.iter().any(|title| title.contains("3 files: this one, ")), "{titles:?}");
    assert_harmless("textDocument/codeAction", &json!(actions));
    // A message with the path, as the editor cannot show documents.
    let from = json!({ "path": scene.workspace.absolute("a.txt"), "line": 0 });
    for command in ["editd.next", "editd.previous"] {
        scene.run(&json!({ "command": command, "arguments": [from] }));
    }
    eventually("messages with a path", || (!messages(&scene, ".txt, line ").is_empty()).then_some(()));
    let shown = scene.run(&json!({ "command": "editd.showDiff", "arguments": [{ "id": pending["id"] }] }));
    assert_eq!(shown["error"], Value::Null);
    // A refusal that names the path.
    let policy = "[[rules]]\npattern = \"*.txt\"\nclass = \"never\"\noperations = [\"modify\"]\n";
    scene.machine.write_policy(policy);
    let take = json!([{ "id": pending["id"], "revision": 1, "hunks": ["h1", "h2", "h3"] }]);
    let answer = scene.run(&json!({ "command": "editd.take", "arguments": take }));
    assert!(answer["error"]["data"]["kind"].is_string(), "{answer}");
    assert_harmless("error", &answer["error"]["message"]);
    eventually("an error", || messages(&scene, "").into_iter().find(|told| told["type"] == 1));
    agent.call("editd/discard", json!({ "id": pending["id"] })).done();
    scene.editor.settle();
    for (method, params) in scene.editor.received() {
        assert_harmless(&method, &params);
    }
}

#[test]
fn nothing_raw_of_a_hostile_command_is_shown() {
    let scene = scene(json!({ "capabilities": { "window": null, "textDocument": { "codeLens": {} } } }));
    scene.workspace.put("c.txt", format!("one\n{EVIL}\n"));
    let mut agent = scene.machine.agent_named(&format!("mallory{EVIL}"), &scene.workspace);
    let begun = agent.call("editd/runBegin", json!({ "command": format!("make {EVIL}") })).done();
    scene.workspace.put("c.txt", "one\ntwo\n");
    scene.workspace.put(&format!("{EVIL}.txt"), EVIL);
    symlink(EVIL, scene.workspace.path("link")).expect("a link");
    agent.call("editd/runEnd", json!({ "run": begun["run"] })).done();
    let uri = scene.editor.open(&scene.workspace, "c.txt");
    eventually("a hint with the text before", || {
        let told = scene.editor.told("textDocument/publishDiagnostics");
        let hint = told.iter().rfind(|told| told["uri"] == uri)?["diagnostics"][0]["message"].clone();
        hint.as_str()?.contains("⟨U+001B⟩[2J").then_some(())
    });
    let lenses = scene.editor.call("textDocument/codeLens", json!({ "textDocument": { "uri": uri } }));
    assert_harmless("textDocument/codeLens", &lenses);
    let at = json!({ "line": 1, "character": 0 });
    let params = json!({
        "textDocument": { "uri": uri }, "range": { "start": at, "end": at }, "context": { "diagnostics": [] },
    });
    let actions = scene.editor.call("textDocument/codeAction", params);
    assert!(actions.to_string().contains("keep all"), "{actions}");
    assert_harmless("textDocument/codeAction", &actions);
    let from = json!({ "path": scene.workspace.absolute("c.txt"), "line": 1 });
    scene.run(&json!({ "command": "editd.next", "arguments": [from] }));
    scene.editor.settle();
    for (method, params) in scene.editor.received() {
        assert_harmless(&method, &params);
    }
}

#[rstest]
#[case(Kind::Plugin)]
#[case(Kind::Plain)]
fn nothing_raw_of_a_hostile_change_is_shown(#[case] kind: Kind) {
    let machine = Machine::configured("save = \"ask\"\n");
    let file = format!("{EVIL}.txt");
    let workspace = Workspace::file(&file, "one\ntwo\n");
    let editor = Editor::start(&machine, &workspace, kind);
    let uri = editor.open(&workspace, &file);
    editor.replace(&uri, "one", "typed");
    let mut agent = machine.agent_named(&format!("mallory{EVIL}"), &workspace);
    agent.read(&file);
    let label = format!("{EVIL}Label\nof two lines{EVIL}");
    let edit = json!({ "label": label, "path": file, "oldText": "two", "newText": EVIL });
    agent.call("editd/edit", edit).done();
    if kind == Kind::Plugin {
        eventually("a question", || editor.requests("window/showMessageRequest").pop());
    }
    editor.settle();
    assert!(editor.text(&uri).starts_with("typed\n"));
    for (method, params) in editor.received() {
        assert_harmless(&method, &params);
    }
}
