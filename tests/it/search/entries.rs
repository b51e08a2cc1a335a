//! `editd/find` and `editd/list`.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Machine, Outcome, Workspace};

use super::scene::{find, list, paths};

#[rstest]
#[case::a_name("lib.rs", &["a/lib.rs", "a/src/lib.rs"])]
#[case::an_extension("*.rs", &["a/lib.rs", "a/src/lib.rs", "a/src/x/deep.rs", "top.rs"])]
#[case::relative_to_the_root("./*.md", &["README.md"])]
#[case::only_in_the_root("./*.rs", &["top.rs"])]
#[case::a_folder_only_in_the_root("./src/", &[])]
#[case::a_path("a/*.rs", &["a/lib.rs"])]
#[case::any_depth("a/**/*.rs", &["a/lib.rs", "a/src/lib.rs", "a/src/x/deep.rs"])]
#[case::from_any_folder("**/src/*.rs", &["a/src/lib.rs"])]
#[case::several("{top,deep}.rs", &["a/src/x/deep.rs", "top.rs"])]
#[case::a_folder("src", &["a/src/"])]
#[case::only_a_folder("src/", &["a/src/"])]
#[case::a_class("[tR]*", &["README.md", "top.rs"])]
#[case::all("**", &["README.md", "a/", "a/lib.rs", "a/src/", "a/src/lib.rs", "a/src/x/", "a/src/x/deep.rs", "top.rs"])]
#[case::nothing("*.py", &[])]
fn paths_match_a_pattern(#[case] pattern: &str, #[case] expected: &[&str]) {
    let names = ["README.md", "a/lib.rs", "a/src/lib.rs", "a/src/x/deep.rs", "top.rs"];
    let (machine, workspace) = (Machine::start(), Workspace::with(&names.map(|name| (name, ""))));
    assert_eq!(find(&mut machine.agent(&workspace), &workspace, pattern), expected);
}

#[test]
fn an_absolute_pattern_matches_absolute_paths() {
    let (machine, workspace) = (Machine::start(), Workspace::with(&[("a/x.rs", ""), ("b/x.rs", "")]));
    let pattern = format!("{}/b/**", workspace.root().display());
    assert_eq!(find(&mut machine.agent(&workspace), &workspace, &pattern), ["b/x.rs"]);
}

#[test]
fn a_list_has_the_entries_of_one_folder_with_their_kinds() {
    let (machine, workspace) =
        (Machine::start(), Workspace::with(&[("b/c/d.txt", ""), (".a", ""), ("c", "")]));
    symlink("b", workspace.path("link")).expect("a link");
    symlink("/etc/passwd", workspace.path("out")).expect("a link");
    let mut agent = machine.agent(&workspace);
    let answer = agent.call("editd/list", json!({})).done();
    assert_eq!(paths(&answer, &workspace), [".a", "b/", "c", "link", "out"]);
    let kinds: Vec<&Value> =
        answer["entries"].as_array().expect("a list").iter().map(|it| &it["kind"]).collect();
    assert_eq!(kinds, ["file", "folder", "file", "symlink", "symlink"]);
    assert_eq!(list(&mut agent, &workspace, "b"), ["b/c/"]);
    assert_eq!(list(&mut agent, &workspace, "link"), ["b/c/"], "a requested symlink is followed");
    assert_eq!(list(&mut agent, &workspace, "c"), ["c"], "a file is listed as itself");
    assert_eq!(
        find(&mut agent, &workspace, "d.txt"),
        ["b/c/d.txt"],
        "symlinks are not followed during a walk"
    );
}

