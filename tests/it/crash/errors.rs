//! Tests in which every kernel call of a commit fails once. The files must be all old or all new, as
//! reported, and the same request must succeed afterwards.

use rstest::rstest;

use super::scene::{ENOUGH, Scene, State, chosen};
use crate::support::{Fault, Outcome, Trace, makes, tell};

/// Returns `true` if the fault was reached.
fn fail_once(scene: &mut Scene, fault: Fault<'_>) -> bool {
    let when = format!("{fault:?}");
    let folder = scene.lay_out();
    let (answer, trace) = scene.ask_with(&folder, fault, &[]);
    let answer = answer.unwrap_or_else(|| panic!("{when}: the connection ended"));
    let state = scene.state(&folder, &when);
    match answer {
        Ok(_) => assert_eq!(state, State::New, "{when}: answered as applied"),
        Err(error) => {
            assert_eq!(state, State::Old, "{when}: answered {error:?}");
            assert!(trace.has_fault(), "{when}: refused without a reason: {error:?}");
            scene.ask(&folder).done();
            assert_eq!(scene.state(&folder, &when), State::New, "{when}: sent again");
        }
    }
    assert!(scene.agent.kept().is_empty(), "{when}: no other program has written");
    trace.has_fault()
}

#[rstest]
#[case::renameat2("renameat2")]
#[case::renameat("renameat")]
#[case::linkat("linkat")]
#[case::fsync("fsync")]
#[case::mkdirat("mkdirat")]
#[case::pwrite64("pwrite64")]
#[case::ftruncate("ftruncate")]
#[case::sync_file_range("sync_file_range")]
#[case::unlinkat("unlinkat")]
#[case::fchmod("fchmod")]
#[case::openat("openat")]
#[case::openat2("openat2")]
#[case::newfstatat("newfstatat")]
#[case::fstat("fstat")]
#[case::statx("statx")]
#[case::faccessat2("faccessat2")]
fn a_call_that_fails_once_leaves_all_old_or_all_new(
    #[case] call: &str,
    #[values("error=EIO", "error=ENOSPC")] error: &str,
) {
    if !makes(call) {
        return;
    }
    if error == "error=ENOSPC" && ["newfstatat", "fstat", "statx", "faccessat2", "openat2"].contains(&call) {
        // A call that only reads cannot fail like this.
        return;
    }
    let mut scene = Scene::new();
    let mut reached = 0;
    for k in chosen(call) {
        if !fail_once(&mut scene, Fault::error(call, error, k)) {
            break;
        }
        reached += 1;
    }
    assert!(reached > 0 && reached < chosen(call).count(), "{reached} calls of {call} failed");
    tell(&format!("{reached} calls of {call} failed with {error}"));
}

/// Fails the journal's own writes. Other threads write too, to wake each other, so only writes to this file
/// fail.
#[rstest]
fn a_journal_that_cannot_be_written_stops_the_set(#[values("error=EIO", "error=ENOSPC")] error: &str) {
    // A set writes three lines: the names, the begin record, and the done record.
    for k in 1..=3 {
        let mut scene = Scene::new();
        let mut fault = Fault::error("write", error, k);
        fault.path = Some(scene.machine.state().join("journal/journal-0"));
        assert!(fail_once(&mut scene, fault), "line {k} of the journal is written");
    }
}

#[test]
fn a_failed_flush_is_not_retried_on_the_same_file() {
    let mut scene = Scene::new();
    for k in 1..ENOUGH {
        let folder = scene.lay_out();
        let traced = ["fsync", "write", "pwrite64"];
        let (answer, trace) = scene.ask_with(&folder, Fault::error("fsync", "error=EIO", k), &traced);
        if !trace.has_fault() {
            assert!(k > 10, "only {k} flushes in a set under `full`");
            return;
        }
        let answer = answer.expect("an answer");
        if answer.is_ok() {
            // The files are changed by then: only the history can be incomplete.
            let failed = trace.lines().find(|line| line.contains("(INJECTED)")).and_then(Trace::file_of);
            assert!(failed.is_some_and(|file| file.contains("/history/")), "flush {k}, of {failed:?}");
            continue;
        }
        answer.refused("disk");
        assert_eq!(scene.state(&folder, "after a failed flush"), State::Old, "flush {k}");
        let again = flushed_again(&trace);
        assert!(
            again.is_none(),
            "flush {k}: {again:?} was flushed again, as if what was lost could come back"
        );
    }
    panic!("more flushes than a commit makes");
}

/// Returns a file that was flushed again after its flush failed, without new bytes in between. The kernel has
/// dropped the old bytes, so the second flush proves nothing about them.
fn flushed_again(trace: &Trace) -> Option<String> {
    let mut lines = trace.lines().skip_while(|line| !line.contains("(INJECTED)"));
    let failed = Trace::file_of(lines.next()?)?.to_owned();
    let mut same = lines.filter(|line| Trace::file_of(line) == Some(&failed));
    same.next().filter(|line| line.contains("fsync(")).map(|_| failed)
}
