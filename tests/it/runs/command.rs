//! `editd run`: a command with its terminal, its exit code, and the record of what it changed.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::{Command, Output};
use std::thread;
use std::time::Duration;

use rstest::rstest;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::support::{Machine, Outcome, Workspace, eventually};

pub(super) fn run(machine: &Machine, workspace: &Workspace, script: &str) -> Output {
    let mut command = machine.command(&["run", "--as", "robin", "--", "sh", "-c", script]);
    command.current_dir(workspace.root()).output().expect("editd can be run")
}

pub(super) fn printed(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Returns all transactions, newest first.
pub(super) fn history(machine: &Machine, workspace: &Workspace) -> Vec<Value> {
    machine.agent_named("robin", workspace).history()
}

pub(super) fn undo(machine: &Machine, workspace: &Workspace, transaction: &Value) {
    let mut agent = machine.agent_named("robin", workspace);
    agent.call("editd/undo", json!({ "transaction": transaction })).done();
}

#[test]
fn a_command_that_changes_nothing_prints_nothing() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let output = run(&machine, &workspace, "cat a.txt; touch a.txt");
    assert_eq!((output.stdout.as_slice(), printed(&output).as_str()), (&b"one\n"[..], ""));
    assert!(output.status.success());
    assert_eq!(history(&machine, &workspace), [Value::Null; 0]);
}

#[test]
fn the_changes_of_a_command_are_one_transaction_and_are_undone() {
    let files: [(&str, &[u8]); 4] =
        [("a.txt", b"one\ntwo\n"), ("gone/b.txt", b"b\n"), ("data", b"\0\xff\n"), ("run.sh", b"#!/bin/sh\n")];
    let (machine, workspace) = (Machine::start(), Workspace::with(&files));
    symlink("a.txt", workspace.path("link")).unwrap();
    let before = workspace.everything();
    let script = "sed -i s/two/2/ a.txt && rm -r gone && printf 'x\\0' > data && chmod 755 run.sh && \
                  ln -sfn run.sh link && mkdir -p new/deep && echo new > new/deep/c.txt";
    let output = run(&machine, &workspace, script);
    assert!(output.status.success(), "{output:?}");
    let past = history(&machine, &workspace);
    assert_eq!(past.len(), 1, "{past:#?}");
    let one = &past[0];
    assert!(printed(&output).contains(one["transaction"].as_str().unwrap()), "{}", printed(&output));
    assert_eq!((&one["author"], &one["run"]["exitCode"]), (&json!("robin"), &json!(0)));
    assert!(one["label"].as_str().unwrap().starts_with("sh -c 'sed -i"), "{one:#?}");
    let actions: Vec<_> =
        one["files"].as_array().unwrap().iter().map(|file| file["action"].as_str()).collect();
    assert_eq!(actions, [Some("edit"), Some("edit"), Some("delete"), Some("create")]);
    let paths: Vec<_> =
        one["paths"].as_array().unwrap().iter().map(|it| (&it["before"], &it["after"])).collect();
    assert!(paths.contains(&(&json!("file 644"), &json!("file 755"))), "{paths:?}");
    assert!(paths.contains(&(&json!("link to a.txt"), &json!("link to run.sh"))), "{paths:?}");
    let changed = workspace.everything();
    undo(&machine, &workspace, &one["transaction"]);
    assert_eq!(workspace.everything(), before);
    assert_eq!(fs::read_link(workspace.path("link")).unwrap().to_str(), Some("a.txt"));
    assert_eq!(fs::metadata(workspace.path("run.sh")).unwrap().permissions().mode() & 0o777, 0o644);
    // The undo is undone.
    let undone = &history(&machine, &workspace)[0];
    undo(&machine, &workspace, &undone["transaction"]);
    assert_eq!(workspace.everything(), changed);
    assert_eq!(fs::read_link(workspace.path("link")).unwrap().to_str(), Some("run.sh"));
}

#[rstest]
#[case::exit_code("exit 7", 7)]
#[case::signal("kill -KILL $$", 137)]
#[case::missing_program("exec no-such-program", 127)]
fn the_exit_code_is_that_of_the_command(#[case] script: &str, #[case] code: i32) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let output = run(&machine, &workspace, &format!("echo 2 >> a.txt; {script}"));
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    let past = history(&machine, &workspace);
    let end = (&past[0]["run"]["exitCode"], &past[0]["run"]["signal"]);
    let expected = if code == 137 { (&Value::Null, &json!(9)) } else { (&json!(code), &Value::Null) };
    assert_eq!(end, expected);
}

