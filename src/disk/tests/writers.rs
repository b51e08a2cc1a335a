//! Tests of programs that repeatedly save a file without coordination while commits change it too.
//!
//! Both sides count in their own half of one text. A save that is gone at its writer's next read has been
//! overwritten by a commit. That cannot be ruled out on a file system without compare-and-swap, but it has to
//! be rare, and the overwritten text has to have been rescued.

use super::*;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use std::collections::HashSet;
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// At most one in this many saves may be lost.
const BOUND: u64 = 250;

/// Duration of each race; `EDITD_RACE` sets a number of seconds for longer runs.
fn race() -> Duration {
    let seconds = std::env::var("EDITD_RACE").ok().and_then(|seconds| seconds.parse().ok());
    Duration::from_secs(seconds.unwrap_or(2))
}

/// Parses the two counters: ours, then theirs.
fn halves(text: &[u8]) -> Option<(u64, u64)> {
    let (ours, theirs) = std::str::from_utf8(text).ok()?.split_once(' ')?;
    Some((ours.parse().ok()?, theirs.parse().ok()?))
}

fn joined(ours: u64, theirs: u64) -> String {
    format!("{ours:08} {theirs:08}")
}

/// Result of a writer.
#[derive(Debug, Default)]
struct Saves {
    count: u64,
    /// Saves that were gone at the next read.
    gone: Vec<u64>,
    /// Saves that were observed, or overwritten by the writer itself: a swap back restores a save that was
    /// gone for microseconds.
    seen: HashSet<u64>,
}

/// Reads, counts and saves until `stop` is set.
fn save_until(stop: &AtomicBool, path: &Path, save: Save) -> Saves {
    let mut done = Saves::default();
    while !stop.load(Ordering::Relaxed) {
        // Another writer may have truncated the file; wait for its text.
        let Some((ours, theirs)) = fs::read(path).ok().as_deref().and_then(halves) else { continue };
        done.seen.insert(theirs);
        if theirs != done.count {
            done.gone.push(done.count);
        }
        done.count += 1;
        let overwritten = save(path, &joined(ours, done.count));
        done.seen.extend(halves(&overwritten).map(|(_, theirs)| theirs));
        std::thread::sleep(Duration::from_micros(done.count % 7 * 100));
    }
    done
}

/// A way of saving; returns the content that it overwrote.
type Save = fn(&Path, &str) -> Vec<u8>;

fn opened(path: &Path) -> (fs::File, Vec<u8>) {
    let mut file = fs::File::options().read(true).write(true).open(path).expect("their file");
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).expect("readable");
    (file, bytes)
}

fn in_place(path: &Path, text: &str) -> Vec<u8> {
    let (file, overwritten) = opened(path);
    file.write_all_at(text.as_bytes(), 0).expect("their save");
    overwritten
}

fn truncating(path: &Path, text: &str) -> Vec<u8> {
    let (file, overwritten) = opened(path);
    file.set_len(0).expect("truncated");
    file.write_all_at(text.as_bytes(), 0).expect("their save");
    overwritten
}

/// Works like a rename over the file, but lets the test read what it replaced.
fn by_rename(path: &Path, text: &str) -> Vec<u8> {
    let temporary = path.with_file_name("their-temp");
    fs::write(&temporary, text).expect("their file");
    renameat_with(CWD, &temporary, CWD, path, RenameFlags::EXCHANGE).expect("their save");
    let overwritten = fs::read(&temporary).expect("what was there");
    fs::remove_file(&temporary).expect("removed");
    overwritten
}

/// The other side, which counts by commits.
struct Counting<'f> {
    fixture: &'f Fixture,
    target: Target,
    own: TestJournal,
    monitor: DisplacedFileMonitor,
    commits: u64,
    seen: HashSet<u64>,
}

impl<'f> Counting<'f> {
    fn new(fixture: &'f Fixture) -> Self {
        let own = TestJournal::on(&fixture.disk);
        let monitor =
            DisplacedFileMonitor::start(Arc::new(OsDisk::new()), own.kept.clone()).expect("a thread");
        Self { fixture, target: fixture.target("file"), own, monitor, commits: 0, seen: HashSet::new() }
    }

