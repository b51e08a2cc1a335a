//! `editd run --enforce`: a command that cannot write to the project.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::process::{Command, Output, Stdio};

use rstest::rstest;
use serde_json::{Value, json};

use super::command::{history, printed};
use crate::support::{Machine, Workspace, eventually};

fn enforce(machine: &Machine, workspace: &Workspace, options: &[&str], script: &str) -> Output {
    let arguments = [&["run", "--enforce"], options, &["--", "sh", "-c", script]].concat();
    machine.command(&arguments).current_dir(workspace.root()).output().expect("editd can be run")
}

#[test]
fn the_doctor_names_the_version_of_landlock() {
    let machine = Machine::start();
    let output = machine.run(&["doctor"]);
    let shown = String::from_utf8_lossy(&output.stdout);
    let version =
        shown.split("Landlock ABI ").nth(1).and_then(|rest| rest.split(|c: char| !c.is_ascii_digit()).next());
    assert!(version.is_some_and(|version| version.parse::<u32>().is_ok_and(|it| it >= 3)), "{shown}");
}

/// A repository with an ignored folder.
fn project() -> Workspace {
    let workspace = Workspace::with(&[
        ("a.txt", "one\n"),
        ("sub/b.txt", "one\n"),
        (".gitignore", "target/\n*.log\n"),
        ("target/old", "old\n"),
        ("trace.log", "old\n"),
    ]);
    symlink("sub/b.txt", workspace.path("link")).expect("a link");
    let git = "git init -q && git config user.email a@b && git config user.name a && git add -A && git commit -qm one && echo two > a.txt";
    let done = Command::new("sh").args(["-c", git]).current_dir(workspace.root()).status().expect("git");
    assert!(done.success());
    workspace
}

#[rstest]
#[case::overwrite("echo x > a.txt")]
#[case::append("echo x >> sub/b.txt")]
#[case::in_place("sed -i s/two/x/ a.txt")]
#[case::new("echo x > new.txt")]
#[case::new_folder("mkdir new")]
#[case::rename("mv a.txt b.txt")]
#[case::rename_into("cp a.txt target/x && mv target/x a.txt")]
#[case::rename_out("mv a.txt target/x")]
#[case::remove("rm a.txt")]
#[case::remove_all("rm -r sub")]
#[case::truncate("truncate -s 0 a.txt")]
#[case::hard_link_out("ln a.txt target/x && echo x > target/x")]
#[case::hard_link_in("ln target/old x")]
#[case::symlink("ln -s a.txt x")]
#[case::through_a_symlink("echo x > link")]
#[case::ignored_symlink("ln -s ../a.txt target/x; echo x > target/x")]
#[case::descriptor("exec 3< a.txt; echo x > /proc/self/fd/3")]
#[case::other_name("cd target && echo x > ../a.txt")]
#[case::working_folder("echo x > /proc/self/cwd/a.txt")]
#[case::grandchild("(setsid sh -c '(sleep 0.1; echo x > a.txt) &' &); sleep 0.4; false")]
#[case::git_checkout("git checkout -q a.txt")]
#[case::git_reset("git reset -q --hard")]
#[case::git_stash("git stash -q")]
#[case::python("python3 -c 'import os; os.truncate(\"a.txt\", 0)'")]
#[case::python_descriptor("python3 -c 'import os; os.write(os.open(\"a.txt\", os.O_RDWR), b\"x\")'")]
#[case::mount("mount --bind target sub && echo x > sub/b.txt")]
fn nothing_in_the_project_can_be_written(#[case] script: &str) {
    let (machine, workspace) = (Machine::start(), project());
    let before: Vec<_> = tracked(&workspace);
    let output = enforce(&machine, &workspace, &[], script);
    assert_eq!(tracked(&workspace), before, "{output:?}");
    assert_ne!(output.status.code(), Some(0), "{output:?}");
    assert!(printed(&output).contains("the command could not write to the project"), "{output:?}");
}

