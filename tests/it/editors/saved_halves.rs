//! A set fails after the user has saved the document of one of its files.

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Agent, Editor, Kind, Machine, Manner, Outcome, Workspace, eventually};

struct Scene {
    machine: Machine,
    workspace: Workspace,
    editor: Editor,
    agent: Agent,
    /// The document of `a.txt`.
    uri: String,
}

impl Scene {
    fn start(kind: Kind, text: &str) -> Self {
        let machine = Machine::start();
        let workspace = Workspace::with(&[("a.txt", text), ("c.txt", "one c\n")]);
        let editor = Editor::start(&machine, &workspace, kind);
        let uri = editor.open(&workspace, "a.txt");
        let mut agent = machine.agent(&workspace);
        agent.read_all(&["a.txt", "c.txt"]);
        Self { machine, workspace, editor, agent, uri }
    }

    /// Changes both files while another program changes `c.txt` and the user does something with `a.txt`.
    fn fail(&mut self, manner: Manner, kinds: &[&str]) -> Value {
        let c = self.workspace.path("c.txt");
        self.editor.on_apply(move || std::fs::write(&c, "other\n").expect("a write"));
        self.editor.behave(manner);
        let edit = |path: &str| json!({ "kind": "edit", "path": path, "edits": [{ "oldText": "one", "newText": "1" }] });
        self.agent.changes(vec![edit("a.txt"), edit("c.txt")]).refused_as_any(kinds)
    }

    /// Checks that nothing is left of the change, and that the file can be changed at once.
    fn is_as_before(&mut self, text: &str) {
        assert_eq!(self.workspace.text("a.txt"), text);
        assert_eq!(self.workspace.text("c.txt"), "other\n");
        assert!(self.agent.history().is_empty());
        eventually("the end of the recovery", || {
            (self.agent.call("editd/status", json!({})).done()["recovering"] == 0).then_some(())
        });
        self.agent.read_and_edit("a.txt", "one", "2").done();
        assert_eq!(self.agent.read("a.txt")["text"], text.replace("one", "2"));
    }
}

#[rstest]
#[case::stays(Manner::SavesAfter)]
#[case::closes(Manner::ClosesAfter)]
#[case::reopens(Manner::ReopensAfter)]
fn a_saved_document_gets_its_old_text_back_on_disk(
    #[case] manner: Manner,
    #[values("one a\n", "one a\r\nb\r\n")] text: &str,
) {
    let mut scene = Scene::start(Kind::Plugin, text);
    scene.fail(manner, &["stale"]);
    scene.is_as_before(text);
}

#[test]
fn a_closed_document_of_a_plain_editor_gets_its_old_text_back_on_disk() {
    let mut scene = Scene::start(Kind::Plain, "one a\n");
    scene.fail(Manner::ClosesAfter, &["stale"]);
    scene.is_as_before("one a\n");
}

/// The editor saves the document with its edit, and its connection ends before it answers.
#[rstest]
fn a_document_that_was_saved_before_the_connection_was_lost_gets_its_old_text_back(
    #[values(true, false)] comes_back: bool,
    #[values(Manner::DiesAfterSaving, Manner::ListensAfterSaving)] manner: Manner,
) {
    let mut scene = Scene::start(Kind::Plugin, "one a\n");
    scene.fail(manner, &["stale", "editor_refused"]);
    eventually("the old text on disk", || (scene.workspace.text("a.txt") == "one a\n").then_some(()));
    if comes_back {
        let back = Editor::start(&scene.machine, &scene.workspace, Kind::Plugin);
        let uri = back.open_with(&scene.workspace, "a.txt", "1 a\n", false);
        eventually("the old text", || (back.text(&uri) == "one a\n").then_some(()));
    }
    assert_eq!(scene.workspace.text("a.txt"), "one a\n");
    assert!(scene.agent.history().is_empty());
    scene.agent.read_and_edit("a.txt", "one", "2").done();
}

#[rstest]
#[case(Manner::SavesAfter)]
#[case(Manner::ReopensAfter)]
fn an_editor_that_cannot_be_asked_to_save_is_named(#[case] manner: Manner) {
    let mut scene = Scene::start(Kind::Plain, "one a\n");
    let refusal = scene.fail(manner, &["verify_failed"]);
    let reason = refusal["reason"].as_str().expect("a reason");
    assert!(reason.contains("editor had saved this one") && reason.contains("a.txt"), "{reason}");
    assert_eq!(scene.editor.text(&scene.uri), "one a\n");
    assert_eq!(scene.workspace.text("a.txt"), "1 a\n");
    // The user closes the document without saving the old text.
    scene.editor.close(&scene.uri);
    eventually("the old text on disk", || (scene.workspace.text("a.txt") == "one a\n").then_some(()));
    scene.is_as_before("one a\n");
}

#[test]
fn a_document_whose_editor_refuses_the_undo_is_restored_when_the_user_saves_and_closes_it() {
    let mut scene = Scene::start(Kind::Plugin, "one a\n");
    scene.fail(Manner::OnlyOnce, &["verify_failed"]);
    assert_eq!(scene.editor.text(&scene.uri), "1 a\n");
    scene.editor.save(&scene.uri);
    scene.editor.close(&scene.uri);
    eventually("the old text on disk", || (scene.workspace.text("a.txt") == "one a\n").then_some(()));
    scene.is_as_before("one a\n");
}

#[test]
fn a_document_that_the_user_closes_without_saving_does_not_wait() {
    let mut scene = Scene::start(Kind::Plugin, "one a\n");
    scene.fail(Manner::OnlyOnce, &["verify_failed"]);
    scene.agent.edit("a.txt", "one", "2").refused("recovering");
    scene.editor.close(&scene.uri);
    scene.is_as_before("one a\n");
}

#[test]
fn text_that_the_user_typed_and_saved_elsewhere_is_kept() {
    let mut scene = Scene::start(Kind::Plugin, "one a\nlast\n");
    scene.fail(Manner::OnlyOnce, &["verify_failed"]);
    scene.editor.type_at_start(&scene.uri, "typed\n");
    scene.editor.save(&scene.uri);
    scene.editor.close(&scene.uri);
    let restored = "typed\none a\nlast\n";
    eventually("the old text on disk", || (scene.workspace.text("a.txt") == restored).then_some(()));
}

#[test]
fn text_that_the_user_typed_over_the_edit_and_saved_is_kept() {
    let mut scene = Scene::start(Kind::Plugin, "one a\n");
    scene.fail(Manner::OnlyOnce, &["verify_failed"]);
    scene.editor.replace(&scene.uri, "1 a", "mine");
    scene.editor.save(&scene.uri);
    scene.editor.close(&scene.uri);
    scene.agent.read_and_edit("a.txt", "mine", "yours").done();
    assert_eq!(scene.workspace.text("a.txt"), "yours\n");
}
