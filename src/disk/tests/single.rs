//! Commits of one change.

use super::*;
use editd_workspace::NewMode;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

#[test]
fn a_replace_puts_the_new_content_in_place_and_leaves_nothing_beside() {
    let fixture = Fixture::new();
    fixture.write("file", "old");
    let target = fixture.target("file");
    for durability in [Durability::Process, Durability::Full] {
        let change = replace(&fixture.disk, &target, &format!("new {durability:?}"));
        let done = commit(&fixture.disk, &[change], durability).expect("committed");
        assert_eq!(fixture.text("file"), format!("new {durability:?}"));
        let stat = fixture.disk.stat(&target).expect("a state");
        assert!(done[0].stat.zip(stat).is_some_and(|(reported, there)| reported.same_version(&there)));
        assert_eq!(done[0].leftover, None);
        assert_eq!(fixture.all().len(), 1);
    }
}

#[test]
fn a_create_makes_folders_and_honours_the_umask() {
    let fixture = Fixture::new();
    fixture.commit(&[create(&fixture.target("a/b/new"), "text")]).expect("committed");
    assert_eq!(fixture.text("a/b/new"), "text");
    fs::write(fixture.path("plain"), "").expect("a file");
    fs::create_dir(fixture.path("folder")).expect("a folder");
    let mode = |path: &str| fs::metadata(fixture.path(path)).expect("a file").mode();
    assert_eq!(mode("a/b/new"), mode("plain"));
    assert_eq!(mode("a"), mode("folder"));
    let mut change = create(&fixture.target("script"), "#!");
    if let Change::Create { mode, .. } = &mut change {
        *mode = NewMode::Bits(0o755);
    }
    fixture.commit(&[change]).expect("committed");
    assert_eq!(mode("script") & 0o7777, 0o755);
}

#[test]
fn a_create_never_replaces() {
    let fixture = Fixture::new();
    let target = fixture.target("new");
    fixture.write("new", "someone was faster");
    let error = fixture.commit(&[create(&target, "text")]).expect_err("refused");
    assert_eq!(error.error.kind, DiskErrorKind::Exists);
    assert!(error.rolled_back());
    assert_eq!(fixture.text("new"), "someone was faster");
    assert_eq!(fixture.all().len(), 1);
}

#[test]
fn a_delete_removes_and_a_rename_moves_with_or_without_an_edit() {
    let fixture = Fixture::new();
    for name in ["gone", "from", "edited"] {
        fixture.write(name, name);
    }
    let disk = &fixture.disk;
    let done = fixture.commit(&[delete(disk, &fixture.target("gone"))]).expect("committed");
    assert!(done[0].stat.is_none());
    let ino = fs::metadata(fixture.path("from")).expect("a file").ino();
    let moved = rename(disk, &fixture.target("from"), &fixture.target("x/to"), None);
    fixture.commit(&[moved]).expect("committed");
    assert_eq!(fs::metadata(fixture.path("x/to")).expect("a file").ino(), ino);
    let edited = rename(disk, &fixture.target("edited"), &fixture.target("y/to"), Some("new"));
    let done = fixture.commit(&[edited]).expect("committed");
    assert_eq!(done[0].stat.map(|stat| stat.size), Some(3));
    assert_eq!(fixture.text("x/to"), "from");
    assert_eq!(fixture.text("y/to"), "new");
    assert_eq!(fixture.all().len(), 4, "{:?}", fixture.all().keys());
}

#[test]
fn a_rename_never_replaces() {
    let fixture = Fixture::new();
    fixture.write("from", "from");
    let to = fixture.target("to");
    fixture.write("to", "taken");
    for text in [None, Some("new")] {
        let change = rename(&fixture.disk, &fixture.target("from"), &to, text);
        assert_eq!(fixture.commit(&[change]).expect_err("refused").error.kind, DiskErrorKind::Exists);
    }
    assert_eq!((fixture.text("from"), fixture.text("to")), ("from".into(), "taken".into()));
    assert_eq!(fixture.all().len(), 2);
}

#[test]
fn hard_links_stay_one_file() {
    let fixture = Fixture::new();
    fixture.write("one", "a longer old text");
    fs::hard_link(fixture.path("one"), fixture.path("two")).expect("a link");
    fixture.commit(&[replace(&fixture.disk, &fixture.target("two"), "short")]).expect("committed");
    assert_eq!(fixture.text("one"), "short");
    let grown = "and now much longer than before".repeat(1000);
    fixture.commit(&[replace(&fixture.disk, &fixture.target("one"), &grown)]).expect("committed");
    assert_eq!(fixture.text("two"), grown);
    let change = rename(&fixture.disk, &fixture.target("two"), &fixture.target("three"), Some("edited"));
    fixture.commit(&[change]).expect("committed");
    assert_eq!((fixture.text("one"), fixture.text("three")), ("edited".into(), "edited".into()));
    let inode = |name| fs::metadata(fixture.path(name)).expect("a file").ino();
    assert_eq!(inode("one"), inode("three"));
}

