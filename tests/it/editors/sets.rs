//! Sets of files, some in editors and some on disk, change together or not at all.

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Editor, Kind, Machine, Manner, Outcome, Workspace, eventually};

fn edit(path: &str, old: &str, new: &str) -> Value {
    json!({ "kind": "edit", "path": path, "edits": [{ "oldText": old, "newText": new }] })
}

fn three() -> Workspace {
    Workspace::with(&[("a.txt", "one a\n"), ("b.txt", "one b\n"), ("c.txt", "one c\n")])
}

fn all(workspace: &Workspace) -> [String; 3] {
    ["a.txt", "b.txt", "c.txt"].map(|name| workspace.text(name))
}

#[test]
fn a_set_of_open_and_closed_files_is_one_change() {
    let (machine, workspace) = (Machine::start(), three());
    let first = Editor::named(&machine, &workspace, Kind::Plugin, "first", "utf-16");
    let second = Editor::named(&machine, &workspace, Kind::Plugin, "second", "utf-8");
    let (a, b) = (first.open(&workspace, "a.txt"), second.open(&workspace, "b.txt"));
    second.replace(&b, "b", "typed");
    let mut agent = machine.agent(&workspace);
    agent.read_all(&["a.txt", "b.txt", "c.txt"]);
    let names = ["a.txt", "b.txt", "c.txt"];
    let done = agent.changes(names.map(|name| edit(name, "one", "1")).to_vec()).done();
    assert_eq!((first.text(&a).as_str(), second.text(&b).as_str()), ("1 a\n", "1 typed\n"));
    assert_eq!(all(&workspace), ["1 a\n", "one b\n", "1 c\n"]);
    let saved: Vec<_> = done["files"].as_array().unwrap().iter().map(|file| file["saved"].clone()).collect();
    assert_eq!(saved, [true, false, true]);
    agent.undo().done();
    assert_eq!((first.text(&a).as_str(), second.text(&b).as_str()), ("one a\n", "one typed\n"));
    assert_eq!(all(&workspace), ["one a\n", "one b\n", "one c\n"]);
}

#[rstest]
#[case(Manner::Refuses)]
#[case(Manner::Lies)]
#[case(Manner::Dies)]
#[case(Manner::TypesBefore("typed "))]
fn when_one_editor_does_not_apply_nothing_changes_anywhere(#[case] manner: Manner) {
    let (machine, workspace) = (Machine::start(), three());
    let first = Editor::named(&machine, &workspace, Kind::Plugin, "first", "utf-16");
    let second = Editor::named(&machine, &workspace, Kind::Plugin, "second", "utf-8");
    let (a, b) = (first.open(&workspace, "a.txt"), second.open(&workspace, "b.txt"));
    let mut agent = machine.agent(&workspace);
    agent.read_all(&["a.txt", "b.txt", "c.txt"]);
    second.behave(manner.clone());
    let names = ["a.txt", "b.txt", "c.txt"];
    let refusal = agent.changes(names.map(|name| edit(name, "one", "1")).to_vec());
    let refusal = refusal.refused_as_any(&["editor_refused", "stale"]);
    assert_eq!(refusal["change"], 1);
    assert_eq!(first.text(&a), "one a\n", "the edit of the first editor was undone");
    let typed = if matches!(manner, Manner::TypesBefore(_)) { "typed one b\n" } else { "one b\n" };
    assert_eq!(second.text(&b), typed);
    assert_eq!(all(&workspace), ["one a\n", "one b\n", "one c\n"]);
    assert!(agent.history().is_empty());
}

#[test]
fn typing_during_a_rollback_is_preserved() {
    let (machine, workspace) = (Machine::start(), three());
    let first = Editor::named(&machine, &workspace, Kind::Plugin, "first", "utf-16");
    let second = Editor::named(&machine, &workspace, Kind::Plugin, "second", "utf-8");
    let (a, _) = (first.open(&workspace, "a.txt"), second.open(&workspace, "b.txt"));
    let mut agent = machine.agent(&workspace);
    agent.read_all(&["a.txt", "b.txt"]);
    first.behave(Manner::TypesAfter("typed\n"));
    second.behave(Manner::Refuses);
    agent.changes(["a.txt", "b.txt"].map(|name| edit(name, "one", "1")).to_vec()).refused("editor_refused");
    assert_eq!(first.text(&a), "one a\ntyped\n");
}

