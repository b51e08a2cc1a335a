//! Tests of conditions that may prevent a journal from being followed or written.

use super::crash::{self, in_memory, killed_commit, on_disk, restart, whole_set};
use super::*;

#[test]
fn a_recreated_folder_does_not_block_recovery() {
    let killed_at = |k| {
        let setup = on_disk(whole_set);
        let changes = whole_set(&setup);
        killed_commit(&setup.disk, &setup.journal, &changes, (k, Durability::Full));
        setup
    };
    let is_switched = |k: &usize| {
        let setup = killed_at(*k);
        (setup.contents)(&setup).values().flatten().any(|text| text == b"new a")
    };
    let setup = killed_at((1..1000).find(is_switched).expect("a call after which `a` is new"));
    // As after `rm -rf` and a fresh clone. The old folder is moved, so that its inode number is not reused.
    let ws = setup.root.path();
    fs::rename(ws, ws.with_file_name("gone")).expect("moved away");
    fs::create_dir(ws).expect("created again");
    fs::write(ws.join("a"), "new a").expect("a file");
    let (recovery, _) = restart(setup.disk.inner(), &setup.journal);
    assert!(recovery.failed.is_empty(), "{recovery:?}");
    assert_eq!(fs::read(ws.join("a")).expect("a file"), b"new a");
}

#[test]
fn a_log_that_could_not_be_written_is_usable_again_when_there_is_space() {
    let setup = in_memory(|_| {}, whole_set);
    let own = TestJournal::on(&setup.disk);
    let target = setup.disk.inner().resolve(&setup.root, Path::new("a")).expect("a place");
    let change = [replace(setup.disk.inner(), &target, "new a")];
    let full = DiskErrorKind::NoSpace { required: None, available: None };
    let fails_in_the_journal = |k: &usize| {
        setup.disk.fail_at(*k, full.clone());
        let result = own.commit(&setup.disk, &change, Durability::Process);
        result.is_err_and(|error| error.error.path.starts_with("/state"))
    };
    let call = (1..1000).find(fails_in_the_journal).expect("a call that writes the journal");
    for _ in 0..100 {
        setup.disk.fail_at(call, full.clone());
        own.commit(&setup.disk, &change, Durability::Process).expect_err("no space");
    }
    setup.disk.run_at(usize::MAX, || {});
    own.commit(&setup.disk, &change, Durability::Process).expect("space again");
}

#[test]
fn unfinished_transactions_are_recorded_again_even_if_all_logs_exist() {
    let setup = in_memory(|_| {}, whole_set);
    let changes = whole_set(&setup);
    killed_commit(&setup.disk, &setup.journal, &changes, (60, Durability::Full));
    for number in 1..16 {
        setup.disk.inner().write_externally(&format!("/state/journal-{number}"), b"");
    }
    // The disk fails: nothing can be rolled back, and everything is retried at the next start.
    let (k, mut tried) = (20, 0);
    for at in k..k + 40 {
        setup.disk.fail_at(at, DiskErrorKind::Io);
        if let Ok((journal, _)) = Journal::open(&setup.disk, &setup.journal, Arc::<RescuedTexts>::default()) {
            tried += usize::from(!journal.unfinished().is_empty());
        }
        if tried > 0 {
            break;
        }
    }
    assert_eq!(tried, 1, "nothing stayed unfinished");
    let (recovery, _) = restart(setup.disk.inner(), &setup.journal);
    assert!(recovery.failed.is_empty() && !recovery.restored.is_empty(), "{recovery:?}");
}

#[test]
fn an_acknowledged_change_stays_if_the_disk_fails_during_the_cleanup() {
    let after = |setup: &crash::Setup<MemoryDisk>| {
        let mut now = (setup.contents)(setup);
        now.retain(|path, _| path != setup.root.path() && !path.file_name().is_some_and(is_stray));
        now
    };
    let mut tried = 0;
    for k in 1.. {
        let mut j = 1;
        loop {
            let setup = in_memory(|_| {}, whole_set);
            let changes = whole_set(&setup);
            let done = killed_commit(&setup.disk, &setup.journal, &changes, (k, Durability::Full));
            if setup.disk.calls() < k {
                assert!(tried > 10, "only {tried}");
                return;
            }
            if !done {
                break;
            }
            let wanted = after(&setup);
            setup.disk.fail_at(j, DiskErrorKind::Io);
            drop(Journal::open(&setup.disk, &setup.journal, Arc::<RescuedTexts>::default()));
            let reached = setup.disk.calls() >= j;
            let _ = restart(setup.disk.inner(), &setup.journal);
            assert_eq!(after(&setup), wanted, "killed at {k}, failed at {j}");
            if !reached {
                break;
            }
            (j, tried) = (j + 1, tried + 1);
        }
    }
}
