//! Tests of `editd search`, `editd find` and `editd list`.

use std::process::Output;

use serde_json::{Value, json};

use crate::support::{Editor, Kind, Machine, Workspace, plain, type_into};

fn scene() -> (Machine, Workspace) {
    let files =
        [("src/a.rs", "one\ntwo\nthree\nfour\nfive\ntwo\n"), ("b.txt", "two\n"), ("src/deep/c.rs", "six\n")];
    (Machine::start(), Workspace::with(&files))
}

/// Runs a command in a folder of the workspace.
fn run(machine: &Machine, workspace: &Workspace, folder: &str, arguments: &[&str]) -> Output {
    let mut command = machine.command(arguments);
    command.current_dir(workspace.path(folder)).output().expect("editd can be run")
}

#[track_caller]
fn printed(machine: &Machine, workspace: &Workspace, folder: &str, arguments: &[&str]) -> String {
    let output = run(machine, workspace, folder, arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn a_pipe_gets_one_line_per_match_with_paths_as_given() {
    let (machine, workspace) = scene();
    workspace.put(".git/HEAD", "");
    let print = |folder: &str, arguments: &[&str]| printed(&machine, &workspace, folder, arguments);
    assert_eq!(print("", &["search", "two"]), "b.txt:1:two\nsrc/a.rs:2:two\nsrc/a.rs:6:two\n");
    assert_eq!(print("src", &["search", "two"]), "a.rs:2:two\na.rs:6:two\n");
    assert_eq!(print("src", &["search", "two", "../b.txt"]), "../b.txt:1:two\n");
    assert_eq!(print("src", &["search", "six", ".."]), "../src/deep/c.rs:1:six\n");
    assert_eq!(print("", &["search", "^T", "-i", "-g", "*.txt"]), "b.txt:1:two\n");
    assert_eq!(print("", &["search", "t.o", "-F"]), "");
    let absolute = workspace.absolute("src/deep");
    assert_eq!(print("", &["search", "six", &absolute]), format!("{absolute}/c.rs:1:six\n"));
}

#[test]
fn context_lines_appear_once_and_groups_are_separated() {
    let (machine, workspace) = scene();
    let shown = printed(&machine, &workspace, "", &["search", "two|three", "-C", "1"]);
    let expected = "b.txt:1:two\n--\nsrc/a.rs-1-one\nsrc/a.rs:2:two\nsrc/a.rs:3:three\nsrc/a.rs-4-four\nsrc/a.rs-5-five\nsrc/a.rs:6:two\n";
    assert_eq!(shown, expected);
    let shown = printed(&machine, &workspace, "src", &["search", "one|two$", "-C", "1", "a.rs"]);
    assert!(
        shown.contains("a.rs:2:two\na.rs-3-three\n--\na.rs-5-five\n")
            || shown.contains("a.rs-3-three\na.rs-5"),
        "{shown}"
    );
}

#[test]
fn a_terminal_gets_headings_and_colours() {
    let (machine, workspace) = scene();
    let typed = type_into(&machine, &["search", "two", workspace.root().to_str().expect("a path")], "", &[]);
    let shown = plain(&typed.shown);
    assert!(shown.contains("/src/a.rs\n2:two\n6:two\n"), "{shown}");
    assert!(typed.shown.contains("\u{1b}["), "{:?}", typed.shown);
    let typed =
        type_into(&machine, &["search", "nothing", workspace.root().to_str().expect("a path")], "", &[]);
    assert!(plain(&typed.shown).contains("No matches."), "{}", typed.shown);
    assert_eq!(typed.code, 0);
}

#[test]
fn a_file_cannot_control_the_terminal() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "two\u{1b}[2J\n"));
    let typed = type_into(&machine, &["search", "two", &workspace.absolute("a.txt")], "", &[]);
    assert!(!typed.shown.contains("\u{1b}[2J"), "{:?}", typed.shown);
    assert_eq!(printed(&machine, &workspace, "", &["search", "two"]), "a.txt:1:two\u{1b}[2J\n");
}