#[test]
fn a_symlink_stays_and_its_target_is_replaced() {
    let fixture = Fixture::new();
    fixture.write("sub/real", "old");
    symlink("sub/real", fixture.path("link")).expect("a link");
    fixture.commit(&[replace(&fixture.disk, &fixture.target("link"), "new")]).expect("committed");
    assert!(fixture.path("link").is_symlink());
    assert_eq!(fixture.text("sub/real"), "new");
}

#[test]
fn names_as_long_as_they_may_be_are_replaced_and_created() {
    let fixture = Fixture::new();
    for length in [250, 255] {
        let name = "x".repeat(length);
        fixture.commit(&[create(&fixture.target(&name), "old")]).expect("created");
        let target = fixture.target(&name);
        for durability in [Durability::Process, Durability::Full] {
            let change = replace(&fixture.disk, &target, "new");
            commit(&fixture.disk, &[change], durability).expect("replaced");
        }
        assert_eq!(fixture.text(&name), "new");
        fixture.commit(&[delete(&fixture.disk, &target)]).expect("deleted");
    }
    assert!(fixture.all().is_empty());
}

#[test]
fn a_touched_file_is_fresh_and_keeps_its_new_mode() {
    let fixture = Fixture::new();
    fixture.write("file", "old");
    let target = fixture.target("file");
    let change = replace(&fixture.disk, &target, "new");
    fs::write(fixture.path("file"), "old").expect("rewritten alike");
    fs::set_permissions(fixture.path("file"), fs::Permissions::from_mode(0o755)).expect("chmod");
    fixture.commit(&[change]).expect("committed");
    assert_eq!(fixture.text("file"), "new");
    assert_eq!(fs::metadata(fixture.path("file")).expect("a file").mode() & 0o777, 0o755);
}

/// Every change that expects a file state, made for "old" in `file`.
fn changes_of(fixture: &Fixture) -> Vec<Change> {
    let (disk, target) = (&fixture.disk, fixture.target("file"));
    vec![
        replace(disk, &target, "new"),
        delete(disk, &target),
        rename(disk, &target, &fixture.target("to"), None),
        rename(disk, &target, &fixture.target("to"), Some("new")),
    ]
}

#[test]
fn another_content_is_detected_even_with_size_and_time_put_back() {
    let fixture = Fixture::new();
    for index in 0..4 {
        fixture.write("file", "old");
        let change = changes_of(&fixture).swap_remove(index);
        let old = fs::metadata(fixture.path("file")).expect("a file");
        fs::write(fixture.path("file"), "odd").expect("changed");
        let file = fs::File::options().write(true).open(fixture.path("file")).expect("opened");
        file.set_modified(old.modified().expect("a time")).expect("the time put back");
        for durability in [Durability::Process, Durability::Full] {
            let error = commit(&fixture.disk, std::slice::from_ref(&change), durability).expect_err("stale");
            assert_eq!(error.error.kind, DiskErrorKind::Changed);
            assert!(error.rolled_back(), "{:?}", error.not_undone);
        }
        assert_eq!(fixture.text("file"), "odd");
        assert_eq!(fixture.all().len(), 1);
    }
}

#[test]
fn a_file_that_is_gone_or_has_become_a_folder_is_reported() {
    let fixture = Fixture::new();
    fixture.write("file", "old");
    let changes = changes_of(&fixture);
    fs::remove_file(fixture.path("file")).expect("removed");
    let kind = |change| fixture.commit(std::slice::from_ref(change)).expect_err("refused").error.kind;
    for change in &changes {
        assert_eq!(kind(change), DiskErrorKind::NotFound);
    }
    fs::create_dir(fixture.path("file")).expect("a folder");
    for change in &changes {
        assert_eq!(kind(change), DiskErrorKind::NotAFile { what: "a folder" });
    }
}

#[test]
fn a_single_replace_whose_rename_fails_after_its_effect_is_done() {
    let fixture = Fixture::new();
    for k in 1.. {
        fixture.write("file", "old");
        let disk = FailingDisk::new(OsDisk::new());
        let change = replace(&disk, &fixture.target("file"), "new");
        let (own, changes) = (TestJournal::on(&disk), [change]);
        disk.fail_late_at(k, DiskErrorKind::Io);
        let result = own.commit(&disk, &changes, Durability::Process);
        assert_eq!(fixture.text("file"), if result.is_ok() { "new" } else { "old" }, "k = {k}");
        assert_eq!(fixture.all().len(), 1, "k = {k}");
        if disk.calls() < k {
            return;
        }
    }
}

#[test]
fn an_empty_set_succeeds() {
    let fixture = Fixture::new();
    assert!(fixture.commit(&[]).expect("nothing to do").is_empty());
}
