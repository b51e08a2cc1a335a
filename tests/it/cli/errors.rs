//! Tests that all errors have the same format: the message after `editd: ` and the next step after `hint: `,
//! in the terms of the command line.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::{Command, Output, Stdio};

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Machine, Workspace, hash_of, numbered_lines};

/// Terms of the protocol, which must not appear in messages of the command line.
const WIRE: [&str; 12] = [
    "oldText",
    "newText",
    "baseHash",
    "currentHash",
    "replaceAll",
    "expectedReplacements",
    "occurrences`",
    "closest`",
    "editd/",
    "onStale",
    "edits[",
    "session",
];

/// Checks the format of an error and returns it.
#[track_caller]
fn error_text(output: &Output) -> String {
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{stderr}{}", String::from_utf8_lossy(&output.stdout));
    assert!(output.stdout.is_empty(), "{}", String::from_utf8_lossy(&output.stdout));
    assert!(stderr.starts_with("editd: "), "{stderr}");
    assert!(stderr.contains("\nhint: ") || stderr.lines().count() == 1, "{stderr}");
    // Lines quoted from a file may contain anything.
    let ours = stderr.lines().filter(|line| line.starts_with("editd: ") || line.starts_with("hint: "));
    for line in ours {
        for name in WIRE {
            assert!(!line.contains(name), "{name} is a term of the protocol: {stderr}");
        }
    }
    stderr
}

fn scene() -> (Machine, Workspace) {
    let workspace =
        Workspace::with(&[("a.txt", "one\ntwo\none\n"), ("sub/b.txt", "b\n"), (".env", "KEY=1\n")]);
    workspace.put("image.bin", b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0\x3e\0\x01\0\0\0");
    symlink("/etc/hostname", workspace.path("link.txt")).expect("a link");
    workspace.put(".git/HEAD", "ref: refs/heads/main\n");
    (Machine::start(), workspace)
}

fn run_in(machine: &Machine, workspace: &Workspace, arguments: &[&str]) -> Output {
    machine
        .command(arguments)
        .current_dir(workspace.root())
        .stdin(Stdio::null())
        .output()
        .expect("editd can be run")
}

#[rstest]
#[case::not_there(&["read", "no.txt"], "`no.txt` does not exist", "editd find")]
#[case::a_folder(&["read", "sub"], "a folder", "editd list")]
#[case::binary(&["edit", "image.bin", "--old", "a", "--new", "b", "--yes"], "binary", "program made for")]
#[case::outside(&["read", "link.txt"], "link.txt", "actual path of the file")]
#[case::protected(&["edit", ".git/HEAD", "--old", "ref", "--new", "x", "--yes"], "protected", "by hand")]
#[case::opt_in(&["read", ".env"], "protected", "adding these lines")]
#[case::a_bad_root(&["write", "/etc/editd-test", "a.txt", "--yes"], "/etc", "folder of a project")]
#[case::edit_without_a_terminal(&["edit", "a.txt", "--old", "two", "--new", "b"], "a.txt", "--yes, or --base")]
#[case::not_found(&["edit", "a.txt", "--old", "tow", "--new", "b", "--yes"], "text of --old", "--old")]
#[case::ambiguous(&["edit", "a.txt", "--old", "one", "--new", "b", "--yes"], "fits 2 places", "pass --all")]
#[case::count(&["edit", "a.txt", "--old", "one", "--new", "b", "--expect", "3", "--yes"], "--expect says 3", "--expect")]
#[case::empty_old_text(&["edit", "a.txt", "--old", "", "--new", "b", "--yes"], "--old", "`editd write`")]
#[case::done_already(&["edit", "a.txt", "--old", "nine", "--new", "two", "--yes"], "--new", "--old")]
#[case::no_change(&["edit", "a.txt", "--old", "two", "--new", "two", "--yes"], "exactly as it is", "--new")]
#[case::a_bad_pattern(&["search", "("], "pattern", "Correct it")]
#[case::a_bad_glob(&["find", "["], "pattern", "Correct it")]
#[case::nothing_to_search(&["search", "x", "no-folder"], "no-folder", "path")]
#[case::no_patch(&["apply", "no.patch", "--yes"], "`no.patch`: No such file", "")]
#[case::a_bad_patch(&["apply", "a.txt", "--yes"], "patch", "patch")]
#[case::unknown_proposal(&["review", "p1"], "p1", "editd review")]
#[case::unknown_change(&["undo", "t1-1", "--yes"], "t1-1", "editd log")]
#[case::nothing_to_undo(&["undo", "--yes"], "nothing to undo", "editd log")]
#[case::undo_without_a_terminal(&["undo"], "there is no terminal", "--yes")]
#[case::no_blame(&["blame", "no.txt"], "`no.txt` does not exist", "path")]
fn a_refusal_has_a_message_and_a_hint(#[case] arguments: &[&str], #[case] what: &str, #[case] next: &str) {
    let (machine, workspace) = scene();
    let before = workspace.everything();
    let stderr = error_text(&run_in(&machine, &workspace, arguments))
        .replace(&format!("{}/", workspace.absolute("").trim_end_matches('/')), "");
    assert!(stderr.contains(what), "{what} in {stderr}");
    let hint = stderr.split_once("hint: ").map(|(_, hint)| hint).unwrap_or_default();
    assert!(hint.contains(next), "{next} in {stderr}");
    assert_eq!(workspace.everything(), before);
}

#[test]
fn a_stale_base_is_refused_with_a_hint() {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let base = hash_of("one\ntwo\none\n");
    workspace.put("a.txt", "one\n2\none\n");
    let stderr = error_text(&run_in(
        &machine,
        &workspace,
        &["edit", "a.txt", "--old", "one\n2", "--new", "b", "--base", &base],
    ));
    assert!(stderr.contains("has changed in the meantime") && stderr.contains("--base"), "{stderr}");
}

#[test]
fn json_parameters_are_refused_in_terms_of_the_protocol() {
    let (machine, workspace) = scene();
    let params = json!({ "path": workspace.absolute("a.txt"), "oldText": "nothing like it", "newText": "b" });
    let output = machine.run_with_input(&["edit", "--json", "-", "--yes"], &params.to_string());
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(1) && stderr.contains("oldText"), "{stderr}");
}

