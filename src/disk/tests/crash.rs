//! A process that ends in the middle: its disk fails from some call on, for the rollback too, and the next
//! start finds what is there.

use super::sets::{Contents, FILES, expected_after, memory, real, set, workspace_of};
use super::*;

/// How a recovery was done, for the messages of a failed test.
#[derive(Clone, Copy, Debug)]
#[expect(dead_code, reason = "only its debug form is used")]
struct At {
    /// The call at which the commit was killed.
    k: usize,
    /// The call at which the first recovery was, if it was.
    j: Option<usize>,
}

/// Opens the journal again, as the next start does.
pub(super) fn restart(disk: &dyn Disk, folder: &Path) -> (Recovery, Vec<(PathBuf, String)>) {
    let kept = Arc::new(Kept::default());
    let (_, recovery) = Journal::open(disk, folder, kept.clone()).expect("a journal");
    let texts = std::mem::take(&mut *kept.0.lock());
    let as_text = |(path, text)| (path, String::from_utf8(text).expect("text"));
    (recovery, texts.into_iter().map(as_text).collect())
}

/// Commits on a disk that goes away at call `k`; whether it said that all is done.
pub(super) fn killed_commit(
    disk: &FailingDisk<impl Disk>,
    folder: &Path,
    changes: &[Change],
    (k, durability): (usize, Durability),
) -> bool {
    let (journal, _) = Journal::open(disk, folder, Arc::<Kept>::default()).expect("a journal");
    disk.fail_from(k, DiskErrorKind::Io);
    super::super::commit(disk, &journal, changes, durability).is_ok()
}

/// Kills at every call, and if `nested` every recovery at every call of its own, then recovers. `world` makes
/// a fresh one: the disk, the journal's folder, the changes, and a way to look at the workspace.
fn kill_everywhere<D: Disk>(
    world: impl Fn() -> World<D>,
    durability: Durability,
    nested: bool,
    check: impl Fn(&World<D>, bool, &Recovery, At),
) {
    for k in 1.. {
        let mut j = 1;
        loop {
            let world = world();
            let changes = (world.changes)(&world);
            let done = killed_commit(&world.disk, &world.journal, &changes, (k, durability));
            if world.disk.calls() < k {
                assert!(done && k > 5, "only {k} calls");
                return;
            }
            let mut reached = false;
            if nested {
                world.disk.fail_from(j, DiskErrorKind::Io);
                let opened = Journal::open(&world.disk, &world.journal, Arc::<Kept>::default());
                reached = world.disk.calls() >= j;
                drop(opened);
            }
            let (recovery, _) = restart(world.disk.inner(), &world.journal);
            let at = At { k, j: reached.then_some(j) };
            assert!(recovery.failed.is_empty() && recovery.damaged == 0, "{at:?}: {recovery:?}");
            check(&world, done, &recovery, at);
            let (again, _) = restart(world.disk.inner(), &world.journal);
            assert!(again.is_eventless(), "{at:?}: a second recovery found something to do: {again:?}");
            if !reached {
                break;
            }
            j += 1;
        }
    }
}

/// What is to be done in a world.
pub(super) type Changes<D> = fn(&World<D>) -> Vec<Change>;

/// A workspace on a disk that can go away.
pub(super) struct World<D> {
    pub(super) disk: FailingDisk<D>,
    pub(super) root: Root,
    pub(super) journal: PathBuf,
    changes: Changes<D>,
    pub(super) look: fn(&Self) -> Contents,
    real: Option<(Fixture, TempDir)>,
}

pub(super) fn in_memory(restrict: fn(&MemoryDisk), changes: Changes<MemoryDisk>) -> World<MemoryDisk> {
    let disk = memory();
    restrict(&disk);
    let root = disk.open_root(Path::new("/ws")).expect("a root");
    let look = |world: &World<MemoryDisk>| workspace_of(world.disk.inner());
    World { disk: FailingDisk::new(disk), root, journal: "/state".into(), changes, look, real: None }
}

