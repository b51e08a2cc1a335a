//! Undoing commands that gave a name to another kind: a file, a link or a folder.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};

use rstest::rstest;
use serde_json::json;

use super::command::{history, run, undo};
use super::random::tree;
use crate::review::scene::reviewer;
use crate::support::{Machine, Outcome, Workspace};

/// Returns a project with `d`, a folder with files, folders and a link; `f`, a file; and `l`, a link, in the folder
/// `base`; and with `other` and `outer/`, to which links lead.
fn project(base: &str) -> Workspace {
    let at = |name: &str| format!("{base}/{name}");
    let workspace = Workspace::with(&[
        ("other", b"other\n".as_slice()),
        ("outer/x", b"not this one\n"),
        ("outer/in/y", b"nor this one\n"),
        ("edited.txt", b"one\ntwo\n"),
    ]);
    workspace.put(&at("f"), b"caf\xe9\r\n");
    workspace.put(&at("d/x"), "x\n");
    workspace.put(&at("d/in/y"), b"\0\xff");
    workspace.put(&at("kept"), "kept\n");
    fs::create_dir(workspace.path(&at("d/empty"))).expect("a folder");
    symlink("x", workspace.path(&at("d/inner"))).expect("a link");
    symlink("kept", workspace.path(&at("l"))).expect("a link");
    for (name, mode) in [("f", 0o640), ("d/x", 0o755), ("d/in", 0o750), ("d/empty", 0o700), ("d", 0o711)] {
        fs::set_permissions(workspace.path(&at(name)), Permissions::from_mode(mode)).expect("a mode");
    }
    workspace
}

/// Scripts, and the name that becomes another kind. `OUTER` is a folder that exists: nothing may be changed through a
/// link to it.
const TRANSITIONS: [(&str, &str); 12] = [
    ("rm f; ln -s OUTER/x f", "f"),
    ("cp f copy; rm f; ln -s copy f", "f"),
    ("rm l; echo file > l; chmod 600 l", "l"),
    ("rm f; mkdir -p f/in/deep; echo x > f/x; echo y > f/in/y; ln -s x f/l; chmod 700 f/in", "f"),
    ("rm f; mkdir f", "f"),
    ("rm -r d; echo file > d; chmod 600 d", "d"),
    ("rm -r d; ln -s OUTER d", "d"),
    ("mv d moved; ln -s moved d", "d"),
    ("rm l; mkdir -p l/in; echo x > l/in/x; ln -s in/x l/y; chmod 700 l", "l"),
    ("rm l; mkdir l", "l"),
    ("rm d/x; mkdir d/x; echo z > d/x/z; rm d/inner; echo file > d/inner; rm -r d/in; ln -s x d/in", "d/x"),
    ("mv l was; mv f l; mv d f; ln -s f d; rm was; echo file > was", "d"),
];

/// Runs a script of the table in the folder `base`.
fn change(machine: &Machine, workspace: &Workspace, base: &str, script: &str) {
    let outer = workspace.path("outer");
    let script = script.replace("OUTER", outer.to_str().expect("text"));
    assert!(run(machine, workspace, &format!("cd {base} && {{ {script}; }}")).status.success());
}

#[rstest]
fn a_name_of_another_kind_is_restored(
    #[values(".", "nested/twice")] base: &str,
    #[values(
        "true",
        "echo three >> edited.txt; rm other; mkdir -p new; echo x > new/x; chmod 755 edited.txt"
    )]
    beside: &str,
) {
    for (script, _) in TRANSITIONS {
        let (machine, workspace) = (Machine::start(), project(base));
        let before = tree(workspace.root());
        change(&machine, &workspace, base, &format!("{script}; cd {}; {beside}", workspace.root().display()));
        let after = tree(workspace.root());
        assert_ne!(after, before);
        // The undo, the undo of the undo, and so on.
        for expected in [&before, &after, &before, &after] {
            let newest = history(&machine, &workspace).remove(0);
            undo(&machine, &workspace, &newest["transaction"]);
            assert_eq!(&tree(workspace.root()), expected, "{newest:#}");
        }
    }
}

#[rstest]
fn a_name_of_another_kind_that_was_changed_since_stays(#[values(".", "nested/twice")] base: &str) {
    for (script, name) in TRANSITIONS {
        let (machine, workspace) = (Machine::start(), project(base));
        change(
            &machine,
            &workspace,
            base,
            &format!("{script}; echo three >> {}", workspace.path("edited.txt").display()),
        );
        let transaction = history(&machine, &workspace)[0]["transaction"].clone();
        let path = workspace.path(&format!("{base}/{name}"));
        let kind = path.symlink_metadata().expect("a state");
        if kind.is_symlink() {
            fs::remove_file(&path).expect("removed");
            symlink("mine", &path).expect("a link");
        } else if kind.is_dir() {
            fs::write(path.join("mine"), "mine\n").expect("a file");
        } else {
            fs::write(&path, "mine\n").expect("a file");
        }
        let now = tree(workspace.root());
        let mut agent = machine.agent_named("robin", &workspace);
        for preview in [true, false] {
            let refused = agent.call("editd/undo", json!({ "transaction": transaction, "preview": preview }));
            let error = refused.expect_err("it is refused");
            assert_eq!(error.data["kind"], "stale", "{} {:#}", error.message, error.data);
            assert!(
                error.message.contains(path.canonicalize().unwrap_or(path.clone()).to_str().expect("text"))
                    || error.message.contains(name),
                "{}",
                error.message
            );
            assert_eq!(tree(workspace.root()), now, "nothing is changed");
        }
    }
}

