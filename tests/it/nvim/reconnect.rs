//! Review in Neovim has no gap when the daemon or Neovim ends.

use std::fs::{self, File};
use std::io::Write as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::thread::sleep;
use std::time::Duration;

use rstest::rstest;
use rustix::process::{Signal, kill_process};
use serde_json::json;

use crate::support::{Machine, Nvim, Outcome, TESTERS, Workspace, eventually};

fn scene() -> (Machine, Workspace, Nvim) {
    let (machine, workspace) =
        (Machine::configured("review = \"auto\"\n"), Workspace::file("a.txt", "one\n"));
    let nvim = Nvim::open(&machine, &[workspace.path("a.txt")]);
    (machine, workspace, nvim)
}

/// Changes a file with a command, which starts the daemon if none is running. Returns its exit code.
fn change(machine: &Machine, workspace: &Workspace) -> i32 {
    change_with(Path::new(env!("CARGO_BIN_EXE_editd")), machine, workspace)
}

/// Like [`change`], with a program of the test's own.
fn change_with(program: &Path, machine: &Machine, workspace: &Workspace) -> i32 {
    let (path, base) = (workspace.absolute("a.txt"), workspace.hash("a.txt"));
    let edit = ["edit", &path, "--old", "one", "--new", "two", "--base", &base];
    run(program, machine, &edit).status.code().expect("an exit code")
}

fn run(program: &Path, machine: &Machine, arguments: &[&str]) -> Output {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(machine.home()).envs(machine.surroundings());
    for name in TESTERS {
        command.env_remove(name);
    }
    command.output().expect("editd can be run")
}

/// Installs the program in the home folder, in place of an earlier one: as an update does, with a new file under the
/// same name. Returns its path.
fn install(machine: &Machine, version: &str) -> PathBuf {
    let program = machine.home().join("editd");
    let new = program.with_extension("new");
    fs::copy(env!("CARGO_BIN_EXE_editd"), &new).expect("a copy of the program");
    // The system does not load what follows the last section.
    let mut file = File::options().append(true).open(&new).expect("the copy");
    file.write_all(version.as_bytes()).expect("more bytes");
    drop(file);
    fs::rename(&new, &program).expect("the new program under the old name");
    program
}

/// Returns `true` if the only daemon runs from this file.
fn serves_from(machine: &Machine, program: &Path) -> bool {
    let inode = |path: &Path| fs::metadata(path).ok().map(|metadata| metadata.ino());
    let [daemon] = machine.daemons()[..] else { return false };
    inode(&PathBuf::from(format!("/proc/{}/exe", daemon.as_raw_nonzero()))) == inode(program)
}

/// The exit code of a command whose change waits.
const WAITS: i32 = 3;

#[rstest]
fn a_change_waits_at_any_moment_after_a_kill(#[values(0, 100, 500, 1000, 3000, 10_000)] milliseconds: u64) {
    let (mut machine, workspace, mut nvim) = scene();
    machine.crash();
    sleep(Duration::from_millis(milliseconds));
    assert_eq!(change(&machine, &workspace), WAITS);
    assert_eq!(workspace.text("a.txt"), "one\n");
    // Neovim connects again by itself and shows the change.
    nvim.until_connected();
    nvim.sees("two");
    // Neovim may have started one, too, which ends because there is another.
    eventually("a single daemon", || (machine.daemons().len() == 1).then_some(()));
}

#[rstest]
fn a_change_waits_at_any_moment_after_a_stop(#[values(0, 100, 500, 1000, 3000, 10_000)] milliseconds: u64) {
    let (mut machine, workspace, mut nvim) = scene();
    assert!(machine.run(&["stop"]).status.success());
    machine.until_ended();
    sleep(Duration::from_millis(milliseconds));
    assert_eq!(machine.daemons(), [], "an editor does not undo a stop");
    assert_eq!(change(&machine, &workspace), WAITS);
    assert_eq!(workspace.text("a.txt"), "one\n");
    nvim.until_connected();
    nvim.sees("two");
}

#[rstest]
fn a_change_waits_at_any_moment_after_an_update_of_the_program(
    #[values("stop", "kill")] end: &str,
    #[values(0, 100, 500, 1000, 3000, 10_000)] milliseconds: u64,
) {
    let (machine, workspace) = (Machine::asleep("review = \"auto\"\n"), Workspace::file("a.txt", "one\n"));
    let program = install(&machine, "old");
    let options = format!("cmd = {{ [[{}]], 'lsp' }}", program.display());
    let mut nvim = Nvim::with_options(&machine, &options, &[workspace.path("a.txt")]);
    assert!(serves_from(&machine, &program), "Neovim has started the daemon");
    install(&machine, "new");
    assert!(!serves_from(&machine, &program), "the daemon continues with the old program");
    if end == "stop" {
        assert!(run(&program, &machine, &["stop"]).status.success());
    } else {
        kill_process(machine.daemons()[0], Signal::KILL).expect("a signal can be sent");
    }
    sleep(Duration::from_millis(milliseconds));
    assert_eq!(change_with(&program, &machine, &workspace), WAITS);
    assert_eq!(workspace.text("a.txt"), "one\n");
    eventually("the new program to serve alone", || serves_from(&machine, &program).then_some(()));
    // Neovim connects again by itself, shows the change and decides it.
    nvim.until_connected();
    nvim.sees("two");
    nvim.keys(":Editd accept_all<CR>");
    nvim.holds("two\n");
    eventually("the change to be saved", || (workspace.text("a.txt") == "two\n").then_some(()));
}

#[test]
fn a_change_waits_while_neovim_connects_again() {
    let (machine, workspace, mut nvim) = scene();
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    nvim.keys(":Editd restart<CR>");
    for number in 0..20 {
        let label = json!({ "path": "a.txt", "oldText": "one", "newText": format!("{number}") });
        assert_eq!(agent.call("editd/edit", label).done()["state"], "pending");
        sleep(Duration::from_millis(10));
    }
    nvim.until_connected();
    assert_eq!(workspace.text("a.txt"), "one\n");
}

#[test]
fn a_killed_neovim_is_waited_for() {
    let (machine, workspace, nvim) = scene();
    // Neovim is killed when it is dropped.
    drop(nvim);
    let mut agent = machine.agent(&workspace);
    eventually("Neovim to be gone", || {
        (agent.call("editd/status", json!({})).done()["sessions"] == 1).then_some(())
    });
    assert_eq!(change(&machine, &workspace), WAITS);
    let mut nvim = Nvim::open(&machine, &[workspace.path("a.txt")]);
    nvim.sees("two");
    assert_eq!(nvim.messages(), "", "nothing was changed without a review");
}

#[test]
fn a_closed_neovim_is_told_at_its_next_start_what_was_changed() {
    let (machine, workspace, mut nvim) = scene();
    nvim.quit();
    let mut agent = machine.agent(&workspace);
    eventually("Neovim to be gone", || {
        (agent.call("editd/status", json!({})).done()["sessions"] == 1).then_some(())
    });
    assert_eq!(change(&machine, &workspace), 0);
    assert_eq!(workspace.text("a.txt"), "two\n");
    let mut nvim = Nvim::open(&machine, &[workspace.path("a.txt")]);
    nvim.sees("editd: 1 change in 1 file was made without a review");
    assert_eq!(nvim.mode(), "n", "Neovim asks for no key");
    nvim.keys(":Editd log<CR>");
    nvim.sees("a.txt +1 -1");
}
