//! Accepted diffs that editd writes itself, because the program would lose a part of the file.

use rstest::rstest;
use serde_json::json;

use super::gemini::{Gemini, decide};
use super::server::{Claude, Server};
use crate::review::scene::reviewer;
use crate::support::{Agent, Editor, Kind, Machine, Outcome, Workspace, eventually};

struct Scene {
    machine: Machine,
    workspace: Workspace,
    person: Agent,
    server: Server,
}

impl Scene {
    fn new(bytes: &[u8]) -> Self {
        let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", bytes));
        let server = Server::start(&machine, &workspace);
        let person = reviewer(&machine, &workspace);
        Self { machine, workspace, person, server }
    }

    /// Opens a diff as Claude Code, decides about it, and returns the answer.
    fn decided(&mut self, text: &str, decision: serde_json::Value) -> Vec<String> {
        let mut claude = Claude::connect(&self.server);
        let diff = claude.open_diff(&self.workspace, "a.txt", text);
        decide(&mut self.person, &self.workspace, "a.txt", decision);
        claude.texts(diff)
    }

    fn accepted(&mut self, text: &str) -> Vec<String> {
        self.decided(text, json!({ "accept": "all" }))
    }

    fn editor_with(&self, text: &str) -> (Editor, String) {
        let editor = Editor::start(&self.machine, &self.workspace, Kind::Plugin);
        let uri = editor.open(&self.workspace, "a.txt");
        editor.type_at_start(&uri, text);
        (editor, uri)
    }
}

fn saved(text: &str) -> [String; 2] {
    ["FILE_SAVED".to_owned(), text.to_owned()]
}

#[rstest]
#[case::byte_order_mark(b"\xef\xbb\xbfone\ntwo\n", "one\n2\n", b"\xef\xbb\xbfone\n2\n", "one\n2\n")]
#[case::mixed_endings(b"one\r\ntwo\nthree\n", "one\n2\nthree\n", b"one\r\n2\nthree\n", "one\n2\nthree\n")]
#[case::cr(b"one\rtwo\r", "one\r2\r", b"one\r2\r", "one\r2\r")]
#[case::utf_16(b"\xff\xfeo\0n\0e\0\n\0", "1\n", b"\xff\xfe1\0\n\0", "1\n")]
fn claude_code_is_told_that_the_diff_was_accepted(
    #[case] bytes: &[u8],
    #[case] sent: &str,
    #[case] written: &[u8],
    #[case] told: &str,
) {
    let mut scene = Scene::new(bytes);
    assert_eq!(scene.accepted(sent), saved(told));
    assert_eq!(scene.workspace.bytes("a.txt"), written);
    assert_eq!(scene.machine.agent(&scene.workspace).history()[0]["author"], "claude-code");
}

#[test]
fn the_accepted_part_and_the_changes_of_others_are_in_the_text() {
    let mut scene = Scene::new(b"a\r\nb\nc\nd\ne\nf\ng\n");
    let decision = json!({ "accept": ["h1"], "reject": ["h2"] });
    assert_eq!(scene.decided("A\nb\nc\nd\ne\nf\nG\n", decision), saved("A\nb\nc\nd\ne\nf\ng\n"));
    assert_eq!(scene.workspace.text("a.txt"), "A\r\nb\nc\nd\ne\nf\ng\n");

    scene.workspace.put("a.txt", "a\nb\nc\nd\ne\n");
    let mut claude = Claude::connect(&scene.server);
    let diff = claude.open_diff(&scene.workspace, "a.txt", "A\nb\nc\nd\ne\n");
    eventually("the proposal", || {
        let list = scene.person.call("editd/proposals", json!({ "state": "pending" })).done();
        list["proposals"].get(0).map(|_| ())
    });
    scene.workspace.put("a.txt", "a\nb\nc\nd\nE\n");
    decide(&mut scene.person, &scene.workspace, "a.txt", json!({ "accept": "all" }));
    assert_eq!(claude.texts(diff), saved("A\nb\nc\nd\nE\n"));
    assert_eq!(scene.workspace.text("a.txt"), "A\nb\nc\nd\nE\n");
}

#[test]
fn unsaved_text_stays_and_is_in_the_text_to_write() {
    let mut scene = Scene::new(b"one\ntwo\n");
    let (editor, uri) = scene.editor_with("unsaved\n");
    // Claude Code knows the file on disk.
    assert_eq!(scene.accepted("one\n2\n"), saved("unsaved\none\n2\n"));
    assert_eq!(editor.text(&uri), "unsaved\none\n2\n");
    assert_eq!(scene.workspace.text("a.txt"), "one\ntwo\n");
    // Claude Code writes it.
    scene.workspace.put("a.txt", "unsaved\none\n2\n");
    let mut agent = scene.machine.agent(&scene.workspace);
    agent.read_and_edit("a.txt", "2\n", "3\n").done();
    assert_eq!(editor.text(&uri), "unsaved\none\n3\n");
}

