//! What editors say is wrong, and what a change has made wrong.

use std::time::{Duration, Instant};

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Agent, Editor, Kind, Machine, Outcome, Workspace, eventually, hash_of, uri_of};

/// An editor that tells diagnostics.
fn telling(machine: &Machine, workspace: &Workspace, encoding: &str) -> Editor {
    let more = json!({ "capabilities": { "experimental": { "editd": { "diagnostics": true } } } });
    Editor::announcing(machine, workspace, Kind::Plugin, ("editor", encoding), &more).0
}

fn wrong(line: u32, character: u32, message: &str) -> Value {
    let at = |character| json!({ "line": line, "character": character });
    let range = json!({ "start": at(character), "end": at(character + 1) });
    json!({ "range": range, "severity": 1, "source": "check", "message": message, "code": 7 })
}

fn tell(editor: &Editor, uri: &str, version: i32, items: &[Value]) {
    editor.notify("editd/diagnosticsChanged", json!({ "uri": uri, "version": version, "items": items }));
    editor.settle();
}

fn items(agent: &mut Agent, params: Value) -> Vec<Value> {
    let told = agent.call("editd/diagnostics", params).done();
    told["items"].as_array().unwrap_or_else(|| panic!("no items in {told}")).clone()
}

/// An edit of `a.txt` that has been read, and waits.
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
fn an_agent_is_told_what_is_wrong_in_its_own_positions(#[case] encoding: &str, #[case] character: u32) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n😀 two\n"));
    let editor = telling(&machine, &workspace, encoding);
    let uri = editor.open(&workspace, "a.txt");
    tell(&editor, &uri, 1, &[wrong(1, character, "no such word")]);
    let told = items(&mut machine.agent(&workspace), json!({}));
    let at = |character| json!({ "line": 1, "character": character });
    let expected = json!([{
        "path": workspace.absolute("a.txt"), "range": { "start": at(3), "end": at(4) },
        "severity": "error", "message": "no such word", "source": "check",
        "hash": hash_of("one\n😀 two\n"),
    }]);
    assert_eq!(json!(told), expected);
    assert_eq!(editor.told("textDocument/publishDiagnostics"), [] as [Value; 0], "it knows them");
}

#[test]
fn what_is_said_counts_until_the_document_is_closed_or_the_editor_is_gone() {
    let (machine, workspace) = (Machine::start(), Workspace::with(&[("a.txt", "a\n"), ("b.txt", "b\n")]));
    let (editor, mut agent) = (telling(&machine, &workspace, "utf-16"), machine.agent(&workspace));
    let (a, b) = (editor.open(&workspace, "a.txt"), editor.open(&workspace, "b.txt"));
    tell(&editor, &a, 1, &[wrong(0, 0, "one"), wrong(0, 0, "two")]);
    tell(&editor, &b, 1, &[wrong(0, 0, "three")]);
    assert_eq!(items(&mut agent, json!({})).len(), 3);
    assert_eq!(agent.call("editd/status", json!({})).done()["diagnostics"], 3);
    assert_eq!(items(&mut agent, json!({ "path": "b.txt" })).len(), 1);
    tell(&editor, &a, 1, &[wrong(0, 0, "four")]);
    assert_eq!(items(&mut agent, json!({ "path": "a.txt" }))[0]["message"], "four");
    editor.close(&a);
    assert_eq!(items(&mut agent, json!({})).len(), 1);
    drop(editor);
    eventually("nothing to be left", || items(&mut agent, json!({})).is_empty().then_some(()));
}

#[test]
fn what_is_about_an_older_text_has_no_hash() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let editor = telling(&machine, &workspace, "utf-16");
    let uri = editor.open(&workspace, "a.txt");
    tell(&editor, &uri, 1, &[wrong(0, 0, "no such word")]);
    editor.type_at_start(&uri, "zero\n");
    let told = items(&mut machine.agent(&workspace), json!({ "uri": uri }));
    assert_eq!((&told[0]["hash"], &told[0]["range"]["start"]["line"]), (&Value::Null, &json!(0)));
}

#[test]
fn nothing_is_said_of_files_that_an_agent_may_not_read() {
    let (machine, workspace) = (Machine::start(), Workspace::with(&[(".env", "A=1\n"), ("a.txt", "a\n")]));
    let elsewhere = Workspace::file("b.txt", "b\n");
    let editor = telling(&machine, &workspace, "utf-16");
    for path in [workspace.path(".env"), workspace.path("a.txt"), elsewhere.path("b.txt")] {
        tell(&editor, &uri_of(&path), 1, &[wrong(0, 0, "wrong")]);
    }
    let mut agent = machine.agent(&workspace);
    let told = items(&mut agent, json!({}));
    let paths: Vec<_> = told.iter().map(|item| item["path"].as_str().expect("a path")).collect();
    assert_eq!(paths, [workspace.absolute("a.txt")]);
    agent.call("editd/diagnostics", json!({ "path": ".env" })).refused("protected");
    let outside = json!({ "path": elsewhere.absolute("b.txt") });
    agent.call("editd/diagnostics", outside).refused("outside_workspace");
    agent.call("editd/diagnostics", json!({ "file": "a.txt" })).invalid("file");
}

