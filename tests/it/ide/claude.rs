//! The protocol of Claude Code: each diff is reviewed by a person, and written by Claude Code.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use serde_json::{Value, json};

use super::server::{Claude, Server, lock_files, read_json, tab};
use crate::review::scene::reviewer;
use crate::support::{Agent, Machine, Outcome, Workspace, eventually, uri_of};

/// A person, and Claude Code that shows its diffs to editd.
pub(super) struct Scene {
    pub(super) machine: Machine,
    pub(super) workspace: Workspace,
    server: Server,
    pub(super) claude: Claude,
    pub(super) person: Agent,
}

impl Scene {
    pub(super) fn new(files: &[(&str, &str)]) -> Self {
        let (machine, workspace) = (Machine::start(), Workspace::with(files));
        let server = Server::start(&machine, &workspace);
        let claude = Claude::connect(&server);
        let person = reviewer(&machine, &workspace);
        Self { machine, workspace, server, claude, person }
    }

    pub(super) fn open(&mut self, name: &str, text: &str) -> u64 {
        self.claude.open_diff(&self.workspace, name, text)
    }

    /// Waits until the pending proposals are those of these files, and returns them in this order.
    pub(super) fn pending(&mut self, names: &[&str]) -> Vec<Value> {
        let paths: Vec<_> = names.iter().map(|name| self.workspace.absolute(name)).collect();
        eventually("the proposals", || {
            let list = self.person.call("editd/proposals", json!({ "state": "pending" })).done();
            let list = list["proposals"].as_array().expect("a list").clone();
            let of_path = |path: &String| list.iter().find(|it| it["paths"][0] == **path).cloned();
            let found: Option<Vec<_>> = paths.iter().map(of_path).collect();
            found.filter(|found| found.len() == list.len())
        })
    }

    fn decide(&mut self, name: &str, decision: Value) -> Value {
        let proposal = self.pending_one(name);
        let mut params = decision;
        (params["id"], params["revision"]) = (proposal["id"].clone(), proposal["revision"].clone());
        self.person.call("editd/decide", params).done()
    }

    pub(super) fn pending_one(&mut self, name: &str) -> Value {
        let path = self.workspace.absolute(name);
        eventually("the proposal", || {
            let list = self.person.call("editd/proposals", json!({ "state": "pending" })).done();
            list["proposals"].as_array()?.iter().find(|it| it["paths"][0] == *path).cloned()
        })
    }

    /// Restarts the daemon once the proposal is stored, and returns when the server has found it.
    pub(super) fn restart(&mut self) {
        self.pending(&["a.txt"]);
        // A proposal is shown a moment before it is stored.
        std::thread::sleep(Duration::from_secs(1));
        self.machine.restart();
        self.person = reviewer(&self.machine, &self.workspace);
        std::thread::sleep(Duration::from_secs(1));
    }

    /// Returns the changes in the history, once there are this many.
    pub(super) fn history(&self, count: usize) -> Vec<Value> {
        let mut agent = self.machine.agent(&self.workspace);
        eventually("the history", || Some(agent.history()).filter(|past| past.len() == count))
    }
}

fn saved(text: &str) -> [String; 2] {
    ["FILE_SAVED".to_owned(), text.to_owned()]
}

pub(super) fn rejected(name: &str) -> [String; 2] {
    ["DIFF_REJECTED".to_owned(), tab(name)]
}

#[test]
fn an_accepted_diff_is_written_by_claude_code_and_recorded() {
    let mut scene = Scene::new(&[("a.txt", "one\ntwo\n")]);
    let diff = scene.open("a.txt", "one\n2\n");
    scene.decide("a.txt", json!({ "accept": "all" }));
    assert_eq!(scene.claude.texts(diff), saved("one\n2\n"));
    assert_eq!(scene.workspace.text("a.txt"), "one\ntwo\n", "editd has not written it");

    scene.workspace.put("a.txt", "one\n2\n");
    assert_eq!(scene.claude.call("close_tab", &json!({ "tab_name": tab("a.txt") })), ["TAB_CLOSED"]);
    let past = scene.history(1);
    assert_eq!(past[0]["author"], "claude-code");
    scene.person.call("editd/undo", json!({ "transaction": past[0]["id"] })).done();
    assert_eq!(scene.workspace.text("a.txt"), "one\ntwo\n");
}

