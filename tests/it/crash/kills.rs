//! Tests in which the daemon is killed at every kernel call of a commit, and its recovery at every call of
//! its own.

use rstest::rstest;

use super::scene::{ENOUGH, Scene, State, chosen};
use crate::support::{Fault, Outcome, is_portable, makes, soak, tell};

/// Calls of a recovery that change something.
const CHANGING: [&str; 6] = ["renameat2", "renameat", "unlinkat", "fsync", "pwrite64", "write"];

/// A set during which the daemon was killed.
struct Killed {
    folder: String,
    /// The outcome reported before the kill, if any.
    answered: Option<State>,
    when: String,
}

/// Kills the daemon at a call; returns `None` if the call was not made.
fn kill(scene: &mut Scene, call: &str, k: usize) -> Option<Killed> {
    let folder = scene.lay_out();
    let (answer, _) = scene.ask_with(&folder, Fault::kill(call, k), &[]);
    let answered = answer.map(|answer| if answer.is_ok() { State::New } else { State::Old });
    if scene.machine.is_serving() {
        return None;
    }
    Some(Killed { folder, answered, when: format!("killed at {call} {k}") })
}

/// Checks the files after a restart of the daemon.
fn check(scene: &mut Scene, killed: &Killed) {
    let Killed { folder, answered, when } = killed;
    scene.restart(when);
    let state = scene.state(folder, when);
    if let Some(answered) = answered {
        assert_eq!(state, *answered, "{when}: that was answered");
    }
    assert!(scene.agent.kept().is_empty(), "{when}: no other program has written");
    if state == State::Old {
        scene.read(folder);
        scene.ask(folder).done();
        assert_eq!(scene.state(folder, when), State::New, "{when}: sent again");
    }
}

#[rstest]
#[case::renameat2("renameat2")]
#[case::renameat("renameat")]
#[case::linkat("linkat")]
#[case::fsync("fsync")]
#[case::unlinkat("unlinkat")]
#[case::mkdirat("mkdirat")]
#[case::pwrite64("pwrite64")]
#[case::ftruncate("ftruncate")]
#[case::write("write")]
#[case::sync_file_range("sync_file_range")]
#[case::fchmod("fchmod")]
#[case::openat("openat")]
#[case::newfstatat("newfstatat")]
#[case::fcntl("fcntl")]
#[case::close("close")]
fn a_daemon_killed_at_a_call_leaves_all_old_or_all_new(#[case] call: &str) {
    if !makes(call) {
        return;
    }
    let mut scene = Scene::new();
    let mut reached = 0;
    for k in chosen(call) {
        let Some(killed) = kill(&mut scene, call, k) else { break };
        check(&mut scene, &killed);
        reached += 1;
    }
    assert!(reached > 0 && reached < chosen(call).count(), "killed at {reached} calls of {call}");
    tell(&format!("killed at {reached} calls of {call}"));
}

/// At the last rename, everything that can be displaced is displaced; at the first removal, everything is in
/// place too.
#[rstest]
#[case::at_the_first_switch("renameat2", 1)]
#[case::at_the_last_switch("renameat2", 5)]
#[case::at_the_first_rename("renameat", 1)]
#[case::in_the_file_that_is_written_in_place("ftruncate", 1)]
#[case::at_the_first_removal("unlinkat", 1)]
fn a_recovery_killed_at_a_call_is_finished_by_the_next(#[case] call: &str, #[case] k: usize) {
    if !makes(call) {
        return;
    }
    let mut scene = Scene::new();
    for changing in CHANGING.into_iter().filter(|call| makes(call)) {
        let mut j = 1;
        loop {
            let mut killed = kill(&mut scene, call, k).unwrap_or_else(|| panic!("no {call} {k}"));
            killed.when = format!("{}, then at {changing} {j} of the recovery", killed.when);
            let served = scene.machine.serve_under(&[Fault::kill(changing, j)]);
            if served {
                scene.machine.crash();
            }
            check(&mut scene, &killed);
            // After the start, writes continue indefinitely.
            if served || j > 30 {
                break;
            }
            j += if soak().is_some() { 1 } else { 2 };
        }
    }
}

#[test]
fn a_save_between_a_kill_and_the_restart_stays() {
    let mut scene = Scene::new();
    let rename = if is_portable() { "renameat" } else { "renameat2" };
    for k in 1..ENOUGH {
        let Some(killed) = kill(&mut scene, rename, k) else {
            assert!(k > if is_portable() { 1 } else { 4 });
            return;
        };
        let folder = killed.folder;
        let theirs = ["edited", "linked", "removed", "moved-to", "new/created"];
        for name in theirs {
            scene.workspace.put(&format!("{folder}/{name}"), format!("theirs: {name}\n"));
        }
        scene.machine.serve();
        let present = scene.listing(&folder);
        for name in theirs.iter().chain(&["linked-too"]) {
            let text = present.get(*name).cloned().flatten();
            let same = name.replace("linked-too", "linked");
            assert_eq!(text, Some(format!("theirs: {same}\n")), "killed at {rename} {k}: {present:#?}");
        }
        let strays: Vec<_> = present.keys().filter(|name| name.contains(".editd-")).collect();
        assert!(strays.is_empty(), "killed at {rename} {k}: {strays:?}");
        scene.machine.crash();
        scene.restart("a second time");
        assert_eq!(
            scene.listing(&folder),
            present,
            "killed at {rename} {k}: the second start changed something"
        );
    }
}
