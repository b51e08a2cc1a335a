//! Unsaved text in editors takes precedence over the disk.

use serde_json::json;

use crate::support::{Editor, Kind, Machine, Outcome, Workspace};

use super::scene::{find, lines, list, notice, search};

#[test]
fn unsaved_text_is_searched_instead_of_the_disk() {
    let (machine, workspace) =
        (Machine::start(), Workspace::with(&[("a.txt", "one\r\ntwo\r\n"), ("b.txt", "two\n")]));
    for kind in [Kind::Plugin, Kind::Plain] {
        let editor = Editor::start(&machine, &workspace, kind);
        let uri = editor.open_with(&workspace, "a.txt", "one\ntwo\n", false);
        let mut agent = machine.agent(&workspace);
        let two = json!({ "pattern": "^(two|2)$" });
        assert_eq!(lines(&mut agent, &workspace, two.clone()), ["a.txt:2:two", "b.txt:1:two"]);
        editor.replace(&uri, "two", "zero\n2");
        assert_eq!(lines(&mut agent, &workspace, two.clone()), ["a.txt:3:2", "b.txt:1:two"]);
        assert_eq!(lines(&mut agent, &workspace, json!({ "pattern": "two", "path": "a.txt" })), [""; 0]);
        editor.close(&uri);
        assert_eq!(lines(&mut agent, &workspace, two), ["a.txt:2:two", "b.txt:1:two"]);
    }
}

#[test]
fn a_file_only_in_an_editor_is_found_unless_it_is_ignored() {
    let files = [(".gitignore", "*.log\nout/\n"), ("b.txt", "word\n")];
    let (machine, workspace) = (Machine::start(), Workspace::with(&files));
    let editor = Editor::start(&machine, &workspace, Kind::Plugin);
    for name in ["a/deep/new.txt", "a.log", "out/x.txt", "c.txt", ".git/x", ".env"] {
        editor.type_at_start(&editor.open(&workspace, name), "word\n");
    }
    editor.open(&workspace, "empty/new.txt");
    let mut agent = machine.agent(&workspace);
    let found = search(&mut agent, json!({ "pattern": "word" }));
    assert_eq!(
        super::scene::rows(&found, &workspace),
        ["a/deep/new.txt:1:word", "b.txt:1:word", "c.txt:1:word"]
    );
    assert_eq!(find(&mut agent, &workspace, "*.txt"), ["a/deep/new.txt", "b.txt", "c.txt"]);
    assert_eq!(find(&mut agent, &workspace, "deep"), ["a/deep/"]);
    assert_eq!(list(&mut agent, &workspace, "."), [".gitignore", "a/", "b.txt", "c.txt"]);
    assert_eq!(
        lines(&mut agent, &workspace, json!({ "pattern": "word", "path": "c.txt" })),
        ["c.txt:1:word"]
    );
    assert_eq!(
        lines(&mut agent, &workspace, json!({ "pattern": "word", "path": "a.log" })),
        ["a.log:1:word"]
    );
    assert!(!workspace.has("a"), "a search creates no files");
}

#[test]
fn a_folder_only_in_an_editor_can_be_requested() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let editor = Editor::start(&machine, &workspace, Kind::Plugin);
    editor.type_at_start(&editor.open(&workspace, "a/deep/new.txt"), "word\n");
    let mut agent = machine.agent(&workspace);
    assert_eq!(list(&mut agent, &workspace, "a"), ["a/deep/"]);
    assert_eq!(list(&mut agent, &workspace, "a/deep"), ["a/deep/new.txt"]);
    for path in ["a", "a/deep/"] {
        let params = json!({ "pattern": "word", "path": path });
        assert_eq!(lines(&mut agent, &workspace, params), ["a/deep/new.txt:1:word"]);
    }
    agent.call("editd/list", json!({ "path": "a/dee" })).refused("missing");
}