#[rstest]
#[case::refused(&["read", "no.txt"], 1, "missing")]
#[case::failed(&["apply", "no.patch"], 1, "failed")]
#[case::wrong_use(&["mcp-tools"], 2, "")]
fn json_output_has_an_error_object(#[case] arguments: &[&str], #[case] code: i32, #[case] kind: &str) {
    let (machine, workspace) = scene();
    let output = run_in(&machine, &workspace, &[arguments, &["--output", "json"]].concat());
    assert_eq!(output.status.code(), Some(code));
    if !kind.is_empty() {
        let stderr: Value = serde_json::from_slice(&output.stderr).expect("an object and nothing else");
        assert_eq!(stderr["error"]["data"]["kind"], kind, "{stderr}");
        assert!(stderr["error"]["message"].as_str().is_some_and(|it| !it.is_empty()), "{stderr}");
    }
}

#[test]
fn a_missing_daemon_is_reported_with_a_hint() {
    let (machine, workspace) = (Machine::asleep(""), Workspace::file("a.txt", "one\n"));
    let stderr = error_text(&run_in(&machine, &workspace, &["read", "a.txt", "--no-spawn"]));
    assert!(stderr.contains("no daemon is running") && stderr.contains("--no-spawn"), "{stderr}");
    let stderr = error_text(&run_in(&machine, &workspace, &["status"]));
    assert!(stderr.contains("no daemon is running"), "{stderr}");
}

