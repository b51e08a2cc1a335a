//! Content that a search must not reveal, and files that it must not wait for.

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{CWD, FileType, RenameFlags, mknodat, renameat_with};
use serde_json::json;

use crate::support::{Machine, Outcome, Workspace};

use super::scene::{find, lines, list, notice, rows, search};

const SECRETS: [(&str, &str); 5] = [
    (".env", "TOKEN=abc\n"),
    ("deploy/.env.production", "TOKEN=abc\n"),
    (".ssh/id_rsa", "TOKEN=abc\n"),
    ("keys/id_ed25519", "TOKEN=abc\n"),
    (".ENV", "TOKEN=abc\n"),
];

#[test]
fn protected_files_are_not_searched() {
    let (machine, workspace) = (Machine::start(), Workspace::with(&SECRETS));
    workspace.put("a.txt", "TOKEN=none\n");
    let mut agent = machine.agent(&workspace);
    let found = search(&mut agent, json!({ "pattern": "TOKEN" }));
    assert_eq!(rows(&found, &workspace), ["a.txt:1:TOKEN=none"]);
    agent.call("editd/search", json!({ "pattern": "TOKEN", "path": ".env" })).refused("protected");
    let below = search(&mut agent, json!({ "pattern": "TOKEN", "path": ".ssh" }));
    assert_eq!(below["matches"], json!([]));
}

/// Otherwise an agent could guess the content letter by letter.
#[test]
fn answers_do_not_depend_on_the_content_of_protected_files() {
    let (machine, workspace) = (Machine::start(), Workspace::with(&SECRETS));
    let mut agent = machine.agent(&workspace);
    let right = search(&mut agent, json!({ "pattern": "TOKEN=a" }));
    let wrong = search(&mut agent, json!({ "pattern": "TOKEN=x" }));
    assert_eq!(right, wrong);
    let named = notice(&right);
    assert!(named.contains("5 files that may not be read: not searched ("), "{right}");
    assert!(named.contains(&workspace.absolute(".env")), "{right}");
}

#[test]
fn the_users_policy_applies() {
    let mut machine = Machine::asleep("");
    machine.write_policy("[[rules]]\npattern = \"private/**\"\noperations = [\"read\"]\nclass = \"never\"\n");
    machine.serve();
    let workspace = Workspace::with(&[("private/a.txt", "word\n"), ("a.txt", "word\n")]);
    let mut agent = machine.agent(&workspace);
    let refused = agent.try_read("private/a.txt").is_err();
    let found = lines(&mut agent, &workspace, json!({ "pattern": "word" }));
    assert!(refused, "the policy is in force");
    assert_eq!(found, ["a.txt:1:word"]);
}

#[test]
fn an_editor_may_search_protected_files() {
    let (machine, workspace) = (Machine::start(), Workspace::with(&SECRETS[..1]));
    assert_eq!(
        lines(&mut machine.editor(&workspace), &workspace, json!({ "pattern": "TOKEN" })),
        [".env:1:TOKEN=abc"]
    );
}

#[test]
fn symlinks_are_not_followed_and_pipes_do_not_block() {
    let (machine, workspace) =
        (Machine::start(), Workspace::with(&[("a.txt", "word\n"), ("d/b.txt", "word\n")]));
    let outside = workspace.outside("out");
    fs::create_dir(&outside).expect("a folder outside");
    fs::write(outside.join("secret.txt"), "word\n").expect("a file outside");
    symlink(&outside, workspace.path("e")).expect("a link");
    symlink(outside.join("secret.txt"), workspace.path("f.txt")).expect("a link");
    symlink("d", workspace.path("g")).expect("a link");
    symlink("a.txt", workspace.path("h.txt")).expect("a link");
    symlink(".", workspace.path("loop")).expect("a link");
    mknodat(CWD, workspace.path("pipe"), FileType::Fifo, 0o600.into(), 0).expect("a pipe");
    mknodat(
        CWD,
        workspace.path("d/zero"),
        FileType::CharacterDevice,
        0o600.into(),
        rustix::fs::makedev(1, 5),
    )
    .expect("a device");
    let _listener = std::os::unix::net::UnixListener::bind(workspace.path("socket")).expect("a socket");
    let mut agent = machine.agent(&workspace);
    assert_eq!(
        lines(&mut agent, &workspace, json!({ "pattern": "word" })),
        ["a.txt:1:word", "d/b.txt:1:word"]
    );
    assert_eq!(list(&mut agent, &workspace, "."), ["a.txt", "d/", "e", "f.txt", "g", "h.txt", "loop"]);
    assert_eq!(find(&mut agent, &workspace, "*.txt"), ["a.txt", "d/b.txt", "f.txt", "h.txt"]);
    assert_eq!(lines(&mut agent, &workspace, json!({ "pattern": "word", "path": "g" })), ["d/b.txt:1:word"]);
}