#[test]
fn a_path_that_is_not_utf_8_has_a_uri() {
    let (machine, workspace) = (Machine::start(), Workspace::with(&[("a/b.txt", "needle\n")]));
    let name = |bytes| workspace.root().join(OsStr::from_bytes(bytes));
    std::fs::create_dir(name(b"f\xff")).expect("a folder");
    std::fs::write(name(b"f\xff/x.txt"), "needle\n").expect("a file");
    let mut agent = machine.agent(&workspace);
    let found = agent.call("editd/search", json!({ "pattern": "needle" })).done();
    assert_eq!(found["matches"][0].get("uri"), None, "{found}");
    let uri = crate::support::uri_of(&name(b"f\xff/x.txt"));
    assert_eq!(found["matches"][1]["uri"], uri);
    assert_eq!(agent.call("editd/read", json!({ "uri": uri })).done()["text"], "needle\n");
    for (method, params) in [("editd/list", json!({})), ("editd/find", json!({ "pattern": "f*/" }))] {
        let listed = agent.call(method, params).done();
        let folder = listed["entries"].as_array().expect("a list").last().expect("an entry").clone();
        assert_eq!(folder["uri"], crate::support::uri_of(&name(b"f\xff")), "{listed}");
        let within = agent.call("editd/list", json!({ "uri": folder["uri"] })).done();
        assert_eq!(within["entries"][0]["uri"], uri, "{within}");
    }
}

#[rstest]
fn an_inaccessible_path_is_refused(#[values("editd/search", "editd/find", "editd/list")] method: &str) {
    let (machine, workspace) = (Machine::start(), Workspace::with(&[("a.txt", ""), (".env", "")]));
    let fifo = workspace.path("pipe");
    rustix::fs::mknodat(rustix::fs::CWD, fifo, rustix::fs::FileType::Fifo, 0o600.into(), 0).expect("a pipe");
    symlink("/etc", workspace.path("out")).expect("a link");
    let mut agent = machine.agent(&workspace);
    for (path, kind) in [
        ("nowhere", "missing"),
        ("nowhere/", "not_a_file"),
        ("a.txt/x", "not_a_file"),
        ("pipe", "not_a_file"),
        ("/etc", "outside_workspace"),
        ("../x", "outside_workspace"),
        ("..", "outside_workspace"),
        ("out", "outside_workspace"),
        ("out/passwd", "outside_workspace"),
        (".env", "protected"),
    ] {
        let mut params = json!({ "path": path });
        if method != "editd/list" {
            params["pattern"] = json!("x");
        }
        let error = agent.call(method, params).expect_err(path);
        assert_eq!(error.kind(), kind, "{path}: {error:?}");
    }
}

#[test]
fn files_in_overlapping_roots_are_reported_once() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    for name in ["a/x.txt", "a/b/x.txt", "a/b/.gitignore", "c/x.txt", "c/other/x.txt"] {
        workspace.put(name, "one\n");
    }
    workspace.put("a/.gitignore", "b\n");
    let folder = |name: &str| json!({ "uri": crate::support::uri_of(&workspace.path(name)), "name": name });
    let mut session = workspace.session("alice");
    session["workspaceFolders"] = json!([folder("c"), folder("a"), folder("a/b"), folder("a")]);
    let mut agent = machine.agent_with(session);
    let found = super::scene::lines(&mut agent, &workspace, json!({ "pattern": "one", "glob": "*.txt" }));
    assert_eq!(found, ["a/x.txt:1:one", "a/b/x.txt:1:one", "c/other/x.txt:1:one", "c/x.txt:1:one"]);
    assert_eq!(find(&mut agent, &workspace, "x.txt"), ["a/x.txt", "a/b/x.txt", "c/other/x.txt", "c/x.txt"]);
}

#[test]
fn a_root_that_is_a_file_contains_only_that_file() {
    let (machine, workspace) = (Machine::start(), Workspace::with(&[("a.txt", "one\n"), ("b.txt", "one\n")]));
    let mut session = workspace.session("alice");
    session["workspaceFolders"][0]["uri"] = json!(crate::support::uri_of(&workspace.path("a.txt")));
    let mut agent = machine.agent_with(session);
    assert_eq!(super::scene::lines(&mut agent, &workspace, json!({ "pattern": "one" })), ["a.txt:1:one"]);
    assert_eq!(find(&mut agent, &workspace, "*.txt"), ["a.txt"]);
    agent
        .call("editd/search", json!({ "pattern": "one", "path": workspace.absolute("b.txt") }))
        .refused("outside_workspace");
    agent.call("editd/list", json!({ "path": workspace.root().to_str() })).refused("outside_workspace");
}
