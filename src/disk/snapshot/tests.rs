use std::collections::HashSet;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use super::*;
use crate::OsDisk;

const LIMITS: SnapshotLimits =
    SnapshotLimits { bytes: 1 << 20, files: 1000, file_size: 1 << 16, ignored: false };

/// A root with its snapshot.
struct Fixture {
    disk: OsDisk,
    base: TempDir,
    snapshot: Snapshot,
}

impl Fixture {
    fn new(limits: SnapshotLimits) -> Self {
        let (disk, base) = (OsDisk::default(), tempfile::tempdir().unwrap());
        fs::create_dir_all(base.path().join("root")).unwrap();
        let snapshot = open(&disk, base.path(), limits);
        Self { disk, base, snapshot }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.base.path().join("root").join(name)
    }

    fn put(&self, name: &str, text: &str) {
        fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        fs::write(self.path(name), text).unwrap();
    }

    /// Walks while editd writes in a folder, and returns the changes in a readable form.
    fn update_while_written(&mut self, folder: &str) -> Vec<String> {
        let mut walked = self.snapshot.walk().run(&self.disk, None, &WalkControl::default()).unwrap();
        let root = self.snapshot.root.clone();
        walked.leave_out_strays(&self.disk, &root, |path| path == Path::new(folder));
        let changes = self.snapshot.enter(walked, &HashSet::new()).unwrap();
        changes.iter().map(|change| self.show(change)).collect()
    }

    /// Walks, and returns the changes in a readable form.
    fn update(&mut self) -> Vec<String> {
        let changes =
            self.snapshot.update(&self.disk, &HashSet::new(), None, &WalkControl::default()).unwrap();
        changes.iter().map(|change| self.show(change)).collect()
    }

    fn show(&self, Difference { path, before, after }: &Difference) -> String {
        let state = |node: &Option<Node>| match node {
            None => "none".to_owned(),
            Some(Node::Folder { mode, .. }) => format!("folder {mode:o}"),
            Some(Node::Hidden) => "hidden".to_owned(),
            Some(Node::Link { target, .. }) => format!("link to {}", target.display()),
            Some(Node::File(FileState { content: Content::Omitted(omission), .. })) => omission.to_string(),
            Some(Node::File(FileState { stamp, content: Content::Stored(hash) })) => {
                let text =
                    self.snapshot.content(*hash).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
                format!("{:?} {:o}", text.as_deref().unwrap_or("lost"), stamp.mode)
            }
        };
        format!("{}: {} -> {}", path.display(), state(before), state(after))
    }
}

fn open(disk: &OsDisk, base: &Path, limits: SnapshotLimits) -> Snapshot {
    let root = disk.open_root(&base.join("root")).unwrap();
    let (folder, own) = (base.join("snapshots"), Path::new("/nowhere"));
    let space = Arc::new(Room::of(&folder, 4 * limits.bytes));
    Snapshot::open(&folder, (&root, root.path()), own, (limits, space)).unwrap()
}

