//! Diagnostics of editors, including those that a change causes.

use std::time::{Duration, Instant};

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Agent, Editor, Kind, Machine, Outcome, Workspace, eventually, hash_of, uri_of};

/// Starts an editor that sends diagnostics.
fn reporting_editor(machine: &Machine, workspace: &Workspace, encoding: &str) -> Editor {
    let more = json!({ "capabilities": { "experimental": { "editd": { "diagnostics": true } } } });
    Editor::announcing(machine, workspace, Kind::Plugin, ("editor", encoding), &more).0
}

fn diagnostic(line: u32, character: u32, message: &str) -> Value {
    let at = |character| json!({ "line": line, "character": character });
    let range = json!({ "start": at(character), "end": at(character + 1) });
    json!({ "range": range, "severity": 1, "source": "check", "message": message, "code": 7 })
}

fn report(editor: &Editor, uri: &str, version: i32, items: &[Value]) {
    editor.notify("editd/diagnosticsChanged", json!({ "uri": uri, "version": version, "items": items }));
    editor.settle();
}

fn items(agent: &mut Agent, params: Value) -> Vec<Value> {
    let listed = agent.call("editd/diagnostics", params).done();
    listed["items"].as_array().unwrap_or_else(|| panic!("no items in {listed}")).clone()
}

/// Reads `a.txt` and sends an edit of it that waits for diagnostics.
fn edit(agent: &mut Agent, old: &str, new: &str, wait: u64) -> u64 {
    agent.read("a.txt");
    let params = json!({ "path": "a.txt", "oldText": old, "newText": new, "diagnosticsWaitMs": wait });
    agent.send("editd/edit", params)
}

fn messages(answer: &Value) -> Vec<&str> {
    let diagnostics = answer["diagnostics"].as_array().unwrap_or_else(|| panic!("none in {answer}"));
    diagnostics.iter().map(|one| one["message"].as_str().expect("a message")).collect()
}

#[rstest]
#[case("utf-16", 3)]
#[case("utf-8", 5)]
fn an_agent_receives_diagnostics_in_its_position_encoding(#[case] encoding: &str, #[case] character: u32) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n😀 two\n"));
    let editor = reporting_editor(&machine, &workspace, encoding);
    let uri = editor.open(&workspace, "a.txt");
    report(&editor, &uri, 1, &[diagnostic(1, character, "no such word")]);
    let listed = items(&mut machine.agent(&workspace), json!({}));
    let at = |character| json!({ "line": 1, "character": character });
    let expected = json!([{
        "path": workspace.absolute("a.txt"), "range": { "start": at(3), "end": at(4) },
        "severity": "error", "message": "no such word", "source": "check",
        "hash": hash_of("one\n😀 two\n"),
    }]);
    assert_eq!(json!(listed), expected);
    assert_eq!(
        editor.told("textDocument/publishDiagnostics"),
        [] as [Value; 0],
        "the editor knows its own diagnostics"
    );
}

#[test]
fn diagnostics_are_dropped_when_the_document_or_the_editor_is_closed() {
    let (machine, workspace) = (Machine::start(), Workspace::with(&[("a.txt", "a\n"), ("b.txt", "b\n")]));
    let (editor, mut agent) = (reporting_editor(&machine, &workspace, "utf-16"), machine.agent(&workspace));
    let (a, b) = (editor.open(&workspace, "a.txt"), editor.open(&workspace, "b.txt"));
    report(&editor, &a, 1, &[diagnostic(0, 0, "one"), diagnostic(0, 0, "two")]);
    report(&editor, &b, 1, &[diagnostic(0, 0, "three")]);
    assert_eq!(items(&mut agent, json!({})).len(), 3);
    assert_eq!(agent.call("editd/status", json!({})).done()["diagnostics"], 3);
    assert_eq!(items(&mut agent, json!({ "path": "b.txt" })).len(), 1);
    report(&editor, &a, 1, &[diagnostic(0, 0, "four")]);
    assert_eq!(items(&mut agent, json!({ "path": "a.txt" }))[0]["message"], "four");
    editor.close(&a);
    assert_eq!(items(&mut agent, json!({})).len(), 1);
    drop(editor);
    eventually("nothing to be left", || items(&mut agent, json!({})).is_empty().then_some(()));
}

#[test]
fn diagnostics_of_an_older_text_have_no_hash() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let editor = reporting_editor(&machine, &workspace, "utf-16");
    let uri = editor.open(&workspace, "a.txt");
    report(&editor, &uri, 1, &[diagnostic(0, 0, "no such word")]);
    editor.type_at_start(&uri, "zero\n");
    let listed = items(&mut machine.agent(&workspace), json!({ "uri": uri }));
    assert_eq!((&listed[0]["hash"], &listed[0]["range"]["start"]["line"]), (&Value::Null, &json!(0)));
}

#[test]
fn diagnostics_of_unreadable_files_are_omitted() {
    let (machine, workspace) = (Machine::start(), Workspace::with(&[(".env", "A=1\n"), ("a.txt", "a\n")]));
    let elsewhere = Workspace::file("b.txt", "b\n");
    let editor = reporting_editor(&machine, &workspace, "utf-16");
    for path in [workspace.path(".env"), workspace.path("a.txt"), elsewhere.path("b.txt")] {
        report(&editor, &uri_of(&path), 1, &[diagnostic(0, 0, "wrong")]);
    }
    let mut agent = machine.agent(&workspace);
    let listed = items(&mut agent, json!({}));
    let paths: Vec<_> = listed.iter().map(|item| item["path"].as_str().expect("a path")).collect();
    assert_eq!(paths, [workspace.absolute("a.txt")]);
    agent.call("editd/diagnostics", json!({ "path": ".env" })).refused("protected");
    let outside = json!({ "path": elsewhere.absolute("b.txt") });
    agent.call("editd/diagnostics", outside).refused("outside_workspace");
    agent.call("editd/diagnostics", json!({ "file": "a.txt" })).invalid("file");
}

