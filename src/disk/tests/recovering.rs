//! What keeps a journal from being obeyed or written, and what does not.

use super::crash::{self, in_memory, killed_commit, on_disk, restart, whole_set};
use super::*;

#[test]
fn a_folder_that_was_made_anew_holds_nothing_up() {
    let killed_at = |k| {
        let world = on_disk(whole_set);
        let changes = whole_set(&world);
        killed_commit(&world.disk, &world.journal, &changes, (k, Durability::Full));
        world
    };
    let is_switched = |k: &usize| {
        let world = killed_at(*k);
        (world.look)(&world).values().flatten().any(|text| text == b"new a")
    };
    let world = killed_at((1..1000).find(is_switched).expect("a call after which `a` is new"));
    // As by `rm -rf` and a fresh clone; the old one is moved, so that its inode's number is not given again.
    let ws = world.root.path();
    fs::rename(ws, ws.with_file_name("gone")).expect("moved away");
    fs::create_dir(ws).expect("made anew");
    fs::write(ws.join("a"), "new a").expect("a file");
    let (recovery, _) = restart(world.disk.inner(), &world.journal);
    assert!(recovery.failed.is_empty(), "{recovery:?}");
    assert_eq!(fs::read(ws.join("a")).expect("a file"), b"new a");
}

#[test]
fn a_log_that_could_not_be_written_serves_again_when_there_is_room() {
    let world = in_memory(|_| {}, whole_set);
    let own = Own::on(&world.disk);
    let target = world.disk.inner().resolve(&world.root, Path::new("a")).expect("a place");
    let change = [replace(world.disk.inner(), &target, "new a")];
    let full = DiskErrorKind::NoSpace { required: None, available: None };
    let fails_in_the_journal = |k: &usize| {
        world.disk.fail_at(*k, full.clone());
        let result = own.commit(&world.disk, &change, Durability::Process);
        result.is_err_and(|error| error.error.path.starts_with("/state"))
    };
    let call = (1..1000).find(fails_in_the_journal).expect("a call that writes the journal");
    for _ in 0..100 {
        world.disk.fail_at(call, full.clone());
        own.commit(&world.disk, &change, Durability::Process).expect_err("no room");
    }
    world.disk.run_at(usize::MAX, || {});
    own.commit(&world.disk, &change, Durability::Process).expect("room again");
}

#[test]
fn what_is_unfinished_is_noted_again_even_if_all_logs_are_there() {
    let world = in_memory(|_| {}, whole_set);
    let changes = whole_set(&world);
    killed_commit(&world.disk, &world.journal, &changes, (60, Durability::Full));
    for number in 1..16 {
        world.disk.inner().write_behind(&format!("/state/journal-{number}"), b"");
    }
    // The disk fails: nothing can be taken back, and everything is tried again at the next start.
    let (k, mut tried) = (20, 0);
    for at in k..k + 40 {
        world.disk.fail_at(at, DiskErrorKind::Io);
        if let Ok((journal, _)) = Journal::open(&world.disk, &world.journal, Arc::<Kept>::default()) {
            tried += usize::from(!journal.unfinished().is_empty());
        }
        if tried > 0 {
            break;
        }
    }
    assert_eq!(tried, 1, "nothing stayed unfinished");
    let (recovery, _) = restart(world.disk.inner(), &world.journal);
    assert!(recovery.failed.is_empty() && !recovery.restored.is_empty(), "{recovery:?}");
}

#[test]
fn what_was_answered_stays_though_the_disk_fails_once_while_its_remains_are_removed() {
    let after = |world: &crash::World<MemoryDisk>| {
        let mut now = (world.look)(world);
        now.retain(|path, _| path != world.root.path() && !path.file_name().is_some_and(is_stray));
        now
    };
    let mut tried = 0;
    for k in 1.. {
        let mut j = 1;
        loop {
            let world = in_memory(|_| {}, whole_set);
            let changes = whole_set(&world);
            let done = killed_commit(&world.disk, &world.journal, &changes, (k, Durability::Full));
            if world.disk.calls() < k {
                assert!(tried > 10, "only {tried}");
                return;
            }
            if !done {
                break;
            }
            let wanted = after(&world);
            world.disk.fail_at(j, DiskErrorKind::Io);
            drop(Journal::open(&world.disk, &world.journal, Arc::<Kept>::default()));
            let reached = world.disk.calls() >= j;
            let _ = restart(world.disk.inner(), &world.journal);
            assert_eq!(after(&world), wanted, "killed at {k}, failed at {j}");
            if !reached {
                break;
            }
            (j, tried) = (j + 1, tried + 1);
        }
    }
}
