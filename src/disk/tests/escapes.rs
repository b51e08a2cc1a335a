//! Tests that no path and no link reaches anything outside a root.

use super::*;
use std::os::unix::fs::symlink;

fn kind_of(fixture: &Fixture, relative: &str) -> Option<DiskErrorKind> {
    fixture.disk.resolve(&fixture.root, Path::new(relative)).err().map(|error| error.kind)
}

#[test]
fn every_way_out_is_refused() {
    let fixture = Fixture::new();
    let canary = fixture.dir.path().join("ws-evil/canary");
    let link = |to: &str, name: &str| symlink(to, fixture.path(name)).expect("a link");
    fs::create_dir(fixture.path("sub")).expect("a folder");
    link(canary.to_str().expect("text"), "absolute");
    link("../ws-evil/canary", "relative");
    link("../ws-evil", "folder");
    link("/proc/self/root", "magic");
    link("../ws-evil/none", "dangling");
    link("/tmp/none-such", "dangling-absolute");
    link("missing/../../ws-evil/new", "dangling-dots");
    link("relative", "chain");
    link("../../ws-evil", "sub/up");
    let sibling = canary.to_str().expect("text").to_owned();
    let proc_path = format!("magic{sibling}");
    for path in [
        "../ws-evil/canary",
        "..",
        "../ws",
        "sub/../../ws-evil/canary",
        "./../ws-evil/canary",
        "../ws/../ws-evil/new",
        &sibling,
        "/etc/passwd",
        "absolute",
        "relative",
        "folder/canary",
        "folder/new",
        "folder/new/deep",
        "magic/etc/passwd",
        &proc_path,
        "dangling",
        "dangling-absolute",
        "dangling-dots",
        "chain",
        "sub/up/canary",
        "missing/../../ws-evil/canary",
    ] {
        assert_eq!(kind_of(&fixture, path), Some(DiskErrorKind::OutsideRoot), "{path}");
    }
}

#[test]
fn absolute_links_that_stay_inside_are_followed() {
    let fixture = Fixture::new();
    fixture.write("sub/file", "text");
    let link = |to: &str, name: &str| symlink(fixture.path(to), fixture.path(name)).expect("a link");
    link("sub/file", "to-file");
    link("sub", "to-folder");
    link("to-folder", "to-link");
    link("sub/new", "to-nothing");
    link("sub/../../ws-evil/canary", "through-dots");
    for (path, leads_to) in [
        ("to-file", "sub/file"),
        ("to-folder/file", "sub/file"),
        ("to-link/file", "sub/file"),
        ("to-folder/new", "sub/new"),
        ("to-nothing", "sub/new"),
    ] {
        let target = fixture.disk.resolve(&fixture.root, Path::new(path)).expect(path);
        assert_eq!(target.path, fixture.root.path().join(leads_to), "{path}");
    }
    assert_eq!(kind_of(&fixture, "through-dots"), Some(DiskErrorKind::OutsideRoot));
}

#[test]
fn paths_that_cannot_be_files_are_refused_by_kind() {
    let fixture = Fixture::new();
    fixture.write("file", "text");
    fixture.write("sub/file", "text");
    symlink("loop-b", fixture.path("loop-a")).expect("a link");
    symlink("loop-a", fixture.path("loop-b")).expect("a link");
    let long = "x".repeat(256);
    let a = |what| Some(DiskErrorKind::NotAFile { what });
    for (path, kind) in [
        ("sub", a("a folder")),
        ("", a("a folder")),
        ("sub/.", a("a folder")),
        ("sub/", a("a folder")),
        ("new/", a("the name of a folder")),
        ("file/below", a("a path through a file")),
        ("file/below/deeper", a("a path through a file")),
        ("file/", a("a path through a file")),
        ("loop-a", Some(DiskErrorKind::Loop)),
        ("loop-a/file", Some(DiskErrorKind::Loop)),
        (long.as_str(), Some(DiskErrorKind::NameTooLong)),
        ("nul\0", Some(DiskErrorKind::InvalidName)),
        ("missing/../file", Some(DiskErrorKind::NotFound)),
        ("file", None),
        ("sub/../file", None),
        ("missing/new", None),
    ] {
        assert_eq!(kind_of(&fixture, path), kind, "{path:?}");
    }
}