#[test]
fn a_program_that_does_not_exist_is_reported_like_by_a_shell() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let mut command = machine.command(&["run", "no-such-program", "--flag"]);
    let output = command.current_dir(workspace.root()).output().unwrap();
    assert_eq!(output.status.code(), Some(127));
    assert!(printed(&output).contains("no-such-program"), "{output:?}");
}

#[test]
fn a_signal_is_passed_on_and_the_change_is_recorded() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let script = "trap 'echo stopped >> a.txt; exit 5' TERM; touch ready; while :; do sleep 0.05; done";
    let mut command = machine.command(&["run", "--as", "robin", "--", "sh", "-c", script]);
    let mut child = command.current_dir(workspace.root()).spawn().unwrap();
    eventually("the command is ready", || workspace.has("ready").then_some(()));
    kill_process(Pid::from_raw(child.id().cast_signed()).unwrap(), Signal::TERM).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(5));
    assert_eq!(workspace.text("a.txt"), "one\nstopped\n");
    assert_eq!(history(&machine, &workspace)[0]["run"]["exitCode"], 5);
}

#[test]
fn the_home_folder_and_system_folders_are_refused() {
    let machine = Machine::start();
    for folder in [machine.home().as_path(), "/".as_ref(), "/etc".as_ref()] {
        let output = machine.command(&["run", "touch", "x"]).current_dir(folder).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert!(printed(&output).contains("cannot be recorded"), "{output:?}");
    }
    assert!(!machine.home().join("x").exists(), "the command has not run");
}

#[rstest]
#[case::too_many_files("snapshot_files = 2", "more than 2 files")]
#[case::no_history("history_bytes = 0", "the history is disabled")]
fn a_command_that_cannot_be_recorded_does_not_run(#[case] limit: &str, #[case] reason: &str) {
    let machine = Machine::configured(&format!("[limits]\n{limit}\n"));
    let workspace = Workspace::with(&[("a", "1"), ("b", "2"), ("c", "3")]);
    let output = run(&machine, &workspace, "touch x");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(printed(&output).contains(reason), "{output:?}");
    assert!(!workspace.has("x"));
}

#[test]
fn omitted_contents_are_listed() {
    let machine = Machine::configured("[limits]\nsnapshot_file_size = 100\n");
    let workspace = Workspace::with(&[("large", "x".repeat(200).as_str()), ("a.txt", "one\n")]);
    let output = run(&machine, &workspace, "echo more >> large; echo two > a.txt; mkfifo pipe");
    let printed = printed(&output);
    assert!(printed.contains("the content of large is not recorded: it is larger"), "{printed}");
    assert!(printed.contains("pipe") && printed.contains("a named pipe"), "{printed}");
    let past = history(&machine, &workspace);
    assert_eq!(past[0]["run"]["omitted"].as_array().unwrap().len(), 2, "{past:#?}");
    undo(&machine, &workspace, &past[0]["transaction"]);
    assert_eq!(workspace.text("a.txt"), "one\n");
    assert_eq!(workspace.bytes("large").len(), 205, "it has no content to go back to");
}

#[test]
fn ignored_files_are_left_out() {
    let (machine, workspace) = (Machine::start(), Workspace::file(".gitignore", "target/\n"));
    run(&machine, &workspace, "mkdir target; echo built > target/app; echo x > seen.txt");
    let past = history(&machine, &workspace);
    let files = past[0]["files"].as_array().unwrap();
    assert_eq!(files.len(), 1, "{files:?}");
    undo(&machine, &workspace, &past[0]["transaction"]);
    assert!(workspace.has("target/app") && !workspace.has("seen.txt"));
}

#[test]
fn ignored_files_do_not_count_towards_the_limits() {
    let machine = Machine::configured("[limits]\nsnapshot_files = 20\nsnapshot_bytes = 1000\n");
    let workspace = Workspace::with(&[(".gitignore", "node_modules/\n"), ("a.txt", "one\n")]);
    for number in 0..200 {
        workspace.put(&format!("node_modules/package/{number}.js"), "x".repeat(100));
    }
    let output = run(&machine, &workspace, "echo two > a.txt; echo y > node_modules/package/0.js");
    assert!(output.status.success(), "{}", printed(&output));
    let past = history(&machine, &workspace);
    assert_eq!(past[0]["files"].as_array().map(Vec::len), Some(1), "{past:#?}");
    undo(&machine, &workspace, &past[0]["transaction"]);
    assert_eq!(workspace.text("a.txt"), "one\n");
}

