//! Tests of the size and location of the history.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use crate::support::{Agent, Machine, Outcome, Workspace, eventually, put_mtime};

fn files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries
        .flat_map(|path| if path.is_dir() { [files_in(&path), vec![path]].concat() } else { vec![path] })
        .collect()
}

fn size(machine: &Machine) -> u64 {
    let files = files_in(&machine.state().join("history"));
    files.iter().filter(|path| path.is_file()).map(|path| path.metadata().expect("a file").len()).sum()
}

#[test]
fn only_its_owner_can_read_the_history() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    agent.change(json!({ "kind": "delete", "path": "a.txt" })).done();
    let history = machine.state().join("history");
    let files = files_in(&history);
    assert_eq!(files.len(), 4, "a segment, its lines, an image, the clock: {files:?}");
    for path in files.into_iter().chain([history]) {
        let mode = path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, if path.is_dir() { 0o700 } else { 0o600 }, "{}", path.display());
    }
}

#[test]
fn lines_are_readable_json() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    machine.agent(&workspace).read_and_edit("a.txt", "one", "1").done();
    let lines = files_in(&machine.state().join("history"))
        .into_iter()
        .find(|path| path.ends_with("entries.jsonl"))
        .unwrap();
    let text = fs::read_to_string(lines).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 2);
    let head = &lines[0]["entry"]["head"];
    assert_eq!((&head["author"], &head["files"][0]["action"]), (&json!("alice"), &json!("edit")));
    assert_eq!(lines[1]["landed"]["id"], head["id"]);
}

/// Runs the program in the workspace and returns what it prints.
fn printed(machine: &Machine, workspace: &Workspace, arguments: &[&str]) -> String {
    let output = machine.command(arguments).current_dir(workspace.root()).output().expect("it runs");
    String::from_utf8(output.stdout).expect("text")
}

/// Deletes a file with a text of its own, of that many lines.
fn delete(agent: &mut Agent, workspace: &Workspace, number: usize, lines: usize) -> Value {
    let path = format!("{number}.txt");
    workspace.put(&path, format!("{number:05}\n").repeat(lines));
    agent.read(&path);
    agent.change(json!({ "kind": "delete", "path": path, "baseHash": workspace.hash(&path) })).done()
}

#[test]
fn above_the_limit_the_oldest_contents_are_removed_and_their_entries_stay() {
    let machine = Machine::configured("[limits]\nhistory_bytes = 400000\n");
    let workspace = Workspace::empty();
    let mut agent = machine.agent(&workspace);
    let done: Vec<_> = (0..40).map(|number| delete(&mut agent, &workspace, number, 5_000)).collect();
    assert!(size(&machine) <= 400_000, "{}", size(&machine));
    let listed = agent.history();
    assert_eq!(listed.len(), 40);
    assert_eq!(
        (&listed[39]["files"][0]["contentGone"], &listed[0]["files"][0]["contentGone"]),
        (&json!(true), &Value::Null)
    );
    let refused = agent.undo_this(&done[0]).refused("missing");
    assert!(refused.to_string().contains("0.txt` is no longer kept"), "{refused}");
    assert_eq!(refused["transaction"], done[0]["transaction"]);
    let shown = printed(&machine, &workspace, &["show", done[0]["transaction"].as_str().unwrap()]);
    assert!(shown.contains("0.txt is no longer kept, so this change cannot be undone"), "{shown}");
    let log = printed(&machine, &workspace, &["log", "-n", "100"]);
    assert!(log.lines().next_back().unwrap().contains("(old content not kept)"), "{log}");
    assert!(!log.lines().next().unwrap().contains("(old content not kept)"), "{log}");
    agent.undo_this(&done[39]).done();
    assert!(workspace.has("39.txt"));
}

/// An agent deletes and replaces large files again and again.
#[test]
fn an_agent_takes_no_place_in_the_history_from_others() {
    let mut machine = Machine::configured("[limits]\nhistory_bytes = 2000000\n");
    let workspace = Workspace::with(&[("pay.py", "account = 1\n"), ("junk.txt", "junk\n")]);
    let (mut good, mut evil) =
        (machine.agent_named("good", &workspace), machine.agent_named("evil", &workspace));
    let lost = delete(&mut good, &workspace, 1000, 30_000);
    let changed = evil.read_and_edit("pay.py", "1", "2").done();
    for number in 0..15 {
        delete(&mut evil, &workspace, number, 30_000);
        workspace.put("junk.txt", format!("{number:05}\n").repeat(30_000));
        evil.read("junk.txt");
        let (content, hash) = (format!("new {number}\n"), workspace.hash("junk.txt"));
        evil.change(json!({ "kind": "write", "path": "junk.txt", "content": content, "baseHash": hash }))
            .done();
    }
    assert!(size(&machine) <= 2_000_000, "{}", size(&machine));
    assert_eq!(good.history().len(), 32);
    machine.restart();
    let (mut good, mut evil) =
        (machine.agent_named("good", &workspace), machine.agent_named("evil", &workspace));
    assert_eq!(good.history().len(), 32);
    good.undo_this(&lost).done();
    assert_eq!(workspace.text("1000.txt").len(), 180_000);
    let blame = good.call("editd/blame", json!({ "path": "pay.py" })).done();
    assert_eq!(blame["lines"][0]["transaction"], changed["transaction"]);
    evil.undo_this(&changed).done();
}

