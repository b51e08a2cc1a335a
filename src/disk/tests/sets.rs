//! Tests of sets of changes: applied as a whole or not at all, whichever primitive fails.

use super::*;
use std::collections::BTreeMap;

pub(super) type Contents = BTreeMap<PathBuf, Option<Vec<u8>>>;

/// The files that the set below changes. `linked` has a second name.
pub(super) const FILES: [&str; 6] = ["a", "b", "linked", "gone", "moved", "edited"];

/// A change of every kind.
pub(super) fn set(disk: &dyn Disk, root: &Root) -> Vec<Change> {
    let at = |path: &str| disk.resolve(root, Path::new(path)).expect("a place");
    vec![
        replace(disk, &at("a"), "new a"),
        create(&at("deep/er/new"), "new"),
        replace(disk, &at("linked"), "new and longer linked"),
        delete(disk, &at("gone")),
        rename(disk, &at("moved"), &at("deep/moved"), None),
        rename(disk, &at("edited"), &at("other/edited"), Some("new edited")),
        replace(disk, &at("b"), "new b"),
    ]
}

pub(super) fn memory() -> MemoryDisk {
    let disk = MemoryDisk::new();
    for name in FILES {
        disk.write_externally(&format!("/ws/{name}"), name.as_bytes());
    }
    disk.hard_link("/ws/linked", "/ws/linked-too");
    disk.add_dir("/state");
    disk
}

/// Returns the content of the workspace.
pub(super) fn workspace_of(disk: &MemoryDisk) -> Contents {
    let mut contents = disk.contents();
    contents.retain(|path, _| path.starts_with("/ws"));
    contents
}

pub(super) fn real() -> Fixture {
    let fixture = Fixture::new();
    for name in FILES {
        fixture.write(name, name);
    }
    fs::hard_link(fixture.path("linked"), fixture.path("linked-too")).expect("a link");
    fixture
}

/// Returns the files after the set, by their paths in the workspace.
pub(super) fn expected_after(ws: &Path) -> Contents {
    [
        ("a", Some("new a")),
        ("b", Some("new b")),
        ("linked", Some("new and longer linked")),
        ("linked-too", Some("new and longer linked")),
        ("deep", None),
        ("deep/er", None),
        ("deep/er/new", Some("new")),
        ("deep/moved", Some("moved")),
        ("other", None),
        ("other/edited", Some("new edited")),
    ]
    .into_iter()
    .map(|(path, text)| (ws.join(path), text.map(|text| text.as_bytes().to_owned())))
    .collect()
}

fn assert_all_or_nothing<T>(
    result: &std::result::Result<T, CommitError>,
    before: &Contents,
    after: &Contents,
    wanted: &Contents,
    k: usize,
) {
    match result {
        Ok(_) => assert_eq!(after, wanted, "k = {k}"),
        Err(error) => {
            assert!(error.rolled_back(), "k = {k}: {:?}", error.not_undone);
            assert_eq!(after, before, "k = {k}: {error}");
        }
    }
}

/// Runs the set on memory disks whose k-th primitive fails, until k exceeds the number of primitives; returns
/// that number.
fn fail_each_on_memory(kind: &DiskErrorKind, durability: Durability, restrict: fn(&MemoryDisk)) -> usize {
    for k in 1.. {
        let disk = memory();
        restrict(&disk);
        let root = disk.open_root(Path::new("/ws")).expect("a root");
        let changes = set(&disk, &root);
        let before = workspace_of(&disk);
        let own = TestJournal::on(&disk);
        disk.fail_at(k, kind.clone());
        let result = own.commit(&disk, &changes, durability);
        let mut wanted = expected_after(Path::new("/ws"));
        wanted.insert(PathBuf::from("/ws"), None);
        assert_all_or_nothing(&result, &before, &workspace_of(&disk), &wanted, k);
        if disk.calls() < k {
            assert!(result.is_ok());
            return k - 1;
        }
    }
    unreachable!("the loop ends by returning")
}

#[test]
fn on_the_memory_disk_a_set_is_whole_or_nothing_whichever_primitive_fails() {
    for kind in [DiskErrorKind::Io, DiskErrorKind::NoSpace { required: None, available: None }] {
        for durability in [Durability::Process, Durability::Full] {
            let all: fn(&MemoryDisk) = |_| {};
            let links: fn(&MemoryDisk) = MemoryDisk::without_exchange;
            let renames: fn(&MemoryDisk) = |disk| {
                disk.without_exchange();
                disk.without_links();
            };
            for restrict in [all, links, renames] {
                let primitives = fail_each_on_memory(&kind, durability, restrict);
                assert!(primitives > 40, "only {primitives} primitives");
            }
        }
    }
}

#[test]
fn on_the_real_disk_a_set_is_whole_or_nothing_whichever_primitive_fails() {
    fail_each_on_real(|disk, k| disk.fail_at(k, DiskErrorKind::Io));
}

#[test]
fn on_the_real_disk_a_set_is_whole_or_nothing_whichever_primitive_fails_after_its_effect() {
    fail_each_on_real(|disk, k| disk.fail_late_at(k, DiskErrorKind::Io));
}

