//! Reviews of edits that agents make with their own tools.

use std::process::Stdio;
use std::thread;

use rustix::process::{Signal, kill_process};
use serde_json::{Value, json};

use super::claude::{Claude, history, refused};
use crate::review::scene::reviewer;
use crate::support::{Agent, Machine, Outcome, Workspace, eventually, numbered_lines};

/// A configuration with which an attached editor reviews changes.
const REVIEWED: &str = "review = \"auto\"\n";

fn next_pending(editor: &mut Agent) -> Value {
    eventually("a proposal", || {
        let pending = editor.call("editd/proposals", json!({ "state": "pending" })).done();
        Some(pending["proposals"][0].clone()).filter(|proposal| !proposal.is_null())
    })
}

/// Decides on the next proposal as soon as it is there.
fn decide<'scope>(
    scope: &'scope thread::Scope<'scope, '_>,
    mut editor: Agent,
    decision: Value,
) -> thread::ScopedJoinHandle<'scope, ()> {
    scope.spawn(move || {
        let pending = next_pending(&mut editor);
        let mut params = decision;
        (params["id"], params["revision"]) = (pending["id"].clone(), pending["revision"].clone());
        editor.call("editd/decide", params).done();
    })
}

#[test]
fn a_rejected_edit_is_refused_with_the_comment() {
    let (machine, workspace) = (Machine::configured(REVIEWED), Workspace::file("a.txt", "one\n"));
    let claude = Claude::new(&machine, &workspace);
    claude.read("a.txt");
    let reason = thread::scope(|scope| {
        let comment = json!({ "reject": "all", "comment": "Keep it in words." });
        decide(scope, reviewer(&machine, &workspace), comment);
        refused(claude.edit("a.txt", "one", "1"))
    });
    assert!(reason.contains("rejected") && reason.contains("Keep it in words."), "{reason}");
    assert_eq!(workspace.text("a.txt"), "one\n");
    assert_eq!(history(&machine, &workspace), [] as [Value; 0]);
}

#[test]
fn the_tool_writes_the_hunks_that_the_user_accepts() {
    let (machine, workspace) = (Machine::configured(REVIEWED), Workspace::file("a.txt", numbered_lines(40)));
    let claude = Claude::new(&machine, &workspace);
    claude.read("a.txt");
    let text = workspace.text("a.txt");
    let changed = text.replace("line 3\n", "LINE 3\n").replace("line 37\n", "LINE 37\n");
    let called = thread::scope(|scope| {
        decide(scope, reviewer(&machine, &workspace), json!({ "accept": ["h1"], "reject": ["h2"] }));
        claude.write("a.txt", &changed)
    });
    assert_eq!(called.refused, None);
    assert!(called.context.contains("accepted only a part"), "{called:?}");
    assert_eq!(workspace.text("a.txt"), text.replace("line 3\n", "LINE 3\n"));
    let past = history(&machine, &workspace);
    assert_eq!((past.len(), &past[0]["author"]), (1, &json!("claude-code")));
}

#[test]
fn an_edit_that_waits_for_a_review_is_not_made_when_the_daemon_is_killed() {
    let (machine, workspace) = (Machine::configured(REVIEWED), Workspace::file("a.txt", "one\n"));
    let claude = Claude::new(&machine, &workspace);
    claude.read("a.txt");
    let mut editor = reviewer(&machine, &workspace);
    let reason = thread::scope(|scope| {
        scope.spawn(|| {
            next_pending(&mut editor);
            kill_process(machine.pid(), Signal::KILL).expect("a kill");
        });
        refused(claude.edit("a.txt", "one", "1"))
    });
    assert!(reason.contains("Send the same call again"), "{reason}");
    assert_eq!(workspace.text("a.txt"), "one\n");
}

#[test]
fn the_tool_writes_what_the_user_corrected() {
    let (machine, workspace) = (Machine::configured(REVIEWED), Workspace::file("a.txt", "one\ntwo\n"));
    let claude = Claude::new(&machine, &workspace);
    claude.read("a.txt");
    let called = thread::scope(|scope| {
        let path = workspace.absolute("a.txt");
        let base = workspace.hash("a.txt");
        let replace = json!({ "replace": [{ "path": path, "baseHash": base, "content": "one\nII\n" }] });
        decide(scope, reviewer(&machine, &workspace), replace);
        claude.edit("a.txt", "two", "2")
    });
    assert_eq!(called.refused, None);
    assert!(called.context.contains("corrected this change") && called.context.contains("+II"), "{called:?}");
    assert_eq!(workspace.text("a.txt"), "one\nII\n");
}

