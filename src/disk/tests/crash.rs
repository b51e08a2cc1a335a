//! Tests of a process that ends in the middle of a commit: its disk fails from some call on, for the rollback
//! too, and the next start recovers.

use super::sets::{Contents, FILES, expected_after, memory, real, set, workspace_of};
use super::*;

/// Position of a kill, for the messages of failed tests.
#[derive(Clone, Copy, Debug)]
#[expect(dead_code, reason = "only its debug form is used")]
pub(super) struct At {
    /// Call at which the commit was killed.
    k: usize,
    /// Call at which the first recovery was killed, if it was.
    j: Option<usize>,
}

/// Opens the journal again, as the next start does.
pub(super) fn restart(disk: &dyn Disk, folder: &Path) -> (Recovery, Vec<(PathBuf, String)>) {
    let kept = Arc::new(RescuedTexts::default());
    let (_, recovery) = Journal::open(disk, folder, kept.clone()).expect("a journal");
    let texts = std::mem::take(&mut *kept.0.lock());
    let as_text = |(path, text)| (path, String::from_utf8(text).expect("text"));
    (recovery, texts.into_iter().map(as_text).collect())
}

/// Commits on a disk that fails from call `k` on; returns `true` if the commit reported success.
pub(super) fn killed_commit(
    disk: &FailingDisk<impl Disk>,
    folder: &Path,
    changes: &[Change],
    (k, durability): (usize, Durability),
) -> bool {
    let (journal, _) = Journal::open(disk, folder, Arc::<RescuedTexts>::default()).expect("a journal");
    disk.fail_from(k, DiskErrorKind::Io);
    super::super::commit(disk, &journal, changes, durability).is_ok()
}

/// Kills a commit at every call, and, if `nested`, every recovery at each of its calls, then recovers.
/// `setup` creates a fresh instance: the disk, the journal's folder, the changes, and a way to read the
/// workspace.
pub(super) fn kill_everywhere<D: Disk>(
    setup: impl Fn() -> Setup<D>,
    durability: Durability,
    nested: bool,
    check: impl Fn(&Setup<D>, bool, &Recovery, At),
) {
    for k in 1.. {
        let mut j = 1;
        loop {
            let setup = setup();
            let changes = (setup.changes)(&setup);
            let done = killed_commit(&setup.disk, &setup.journal, &changes, (k, durability));
            if setup.disk.calls() < k {
                assert!(done && k > 5, "only {k} calls");
                return;
            }
            let mut reached = false;
            if nested {
                setup.disk.fail_from(j, DiskErrorKind::Io);
                let opened = Journal::open(&setup.disk, &setup.journal, Arc::<RescuedTexts>::default());
                reached = setup.disk.calls() >= j;
                drop(opened);
            }
            let (recovery, _) = restart(setup.disk.inner(), &setup.journal);
            let at = At { k, j: reached.then_some(j) };
            assert!(recovery.failed.is_empty() && recovery.damaged == 0, "{at:?}: {recovery:?}");
            check(&setup, done, &recovery, at);
            let (again, _) = restart(setup.disk.inner(), &setup.journal);
            assert!(again.is_empty(), "{at:?}: a second recovery found something to do: {again:?}");
            if !reached {
                break;
            }
            j += 1;
        }
    }
}

/// Returns the changes to commit.
pub(super) type Changes<D> = fn(&Setup<D>) -> Vec<Change>;

/// A workspace on a disk that can fail.
pub(super) struct Setup<D> {
    pub(super) disk: FailingDisk<D>,
    pub(super) root: Root,
    pub(super) journal: PathBuf,
    pub(super) changes: Changes<D>,
    pub(super) contents: fn(&Self) -> Contents,
    pub(super) real: Option<(Fixture, TempDir)>,
}