/// Returns all files that git does not ignore, and the metadata of git.
fn tracked(workspace: &Workspace) -> Vec<(std::path::PathBuf, Option<Vec<u8>>)> {
    let is_tracked = |path: &std::path::Path| !path.to_string_lossy().contains("target");
    workspace.everything().into_iter().filter(|(path, _)| is_tracked(path)).collect()
}

#[test]
fn ignored_and_writable_files_and_the_rest_of_the_machine_can_be_written() {
    let (machine, workspace) = (Machine::start(), project());
    let outside = workspace.outside("beside/file");
    fs::create_dir_all(outside.parent().expect("a folder")).expect("a folder");
    let script = format!(
        "echo built > target/app && mkdir target/deep && echo x >> trace.log && echo y > sub/b.txt && \
         echo z > {} && echo w > /dev/null && rm target/old",
        outside.display()
    );
    let output = enforce(&machine, &workspace, &["--writable", "sub"], &script);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(printed(&output), "");
    assert_eq!(workspace.text("target/app"), "built\n");
    assert_eq!(workspace.text("sub/b.txt"), "y\n");
    assert_eq!(fs::read_to_string(outside).expect("a file"), "z\n");
}

#[test]
fn text_is_changed_through_editd() {
    let (machine, workspace) = (Machine::start(), project());
    let editd = env!("CARGO_BIN_EXE_editd");
    let script = format!("{editd} edit a.txt --old two --new 2 --yes");
    let output = enforce(&machine, &workspace, &[], &script);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(workspace.text("a.txt"), "2\n");
}

/// A restricted command can read the arguments of a browser, and the address in them decides reviews.
#[rstest]
#[case::before(false)]
#[case::after(true)]
fn the_address_of_the_review_page_is_no_argument_after_a_restricted_command(#[case] restricted: bool) {
    let (machine, workspace) = (Machine::start(), project());
    if restricted {
        assert!(enforce(&machine, &workspace, &[], "true").status.success());
    }
    let (browser, opened) = (machine.home().join("browser"), machine.home().join("opened"));
    fs::write(&browser, format!("#!/bin/sh\necho \"$1\" > {}\n", opened.display())).expect("a browser");
    fs::set_permissions(&browser, fs::Permissions::from_mode(0o755)).expect("a program");
    let mut command = machine.command(&["review", "--web"]);
    command.env("BROWSER", &browser).current_dir(workspace.root());
    let mut page = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a page");
    let mut shown = String::new();
    let last = if restricted { "Paste the address" } else { "wait for your review" };
    for line in BufReader::new(page.stderr.take().expect("messages")).lines() {
        shown += &line.expect("a message");
        if shown.contains(last) {
            break;
        }
    }
    if !restricted {
        eventually("the browser", || fs::exists(&opened).expect("a check").then_some(()));
    }
    page.kill().expect("a page");
    page.wait().expect("an end");
    assert!(shown.contains(last), "{shown}");
    assert_eq!(fs::exists(&opened).expect("a check"), !restricted, "{shown}");
}

#[test]
fn a_native_edit_is_made_by_editd() {
    let (machine, workspace) = (Machine::start(), project());
    let event = |name: &str, tool: &str, input: Value, more: Value| {
        let mut event = json!({
            "hook_event_name": name, "session_id": "s", "prompt_id": "p", "cwd": workspace.root(),
            "tool_name": tool, "tool_use_id": "t", "tool_input": input,
        });
        event.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        event.to_string()
    };
    let path = workspace.absolute("a.txt");
    let file = json!({ "filePath": path, "content": "two\n", "startLine": 1 });
    let read = event(
        "PostToolUse",
        "Read",
        json!({ "file_path": path }),
        json!({ "tool_response": { "type": "text", "file": file } }),
    );
    let edit = event(
        "PreToolUse",
        "Edit",
        json!({ "file_path": path, "old_string": "two", "new_string": "2" }),
        json!({}),
    );
    let failed =
        event("PostToolUseFailure", "Bash", json!({ "command": "sed" }), json!({ "error": "Exit code 4" }));
    for (name, text) in [("read", read), ("edit", edit), ("failed", failed)] {
        fs::write(workspace.path(&format!("target/{name}")), text).expect("an event");
    }
    let editd = env!("CARGO_BIN_EXE_editd");
    let script = format!("for e in read edit failed; do {editd} hook claude < target/$e; done");
    let output = enforce(&machine, &workspace, &[], &script);
    let answers = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(answers.contains("editd has made the change itself"), "{output:?}");
    assert!(answers.contains("Commands cannot change the files of this project here"), "{output:?}");
    assert_eq!(workspace.text("a.txt"), "2\n");
    assert_eq!(history(&machine, &workspace)[0]["author"], "claude-code");
}

