//! Folders that are accepted or refused as roots of a session.

use std::os::unix::fs::symlink;
use std::path::Path;

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Agent, Framing, Machine, Outcome, Workspace, uri_of};

fn session(root: &Path) -> Value {
    json!({
        "clientInfo": { "name": "alice" },
        "workspaceFolders": [{ "uri": uri_of(root), "name": "root" }],
        "capabilities": {},
    })
}

#[track_caller]
fn assert_refused(machine: &Machine, root: &Path) {
    let mut agent = Agent::connect(machine, Framing::Lines);
    match agent.call("initialize", session(root)) {
        Ok(result) => panic!("{} was accepted as a root: {result}", root.display()),
        Err(error) => assert!([-32602, -32803].contains(&error.code), "{error:?}"),
    }
    agent.call("editd/read", json!({ "path": root.join("hostname") })).fails(-32002);
}

#[track_caller]
fn assert_usable(machine: &Machine, root: &Path) {
    std::fs::write(root.join("a.txt"), "one\n").expect("a file in the root");
    let mut agent = machine.agent_with(session(root));
    agent.read_and_edit("a.txt", "one", "two").done();
    assert_eq!(std::fs::read_to_string(root.join("a.txt")).expect("a file"), "two\n");
}

#[rstest]
fn a_system_folder_is_refused_as_a_root(
    #[values(
        "/",
        "/bin",
        "/boot",
        "/dev",
        "/dev/shm",
        "/etc",
        "/etc/ssl",
        "/lib",
        "/proc",
        "/proc/self",
        "/run",
        "/sbin",
        "/sys",
        "/usr",
        "/usr/share",
        "/var",
        "/var/lib",
        "/tmp/../etc"
    )]
    root: &str,
) {
    if Path::new(root).is_dir() {
        assert_refused(&Machine::start(), Path::new(root));
    }
}

#[test]
fn the_home_folder_and_its_parents_are_refused_as_roots() {
    let machine = Machine::start();
    for root in machine.home().ancestors() {
        assert_refused(&machine, root);
    }
}

#[test]
fn a_symlink_to_a_refused_folder_is_refused_as_a_root() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let links = [("etc", Path::new("/etc").to_owned()), ("root", "/".into()), ("home", machine.home())];
    for (name, target) in links {
        symlink(target, workspace.path(name)).expect("a link");
        assert_refused(&machine, &workspace.path(name));
    }
}

#[test]
fn a_folder_below_home_is_accepted_as_a_root() {
    let machine = Machine::start();
    let root = machine.home().join("project");
    std::fs::create_dir(&root).expect("a project");
    assert_usable(&machine, &root);
}

#[test]
fn a_missing_folder_below_home_is_refused_as_a_root() {
    let machine = Machine::start();
    let (folder, file) = (machine.home().join("nope"), machine.home().join("notes.txt"));
    std::fs::write(&file, "one\n").expect("a file");
    let session = |root: &Path| json!({ "clientInfo": { "name": "alice" }, "rootUri": uri_of(root) });
    let mut agent = Agent::connect(&machine, Framing::Lines);
    let data = agent.initialize(session(&folder)).refused("missing");
    assert_eq!(data["path"].as_str(), folder.to_str());
    // A file can be a root itself. So can a new file, if the client announces that it will create it.
    assert_eq!(machine.agent_with(session(&file)).read("notes.txt")["text"], "one\n");
    let mut new = session(&folder);
    new["capabilities"] = json!({ "experimental": { "editd": { "newFile": true } } });
    let write = json!({ "kind": "write", "path": folder, "content": "new\n" });
    machine.agent_with(new).change(write).done();
    assert_eq!(std::fs::read_to_string(folder).expect("a file"), "new\n");
}

#[test]
fn a_folder_below_var_tmp_is_accepted_as_a_root() {
    let root = tempfile::tempdir_in("/var/tmp").expect("a temporary folder");
    assert_usable(&Machine::start(), root.path());
}

#[test]
fn the_root_uri_is_used_without_workspace_folders() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let session = json!({ "clientInfo": { "name": "alice" }, "rootUri": uri_of(workspace.root()) });
    assert_eq!(machine.agent_with(session).read("a.txt")["text"], "one\n");
}

#[test]
fn relative_paths_start_at_the_first_root_and_absolute_ones_reach_all() {
    let (machine, first, second) =
        (Machine::start(), Workspace::file("a.txt", "first\n"), Workspace::file("a.txt", "second\n"));
    let mut session = first.session("alice");
    session["workspaceFolders"] =
        json!([{ "uri": uri_of(first.root()), "name": "1" }, { "uri": uri_of(second.root()), "name": "2" }]);
    let mut agent = machine.agent_with(session);
    assert_eq!(agent.read("a.txt")["text"], "first\n");
    assert_eq!(agent.read(&second.absolute("a.txt"))["text"], "second\n");
}

#[test]
fn without_a_root_no_path_is_accessible() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut agent = machine.agent_with(json!({ "clientInfo": { "name": "alice" }, "capabilities": {} }));
    agent.try_read(&workspace.absolute("a.txt")).refused("outside_workspace");
    assert!(agent.try_read("a.txt").is_err());
}

#[test]
fn configured_roots_limit_the_roots_of_agents() {
    let (inside, outside) = (Workspace::file("sub/a.txt", "one\n"), Workspace::empty());
    let machine = Machine::configured(&format!("roots = [{:?}]\n", inside.root()));
    assert_usable(&machine, inside.root());
    assert_usable(&machine, &inside.path("sub"));
    assert_refused(&machine, outside.root());
    assert_refused(&machine, inside.root().parent().expect("a folder above"));
}

#[test]
fn configured_readable_folders_can_be_read_but_not_changed() {
    let (project, library) = (Workspace::empty(), Workspace::file("a.txt", "one\n"));
    let machine = Machine::configured(&format!("read_roots = [{:?}]\n", library.root()));
    let mut agent = machine.agent(&project);
    let path = library.absolute("a.txt");
    assert_eq!(agent.read(&path)["text"], "one\n");
    agent.edit(&path, "one", "two").refused_as_any(&["outside_workspace", "protected", "not_permitted"]);
    assert_eq!(library.text("a.txt"), "one\n");
}

#[test]
fn a_session_without_roots_reaches_configured_roots_by_absolute_path() {
    let (inside, outside) = (Workspace::file("a.txt", "one\n"), Workspace::file("a.txt", "two\n"));
    let machine = Machine::configured(&format!("roots = [{:?}]\n", inside.root()));
    let mut agent = machine.agent_with(json!({ "clientInfo": { "name": "alice" }, "capabilities": {} }));
    agent.read_and_edit(&inside.absolute("a.txt"), "one", "1").done();
    assert_eq!(inside.text("a.txt"), "1\n");
    assert!(agent.try_read("a.txt").is_err());
    agent.try_read(&outside.absolute("a.txt")).refused("outside_workspace");
}
