//! The files that a person has open, as programs are told of them.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rstest::rstest;
use serde_json::{Value, json};

use super::server::{Claude, Server};
use crate::support::{Editor, Kind, Machine, Outcome, Workspace, eventually};

fn select(editor: &Editor, uri: &str, [from, to]: [(u32, u32); 2]) {
    let position = |(line, character): (u32, u32)| json!({ "line": line, "character": character });
    editor.notify(
        "editd/focus",
        json!({ "uri": uri, "selection": { "start": position(from), "end": position(to) } }),
    );
}

/// Returns the open files, once they are these, beginning with the one that had the focus last.
fn listed(machine: &Machine, workspace: &Workspace, names: &[&str]) -> Value {
    let mut agent = machine.agent(workspace);
    let paths: Vec<_> = names.iter().map(|name| workspace.absolute(name)).collect();
    eventually("the open files", || {
        let list = agent.call("editd/openFiles", json!({})).done();
        let files = list["files"].as_array().expect("a list");
        files.iter().map(|file| &file["path"]).eq(paths.iter()).then_some(list)
    })
}

#[test]
fn open_files_are_listed_with_the_selection() {
    let files = [("a.txt", "one\nz\u{1f600}wei\nthree\n"), ("b.txt", "b\n"), (".env", "TOKEN=1\n")];
    let (machine, workspace) = (Machine::start(), Workspace::with(&files));
    let editor = Editor::start(&machine, &workspace, Kind::Plugin);
    let (a, _b) = (editor.open(&workspace, "a.txt"), editor.open(&workspace, "b.txt"));
    // Columns are UTF-16 code units, of which the emoji has two.
    select(&editor, &a, [(0, 1), (1, 3)]);
    let list = listed(&machine, &workspace, &["a.txt", "b.txt"]);
    let file = &list["files"][0];
    assert_eq!((&file["active"], &file["selectedText"]), (&json!(true), &json!("ne\nz\u{1f600}")));
    assert_eq!(file["selection"]["end"], json!({ "line": 1, "character": 3 }));
    assert_eq!(list["files"][1]["active"], false);
    assert!(list["files"][1]["selection"].is_null(), "{list}");

    // A file that agents may not read is not told, and hides which file is active.
    let secret = editor.open(&workspace, ".env");
    select(&editor, &secret, [(0, 0), (0, 5)]);
    let list = eventually("another focus", || {
        let list = listed(&machine, &workspace, &["a.txt", "b.txt"]);
        (list["files"][0]["active"] == false).then_some(list)
    });
    assert!(!list.to_string().contains("TOKEN"), "{list}");

    select(&editor, &a, [(2, 0), (9, 9)]);
    let list = eventually("another selection", || {
        let list = listed(&machine, &workspace, &["a.txt", "b.txt"]);
        (list["files"][0]["active"] == true).then_some(list)
    });
    assert_eq!(list["files"][0]["selectedText"], "three\n", "the selection ends with the text");
    editor.close(&a);
    listed(&machine, &workspace, &["b.txt"]);
}

#[test]
fn a_request_waits_for_another_selection() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let editor = Editor::start(&machine, &workspace, Kind::Plugin);
    let uri = editor.open(&workspace, "a.txt");
    let revision = listed(&machine, &workspace, &["a.txt"])["revision"].clone();
    let mut agent = machine.agent(&workspace);
    let waiting = agent.send("editd/openFiles", json!({ "since": revision, "waitMs": 30_000 }));
    select(&editor, &uri, [(0, 0), (0, 2)]);
    let list = agent.answer(waiting).done();
    assert_eq!(list["files"][0]["selectedText"], "on");
    let same = json!({ "since": list["revision"], "waitMs": 50 });
    assert_eq!(agent.call("editd/openFiles", same).done()["revision"], list["revision"]);
}

#[test]
fn claude_code_is_told_what_is_selected() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo\n"));
    let editor = Editor::start(&machine, &workspace, Kind::Plugin);
    let uri = editor.open(&workspace, "a.txt");
    select(&editor, &uri, [(1, 0), (1, 3)]);
    listed(&machine, &workspace, &["a.txt"]);
    let server = Server::start(&machine, &workspace);
    let mut claude = Claude::connect(&server);
    let told = claude.told("selection_changed");
    assert_eq!(told["filePath"], *workspace.absolute("a.txt"));
    assert_eq!(told["text"], "two");
    let selection = json!({
        "start": { "line": 1, "character": 0 }, "end": { "line": 1, "character": 3 }, "isEmpty": false,
    });
    assert_eq!(told["selection"], selection);
    select(&editor, &uri, [(0, 2), (0, 2)]);
    // At first the same is sent again and again.
    let told = loop {
        let told = claude.told("selection_changed");
        if told["text"] != "two" {
            break told;
        }
    };
    assert_eq!((&told["text"], &told["selection"]["isEmpty"]), (&json!(""), &json!(true)));
}

/// A daemon that refuses all requests.
struct Refusing {
    introductions: Arc<AtomicUsize>,
    _lock: File,
}

impl Refusing {
    fn start(machine: &Machine, code: i64) -> Self {
        fs::create_dir_all(machine.runtime()).expect("a folder");
        // Clients look at the lock before they connect.
        let lock = File::create(machine.runtime().join("sockets.lock")).expect("a lock file");
        lock.try_lock().expect("a free lock");
        let listener = UnixListener::bind(machine.agent_socket()).expect("a socket");
        let introductions = Arc::new(AtomicUsize::new(0));
        let count = introductions.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let count = count.clone();
                std::thread::spawn(move || refuse(stream, code, &count));
            }
        });
        Self { introductions, _lock: lock }
    }
}

fn refuse(stream: UnixStream, code: i64, introductions: &AtomicUsize) {
    let mut output = stream.try_clone().expect("a second handle");
    for line in BufReader::new(stream).lines().map_while(Result::ok) {
        let request: Value = serde_json::from_str(&line).expect("JSON");
        let mut answer = json!({ "jsonrpc": "2.0", "id": request["id"] });
        if request["method"] == "initialize" {
            introductions.fetch_add(1, Ordering::Relaxed);
            answer["result"] = json!({ "capabilities": {} });
        } else {
            answer["error"] = json!({ "code": code, "message": "No." });
        }
        if request["id"].is_null() || writeln!(output, "{answer}").is_ok() {
            continue;
        }
        return;
    }
}

#[rstest]
#[case::older_daemon(-32_601, 1)]
#[case::failing_daemon(-32_603, 3)]
fn a_daemon_that_refuses_to_list_open_files_is_asked_seldom(#[case] code: i64, #[case] most: usize) {
    let (machine, workspace) = (Machine::asleep(""), Workspace::file("a.txt", "one\n"));
    let daemon = Refusing::start(&machine, code);
    let server = Server::start(&machine, &workspace);
    let _claude = Claude::connect(&server);
    let asked = || daemon.introductions.load(Ordering::Relaxed);
    eventually("the first request", || (asked() > 0).then_some(()));
    std::thread::sleep(Duration::from_secs(5));
    assert!(asked() <= most, "asked {} times", asked());
}
