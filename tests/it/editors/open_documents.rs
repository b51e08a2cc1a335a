//! Agents read the text of open documents.

use rstest::rstest;
use serde_json::json;

use crate::support::{Editor, Kind, Machine, Outcome, Workspace, hash_of, uri_of};

#[test]
fn an_agent_reads_unsaved_text() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo\n"));
    let editor = Editor::start(&machine, &workspace, Kind::Plugin);
    let uri = editor.open(&workspace, "a.txt");
    let mut agent = machine.agent(&workspace);
    let clean = agent.read("a.txt");
    assert_eq!((&clean["source"], &clean["hash"]), (&json!("disk"), &json!(workspace.hash("a.txt"))));
    editor.replace(&uri, "two", "2");
    let dirty = agent.read("a.txt");
    assert_eq!((&dirty["source"], &dirty["text"]), (&json!("editor"), &json!("one\n2\n")));
    assert_eq!(dirty["hash"], hash_of("one\n2\n"));
    assert_eq!(dirty["version"], 2);
    editor.save(&uri);
    let saved = agent.read("a.txt");
    assert_eq!((&saved["source"], &saved["hash"]), (&json!("disk"), &dirty["hash"]));
}

#[test]
fn opening_closing_and_saving_change_no_hash() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\r\ntwo\r\n"));
    let mut agent = machine.agent(&workspace);
    let before = agent.read("a.txt");
    let editor = Editor::start(&machine, &workspace, Kind::Plain);
    // The text as seen by an editor that normalizes line endings.
    let uri = editor.open_with(&workspace, "a.txt", "one\ntwo\n", false);
    assert_eq!(agent.read("a.txt")["hash"], before["hash"]);
    editor.close(&uri);
    assert_eq!(agent.read("a.txt")["hash"], before["hash"]);
}

#[test]
fn unsaved_text_is_hashed_as_it_would_be_saved() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "\u{feff}one\r\ntwo\r\n"));
    let editor = Editor::start(&machine, &workspace, Kind::Plain);
    let uri = editor.open_with(&workspace, "a.txt", "one\ntwo\n", false);
    editor.replace(&uri, "two", "2\n3");
    let read = machine.agent(&workspace).read("a.txt");
    assert_eq!(read["text"], "one\r\n2\r\n3\r\n");
    assert_eq!(read["hash"], hash_of("\u{feff}one\r\n2\r\n3\r\n"));
    assert_eq!((&read["bom"], &read["eol"]), (&json!(true), &json!("crlf")));
}

#[test]
fn a_file_that_exists_only_in_an_editor_can_be_read_and_edited() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let editor = Editor::start(&machine, &workspace, Kind::Plugin);
    let uri = editor.open(&workspace, "new.txt");
    let mut agent = machine.agent(&workspace);
    agent.try_read("new.txt").refused("missing");
    editor.type_at_start(&uri, "draft\n");
    assert_eq!(agent.read("new.txt")["text"], "draft\n");
    agent.edit("new.txt", "draft", "text").done();
    assert_eq!(editor.text(&uri), "text\n");
    assert!(!workspace.has("new.txt"), "the user saves it");
}

#[test]
fn readers_are_notified_when_the_user_types() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let editor = Editor::start(&machine, &workspace, Kind::Plugin);
    let uri = editor.open(&workspace, "a.txt");
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    editor.replace(&uri, "one", "1");
    let told = agent.told("editd/fileChanged", "a.txt");
    assert_eq!((&told["by"], &told["hash"]), (&json!("editor"), &json!(hash_of("1\n"))));
    let changes = agent.call("editd/changes", json!({})).done();
    assert_eq!(changes["files"][0]["by"], "editor");
    assert!(changes["files"][0]["diff"].as_str().unwrap().contains("+1"));
    agent.edit("a.txt", "1", "2").done();
}

#[test]
fn documents_without_files_are_ignored() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let editor = Editor::start(&machine, &workspace, Kind::Plain);
    for uri in ["untitled:Untitled-1", "vscode-notebook-cell:/a.txt", "file://other/a.txt", "nonsense"] {
        let item = json!({ "uri": uri, "languageId": "text", "version": 1, "text": "x" });
        editor.notify("textDocument/didOpen", json!({ "textDocument": item }));
    }
    editor.settle();
    assert_eq!(machine.agent(&workspace).read("a.txt")["text"], "one\n");
}