#[test]
fn a_file_with_different_unsaved_texts_is_skipped_with_a_notice() {
    let (machine, workspace) = (Machine::start(), Workspace::with(&[("a.txt", "one\n"), ("b.txt", "one\n")]));
    let first = Editor::start(&machine, &workspace, Kind::Plugin);
    let second = Editor::named(&machine, &workspace, Kind::Plugin, "second", "utf-16");
    for (editor, typed) in [(&first, "one 1\n"), (&second, "one 2\n")] {
        editor.type_at_start(&editor.open(&workspace, "a.txt"), typed);
        editor.type_at_start(&editor.open(&workspace, "new.txt"), typed);
    }
    let mut agent = machine.agent(&workspace);
    agent.try_read("a.txt").refused("contested");
    let found = search(&mut agent, json!({ "pattern": "one" }));
    assert_eq!(super::scene::rows(&found, &workspace), ["b.txt:1:one"]);
    assert!(notice(&found).contains("2 files with different unsaved texts"), "{found}");
    let nothing = search(&mut agent, json!({ "pattern": "one", "path": "a.txt" }));
    assert_eq!(nothing["matches"], json!([]));
    assert!(notice(&nothing).contains("1 file with different unsaved texts"), "{nothing}");
    assert_eq!(list(&mut agent, &workspace, "."), ["a.txt", "b.txt", "new.txt"]);
}

#[test]
fn a_file_with_unknown_text_is_searched_on_disk_with_a_notice() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let editor = Editor::start(&machine, &workspace, Kind::Plugin);
    let uri = crate::support::uri_of(&workspace.path("a.txt"));
    let document = json!({ "uri": uri, "languageId": "text", "version": 1, "text": null });
    editor.notify("textDocument/didOpen", json!({ "textDocument": document }));
    let mut agent = machine.agent(&workspace);
    for (dirty, warned) in [(true, true), (false, false)] {
        editor.notify("editd/documentState", json!({ "uri": uri, "dirty": dirty, "version": 1 }));
        editor.settle();
        let found = search(&mut agent, json!({ "pattern": "one" }));
        assert_eq!(super::scene::rows(&found, &workspace), ["a.txt:1:one"]);
        let notice = found["notice"].as_str().unwrap_or_default();
        assert_eq!(notice.contains("whose text is not known"), warned, "{found}");
        assert_eq!(agent.read("a.txt").get("notice").is_some(), warned, "as `editd/read` does");
    }
}

#[test]
fn a_document_whose_file_is_deleted_is_still_searched() {
    let (machine, workspace) =
        (Machine::start(), Workspace::with(&[("d/a.txt", "one\n"), ("b.txt", "one\n")]));
    let editor = Editor::start(&machine, &workspace, Kind::Plugin);
    let uri = editor.open(&workspace, "d/a.txt");
    editor.replace(&uri, "one", "one 1");
    std::fs::remove_dir_all(workspace.path("d")).expect("a folder to remove");
    let mut agent = machine.agent(&workspace);
    assert_eq!(
        lines(&mut agent, &workspace, json!({ "pattern": "one" })),
        ["b.txt:1:one", "d/a.txt:1:one 1"]
    );
}

#[test]
fn documents_of_another_workspace_are_not_reported() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let elsewhere = Workspace::file("a.txt", "one\n");
    let editor = Editor::start(&machine, &elsewhere, Kind::Plugin);
    editor.type_at_start(&editor.open(&elsewhere, "a.txt"), "word\n");
    editor.type_at_start(&editor.open(&elsewhere, "new.txt"), "word\n");
    let nothing = search(&mut machine.agent(&workspace), json!({ "pattern": "word" }));
    assert_eq!((&nothing["matches"], nothing.get("notice")), (&json!([]), None));
}

#[test]
fn unsaved_text_of_a_protected_file_is_not_reported() {
    let (machine, workspace) = (Machine::start(), Workspace::with(&[(".env", "A=1\n"), ("a.txt", "B=1\n")]));
    let editor = Editor::start(&machine, &workspace, Kind::Plugin);
    editor.type_at_start(&editor.open(&workspace, ".env"), "SECRET=1\n");
    let mut agent = machine.agent(&workspace);
    let found = search(&mut agent, json!({ "pattern": "SECRET|B" }));
    assert_eq!(super::scene::rows(&found, &workspace), ["a.txt:1:B=1"]);
    assert!(notice(&found).contains("1 file that may not be read"), "{found}");
}

#[test]
fn a_search_does_not_count_as_a_read_of_the_changes_of_others() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    workspace.put("a.txt", "one\nmore\n");
    lines(&mut agent, &workspace, json!({ "pattern": "one" }));
    agent.edit("a.txt", "one", "two").refused("stale");
}