#[test]
fn an_edit_whose_program_is_gone_is_written_by_editd_when_it_is_accepted() {
    let (machine, workspace) = (Machine::configured(REVIEWED), Workspace::file("a.txt", "one\n"));
    let claude = Claude::new(&machine, &workspace);
    claude.read("a.txt");
    let mut editor = reviewer(&machine, &workspace);
    let event = json!({
        "hook_event_name": "PreToolUse", "session_id": "0b1c7d2e-9a53-4c1b-8f0e-6d7a12f4b001",
        "cwd": workspace.root().to_str(), "tool_name": "Edit", "tool_use_id": "t",
        "tool_input": { "file_path": workspace.absolute("a.txt"), "old_string": "one", "new_string": "1" },
    });
    let mut hook =
        machine.command(&["hook", "claude"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(&mut hook.stdin.take().unwrap(), event.to_string().as_bytes()).unwrap();
    let pending = next_pending(&mut editor);
    hook.kill().unwrap();
    hook.wait().unwrap();
    eventually("the end of the hook's connection", || {
        let status = editor.call("editd/status", json!({})).done();
        (status["sessions"] == 1).then_some(())
    });
    let decision = json!({ "id": pending["id"], "revision": pending["revision"], "accept": "all" });
    editor.call("editd/decide", decision).done();
    assert_eq!(workspace.text("a.txt"), "1\n");
    assert_eq!(history(&machine, &workspace)[0]["author"], "claude-code");
}

#[test]
fn editd_writes_an_accepted_edit_of_a_file_that_has_changed_since() {
    let (machine, workspace) = (Machine::configured(REVIEWED), Workspace::file("a.txt", numbered_lines(40)));
    let claude = Claude::new(&machine, &workspace);
    claude.read("a.txt");
    let reason = thread::scope(|scope| {
        let mut editor = reviewer(&machine, &workspace);
        let workspace = &workspace;
        scope.spawn(move || {
            let pending = next_pending(&mut editor);
            let text = workspace.text("a.txt");
            workspace.put("a.txt", text.replace("line 40\n", "saved by another program\n"));
            let decision = json!({ "id": pending["id"], "revision": pending["revision"], "accept": "all" });
            editor.call("editd/decide", decision).done();
        });
        refused(claude.edit("a.txt", "line 3\n", "LINE 3\n"))
    });
    assert!(reason.contains("editd has made the change itself"), "{reason}");
    let text = workspace.text("a.txt");
    assert!(text.contains("LINE 3\n") && text.ends_with("saved by another program\n"), "{text}");
}

/// The server for diffs of editors sends each change twice: one request waits for the decision, the other one names the
/// proposal.
#[test]
fn a_call_that_is_repeated_after_its_decision_changes_nothing() {
    let (machine, workspace) = (Machine::configured(REVIEWED), Workspace::file("a.txt", "one\n"));
    let (mut agent, mut person) = (machine.agent(&workspace), reviewer(&machine, &workspace));
    let change = |wait_ms: u64| {
        let write = json!({ "kind": "write", "path": workspace.path("a.txt"), "content": "two\n" });
        let origin = json!({ "toolCall": "diff-1" });
        json!({
            "changes": [write], "origin": origin, "reads": "unknown", "review": true, "rewrites": true,
            "waitMs": wait_ms,
        })
    };
    let waiting = agent.send("editd/nativeEdit", change(60_000));
    let pending = next_pending(&mut person);
    let decision = json!({ "id": pending["id"], "revision": pending["revision"], "accept": "all" });
    person.call("editd/decide", decision).done();
    let first = agent.answer(waiting).done();
    assert_eq!(first["state"], "ready");
    let again = agent.call("editd/nativeEdit", change(0)).done();
    assert_eq!([&again["state"], &again["files"]], [&first["state"], &first["files"]]);
    let pending = person.call("editd/proposals", json!({ "state": "pending" })).done();
    assert_eq!(pending["proposals"], json!([]));
    workspace.put("a.txt", "two\n");
    let done = agent.call("editd/nativeDone", json!({ "toolCall": "diff-1", "failed": true })).done();
    assert!(done["transaction"].is_string(), "{done}");
}
