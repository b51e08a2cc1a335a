//! Whatever goes wrong is told in one form: `editd: ` and what is wrong, `hint: ` and what to do next, in the terms
//! of the command line.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::{Command, Output, Stdio};

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Machine, Workspace, hash_of};

/// What only who speaks to a socket knows.
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

/// What a command that is refused or fails says.
#[track_caller]
fn complaint(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}{}", String::from_utf8_lossy(&output.stdout));
    assert!(output.stdout.is_empty(), "{}", String::from_utf8_lossy(&output.stdout));
    assert!(said.starts_with("editd: "), "{said}");
    assert!(said.contains("\nhint: ") || said.lines().count() == 1, "{said}");
    // What is shown of a file may say anything.
    let ours = said.lines().filter(|line| line.starts_with("editd: ") || line.starts_with("hint: "));
    for line in ours {
        for name in WIRE {
            assert!(!line.contains(name), "{name} is not of the command line: {said}");
        }
    }
    said
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
#[case::outside(&["read", "link.txt"], "link.txt", "path where it lies")]
#[case::protected(&["edit", ".git/HEAD", "--old", "ref", "--new", "x", "--yes"], "protected", "by hand")]
#[case::opt_in(&["read", ".env"], "protected", "adding these lines")]
#[case::a_bad_root(&["write", "/etc/editd-test", "a.txt", "--yes"], "/etc", "folder of a project")]
#[case::nobody_to_ask(&["edit", "a.txt", "--old", "two", "--new", "b"], "a.txt", "--yes, or --base")]
#[case::not_found(&["edit", "a.txt", "--old", "tow", "--new", "b", "--yes"], "text of --old", "--old")]
#[case::ambiguous(&["edit", "a.txt", "--old", "one", "--new", "b", "--yes"], "fits 2 places", "pass --all")]
#[case::count(&["edit", "a.txt", "--old", "one", "--new", "b", "--expect", "3", "--yes"], "--expect says 3", "--expect")]
#[case::nothing_to_look_for(&["edit", "a.txt", "--old", "", "--new", "b", "--yes"], "--old", "`editd write`")]
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
#[case::nobody_to_be_shown_an_undo(&["undo"], "nobody can be shown", "--yes")]
#[case::no_blame(&["blame", "no.txt"], "`no.txt` does not exist", "path")]
fn a_refusal_says_what_and_what_next(#[case] arguments: &[&str], #[case] what: &str, #[case] next: &str) {
    let (machine, workspace) = scene();
    let before = workspace.everything();
    let said = complaint(&run_in(&machine, &workspace, arguments))
        .replace(&format!("{}/", workspace.absolute("").trim_end_matches('/')), "");
    assert!(said.contains(what), "{what} in {said}");
    let hint = said.split_once("hint: ").map(|(_, hint)| hint).unwrap_or_default();
    assert!(hint.contains(next), "{next} in {said}");
    assert_eq!(workspace.everything(), before);
}

#[test]
fn a_stale_base_is_told_with_the_difference() {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let base = hash_of("one\ntwo\none\n");
    workspace.put("a.txt", "one\n2\none\n");
    let said = complaint(&run_in(
        &machine,
        &workspace,
        &["edit", "a.txt", "--old", "one\n2", "--new", "b", "--base", &base],
    ));
    assert!(said.contains("has changed meanwhile") && said.contains("--base"), "{said}");
}

#[test]
fn parameters_of_the_wire_are_refused_in_its_names() {
    let (machine, workspace) = scene();
    let params = json!({ "path": workspace.absolute("a.txt"), "oldText": "nothing like it", "newText": "b" });
    let output = machine.run_with_input(&["edit", "--json", "-", "--yes"], &params.to_string());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(1) && said.contains("oldText"), "{said}");
}

#[rstest]
#[case::refused(&["read", "no.txt"], 1, "missing")]
#[case::failed(&["apply", "no.patch"], 1, "failed")]
#[case::wrong_use(&["mcp-tools"], 2, "")]
fn programs_get_an_object(#[case] arguments: &[&str], #[case] code: i32, #[case] kind: &str) {
    let (machine, workspace) = scene();
    let output = run_in(&machine, &workspace, &[arguments, &["--output", "json"]].concat());
    assert_eq!(output.status.code(), Some(code));
    if !kind.is_empty() {
        let said: Value = serde_json::from_slice(&output.stderr).expect("an object and nothing else");
        assert_eq!(said["error"]["data"]["kind"], kind, "{said}");
        assert!(said["error"]["message"].as_str().is_some_and(|it| !it.is_empty()), "{said}");
    }
}

