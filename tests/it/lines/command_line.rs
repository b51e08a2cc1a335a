//! `editd edit --lines`, `editd move`, `editd read --anchored`, and `editd apply` of patches with line numbers.

use std::process::Output;

use rstest::rstest;
use serde_json::{Value, json};

use super::edits::TEXT;
use crate::support::{Machine, Workspace, converse, hash_of, numbered_lines, plain};

fn scene() -> (Machine, Workspace) {
    (Machine::start(), Workspace::file("a.txt", TEXT))
}

#[track_caller]
fn succeeds(output: &Output) -> String {
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{out}\n{err}");
    out.into_owned()
}

/// Reads a file and returns the first line of the output.
fn anchor(machine: &Machine, path: &str) -> String {
    let out = succeeds(&machine.run(&["read", "--anchored", path]));
    out.lines().next().expect("an anchor").to_owned()
}

#[rstest]
#[case::replaced(&["--lines", "2-3", "--new", "x"], "one\nx\nfour\nfive\n")]
#[case::deleted(&["--lines", "2-3", "--delete"], "one\nfour\nfive\n")]
#[case::inserted(&["--after", "0", "--new", "zero"], "zero\none\ntwo\nthree\nfour\nfive\n")]
#[case::inserted_before(&["--before", "5", "--new", "x", "--first", "five"], "one\ntwo\nthree\nfour\nx\nfive\n")]
fn lines_are_edited(#[case] arguments: &[&str], #[case] after: &str) {
    let (machine, workspace) = scene();
    let path = workspace.absolute("a.txt");
    succeeds(&machine.run(&[&["edit", &path, "--yes"], arguments].concat()));
    assert_eq!(workspace.text("a.txt"), after);
}

