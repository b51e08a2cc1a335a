//! Accepted and refused spellings of paths and URIs.

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Machine, Outcome, Volume, Workspace, uri_of};

#[rstest]
#[case("a b.txt")]
#[case("100%.txt")]
#[case("a%20b.txt")]
#[case("ü/é.txt")]
#[case("日本.txt")]
#[case("#?&.txt")]
#[case("quo\"te's.txt")]
#[case("back\\slash.txt")]
#[case("-dash.txt")]
#[case("~tilde.txt")]
#[case("new\nline.txt")]
#[case(" blanks ")]
#[case("...")]
#[case("$HOME.txt")]
#[case("*.txt")]
fn a_name_can_contain_any_character(#[case] name: &str) {
    let (machine, workspace) = (Machine::start(), Workspace::file(name, "one\n"));
    let mut agent = machine.agent(&workspace);
    assert_eq!(agent.read(name)["text"], "one\n");
    let uri = uri_of(&workspace.path(name));
    let read = agent.call("editd/read", json!({ "uri": uri })).done();
    assert_eq!((&read["text"], &read["uri"]), (&json!("one\n"), &json!(uri)));
    agent.edit(name, "one", "two").done();
    assert_eq!(workspace.text(name), "two\n");
}

#[test]
fn a_uri_is_decoded_once() {
    let files = [("a b.txt", "decoded once\n"), ("a%20b.txt", "not decoded\n")];
    let (machine, workspace) = (Machine::start(), Workspace::with(&files));
    let mut agent = machine.agent(&workspace);
    let root = uri_of(workspace.root());
    for (name, text) in [("a%20b.txt", "decoded once\n"), ("a%2520b.txt", "not decoded\n")] {
        let read = agent.call("editd/read", json!({ "uri": format!("{root}/{name}") })).done();
        assert_eq!(read["text"], text);
    }
}

#[test]
fn a_change_can_name_its_file_by_uri() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let uri = uri_of(&workspace.path("a.txt"));
    agent.call("editd/edit", json!({ "uri": uri, "oldText": "one", "newText": "two" })).done();
    agent.change(json!({ "kind": "write", "uri": uri, "content": "three\n" })).done();
    assert_eq!(workspace.text("a.txt"), "three\n");
}

#[rstest]
#[case::of_another_machine("file://elsewhere{path}")]
#[case::of_another_scheme("http://localhost{path}")]
#[case::unsaved("untitled:Untitled-1")]
#[case::virtual_file("editd://{path}")]
#[case::no_uri_at_all("{path}")]
#[case::broken_escape("file://{path}%2")]
#[case::zero_byte("file://{path}%00")]
#[case::no_text("file://{path}%ff%fe")]
#[case::relative("file:a.txt")]
fn a_uri_that_names_no_local_file_is_refused(#[case] uri: &str) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut agent = machine.agent(&workspace);
    let uri = uri.replace("{path}", &workspace.absolute("a.txt"));
    let error = agent.call("editd/read", json!({ "uri": uri })).expect_err("no file of this machine");
    assert!([-32602, -32803].contains(&error.code), "{error:?}");
    assert_eq!(agent.read("a.txt")["text"], "one\n");
}

#[rstest]
#[case::query("?b")]
#[case::empty_query("?")]
#[case::fragment("#b")]
fn a_uri_with_a_query_or_fragment_is_refused(#[case] more: &str) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut agent = machine.agent(&workspace);
    let uri = uri_of(&workspace.path("a.txt")) + more;
    let error = agent.call("editd/read", json!({ "uri": uri })).invalid("uri");
    assert!(error.message.contains("escaped"), "{error:?}");
    assert_eq!(error.data["field"], "uri");
}

#[rstest]
#[case::read("editd/read", json!({ "path": "a.txt/" }))]
#[case::edit("editd/edit", json!({ "path": "a.txt/", "oldText": "one", "newText": "two" }))]
#[case::write("editd/edit", json!({ "changes": [{ "kind": "write", "path": "b.txt/", "content": "x" }] }))]
#[case::delete("editd/edit", json!({ "changes": [{ "kind": "delete", "path": "a.txt/" }] }))]
#[case::rename("editd/edit", json!({ "changes": [{ "kind": "rename", "path": "a.txt", "newPath": "b/" }] }))]
fn a_trailing_slash_names_a_folder(#[case] method: &str, #[case] params: Value) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let before = workspace.everything();
    agent.call(method, params).refused("not_a_file");
    assert_eq!(workspace.everything(), before);
}