#[test]
fn without_a_daemon_that_may_be_started_it_says_how_to_have_one() {
    let (machine, workspace) = (Machine::asleep(""), Workspace::file("a.txt", "one\n"));
    let said = complaint(&run_in(&machine, &workspace, &["read", "a.txt", "--no-spawn"]));
    assert!(said.contains("no daemon is running") && said.contains("--no-spawn"), "{said}");
    let said = complaint(&run_in(&machine, &workspace, &["status"]));
    assert!(said.contains("no daemon is running"), "{said}");
}

#[test]
fn a_state_folder_that_cannot_be_used_is_named_once() {
    let (machine, workspace) = (Machine::asleep(""), Workspace::file("a.txt", "one\n"));
    let file = machine.home().join("file");
    fs::write(&file, "").expect("a file");
    let said = complaint(&run_in(
        &machine,
        &workspace,
        &["read", "a.txt", "--state-dir", file.to_str().expect("a path")],
    ));
    assert!(said.contains("did not start") && said.contains("editd doctor"), "{said}");
    assert_eq!(said.matches("editd: ").count(), 1, "{said}");
    let long = machine.home().join("x".repeat(120));
    let said = complaint(&run_in(
        &machine,
        &workspace,
        &["status", "--runtime-dir", long.to_str().expect("a path")],
    ));
    assert!(said.contains("too long") && said.contains("--runtime-dir"), "{said}");
}

#[test]
fn a_broken_configuration_leads_to_the_doctor() {
    let (mut machine, workspace) = (Machine::asleep(""), Workspace::file("a.txt", "one\n"));
    machine.write_config("review = ");
    machine.serve();
    let said =
        complaint(&run_in(&machine, &workspace, &["edit", "a.txt", "--old", "one", "--new", "b", "--yes"]));
    assert!(said.contains("config.toml") && said.contains("editd doctor"), "{said}");
}

#[test]
fn a_folder_that_is_gone_is_told() {
    let machine = Machine::start();
    let gone = machine.home().join("gone");
    fs::create_dir(&gone).expect("a folder");
    let script = format!("cd {} && rmdir {0} && exec {} \"$@\"", gone.display(), env!("CARGO_BIN_EXE_editd"));
    for arguments in [&["log"][..], &["read", "a.txt"], &["search", "x"], &["write", "a", "--yes"]] {
        fs::create_dir_all(&gone).expect("a folder");
        let mut command = Command::new("sh");
        command.args(["-c", &script, "sh"]).args(arguments).envs(machine.surroundings()).stdin(Stdio::null());
        let said = complaint(&command.output().expect("a shell"));
        assert!(said.contains("not there any more"), "{said}");
    }
}

#[test]
fn an_output_without_room_is_told() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one"));
    for arguments in [&["read", "a.txt"][..], &["status"], &["man"], &["status", "--output", "json"]] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("/dev/full");
        let mut command = machine.command(arguments);
        let output = command.current_dir(workspace.root()).stdout(full).output().expect("editd can be run");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {said}");
        assert!(said.contains("output cannot be written: No space left"), "{said}");
    }
}

#[test]
fn a_source_that_cannot_be_read_is_named() {
    let (machine, workspace) = scene();
    fs::set_permissions(workspace.path("sub/b.txt"), fs::Permissions::from_mode(0o000)).expect("a mode");
    let said = complaint(&run_in(&machine, &workspace, &["write", "c.txt", "sub", "--yes"]));
    assert!(said.starts_with("editd: `sub`: Is a directory"), "{said}");
}

#[test]
fn text_of_a_cell_leads_to_the_json_that_is_searched() {
    let (machine, workspace) = scene();
    let notebook = r#"{"cells":[{"cell_type":"raw","metadata":{},"source":["a\n","b"]}],"metadata":{},"nbformat":4,"nbformat_minor":5}"#;
    workspace.put("n.ipynb", notebook);
    let said = complaint(&run_in(
        &machine,
        &workspace,
        &["edit", "n.ipynb", "--old", "a\nb", "--new", "c", "--yes"],
    ));
    assert!(
        said.replace("\n      ", " ")
            .contains("look at the JSON with `editd read --raw` and copy --old from there"),
        "{said}"
    );
}
