//! Reviewers that are gone: whose review changes wait for, and what they learn when they are back.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Agent, Machine, Outcome, PATIENCE, Workspace, eventually, uri_of, within};

use super::scene::reviewer;

fn scene() -> (Machine, Workspace) {
    (Machine::configured("review = \"auto\"\n"), Workspace::file("a.txt", "one\ntwo\n"))
}

/// Changes `a.txt` as a new agent, and returns the state of the change.
fn state_of_a_change(machine: &Machine, workspace: &Workspace) -> String {
    let mut agent = machine.agent(workspace);
    let text = agent.read("a.txt")["text"].as_str().expect("a text").to_owned();
    let first = text.lines().next().expect("a line");
    let changed = agent.edit("a.txt", first, &format!("{first}!")).done();
    changed["state"].as_str().expect("a state").to_owned()
}

/// Ends a session as an editor that is closed.
fn close(mut editor: Agent) {
    editor.call("shutdown", json!({})).done();
    editor.notify("exit", json!({}));
    editor.until_closed();
}

/// Waits until the daemon has noticed that all editors are gone.
fn until_alone(machine: &Machine, workspace: &Workspace) {
    let mut agent = machine.agent(workspace);
    eventually("the editors to be gone", || {
        (agent.call("editd/status", json!({})).done()["sessions"] == 1).then_some(())
    });
}

fn reviewers(client: &mut Agent) -> Value {
    client.call("editd/reviewers", json!({})).done()
}

#[derive(Clone, Copy)]
enum End {
    Kill,
    Stop,
    Terminate,
}

#[rstest]
#[case::kill(End::Kill)]
#[case::stop(End::Stop)]
#[case::terminate(End::Terminate)]
fn changes_wait_while_the_daemon_is_back_and_the_editor_is_not(#[case] end: End) {
    let (mut machine, workspace) = scene();
    let editor = reviewer(&machine, &workspace);
    match end {
        End::Kill => machine.crash(),
        End::Stop => {
            assert!(machine.run(&["stop"]).status.success());
            machine.until_ended();
        }
        End::Terminate => {
            machine.terminate();
            machine.until_ended();
        }
    }
    drop(editor);
    machine.serve();
    assert_eq!(state_of_a_change(&machine, &workspace), "pending");
    machine.restart();
    assert_eq!(state_of_a_change(&machine, &workspace), "pending", "after another restart, too");
    assert_eq!(workspace.text("a.txt"), "one\ntwo\n");
    let mut editor = reviewer(&machine, &workspace);
    let waiting = editor.call("editd/proposals", json!({ "state": "pending" })).done();
    assert_eq!(waiting["proposals"].as_array().expect("a list").len(), 2);
    let known = reviewers(&mut editor);
    assert_eq!((&known["expected"], &known["unreviewed"]), (&json!([]), &Value::Null));
    close(editor);
    assert_eq!(state_of_a_change(&machine, &workspace), "applied");
}

/// The daemon ends for a newer version once all its clients are gone, those of the version before included.
#[test]
fn changes_wait_after_an_update_until_the_editor_is_back() {
    let (mut machine, workspace) = scene();
    let editor = reviewer(&machine, &workspace);
    let mut session = workspace.session("editd");
    session["clientInfo"]["version"] = "99.0.0".into();
    drop(machine.agent_with(session));
    assert!(machine.is_serving(), "the editor is still there");
    drop(editor);
    machine.until_ended();
    machine.serve();
    assert_eq!(state_of_a_change(&machine, &workspace), "pending");
    close(reviewer(&machine, &workspace));
    assert_eq!(state_of_a_change(&machine, &workspace), "applied");
}

#[test]
fn a_folder_without_a_reviewer_does_not_wait() {
    let (mut machine, workspace) = scene();
    let elsewhere = Workspace::file("a.txt", "one\n");
    let _editor = reviewer(&machine, &workspace);
    machine.restart();
    assert_eq!(state_of_a_change(&machine, &elsewhere), "applied");
    assert_eq!(state_of_a_change(&machine, &workspace), "pending");
}