#[test]
fn the_tag_of_a_read_names_the_version() {
    let (machine, workspace) = scene();
    let path = workspace.absolute("a.txt");
    let anchor = anchor(&machine, &path);
    let (name, tag) = anchor.split_once('#').expect("a tag");
    assert_eq!((name, tag.len()), ("a.txt", 6));
    workspace.put("a.txt", format!("zero\n{TEXT}"));
    let tagged = format!("{path}#{tag}");
    let (edit, moved) =
        (["edit", &tagged, "--lines", "2", "--new", "2"], ["move", &tagged, "4", "--after", "0"]);
    for arguments in [&edit[..], &moved] {
        refuses(&machine.run(arguments), "+zero");
        succeeds(&machine.run(&[arguments, &["--yes"]].concat()));
    }
    assert_eq!(workspace.text("a.txt"), "four\nzero\none\n2\nthree\nfive\n");
    workspace.put("a.txt", TEXT);
    let refused = machine.run(&["edit", &tagged, "--lines", "9", "--new", "x"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("--after 5"), "{refused:?}");
}

#[test]
fn lines_are_moved_and_copied() {
    let (machine, workspace) = scene();
    workspace.put("b.txt", "{\n\tb\n}\n");
    let [a, b] = ["a.txt", "b.txt"].map(|name| workspace.absolute(name));
    succeeds(&machine.run(&["move", &a, "1-2", "--to", &b, "--after", "1", "--reindent", "--yes"]));
    assert_eq!(workspace.text("a.txt"), "three\nfour\nfive\n");
    assert_eq!(workspace.text("b.txt"), "{\n\tone\n\ttwo\n\tb\n}\n");
    succeeds(&machine.run(&["move", &a, "3", "--before", "1", "--copy", "--yes"]));
    assert_eq!(workspace.text("a.txt"), "five\nthree\nfour\nfive\n");
    succeeds(&machine.run(&["undo", "--path", &a, "--yes"]));
    assert_eq!(workspace.text("a.txt"), "three\nfour\nfive\n");
}

#[rstest]
#[case::no_place(&["edit", "a.txt", "--new", "x"])]
#[case::two_places(&["edit", "a.txt", "--old", "x", "--after", "1", "--new", "x"])]
#[case::delete_without_lines(&["edit", "a.txt", "--old", "x", "--delete"])]
#[case::all_with_lines(&["edit", "a.txt", "--lines", "1", "--new", "x", "--all"])]
#[case::no_new_place(&["move", "a.txt", "1"])]
fn wrong_arguments_are_usage_errors(#[case] arguments: &[&str]) {
    let (machine, _workspace) = scene();
    assert_eq!(machine.run(arguments).status.code(), Some(2));
}

/// Applies a patch in the folder of a workspace.
fn apply(machine: &Machine, workspace: &Workspace, arguments: &[&str], patch: &str) -> Output {
    let mut command = machine.command(&[&["apply"], arguments].concat());
    command.current_dir(workspace.path(""));
    assert_cmd::Command::from_std(command).write_stdin(patch).output().expect("editd can be run")
}

#[track_caller]
fn refuses(output: &Output, says: &str) {
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{err}");
    assert!(err.contains(says), "{err}");
}

#[test]
fn a_patch_is_applied_to_the_version_that_its_tag_names() {
    let (machine, workspace) = scene();
    let anchor = anchor(&machine, &workspace.absolute("a.txt"));
    let patch = |operations: &str| format!("[{anchor}]\n{operations}");
    succeeds(&apply(&machine, &workspace, &["--yes"], &patch("PUT 2:\n+2\nCUT 4.=5\n")));
    assert_eq!(workspace.text("a.txt"), "one\n2\nthree\n");
    workspace.put("a.txt", format!("zero\n{TEXT}"));
    let both = patch("PUT 1:\n+1\nPUT >5:\n+six\n");
    refuses(&apply(&machine, &workspace, &[], &both), "+zero");
    succeeds(&apply(&machine, &workspace, &["--yes"], &both));
    assert_eq!(workspace.text("a.txt"), "zero\n1\ntwo\nthree\nfour\nfive\nsix\n");
}

#[rstest]
#[case::replaced("PUT 1:\n+1\n")]
#[case::inserted_before("PUT <1:\n+1\n")]
#[case::inserted_after("PUT >1:\n+1\n")]
#[case::cut("CUT 1\n")]
fn a_patch_with_an_old_tag_is_stale(#[case] operation: &str) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let anchor = anchor(&machine, &workspace.absolute("a.txt"));
    workspace.put("a.txt", "other\n");
    let patch = format!("[{anchor}]\n{operation}");
    for options in [&[][..], &["--yes"]] {
        refuses(&apply(&machine, &workspace, options, &patch), "-one");
    }
    assert_eq!(workspace.text("a.txt"), "other\n");
}

#[test]
fn a_patch_without_a_tag_is_applied_to_the_current_text() {
    let long = numbered_lines(5_000);
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", &long));
    let patch = "[a.txt]\nPUT 4900:\n+changed\n";
    let format = ["--format", "anchored"];
    refuses(&apply(&machine, &workspace, &format, patch), "read");
    succeeds(&apply(&machine, &workspace, &[&format[..], &["--yes"]].concat(), patch));
    assert_eq!(workspace.text("a.txt"), long.replace("\nline 4900\n", "\nchanged\n"));
}

#[test]
fn lines_behind_the_end_of_one_read_are_changed() {
    let long = numbered_lines(5_000);
    let (machine, workspace) = (Machine::start(), Workspace::with(&[("a.txt", &*long), ("b.txt", &*long)]));
    let [a, b] = ["a.txt", "b.txt"].map(|name| workspace.absolute(name));
    succeeds(&machine.run(&["edit", &a, "--lines", "4900", "--new", "changed", "--yes"]));
    assert_eq!(workspace.text("a.txt"), long.replace("\nline 4900\n", "\nchanged\n"));
    succeeds(&machine.run(&["move", &a, "4900", "--to", &b, "--after", "4800", "--yes"]));
    assert_eq!(workspace.text("b.txt"), long.replace("\nline 4801\n", "\nchanged\nline 4801\n"));
    succeeds(&machine.run_with_input(&["write", &a, "--yes"], "short\n"));
    assert_eq!(workspace.text("a.txt"), "short\n");
}

#[test]
fn a_patch_with_tags_deletes_and_renames_files_of_this_version() {
    let files = ["gone.txt", "old.txt"].map(|name| (name, "line\n".repeat(5_000)));
    let (machine, workspace) =
        (Machine::start(), Workspace::with(&files.each_ref().map(|(name, text)| (*name, text.as_str()))));
    let [gone, old] = ["gone.txt", "old.txt"].map(|name| anchor(&machine, &workspace.absolute(name)));
    let patch = format!("[{gone}]\nREM\n[{old}]\nMV new.txt\n");
    workspace.put("gone.txt", "changed\n");
    refuses(&apply(&machine, &workspace, &["--yes"], &patch), "changed");
    workspace.put("gone.txt", "line\n".repeat(5_000));
    succeeds(&apply(&machine, &workspace, &["--yes"], &patch));
    assert!(workspace.has("new.txt") && !workspace.has("gone.txt") && !workspace.has("old.txt"));
}

#[test]
fn a_tag_and_a_hash_must_be_of_one_version() {
    let (machine, workspace) = scene();
    let path = workspace.absolute("a.txt");
    let anchor = anchor(&machine, &path);
    let lines = format!("[{anchor}]\nPUT 2:\n+2\n");
    let base = |text: &str| format!("a.txt={}", hash_of(text));
    refuses(&apply(&machine, &workspace, &["--base", &base("other")], &lines), "tag");
    let tagged = format!("{path}#{}", anchor.split_once('#').expect("a tag").1);
    let edit =
        |text: &str| machine.run(&["edit", &tagged, "--base", &hash_of(text), "--lines", "2", "--new", "2"]);
    assert_eq!(edit("other").status.code(), Some(2));
    assert_eq!(workspace.text("a.txt"), TEXT);
    succeeds(&edit(TEXT));
    workspace.put("a.txt", TEXT);
    succeeds(&apply(&machine, &workspace, &["--base", &base(TEXT)], &lines.replace("PUT 2:", "PUT 3:")));
    assert_eq!(workspace.text("a.txt"), "one\ntwo\n2\nfour\nfive\n");
}

#[test]
fn a_person_is_shown_where_the_lines_of_a_tag_are_now() {
    let (machine, workspace) = scene();
    let anchor = anchor(&machine, &workspace.absolute("a.txt"));
    workspace.put("a.txt", format!("zero\n{TEXT}"));
    workspace.put("fix.patch", format!("[{anchor}]\nPUT 4:\n+4\n"));
    let typed = converse(&machine, &workspace.path(""), &["apply", "fix.patch"], &["y\r"], &[]);
    assert_eq!(typed.code, 0, "{}", typed.shown);
    assert!(plain(&typed.shown).contains("-four"), "{}", typed.shown);
    assert_eq!(workspace.text("a.txt"), "zero\none\ntwo\nthree\n4\nfive\n");
}

#[rstest]
#[case::moved_to_another_file(json!({ "path": "a.txt", "edits": [{ "move": { "lines": "1" }, "to": { "path": "b.txt", "after": 0 } }] }))]
#[case::moved_from_another_file(json!({ "path": "b.txt", "edits": [{ "move": { "path": "a.txt", "lines": "1" }, "to": { "before": 1 } }] }))]
#[case::copied_in_a_list(json!({ "changes": [{ "kind": "edit", "path": "b.txt", "edits": [
    { "copy": { "filePath": "a.txt", "lines": "1" }, "to": { "after": 0 } },
    { "move": { "path": "c.txt", "lines": "1" }, "to": { "path": "d.txt", "after": 0 } },
] }] }))]
#[case::in_json_as_text(json!({ "path": "b.txt", "edits": "[{\"copy\":{\"path\":\"a.txt\",\"lines\":\"1\"},\"to\":{\"after\":0}}]" }))]
fn requests_as_json_move_lines_between_files(#[case] request: Value) {
    let files = [("a.txt", TEXT), ("b.txt", "b\n"), ("c.txt", "c\n"), ("d.txt", "d\n")];
    let (machine, workspace) = (Machine::start(), Workspace::with(&files));
    let mut command = machine.command(&["edit", "--json", "-", "--yes"]);
    command.current_dir(workspace.path(""));
    let mut command = assert_cmd::Command::from_std(command);
    succeeds(&command.write_stdin(request.to_string()).output().expect("editd can be run"));
    assert_eq!(workspace.text("b.txt"), "one\nb\n");
}

