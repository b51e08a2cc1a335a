//! Patches with edits by line numbers.

use serde_json::json;

use super::edits::{TEXT, anchored};
use crate::support::{Machine, Outcome, Workspace};

#[test]
fn a_patch_edits_moves_renames_and_deletes() {
    let workspace = Workspace::with(&[("a.txt", TEXT), ("b.txt", "b\n"), ("c.txt", "c\n"), ("d.txt", "d\n")]);
    let machine = Machine::start();
    let mut agent = machine.agent(&workspace);
    let [a, b, c, d] = ["a.txt", "b.txt", "c.txt", "d.txt"].map(|name| anchored(&mut agent, name));
    let patch = format!(
        "[a.txt#{a}]\nPUT 1:\n+1\n+1a\nCUT 2.=3 @it\nPUT >$:\n+six\n[b.txt#{b}]\nPUT <1 @it\n\
         [c.txt#{c}]\nREM\n[d.txt#{d}]\nPUT >1:\n+dd\nMV e.txt\n"
    );
    let done = agent.call("editd/edit", json!({ "patch": patch })).done();
    assert_eq!(done["files"].as_array().map(Vec::len), Some(4));
    assert_eq!(workspace.text("a.txt"), "1\n1a\nfour\nfive\nsix\n");
    assert_eq!(workspace.text("b.txt"), "two\nthree\nb\n");
    assert_eq!(workspace.text("e.txt"), "d\ndd\n");
    assert!(!workspace.has("c.txt") && !workspace.has("d.txt"));
    agent.undo().done();
    assert_eq!(workspace.text("a.txt"), TEXT);
    assert!(workspace.has("c.txt") && workspace.has("d.txt"));
}

#[test]
fn refusals_name_the_line_of_the_patch() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", TEXT));
    let mut agent = machine.agent(&workspace);
    let tag = anchored(&mut agent, "a.txt");
    let mut patch = |operations: &str| {
        let patch = format!("[a.txt#{tag}]\n{operations}");
        agent.call("editd/edit", json!({ "patch": { "format": "anchored", "text": patch } }))
    };
    let refusal = patch("PUT 1:\n+x\nPUT 9:\n+x\n").refused("not_found");
    assert_eq!(refusal["patchLine"], 4);
    assert_eq!(patch("PUT 1.=3:\n+x\nCUT 3\n").refused("overlap")["patchLine"], 4);
    assert_eq!(patch("PUT >1 @it\n").refused("bad_patch")["line"], 2);
    assert_eq!(workspace.text("a.txt"), TEXT);
    patch("PUT 1:\n+x\n").done();
    assert_eq!(workspace.text("a.txt"), TEXT.replace("one", "x"));
    workspace.put("a.txt", "other\n");
    patch("PUT 2:\n+y\n").refused("stale");
}
