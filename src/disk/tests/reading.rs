//! Tests of reading: whole files, in a single state, without blocking.

use super::*;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::time::{Duration, Instant};

#[test]
fn a_file_is_read_with_the_state_it_has() {
    let fixture = Fixture::new();
    fixture.write("file", "some text");
    let target = fixture.target("file");
    let image = fixture.disk.read(&target, LIMIT).expect("readable").expect("there");
    assert_eq!(image.bytes, b"some text");
    assert_eq!(image.stat.size, 9);
    assert!(image.stat.racy, "a file written a moment ago proves nothing by its stamps");
    let again = fixture.disk.stat(&target).expect("a state").expect("there");
    assert!(image.stat.same_version(&again));
}

#[test]
fn a_missing_file_is_none_and_not_an_error() {
    let fixture = Fixture::new();
    for path in ["none", "no/such/folder"] {
        let target = fixture.target(path);
        assert!(fixture.disk.read(&target, LIMIT).expect("no error").is_none());
        assert_eq!(fixture.disk.stat(&target).expect("no error"), None);
    }
}

#[test]
fn a_file_above_the_limit_is_refused_by_its_size() {
    let fixture = Fixture::new();
    let file = fs::File::create(fixture.path("huge")).expect("a file");
    file.set_len(1 << 40).expect("a sparse file");
    let error = fixture.disk.read(&fixture.target("huge"), 10).expect_err("too large");
    assert_eq!(error.kind, DiskErrorKind::TooLarge { size: 1 << 40, limit: 10 });
    fixture.write("just", "0123456789");
    assert!(fixture.disk.read(&fixture.target("just"), 10).is_ok());
}

#[test]
fn pipes_sockets_and_devices_are_refused_at_once() {
    let fixture = Fixture::new();
    make_node(&fixture.path("fifo"), &["p"]);
    let _listener = UnixListener::bind(fixture.path("socket")).expect("a socket");
    // The device of /dev/zero. Creating it needs root, like other tests here.
    make_node(&fixture.path("zero"), &["c", "1", "5"]);
    let start = Instant::now();
    for (name, what) in [("fifo", "a named pipe"), ("socket", "a socket"), ("zero", "a device")] {
        let error = fixture.disk.resolve(&fixture.root, Path::new(name)).expect_err(name);
        assert_eq!(error.kind, DiskErrorKind::NotAFile { what });
    }
    assert!(start.elapsed() < Duration::from_secs(1));
}

#[test]
fn a_file_that_becomes_a_pipe_after_it_was_resolved_does_not_hang_the_reader() {
    let fixture = Fixture::new();
    fixture.write("file", "text");
    let target = fixture.target("file");
    fs::remove_file(fixture.path("file")).expect("removed");
    make_node(&fixture.path("file"), &["p"]);
    let error = fixture.disk.read(&target, LIMIT).expect_err("refused");
    assert_eq!(error.kind, DiskErrorKind::NotAFile { what: "a named pipe" });
}

#[test]
fn a_file_that_becomes_a_link_after_it_was_resolved_is_not_followed() {
    let fixture = Fixture::new();
    fixture.write("file", "text");
    let target = fixture.target("file");
    let change = replace(&fixture.disk, &target, "new");
    fs::remove_file(fixture.path("file")).expect("removed");
    std::os::unix::fs::symlink(fixture.dir.path().join("ws-evil/canary"), fixture.path("file"))
        .expect("a link");
    assert_eq!(fixture.disk.read(&target, LIMIT).expect_err("refused").kind, DiskErrorKind::Changed);
    let error = fixture.commit(&[change]).expect_err("refused");
    assert_eq!(error.error.kind, DiskErrorKind::Changed);
    assert_eq!(fs::read_to_string(fixture.dir.path().join("ws-evil/canary")).expect("text"), "alive");
}

#[test]
fn a_generated_file_whose_size_is_not_its_content_is_refused() {
    let disk = OsDisk::new();
    let root = disk.open_root(Path::new("/proc")).expect("a root");
    let target = disk.resolve(&root, Path::new("sys/kernel/ostype")).expect("a place");
    assert_eq!(disk.read(&target, LIMIT).expect_err("refused").kind, DiskErrorKind::Unstable);
}