#[test]
fn a_connection_that_ends_without_a_goodbye_is_expected_back() {
    let (machine, workspace) = scene();
    let editor = reviewer(&machine, &workspace);
    drop(editor);
    until_alone(&machine, &workspace);
    assert_eq!(state_of_a_change(&machine, &workspace), "pending");
    close(reviewer(&machine, &workspace));
    assert_eq!(state_of_a_change(&machine, &workspace), "applied");
}

#[test]
fn an_editor_that_was_closed_learns_what_was_changed_in_between() {
    let (mut machine, workspace) = scene();
    close(reviewer(&machine, &workspace));
    for _ in 0..2 {
        assert_eq!(state_of_a_change(&machine, &workspace), "applied");
    }
    machine.restart();
    assert_eq!(state_of_a_change(&machine, &workspace), "applied");
    let elsewhere = Workspace::file("a.txt", "one\n");
    assert_eq!(state_of_a_change(&machine, &elsewhere), "applied");
    let mut editor = reviewer(&machine, &workspace);
    let unreviewed = reviewers(&mut editor)["unreviewed"].clone();
    assert_eq!((&unreviewed["changes"], &unreviewed["files"]), (&json!(3), &json!(1)));
    assert_eq!(
        unreviewed["message"],
        "3 changes in 1 file were made without a review while no editor was connected here."
    );
    let newest = &unreviewed["transactions"][0];
    assert_eq!(newest["paths"], json!([workspace.path("a.txt")]));
    assert_eq!(reviewers(&mut editor)["unreviewed"], unreviewed, "for as long as it is connected");
    // What it has been told is not told again.
    close(editor);
    let mut next = reviewer(&machine, &workspace);
    assert_eq!(reviewers(&mut next)["unreviewed"], Value::Null);
}

#[test]
fn what_a_person_has_accepted_is_not_reported() {
    let (machine, workspace) = scene();
    close(reviewer(&machine, &workspace));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let edit = json!({ "path": "a.txt", "oldText": "one", "newText": "1", "review": true });
    let waits = agent.call("editd/edit", edit).done();
    let id = waits["id"].as_str().expect("an id");
    assert!(machine.run(&["review", id, "--accept"]).status.success());
    assert_eq!(workspace.text("a.txt"), "1\ntwo\n");
    assert_eq!(reviewers(&mut reviewer(&machine, &workspace))["unreviewed"], Value::Null);
}

#[test]
fn an_editor_that_may_come_back_is_waited_for_after_its_goodbye() {
    let (mut machine, workspace) = scene();
    let mut editor = reviewer(&machine, &workspace);
    editor.notify("editd/leaving", json!({}));
    close(editor);
    assert_eq!(state_of_a_change(&machine, &workspace), "pending");
    machine.restart();
    assert_eq!(state_of_a_change(&machine, &workspace), "pending");
    let mut agent = machine.agent(&workspace);
    agent.call("editd/reviewers", json!({})).refused("not_permitted");
    let listed = reviewers(&mut machine.editor(&workspace));
    assert!(listed["expected"][0]["until"].is_string(), "{listed}");
}

/// The wait is half a minute long, so this test takes as long.
#[test]
fn an_editor_that_did_not_come_back_in_time_learns_what_was_changed_without_it() {
    let (machine, workspace) = scene();
    let mut editor = reviewer(&machine, &workspace);
    editor.notify("editd/leaving", json!({}));
    close(editor);
    let mut other = machine.editor(&workspace);
    within(3 * PATIENCE, "the end of the wait", || {
        reviewers(&mut other)["expected"].as_array().is_none_or(Vec::is_empty).then_some(())
    });
    drop(other);
    assert_eq!(state_of_a_change(&machine, &workspace), "applied");
    let mut editor = reviewer(&machine, &workspace);
    assert_eq!(reviewers(&mut editor)["unreviewed"]["changes"], 1);
}

#[test]
fn an_editor_without_review_is_not_expected() {
    let (mut machine, workspace) = scene();
    let _editor = machine.editor(&workspace);
    machine.restart();
    assert_eq!(state_of_a_change(&machine, &workspace), "applied");
}

