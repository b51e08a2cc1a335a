//! Review in Neovim has no gap when the daemon or Neovim ends.

use std::thread::sleep;
use std::time::Duration;

use rstest::rstest;
use serde_json::json;

use crate::support::{Machine, Nvim, Outcome, Workspace, eventually};

/// Milliseconds after the end of the daemon, at which an agent makes a change.
const MOMENTS: [u64; 5] = [0, 100, 500, 1000, 3000];

fn scene() -> (Machine, Workspace, Nvim) {
    let (machine, workspace) =
        (Machine::configured("review = \"auto\"\n"), Workspace::file("a.txt", "one\n"));
    let nvim = Nvim::open(&machine, &[workspace.path("a.txt")]);
    (machine, workspace, nvim)
}

/// Changes a file with a command, which starts the daemon if none is running. Returns its exit code.
fn change(machine: &Machine, workspace: &Workspace) -> i32 {
    let path = workspace.path("a.txt");
    let path = path.to_str().expect("text");
    let base = workspace.hash("a.txt");
    let output = machine.run(&["edit", path, "--old", "one", "--new", "two", "--base", &base]);
    output.status.code().expect("an exit code")
}

/// The exit code of a command whose change waits.
const WAITS: i32 = 3;

#[rstest]
fn a_change_waits_at_any_moment_after_a_kill(#[values(0, 1, 2, 3, 4)] moment: usize) {
    let (mut machine, workspace, mut nvim) = scene();
    machine.crash();
    sleep(Duration::from_millis(MOMENTS[moment]));
    assert_eq!(change(&machine, &workspace), WAITS);
    assert_eq!(workspace.text("a.txt"), "one\n");
    // Neovim connects again by itself and shows the change.
    nvim.until_connected();
    nvim.sees("two");
    // Neovim may have started one, too, which ends because there is another.
    eventually("a single daemon", || (machine.daemons().len() == 1).then_some(()));
}

#[rstest]
fn a_change_waits_at_any_moment_after_a_stop(#[values(0, 1, 2, 3, 4)] moment: usize) {
    let (mut machine, workspace, mut nvim) = scene();
    assert!(machine.run(&["stop"]).status.success());
    machine.until_ended();
    sleep(Duration::from_millis(MOMENTS[moment]));
    assert_eq!(machine.daemons(), [], "an editor does not undo a stop");
    assert_eq!(change(&machine, &workspace), WAITS);
    assert_eq!(workspace.text("a.txt"), "one\n");
    nvim.until_connected();
    nvim.sees("two");
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
