//! Edits are applied by the editor that has the file open.

use rstest::rstest;
use serde_json::json;

use crate::support::{Editor, Kind, Machine, Manner, Outcome, Workspace, eventually, hash_of};

#[test]
fn an_edit_of_a_clean_document_goes_through_its_editor_and_is_saved() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo\n"));
    let editor = Editor::start(&machine, &workspace, Kind::Plugin);
    let uri = editor.open(&workspace, "a.txt");
    let done = machine.agent(&workspace).read_and_edit("a.txt", "two", "2").done();
    let file = &done["files"][0];
    assert_eq!((editor.text(&uri).as_str(), editor.is_dirty(&uri)), ("one\n2\n", false));
    assert_eq!(workspace.text("a.txt"), "one\n2\n");
    assert_eq!((&file["source"], &file["saved"]), (&json!("disk"), &json!(true)));
    assert_eq!((&file["hash"], &file["warnings"]), (&json!(hash_of("one\n2\n")), &json!([])));
    assert_eq!(editor.edits_received(&uri), 1);
    let request = &editor.requests("editd/applyEdits")[0];
    assert_eq!(request["documents"][0]["edits"][0]["newText"], "2", "{request}");
    assert_eq!(request["id"], done["transaction"]);
}

#[test]
fn an_edit_of_unsaved_text_is_applied_to_it_and_not_saved() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo\n"));
    let editor = Editor::start(&machine, &workspace, Kind::Plugin);
    let uri = editor.open(&workspace, "a.txt");
    editor.replace(&uri, "one", "typed");
    let mut agent = machine.agent(&workspace);
    let done = agent.read_and_edit("a.txt", "two", "2").done();
    let file = &done["files"][0];
    assert_eq!((editor.text(&uri).as_str(), workspace.text("a.txt").as_str()), ("typed\n2\n", "one\ntwo\n"));
    assert_eq!((&file["source"], &file["saved"]), (&json!("editor"), &json!(false)));
    assert!(file["warnings"][0].as_str().unwrap().contains("holds it unsaved"), "{file}");
    agent.edit("a.txt", "2", "3").done();
    assert_eq!(editor.text(&uri), "typed\n3\n");
    agent.undo().done();
    agent.undo().done();
    assert_eq!(editor.text(&uri), "typed\ntwo\n");
}

#[test]
fn an_editor_without_plugin_applies_a_plain_lsp_edit() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo\n"));
    let editor = Editor::start(&machine, &workspace, Kind::Plain);
    let uri = editor.open(&workspace, "a.txt");
    let done = machine.agent(&workspace).read_and_edit("a.txt", "two", "2").done();
    assert_eq!(editor.text(&uri), "one\n2\n");
    let file = &done["files"][0];
    assert_eq!((&file["source"], &file["saved"]), (&json!("editor"), &json!(false)));
    assert_eq!(workspace.text("a.txt"), "one\ntwo\n");
    assert_eq!(editor.requests("workspace/applyEdit").len(), 1);
}

#[test]
fn a_clean_document_of_an_editor_that_cannot_apply_is_changed_on_disk() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let editor = Editor::start(&machine, &workspace, Kind::Poor);
    let uri = editor.open(&workspace, "a.txt");
    let mut agent = machine.agent(&workspace);
    agent.read_and_edit("a.txt", "one", "1").done();
    assert_eq!(workspace.text("a.txt"), "1\n");
    editor.replace(&uri, "one", "typed");
    let refusal = agent.edit("a.txt", "1", "2").refused("contested");
    assert_eq!(refusal["reason"], "buffer_and_disk");
}

#[rstest]
#[case("mixed.txt", b"one\ntwo\r\n".as_slice(), b"1\ntwo\r\n".as_slice())]
#[case("stray.txt", b"one \xc3\xa9\xc3\xa8 \xff\n", b"1 \xc3\xa9\xc3\xa8 \xff\n")]
#[case("returns.txt", b"one\rtwo\r", b"1\rtwo\r")]
fn a_clean_file_that_its_editor_would_damage_is_written_on_disk_and_reloaded(
    #[case] name: &str,
    #[case] before: &[u8],
    #[case] after: &[u8],
) {
    let (machine, workspace) = (Machine::start(), Workspace::with(&[(name, before)]));
    let editor = Editor::start(&machine, &workspace, Kind::Plugin);
    let decoded = machine.agent(&workspace).read(name)["text"].as_str().unwrap().to_owned();
    let uri = editor.open_with(&workspace, name, &decoded, false);
    machine.agent(&workspace).read_and_edit(name, "one", "1").done();
    assert_eq!(workspace.bytes(name), after);
    assert!(editor.requests("editd/applyEdits").is_empty());
    eventually("a request to reload it", || (!editor.requests("editd/reload").is_empty()).then_some(()));
    assert!(!editor.is_dirty(&uri));
}

#[test]
fn unsaved_text_of_a_file_that_its_editor_would_damage_is_refused() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo\r\n"));
    let editor = Editor::start(&machine, &workspace, Kind::Plugin);
    let uri = editor.open_with(&workspace, "a.txt", "one\ntwo\r\n", false);
    editor.replace(&uri, "two", "typed");
    machine.agent(&workspace).read_and_edit("a.txt", "one", "1").refused("encoding");
    assert_eq!(
        (editor.text(&uri).as_str(), workspace.text("a.txt").as_str()),
        ("one\ntyped\r\n", "one\ntwo\r\n")
    );
}

