//! The first walk of a root, which reads all files: its progress, its end and its limits.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rstest::rstest;

use crate::support::{Fault, Machine, Strace, Workspace, converse, eventually, plain};

/// Begins each line about the progress of a walk.
const PROGRESS: &str = "editd: reading the project for the first time: ";

/// Creates a root in which the walk takes a while, because each listing of a folder is slow.
fn slow_root(folders: usize) -> Workspace {
    let workspace = Workspace::empty();
    for number in 0..folders {
        workspace.put(&format!("f{number}/a.txt"), format!("text {number}\n").repeat(20));
    }
    workspace
}

/// Slows down each listing of a folder by that many milliseconds.
fn slowly(machine: &Machine, milliseconds: u32) -> Strace {
    let delay = format!("delay_enter={}", milliseconds * 1000);
    Strace::attach(machine.pid(), &[Fault::always("getdents64", &delay)], &[])
}

fn command(machine: &Machine, workspace: &Workspace, script: &str) -> Command {
    let mut command = machine.command(&["run", "--as", "robin", "--", "sh", "-c", script]);
    command.current_dir(workspace.root()).stdin(Stdio::null());
    command
}

/// Returns the size of all stored contents.
fn stored(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => stored(&entry.path()),
            Ok(metadata) => metadata.len(),
            Err(_) => 0,
        })
        .sum()
}

#[test]
fn a_long_first_walk_shows_its_progress() {
    let (machine, workspace) = (Machine::start(), slow_root(60));
    let _slow = slowly(&machine, 60);
    let output = command(&machine, &workspace, "touch x").output().expect("editd can be run");
    let printed = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && workspace.has("x"), "{printed}");
    assert!(printed.contains(PROGRESS), "{printed}");
    let again = command(&machine, &workspace, "touch y").output().expect("editd can be run");
    assert!(String::from_utf8_lossy(&again.stderr).contains("has changed y"), "{again:?}");
}

#[test]
fn a_long_first_walk_shows_its_progress_while_it_goes_on() {
    let (machine, workspace) = (Machine::start(), slow_root(500));
    let slow = slowly(&machine, 300);
    let begun = Instant::now();
    let mut running = command(&machine, &workspace, "touch x");
    let mut running = running.stderr(Stdio::piped()).spawn().expect("editd can be run");
    let mut errors = BufReader::new(running.stderr.take().expect("its standard error"));
    let mut line = String::new();
    errors.read_line(&mut line).expect("a line");
    let took = begun.elapsed();
    let count = line.strip_prefix(PROGRESS).and_then(|rest| rest.split_once(" files, "));
    assert!(count.is_some_and(|(count, _)| count.parse::<usize>().is_ok()), "{line}");
    assert!(took >= Duration::from_secs(1), "a walk is not reported before: {took:?}");
    assert!(!workspace.has("x"), "the command has not run yet");
    drop(slow);
    assert!(running.wait().expect("an end").success() && workspace.has("x"));
}

#[test]
fn a_fast_first_walk_prints_nothing() {
    let machine = Machine::start();
    // On a machine under load, any walk may take long. Each round has a root of its own, which is walked first.
    let printed = eventually("a walk that takes less than a second", || {
        let workspace = slow_root(3);
        let begun = Instant::now();
        let output = command(&machine, &workspace, "true").output().expect("editd can be run");
        assert!(output.status.success(), "{output:?}");
        let is_fast = begun.elapsed() < Duration::from_secs(1);
        is_fast.then(|| String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
    });
    assert_eq!(printed, "");
}

#[test]
fn a_walk_ends_with_its_client() {
    let (machine, workspace) = (Machine::start(), slow_root(500));
    let _slow = slowly(&machine, 300);
    let mut running = command(&machine, &workspace, "touch x").spawn().expect("editd can be run");
    let snapshots = machine.state().join("snapshots");
    eventually("the walk to read files", || (stored(&snapshots) > 0).then_some(()));
    running.kill().expect("a running process");
    running.wait().expect("an end");
    // The walk would go on for more than a minute and store a content every 150 ms.
    eventually("the walk to end", || {
        let before = stored(&snapshots);
        sleep(Duration::from_millis(1500));
        (stored(&snapshots) == before).then_some(())
    });
    assert!(!workspace.has("x"), "the command has not run");
}

#[test]
fn the_daemon_ends_in_the_middle_of_a_walk() {
    let (mut machine, workspace) = (Machine::start(), slow_root(500));
    let slow = slowly(&machine, 300);
    let mut running = command(&machine, &workspace, "touch x").spawn().expect("editd can be run");
    let snapshots = machine.state().join("snapshots");
    eventually("the walk to read files", || (stored(&snapshots) > 0).then_some(()));
    machine.terminate();
    machine.until_ended();
    drop(slow);
    let _ = running.kill();
    running.wait().expect("an end");
}

#[rstest]
#[case::files("snapshot_files = 20", "it contains more than 20 files")]
#[case::contents("snapshot_bytes = 500", "its files need more than")]
fn a_person_is_asked_whether_to_go_on_without_a_record(#[case] limit: &str, #[case] reason: &str) {
    let machine = Machine::configured(&format!("[limits]\n{limit}\n"));
    let workspace = slow_root(40);
    let touch = ["run", "--", "touch", "x"];
    let refused = converse(&machine, workspace.root(), &touch, &["n\r"], &[]);
    assert_eq!((refused.code, workspace.has("x")), (1, false), "{}", refused.shown);
    let shown = plain(&refused.shown);
    assert!(shown.contains(reason) && shown.contains("Run the command without recording them?"), "{shown}");
    let ran = converse(&machine, workspace.root(), &touch, &["y\r"], &[]);
    assert_eq!((ran.code, workspace.has("x")), (0, true), "{}", ran.shown);
    let alone = command(&machine, &workspace, "touch y").output().expect("editd can be run");
    assert_eq!((alone.status.code(), workspace.has("y")), (Some(1), false), "without a terminal: {alone:?}");
}

#[test]
fn a_command_that_cannot_be_recorded_is_refused_if_all_changes_are_reviewed() {
    let machine = Machine::configured("review = \"always\"\n[limits]\nsnapshot_files = 20\n");
    let workspace = slow_root(40);
    let refused = converse(&machine, workspace.root(), &["run", "--", "touch", "x"], &[], &[]);
    assert_eq!((refused.code, workspace.has("x")), (1, false), "{}", refused.shown);
}

#[test]
fn an_empty_git_folder_is_no_repository() {
    let (machine, workspace) = (Machine::start(), Workspace::file("sub/a.txt", "one\n"));
    fs::create_dir(workspace.path(".git")).expect("a folder");
    let script = "echo two > a.txt; echo outside > ../b.txt";
    let mut command = machine.command(&["run", "--", "sh", "-c", script]);
    let output = command.current_dir(workspace.path("sub")).output().expect("editd can be run");
    let printed = String::from_utf8_lossy(&output.stderr);
    assert!(printed.contains("has changed a.txt;"), "the folder itself is the project: {printed}");
}
