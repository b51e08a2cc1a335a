//! The user types into the file while a proposal is pending, in an editor with unsaved text.

use serde_json::json;

use crate::support::{Editor, Kind, Machine, Outcome, Workspace, numbered_lines};

use super::scene::{reviewer, states};

#[test]
fn typed_text_stays_and_the_editor_receives_the_accepted_hunks() {
    let machine = Machine::configured("review = \"auto\"\n");
    let workspace = Workspace::file("a.txt", numbered_lines(40));
    let editor = Editor::start(&machine, &workspace, Kind::Plugin);
    let uri = editor.open(&workspace, "a.txt");
    let mut person = reviewer(&machine, &workspace);
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let edit =
        |number: u32| json!({ "oldText": format!("line {number}\n"), "newText": format!("LINE {number}\n") });
    let edits = json!([edit(3), edit(20), edit(37)]);
    let proposal = agent.call("editd/edit", json!({ "path": "a.txt", "edits": edits })).done();
    editor.type_at_start(&uri, "typed\n");
    editor.replace(&uri, "line 20\n", "mine 20\n");
    let seen = person.call("editd/proposal", json!({ "id": proposal["id"] })).done();
    assert_eq!(states(&seen), ["pending", "conflicted", "pending"]);
    assert_eq!(seen["files"][0]["hunks"][0]["oldStart"], 4);
    let decision = json!({ "id": proposal["id"], "revision": 1, "accept": "all", "reject": ["h2"] });
    let done = person.call("editd/decide", decision).done();
    assert_eq!((&done["state"], &done["files"][0]["source"]), (&json!("partial"), &json!("editor")));
    let text = numbered_lines(40)
        .replace("line 3\n", "LINE 3\n")
        .replace("line 20\n", "mine 20\n")
        .replace("line 37\n", "LINE 37\n");
    assert_eq!(editor.text(&uri), format!("typed\n{text}"));
    assert_eq!(workspace.text("a.txt"), numbered_lines(40));
    let outcome = agent.call("editd/apply", json!({ "id": proposal["id"] })).done();
    assert_eq!((&outcome["state"], &outcome["files"][0]["saved"]), (&json!("partial"), &json!(false)));
    // The agent has not read the typed text, but can continue to edit.
    assert_eq!(agent.edit("a.txt", "LINE 37\n", "Line 37\n").done()["state"], "pending");
}