#[test]
fn the_log_and_blame_name_the_author_of_a_command() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo\n"));
    run(&machine, &workspace, "sed -i s/two/2/ a.txt");
    let here = |arguments: &[&str]| {
        let mut command = machine.command(arguments);
        let output = command.current_dir(workspace.root()).output().expect("editd can be run");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let log = here(&["log", "-p"]);
    assert!(log.contains("robin") && log.contains("-two\n+2\n"), "{log}");
    let blame = here(&["blame", "a.txt"]);
    let lines: Vec<_> = blame.lines().map(|line| line.contains("robin")).collect();
    assert_eq!(lines, [false, true], "{blame}");
}

#[test]
fn names_that_are_not_utf8_and_names_that_differ_in_case() {
    let (machine, workspace) = (Machine::start(), Workspace::file("Name.txt", "one\n"));
    run(&machine, &workspace, "mv Name.txt name.txt; printf 'x\\n' > \"$(printf 'caf\\351')\"");
    let past = history(&machine, &workspace);
    assert_eq!(past[0]["files"].as_array().unwrap().len(), 3, "{past:#?}");
    undo(&machine, &workspace, &past[0]["transaction"]);
    assert!(workspace.has("Name.txt") && !workspace.has("name.txt"));
    assert_eq!(fs::read_dir(workspace.root()).unwrap().count(), 1);
}

#[test]
fn a_path_that_was_changed_since_is_not_restored() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    symlink("a.txt", workspace.path("link")).unwrap();
    run(&machine, &workspace, "ln -sfn b.txt link; echo two > a.txt");
    fs::remove_file(workspace.path("link")).unwrap();
    symlink("mine", workspace.path("link")).unwrap();
    let past = history(&machine, &workspace);
    let mut agent = machine.agent_named("robin", &workspace);
    let refused = agent.call("editd/undo", json!({ "transaction": past[0]["transaction"] })).refused("stale");
    assert!(refused.to_string().contains("link"), "{refused}");
    assert_eq!(workspace.text("a.txt"), "two\n", "all or nothing");
    assert_eq!(fs::read_link(workspace.path("link")).unwrap().to_str(), Some("mine"));
}

#[test]
fn a_file_that_may_not_be_written_anymore_is_restored() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    run(&machine, &workspace, "echo two > a.txt; chmod 444 a.txt");
    undo(&machine, &workspace, &history(&machine, &workspace)[0]["transaction"]);
    assert_eq!(workspace.text("a.txt"), "one\n");
    assert_eq!(fs::metadata(workspace.path("a.txt")).unwrap().permissions().mode() & 0o777, 0o644);
}

#[test]
fn a_failed_undo_restores_no_path() {
    let (machine, workspace) = (Machine::start(), Workspace::with(&[("a.txt", "one\n"), ("b.txt", "b\n")]));
    run(
        &machine,
        &workspace,
        "echo two > a.txt; chmod 444 a.txt; ln -s b.txt link; echo c > b.txt; chmod 444 b.txt",
    );
    workspace.put("b.txt", "mine\n");
    let past = history(&machine, &workspace);
    let mut agent = machine.agent_named("robin", &workspace);
    agent.call("editd/undo", json!({ "transaction": past[0]["transaction"] })).refused("stale");
    assert!(workspace.path("link").is_symlink());
    assert_eq!(fs::metadata(workspace.path("a.txt")).unwrap().permissions().mode() & 0o777, 0o444);
    assert_eq!((workspace.text("a.txt"), workspace.text("b.txt")), ("two\n".to_owned(), "mine\n".to_owned()));
}

#[test]
fn a_folder_that_is_not_empty_anymore_stays() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    run(&machine, &workspace, "mkdir new; echo x > new/x");
    workspace.put("new/mine", "mine\n");
    undo(&machine, &workspace, &history(&machine, &workspace)[0]["transaction"]);
    assert!(!workspace.has("new/x"));
    assert_eq!(workspace.text("new/mine"), "mine\n");
}