#[test]
fn a_closed_diff_of_a_file_with_unsaved_text_is_withdrawn() {
    let mut scene = Scene::new(b"one\n");
    let (_editor, _) = scene.editor_with("unsaved\n");
    let mut claude = Claude::connect(&scene.server);
    claude.open_diff(&scene.workspace, "a.txt", "1\n");
    let mut pending = |count: usize| {
        eventually("the proposals", || {
            let list = scene.person.call("editd/proposals", json!({ "state": "pending" })).done();
            (list["proposals"].as_array().map(Vec::len) == Some(count)).then_some(())
        });
    };
    pending(1);
    claude.call("closeAllDiffTabs", &json!({}));
    pending(0);
}

#[test]
fn gemini_cli_is_told_a_text_that_it_writes_without_a_loss() {
    let mut scene = Scene::new(b"\xef\xbb\xbfone\n");
    let mut gemini = Gemini::connect(&scene.server);
    gemini.open_diff(&scene.workspace, "a.txt", "1\n");
    decide(&mut scene.person, &scene.workspace, "a.txt", json!({ "accept": "all" }));
    assert_eq!(gemini.next_decision(), ("ide/diffAccepted".to_owned(), json!("\u{feff}1\n")));
    assert_eq!(scene.workspace.bytes("a.txt"), b"\xef\xbb\xbf1\n");
}

#[rstest]
#[case::mixed_endings(b"one\r\ntwo\n", "one\n2\n", b"one\r\n2\n", "one\r\n2\n", b"one\r\n2\r\n")]
#[case::mark(b"\xef\xbb\xbfone\r\n2\n", "1\n2\n", b"\xef\xbb\xbf1\r\n2\n", "\u{feff}1\r\n2\n", b"1\r\n2\r\n")]
#[case::utf_16(b"\xff\xfeo\0n\0e\0\n\0", "1\n", b"\xff\xfe1\0\n\0", "1\n", b"1\n")]
fn what_gemini_cli_loses_is_restored(
    #[case] bytes: &[u8],
    #[case] sent: &str,
    #[case] made: &[u8],
    #[case] told: &str,
    #[case] rewritten: &[u8],
) {
    let mut scene = Scene::new(bytes);
    let mut gemini = Gemini::connect(&scene.server);
    gemini.open_diff(&scene.workspace, "a.txt", sent);
    decide(&mut scene.person, &scene.workspace, "a.txt", json!({ "accept": "all" }));
    assert_eq!(gemini.next_decision(), ("ide/diffAccepted".to_owned(), json!(told)));
    assert_eq!(scene.workspace.bytes("a.txt"), made);
    // Gemini CLI writes it in its own way.
    scene.workspace.put("a.txt", rewritten);
    eventually("the bytes", || (scene.workspace.bytes("a.txt") == made).then_some(()));
    let past = scene.machine.agent(&scene.workspace).history();
    assert_eq!((past.len(), &past[0]["author"]), (2, &json!("gemini-cli")), "{past:?}");
}

#[test]
fn a_later_change_by_another_program_is_not_taken_back() {
    let mut scene = Scene::new(b"one\r\ntwo\n");
    let mut gemini = Gemini::connect(&scene.server);
    gemini.open_diff(&scene.workspace, "a.txt", "1\ntwo\n");
    decide(&mut scene.person, &scene.workspace, "a.txt", json!({ "accept": "all" }));
    gemini.next_decision();
    scene.workspace.put("a.txt", "1\r\n2\r\n");
    std::thread::sleep(std::time::Duration::from_secs(2));
    assert_eq!(scene.workspace.text("a.txt"), "1\r\n2\r\n");
}

#[test]
fn a_call_that_is_repeated_after_the_decision_has_its_outcome() {
    let mut scene = Scene::new(b"one\r\ntwo\n");
    let mut agent = scene.machine.agent(&scene.workspace);
    let mut ask = |wait: u64, call: &str| {
        let change = json!({ "kind": "write", "path": "a.txt", "content": "1\ntwo\n" });
        let params = json!({
            "changes": [change], "origin": { "toolCall": call }, "reads": "unknown", "review": true,
            "rewrites": true, "waitMs": wait,
        });
        agent.call("editd/nativeEdit", params)
    };
    let pending = ask(0, "one").done();
    assert_eq!(pending["state"], "pending");
    decide(&mut scene.person, &scene.workspace, "a.txt", json!({ "accept": "all" }));
    let applied = ask(10_000, "one").done();
    assert_eq!((&applied["state"], &applied["id"]), (&json!("applied"), &pending["id"]));
    scene.workspace.put("a.txt", "one\r\ntwo\n");
    assert_eq!(ask(0, "two").done()["state"], "pending", "another call is another change");
}