#[test]
fn a_file_with_two_names_is_known_by_its_inode() {
    let fixture = Fixture::new();
    fixture.write("one", "text");
    fs::hard_link(fixture.path("one"), fixture.path("two")).expect("a link");
    let (one, two) = (fixture.target("one"), fixture.target("two"));
    assert_eq!(one.key, two.key);
    assert!(matches!(one.key, editd_workspace::FileKey::Inode { .. }));
    assert_ne!(one.path, two.path);
}

#[test]
fn stamps_are_racy_while_young_or_in_the_future() {
    let fixture = Fixture::new();
    fixture.write("file", "text");
    let stat = fixture.disk.stat(&fixture.target("file")).expect("a state").expect("there");
    let at = |offset: i64| MTime { seconds: stat.mtime.seconds + offset, nanos: 0 };
    assert!(stat.is_racy(at(0)) && stat.is_racy(at(2)) && stat.is_racy(at(-1000)));
    assert!(!stat.is_racy(at(3)));
}

#[test]
fn peek_follows_no_symlink() {
    let fixture = Fixture::new();
    fixture.write("a/file", "text");
    std::os::unix::fs::symlink("/etc/passwd", fixture.path("a/link")).expect("a link");
    let memory = MemoryDisk::new();
    memory.write_externally("/ws/a/file", b"text");
    memory.symlink("/etc/passwd", "/ws/a/link");
    let memory_root = memory.open_root(Path::new("/ws")).expect("the root");
    let disks: [(&dyn Disk, &Root); 2] = [(&fixture.disk, &fixture.root), (&memory, &memory_root)];
    for (disk, root) in disks {
        let kind = |path: &str| {
            let stat = disk.peek(root, Path::new(path)).expect("no error");
            stat.map(|stat| stat.mode & 0o170_000)
        };
        assert_eq!(kind("a/file"), Some(0o100_000));
        assert_eq!(kind("a"), Some(0o040_000));
        assert_eq!(kind("a/link"), Some(0o120_000));
        assert_eq!((kind("a/none"), kind("none/none"), kind("a/file/none")), (None, None, None));
        let target = disk.resolve(root, Path::new("a/file")).expect("a place");
        assert_eq!(disk.behind_mounts(root, Some(&target)).expect("no error"), None);
    }
}

#[test]
fn appended_bytes_go_to_the_file_that_has_the_name() {
    let fixture = Fixture::new();
    let append = |text: &str| {
        let entry = fixture.target("log").entry().expect("a name");
        fixture.disk.append(&entry, text.as_bytes(), Flush::Later).expect("appended");
    };
    append("one ");
    append("two ");
    assert_eq!(fixture.text("log"), "one two ");
    fs::rename(fixture.path("log"), fixture.path("older")).expect("renamed");
    append("three ");
    fixture.write("other", "four ");
    fs::rename(fixture.path("other"), fixture.path("log")).expect("renamed");
    append("five");
    assert_eq!((fixture.text("older"), fixture.text("log")), ("one two ".to_owned(), "four five".to_owned()));
    fs::remove_file(fixture.path("log")).expect("removed");
    append("six");
    assert_eq!(fixture.text("log"), "six");
}

#[test]
fn examine_checks_the_file_that_has_the_name_now() {
    let fixture = Fixture::new();
    fixture.write("file", "text");
    let target = fixture.target("file");
    let entry = target.entry().expect("a name");
    let expected = expected(&fixture.disk, &target);
    let examine = || fixture.disk.examine(&entry, Some(&expected)).expect("no error");
    let held = examine().expect("there").stat;
    assert!(held.same_version(&expected.stat));
    fs::set_permissions(fixture.path("file"), fs::Permissions::from_mode(0o640)).expect("permissions");
    assert_eq!(examine().expect("there").stat.mode & 0o7777, 0o640);
    fixture.write("other", "text");
    fs::rename(fixture.path("other"), fixture.path("file")).expect("renamed");
    let other = examine().expect("there");
    assert!(!other.stat.same_file(&expected.stat));
    assert_eq!(fixture.disk.stat_held(&other.handle, &entry.path).expect("open").ino, other.stat.ino);
    fs::remove_file(fixture.path("file")).expect("removed");
    assert!(examine().is_none());
}
