//! Contested texts, between which only the user can choose.

use serde_json::json;

use crate::support::{Editor, Kind, Machine, Outcome, Workspace, eventually};

#[test]
fn different_unsaved_texts_in_two_editors_are_contested() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo\n"));
    let first = Editor::named(&machine, &workspace, Kind::Plugin, "first", "utf-16");
    let second = Editor::named(&machine, &workspace, Kind::Plain, "second", "utf-8");
    let (in_first, in_second) = (first.open(&workspace, "a.txt"), second.open(&workspace, "a.txt"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    first.replace(&in_first, "one", "1");
    second.replace(&in_second, "two", "2");
    let refusal = agent.edit("a.txt", "one", "x").refused("contested");
    assert_eq!(
        (&refusal["reason"], &refusal["editors"]),
        (&json!("two_editors"), &json!(["first", "second"]))
    );
    agent.try_read("a.txt").refused("contested");
    second.replace(&in_second, "2", "two");
    second.replace(&in_second, "one", "1");
    assert_eq!(agent.read("a.txt")["text"], "1\ntwo\n", "now they agree");
    assert_eq!((first.name(), second.name()), ("first", "second"));
}

#[test]
fn the_editor_with_unsaved_text_or_else_the_last_focused_one_applies() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo\n"));
    let first = Editor::named(&machine, &workspace, Kind::Plugin, "first", "utf-16");
    let second = Editor::named(&machine, &workspace, Kind::Plugin, "second", "utf-8");
    let (in_first, in_second) = (first.open(&workspace, "a.txt"), second.open(&workspace, "a.txt"));
    second.focus(&in_second);
    first.focus(&in_first);
    let mut agent = machine.agent(&workspace);
    agent.read_and_edit("a.txt", "one", "1").done();
    assert_eq!((first.edits_received(&in_first), second.edits_received(&in_second)), (1, 0));
    eventually("the other to follow", || (second.text(&in_second) == "1\ntwo\n").then_some(()));
    second.replace(&in_second, "two", "2");
    agent.read_and_edit("a.txt", "1", "one").done();
    assert_eq!(second.text(&in_second), "one\n2\n");
    assert_eq!(first.text(&in_first), "1\ntwo\n", "it is reloaded when the other is saved");
}

#[test]
fn an_outdated_clean_document_is_reloaded_before_it_is_edited() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let editor = Editor::start(&machine, &workspace, Kind::Plugin);
    let uri = editor.open(&workspace, "a.txt");
    workspace.put("a.txt", "one\nmore\n");
    let mut agent = machine.agent(&workspace);
    assert_eq!(agent.read("a.txt")["source"], "disk");
    agent.edit("a.txt", "one", "1").done();
    assert_eq!((editor.text(&uri).as_str(), workspace.text("a.txt").as_str()), ("1\nmore\n", "1\nmore\n"));
    assert_eq!(editor.requests("editd/reload").len(), 1);
}

#[test]
fn an_outdated_document_that_cannot_be_reloaded_is_contested() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let editor = Editor::start(&machine, &workspace, Kind::Plain);
    let uri = editor.open(&workspace, "a.txt");
    let mut agent = machine.agent(&workspace);
    // The daemon observes that document and file match before the file changes.
    agent.read("a.txt");
    workspace.put("a.txt", "one\nmore\n");
    let refusal = agent.read_and_edit("a.txt", "one", "1").refused("contested");
    assert_eq!(refusal["reason"], "editor_outdated");
    assert_eq!((editor.text(&uri).as_str(), workspace.text("a.txt").as_str()), ("one\n", "one\nmore\n"));
}

#[test]
fn no_editor_is_asked_to_reload_a_deleted_file() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let editor = Editor::start(&machine, &workspace, Kind::Plugin);
    let uri = editor.open(&workspace, "a.txt");
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    std::fs::remove_file(workspace.path("a.txt")).expect("removed");
    let refusal = agent.edit("a.txt", "one", "1").refused("contested");
    assert_eq!(refusal["reason"], "editor_outdated");
    assert!(editor.requests("editd/reload").is_empty());
    assert_eq!((editor.text(&uri).as_str(), workspace.has("a.txt")), ("one\n", false));
}

#[test]
fn a_document_and_a_file_that_both_changed_are_contested() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo\n"));
    let editor = Editor::start(&machine, &workspace, Kind::Plugin);
    let uri = editor.open(&workspace, "a.txt");
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    editor.replace(&uri, "one", "typed");
    workspace.put("a.txt", "one\ntwo\nthree\n");
    let refusal = agent.read_and_edit("a.txt", "two", "2").refused("contested");
    assert_eq!((&refusal["reason"], &refusal["editors"]), (&json!("buffer_and_disk"), &json!(["editor"])));
    assert_eq!(
        (editor.text(&uri).as_str(), workspace.text("a.txt").as_str()),
        ("typed\ntwo\n", "one\ntwo\nthree\n")
    );
    editor.save(&uri);
    agent.read_and_edit("a.txt", "two", "2").done();
    assert_eq!(workspace.text("a.txt"), "typed\n2\n");
}