    /// Counts once, unless the other side is faster.
    fn count(&mut self) {
        let Ok(Some(image)) = self.fixture.disk.read(&self.target, LIMIT) else { return };
        let Some((ours, theirs)) = halves(&image.bytes) else { return };
        self.seen.insert(theirs);
        let (target, content) = (self.target.clone(), bytes(&joined(ours + 1, theirs)));
        let change = Change::Replace { target, content, expect: Expected::image(&image) };
        match self.own.commit(&self.fixture.disk, &[change], Durability::Process) {
            Ok(done) => {
                self.commits += 1;
                done.into_iter()
                    .filter_map(|done| done.displaced)
                    .for_each(|file| self.monitor.hold("own", file));
            }
            Err(error) => {
                assert_eq!(error.error.kind, DiskErrorKind::Changed);
                error.displaced.into_iter().for_each(|file| self.monitor.hold("own", file));
            }
        }
    }
}

fn compete(name: &str, save: Save) {
    if is_portable() {
        // Without leases and an exchange of names, a save right before the rename is lost. `sets.rs` has a test that
        // loses no other.
        return;
    }
    let fixture = Fixture::new();
    fixture.write("file", joined(0, 0));
    let (stop, mut counting) = (AtomicBool::new(false), Counting::new(&fixture));
    let Saves { count: saves, gone, seen } = std::thread::scope(|scope| {
        let writer = scope.spawn(|| save_until(&stop, &fixture.path("file"), save));
        let start = Instant::now();
        while start.elapsed() < race() {
            counting.count();
        }
        stop.store(true, Ordering::Relaxed);
        writer.join().expect("their thread")
    });
    let Counting { commits, own, monitor, seen: seen_by_us, .. } = counting;
    monitor.check_now(|_| true);
    let lost: HashSet<u64> =
        gone.into_iter().filter(|save| !seen.contains(save) && !seen_by_us.contains(save)).collect();
    let kept: HashSet<u64> =
        own.kept().iter().filter_map(|text| halves(text.as_bytes())).map(|(_, save)| save).collect();
    let unrescued: Vec<_> = lost.difference(&kept).collect();
    let summary = format!("{name}: {} of {saves} saves lost beside {commits} commits", lost.len());
    assert!(commits > 10 && saves > 10, "{summary}");
    assert!(unrescued.is_empty(), "{summary}, and not rescued: {unrescued:?}");
    assert!(lost.len() as u64 * BOUND <= saves + BOUND, "{summary}");
}

#[test]
fn saves_in_place_are_rarely_overwritten_and_always_rescued() {
    compete("in place", in_place);
}

#[test]
fn saves_by_rename_are_rarely_overwritten_and_always_rescued() {
    compete("by rename", by_rename);
}

#[test]
fn saves_that_truncate_first_are_rarely_overwritten_and_always_rescued() {
    compete("truncating", truncating);
}

/// Replaces a file, and returns the one that has lost its name.
fn replace(fixture: &Fixture, own: &TestJournal, name: &str) -> Displaced {
    let target = fixture.target(name);
    let image = fixture.disk.read(&target, LIMIT).expect("readable").expect("a file");
    let change = Change::Replace { target, content: bytes("new"), expect: Expected::image(&image) };
    let mut done = own.commit(&fixture.disk, &[change], Durability::Process).expect("a commit");
    done.remove(0).displaced.expect("an old file")
}

#[test]
fn many_changes_of_one_owner_take_the_check_from_no_other() {
    if is_portable() {
        return;
    }
    let (fixture, own) = (Fixture::new(), TestJournal::on(&OsDisk::new()));
    let monitor = DisplacedFileMonitor::start(Arc::new(OsDisk::new()), own.kept.clone()).expect("a thread");
    fixture.write("file", "old");
    // Programs that have opened the file before it is replaced, and write later.
    let late = fs::File::options().write(true).open(fixture.path("file")).expect("their file");
    fixture.write("other", "other");
    let other = replace(&fixture, &own, "other");
    monitor.hold("robin", replace(&fixture, &own, "file"));
    for n in 0..4000 {
        let owner = if n < 700 { "eve".to_owned() } else { format!("eve {}", n % 900) };
        monitor.hold(&owner, other.clone());
    }
    late.write_all_at(b"late", 0).expect("their save");
    let began = Instant::now();
    while own.kept() != ["late"] {
        assert!(began.elapsed() < Duration::from_secs(10), "{:?}", own.kept());
        std::thread::sleep(Duration::from_millis(50));
    }
}