pub(super) fn in_memory(restrict: fn(&MemoryDisk), changes: Changes<MemoryDisk>) -> Setup<MemoryDisk> {
    let disk = memory();
    restrict(&disk);
    let root = disk.open_root(Path::new("/ws")).expect("a root");
    let contents = |setup: &Setup<MemoryDisk>| workspace_of(setup.disk.inner());
    Setup { disk: FailingDisk::new(disk), root, journal: "/state".into(), changes, contents, real: None }
}

pub(super) fn on_disk(changes: Changes<OsDisk>) -> Setup<OsDisk> {
    let (fixture, folder) = (real(), tempfile::tempdir().expect("a folder"));
    let contents = |setup: &Setup<OsDisk>| setup.real.as_ref().expect("a real one").0.all();
    Setup {
        disk: FailingDisk::new(OsDisk::new()),
        root: fixture.root.clone(),
        journal: folder.path().to_owned(),
        changes,
        contents,
        real: Some((fixture, folder)),
    }
}

pub(super) fn whole_set<D: Disk>(setup: &Setup<D>) -> Vec<Change> {
    set(setup.disk.inner(), &setup.root)
}

fn before<D>(setup: &Setup<D>) -> Contents {
    let names = FILES.iter().chain(&["linked-too"]);
    let content = |name: &&str| name.trim_end_matches("-too").as_bytes().to_vec();
    let files = names.map(|name| (setup.root.path().join(name), Some(content(name))));
    files.collect()
}

/// Asserts that the workspace is in its old state or, unless the commit reported success, may be in the new
/// one; after a success only the new one is correct.
fn assert_whole<D>(setup: &Setup<D>, done: bool, at: At) {
    let mut now = (setup.contents)(setup);
    now.remove(setup.root.path());
    if done {
        assert_eq!(now, expected_after(setup.root.path()), "{at:?}: it was answered as done");
    } else if now != expected_after(setup.root.path()) {
        assert_eq!(now, before(setup), "{at:?}");
    }
}

#[test]
fn a_set_that_is_killed_at_any_call_is_whole_or_nothing_after_the_next_start() {
    for durability in [Durability::Process, Durability::Full] {
        let all: fn(&MemoryDisk) = |_| {};
        let links: fn(&MemoryDisk) = MemoryDisk::without_exchange;
        let renames: fn(&MemoryDisk) = |disk| {
            disk.without_exchange();
            disk.without_links();
        };
        for restrict in [all, links, renames] {
            let setup = || in_memory(restrict, whole_set);
            kill_everywhere(setup, durability, false, |setup, done, _, at| assert_whole(setup, done, at));
        }
    }
}

#[test]
fn a_recovery_that_is_killed_at_any_call_is_finished_by_the_next() {
    let setup = || in_memory(|_| {}, whole_set);
    kill_everywhere(setup, Durability::Full, true, |setup, done, _, at| assert_whole(setup, done, at));
}

#[test]
fn on_the_real_disk_too_a_killed_set_is_whole_or_nothing() {
    let setup = || on_disk(whole_set);
    kill_everywhere(setup, Durability::Process, false, |setup, done, _, at| assert_whole(setup, done, at));
}

/// Sets of one change.
fn single_changes() -> [Changes<MemoryDisk>; 6] {
    fn at(setup: &Setup<MemoryDisk>, path: &str) -> Target {
        setup.disk.inner().resolve(&setup.root, Path::new(path)).expect("a place")
    }
    [
        |setup| vec![replace(setup.disk.inner(), &at(setup, "a"), "new a")],
        |setup| vec![replace(setup.disk.inner(), &at(setup, "linked"), "new linked")],
        |setup| vec![create(&at(setup, "new"), "new")],
        |setup| vec![create(&at(setup, "deep/er/new"), "new")],
        |setup| vec![delete(setup.disk.inner(), &at(setup, "a"))],
        |setup| vec![rename(setup.disk.inner(), &at(setup, "a"), &at(setup, "deep/a"), Some("new a"))],
    ]
}