#[test]
fn a_walk_finds_each_kind_of_change_with_the_content_before() {
    let mut it = Fixture::new(LIMITS);
    it.put("edited.txt", "one\n");
    it.put("src/removed.txt", "gone\n");
    it.put("run.sh", "#!/bin/sh\n");
    it.put("same.txt", "same\n");
    symlink("same.txt", it.path("link")).unwrap();
    assert!(!it.snapshot.is_known());
    assert_eq!(it.update(), [""; 0], "the first walk finds no changes");
    assert_eq!(it.snapshot.len(), 6);
    assert!(it.snapshot.is_known());
    assert_eq!(it.update(), [""; 0]);
    it.put("edited.txt", "two\n");
    fs::remove_dir_all(it.path("src")).unwrap();
    fs::set_permissions(it.path("run.sh"), Permissions::from_mode(0o755)).unwrap();
    fs::remove_file(it.path("link")).unwrap();
    symlink("run.sh", it.path("link")).unwrap();
    it.put("new/file.txt", "new\n");
    it.put("same.txt", "same\n");
    let mut found = it.update();
    found.sort();
    let expected = [
        "edited.txt: \"one\\n\" 644 -> \"two\\n\" 644",
        "link: link to same.txt -> link to run.sh",
        "new/file.txt: none -> \"new\\n\" 644",
        "new: none -> folder 755",
        "run.sh: \"#!/bin/sh\\n\" 644 -> \"#!/bin/sh\\n\" 755",
        "src/removed.txt: \"gone\\n\" 644 -> none",
        "src: folder 755 -> none",
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_snapshot_survives_the_end_of_the_process() {
    let mut it = Fixture::new(LIMITS);
    it.put("a.txt", "one\n");
    it.update();
    it.put("a.txt", "two\n");
    it.snapshot = open(&it.disk, it.base.path(), LIMITS);
    assert!(it.snapshot.is_known());
    assert_eq!(it.update(), ["a.txt: \"one\\n\" 644 -> \"two\\n\" 644"]);
}

#[test]
fn ignored_files_and_version_control_are_left_out() {
    let mut it = Fixture::new(LIMITS);
    assert!(Command::new("git").args(["init", "-q"]).arg(it.path("")).status().unwrap().success());
    it.put(".gitignore", "target/\n*.log\n");
    it.put("target/debug/app", "x");
    it.put("sub/trace.log", "x");
    it.update();
    it.put("target/debug/app", "y");
    it.put("sub/trace.log", "y");
    it.put(".git/config", "changed");
    assert_eq!(it.update(), [""; 0]);
    // A name that is no longer ignored was there before.
    it.put(".gitignore", "target/\n");
    let found = it.update();
    assert!(found.contains(&"sub/trace.log: hidden -> \"y\" 644".to_owned()), "{found:?}");
}

#[test]
fn omitted_contents_are_named() {
    let mut it = Fixture::new(SnapshotLimits { bytes: 200, file_size: 1000, ..LIMITS });
    it.update();
    it.put("large", &"x".repeat(2000));
    it.put("a", "first");
    assert!(it.update().contains(&"large: none -> too_large".to_owned()));
    let noise: String =
        (0..900).map(|n: u32| char::from_u32(33 + n.wrapping_mul(2_654_435_761) % 90).unwrap()).collect();
    it.put("b", &noise);
    assert_eq!(it.update(), ["b: none -> no_room"]);
    assert!(Command::new("mkfifo").arg(it.path("pipe")).status().unwrap().success());
    assert_eq!(it.update(), ["pipe: none -> special"]);
    it.put("large", &"y".repeat(2000));
    assert_eq!(it.update(), ["large: too_large -> too_large"]);
}

#[test]
fn a_root_with_too_many_files_has_no_snapshot() {
    let mut it = Fixture::new(SnapshotLimits { files: 3, ..LIMITS });
    for name in ["a", "b", "c", "d"] {
        it.put(name, "");
    }
    let error = it.snapshot.update(&it.disk, &HashSet::new(), None, &WalkControl::default()).unwrap_err();
    assert_eq!(error.to_string(), "it contains more than 3 files");
}

#[test]
fn a_file_that_editd_has_written_is_not_a_change() {
    let mut it = Fixture::new(LIMITS);
    it.put("a.txt", "one\n");
    it.update();
    it.put("a.txt", "two\n");
    it.put("new/b.txt", "new\n");
    for (name, text) in [("a.txt", "two\n"), ("new/b.txt", "new\n")] {
        let root = it.disk.open_root(&it.path("")).unwrap();
        let stat = it.disk.peek(&root, Path::new(name)).unwrap().unwrap();
        it.snapshot.set(&it.disk, Path::new(name), Some((&stat, text.as_bytes()))).unwrap();
    }
    assert_eq!(it.update(), [""; 0]);
    fs::remove_file(it.path("a.txt")).unwrap();
    it.snapshot.set(&it.disk, Path::new("a.txt"), None).unwrap();
    assert_eq!(it.update(), [""; 0]);
}

#[test]
fn unused_contents_are_removed_and_the_others_stay() {
    let mut it = Fixture::new(SnapshotLimits { bytes: 4096, ..LIMITS });
    it.put("kept", "kept for ever\n");
    for n in 0..200 {
        let text: String = (0..600u32)
            .map(|i| char::from_u32(33 + (i * n).wrapping_mul(2_654_435_761) % 90).unwrap())
            .collect();
        it.put("changing", &text);
        it.update();
        it.snapshot.compact().unwrap();
    }
    let size = fs::read_dir(it.base.path().join("snapshots"))
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path()
        .join("contents");
    assert!(fs::metadata(size).unwrap().len() <= 4096);
    it.put("kept", "changed\n");
    assert_eq!(it.update(), ["kept: \"kept for ever\\n\" 644 -> \"changed\\n\" 644"]);
}

#[test]
fn unused_snapshots_are_removed() {
    let mut it = Fixture::new(LIMITS);
    it.put("a.txt", "one\n");
    it.update();
    let folder = it.base.path().join("snapshots");
    remove_unused(&folder, SystemTime::now() - Duration::from_secs(60)).unwrap();
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    remove_unused(&folder, SystemTime::now() + Duration::from_secs(1)).unwrap();
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
}

#[test]
fn a_walk_that_takes_too_long_changes_nothing() {
    let mut it = Fixture::new(LIMITS);
    it.put("a.txt", "one\n");
    let error = it
        .snapshot
        .update(&it.disk, &HashSet::new(), Some(Duration::ZERO), &WalkControl::default())
        .unwrap_err();
    assert_eq!(error.to_string(), "reading it took longer than 0 seconds");
    assert!(!it.snapshot.is_known());
    it.update();
    assert!(it.snapshot.is_known());
}

#[test]
fn temporary_files_of_editd_are_left_out_as_long_as_it_writes() {
    let mut fixture = Fixture::new(LIMITS);
    fixture.put("sub/a.txt", "one\n");
    fixture.update();
    let (file, folder) = ("sub/.editd-0123456789abcdef", "sub/.editd-0123456789abcdee");
    let inside = format!("{folder}/inside");
    let put = |fixture: &Fixture| {
        fixture.put(file, "two\n");
        fixture.put(&inside, "x\n");
    };
    let names = |changes: Vec<String>| -> Vec<String> {
        changes.iter().filter_map(|change| Some(change.split_once(": ")?.0.to_owned())).collect()
    };
    put(&fixture);
    // The clock of files can stand still for ten milliseconds. The walk must be younger than the files.
    std::thread::sleep(Duration::from_millis(20));
    assert_eq!(names(fixture.update_while_written("sub")), [] as [&str; 0]);
    // A command can give its files such names, too. These were there at the last walk, but were not recorded.
    assert_eq!(names(fixture.update_while_written("elsewhere")), [folder, file]);
    fs::remove_file(fixture.path(file)).unwrap();
    fs::remove_dir_all(fixture.path(folder)).unwrap();
    fixture.update();
    put(&fixture);
    assert_eq!(names(fixture.update_while_written("elsewhere")), [folder, file, &inside]);
}

#[test]
fn a_temporary_file_that_is_gone_after_the_walk_was_no_change() {
    let mut fixture = Fixture::new(LIMITS);
    fixture.put("a.txt", "one\n");
    fixture.update();
    fixture.put(".editd-0123456789abcdef", "two\n");
    let mut walked = fixture.snapshot.walk().run(&fixture.disk, None, &WalkControl::default()).unwrap();
    fs::remove_file(fixture.path(".editd-0123456789abcdef")).unwrap();
    let root = fixture.snapshot.root.clone();
    walked.leave_out_strays(&fixture.disk, &root, |_| false);
    assert_eq!(fixture.snapshot.enter(walked, &HashSet::new()).unwrap(), []);
}

fn git(folder: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(arguments).current_dir(folder);
    assert!(command.output().unwrap().status.success(), "{arguments:?}");
}

#[test]
fn ignored_files_that_git_tracks_are_recorded() {
    let mut it = Fixture::new(LIMITS);
    git(&it.path(""), &["init", "-q"]);
    it.put(".gitignore", "*.cfg\nbuild/\n");
    for name in ["a.cfg", "b.cfg", "build/deep/in.txt", "build/deep/out.txt", "build/other/c.txt"] {
        it.put(name, "one\n");
    }
    it.put("sub/x.txt", "one\n");
    git(&it.path("sub"), &["init", "-q"]);
    it.put("sub/.gitignore", "*.log\n");
    it.put("sub/kept.log", "one\n");
    git(&it.path("sub"), &["add", "-f", "kept.log"]);
    git(&it.path(""), &["add", "-f", "a.cfg", "build/deep/in.txt"]);
    it.update();
    for name in
        ["a.cfg", "b.cfg", "build/deep/in.txt", "build/deep/out.txt", "build/other/c.txt", "sub/kept.log"]
    {
        it.put(name, "two\n");
    }
    for name in ["build/deep/new.txt", "build/new/new.txt", "sub/new.log"] {
        it.put(name, "new\n");
    }
    let changed = |name: &str| format!("{name}: \"one\\n\" 644 -> \"two\\n\" 644");
    assert_eq!(it.update(), ["a.cfg", "build/deep/in.txt", "sub/kept.log"].map(changed));
    let covers = |name: &str| it.snapshot.covers(&it.disk, Path::new(name));
    fs::remove_file(it.path("a.cfg")).unwrap();
    assert!(covers("a.cfg") && covers("build/deep/in.txt") && !covers("b.cfg"));
    assert!(!covers("build/deep/later.txt") && !covers("sub/later.log") && covers("sub/later.txt"));
    fs::remove_file(it.path("build/deep/in.txt")).unwrap();
    let names: Vec<_> = it.update().iter().map(|it| it.split(':').next().unwrap().to_owned()).collect();
    assert_eq!(names, ["a.cfg", "build/deep/in.txt"]);
}

#[test]
fn what_git_tracks_no_longer_is_not_recorded_as_deleted() {
    let mut it = Fixture::new(LIMITS);
    git(&it.path(""), &["init", "-q"]);
    it.put(".gitignore", "build/\n");
    it.put("build/a.txt", "one\n");
    git(&it.path(""), &["add", "-f", "build/a.txt"]);
    it.update();
    git(&it.path(""), &["rm", "-q", "--cached", "build/a.txt"]);
    assert_eq!(it.update(), [""; 0]);
    it.put("build/a.txt", "two\n");
    assert_eq!(it.update(), [""; 0]);
    git(&it.path(""), &["add", "-f", "build/a.txt"]);
    let found = it.update();
    assert!(found.iter().all(|it| it.contains(": hidden -> ")), "{found:?}");
}

/// A file system allows longer paths than the system opens.
#[test]
fn names_below_paths_that_are_too_long_are_named_as_omitted() {
    use rustix::fs::{Mode, OFlags, mkdirat, openat};
    use std::io::Write as _;
    let mut it = Fixture::new(LIMITS);
    let (name, flags) = ("d".repeat(200), OFlags::RDONLY | OFlags::DIRECTORY);
    let mut folder = openat(rustix::fs::CWD, it.path(""), flags, Mode::empty()).unwrap();
    for _ in 0..25 {
        mkdirat(&folder, &name, Mode::RWXU).unwrap();
        folder = openat(&folder, &name, flags, Mode::empty()).unwrap();
    }
    let file = || {
        let created = openat(
            &folder,
            "f.txt",
            OFlags::WRONLY | OFlags::CREATE | OFlags::APPEND,
            Mode::RUSR | Mode::WUSR,
        );
        fs::File::from(created.unwrap())
    };
    file().write_all(b"one\n").unwrap();
    it.update();
    file().write_all(b"two\n").unwrap();
    it.put("a.txt", "one\n");
    let found = it.update();
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].starts_with("a.txt: ") && found[1].ends_with(": too_long -> too_long"), "{found:?}");
    let depth = found[1].matches('/').count() + 1;
    assert!((20..=21).contains(&depth), "{depth}");
}