#[test]
fn a_person_ends_the_wait_until_an_editor_is_back() {
    let (mut machine, workspace) = scene();
    let other = Workspace::file("a.txt", "one\n");
    let (_here, _there) = (reviewer(&machine, &workspace), reviewer(&machine, &other));
    machine.restart();
    let status = machine.run(&["status"]);
    let status = String::from_utf8(status.stdout).expect("text");
    assert!(status.contains("expected back"), "{status}");
    let mut command = machine.command(&["review", "--off"]);
    let output = command.current_dir(workspace.root()).output().expect("editd can be run");
    let note = String::from_utf8(output.stderr).expect("text");
    assert!(note.contains("no longer wait for person in"), "{note}");
    assert_eq!(state_of_a_change(&machine, &workspace), "applied");
    assert_eq!(state_of_a_change(&machine, &other), "pending");
    let mut editor = reviewer(&machine, &workspace);
    assert_eq!(reviewers(&mut editor)["unreviewed"]["changes"], 1);
    assert_eq!(state_of_a_change(&machine, &workspace), "pending");
    // Agents end no wait.
    machine.agent(&other).call("editd/dismissReviewers", json!({})).refused("not_permitted");
}

#[test]
fn files_that_are_open_outside_the_folders_of_an_editor_are_remembered() {
    let (mut machine, workspace) = scene();
    let (outside, closed) = (Workspace::file("a.txt", "one\n"), Workspace::file("a.txt", "one\n"));
    let mut editor = reviewer(&machine, &workspace);
    for file in [&outside, &closed] {
        let document = json!({ "uri": uri_of(&file.path("a.txt")), "languageId": "text", "version": 1, "text": "one\n" });
        editor.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }
    let closing = json!({ "textDocument": { "uri": uri_of(&closed.path("a.txt")) } });
    editor.notify("textDocument/didClose", closing);
    editor.call("editd/status", json!({})).done();
    machine.restart();
    assert_eq!(state_of_a_change(&machine, &outside), "pending");
    assert_eq!(state_of_a_change(&machine, &closed), "applied");
}

#[test]
fn folders_that_an_editor_adds_and_removes_are_remembered() {
    let (mut machine, workspace) = scene();
    let added = Workspace::file("a.txt", "one\n");
    let mut editor = reviewer(&machine, &workspace);
    let folder = |of: &Workspace| json!([{ "uri": uri_of(of.root()), "name": "folder" }]);
    let event = json!({ "added": folder(&added), "removed": folder(&workspace) });
    editor.notify("workspace/didChangeWorkspaceFolders", json!({ "event": event }));
    editor.call("editd/status", json!({})).done();
    machine.restart();
    assert_eq!(state_of_a_change(&machine, &added), "pending");
    assert_eq!(state_of_a_change(&machine, &workspace), "applied");
}

#[test]
fn a_damaged_record_makes_all_changes_wait() {
    let (mut machine, workspace) = scene();
    let file = machine.state().join("reviewers.json");
    let editor = reviewer(&machine, &workspace);
    let mode = fs::metadata(&file).expect("a record").permissions().mode() & 0o777;
    assert_eq!(mode, 0o600);
    machine.crash();
    drop(editor);
    fs::write(&file, "{ \"version\": 1, ").expect("a damaged record");
    machine.serve();
    let elsewhere = Workspace::file("a.txt", "one\n");
    assert_eq!(state_of_a_change(&machine, &elsewhere), "pending");
    assert!(machine.run(&["review", "--off"]).status.success());
    assert_eq!(state_of_a_change(&machine, &elsewhere), "applied");
}

#[test]
fn with_reviews_turned_off_nothing_waits() {
    let (mut machine, workspace) =
        (Machine::configured("review = \"off\"\n"), Workspace::file("a.txt", "one\n"));
    let _editor = reviewer(&machine, &workspace);
    machine.restart();
    assert_eq!(state_of_a_change(&machine, &workspace), "applied");
}
