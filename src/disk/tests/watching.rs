//! Tests of the watcher: every kind of save produces a hint, and a folder may disappear and come back.

use super::*;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Far longer than any hint takes, so that only a missing hint takes this long.
const PATIENCE: Duration = Duration::from_secs(10);

fn watcher() -> (Watcher, Receiver<WatchHint>) {
    let (sender, hints) = channel();
    let watcher = Watcher::new(move |hint| {
        sender.send(hint).ok();
    });
    (watcher, hints)
}

/// Returns `true` if a hint about a file arrives in time; ignores other hints.
fn hinted(hints: &Receiver<WatchHint>, path: &Path, patience: Duration) -> bool {
    let end = Instant::now() + patience;
    while let Ok(hint) = hints.recv_timeout(end.saturating_duration_since(Instant::now())) {
        match hint {
            WatchHint::Changed(paths) if paths.iter().any(|changed| changed == path) => return true,
            WatchHint::Rescan => return true,
            _ => {}
        }
    }
    false
}

fn settle(hints: &Receiver<WatchHint>) {
    while hints.recv_timeout(Duration::from_millis(150)).is_ok() {}
}

#[test]
fn every_kind_of_save_gives_a_hint_every_time() {
    let fixture = Fixture::new();
    fixture.write("file", "old");
    let (watcher, hints) = watcher();
    let path = fixture.path("file");
    watcher.watch(&path);
    for round in 0..2 {
        fs::write(&path, "in place").expect("a save");
        assert!(hinted(&hints, &path, PATIENCE), "in place, {round}");
        settle(&hints);
        fs::write(fixture.path("temp"), "renamed").expect("a save");
        fs::rename(fixture.path("temp"), &path).expect("a save");
        assert!(hinted(&hints, &path, PATIENCE), "by rename, {round}");
        settle(&hints);
        fixture.commit(&[replace(&fixture.disk, &fixture.target("file"), "own")]).expect("committed");
        assert!(hinted(&hints, &path, PATIENCE), "our own, {round}");
        settle(&hints);
    }
    fs::remove_file(&path).expect("removed");
    assert!(hinted(&hints, &path, PATIENCE), "removed");
}

#[test]
fn reading_and_other_files_give_no_hint() {
    let fixture = Fixture::new();
    fixture.write("file", "text");
    let (watcher, hints) = watcher();
    watcher.watch(&fixture.path("file"));
    settle(&hints);
    for _ in 0..10 {
        assert_eq!(fixture.text("file"), "text");
    }
    fixture.write("other", "text");
    assert!(!hinted(&hints, &fixture.path("file"), Duration::from_millis(200)));
}

#[test]
fn a_burst_of_saves_is_few_hints() {
    let fixture = Fixture::new();
    fixture.write("file", "text");
    let (watcher, hints) = watcher();
    watcher.watch(&fixture.path("file"));
    for _ in 0..200 {
        fixture.write("file", "text");
    }
    std::thread::sleep(Duration::from_millis(300));
    let count = hints.try_iter().count();
    assert!((1..50).contains(&count), "{count} hints");
}

#[test]
fn a_folder_that_goes_and_comes_back_is_watched_again() {
    let fixture = Fixture::new();
    fixture.write("sub/file", "old");
    let (watcher, hints) = watcher();
    let path = fixture.path("sub/file");
    watcher.watch(&path);
    for removal in ["removed", "moved"] {
        settle(&hints);
        if removal == "moved" {
            fs::rename(fixture.path("sub"), fixture.path("away")).expect("moved");
        } else {
            fs::remove_dir_all(fixture.path("sub")).expect("removed");
        }
        assert!(hinted(&hints, &path, PATIENCE), "{removal}");
        settle(&hints);
        fixture.write("sub/file", "back");
        assert!(hinted(&hints, &path, PATIENCE), "back after it was {removal}");
        settle(&hints);
        fixture.write("sub/file", "changed");
        assert!(hinted(&hints, &path, PATIENCE), "changed after it was {removal}");
    }
}

#[test]
fn a_file_is_watched_as_often_as_asked_for() {
    let fixture = Fixture::new();
    fixture.write("file", "text");
    let (watcher, hints) = watcher();
    let path = fixture.path("file");
    watcher.watch(&path);
    watcher.watch(&path);
    watcher.unwatch(&path);
    fixture.write("file", "changed");
    assert!(hinted(&hints, &path, PATIENCE));
    settle(&hints);
    watcher.unwatch(&path);
    watcher.unwatch(&path);
    fixture.write("file", "again");
    assert!(!hinted(&hints, &path, Duration::from_millis(200)));
}