/// A program that starts another one for which the kernel has no Landlock: the system call that creates a set of rules
/// does not exist (`ENOSYS`).
const WITHOUT_LANDLOCK: &str = r#"
import ctypes, os, struct, sys
LOAD, EQUAL, RETURN, ALLOW, REFUSE = 0x20, 0x15, 0x06, 0x7fff0000, 0x00050000 | 38
CREATE_RULESET, SET_SECCOMP, FILTER = 444, 22, 2
steps = [(LOAD, 0, 0, 0), (EQUAL, 0, 1, CREATE_RULESET), (RETURN, 0, 0, REFUSE), (RETURN, 0, 0, ALLOW)]
program = b"".join(struct.pack("HBBI", *step) for step in steps)
class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("steps", ctypes.c_char_p)]
libc = ctypes.CDLL(None, use_errno=True)
if libc.prctl(SET_SECCOMP, FILTER, ctypes.byref(Program(len(steps), program)), 0, 0) != 0:
    raise OSError(ctypes.get_errno(), "the filter is refused")
os.execv(sys.argv[1], sys.argv[1:])
"#;

/// Runs a command under `--enforce` where there is no Landlock.
fn without_landlock(machine: &Machine, workspace: &Workspace, strictness: &str, script: &str) -> Output {
    let editd = machine.command(&["run", strictness, "--", "sh", "-c", script]);
    // A filter needs the rights of root, or a mark that editd takes for that of a restricted command.
    let is_root = rustix::process::geteuid().is_root();
    let mut command = Command::new(if is_root { "/usr/bin/env" } else { "/usr/bin/unshare" });
    if !is_root {
        command.args(["--user", "--map-root-user"]);
    }
    command.args(["python3", "-c", WITHOUT_LANDLOCK]).arg(editd.get_program()).args(editd.get_args());
    let variables = editd.get_envs().filter_map(|(name, value)| Some((name, value?)));
    command.envs(variables).current_dir(workspace.root()).output().expect("python3 can be run")
}

#[test]
fn without_landlock_a_command_is_recorded_or_does_not_run() {
    let (machine, workspace) = (Machine::start(), project());
    let refused = without_landlock(&machine, &workspace, "--enforce", "echo two > new.txt");
    let told = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success() && told.contains("this system cannot forbid writes"), "{told}");
    assert!(!workspace.has("new.txt"));

    let ran = without_landlock(&machine, &workspace, "--enforce=best-effort", "echo two > new.txt");
    let told = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success() && told.contains("what the command changes is recorded"), "{told}");
    assert_eq!(workspace.text("new.txt"), "two\n");
    let entries = history(&machine, &workspace);
    assert_eq!(entries.len(), 1, "{entries:?}");
}

#[test]
fn without_landlock_and_without_a_record_no_command_runs() {
    let machine = Machine::configured("[limits]\nsnapshot_files = 2\n");
    let workspace = project();
    let refused = without_landlock(&machine, &workspace, "--enforce=best-effort", "echo two > new.txt");
    let told = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success() && told.contains("changes cannot be recorded"), "{told}");
    assert!(!workspace.has("new.txt"));
}