#[test]
fn a_single_change_that_is_killed_at_any_call_has_happened_or_not_and_leaves_nothing_behind() {
    let restrictions: [fn(&MemoryDisk); 3] = [
        |_| {},
        MemoryDisk::without_exchange,
        |disk| {
            disk.without_exchange();
            disk.without_links();
        },
    ];
    for restrict in restrictions {
        for changes in single_changes() {
            let setup = || in_memory(restrict, changes);
            let wanted = {
                let setup = setup();
                commit(setup.disk.inner(), &changes(&setup), Durability::Full).expect("committed");
                (setup.contents)(&setup)
            };
            let was = (setup().contents)(&setup());
            kill_everywhere(setup, Durability::Process, true, |setup, done, recovery, at| {
                let now = (setup.contents)(setup);
                assert!(now == wanted || (now == was && !done), "{at:?}: {now:?} {recovery:?}");
                assert!(recovery.rescued.is_empty() && recovery.left.is_empty(), "{at:?}: {recovery:?}");
            });
        }
    }
}

#[test]
fn a_save_between_the_kill_and_the_next_start_stays() {
    for theirs in ["a", "linked", "gone", "moved", "edited", "deep/er/new", "other/edited"] {
        for k in 1.. {
            let setup = in_memory(|_| {}, whole_set);
            let changes = whole_set(&setup);
            killed_commit(&setup.disk, &setup.journal, &changes, (k, Durability::Full));
            if setup.disk.calls() < k {
                break;
            }
            let saved_path = format!("/ws/{theirs}");
            setup.disk.inner().write_externally(&saved_path, b"text of a user");
            let (recovery, kept) = restart(setup.disk.inner(), &setup.journal);
            assert_eq!(
                setup.disk.inner().content(&saved_path).as_deref(),
                Some(&b"text of a user"[..]),
                "{k}"
            );
            assert!(recovery.failed.is_empty(), "{theirs} {k}: {recovery:?}");
            let strays = workspace_of(setup.disk.inner());
            let stray = strays.keys().find(|path| path.file_name().is_some_and(is_stray));
            assert_eq!(stray, None, "{theirs} {k}");
            // The old text is nowhere else any more, so it is rescued.
            for path in recovery.left.iter().filter(|path| FILES.iter().any(|name| path.ends_with(name))) {
                let name = path.file_name().expect("a name").to_str().expect("text");
                let old = |(of, text): &(PathBuf, String)| of == path && text == name;
                let elsewhere = name == "moved" || path.ends_with("other/edited");
                assert!(elsewhere || kept.iter().any(old), "{theirs} {k} {path:?}: {kept:?}");
            }
        }
    }
}

#[test]
fn a_failed_rollback_is_retried_by_the_next_change() {
    let mut tried = 0;
    for k in 1.. {
        let setup = in_memory(|_| {}, whole_set);
        let changes = whole_set(&setup);
        let (journal, _) =
            Journal::open(&setup.disk, &setup.journal, Arc::<RescuedTexts>::default()).expect("a journal");
        let commit =
            |changes: &[Change]| super::super::commit(&setup.disk, &journal, changes, Durability::Full);
        // The disk fails in the middle of the commit and works again later.
        setup.disk.fail_from(k, DiskErrorKind::Io);
        let result = commit(&changes);
        if setup.disk.calls() < k {
            assert!(tried > 10, "only {tried}");
            return;
        }
        if journal.unfinished().is_empty() {
            continue;
        }
        tried += 1;
        assert!(!result.expect_err("failed").rolled_back());
        let other = setup.disk.inner().resolve(&setup.root, Path::new("b")).expect("a place");
        let again = [replace(setup.disk.inner(), &other, "newer b")];
        let refused = commit(&again).expect_err("refused");
        assert!(matches!(refused.error.kind, DiskErrorKind::Recovering { .. }), "{k}: {refused:?}");
        setup.disk.run_at(usize::MAX, || {});
        let again = match commit(&again) {
            // The file was new when it was read, and is old again.
            Err(error) if error.error.kind == DiskErrorKind::Changed => {
                commit(&[replace(setup.disk.inner(), &other, "newer b")])
            }
            result => result,
        };
        again.expect("rolled back, then changed");
        let mut wanted = before(&setup);
        wanted.insert(setup.root.path().join("b"), Some(b"newer b".to_vec()));
        let mut now = (setup.contents)(&setup);
        now.remove(setup.root.path());
        assert_eq!(now, wanted, "{k}");
        assert!(journal.unfinished().is_empty());
    }
}