#[test]
fn yes_accepts_the_current_content_for_every_form() {
    let (machine, workspace) = scene();
    let anchor = anchor(&machine, &workspace.absolute("a.txt"));
    let tag = anchor.split_once('#').expect("a tag").1;
    let tagged = format!("{}#{tag}", workspace.absolute("a.txt"));
    workspace.put("a.txt", format!("zero\n{TEXT}"));
    let of_json = |edit: Value, more: Value, options: &[&str]| {
        let mut command = machine.command(&[&["edit", "--json", "-"], options].concat());
        command.current_dir(workspace.path(""));
        let mut command = assert_cmd::Command::from_std(command);
        let mut request = json!({ "path": tagged, "edits": [edit] });
        request.as_object_mut().expect("an object").extend(more.as_object().cloned().unwrap_or_default());
        command.write_stdin(request.to_string()).output().expect("editd can be run")
    };
    let lines = json!({ "lines": "2", "newText": "2" });
    refuses(&of_json(lines.clone(), json!({}), &[]), "+zero");
    refuses(&of_json(lines.clone(), json!({ "onStale": "reject" }), &["--yes"]), "+zero");
    refuses(&of_json(lines.clone(), json!({ "baseHash": hash_of(TEXT) }), &["--yes"]), "+zero");
    succeeds(&of_json(lines, json!({}), &["--yes"]));
    succeeds(&of_json(json!({ "oldText": "three", "newText": "3" }), json!({}), &["--yes"]));
    refuses(&machine.run(&["edit", &tagged, "--old", "five", "--new", "5"]), "+zero");
    succeeds(&machine.run(&["edit", &tagged, "--old", "five", "--new", "5", "--yes"]));
    assert_eq!(workspace.text("a.txt"), "zero\none\n2\n3\nfour\n5\n");
}
