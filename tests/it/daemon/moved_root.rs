//! Tests of a root that was moved away while a session works in it.

use serde_json::json;

use crate::support::{Machine, Outcome, Workspace};

#[test]
fn a_folder_that_took_the_place_of_the_root_is_not_mistaken_for_it() {
    let (machine, outer) = (Machine::start(), Workspace::file("w/a.txt", "one\n"));
    let root = outer.path("w");
    let uri = format!("file://{}", root.display());
    let mut agent = machine.agent_with(json!({ "workspaceFolders": [{ "uri": uri, "name": "w" }] }));
    agent.read("a.txt");
    std::fs::rename(&root, outer.path("old")).expect("moved");
    std::fs::create_dir(&root).expect("a folder");
    outer.put("w/a.txt", "one\n");
    agent.edit("a.txt", "one", "two").refused_as_any(&["disk", "stale", "outside_workspace"]);
    let write = json!({ "kind": "write", "path": "b.txt", "content": "new\n" });
    agent.changes(vec![write]).refused_as_any(&["disk", "stale", "outside_workspace"]);
    assert_eq!((outer.text("w/a.txt"), outer.text("old/a.txt")), ("one\n".to_owned(), "one\n".to_owned()));
    assert!(!outer.path("old/b.txt").exists() && !outer.path("w/b.txt").exists());
}
