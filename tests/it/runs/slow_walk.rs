//! A root whose walk takes long: others do not wait for it.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::command::history;
use crate::support::{Agent, Bridge, Framing, Machine, Outcome, Workspace};

/// Maximum time of a request of another client. A hook waits for 15 seconds.
const PATIENCE: Duration = Duration::from_secs(5);

/// Creates a root with folders whose ignore rules take long to read.
fn slow_root(folders: usize) -> Workspace {
    let workspace = Workspace::file("a.txt", "one\n");
    let rules: Vec<_> = (0..9_999).map(|n| format!("**/x{n}*/[a-z]?*y")).collect();
    let rules = rules.join("\n");
    for number in 0..folders {
        workspace.put(&format!("f{number}/.gitignore"), &rules);
    }
    workspace
}

/// Opens a session whose client is another process. All agents of a test are one.
fn elsewhere(machine: &Machine, name: &str, workspace: &Workspace) -> Bridge {
    let mut session = workspace.session(name);
    session["capabilities"]["experimental"]["editd"]["agent"] = true.into();
    let mut bridge = Bridge::start(machine);
    bridge.editor.initialize(session).done();
    bridge
}

/// Makes a request, which must be answered soon.
fn soon(agent: &mut Agent, method: &str, params: Value) -> Value {
    let asked = Instant::now();
    let answer = agent.call(method, params).done();
    assert!(asked.elapsed() < PATIENCE, "{method} took {:?}", asked.elapsed());
    answer
}

#[test]
fn others_do_not_wait_for_a_walk_that_takes_long() {
    let machine = Machine::start();
    let (slow, other) = (slow_root(16), Workspace::file("b.txt", "one\n"));
    let bound = |command: &str| json!({ "command": command, "bound": true });
    // The first walk is the same for all; a run that is open makes writes take part.
    let mut first = machine.agent_named("first", &slow);
    first.call("editd/runBegin", bound("first")).done();
    let mut robin = elsewhere(&machine, "robin", &other);
    let robin = &mut robin.editor;
    let begun = soon(robin, "editd/runBegin", json!({ "command": "make" }));
    let mut eve: Vec<_> = (0..8).map(|_| machine.agent_named("eve", &slow)).collect();
    for agent in &mut eve {
        agent.send("editd/runBegin", bound("slow"));
    }
    thread::sleep(Duration::from_millis(300));
    let walking = Instant::now();
    // Each end of a connection used to wait for the walk in a thread of its own.
    for _ in 0..300 {
        drop(machine.wire(Framing::Lines));
        drop(machine.agent_named("eve", &slow));
    }
    other.put("b.txt", "two\n");
    soon(robin, "editd/runEnd", json!({ "run": begun["run"] }));
    assert_eq!(history(&machine, &other).len(), 1);
    // A file of the slow root itself.
    let mut ada = machine.agent_named("ada", &slow);
    ada.read("a.txt");
    let edit = json!({ "path": "a.txt", "edits": [{ "oldText": "one", "newText": "1" }] });
    soon(&mut ada, "editd/edit", edit);
    soon(robin, "editd/runBegin", json!({ "command": "again" }));
    drop(eve);
    soon(robin, "editd/status", json!({}));
    assert!(walking.elapsed() < Duration::from_secs(60), "{:?}", walking.elapsed());
    let text = slow.text("a.txt");
    assert_eq!(text, "1\n");
}

#[test]
fn an_author_that_waits_for_its_share_keeps_no_folder_from_others() {
    let (machine, small) = (Machine::start(), Workspace::file("b.txt", "one\n"));
    let slow: Vec<_> = (0..4).map(|_| slow_root(8)).collect();
    let bound = json!({ "command": "slow", "bound": true });
    let mut eve: Vec<_> =
        slow.iter().chain([&small]).map(|workspace| machine.agent_named("eve", workspace)).collect();
    for agent in &mut eve {
        agent.send("editd/runBegin", bound.clone());
        thread::sleep(Duration::from_millis(50));
    }
    let mut robin = elsewhere(&machine, "robin", &small);
    let asked = Instant::now();
    robin.editor.call("editd/runBegin", json!({ "command": "make" })).done();
    let took = asked.elapsed();
    assert!(took < Duration::from_secs(2), "{took:?}");
}

#[test]
fn an_edit_during_a_walk_is_no_change_of_the_command() {
    let (machine, slow) = (Machine::start(), slow_root(5));
    let mut first = machine.agent_named("first", &slow);
    let begun = first.call("editd/runBegin", json!({ "command": "first", "bound": true })).done();
    let mut ada = machine.agent_named("ada", &slow);
    ada.read("a.txt");
    slow.put("made.txt", "made\n");
    let id = first.send("editd/runEnd", json!({ "run": begun["run"] }));
    let mut edits = 0;
    for n in 0..60 {
        let (old, new) = (slow.text("a.txt"), format!("edit {n}\n"));
        ada.edit("a.txt", &old, &new).done();
        ada.change(json!({ "path": format!("new/{n}.txt"), "kind": "write", "content": "x\n" })).done();
        edits += 2;
        thread::sleep(Duration::from_millis(20));
    }
    let ended = first.answer(id).done();
    assert_eq!(ended["transactions"].as_array().map(Vec::len), Some(1), "{ended}");
    assert_eq!(ended["paths"], json!([slow.absolute("made.txt")]), "{ended}");
    let past = history(&machine, &slow);
    assert_eq!(past.iter().filter(|entry| entry["author"] == "ada").count(), edits);
    let begun = first.call("editd/runBegin", json!({ "command": "second", "bound": true })).done();
    let ended = first.call("editd/runEnd", json!({ "run": begun["run"] })).done();
    assert_eq!(ended["paths"], Value::Null, "{ended}");
}