#[test]
fn an_agent_cannot_say_what_is_wrong() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "a\n"));
    let mut agent = machine.agent(&workspace);
    let uri = uri_of(&workspace.path("a.txt"));
    agent
        .notify("editd/diagnosticsChanged", json!({ "uri": uri, "version": 1, "items": [wrong(0, 0, "x")] }));
    assert_eq!(items(&mut agent, json!({})), [] as [Value; 0]);
}

#[test]
fn what_makes_no_sense_is_passed_over() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "a\n"));
    let editor = telling(&machine, &workspace, "utf-16");
    let uri = editor.open(&workspace, "a.txt");
    for params in [json!({}), json!([]), json!({ "uri": 7 }), json!({ "uri": uri, "items": 7 })] {
        editor.notify("editd/diagnosticsChanged", params);
    }
    editor.notify("editd/diagnosticsChanged", json!({ "uri": "untitled:1", "items": [wrong(0, 0, "x")] }));
    tell(&editor, &uri, 1, &[json!(7), wrong(99, 99, "beyond the end")]);
    let told = items(&mut machine.agent(&workspace), json!({}));
    assert_eq!((told.len(), &told[0]["message"]), (1, &json!("beyond the end")));
}

#[test]
fn an_edit_that_asks_for_it_is_told_what_it_has_made_wrong() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo\nthree\n"));
    let editor = telling(&machine, &workspace, "utf-16");
    let uri = editor.open(&workspace, "a.txt");
    tell(&editor, &uri, 1, &[wrong(2, 0, "known")]);
    let mut agent = machine.agent(&workspace);
    let asked = edit(&mut agent, "one", "1\none and a half", 30_000);
    eventually("the edit to land", || editor.text(&uri).starts_with('1').then_some(()));
    tell(&editor, &uri, 1, &[wrong(0, 0, "late, of the old text")]);
    tell(&editor, &uri, 2, &[wrong(3, 0, "known"), wrong(1, 4, "new")]);
    let answer = agent.answer(asked).done();
    assert_eq!(messages(&answer), ["new"]);
    let told = &answer["diagnostics"][0];
    assert_eq!((&told["hash"], &told["severity"]), (&answer["files"][0]["hash"], &json!("error")));
}

#[test]
fn apply_waits_as_edit_does() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let editor = telling(&machine, &workspace, "utf-16");
    let uri = editor.open(&workspace, "a.txt");
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let proposal = agent.propose("a.txt", "one", "two").done();
    let asked = agent.send("editd/apply", json!({ "id": proposal["id"], "diagnosticsWaitMs": 30_000 }));
    eventually("the change to land", || (editor.text(&uri) == "two\n").then_some(()));
    tell(&editor, &uri, 2, &[wrong(0, 0, "new")]);
    assert_eq!(messages(&agent.answer(asked).done()), ["new"]);
}

#[test]
fn nobody_waits_where_no_editor_tells() {
    let (machine, workspace) = (Machine::start(), Workspace::with(&[("a.txt", "one\n"), ("b.txt", "b\n")]));
    let editor = telling(&machine, &workspace, "utf-16");
    editor.open(&workspace, "b.txt");
    let silent = Editor::named(&machine, &workspace, Kind::Plugin, "silent", "utf-16");
    silent.open(&workspace, "a.txt");
    let mut agent = machine.agent(&workspace);
    let since = Instant::now();
    let asked = edit(&mut agent, "one", "two", 10_000);
    assert_eq!(messages(&agent.answer(asked).done()), [] as [&str; 0]);
    assert!(since.elapsed() < Duration::from_secs(5), "{:?}", since.elapsed());
    let plain = agent.edit("a.txt", "two", "three").done();
    assert!(plain.get("diagnostics").is_none(), "nobody asked: {plain}");
}

#[test]
fn the_wait_ends_with_its_time_and_holds_nobody_up() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let editor = telling(&machine, &workspace, "utf-16");
    let uri = editor.open(&workspace, "a.txt");
    tell(&editor, &uri, 1, &[wrong(0, 0, "known")]);
    let (mut agent, mut other) = (machine.agent(&workspace), machine.agent_named("bob", &workspace));
    let waits = edit(&mut agent, "one", "two", 30_000);
    eventually("the edit to land", || (editor.text(&uri) == "two\n").then_some(()));
    other.read_and_edit("a.txt", "two", "three").done();
    agent.read("a.txt");
    let since = Instant::now();
    let short = edit(&mut agent, "three", "four", 300);
    assert_eq!(messages(&agent.answer(short).done()), [] as [&str; 0]);
    assert!(since.elapsed() >= Duration::from_millis(300));
    drop(editor);
    assert_eq!(messages(&agent.answer(waits).done()), [] as [&str; 0], "who is gone tells nothing more");
}

#[test]
fn a_change_that_does_nothing_waits_for_nothing() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let editor = telling(&machine, &workspace, "utf-16");
    editor.open(&workspace, "a.txt");
    let mut agent = machine.agent(&workspace);
    let asked = edit(&mut agent, "six", "seven", 10_000);
    agent.answer(asked).refused("not_found");
}