#[test]
fn a_failure_on_disk_restores_the_texts_of_editors() {
    let (machine, workspace) = (Machine::start(), three());
    let editor = Editor::start(&machine, &workspace, Kind::Plugin);
    let a = editor.open(&workspace, "a.txt");
    let mut agent = machine.agent(&workspace);
    agent.read_all(&["a.txt", "c.txt"]);
    // Another program changes `c.txt` between its check and its replacement: when the edit of `a.txt`
    // arrives.
    let c = workspace.path("c.txt");
    editor.on_apply(move || std::fs::write(&c, "other\n").expect("a write"));
    let refusal =
        agent.changes(["a.txt", "c.txt"].map(|name| edit(name, "one", "1")).to_vec()).refused("stale");
    assert_eq!(refusal["change"], 1);
    assert_eq!((editor.text(&a).as_str(), workspace.text("a.txt").as_str()), ("one a\n", "one a\n"));
    assert_eq!(workspace.text("c.txt"), "other\n");
    assert!(agent.history().is_empty());
}

#[test]
fn an_editor_receives_all_its_documents_in_one_request() {
    let (machine, workspace) = (Machine::start(), three());
    let editor = Editor::start(&machine, &workspace, Kind::Plugin);
    let uris = ["a.txt", "b.txt", "c.txt"].map(|name| editor.open(&workspace, name));
    let mut agent = machine.agent(&workspace);
    agent.read_all(&["a.txt", "b.txt", "c.txt"]);
    agent.changes(["a.txt", "b.txt", "c.txt"].map(|name| edit(name, "one", "1")).to_vec()).done();
    assert_eq!(editor.requests("editd/applyEdits").len(), 1);
    assert_eq!(uris.map(|uri| editor.text(&uri)), ["1 a\n", "1 b\n", "1 c\n"]);
    assert_eq!(all(&workspace), ["1 a\n", "1 b\n", "1 c\n"]);
}

#[test]
fn a_document_of_a_disconnected_editor_is_restored_on_its_return() {
    let (machine, workspace) = (Machine::start(), three());
    let first = Editor::named(&machine, &workspace, Kind::Plugin, "first", "utf-16");
    let second = Editor::named(&machine, &workspace, Kind::Plugin, "second", "utf-8");
    let (a, _) = (first.open(&workspace, "a.txt"), second.open(&workspace, "b.txt"));
    let mut agent = machine.agent(&workspace);
    agent.read_all(&["a.txt", "b.txt"]);
    let first = std::sync::Arc::new(first);
    second.on_apply({
        let first = first.clone();
        move || first.hang_up()
    });
    second.behave(Manner::Refuses);
    agent.changes(["a.txt", "b.txt"].map(|name| edit(name, "one", "1")).to_vec()).refused("editor_refused");
    assert_eq!(first.text(&a), "1 a\n", "the disconnected editor still has the edit");
    let waits = agent.read_and_edit("a.txt", "one", "x").refused("recovering");
    assert!(waits["transaction"].is_string());
    assert_eq!(agent.call("editd/status", json!({})).done()["recovering"], 1);
    let back = Editor::named(&machine, &workspace, Kind::Plugin, "first", "utf-16");
    let a = back.open_with(&workspace, "a.txt", "typed\n1 a\n", true);
    eventually("its restored text", || (back.text(&a) == "typed\none a\n").then_some(()));
    agent.read_and_edit("a.txt", "one", "x").done();
    assert_eq!(back.text(&a), "typed\nx a\n");
}