#[test]
fn the_command_line_tells_that_a_folder_stays() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    run(&machine, &workspace, "mkdir new");
    workspace.put("new/mine", "mine\n");
    let mut command = machine.command(&["undo", "--yes", "--author", "robin"]);
    let output = command.current_dir(workspace.root()).output().expect("editd can be run");
    let expected = format!("kept {}/new (folder 755): it is not empty\n", workspace.root().display());
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{output:?}");
    assert_eq!(workspace.text("new/mine"), "mine\n");
}

#[test]
fn a_permission_is_the_only_change() {
    let (machine, workspace) = (Machine::start(), Workspace::file("run.sh", "#!/bin/sh\n"));
    fs::set_permissions(workspace.path("run.sh"), Permissions::from_mode(0o640)).unwrap();
    let mode = || fs::metadata(workspace.path("run.sh")).unwrap().permissions().mode() & 0o7777;
    run(&machine, &workspace, "chmod 4755 run.sh");
    assert_eq!(mode(), 0o4755);
    let past = history(&machine, &workspace);
    assert_eq!(past[0]["files"], json!([]));
    undo(&machine, &workspace, &past[0]["transaction"]);
    assert_eq!(mode(), 0o640);
}

#[test]
fn the_command_line_shows_restored_paths() {
    let (machine, workspace) = (Machine::start(), Workspace::file("run.sh", "#!/bin/sh\n"));
    run(&machine, &workspace, "chmod 755 run.sh; mkdir new");
    let in_project = |arguments: &[&str]| {
        let output =
            machine.command(arguments).current_dir(workspace.root()).output().expect("editd can be run");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let transaction = history(&machine, &workspace)[0]["transaction"].as_str().unwrap().to_owned();
    let logged = in_project(&["log"]);
    assert!(
        logged.contains("run.sh (file 644 to file 755)") && logged.contains("new new (folder 755)"),
        "{logged}"
    );
    let shown = in_project(&["show", &transaction]);
    assert!(shown.contains("exit code 0"), "{shown}");
    let undone = in_project(&["undo", &transaction, "--yes", "--author", "robin"]);
    let expected =
        format!("removed {0}/new (folder 755)\nrestored {0}/run.sh (file 644)\n", workspace.root().display());
    assert_eq!(undone, expected);
}

#[test]
fn a_file_that_changes_during_the_walk_is_recorded_as_it_was_read() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "start\n"));
    let script = "(for n in $(seq 400); do echo $n >> log.txt; done) & echo two > a.txt; sleep 0.02";
    run(&machine, &workspace, script);
    thread::sleep(Duration::from_millis(300));
    let past = history(&machine, &workspace);
    assert_eq!(past.len(), 1, "what a process writes after the end belongs to no one");
    assert_ne!(past[0]["files"], json!([]));
    assert_eq!(run(&machine, &workspace, "true").status.code(), Some(0));
}

#[test]
fn an_ignored_file_that_git_tracks_is_recorded() {
    let (machine, workspace) = (Machine::start(), Workspace::file(".gitignore", "*.cfg\nbuild/\n"));
    for name in ["a.cfg", "b.cfg", "build/c.txt", "build/d.txt"] {
        workspace.put(name, "one\n");
    }
    let git = "git init -q && git add -f a.cfg build/c.txt";
    let added = Command::new("sh").args(["-ec", git]).current_dir(workspace.root()).status();
    assert!(added.expect("sh").success());
    let files = "a.cfg b.cfg build/c.txt build/d.txt";
    run(&machine, &workspace, &format!("for f in {files}; do echo two > $f; done"));
    let past = history(&machine, &workspace);
    let files: Vec<_> = past[0]["files"].as_array().unwrap().iter().map(|file| &file["path"]).collect();
    assert_eq!(files, [&json!(workspace.absolute("a.cfg")), &json!(workspace.absolute("build/c.txt"))]);
    undo(&machine, &workspace, &past[0]["transaction"]);
    assert_eq!((workspace.text("a.cfg").as_str(), workspace.text("b.cfg").as_str()), ("one\n", "two\n"));
}

#[test]
fn a_change_below_a_path_that_is_too_long_is_listed() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let deep = "import os
for _ in range(25):
    os.makedirs('d' * 200, exist_ok=True)
    os.chdir('d' * 200)
open('f.txt', 'a').write('more')";
    let script = format!("python3 -c \"{deep}\"");
    for _ in 0..2 {
        let output = run(&machine, &workspace, &script);
        assert!(printed(&output).contains("its path is longer than 4,095 bytes"), "{output:?}");
    }
    assert_eq!(history(&machine, &workspace).len(), 2);
}
