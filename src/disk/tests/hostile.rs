//! Someone else at work in the same folders at the same time.

use super::*;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long each race runs.
const RACE: Duration = Duration::from_secs(1);

#[test]
fn a_folder_swapped_with_a_link_out_never_lets_an_edit_out() {
    let fixture = Fixture::new();
    let outside = fixture.dir.path().join("ws-evil");
    fixture.write("d/canary", "inside");
    symlink(&outside, fixture.path("l")).expect("a link");
    let stop = AtomicBool::new(false);
    let (mut edits, mut creates) = (0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                let (d, l) = (fixture.path("d"), fixture.path("l"));
                renameat_with(CWD, d, CWD, l, RenameFlags::EXCHANGE).expect("a swap");
            }
        });
        let start = Instant::now();
        while start.elapsed() < RACE {
            edits += usize::from(edit_once(&fixture, "d/canary"));
            creates += usize::from(create_once(&fixture, "d/new"));
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert!(edits > 0 && creates > 0, "{edits} edits, {creates} creates");
    assert_eq!(fs::read_to_string(outside.join("canary")).expect("text"), "alive");
    let there: Vec<_> = fs::read_dir(&outside).expect("a folder").collect();
    assert_eq!(there.len(), 1, "{there:?}");
}

#[test]
fn a_folder_moved_out_or_replaced_since_it_was_resolved_is_not_written() {
    let fixture = Fixture::new();
    fixture.write("d/file", "old");
    fixture.write("d/gone", "old");
    let (disk, target) = (&fixture.disk, fixture.target("d/file"));
    let changes = [
        replace(disk, &target, "new"),
        delete(disk, &fixture.target("d/gone")),
        rename(disk, &target, &fixture.target("d/to"), None),
        create(&fixture.target("d/sub/new"), "new"),
    ];
    let outside = fixture.dir.path().join("ws-evil/d");
    fs::rename(fixture.path("d"), &outside).expect("moved out");
    let refused = |after: &str| {
        for change in &changes {
            let error = fixture.commit(std::slice::from_ref(change)).expect_err(after);
            assert_eq!(error.error.kind, DiskErrorKind::Changed, "{after}");
        }
        assert_eq!(fs::read_to_string(outside.join("file")).expect("text"), "old");
        assert_eq!(fs::read_dir(&outside).expect("a folder").count(), 2);
    };
    refused("moved");
    symlink(&outside, fixture.path("d")).expect("a link");
    refused("a link in its place");
    fs::remove_file(fixture.path("d")).expect("removed");
    fixture.write("d/file", "old");
    refused("another folder in its place");
    assert_eq!(fixture.text("d/file"), "old");
}

fn edit_once(fixture: &Fixture, path: &str) -> bool {
    let Ok(target) = fixture.disk.resolve(&fixture.root, Path::new(path)) else { return false };
    let Ok(Some(image)) = fixture.disk.read(&target, LIMIT) else { return false };
    assert!(image.bytes.starts_with(b"inside"), "read from outside");
    let change =
        Change::Replace { target, content: bytes("inside, edited"), expect: Expected::image(&image) };
    fixture.commit(&[change]).is_ok()
}

fn create_once(fixture: &Fixture, path: &str) -> bool {
    let Ok(target) = fixture.disk.resolve(&fixture.root, Path::new(path)) else { return false };
    if target.exists {
        return fixture.commit(&[delete(&fixture.disk, &target)]).is_ok();
    }
    fixture.commit(&[create(&target, "new")]).is_ok()
}

/// A text of which either side counts its own half: ours, then theirs.
fn halves(text: &[u8]) -> (u64, u64) {
    let text = std::str::from_utf8(text).expect("text");
    let (ours, theirs) = text.split_once(' ').expect("two numbers, never an empty or mixed file");
    (ours.parse().expect("a number"), theirs.parse().expect("a number"))
}

fn joined(ours: u64, theirs: u64) -> String {
    format!("{ours:08} {theirs:08}")
}

/// Saves again and again as an editor does, by a rename, and counts how often the last save was gone.
fn save_until(stop: &AtomicBool, path: &Path) -> (u64, u64) {
    let (mut saves, mut lost) = (0, 0);
    let temporary = path.with_file_name("their-temp");
    while !stop.load(Ordering::Relaxed) {
        let (ours, theirs) = halves(&fs::read(path).expect("their file"));
        lost += u64::from(theirs != saves);
        saves += 1;
        fs::write(&temporary, joined(ours, saves)).expect("their file");
        fs::rename(&temporary, path).expect("their save");
        std::thread::sleep(Duration::from_micros(saves % 7 * 300));
    }
    (saves, lost)
}

/// Counts once through a commit; `false` if it was refused as stale.
fn count_by_commit(fixture: &Fixture, target: &Target) -> bool {
    let Ok(Some(image)) = fixture.disk.read(target, LIMIT) else { return false };
    let (ours, theirs) = halves(&image.bytes);
    let content = bytes(&joined(ours + 1, theirs));
    let change = Change::Replace { target: target.clone(), content, expect: Expected::image(&image) };
    match commit(&fixture.disk, &[change], Durability::Full) {
        Ok(_) => true,
        Err(error) => {
            assert_eq!(error.error.kind, DiskErrorKind::Changed);
            false
        }
    }
}

#[test]
fn of_an_editors_saves_at_the_same_time_hardly_one_in_a_hundred_is_lost() {
    let fixture = Fixture::new();
    fixture.write("file", joined(0, 0));
    let target = fixture.target("file");
    let stop = AtomicBool::new(false);
    let mut commits = 0;
    let (saves, lost) = std::thread::scope(|scope| {
        let writer = scope.spawn(|| save_until(&stop, &fixture.path("file")));
        let start = Instant::now();
        while start.elapsed() < RACE {
            commits += u64::from(count_by_commit(&fixture, &target));
        }
        stop.store(true, Ordering::Relaxed);
        writer.join().expect("their thread")
    });
    assert!(commits > 10 && saves > 10, "{commits} commits, {saves} saves");
    // The swap back makes our text visible for microseconds, in which a save builds on it.
    assert!(lost * 100 <= saves + 100, "{lost} of {saves} saves lost beside {commits} commits");
}