#[test]
fn paths_are_found_and_listed() {
    let (machine, workspace) = scene();
    let print = |folder: &str, arguments: &[&str]| printed(&machine, &workspace, folder, arguments);
    assert_eq!(print("", &["find", "*.rs"]), "src/a.rs\nsrc/deep/c.rs\n");
    assert_eq!(print("src", &["find", "*.rs", "."]), "./a.rs\n./deep/c.rs\n");
    assert_eq!(print("", &["find", "deep"]), "src/deep/\n");
    assert_eq!(print("", &["list"]), "b.txt\nsrc/\n");
    assert_eq!(print("", &["list", "src"]), "src/a.rs\nsrc/deep/\n");
    let output = run(&machine, &workspace, "", &["find", "*.rs", "--limit", "1"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("first 1"), "{output:?}");
}

#[test]
fn json_output_is_what_the_method_returns() {
    let (machine, workspace) = scene();
    let shown = printed(&machine, &workspace, "", &["search", "six", "--output", "json"]);
    let result: Value = serde_json::from_str(&shown).expect("JSON");
    let found = json!({ "path": workspace.absolute("src/deep/c.rs"), "line": 1, "text": "six", "before": [], "after": [], "tag": workspace.hash("src/deep/c.rs")[3..9] });
    assert_eq!(result, json!({ "matches": [found], "truncated": false }));
}

#[test]
fn unsaved_text_of_editors_is_searched() {
    let (machine, workspace) = scene();
    let editor = Editor::start(&machine, &workspace, Kind::Plugin);
    let uri = editor.open(&workspace, "b.txt");
    editor.replace(&uri, "two", "unsaved");
    assert_eq!(printed(&machine, &workspace, "", &["search", "unsaved"]), "b.txt:1:unsaved\n");
}

#[test]
fn an_invalid_search_reports_an_error() {
    let (machine, workspace) = scene();
    for arguments in [
        ["search", "(", "."],
        ["search", "x", "/etc"],
        ["search", "x", "nowhere.txt"],
        ["list", "--limit", "0"],
    ] {
        let output = run(&machine, &workspace, "", &arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {output:?}");
        assert!(!output.stderr.is_empty() && output.stdout.is_empty(), "{output:?}");
    }
}

#[test]
fn read_roots_can_be_read_and_searched() {
    let (project, library) = (Workspace::empty(), Workspace::file("include/a.h", "one\n"));
    let config = format!("roots = [{:?}]\nread_roots = [{:?}]\n", project.root(), library.root());
    let machine = Machine::configured(&config);
    let (folder, file) = (library.absolute("include"), library.absolute("include/a.h"));
    let print = |arguments: &[&str]| printed(&machine, &project, "", arguments);
    assert_eq!(print(&["read", &file]), "one\n");
    assert_eq!(print(&["search", "on", &file]), format!("{file}:1:one\n"));
    assert_eq!(print(&["find", "*.h", &folder]), format!("{file}\n"));
    assert_eq!(print(&["list", &folder]), format!("{file}\n"));
    let edit = run(&machine, &project, "", &["edit", &file, "--old", "one", "--new", "two", "--yes"]);
    assert_eq!(edit.status.code(), Some(1));
    assert_eq!(library.text("include/a.h"), "one\n");
}

#[test]
fn a_system_folder_is_refused_in_terms_of_the_command_line() {
    let (machine, workspace) = scene();
    let output = run(&machine, &workspace, "", &["read", "/etc/hostname"]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(1) && stderr.contains("`/etc` cannot be worked in"), "{stderr}");
}

#[test]
fn hints_name_options_of_the_command_line() {
    let (machine, workspace) = scene();
    let output = run(&machine, &workspace, "", &["search", "("]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("pass -F") && !stderr.contains("literal: true"), "{stderr}");
    for (arguments, advice) in [
        (&["search", "o", "--limit", "1"], "--glob, or raise --limit"),
        (&["find", "*.rs", "--limit", "1"], "raise --limit"),
    ] {
        let output = run(&machine, &workspace, "", arguments);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && stderr.contains(advice) && !stderr.contains('`'), "{stderr}");
    }
    let edit = ["edit", "b.txt", "--old", "two", "--new", "2", "--base", "nonsense"];
    let output = run(&machine, &workspace, "", &edit);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(1) && stderr.contains("--base is invalid"), "{stderr}");
}