fn fail_each_on_real(arm: impl Fn(&FailingDisk<OsDisk>, usize)) {
    for k in 1.. {
        let fixture = real();
        let disk = FailingDisk::new(OsDisk::new());
        let changes = set(&disk, &fixture.root);
        let before = fixture.all();
        let own = TestJournal::on(&disk);
        arm(&disk, k);
        let result = own.commit(&disk, &changes, Durability::Full);
        let wanted = expected_after(fixture.root.path());
        assert_all_or_nothing(&result, &before, &fixture.all(), &wanted, k);
        if disk.calls() < k {
            assert!(result.is_ok() && k > 40, "only {k} primitives");
            return;
        }
    }
}

#[test]
fn a_disk_that_stays_broken_is_reported_as_not_rolled_back_or_is_as_before() {
    for k in 1.. {
        let fixture = real();
        let disk = FailingDisk::new(OsDisk::new());
        let changes = set(&disk, &fixture.root);
        let before = fixture.all();
        let own = TestJournal::on(&disk);
        disk.fail_from(k, DiskErrorKind::Io);
        match own.commit(&disk, &changes, Durability::Full) {
            // The commit completed; files that could not be removed any more are named.
            Ok(done) if disk.calls() >= k => {
                assert!(done.iter().any(|one| one.leftover.is_some() || one.stat.is_none()));
            }
            Ok(_) => return,
            Err(error) if error.rolled_back() => assert_eq!(fixture.all(), before, "k = {k}"),
            Err(_) => {}
        }
    }
}

#[test]
fn one_stale_file_fails_the_set_before_and_after_the_others() {
    for stale in ["a", "linked", "gone", "moved", "edited", "b"] {
        let fixture = real();
        let changes = set(&fixture.disk, &fixture.root);
        // As long as the old text, so that only the content differs.
        fixture.write(stale, "!".repeat(stale.len()));
        let before = fixture.all();
        let error = fixture.commit(&changes).expect_err("stale");
        assert_eq!(error.error.kind, DiskErrorKind::Changed, "{stale}");
        assert_eq!(error.error.path, fixture.path(stale));
        assert!(error.rolled_back());
        assert_eq!(fixture.all(), before);
    }
}

/// Checks the files that lost their names, as the daemon does a little later.
fn check_displaced(
    disk: &FailingDisk<OsDisk>,
    own: &TestJournal,
    result: &std::result::Result<Vec<Committed>, CommitError>,
) {
    let monitor = DisplacedFileMonitor::start(Arc::new(OsDisk::new()), own.kept.clone()).expect("a thread");
    let displaced: Vec<_> = match result {
        Ok(done) => done.iter().filter_map(|done| done.displaced.clone()).collect(),
        Err(error) => error.displaced.clone(),
    };
    disk.run_at(usize::MAX, || {});
    for file in displaced {
        monitor.hold("own", file);
    }
}

/// Another program saves `path` right before the k-th primitive, for each k. Its text must survive somewhere. Without
/// an exchange of names, it is lost before one of them, the rename.
fn save_before_each(path: &'static str, save: fn(&Path, &str)) {
    let mut may_be_lost = usize::from(is_portable());
    for k in 1.. {
        let fixture = real();
        let disk = FailingDisk::new(OsDisk::new());
        let changes = set(&disk, &fixture.root);
        let saved_path = fixture.path(path);
        let own = TestJournal::on(&disk);
        let (saved, wait) = std::sync::mpsc::channel();
        let run = move || {
            let (saved_path, saved) = (saved_path.clone(), saved.clone());
            std::thread::spawn(move || {
                save(&saved_path, "theirs");
                saved.send(()).expect("a listener");
            });
            // If the commit makes it wait, the save comes later.
            std::thread::sleep(std::time::Duration::from_millis(2));
        };
        disk.run_at(k, run);
        let result = own.commit(&disk, &changes, Durability::Full);
        if disk.calls() < k {
            return;
        }
        wait.recv_timeout(std::time::Duration::from_secs(30)).expect("their save");
        check_displaced(&disk, &own, &result);
        let all = fixture.all();
        let kept = own.kept().iter().any(|text| text == "theirs");
        let theirs = kept || all.values().flatten().any(|text| text == b"theirs");
        if !theirs && may_be_lost > 0 {
            may_be_lost -= 1;
            continue;
        }
        assert!(theirs, "k = {k} {path}: their save was lost, {result:?} {:#?}", all.keys());
    }
}

#[test]
fn a_rename_save_in_the_middle_of_a_set_is_never_lost() {
    for path in ["a", "b"] {
        save_before_each(path, |path, text| {
            let temporary = path.with_file_name("editor-temp");
            fs::write(&temporary, text).expect("their file");
            fs::rename(temporary, path).expect("their save");
        });
    }
}

#[test]
fn a_save_in_place_in_the_middle_of_a_set_is_never_lost() {
    for path in ["a", "b"] {
        save_before_each(path, |path, text| fs::write(path, text).expect("their save"));
    }
}