pub(super) fn on_disk(changes: Changes<OsDisk>) -> World<OsDisk> {
    let (fixture, folder) = (real(), tempfile::tempdir().expect("a folder"));
    let look = |world: &World<OsDisk>| world.real.as_ref().expect("a real one").0.all();
    World {
        disk: FailingDisk::new(OsDisk::new()),
        root: fixture.root.clone(),
        journal: folder.path().to_owned(),
        changes,
        look,
        real: Some((fixture, folder)),
    }
}

pub(super) fn whole_set<D: Disk>(world: &World<D>) -> Vec<Change> {
    set(world.disk.inner(), &world.root)
}

fn before<D>(world: &World<D>) -> Contents {
    let names = FILES.iter().chain(&["linked-too"]);
    let content = |name: &&str| name.trim_end_matches("-too").as_bytes().to_vec();
    let files = names.map(|name| (world.root.path().join(name), Some(content(name))));
    files.collect()
}

/// The workspace is as it was, or, only if nothing was refused, as it was to be.
fn assert_whole<D>(world: &World<D>, done: bool, at: At) {
    let mut now = (world.look)(world);
    now.remove(world.root.path());
    if done {
        assert_eq!(now, expected_after(world.root.path()), "{at:?}: it was answered as done");
    } else if now != expected_after(world.root.path()) {
        assert_eq!(now, before(world), "{at:?}");
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
            let world = || in_memory(restrict, whole_set);
            kill_everywhere(world, durability, false, |world, done, _, at| assert_whole(world, done, at));
        }
    }
}

#[test]
fn a_recovery_that_is_killed_at_any_call_is_finished_by_the_next() {
    let world = || in_memory(|_| {}, whole_set);
    kill_everywhere(world, Durability::Full, true, |world, done, _, at| assert_whole(world, done, at));
}

#[test]
fn on_the_real_disk_too_a_killed_set_is_whole_or_nothing() {
    let world = || on_disk(whole_set);
    kill_everywhere(world, Durability::Process, false, |world, done, _, at| assert_whole(world, done, at));
}

/// One file, one change.
fn single_changes() -> [Changes<MemoryDisk>; 6] {
    fn at(world: &World<MemoryDisk>, path: &str) -> Target {
        world.disk.inner().resolve(&world.root, Path::new(path)).expect("a place")
    }
    [
        |world| vec![replace(world.disk.inner(), &at(world, "a"), "new a")],
        |world| vec![replace(world.disk.inner(), &at(world, "linked"), "new linked")],
        |world| vec![create(&at(world, "new"), "new")],
        |world| vec![create(&at(world, "deep/er/new"), "new")],
        |world| vec![delete(world.disk.inner(), &at(world, "a"))],
        |world| vec![rename(world.disk.inner(), &at(world, "a"), &at(world, "deep/a"), Some("new a"))],
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
            let world = || in_memory(restrict, changes);
            let wanted = {
                let world = world();
                commit(world.disk.inner(), &changes(&world), Durability::Full).expect("committed");
                (world.look)(&world)
            };
            let was = (world().look)(&world());
            kill_everywhere(world, Durability::Process, true, |world, done, recovery, at| {
                let now = (world.look)(world);
                assert!(now == wanted || (now == was && !done), "{at:?}: {now:?} {recovery:?}");
                assert!(recovery.rescued.is_empty() && recovery.left.is_empty(), "{at:?}: {recovery:?}");
            });
        }
    }
}