#[test]
fn an_unusable_state_folder_is_reported_once() {
    let (machine, workspace) = (Machine::asleep(""), Workspace::file("a.txt", "one\n"));
    let file = machine.home().join("file");
    fs::write(&file, "").expect("a file");
    let stderr = error_text(&run_in(
        &machine,
        &workspace,
        &["read", "a.txt", "--state-dir", file.to_str().expect("a path")],
    ));
    assert!(stderr.contains("did not start") && stderr.contains("editd doctor"), "{stderr}");
    assert_eq!(stderr.matches("editd: ").count(), 1, "{stderr}");
    let long = machine.home().join("x".repeat(120));
    let stderr = error_text(&run_in(
        &machine,
        &workspace,
        &["status", "--runtime-dir", long.to_str().expect("a path")],
    ));
    assert!(stderr.contains("too long") && stderr.contains("--runtime-dir"), "{stderr}");
}

#[test]
fn a_broken_configuration_refers_to_the_doctor() {
    let (mut machine, workspace) = (Machine::asleep(""), Workspace::file("a.txt", "one\n"));
    machine.write_config("review = ");
    machine.serve();
    let stderr =
        error_text(&run_in(&machine, &workspace, &["edit", "a.txt", "--old", "one", "--new", "b", "--yes"]));
    assert!(stderr.contains("config.toml") && stderr.contains("editd doctor"), "{stderr}");
}

#[test]
fn a_missing_working_folder_is_reported() {
    let machine = Machine::start();
    let gone = machine.home().join("gone");
    fs::create_dir(&gone).expect("a folder");
    let script = format!("cd {} && rmdir {0} && exec {} \"$@\"", gone.display(), env!("CARGO_BIN_EXE_editd"));
    for arguments in [&["log"][..], &["read", "a.txt"], &["search", "x"], &["write", "a", "--yes"]] {
        fs::create_dir_all(&gone).expect("a folder");
        let mut command = Command::new("sh");
        command.args(["-c", &script, "sh"]).args(arguments).envs(machine.surroundings()).stdin(Stdio::null());
        let stderr = error_text(&command.output().expect("a shell"));
        assert!(stderr.contains("no longer exists"), "{stderr}");
    }
}

#[test]
fn a_full_disk_under_the_output_is_reported() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one"));
    for arguments in [&["read", "a.txt"][..], &["status"], &["man"], &["status", "--output", "json"]] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("/dev/full");
        let mut command = machine.command(arguments);
        let output = command.current_dir(workspace.root()).stdout(full).output().expect("editd can be run");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {stderr}");
        assert!(stderr.contains("output cannot be written: No space left"), "{stderr}");
    }
}

#[test]
fn a_source_that_cannot_be_read_is_named() {
    let (machine, workspace) = scene();
    fs::set_permissions(workspace.path("sub/b.txt"), fs::Permissions::from_mode(0o000)).expect("a mode");
    let stderr = error_text(&run_in(&machine, &workspace, &["write", "c.txt", "sub", "--yes"]));
    assert!(stderr.starts_with("editd: `sub`: Is a directory"), "{stderr}");
}

#[test]
fn cell_text_in_old_refers_to_the_json_of_the_notebook() {
    let (machine, workspace) = scene();
    let notebook = r#"{"cells":[{"cell_type":"raw","metadata":{},"source":["a\n","b"]}],"metadata":{},"nbformat":4,"nbformat_minor":5}"#;
    workspace.put("n.ipynb", notebook);
    let stderr = error_text(&run_in(
        &machine,
        &workspace,
        &["edit", "n.ipynb", "--old", "a\nb", "--new", "c", "--yes"],
    ));
    assert!(
        stderr
            .replace("\n      ", " ")
            .contains("look at the JSON with `editd read --raw` and copy --old from there"),
        "{stderr}"
    );
}

#[test]
fn json_with_yes_edits_lines_beyond_those_of_one_read() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", numbered_lines(5000)));
    let path = workspace.absolute("a.txt");
    let edits = json!([{ "lines": "4500", "newText": "four thousand five hundred" }]);
    let params = json!({ "path": path, "edits": edits });
    let output = machine.run_with_input(&["edit", "--json", "-", "--yes"], &params.to_string());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let changed = numbered_lines(5000).replace("line 4500\n", "four thousand five hundred\n");
    assert_eq!(workspace.text("a.txt"), changed);
}