#[test]
fn a_rejected_diff_changes_nothing() {
    let mut scene = Scene::new(&[("a.txt", "one\n")]);
    let diff = scene.open("a.txt", "1\n");
    scene.decide("a.txt", json!({ "reject": "all", "comment": "In words." }));
    assert_eq!(scene.claude.texts(diff), rejected("a.txt"));
    assert_eq!(scene.workspace.text("a.txt"), "one\n");
    assert!(scene.history(0).is_empty());
}

#[test]
fn hunks_and_corrections_of_the_person_are_in_the_text() {
    let mut scene = Scene::new(&[("a.txt", "a\nb\nc\nd\ne\nf\ng\n")]);
    let diff = scene.open("a.txt", "A\nb\nc\nd\ne\nf\nG\n");
    scene.decide("a.txt", json!({ "accept": ["h1"], "reject": ["h2"] }));
    assert_eq!(scene.claude.texts(diff), saved("A\nb\nc\nd\ne\nf\ng\n"));

    let diff = scene.open("a.txt", "a\nb\nc\nD\ne\nf\ng\n");
    let (path, base) = (scene.workspace.absolute("a.txt"), scene.workspace.hash("a.txt"));
    let text = "a\nb\nc\ndelta\ne\nf\ng\n";
    scene.decide("a.txt", json!({ "replace": [{ "path": path, "baseHash": base, "content": text }] }));
    assert_eq!(scene.claude.texts(diff), saved(text));
}

#[test]
fn a_new_file_is_created_by_claude_code() {
    let mut scene = Scene::new(&[("a.txt", "one\n")]);
    let diff = scene.open("lib/new.txt", "new\n");
    scene.decide("lib/new.txt", json!({ "accept": "all" }));
    assert_eq!(scene.claude.texts(diff), saved("new\n"));
    scene.workspace.put("lib/new.txt", "new\n");
    assert_eq!(scene.history(1)[0]["author"], "claude-code");
}

#[test]
fn the_text_for_a_file_with_crlf_has_the_line_endings_that_were_sent() {
    let mut scene = Scene::new(&[("a.txt", "one\r\ntwo\r\n")]);
    let diff = scene.open("a.txt", "one\n2\n");
    scene.decide("a.txt", json!({ "accept": "all" }));
    assert_eq!(scene.claude.texts(diff), saved("one\n2\n"));
    scene.workspace.put("a.txt", "one\r\n2\r\n");
    assert_eq!(scene.history(1)[0]["author"], "claude-code");
}

#[test]
fn three_diffs_wait_beside_each_other() {
    let mut scene = Scene::new(&[("a.txt", "a\n"), ("b.txt", "b\n"), ("c.txt", "c\n")]);
    let diffs = ["a.txt", "b.txt", "c.txt"].map(|name| scene.open(name, "new\n"));
    scene.pending(&["a.txt", "b.txt", "c.txt"]);
    scene.decide("c.txt", json!({ "accept": "all" }));
    scene.decide("a.txt", json!({ "reject": "all" }));
    assert_eq!(scene.claude.texts(diffs[2]), saved("new\n"));
    assert_eq!(scene.claude.texts(diffs[0]), rejected("a.txt"));
    scene.decide("b.txt", json!({ "accept": "all" }));
    assert_eq!(scene.claude.texts(diffs[1]), saved("new\n"));
}

#[test]
fn the_change_of_a_killed_client_can_still_be_accepted() {
    let Scene { machine, workspace, server, mut claude, mut person } = Scene::new(&[("a.txt", "a\n")]);
    claude.open_diff(&workspace, "a.txt", "new\n");
    let pending = |person: &mut Agent| {
        let list = person.call("editd/proposals", json!({ "state": "pending" })).done();
        Some(list["proposals"][0].clone()).filter(|it| !it.is_null())
    };
    let proposal = eventually("the proposal", || pending(&mut person));
    drop(claude);
    // The server notices the end of the connection.
    std::thread::sleep(Duration::from_millis(300));
    let accept = json!({ "id": proposal["id"], "revision": proposal["revision"], "accept": "all" });
    assert_eq!(person.call("editd/decide", accept).done()["state"], "applied");
    assert_eq!(workspace.text("a.txt"), "new\n");
    assert_eq!(machine.agent(&workspace).history()[0]["author"], "claude-code");
    drop(server);
}

