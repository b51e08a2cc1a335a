//! Reviews of new executable files.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use crate::change::modes::{SCRIPT, assert_runs, mode, script};
use crate::support::Outcome;

use super::scene::{Scene, reviewer};

#[test]
fn a_reviewed_file_is_executable_even_after_a_restart() {
    let mut scene = Scene::new(&[("a.txt", "a\n")]);
    let proposal = scene.agent.change(script("bin/run")).done();
    assert_eq!(proposal["files"][0]["mode"], "100755");
    scene.machine.restart();
    scene.editor = reviewer(&scene.machine, &scene.workspace);
    let seen = scene.fetch(&proposal);
    assert_eq!(seen["files"][0]["mode"], "100755", "{seen}");
    scene.decide(&proposal, json!({ "accept": "all" })).done();
    assert_runs(&scene.workspace, "bin/run");
}

#[test]
fn a_file_rewritten_by_the_reviewer_stays_executable() {
    let mut scene = Scene::new(&[("a.txt", "a\n")]);
    let proposal = scene.agent.change(script("bin/run")).done();
    let own = json!({ "path": scene.workspace.absolute("bin/run"), "baseHash": null, "content": format!("{SCRIPT}# mine\n") });
    scene.decide(&proposal, json!({ "replace": [own] })).done();
    assert!(scene.workspace.text("bin/run").ends_with("# mine\n"));
    assert_runs(&scene.workspace, "bin/run");
}

#[test]
fn a_reviewed_undo_of_a_deletion_restores_the_mode() {
    let mut scene = Scene::new(&[("run", SCRIPT)]);
    fs::set_permissions(scene.workspace.path("run"), fs::Permissions::from_mode(0o750)).expect("a mode");
    scene.agent.read("run");
    let gone = scene.agent.change(json!({ "kind": "delete", "path": "run" })).done();
    scene.decide(&gone, json!({ "accept": "all" })).done();
    assert!(!scene.workspace.has("run"));
    let undo = scene.agent.undo().done();
    assert_eq!(undo["files"][0]["mode"], "100755", "{undo}");
    scene.decide(&undo, json!({ "accept": "all" })).done();
    assert_eq!(mode(&scene.workspace, "run"), 0o750);
}