#[test]
fn a_set_interrupted_by_a_killed_daemon_is_rolled_back_in_the_editors() {
    let (mut machine, workspace) = (Machine::start(), three());
    let first = Editor::named(&machine, &workspace, Kind::Plugin, "first", "utf-16");
    let second = Editor::named(&machine, &workspace, Kind::Plugin, "second", "utf-8");
    let (a, b) = (first.open(&workspace, "a.txt"), second.open(&workspace, "b.txt"));
    let mut agent = machine.agent(&workspace);
    agent.read_all(&["a.txt", "b.txt", "c.txt"]);
    let pid = machine.pid();
    second
        .on_apply(move || rustix::process::kill_process(pid, rustix::process::Signal::KILL).expect("a kill"));
    let names = ["a.txt", "b.txt", "c.txt"];
    let request = agent.send("editd/edit", json!({ "changes": names.map(|name| edit(name, "one", "1")) }));
    assert!(agent.answer_or_end(request).is_none());
    eventually("both to have the edit", || {
        (first.text(&a) == "1 a\n" && second.text(&b) == "1 b\n").then_some(())
    });
    assert_eq!(workspace.text("c.txt"), "one c\n");
    machine.restart();
    let mut agent = machine.agent(&workspace);
    agent.read_and_edit("a.txt", "one", "x").refused("recovering");
    // Both editors are still running, and reconnect with their texts.
    let first = Editor::named(&machine, &workspace, Kind::Plugin, "first", "utf-16");
    let second = Editor::named(&machine, &workspace, Kind::Plugin, "second", "utf-8");
    let a = first.open_with(&workspace, "a.txt", "1 a\n", true);
    let b = second.open_with(&workspace, "b.txt", "1 b\n", true);
    eventually("the original texts", || {
        (first.text(&a) == "one a\n" && second.text(&b) == "one b\n").then_some(())
    });
    agent.read_and_edit("a.txt", "one", "x").done();
    assert_eq!(all(&workspace)[1..], ["one b\n", "one c\n"]);
}

#[test]
fn a_committed_set_is_not_rolled_back_after_a_kill() {
    let (mut machine, workspace) = (Machine::start(), three());
    let editor = Editor::start(&machine, &workspace, Kind::Plugin);
    let a = editor.open(&workspace, "a.txt");
    editor.replace(&a, "a", "typed");
    let mut agent = machine.agent(&workspace);
    agent.read_all(&["a.txt", "c.txt"]);
    agent.changes(["a.txt", "c.txt"].map(|name| edit(name, "one", "1")).to_vec()).done();
    machine.restart();
    let editor = Editor::start(&machine, &workspace, Kind::Plugin);
    let a = editor.open_with(&workspace, "a.txt", "1 typed\n", true);
    assert_eq!(machine.agent(&workspace).read("a.txt")["text"], "1 typed\n");
    machine.agent(&workspace).read_and_edit("a.txt", "typed", "x").done();
    assert_eq!((editor.text(&a).as_str(), workspace.text("c.txt").as_str()), ("1 x\n", "1 c\n"));
}

#[test]
fn a_partial_application_by_an_editor_is_rolled_back() {
    let (machine, workspace) = (Machine::start(), three());
    let editor = Editor::start(&machine, &workspace, Kind::Plugin);
    let uris = ["a.txt", "b.txt"].map(|name| editor.open(&workspace, name));
    let mut agent = machine.agent(&workspace);
    agent.read_all(&["a.txt", "b.txt"]);
    editor.behave(Manner::AppliesFirst);
    agent.changes(["a.txt", "b.txt"].map(|name| edit(name, "one", "1")).to_vec()).refused("editor_refused");
    assert_eq!(uris.map(|uri| editor.text(&uri)), ["one a\n", "one b\n"]);
    assert!(agent.history().is_empty());
}

#[test]
fn a_later_commit_is_not_rolled_back_in_a_returning_editor() {
    let (machine, workspace) = (Machine::start(), three());
    let editor = Editor::start(&machine, &workspace, Kind::Plugin);
    editor.open(&workspace, "a.txt");
    editor.behave(Manner::Dies);
    let mut agent = machine.agent(&workspace);
    agent.read_and_edit("a.txt", "one", "1").refused("editor_refused");
    eventually("the end of the editor's session", || {
        (agent.call("editd/status", json!({})).done()["sessions"] == 1).then_some(())
    });
    agent.edit("a.txt", "one", "1").done();
    let back = Editor::start(&machine, &workspace, Kind::Plugin);
    let a = back.open(&workspace, "a.txt");
    agent.read_and_edit("a.txt", "1", "2").done();
    assert_eq!((back.text(&a).as_str(), back.edits_received(&a)), ("2 a\n", 1));
    assert_eq!(workspace.text("a.txt"), "2 a\n");
}