#[test]
fn a_folder_replaced_by_a_symlink_does_not_lead_outside() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let outside = workspace.outside("out");
    for file in 0..50 {
        workspace.put(&format!("d/in{file}/a.txt"), "word inside\n");
        fs::create_dir_all(outside.join(format!("in{file}"))).expect("a folder outside");
        fs::write(outside.join(format!("in{file}/a.txt")), "word outside\n").expect("a file outside");
        fs::write(outside.join(format!("in{file}/secret{file}.txt")), "word outside\n")
            .expect("a file outside");
    }
    symlink(&outside, workspace.path("l")).expect("a link");
    let (a, b) = (workspace.path("d"), workspace.path("l"));
    let ended = Arc::new(AtomicBool::new(false));
    let stop = ended.clone();
    let swapper = std::thread::spawn(move || {
        while !stop.load(Ordering::Relaxed) {
            renameat_with(CWD, &a, CWD, &b, RenameFlags::EXCHANGE).expect("names can be swapped");
            std::thread::yield_now();
        }
    });
    let (mut agent, mut matched) = (machine.agent(&workspace), 0);
    for _ in 0..60 {
        let found = search(&mut agent, json!({ "pattern": "word", "limit": 1000 }));
        assert!(!found.to_string().contains("outside"), "{found}");
        matched += found["matches"].as_array().expect("a list").len();
        for (method, params) in [
            ("editd/find", json!({ "pattern": "secret*" })),
            ("editd/list", json!({ "path": "d/in1" })),
            ("editd/list", json!({ "path": "l/in1" })),
        ] {
            if let Ok(answer) = agent.call(method, params) {
                assert!(!answer.to_string().contains("secret"), "{answer}");
            }
        }
    }
    ended.store(true, Ordering::Relaxed);
    swapper.join().expect("the thread does not panic");
    assert!(matched > 0, "some searches found the folder");
}

#[test]
fn unreadable_entries_are_counted() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "word\n"));
    let root = fs::File::open(workspace.root()).expect("a root");
    let name = "n".repeat(250);
    let mut folder =
        rustix::fs::openat(&root, ".", rustix::fs::OFlags::DIRECTORY, 0.into()).expect("a folder");
    for _ in 0..20 {
        rustix::fs::mkdirat(&folder, &name, 0o755.into()).expect("a folder");
        folder =
            rustix::fs::openat(&folder, &name, rustix::fs::OFlags::DIRECTORY, 0.into()).expect("a folder");
    }
    let found = search(&mut machine.agent(&workspace), json!({ "pattern": "word" }));
    assert_eq!(rows(&found, &workspace), ["a.txt:1:word"]);
    let named = format!("1 file or folder could not be read ({}/", workspace.absolute(&name));
    assert!(notice(&found).contains(&named), "{found}");
    // A change of all files tells it, too.
    let all = json!({ "glob": "*.txt", "oldText": "word", "newText": "name", "expect": 1 });
    let done = machine.agent(&workspace).call("editd/edit", all).done();
    assert!(done["files"][0]["warnings"].to_string().contains(&named), "{done}");
}