#[test]
fn a_preview_changes_nothing() {
    for (script, _) in TRANSITIONS {
        let (machine, workspace) = (Machine::start(), project("."));
        change(&machine, &workspace, ".", script);
        let now = tree(workspace.root());
        let transaction = history(&machine, &workspace)[0]["transaction"].clone();
        let mut agent = machine.agent_named("robin", &workspace);
        agent.call("editd/undo", json!({ "transaction": transaction, "preview": true })).done();
        assert_eq!(tree(workspace.root()), now);
        assert_eq!(history(&machine, &workspace).len(), 1);
    }
}

#[rstest]
#[case::ignored_file("echo '*.log' > .gitignore", "f/build.log")]
#[case::in_a_folder_of_the_command("true", "f/in/mine")]
#[case::empty_folder("true", "f/mine/")]
fn a_folder_with_something_else_in_it_stays(#[case] first: &str, #[case] theirs: &str) {
    let (machine, workspace) = (Machine::start(), project("."));
    run(&machine, &workspace, &format!("{first}; rm f; mkdir -p f/in; echo x > f/x"));
    match theirs.strip_suffix('/') {
        Some(folder) => fs::create_dir(workspace.path(folder)).expect("a folder"),
        None => workspace.put(theirs, "mine\n"),
    }
    let now = tree(workspace.root());
    let transaction = history(&machine, &workspace)[0]["transaction"].clone();
    let mut agent = machine.agent_named("robin", &workspace);
    let refused = agent.call("editd/undo", json!({ "transaction": transaction })).refused("stale");
    assert!(
        refused["path"].as_str().is_some_and(|path| path.contains(theirs.trim_end_matches('/'))),
        "{refused:#}"
    );
    assert_eq!(tree(workspace.root()), now);
}

#[test]
fn a_file_that_was_changed_since_keeps_all_kinds() {
    let (machine, workspace) = (Machine::start(), project("."));
    run(
        &machine,
        &workspace,
        "rm f; mkdir f; echo x > f/x; rm -r d; ln -s outer d; rm l; echo file > l; rm kept",
    );
    workspace.put("f/x", "mine\n");
    let now = tree(workspace.root());
    let transaction = history(&machine, &workspace)[0]["transaction"].clone();
    let mut agent = machine.agent_named("robin", &workspace);
    agent.call("editd/undo", json!({ "transaction": transaction })).refused("stale");
    assert_eq!(tree(workspace.root()), now);
}

#[test]
fn nothing_is_written_through_a_link() {
    let (machine, outside) = (Machine::start(), Workspace::file("x", "x\n"));
    let workspace = Workspace::with(&[("hooks/pre-commit", "one\n"), ("out/x", "x\n"), ("file", "file\n")]);
    let git = std::process::Command::new("git").args(["init", "-q"]).current_dir(workspace.root()).status();
    assert!(git.expect("git").success());
    let before = tree(workspace.root());
    let elsewhere = outside.root().display();
    let script = format!(
        "rm -r hooks out file; ln -s .git/hooks hooks; ln -s {elsewhere} out; ln -s {elsewhere}/x file"
    );
    run(&machine, &workspace, &script);
    let hooks = workspace.path(".git/hooks/pre-commit");
    undo(&machine, &workspace, &history(&machine, &workspace)[0]["transaction"]);
    assert_eq!(tree(workspace.root()), before);
    assert!(!hooks.exists());
    assert_eq!(outside.everything().len(), 1);
    assert_eq!(outside.text("x"), "x\n");
}

#[test]
fn an_undo_under_review_restores_kinds_as_a_whole_only() {
    let machine = Machine::configured("review = \"off\"\n");
    let mut editor = reviewer(&machine, &project("."));
    for (script, _) in TRANSITIONS {
        let workspace = project(".");
        let before = tree(workspace.root());
        change(&machine, &workspace, ".", &format!("{script}; echo three >> edited.txt"));
        let now = tree(workspace.root());
        let transaction = history(&machine, &workspace)[0]["transaction"].clone();
        let mut agent = machine.agent_named("robin", &workspace);
        let undo = json!({ "transaction": transaction, "review": true, "waitMs": 0 });
        let waits = agent.call("editd/undo", undo).done();
        assert_eq!(waits["state"], "pending", "{waits:#}");
        assert_eq!(tree(workspace.root()), now);
        let whole = json!({ "id": waits["id"], "revision": waits["revision"], "accept": "all" });
        editor.call("editd/decide", whole).done();
        assert_eq!(tree(workspace.root()), before, "{script}");
        assert_eq!(history(&machine, &workspace)[0]["undoes"], transaction);
    }
}

#[test]
fn a_link_in_the_way_is_not_replaced_by_a_part_of_an_undo() {
    let (machine, workspace) = (Machine::configured("review = \"off\"\n"), project("."));
    let mut editor = reviewer(&machine, &workspace);
    change(&machine, &workspace, ".", "rm kept; ln -s OUTER/x kept; rm other");
    let now = tree(workspace.root());
    let transaction = history(&machine, &workspace)[0]["transaction"].clone();
    let mut agent = machine.agent_named("robin", &workspace);
    let waits =
        agent.call("editd/undo", json!({ "transaction": transaction, "review": true, "waitMs": 0 })).done();
    let hunk = |name: &str| {
        let mut files = waits["files"].as_array().expect("files").iter();
        let file = files.find(|file| file["path"] == workspace.absolute(name)).expect("a file");
        let hunks = file["hunks"].as_array().expect("hunks").iter();
        hunks.map(|hunk| hunk["id"].clone()).collect::<Vec<_>>()
    };
    let (accept, reject) = (hunk("kept"), hunk("other"));
    let part =
        json!({ "id": waits["id"], "revision": waits["revision"], "accept": accept, "reject": reject });
    editor.call("editd/decide", part).refused("exists");
    assert_eq!(tree(workspace.root()), now);
}
