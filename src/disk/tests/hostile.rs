//! Tests with another program at work in the same folders at the same time.

use super::*;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Duration of each race; `EDITD_RACE` sets a number of seconds for longer runs.
fn race() -> Duration {
    let seconds = std::env::var("EDITD_RACE").ok().and_then(|seconds| seconds.parse().ok());
    Duration::from_secs(seconds.unwrap_or(1))
}

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
        while start.elapsed() < race() {
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

#[test]
fn a_file_that_got_a_second_name_since_it_was_read_is_not_written() {
    let fixture = Fixture::new();
    fixture.write("file", "old");
    let (disk, target) = (&fixture.disk, fixture.target("file"));
    let to = fixture.target("to");
    let changes =
        [replace(disk, &target, "new"), delete(disk, &target), rename(disk, &target, &to, Some("new"))];
    let second = fixture.dir.path().join("ws-evil/second");
    fs::hard_link(fixture.path("file"), &second).expect("a link");
    for change in &changes {
        let error = fixture.commit(std::slice::from_ref(change)).expect_err("it has another name");
        assert_eq!(error.error.kind, DiskErrorKind::Changed);
    }
    assert_eq!(
        (fixture.text("file"), fs::read_to_string(&second).expect("text")),
        ("old".into(), "old".into())
    );
    // A client that read the file when it had both names means both.
    fixture.commit(&[replace(disk, &target, "new")]).expect("it is as it was read");
    assert_eq!(fs::read_to_string(&second).expect("text"), "new");
}

/// Returns the names in the folder of a fixture that editd has given.
fn strays(folder: &Path) -> Vec<PathBuf> {
    let names = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    names.filter(|path| path.file_name().is_some_and(is_stray)).collect()
}

/// What another program does with the names `file`, of the file that is changed, and `link`.
type Deed = fn(&Path, &Path);

fn exchange(file: &Path, link: &Path) {
    // Either may be missing at this moment.
    let _ = renameat_with(CWD, file, CWD, link, RenameFlags::EXCHANGE);
}

fn replace_by_link(file: &Path, link: &Path) {
    let _ = fs::rename(link, file);
}

/// Changes that take the file from its name, or give the name to another file.
const CHANGES: [fn(&Fixture) -> Change; 4] = [
    |fixture| replace(&fixture.disk, &fixture.target("file"), "new"),
    |fixture| delete(&fixture.disk, &fixture.target("file")),
    |fixture| rename(&fixture.disk, &fixture.target("file"), &fixture.target("to"), None),
    |fixture| rename(&fixture.disk, &fixture.target("file"), &fixture.target("to"), Some("new")),
];

#[test]
fn a_link_that_takes_the_name_of_a_file_at_any_moment_keeps_it() {
    for (deed, change) in
        [exchange as Deed, replace_by_link].into_iter().flat_map(|deed| CHANGES.map(|it| (deed, it)))
    {
        for k in 1.. {
            let fixture = Fixture::new();
            fixture.write("file", "old");
            symlink("nowhere", fixture.path("link")).expect("a link");
            let changes = [change(&fixture)];
            let (file, link) = (fixture.path("file"), fixture.path("link"));
            let disk = FailingDisk::new(OsDisk::new());
            let places = (file.clone(), link.clone());
            disk.run_at(k, move || deed(&places.0, &places.1));
            let own = TestJournal::on(disk.inner());
            let result = own.commit(&disk, &changes, Durability::Process);
            if disk.calls() < k {
                assert!(k > 8, "{k}");
                break;
            }
            let left = strays(fixture.root.path());
            assert!(left.is_empty(), "{k}: {left:?} {result:?}");
            let links = [&file, &link].into_iter().filter(|path| path.is_symlink()).count();
            let is_renamed = fixture.path("to").is_symlink();
            assert!(links == 1 && !is_renamed || result.is_ok(), "{k}: {links} {is_renamed} {result:?}");
        }
    }
}

#[test]
fn a_link_that_is_exchanged_with_a_file_again_and_again_is_never_lost() {
    let fixture = Fixture::new();
    symlink("nowhere", fixture.path("link")).expect("a link");
    let (stop, mut done) = (AtomicBool::new(false), 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                exchange(&fixture.path("file"), &fixture.path("link"));
            }
        });
        // The other program ends also if a check fails.
        let _ended = scopeguard::guard((), |()| stop.store(true, Ordering::Relaxed));
        let start = Instant::now();
        while start.elapsed() < race() {
            let Ok(target) = fixture.disk.resolve(&fixture.root, Path::new("file")) else { continue };
            let change = match fixture.disk.read(&target, LIMIT) {
                Ok(Some(image)) if done % 2 == 0 => {
                    Change::Replace { target, content: bytes("new"), expect: Expected::image(&image) }
                }
                Ok(Some(image)) => Change::Delete { target, expect: Expected::image(&image) },
                Ok(None) if !target.exists => create(&target, "old"),
                _ => continue,
            };
            done += usize::from(fixture.commit(&[change]).is_ok());
            let left = strays(fixture.root.path());
            assert!(left.is_empty(), "{left:?}");
        }
    });
    assert!(done > 0);
    let links = ["file", "link"].into_iter().filter(|name| fixture.path(name).is_symlink()).count();
    // Without an exchange of names, what takes the name between the last check and the rename is lost.
    assert!(
        links == 1 || is_portable(),
        "{:?}",
        fs::read_dir(fixture.root.path()).expect("a folder").collect::<Vec<_>>()
    );
}