#[test]
fn links_that_stay_inside_lead_to_their_target() {
    let fixture = Fixture::new();
    fixture.write("sub/real", "text");
    symlink("sub/real", fixture.path("direct")).expect("a link");
    symlink("direct", fixture.path("chain")).expect("a link");
    symlink("../sub/../chain", fixture.path("sub/back")).expect("a link");
    symlink("sub", fixture.path("folder")).expect("a link");
    for path in ["direct", "chain", "sub/back", "folder/real", "folder/back"] {
        let target = fixture.target(path);
        assert_eq!(target.path, fixture.path("sub/real"), "{path}");
        assert_eq!((target.via_symlink, target.exists), (path != "folder/real", true), "{path}");
        assert_eq!(target.key, fixture.target("sub/real").key);
    }
    assert!(!fixture.target("sub/real").via_symlink);
    assert!(!fixture.target("sub/../sub/./real").via_symlink);
}

#[test]
fn a_dangling_link_inside_resolves_to_the_path_it_points_to() {
    let fixture = Fixture::new();
    symlink("deep/er/new", fixture.path("link")).expect("a link");
    symlink("nowhere", fixture.path("folder")).expect("a link");
    let target = fixture.target("link");
    assert_eq!(target.path, fixture.path("deep/er/new"));
    assert_eq!(target.missing_dirs, ["deep", "er"]);
    assert!(!target.exists && target.via_symlink);
    assert_eq!(fixture.target("folder/new").path, fixture.path("nowhere/new"));
    fixture.commit(&[create(&target, "text")]).expect("committed");
    assert_eq!(fixture.text("link"), "text");
    assert!(fixture.path("link").is_symlink());
}

#[test]
fn a_root_must_be_an_absolute_path_to_a_folder() {
    let fixture = Fixture::new();
    fixture.write("file", "");
    let kind = |path: &Path| fixture.disk.open_root(path).expect_err("refused").kind;
    assert_eq!(kind(Path::new("relative")), DiskErrorKind::InvalidName);
    assert_eq!(kind(&fixture.path("none")), DiskErrorKind::NotFound);
    assert_eq!(kind(&fixture.path("file")), DiskErrorKind::NotAFile { what: "a path through a file" });
    symlink(fixture.root.path(), fixture.dir.path().join("alias")).expect("a link");
    let root = fixture.disk.open_root(&fixture.dir.path().join("alias")).expect("a root");
    assert_eq!(root.path(), fixture.root.path());
    assert_eq!(root.given(), fixture.dir.path().join("alias"));
}

#[test]
fn the_top_folder_is_a_root_like_any_other() {
    let fixture = Fixture::new();
    fixture.write("sub/file", "text");
    let top = fixture.disk.open_root(Path::new("/")).expect("a root");
    let path = fixture.path("sub/file");
    let relative = path.strip_prefix("/").expect("absolute");
    let target = fixture.disk.resolve(&top, relative).expect("a place");
    assert_eq!(target.path, path);
    assert_eq!(target.opened_dir(), fixture.path("sub"));
}

#[test]
fn the_memory_disk_resolves_paths_like_the_real_one() {
    let disk = MemoryDisk::new();
    disk.write_externally("/ws/sub/real", b"text");
    disk.write_externally("/ws-evil/canary", b"alive");
    for (to, path) in [
        ("sub/real", "/ws/direct"),
        ("../ws-evil/canary", "/ws/relative"),
        ("/ws-evil/canary", "/ws/absolute"),
        ("deep/new", "/ws/dangling"),
        ("loop", "/ws/loop"),
    ] {
        disk.symlink(to, path);
    }
    let root = disk.open_root(Path::new("/ws")).expect("a root");
    let resolve = |path: &str| disk.resolve(&root, Path::new(path));
    for path in ["relative", "absolute", "../ws-evil/canary", "/ws/sub/real", "sub/../../ws-evil/x"] {
        assert_eq!(resolve(path).expect_err(path).kind, DiskErrorKind::OutsideRoot);
    }
    assert_eq!(resolve("loop").expect_err("a loop").kind, DiskErrorKind::Loop);
    assert_eq!(resolve("direct").expect("a place").path, Path::new("/ws/sub/real"));
    assert_eq!(resolve("dangling").expect("a place").missing_dirs, ["deep"]);
}