/// A memory disk whose process was killed in the middle of a set, and its log.
fn killed() -> (Setup<MemoryDisk>, Vec<u8>) {
    let setup = in_memory(|_| {}, whole_set);
    let changes = whole_set(&setup);
    killed_commit(&setup.disk, &setup.journal, &changes, (60, Durability::Full));
    let log = setup.disk.inner().content("/state/journal-0").expect("a log");
    (setup, log)
}

#[test]
fn a_damaged_journal_is_not_followed_and_no_text_is_lost() {
    let length = killed().1.len();
    for at in (0..length).step_by(11) {
        let (setup, mut log) = killed();
        let before = workspace_of(setup.disk.inner());
        log[at] ^= 0x11;
        setup.disk.inner().write_externally("/state/journal-0", &log);
        let (recovery, kept) = restart(setup.disk.inner(), &setup.journal);
        assert!(recovery.failed.is_empty(), "{at}: {recovery:?}");
        let now = workspace_of(setup.disk.inner());
        let exists = |text: &Vec<u8>| {
            now.values().flatten().any(|other| other == text)
                || kept.iter().any(|(_, other)| other.as_bytes() == text)
        };
        // New texts may be rolled back; an old text, or one of another program, must still exist somewhere.
        let old = before.values().flatten().filter(|text| !text.starts_with(b"new"));
        old.for_each(|text| assert!(exists(text), "{at}: {} is lost", String::from_utf8_lossy(text)));
    }
}

/// A log with one valid line that claims to have created a file.
fn forged(result: &str, staged: &str) -> Vec<u8> {
    let hash = editd_text::ContentHash::of(b"victim").to_string();
    let spot = |path: &str| serde_json::json!({ "path": path, "folder": null });
    let part = serde_json::json!({
        "origin": null, "result": { "spot": spot(result), "size": 6, "hash": hash, "ino": null },
        "staged": spot(staged), "kept": null, "inPlace": false, "made": [],
    });
    let begin = serde_json::json!({ "begin": {
        "id": "0123456789abcdef", "at": 9_999_999_999_u64, "alone": false, "parts": [part],
    } });
    let json = begin.to_string();
    format!("{} {json}\n", &blake3::hash(json.as_bytes()).to_hex()[..16]).into_bytes()
}

#[test]
fn a_forged_journal_touches_nothing_that_editd_would_not_name() {
    let stray = "/ws/.editd-0123456789abcdef";
    let start = |log: &[u8]| {
        let disk = memory();
        disk.write_externally("/out/victim", b"victim");
        disk.write_externally("/state/journal-0", log);
        let (recovery, _) = restart(&disk, Path::new("/state"));
        (recovery, disk.content("/out/victim").is_some())
    };
    // A line in editd's own form is followed: a program that can write here can write the files themselves.
    let (recovery, survived) = start(&forged("/out/victim", stray));
    assert!(recovery.damaged == 0 && !survived);
    for (result, staged) in [
        ("/ws/../out/victim", stray),
        ("out/victim", stray),
        ("/out/victim\0", stray),
        ("/", stray),
        ("/none", "/out/victim"),
        ("/none", "/ws/../out/.editd-0123456789abcdef"),
    ] {
        let (recovery, survived) = start(&forged(result, staged));
        assert!(recovery.damaged == 1 && survived, "{result} {staged}: {recovery:?}");
    }
}