#[test]
fn many_small_changes_take_no_place_from_those_of_others() {
    let machine = Machine::configured("[limits]\nhistory_bytes = 200000\n");
    let workspace = Workspace::with(&[("a.txt", "one\n"), ("b.txt", "0\n")]);
    let (mut good, mut evil) =
        (machine.agent_named("good", &workspace), machine.agent_named("evil", &workspace));
    let first = good.read_and_edit("a.txt", "one", "1").done();
    evil.read("b.txt");
    for number in 0..400 {
        evil.edit("b.txt", &format!("{number}\n"), &format!("{}\n", number + 1)).done();
    }
    assert!(size(&machine) <= 200_000, "{}", size(&machine));
    let listed = good.history();
    assert!((50..390).contains(&listed.len()), "{}", listed.len());
    assert_eq!(listed.last().unwrap()["transaction"], first["transaction"]);
    good.undo_this(&first).done();
    assert_eq!(workspace.text("a.txt"), "one\n");
}

#[test]
fn a_change_too_large_for_the_history_is_reported() {
    let machine = Machine::configured("[limits]\nhistory_bytes = 10000\n");
    let workspace = Workspace::file("a.txt", "x\n".repeat(10_000));
    let mut agent = machine.agent(&workspace);
    let delete = json!({ "kind": "delete", "path": "a.txt", "baseHash": workspace.hash("a.txt") });
    let done = agent.change(delete).done();
    assert!(done["files"][0]["warnings"][0].as_str().unwrap_or_default().contains("limit of 5000"), "{done}");
    agent.undo_this(&done).refused("missing");
}

#[test]
fn a_disabled_history_stores_nothing() {
    let machine = Machine::configured("[limits]\nhistory_bytes = 0\n");
    let workspace = Workspace::file("a.txt", "one\n");
    let mut agent = machine.agent(&workspace);
    let done = agent.read_and_edit("a.txt", "one", "1").done();
    assert_eq!(done["files"][0]["warnings"], json!([]));
    assert_eq!(agent.history(), Vec::<Value>::new());
    agent.undo().refused("missing");
    assert_eq!(size(&machine), 0);
}

#[test]
fn expired_segments_are_removed() {
    let mut machine = Machine::asleep("history_days = 3\n");
    machine.serve();
    let workspace = Workspace::file("a.txt", "one\n");
    machine.agent(&workspace).read_and_edit("a.txt", "one", "1").done();
    machine.crash();
    let old = SystemTime::now() - Duration::from_secs(4 * 24 * 60 * 60);
    for file in files_in(&machine.state().join("history")).into_iter().filter(|path| path.is_file()) {
        put_mtime(&file, old);
    }
    machine.serve();
    eventually("the old segment to go", || {
        files_in(&machine.state().join("history")).iter().all(|path| path.ends_with("clock")).then_some(())
    });
    assert_eq!(machine.agent(&workspace).history(), Vec::<Value>::new());
}

/// The clock has jumped by many years since the last daemon: everything looks old.
#[test]
fn one_start_with_a_wrong_clock_deletes_nothing() {
    const DAY: u64 = 24 * 60 * 60;
    let mut machine = Machine::start();
    let workspace = Workspace::file("a.txt", "one\n");
    machine.agent(&workspace).read_and_edit("a.txt", "one", "1").done();
    machine.run(&["run", "--", "true"]);
    machine.crash();
    let (now, folder) = (SystemTime::now(), machine.state().join("history"));
    let seconds = |time: SystemTime| time.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
    let old = now - Duration::from_secs(40 * 365 * DAY);
    let set = |clock: String| {
        for file in files_in(&folder).into_iter().filter(|path| path.is_file()) {
            put_mtime(&file, old);
        }
        fs::write(folder.join("clock"), clock).unwrap();
    };
    set(format!("{} -", seconds(old)));
    machine.serve();
    let clock = || fs::read_to_string(folder.join("clock")).unwrap();
    let jumped = eventually("the jump to be noticed", || Some(clock()).filter(|text| !text.ends_with('-')));
    machine.restart();
    assert_eq!(machine.agent(&workspace).history().len(), 1, "{jumped}");
    machine.crash();
    // The clock has stayed there for a day, so it is right.
    set(format!("{} {}", seconds(now) - 60, seconds(now) - DAY - 60));
    machine.serve();
    eventually("the old segment to go", || machine.agent(&workspace).history().is_empty().then_some(()));
}

#[test]
fn a_path_that_is_not_utf8_is_preserved() {
    use std::os::unix::ffi::OsStrExt;
    let (mut machine, workspace) = (Machine::start(), Workspace::empty());
    let path = workspace.root().join(std::ffi::OsStr::from_bytes(b"\xff.txt"));
    fs::write(&path, "one\n").unwrap();
    let uri = crate::support::uri_of(&path);
    let mut agent = machine.agent(&workspace);
    agent.call("editd/read", json!({ "uri": uri })).done();
    let change = json!({ "kind": "edit", "uri": uri, "edits": [{ "oldText": "one", "newText": "1" }] });
    agent.change(change).done();
    machine.restart();
    let mut agent = machine.agent(&workspace);
    assert_eq!(agent.history()[0]["files"][0]["uri"], json!(uri));
    let blame = agent.call("editd/blame", json!({ "uri": uri })).done();
    assert_eq!(blame["lines"][0]["author"], json!("alice"));
    agent.call("editd/undo", json!({ "uri": uri })).done();
    assert_eq!(fs::read_to_string(&path).unwrap(), "one\n");
}