#[test]
fn the_server_outlives_its_clients() {
    let scene = Scene::new(&[("a.txt", "a\n")]);
    drop(scene.claude);
    std::thread::sleep(Duration::from_millis(500));
    let mut next = Claude::connect(&scene.server);
    assert!(!next.call("getWorkspaceFolders", &json!({})).is_empty());
    assert_eq!(lock_files(&scene.machine).len(), 1);
}

#[test]
fn refusals_reach_claude_code_as_errors() {
    let mut scene = Scene::new(&[("a.txt", "a\n"), (".env", "KEY=1\n")]);
    let diff = scene.open(".env", "KEY=2\n");
    let answer = scene.claude.answer(diff);
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    let text = answer["result"]["content"][0]["text"].as_str().expect("a text");
    assert!(text.contains("is protected"), "{text}");

    let outside = json!({
        "old_file_path": "/etc/hosts", "new_file_path": "/etc/hosts", "new_file_contents": "", "tab_name": "x",
    });
    let id = scene.claude.send_call("openDiff", &outside);
    assert_eq!(scene.claude.answer(id)["result"]["isError"], true);
    let id = scene.claude.send_call("openDiff", &json!({ "tab_name": "x" }));
    let answer = scene.claude.answer(id);
    assert!(
        answer["error"]["message"].as_str().is_some_and(|text| text.contains("old_file_path")),
        "{answer}"
    );
    let id = scene.claude.send_call("executeCode", &json!({ "code": "1" }));
    assert!(scene.claude.answer(id)["error"].is_object());
    scene.claude.send_text("no JSON");
    assert_eq!(scene.claude.call("closeAllDiffTabs", &json!({})), ["CLOSED_0_DIFF_TABS"]);
}

#[test]
fn a_diff_is_decided_after_a_restart_of_the_daemon() {
    let mut scene = Scene::new(&[("a.txt", "a\n")]);
    let diff = scene.open("a.txt", "new\n");
    scene.restart();
    scene.decide("a.txt", json!({ "reject": "all" }));
    assert_eq!(scene.claude.texts(diff), rejected("a.txt"));

    let diff = scene.open("a.txt", "newer\n");
    scene.restart();
    scene.decide("a.txt", json!({ "accept": "all" }));
    assert_eq!(scene.claude.texts(diff), saved("newer\n"));
    assert_eq!(scene.workspace.text("a.txt"), "newer\n", "nobody else knew that it was accepted");

    let diff = scene.open("a.txt", "newest\n");
    scene.decide("a.txt", json!({ "accept": "all" }));
    assert_eq!(scene.claude.texts(diff), saved("newest\n"));
    assert_eq!(scene.workspace.text("a.txt"), "newer\n", "Claude Code writes it");
}

#[test]
fn diagnostics_and_folders_are_those_of_the_project() {
    let mut scene = Scene::new(&[("a.txt", "a\n")]);
    let folders: Value =
        serde_json::from_str(&scene.claude.call("getWorkspaceFolders", &json!({}))[0]).expect("JSON");
    assert_eq!(folders["rootPath"], *scene.workspace.root().to_str().expect("UTF-8"));

    let uri = uri_of(&scene.workspace.path("a.txt"));
    let item = json!({
        "range": { "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 1 } },
        "severity": 1, "message": "a is unknown", "source": "check",
    });
    let mut session = scene.workspace.session("person");
    session["capabilities"] = json!({ "experimental": { "editd": { "diagnostics": true } } });
    let mut editor = Agent::connect_as_editor(&scene.machine);
    editor.initialize(session).done();
    editor.notify("editd/diagnosticsChanged", json!({ "uri": uri, "items": [item] }));
    let listed = eventually("the diagnostics", || {
        let text = scene.claude.call("getDiagnostics", &json!({ "uri": uri })).pop()?;
        Some(serde_json::from_str::<Value>(&text).expect("JSON")).filter(|list| !list[0].is_null())
    });
    assert_eq!(listed[0]["uri"], uri);
    assert_eq!(listed[0]["diagnostics"][0]["severity"], "Error");
    assert_eq!(listed[0]["diagnostics"][0]["message"], "a is unknown");
}

#[test]
fn the_lock_file_is_private_and_lasts_as_long_as_the_server() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "a\n"));
    let folder = machine.home().join(".claude/ide");
    fs::create_dir_all(&folder).expect("a folder");
    // Of a server that was killed, and of another program.
    let gone = json!({ "pid": 4_194_303, "ideName": "editd" });
    fs::write(folder.join("1.lock"), gone.to_string()).expect("a file");
    let other = json!({ "pid": 4_194_303, "ideName": "VS Code" });
    fs::write(folder.join("2.lock"), other.to_string()).expect("a file");

    let mut server = Server::start(&machine, &workspace);
    let lock = folder.join(format!("{}.lock", server.port));
    let mode = |path: &std::path::Path| fs::metadata(path).expect("a file").permissions().mode() & 0o777;
    assert_eq!((mode(&lock), mode(&folder)), (0o600, 0o700));
    let content = read_json(&lock);
    assert_eq!(content["workspaceFolders"], json!([workspace.root()]));
    assert_eq!((&content["transport"], &content["ideName"]), (&json!("ws"), &json!("editd")));
    assert!(!folder.join("1.lock").exists() && folder.join("2.lock").exists());
    let discovery = server.discovery_file();
    assert_eq!(mode(&discovery), 0o600);
    assert_eq!(read_json(&discovery)["port"], server.port);

    server.terminate();
    assert_eq!(lock_files(&machine), [folder.join("2.lock")]);
    assert!(!discovery.exists());
}