#[test]
fn unsaved_text_is_gone_when_its_editor_disconnects() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let editor = Editor::start(&machine, &workspace, Kind::Plugin);
    let uri = editor.open(&workspace, "a.txt");
    editor.replace(&uri, "one", "unsaved");
    let mut agent = machine.agent(&workspace);
    assert_eq!(agent.read("a.txt")["source"], "editor");
    editor.crash();
    crate::support::eventually("the editor to be disconnected", || {
        (agent.read("a.txt")["source"] == "disk").then_some(())
    });
    assert_eq!(agent.read("a.txt")["text"], "one\n");
}

#[test]
fn folders_that_an_editor_opens_later_become_its_roots() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let other = Workspace::file("b.txt", "one\n");
    let editor = Editor::start(&machine, &workspace, Kind::Plugin);
    let read = json!({ "path": other.absolute("b.txt") });
    let refused = editor.ask("editd/read", read.clone());
    assert_eq!(refused["error"]["data"]["kind"], "outside_workspace");
    let folder = |workspace: &Workspace| json!({ "uri": uri_of(workspace.root()), "name": "folder" });
    let event = json!({ "added": [folder(&other)], "removed": [folder(&workspace)] });
    editor.notify("workspace/didChangeWorkspaceFolders", json!({ "event": event }));
    assert_eq!(editor.call("editd/read", read)["text"], "one\n");
    let gone = editor.ask("editd/read", json!({ "path": workspace.absolute("a.txt") }));
    assert_eq!(gone["error"]["data"]["kind"], "outside_workspace");
}

#[test]
fn typed_text_is_current_before_the_editor_reports_it_as_unsaved() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let editor = Editor::start(&machine, &workspace, Kind::Plugin);
    let uri = editor.open(&workspace, "a.txt");
    let mut agent = machine.agent(&workspace);
    assert_eq!(agent.read("a.txt")["source"], "disk");
    let about = json!({ "uri": uri, "version": 2 });
    let changes = json!([{ "text": "typed\n" }]);
    editor.notify("textDocument/didChange", json!({ "textDocument": about, "contentChanges": changes }));
    editor.settle();
    let read = agent.read("a.txt");
    assert_eq!((&read["source"], &read["text"]), (&json!("editor"), &json!("typed\n")));
}

#[test]
fn a_document_in_a_missing_folder_below_a_symlink_is_found() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let link = workspace.outside("link");
    std::os::unix::fs::symlink(workspace.root(), &link).expect("a link");
    let editor = Editor::start(&machine, &workspace, Kind::Plugin);
    let uri = uri_of(&link.join("new/deep.txt"));
    let item = json!({ "uri": uri, "languageId": "text", "version": 1, "text": "draft\n" });
    editor.notify("textDocument/didOpen", json!({ "textDocument": item }));
    editor.settle();
    assert_eq!(machine.agent(&workspace).read("new/deep.txt")["text"], "draft\n");
}

#[test]
fn a_document_is_found_by_a_later_hard_link_of_its_file() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let editor = Editor::start(&machine, &workspace, Kind::Plugin);
    let uri = editor.open(&workspace, "a.txt");
    editor.replace(&uri, "one", "typed");
    std::fs::hard_link(workspace.path("a.txt"), workspace.path("b.txt")).expect("a second name");
    assert_eq!(machine.agent(&workspace).read("b.txt")["text"], "typed\n");
}

#[rstest]
#[case("")]
#[case("one")]
fn the_editors_line_endings_are_used_if_the_file_has_none(#[case] on_disk: &str) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", on_disk));
    let editor = Editor::start(&machine, &workspace, Kind::Plugin);
    let uri = editor.open(&workspace, "a.txt");
    editor.type_at_start(&uri, "a\r\nb\r\n");
    let read = machine.agent(&workspace).read("a.txt");
    editor.save(&uri);
    assert_eq!((&read["eol"], &read["hash"]), (&json!("crlf"), &json!(workspace.hash("a.txt"))));
}