#[rstest]
#[case::empty("", 1)]
#[case::zero_byte("a\u{0}.txt", 1)]
#[case::zero_byte_at_the_end("a.txt\u{0}", 1)]
#[case::too_long_a_name("n", 256)]
#[case::too_long_a_path("n/", 3_000)]
fn an_impossible_path_is_refused(#[case] piece: &str, #[case] times: usize) {
    let path = piece.repeat(times);
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut agent = machine.agent(&workspace);
    let before = workspace.everything();
    let read = agent.try_read(&path).expect_err("no such path");
    let write =
        agent.change(json!({ "kind": "write", "path": path, "content": "x" })).expect_err("no such path");
    for error in [read, write] {
        assert!([-32602, -32803].contains(&error.code), "{error:?}");
    }
    assert_eq!(workspace.everything(), before);
    agent.read("a.txt");
}

#[test]
fn a_deeply_nested_path_is_accessible() {
    let name = format!("{}a.txt", "folder/".repeat(60));
    let (machine, workspace) = (Machine::start(), Workspace::file(&name, "one\n"));
    machine.agent(&workspace).read_and_edit(&name, "one", "two").done();
    assert_eq!(workspace.text(&name), "two\n");
}

/// A file system that ignores letter case gives a file many spellings. exFAT gives each of them a
/// number.
#[test]
fn a_file_with_many_spellings_is_one_file() {
    let volume = Volume::exfat();
    let (machine, workspace) = (Machine::start(), Workspace::at(&volume.at().join("Project")));
    workspace.put("Src/Main.txt", "one\n");
    let (mut agent, mut other) = (machine.agent(&workspace), machine.agent(&workspace));
    let read = agent.read("sRC/mAIN.TXT");
    assert_eq!(read["uri"], uri_of(&workspace.path("Src/Main.txt")), "the stored name is reported");
    agent.edit("SRC/MAIN.txt", "one", "two").done();
    assert_eq!(agent.read("Src/Main.txt")["text"], "two\n");
    other.edit("src/main.txt", "two", "2").refused("unread");
    workspace.put("src/main.txt", "three\n");
    agent.edit("Src/main.TXT", "two", "2").refused("stale");
    let case = json!({ "kind": "rename", "path": "Src/Main.txt", "newPath": "Src/MAIN.txt" });
    assert!(agent.change(case).is_err(), "the new name is the old one");
    let twice = ["Src/Main.txt", "src/MAIN.TXT"]
        .map(|path| json!({ "kind": "write", "path": path, "content": "four\n" }));
    assert!(agent.changes(twice.to_vec()).is_err(), "a set has each file once");
    agent.change(json!({ "kind": "write", "path": "SRC/NEW.txt", "content": "new\n" })).done();
    let names = workspace.everything().into_iter().map(|(path, _)| path);
    // FUSE keeps files that were removed while they were open.
    let names: Vec<_> = names.filter(|path| !path.display().to_string().contains(".fuse_hidden")).collect();
    assert_eq!(names, ["Src", "Src/Main.txt", "Src/NEW.txt"].map(|name| workspace.path(name)));
}

/// The root has its stored name, too, and rules apply to a file however it is spelled.
#[test]
fn a_root_and_a_protected_file_are_found_under_each_spelling() {
    let volume = Volume::exfat();
    let (machine, workspace) = (Machine::start(), Workspace::at(&volume.at().join("Project")));
    workspace.put(".ENV", "KEY=1\n");
    workspace.put("a.txt", "one\n");
    let mut agent = machine.agent(&Workspace::at(&volume.at().join("pROJECT")));
    assert_eq!(agent.read("A.txt")["uri"], uri_of(&workspace.path("a.txt")));
    for path in [".ENV", ".env", ".Env"] {
        agent.try_read(path).refused("protected");
    }
}