#[rstest]
#[case("utf-8")]
#[case("utf-16")]
#[case("utf-32")]
fn positions_are_sent_in_the_editors_encoding(#[case] encoding: &str) {
    let text = "é😀 one\n\u{1F468}\u{200D}\u{1F469} two 字\n";
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", text));
    let editor = Editor::named(&machine, &workspace, Kind::Plugin, "editor", encoding);
    let uri = editor.open(&workspace, "a.txt");
    editor.replace(&uri, "字", "😀字");
    let mut agent = machine.agent(&workspace);
    agent.read_and_edit("a.txt", "two", "2😀").done();
    agent.edit("a.txt", " one", "").done();
    assert_eq!(editor.text(&uri), "é😀\n\u{1F468}\u{200D}\u{1F469} 2😀 😀字\n");
}

#[test]
fn a_document_keeps_line_endings_that_differ_from_the_file() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\r\ntwo\r\n"));
    let editor = Editor::start(&machine, &workspace, Kind::Plain);
    let uri = editor.open_with(&workspace, "a.txt", "one\ntwo\n", false);
    machine.agent(&workspace).read_and_edit("a.txt", "two", "2\n3").done();
    assert_eq!(editor.text(&uri), "one\n2\n3\n");
}

#[test]
fn a_formatters_changes_are_reported() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let editor = Editor::start(&machine, &workspace, Kind::Plugin);
    editor.open(&workspace, "a.txt");
    editor.behave(Manner::Formats("formatted\n"));
    let mut agent = machine.agent(&workspace);
    let file = agent.read_and_edit("a.txt", "one", "1").done()["files"][0].clone();
    assert_eq!(file["hash"], hash_of("1\nformatted\n"));
    assert_eq!(file["hashAfter"], hash_of("1\n"));
    assert_eq!(file["saved"], true);
    assert!(file["warnings"][0].as_str().unwrap().contains("changed the text further"), "{file}");
    agent.edit("a.txt", "formatted", "known").done();
}

#[test]
fn a_failed_save_is_reported() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let editor = Editor::start(&machine, &workspace, Kind::Plugin);
    let uri = editor.open(&workspace, "a.txt");
    editor.behave(Manner::CannotSave);
    let file = machine.agent(&workspace).read_and_edit("a.txt", "one", "1").done()["files"][0].clone();
    assert_eq!((&file["saved"], &file["source"]), (&json!(false), &json!("editor")));
    assert!(file["warnings"][0].as_str().unwrap().contains("the disk is full"), "{file}");
    assert_eq!((editor.text(&uri).as_str(), workspace.text("a.txt").as_str()), ("1\n", "one\n"));
}

#[test]
fn typing_right_after_the_edit_is_preserved_and_not_an_error() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let editor = Editor::start(&machine, &workspace, Kind::Plugin);
    let uri = editor.open(&workspace, "a.txt");
    editor.replace(&uri, "one", "first");
    editor.behave(Manner::TypesAfter("more\n"));
    machine.agent(&workspace).read_and_edit("a.txt", "first", "1").done();
    assert_eq!(editor.text(&uri), "1\nmore\n");
}

#[test]
fn a_proposal_is_rebased_over_typing_elsewhere_in_the_file() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo\nthree\n"));
    let editor = Editor::start(&machine, &workspace, Kind::Plugin);
    let uri = editor.open(&workspace, "a.txt");
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let proposal = agent.propose("a.txt", "three", "3").done();
    editor.replace(&uri, "one", "typed\nmore");
    agent.apply(&proposal).done();
    assert_eq!(editor.text(&uri), "typed\nmore\ntwo\n3\n");
    let touched = agent.propose("a.txt", "two", "2").done();
    editor.replace(&uri, "two", "zwei");
    agent.apply(&touched).refused("stale");
    assert_eq!(editor.text(&uri), "typed\nmore\nzwei\n3\n");
}

#[rstest]
#[case("never", None, "one\ntwo\n")]
#[case("always", None, "typed\n2\n")]
#[case("ask", Some("Save"), "typed\n2\n")]
#[case("ask", Some("Not now"), "one\ntwo\n")]
#[case("ask", None, "one\ntwo\n")]
fn unsaved_text_is_saved_as_the_user_configured(
    #[case] policy: &str,
    #[case] choice: Option<&'static str>,
    #[case] on_disk: &str,
) {
    let machine = Machine::configured(&format!("save = \"{policy}\"\n"));
    let workspace = Workspace::file("a.txt", "one\ntwo\n");
    let editor = Editor::start(&machine, &workspace, Kind::Plugin);
    let uri = editor.open(&workspace, "a.txt");
    editor.replace(&uri, "one", "typed");
    if let Some(choice) = choice {
        editor.choose(choice);
    }
    let done = machine.agent(&workspace).read_and_edit("a.txt", "two", "2").done();
    assert_eq!(done["files"][0]["saved"], policy == "always");
    if policy == "ask" {
        eventually("a question", || (editor.requests("window/showMessageRequest").len() == 1).then_some(()));
    }
    eventually("the expected file", || (workspace.text("a.txt") == on_disk).then_some(()));
    assert_eq!(editor.text(&uri), "typed\n2\n");
}

#[rstest]
#[case(Kind::Plugin)]
#[case(Kind::Plain)]
fn an_edit_and_later_typing_may_be_reported_together(#[case] kind: Kind) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo\n"));
    let editor = Editor::start(&machine, &workspace, kind);
    let uri = editor.open(&workspace, "a.txt");
    editor.behave(Manner::TypesAlong("typed\n"));
    let mut agent = machine.agent(&workspace);
    let done = agent.read_and_edit("a.txt", "one", "1").done();
    assert_eq!(editor.text(&uri), "1\ntwo\ntyped\n");
    assert_eq!(done["files"][0]["hash"], hash_of("1\ntwo\ntyped\n"));
    agent.undo().done();
    assert_eq!(editor.text(&uri), "one\ntwo\ntyped\n");
}