#[test]
fn a_foreign_file_in_a_created_folder_survives_the_rollback() {
    let fixture = real();
    let disk = FailingDisk::new(OsDisk::new());
    let at = |path: &str| disk.resolve(&fixture.root, Path::new(path)).expect("a place");
    let changes = [create(&at("deep/new"), "new"), create(&at("second"), "new")];
    let (theirs, taken) = (fixture.path("deep/theirs"), fixture.path("second"));
    // First count the calls up to the installation of the second file.
    let own = TestJournal::on(&disk);
    disk.run_at(usize::MAX, || {});
    own.commit(&disk, &changes, Durability::Process).expect("committed");
    let calls = disk.calls();
    fs::remove_dir_all(fixture.path("deep")).expect("removed");
    fs::remove_file(fixture.path("second")).expect("removed");
    disk.run_at(calls - 3, move || {
        fs::write(&theirs, "theirs").expect("their file");
        fs::write(&taken, "theirs").expect("their file");
    });
    let error = own.commit(&disk, &changes, Durability::Process).expect_err("the name is taken");
    assert_eq!((error.error.kind.clone(), error.change), (DiskErrorKind::Exists, 1));
    assert!(error.rolled_back());
    assert_eq!((fixture.text("deep/theirs"), fixture.text("second")), ("theirs".into(), "theirs".into()));
    assert!(!fixture.path("deep/new").exists());
}

#[test]
fn a_save_during_an_in_place_write_is_lost_at_one_call_at_most() {
    let mut lost = Vec::new();
    for k in 1.. {
        let fixture = real();
        let disk = FailingDisk::new(OsDisk::new());
        let at = |path: &str| disk.resolve(&fixture.root, Path::new(path)).expect("a place");
        let changes = [replace(&disk, &at("linked"), "ours"), create(&at("second"), "new")];
        let (linked, taken) = (fixture.path("linked"), fixture.path("second"));
        let own = TestJournal::on(&disk);
        disk.run_at(k, move || {
            fs::write(&linked, "theirs").expect("their save");
            // Makes every later step impossible.
            fs::write(&taken, "their file").expect("their file");
        });
        let result = own.commit(&disk, &changes, Durability::Process);
        if disk.calls() < k {
            assert!(k > 10 && lost.len() <= 1, "lost at {lost:?}");
            return;
        }
        let overtaken = fixture.text("linked-too") == "theirs";
        assert!(overtaken || result.is_err(), "k = {k}: nothing stopped it");
        if !overtaken {
            lost.push(k);
        }
    }
}

#[test]
fn two_files_in_one_new_folder_share_it() {
    let fixture = Fixture::new();
    let changes = [create(&fixture.target("new/a"), "a"), create(&fixture.target("new/b"), "b")];
    fixture.commit(&changes).expect("committed");
    assert_eq!((fixture.text("new/a"), fixture.text("new/b")), ("a".into(), "b".into()));
}

#[test]
fn a_read_only_member_fails_the_set_before_anything_is_staged() {
    let disk = memory();
    disk.set_mode("/ws/b", 0o444);
    let root = disk.open_root(Path::new("/ws")).expect("a root");
    let changes = set(&disk, &root);
    let before = workspace_of(&disk);
    disk.fail_at(usize::MAX, DiskErrorKind::Io);
    let error = commit(&disk, &changes, Durability::Process).expect_err("refused");
    assert_eq!((error.error.kind, error.change), (DiskErrorKind::ReadOnly, 6));
    assert_eq!(workspace_of(&disk), before);
    assert!(!disk.log().iter().any(|line| line.starts_with("stage")), "{:?}", disk.log());
}

#[test]
fn on_the_memory_disk_a_same_tick_rewrite_of_the_same_size_is_detected() {
    let disk = memory();
    let root = disk.open_root(Path::new("/ws")).expect("a root");
    let target = disk.resolve(&root, Path::new("a")).expect("a place");
    let change = replace(&disk, &target, "new");
    disk.replace_behind("/ws/a", b"b");
    let present = disk.stat(&target).expect("a state").expect("there");
    if let Change::Replace { expect, .. } = &change {
        assert!(present.same_version(&expect.stat), "only the content differs");
    }
    let error = commit(&disk, &[change], Durability::Process).expect_err("stale");
    assert_eq!(error.error.kind, DiskErrorKind::Changed);
    assert_eq!(disk.content("/ws/a").as_deref(), Some(b"b".as_slice()));
}

#[test]
fn staged_names_are_recognised_and_others_are_not() {
    let disk = memory();
    let root = disk.open_root(Path::new("/ws")).expect("a root");
    let changes = set(&disk, &root);
    commit(&disk, &changes, Durability::Process).expect("committed");
    let log = disk.log();
    let staged: Vec<_> = log.iter().filter_map(|line| line.strip_prefix("stage /ws/")).collect();
    assert_eq!(staged.len(), 4);
    assert!(staged.iter().all(|name| is_stray(name.as_ref())));
    assert!(!is_stray(".editd-notes".as_ref()) && !is_stray("a".as_ref()));
}