#[test]
fn only_the_token_opens_a_connection() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "a\n"));
    let server = Server::start(&machine, &workspace);
    for (token, origin, status) in [
        (None, None, 401),
        (Some("x"), None, 401),
        (Some(&server.token[1..]), None, 401),
        (Some(&*server.token), Some("http://door.example"), 403),
        (Some(&*server.token), Some("null"), 403),
    ] {
        match Claude::try_connect(server.port, token, origin) {
            Err(tungstenite::Error::Http(answer)) => assert_eq!(answer.status(), status),
            other => panic!("{token:?} {origin:?}: {:?}", other.err()),
        }
    }
    Claude::connect(&server);
}

#[test]
fn a_change_that_a_hook_reports_is_recorded_once() {
    let mut scene = Scene::new(&[("a.txt", "one\n")]);
    let hook = |machine: &Machine, workspace: &Workspace, name: &str| {
        let path = workspace.absolute("a.txt");
        let event = json!({
            "hook_event_name": name, "session_id": "0b1c7d2e-9a53-4c1b-8f0e-6d7a12f4b001", "prompt_id": "turn-1",
            "cwd": workspace.root(), "tool_name": "Write", "tool_use_id": "call-1",
            "tool_input": { "file_path": path, "content": "1\n" },
        });
        let output = machine.run_with_input(&["hook", "claude"], &event.to_string());
        assert!(output.status.success(), "{output:?}");
    };
    // Claude Code has read the file.
    let read = json!({
        "hook_event_name": "PostToolUse", "session_id": "0b1c7d2e-9a53-4c1b-8f0e-6d7a12f4b001",
        "cwd": scene.workspace.root(), "tool_name": "Read", "tool_use_id": "read",
        "tool_input": { "file_path": scene.workspace.absolute("a.txt") },
        "tool_response": { "type": "text", "file": {
            "filePath": scene.workspace.absolute("a.txt"), "content": "one\n", "startLine": 1,
        } },
    });
    assert!(scene.machine.run_with_input(&["hook", "claude"], &read.to_string()).status.success());
    // The review of the hook is off, because no editor has the file open.
    scene.person = Agent::connect_as_editor(&scene.machine);
    scene.person.initialize(json!({ "clientInfo": { "name": "person" } })).done();

    hook(&scene.machine, &scene.workspace, "PreToolUse");
    let diff = scene.open("a.txt", "1\n");
    scene.decide("a.txt", json!({ "accept": "all" }));
    assert_eq!(scene.claude.texts(diff), saved("1\n"));
    scene.workspace.put("a.txt", "1\n");
    hook(&scene.machine, &scene.workspace, "PostToolUse");
    assert_eq!(scene.history(1)[0]["origin"]["turn"], "turn-1");
    std::thread::sleep(Duration::from_secs(2));
    assert_eq!(scene.history(1)[0]["origin"]["turn"], "turn-1");
}
