//! Concurrent edits by many agents.

use std::thread;

use serde_json::json;

use crate::support::{Agent, Machine, Outcome, Workspace};

/// Reads and edits until the edit succeeds. Only `stale` is retried.
fn edit_with_retry(agent: &mut Agent, path: &str, anchor: &str, line: &str) {
    loop {
        agent.read(path);
        match agent.edit(path, anchor, &format!("{line}\n{anchor}")) {
            Ok(_) => return,
            Err(error) => assert_eq!(error.code, -32801, "{error:?}"),
        }
    }
}

#[test]
fn no_acknowledged_edit_of_one_file_is_lost() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "first\n-- end --\n"));
    thread::scope(|scope| {
        for client in 0..8 {
            let (machine, workspace) = (&machine, &workspace);
            scope.spawn(move || {
                let mut agent = machine.agent_named(&format!("agent {client}"), workspace);
                for round in 0..12 {
                    edit_with_retry(&mut agent, "a.txt", "-- end --", &format!("[{client}.{round}]"));
                }
            });
        }
    });
    let text = workspace.text("a.txt");
    assert_eq!(text.lines().count(), 2 + 8 * 12);
    for client in 0..8 {
        let positions: Vec<usize> = (0..12)
            .map(|round| text.find(&format!("[{client}.{round}]")).expect("an acknowledged edit"))
            .collect();
        assert!(positions.is_sorted(), "the edits of one client keep their order");
    }
}

#[test]
fn with_rebase_edits_of_distant_lines_never_collide() {
    let lines = (0..64).map(|number| format!("slot {number}:")).collect::<Vec<_>>().join("\n\n\n\n") + "\n";
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", &lines));
    thread::scope(|scope| {
        for client in 0..8 {
            let (machine, workspace) = (&machine, &workspace);
            scope.spawn(move || {
                let mut agent = machine.agent_named(&format!("agent {client}"), workspace);
                agent.read("a.txt");
                for slot in (client..64).step_by(8) {
                    let (old, new) = (format!("slot {slot}:"), format!("slot {slot}: taken by {client}"));
                    let params =
                        json!({ "path": "a.txt", "oldText": old, "newText": new, "onStale": "rebase" });
                    agent.call("editd/edit", params).done();
                }
            });
        }
    });
    let text = workspace.text("a.txt");
    for slot in 0..64 {
        assert!(text.contains(&format!("slot {slot}: taken by {}\n", slot % 8)), "slot {slot} in\n{text}");
    }
}

#[test]
fn eight_clients_on_eight_files_never_conflict() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let filler = "a line of some length to make the file larger\n".repeat(500);
    thread::scope(|scope| {
        for client in 0..8 {
            let (machine, workspace, filler) = (&machine, &workspace, &filler);
            scope.spawn(move || {
                let name = format!("{client}.txt");
                workspace.put(&name, format!("{filler}count 0\n{filler}"));
                let mut agent = machine.agent_named(&format!("agent {client}"), workspace);
                agent.read(&name);
                for round in 0..25 {
                    agent.edit(&name, &format!("count {round}\n"), &format!("count {}\n", round + 1)).done();
                }
            });
        }
    });
    for client in 0..8 {
        assert_eq!(workspace.text(&format!("{client}.txt")), format!("{filler}count 25\n{filler}"));
    }
}

#[test]
fn readers_see_only_complete_versions() {
    let version = |number: usize| format!("{number}\n").repeat(2_000);
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", version(0)));
    thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let mut agent = machine.agent_named("writer", &workspace);
            agent.read("a.txt");
            for number in 1..40 {
                agent.change(json!({ "kind": "write", "path": "a.txt", "content": version(number) })).done();
            }
        });
        let mut reader = machine.agent_named("reader", &workspace);
        while !writer.is_finished() {
            let read = reader.read("a.txt");
            let text = read["text"].as_str().expect("a text");
            let first = text.lines().next().expect("a line").to_owned();
            assert!(text.lines().all(|line| line == first), "a mixed version");
            let disk = workspace.text("a.txt");
            let first = disk.lines().next().expect("a line");
            assert!(disk.lines().count() == 2_000 && disk.lines().all(|line| line == first), "a mixed file");
        }
    });
    assert_eq!(workspace.text("a.txt"), version(39));
}

#[test]
fn multi_file_changes_in_different_orders_do_not_deadlock() {
    let (machine, workspace) = (Machine::start(), Workspace::with(&[("a.txt", "end\n"), ("b.txt", "end\n")]));
    thread::scope(|scope| {
        for client in 0..4 {
            let (machine, workspace) = (&machine, &workspace);
            scope.spawn(move || {
                let mut agent = machine.agent_named(&format!("agent {client}"), workspace);
                let order = if client % 2 == 0 { ["a.txt", "b.txt"] } else { ["b.txt", "a.txt"] };
                for round in 0..10 {
                    loop {
                        for name in order {
                            agent.read(name);
                        }
                        let line = format!("[{client}.{round}]\nend");
                        let edits = json!([{ "oldText": "end", "newText": line }]);
                        let change = |name: &str| json!({ "kind": "edit", "path": name, "edits": edits });
                        match agent.changes(order.iter().map(|name| change(name)).collect()) {
                            Ok(_) => break,
                            Err(error) => assert_eq!(error.code, -32801, "{error:?}"),
                        }
                    }
                }
            });
        }
    });
    assert_eq!(workspace.text("a.txt"), workspace.text("b.txt"));
    assert_eq!(workspace.text("a.txt").lines().count(), 41);
}
