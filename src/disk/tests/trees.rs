//! Tests of listing and opening: everything listed or opened lies under the root, whatever path leads there.

use super::*;
use std::io::Read;
use std::os::unix::fs::symlink;

fn memory() -> (MemoryDisk, Root) {
    let disk = MemoryDisk::new();
    disk.add_dir("/ws/d/empty");
    disk.write_externally("/ws/d/file", b"text");
    disk.write_externally("/out/file", b"outside");
    disk.symlink("/out", "/ws/d/link");
    let root = disk.open_root(Path::new("/ws")).expect("the root");
    (disk, root)
}

fn real() -> Fixture {
    let fixture = Fixture::new();
    fixture.write("d/file", "text");
    fs::create_dir(fixture.path("d/empty")).expect("a folder");
    symlink(fixture.dir.path().join("ws-evil"), fixture.path("d/link")).expect("a link");
    fixture
}

fn assert_walks(disk: &dyn Disk, root: &Root) {
    let mut listed = disk.list(root, Path::new("d")).expect("a folder");
    listed.sort();
    let listed: Vec<_> = listed.iter().map(|it| (it.name.to_str().expect("a name"), it.kind)).collect();
    assert_eq!(listed, [("empty", Kind::Folder), ("file", Kind::File), ("link", Kind::Symlink)]);
    assert_eq!(disk.list(root, Path::new("")).expect("the root itself").len(), 1);
    let mut text = String::new();
    disk.open_file(root, Path::new("d/file")).expect("a file").read_to_string(&mut text).expect("text");
    assert_eq!(text, "text");
    for path in ["d/link", "d/link/canary", "d/link/file", "d", "none", "d/file/x"] {
        assert!(disk.open_file(root, Path::new(path)).is_err(), "{path}");
    }
    for path in ["d/link", "none", "d/file"] {
        assert!(disk.list(root, Path::new(path)).is_err(), "{path}");
    }
    assert_eq!(disk.folder(root, Path::new("d")).expect("a folder"), Path::new("d"));
    assert!(disk.folder(root, Path::new("d/file")).is_err());
}

#[test]
fn both_disks_walk_alike() {
    let (disk, root) = memory();
    assert_walks(&disk, &root);
    let fixture = real();
    assert_walks(&fixture.disk, &fixture.root);
}

#[test]
fn nothing_outside_is_listed_or_opened() {
    let fixture = real();
    for path in ["..", "../ws-evil", "d/../../ws-evil", "/etc"] {
        assert!(fixture.disk.list(&fixture.root, Path::new(path)).is_err(), "{path}");
        assert!(fixture.disk.folder(&fixture.root, Path::new(path)).is_err(), "{path}");
    }
    for path in ["../ws-evil/canary", "/etc/passwd"] {
        assert!(fixture.disk.open_file(&fixture.root, Path::new(path)).is_err(), "{path}");
    }
    assert!(fixture.disk.folder(&fixture.root, Path::new("d/link")).is_err());
}

#[test]
fn a_link_that_stays_inside_names_the_folder_that_it_leads_to() {
    let fixture = real();
    symlink("d/empty", fixture.path("short")).expect("a link");
    symlink(fixture.path("d"), fixture.path("long")).expect("a link");
    let folder = |path: &str| fixture.disk.folder(&fixture.root, Path::new(path)).expect("a folder");
    assert_eq!(folder("short"), Path::new("d/empty"));
    assert_eq!(folder("long/empty"), Path::new("d/empty"));
    assert_eq!(folder("d/."), Path::new("d"));
}

#[test]
fn a_pipe_is_refused_without_blocking() {
    let fixture = real();
    make_node(&fixture.path("pipe"), &["p"]);
    let error = fixture.disk.open_file(&fixture.root, Path::new("pipe")).err().expect("no file");
    assert_eq!(error.kind, DiskErrorKind::NotAFile { what: "a named pipe" });
    let listed = fixture.disk.list(&fixture.root, Path::new("")).expect("a folder");
    assert!(listed.iter().any(|it| it.name == "pipe" && it.kind == Kind::Other), "{listed:?}");
}