#[test]
fn a_failed_rollback_is_reported_and_retried() {
    let (machine, workspace) = (Machine::start(), three());
    let first = Editor::named(&machine, &workspace, Kind::Plugin, "first", "utf-16");
    let second = Editor::named(&machine, &workspace, Kind::Plugin, "second", "utf-8");
    let (a, _) = (first.open(&workspace, "a.txt"), second.open(&workspace, "b.txt"));
    let mut agent = machine.agent(&workspace);
    agent.read_all(&["a.txt", "b.txt"]);
    first.behave(Manner::OnlyOnce);
    second.behave(Manner::Refuses);
    let refusal = agent
        .changes(["a.txt", "b.txt"].map(|name| edit(name, "one", "1")).to_vec())
        .refused("verify_failed");
    assert!(refusal["reason"].as_str().unwrap().contains("a.txt"), "{refusal}");
    assert_eq!(first.text(&a), "1 a\n");
    agent.read_and_edit("a.txt", "1", "x").refused("recovering");
    first.behave(Manner::Honest);
    // The kind depends on whether the rollback happens before the read, or between the read and the edit.
    agent.read_and_edit("a.txt", "1", "x").refused_as_any(&["stale", "not_found"]);
    assert_eq!(first.text(&a), "one a\n", "now it is rolled back");
    agent.read_and_edit("a.txt", "one", "x").done();
}

#[test]
fn a_committed_set_is_in_the_history_if_the_daemon_is_killed_during_a_save() {
    let (mut machine, workspace) = (Machine::start(), three());
    let editor = Editor::start(&machine, &workspace, Kind::Plugin);
    editor.open(&workspace, "a.txt");
    let mut agent = machine.agent(&workspace);
    agent.read_all(&["a.txt", "c.txt"]);
    let pid = machine.pid();
    editor
        .on_save(move || rustix::process::kill_process(pid, rustix::process::Signal::KILL).expect("a kill"));
    let changes = ["a.txt", "c.txt"].map(|name| edit(name, "one", "1"));
    let request = agent.send("editd/edit", json!({ "changes": changes }));
    assert!(agent.answer_or_end(request).is_none());
    machine.restart();
    assert_eq!(workspace.text("c.txt"), "1 c\n");
    assert_eq!(machine.agent(&workspace).history().len(), 1);
}

/// Writes the record of an interrupted set as a killed daemon leaves it.
fn interrupted(machine: &Machine, name: &str, at: u64, file: &std::path::Path) -> std::path::PathBuf {
    let record = machine.state().join("interrupted").join(format!("{name}.json"));
    let hash = crate::support::hash_of(b"1\n");
    let set = json!({ "transaction": name, "at": at, "documents": [], "files": [[file, hash]] });
    std::fs::write(&record, set.to_string()).expect("a record");
    record
}

fn now() -> u64 {
    std::time::SystemTime::UNIX_EPOCH.elapsed().expect("a time").as_secs()
}

#[test]
fn one_start_with_a_wrong_clock_deletes_no_record_of_an_interrupted_set() {
    const DAY: u64 = 24 * 3600;
    let (mut machine, workspace) = (Machine::start(), three());
    machine.crash();
    let file = workspace.path("a.txt");
    let old = interrupted(&machine, "old", now() - 8 * DAY, &file);
    let jumped = interrupted(&machine, "jumped", now() - 40 * 365 * DAY, &file);
    let committed = interrupted(&machine, "committed", now() - 40 * 365 * DAY, &workspace.path("b.txt"));
    workspace.put("b.txt", "1\n");
    machine.serve();
    assert_eq!([&old, &jumped, &committed].map(|record| record.exists()), [false, true, false]);
}

/// Anything may have the name of a file when the daemon starts again.
#[test]
fn a_pipe_or_an_endless_link_in_place_of_a_file_of_an_interrupted_set_stops_no_start() {
    let (mut machine, workspace) = (Machine::start(), three());
    machine.crash();
    let (pipe, link) = (workspace.path("pipe"), workspace.path("link"));
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR)
        .expect("a pipe");
    std::os::unix::fs::symlink("/dev/zero", &link).expect("a link");
    let records =
        [("pipe", &pipe), ("link", &link)].map(|(name, file)| interrupted(&machine, name, now(), file));
    machine.serve();
    machine.agent(&workspace).read_and_edit("a.txt", "one", "1").done();
    assert!(records.iter().all(|record| record.exists()), "nothing shows that the sets were committed");
}