#[test]
fn diagnostics_of_agents_are_ignored() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "a\n"));
    let mut agent = machine.agent(&workspace);
    let uri = uri_of(&workspace.path("a.txt"));
    agent.notify(
        "editd/diagnosticsChanged",
        json!({ "uri": uri, "version": 1, "items": [diagnostic(0, 0, "x")] }),
    );
    assert_eq!(items(&mut agent, json!({})), [] as [Value; 0]);
}

#[test]
fn malformed_diagnostics_are_ignored() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "a\n"));
    let editor = reporting_editor(&machine, &workspace, "utf-16");
    let uri = editor.open(&workspace, "a.txt");
    for params in [json!({}), json!([]), json!({ "uri": 7 }), json!({ "uri": uri, "items": 7 })] {
        editor.notify("editd/diagnosticsChanged", params);
    }
    editor
        .notify("editd/diagnosticsChanged", json!({ "uri": "untitled:1", "items": [diagnostic(0, 0, "x")] }));
    report(&editor, &uri, 1, &[json!(7), diagnostic(99, 99, "beyond the end")]);
    let listed = items(&mut machine.agent(&workspace), json!({}));
    assert_eq!((listed.len(), &listed[0]["message"]), (1, &json!("beyond the end")));
}

#[test]
fn an_edit_returns_new_diagnostics_on_request() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo\nthree\n"));
    let editor = reporting_editor(&machine, &workspace, "utf-16");
    let uri = editor.open(&workspace, "a.txt");
    report(&editor, &uri, 1, &[diagnostic(2, 0, "known")]);
    let mut agent = machine.agent(&workspace);
    let asked = edit(&mut agent, "one", "1\none and a half", 30_000);
    eventually("the edit to be applied", || editor.text(&uri).starts_with('1').then_some(()));
    report(&editor, &uri, 1, &[diagnostic(0, 0, "late diagnostic of the old text")]);
    report(&editor, &uri, 2, &[diagnostic(3, 0, "known"), diagnostic(1, 4, "new")]);
    let answer = agent.answer(asked).done();
    assert_eq!(messages(&answer), ["new"]);
    let listed = &answer["diagnostics"][0];
    assert_eq!((&listed["hash"], &listed["severity"]), (&answer["files"][0]["hash"], &json!("error")));
}

#[test]
fn apply_waits_for_diagnostics_too() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let editor = reporting_editor(&machine, &workspace, "utf-16");
    let uri = editor.open(&workspace, "a.txt");
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let proposal = agent.propose("a.txt", "one", "two").done();
    let asked = agent.send("editd/apply", json!({ "id": proposal["id"], "diagnosticsWaitMs": 30_000 }));
    eventually("the change to be applied", || (editor.text(&uri) == "two\n").then_some(()));
    report(&editor, &uri, 2, &[diagnostic(0, 0, "new")]);
    assert_eq!(messages(&agent.answer(asked).done()), ["new"]);
}

#[test]
fn without_a_reporting_editor_an_edit_does_not_wait() {
    let (machine, workspace) = (Machine::start(), Workspace::with(&[("a.txt", "one\n"), ("b.txt", "b\n")]));
    let editor = reporting_editor(&machine, &workspace, "utf-16");
    editor.open(&workspace, "b.txt");
    let silent = Editor::named(&machine, &workspace, Kind::Plugin, "silent", "utf-16");
    silent.open(&workspace, "a.txt");
    let mut agent = machine.agent(&workspace);
    let since = Instant::now();
    let asked = edit(&mut agent, "one", "two", 10_000);
    assert_eq!(messages(&agent.answer(asked).done()), [] as [&str; 0]);
    assert!(since.elapsed() < Duration::from_secs(5), "{:?}", since.elapsed());
    let plain = agent.edit("a.txt", "two", "three").done();
    assert!(plain.get("diagnostics").is_none(), "not requested: {plain}");
}

#[test]
fn the_wait_times_out_and_blocks_no_other_request() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let editor = reporting_editor(&machine, &workspace, "utf-16");
    let uri = editor.open(&workspace, "a.txt");
    report(&editor, &uri, 1, &[diagnostic(0, 0, "known")]);
    let (mut agent, mut other) = (machine.agent(&workspace), machine.agent_named("bob", &workspace));
    let waits = edit(&mut agent, "one", "two", 30_000);
    eventually("the edit to be applied", || (editor.text(&uri) == "two\n").then_some(()));
    other.read_and_edit("a.txt", "two", "three").done();
    agent.read("a.txt");
    let since = Instant::now();
    let short = edit(&mut agent, "three", "four", 300);
    assert_eq!(messages(&agent.answer(short).done()), [] as [&str; 0]);
    assert!(since.elapsed() >= Duration::from_millis(300));
    drop(editor);
    assert_eq!(
        messages(&agent.answer(waits).done()),
        [] as [&str; 0],
        "a disconnected editor reports nothing"
    );
}

#[test]
fn a_refused_edit_does_not_wait() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let editor = reporting_editor(&machine, &workspace, "utf-16");
    editor.open(&workspace, "a.txt");
    let mut agent = machine.agent(&workspace);
    let asked = edit(&mut agent, "six", "seven", 10_000);
    agent.answer(asked).refused("not_found");
}
