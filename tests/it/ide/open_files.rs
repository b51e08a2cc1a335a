//! The files that a person has open, as programs are told of them.

use serde_json::{Value, json};

use super::server::{Claude, Server};
use crate::support::{Editor, Kind, Machine, Outcome, Workspace, eventually};

fn select(editor: &Editor, uri: &str, [from, to]: [(u32, u32); 2]) {
    let position = |(line, character): (u32, u32)| json!({ "line": line, "character": character });
    editor.notify(
        "editd/focus",
        json!({ "uri": uri, "selection": { "start": position(from), "end": position(to) } }),
    );
}

/// Returns the open files, once they are these, beginning with the one that had the focus last.
fn listed(machine: &Machine, workspace: &Workspace, names: &[&str]) -> Value {
    let mut agent = machine.agent(workspace);
    let paths: Vec<_> = names.iter().map(|name| workspace.absolute(name)).collect();
    eventually("the open files", || {
        let list = agent.call("editd/openFiles", json!({})).done();
        let files = list["files"].as_array().expect("a list");
        files.iter().map(|file| &file["path"]).eq(paths.iter()).then_some(list)
    })
}

#[test]
fn open_files_are_listed_with_the_selection() {
    let files = [("a.txt", "one\nz\u{1f600}wei\nthree\n"), ("b.txt", "b\n"), (".env", "TOKEN=1\n")];
    let (machine, workspace) = (Machine::start(), Workspace::with(&files));
    let editor = Editor::start(&machine, &workspace, Kind::Plugin);
    let (a, _b) = (editor.open(&workspace, "a.txt"), editor.open(&workspace, "b.txt"));
    // Columns are UTF-16 code units, of which the emoji has two.
    select(&editor, &a, [(0, 1), (1, 3)]);
    let list = listed(&machine, &workspace, &["a.txt", "b.txt"]);
    let file = &list["files"][0];
    assert_eq!((&file["active"], &file["selectedText"]), (&json!(true), &json!("ne\nz\u{1f600}")));
    assert_eq!(file["selection"]["end"], json!({ "line": 1, "character": 3 }));
    assert_eq!(list["files"][1]["active"], false);
    assert!(list["files"][1]["selection"].is_null(), "{list}");

    // A file that agents may not read is not told, and hides which file is active.
    let secret = editor.open(&workspace, ".env");
    select(&editor, &secret, [(0, 0), (0, 5)]);
    let list = eventually("another focus", || {
        let list = listed(&machine, &workspace, &["a.txt", "b.txt"]);
        (list["files"][0]["active"] == false).then_some(list)
    });
    assert!(!list.to_string().contains("TOKEN"), "{list}");

    select(&editor, &a, [(2, 0), (9, 9)]);
    let list = eventually("another selection", || {
        let list = listed(&machine, &workspace, &["a.txt", "b.txt"]);
        (list["files"][0]["active"] == true).then_some(list)
    });
    assert_eq!(list["files"][0]["selectedText"], "three\n", "the selection ends with the text");
    editor.close(&a);
    listed(&machine, &workspace, &["b.txt"]);
}

#[test]
fn a_request_waits_for_another_selection() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let editor = Editor::start(&machine, &workspace, Kind::Plugin);
    let uri = editor.open(&workspace, "a.txt");
    let revision = listed(&machine, &workspace, &["a.txt"])["revision"].clone();
    let mut agent = machine.agent(&workspace);
    let waiting = agent.send("editd/openFiles", json!({ "since": revision, "waitMs": 30_000 }));
    select(&editor, &uri, [(0, 0), (0, 2)]);
    let list = agent.answer(waiting).done();
    assert_eq!(list["files"][0]["selectedText"], "on");
    let same = json!({ "since": list["revision"], "waitMs": 50 });
    assert_eq!(agent.call("editd/openFiles", same).done()["revision"], list["revision"]);
}

#[test]
fn claude_code_is_told_what_is_selected() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo\n"));
    let editor = Editor::start(&machine, &workspace, Kind::Plugin);
    let uri = editor.open(&workspace, "a.txt");
    select(&editor, &uri, [(1, 0), (1, 3)]);
    listed(&machine, &workspace, &["a.txt"]);
    let server = Server::start(&machine, &workspace);
    let mut claude = Claude::connect(&server);
    let told = claude.told("selection_changed");
    assert_eq!(told["filePath"], *workspace.absolute("a.txt"));
    assert_eq!(told["text"], "two");
    let selection = json!({
        "start": { "line": 1, "character": 0 }, "end": { "line": 1, "character": 3 }, "isEmpty": false,
    });
    assert_eq!(told["selection"], selection);
    select(&editor, &uri, [(0, 2), (0, 2)]);
    // At first the same is sent again and again.
    let told = loop {
        let told = claude.told("selection_changed");
        if told["text"] != "two" {
            break told;
        }
    };
    assert_eq!((&told["text"], &told["selection"]["isEmpty"]), (&json!(""), &json!(true)));
}
