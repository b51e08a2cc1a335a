//! Every answer is short enough for clients to show it to their models completely, which `Mcp::called`
//! checks, and omissions are reported.

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Machine, Mcp, Workspace, numbered_lines};

fn scene(files: &[(String, String)]) -> (Machine, Workspace, Mcp) {
    let files: Vec<_> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let (machine, workspace) = (Machine::start(), Workspace::with(&files));
    let mcp = Mcp::start(&machine, &workspace);
    (machine, workspace, mcp)
}

fn many(count: usize, text: &str) -> Vec<(String, String)> {
    let name = |number| format!("a-folder-with-a-long-name/another-folder-with-one/file-{number:04}.txt");
    (0..count).map(|number| (name(number), text.to_owned())).collect()
}

#[rstest]
#[case::quotes("\"\\\t".repeat(30))]
#[case::control_characters("\u{1b}\u{1}".repeat(40))]
#[case::other_scripts("\u{7de8}\u{1f600}".repeat(30))]
fn a_file_full_of_escapes_is_read_in_parts_that_do_not_count_as_a_complete_read(#[case] line: String) {
    let text = format!("{line}\n").repeat(200);
    let (_machine, workspace, mut mcp) = scene(&[("a.txt".to_owned(), text.clone())]);
    let mut read = String::new();
    for _ in 0..20 {
        let offset = read.lines().count() + 1;
        let part = mcp.call("read", json!({ "path": "a.txt", "offset": offset })).done();
        read += &part.content();
        mcp.call("write", json!({ "path": "a.txt", "content": "x\n" })).refused("unread");
        if read.len() == text.len() {
            break;
        }
    }
    assert_eq!(read, text);
    assert_eq!(workspace.text("a.txt"), text);
}

#[test]
fn a_notebook_of_many_small_cells_is_read_in_parts() {
    let cell = |number| json!({ "cell_type": "code", "id": format!("{number:064}"), "metadata": {}, "source": "\"\"", "outputs": [], "execution_count": number });
    let cells: Vec<_> = (0..1000).map(cell).collect();
    let book = json!({ "cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5 });
    let (_machine, _workspace, mut mcp) = scene(&[("n.ipynb".to_owned(), book.to_string())]);
    let read = mcp.call("read", json!({ "path": "n.ipynb" })).done();
    assert!(read.text.contains("continue with `offset:"), "{}", &read.text[..300]);
}

#[test]
fn omitted_paths_and_matches_are_counted() {
    let (_machine, _workspace, mut mcp) = scene(&many(900, "two \"words\"\n"));
    for (tool, arguments) in [
        ("find", json!({ "pattern": "*.txt" })),
        ("list", json!({ "path": "a-folder-with-a-long-name/another-folder-with-one" })),
        ("search", json!({ "pattern": "two", "limit": 1000 })),
    ] {
        let found = mcp.call(tool, arguments).done();
        let listed = found.text.matches(".txt").count();
        assert!((100..900).contains(&listed), "{tool}: {listed}");
        assert!(found.text.contains(&format!("no room for {} more", 900 - listed)), "{}", found.text);
    }
}

#[test]
fn a_match_takes_precedence_over_its_context() {
    let line = "\u{1}".repeat(1990);
    let text = format!("{}needle\n{}", format!("{line}\n").repeat(20), format!("{line}\n").repeat(20));
    let (_machine, _workspace, mut mcp) = scene(&[("a.txt".to_owned(), text)]);
    let found = mcp.call("search", json!({ "pattern": "needle", "context": 20 })).done();
    assert!(found.text.contains("\n21: needle\n"), "{}", found.text);
    assert!(found.text.contains("too long for one answer"), "{}", found.text);
}

#[test]
fn a_patch_of_many_files_returns_the_hash_of_each() {
    let (_machine, workspace, mut mcp) = scene(&many(60, &numbered_lines(100)));
    let mut bases = json!({});
    let mut patch = String::from("*** Begin Patch\n");
    for (name, _) in many(60, "") {
        bases[&name] = workspace.hash(&name).into();
        patch.extend(["*** Update File: ", &name, "\n@@\n"]);
        patch.extend((1..=40).map(|number| format!("-line {number}\n+word {number} \"quoted\"\n")));
    }
    let patched =
        mcp.call("apply_patch", json!({ "patch": patch + "*** End Patch\n", "bases": bases })).done();
    let files = patched.data["files"].as_array().expect("files");
    assert_eq!(files.len(), 60);
    assert!(files.iter().all(|file| file["hash"].is_string()));
}

#[test]
fn changes_of_many_files_are_listed_up_to_the_limit() {
    let files = many(300, &numbered_lines(20));
    let (_machine, workspace, mut mcp) = scene(&files);
    for (name, _) in &files {
        mcp.call("read", json!({ "path": name })).done();
    }
    for (name, text) in &files {
        workspace.put(name, text.replace("line", "word"));
    }
    let changes = mcp.call("changes", json!({})).done();
    let listed = changes.text.matches(", changed by ").count();
    assert!(
        (20..300).contains(&listed) && changes.text.contains(&format!("{} more files", 300 - listed)),
        "{listed}"
    );
}

#[test]
fn a_refusal_of_many_edits_is_short() {
    let (_machine, _workspace, mut mcp) = scene(&[("a.txt".to_owned(), numbered_lines(2000))]);
    mcp.call("read", json!({ "path": "a.txt" })).done();
    let edit = |number| json!({ "oldText": format!("line {number}\nlime\n\"tree\"\n"), "newText": "x\n" });
    let edits: Vec<Value> = (0..200).map(edit).collect();
    let refused = mcp.call("edit", json!({ "path": "a.txt", "edits": edits })).refused("not_found");
    let shown = json!(refused.text).to_string().len();
    assert!(shown < 17_000 && refused.text.contains("more entries"), "{shown}: {}", refused.text);
}
