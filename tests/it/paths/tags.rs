//! Changes of files that programs execute or follow are tagged.

use serde_json::{Value, json};

use crate::support::{Machine, Outcome, Workspace};

const TAGGED: &[&str] = &[
    "package.json",
    "web/package.json",
    "build.rs",
    "Cargo.toml",
    "Cargo.lock",
    "Makefile",
    "build.gradle",
    "build.gradle.kts",
    "shop.csproj",
    "Directory.Build.props",
    "x.targets",
    "conftest.py",
    "setup.py",
    "pyproject.toml",
    "yarn.lock",
    "go.mod",
    "AGENTS.md",
    "CLAUDE.md",
    "docs/AGENTS.md",
    "GEMINI.md",
    ".github/copilot-instructions.md",
    ".claude/CLAUDE.md",
    ".claude/rules/style.md",
    ".cursor/rules/style.mdc",
    ".goosehints",
    ".cursorrules",
    "PACKAGE.JSON",
];

fn tags(answer: &Value) -> Vec<String> {
    answer["files"].as_array().expect("files").iter().map(|file| file["tags"].to_string()).collect()
}

const TAG: &str = "[\"executable_config\"]";

#[test]
fn answers_about_a_tagged_file_include_the_tag() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let mut agent = machine.agent(&workspace);
    for path in TAGGED {
        let create = agent.change(json!({ "kind": "write", "path": path, "content": "one\n" })).done();
        let proposal = agent.propose(path, "one", "two").done();
        let looked_at = agent.call("editd/proposal", json!({ "id": proposal["id"] })).done();
        let applied = agent.apply(&proposal).done();
        let away = agent.change(json!({ "kind": "rename", "path": path, "newPath": "x.txt" })).done();
        let back = agent.change(json!({ "kind": "rename", "path": "x.txt", "newPath": path })).done();
        let delete = agent.change(json!({ "kind": "delete", "path": path })).done();
        for answer in [create, proposal, looked_at, applied, away, back, delete] {
            assert_eq!(tags(&answer), [TAG], "{path}: {answer}");
        }
    }
}

#[test]
fn other_files_have_no_tag() {
    let files = [("a.txt", "one\n"), ("Makefile", "one\n"), ("cargo/toml", "one\n")];
    let (machine, workspace) = (Machine::start(), Workspace::with(&files));
    let mut agent = machine.agent(&workspace);
    let edit =
        |path| json!({ "kind": "edit", "path": path, "edits": [{ "oldText": "one", "newText": "two" }] });
    for (path, _) in &files {
        agent.read(path);
    }
    let answer = agent.changes(files.iter().map(|(path, _)| edit(path)).collect()).done();
    assert_eq!(tags(&answer), ["[]", TAG, "[]"]);
}

#[test]
fn a_merged_change_keeps_its_tag() {
    let text = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";
    let (machine, workspace) = (Machine::start(), Workspace::file("Makefile", text));
    let mut agent = machine.agent(&workspace);
    agent.read("Makefile");
    let edits = json!([{ "oldText": "one", "newText": "1" }]);
    let proposal = agent
        .call("editd/propose", json!({ "path": "Makefile", "edits": edits, "onStale": "rebase" }))
        .done();
    workspace.put("Makefile", text.replace("seven", "7"));
    assert_eq!(tags(&agent.apply(&proposal).done()), [TAG]);
    assert!(workspace.text("Makefile").starts_with("1\n") && workspace.text("Makefile").ends_with("7\n"));
}

#[test]
fn the_sections_of_a_patch_are_tagged_too() {
    let (machine, workspace) = (Machine::start(), Workspace::file("Makefile", "one\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("Makefile");
    let text = "--- a/Makefile\n+++ b/Makefile\n@@ -1 +1 @@\n-one\n+two\n";
    let answer = agent.call("editd/edit", json!({ "patch": { "text": text } })).done();
    assert_eq!(tags(&answer), [TAG]);
}

#[test]
fn history_and_undo_include_the_tags() {
    let (machine, workspace) = (Machine::start(), Workspace::file("Makefile", "one\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("Makefile");
    agent.edit("Makefile", "one", "two").done();
    let undone = agent.call("editd/undo", json!({})).done();
    assert_eq!(tags(&undone), [TAG], "{undone}");
    let history = agent.call("editd/history", json!({})).done();
    for entry in history["transactions"].as_array().expect("a list") {
        assert_eq!(tags(entry), [TAG], "{entry}");
    }
}