#[test]
fn what_a_person_wrote_between_the_kill_and_the_next_start_stays() {
    for theirs in ["a", "linked", "gone", "moved", "edited", "deep/er/new", "other/edited"] {
        for k in 1.. {
            let world = in_memory(|_| {}, whole_set);
            let changes = whole_set(&world);
            killed_commit(&world.disk, &world.journal, &changes, (k, Durability::Full));
            if world.disk.calls() < k {
                break;
            }
            let place = format!("/ws/{theirs}");
            world.disk.inner().write_behind(&place, b"what a person wrote");
            let (recovery, kept) = restart(world.disk.inner(), &world.journal);
            assert_eq!(
                world.disk.inner().content(&place).as_deref(),
                Some(&b"what a person wrote"[..]),
                "{k}"
            );
            assert!(recovery.failed.is_empty(), "{theirs} {k}: {recovery:?}");
            let strays = workspace_of(world.disk.inner());
            let stray = strays.keys().find(|path| path.file_name().is_some_and(is_stray));
            assert_eq!(stray, None, "{theirs} {k}");
            // The text that it was before stands nowhere else any more, so it is kept.
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
fn what_cannot_be_taken_back_is_tried_again_when_its_files_are_changed_next() {
    let mut tried = 0;
    for k in 1.. {
        let world = in_memory(|_| {}, whole_set);
        let changes = whole_set(&world);
        let (journal, _) =
            Journal::open(&world.disk, &world.journal, Arc::<Kept>::default()).expect("a journal");
        let commit =
            |changes: &[Change]| super::super::commit(&world.disk, &journal, changes, Durability::Full);
        // The disk goes away in the middle, and comes back.
        world.disk.fail_from(k, DiskErrorKind::Io);
        let result = commit(&changes);
        if world.disk.calls() < k {
            assert!(tried > 10, "only {tried}");
            return;
        }
        if journal.unfinished().is_empty() {
            continue;
        }
        tried += 1;
        assert!(!result.expect_err("failed").rolled_back());
        let other = world.disk.inner().resolve(&world.root, Path::new("b")).expect("a place");
        let again = [replace(world.disk.inner(), &other, "newer b")];
        let refused = commit(&again).expect_err("refused");
        assert!(matches!(refused.error.kind, DiskErrorKind::Recovering { .. }), "{k}: {refused:?}");
        world.disk.run_at(usize::MAX, || {});
        let again = match commit(&again) {
            // It was new when it was looked at, and is old again.
            Err(error) if error.error.kind == DiskErrorKind::Changed => {
                commit(&[replace(world.disk.inner(), &other, "newer b")])
            }
            result => result,
        };
        again.expect("taken back, then changed");
        let mut wanted = before(&world);
        wanted.insert(world.root.path().join("b"), Some(b"newer b".to_vec()));
        let mut now = (world.look)(&world);
        now.remove(world.root.path());
        assert_eq!(now, wanted, "{k}");
        assert!(journal.unfinished().is_empty());
    }
}

/// A memory disk whose process was killed in the middle of a set, and its log.
fn killed() -> (World<MemoryDisk>, Vec<u8>) {
    let world = in_memory(|_| {}, whole_set);
    let changes = whole_set(&world);
    killed_commit(&world.disk, &world.journal, &changes, (60, Durability::Full));
    let log = world.disk.inner().content("/state/journal-0").expect("a log");
    (world, log)
}

#[test]
fn a_damaged_journal_is_not_obeyed_and_nothing_is_lost() {
    let length = killed().1.len();
    for at in (0..length).step_by(11) {
        let (world, mut log) = killed();
        let before = workspace_of(world.disk.inner());
        log[at] ^= 0x11;
        world.disk.inner().write_behind("/state/journal-0", &log);
        let (recovery, kept) = restart(world.disk.inner(), &world.journal);
        assert!(recovery.failed.is_empty(), "{at}: {recovery:?}");
        let now = workspace_of(world.disk.inner());
        let stands = |text: &Vec<u8>| {
            now.values().flatten().any(|other| other == text)
                || kept.iter().any(|(_, other)| other.as_bytes() == text)
        };
        // New texts may be taken back; an old one, or one of somebody else, must stand somewhere.
        let old = before.values().flatten().filter(|text| !text.starts_with(b"new"));
        old.for_each(|text| assert!(stands(text), "{at}: {} is lost", String::from_utf8_lossy(text)));
    }
}

/// A log with one sound line that says of a file: it was created.
fn forged(result: &str, staged: &str) -> Vec<u8> {
    let hash = crate::text::ContentHash::of(b"victim").to_string();
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
        disk.write_behind("/out/victim", b"victim");
        disk.write_behind("/state/journal-0", log);
        let (recovery, _) = restart(&disk, Path::new("/state"));
        (recovery, disk.content("/out/victim").is_some())
    };
    // In the form of editd's own it is obeyed: who can write there can write the files themselves.
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
