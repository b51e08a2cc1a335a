//! Tests of read-only files, full disks, and folders of other users. They need root, for mounts and other
//! users.

use super::*;
use rustix::fs::{IFlags, ioctl_getflags, ioctl_setflags};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::process::Command;

/// A mount that ends with the test.
struct Mount(PathBuf);

impl Mount {
    fn new(arguments: &[&str], at: PathBuf) -> Self {
        let status = Command::new("mount").args(arguments).arg(&at).status().expect("mount(8)");
        assert!(status.success(), "this test needs root, to mount");
        Self(at)
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        Command::new("umount").arg("-l").arg(&self.0).status().ok();
    }
}

/// Returns the errors for every kind of change of `file`; none may have an effect.
fn refusals(fixture: &Fixture) -> Vec<DiskErrorKind> {
    let (disk, target) = (&fixture.disk, fixture.target("file"));
    let before = fixture.all();
    let kinds = [
        replace(disk, &target, "new"),
        delete(disk, &target),
        rename(disk, &target, &fixture.target("to"), None),
        rename(disk, &target, &fixture.target("to"), Some("new")),
    ]
    .map(|change| fixture.commit(&[change]).expect_err("refused").error.kind);
    assert_eq!(fixture.all(), before);
    kinds.to_vec()
}

#[test]
fn a_file_without_any_write_permission_is_refused_for_root_too() {
    let fixture = Fixture::new();
    fixture.write("file", "old");
    fs::set_permissions(fixture.path("file"), fs::Permissions::from_mode(0o444)).expect("a mode");
    assert_eq!(refusals(&fixture), vec![DiskErrorKind::ReadOnly; 4]);
}

#[test]
fn an_immutable_or_append_only_file_is_refused() {
    let fixture = Fixture::new();
    for flag in [IFlags::IMMUTABLE, IFlags::APPEND] {
        fixture.write("file", "old");
        let file = fs::File::open(fixture.path("file")).expect("a file");
        let plain = ioctl_getflags(&file).expect("flags");
        ioctl_setflags(&file, plain | flag).expect("a flag, as root");
        let kinds = refusals(&fixture);
        ioctl_setflags(&file, plain).expect("flags");
        // POSIX has no such flag: access is denied when the file is changed.
        let unknown = is_portable() && flag == IFlags::APPEND;
        let kind = if unknown { DiskErrorKind::PermissionDenied } else { DiskErrorKind::ReadOnly };
        assert_eq!(kinds, vec![kind; 4]);
    }
}

#[test]
fn a_file_in_an_immutable_folder_is_written_in_place() {
    let fixture = Fixture::new();
    fixture.write("sub/file", "old");
    let target = fixture.target("sub/file");
    let folder = fs::File::open(fixture.path("sub")).expect("a folder");
    let plain = ioctl_getflags(&folder).expect("flags");
    ioctl_setflags(&folder, plain | IFlags::IMMUTABLE).expect("a flag, as root");
    let result = fixture.commit(&[replace(&fixture.disk, &target, "new")]);
    let created = fixture.commit(&[create(&fixture.target("sub/new"), "")]);
    ioctl_setflags(&folder, plain).expect("flags");
    result.expect("committed");
    assert_eq!(fixture.text("sub/file"), "new");
    assert_eq!(created.expect_err("refused").error.kind, DiskErrorKind::PermissionDenied);
}

#[test]
fn a_file_on_a_read_only_mount_is_refused() {
    let fixture = Fixture::new();
    let mount = Mount::new(&["-t", "tmpfs", "tmpfs"], fixture.root.path().to_owned());
    let fixture = Fixture { root: fixture.disk.open_root(fixture.root.path()).expect("a root"), ..fixture };
    fixture.write("file", "old");
    let status = Command::new("mount").args(["-o", "remount,ro"]).arg(&mount.0).status().expect("mount(8)");
    assert!(status.success());
    assert_eq!(refusals(&fixture), vec![DiskErrorKind::ReadOnly; 4]);
    let error = fixture.commit(&[create(&fixture.target("new"), "")]).expect_err("refused");
    assert_eq!(error.error.kind, DiskErrorKind::ReadOnly);
}

#[test]
fn a_file_that_is_a_mount_point_is_written_in_place() {
    let fixture = Fixture::new();
    fixture.write("source", "old");
    fixture.write("file", "hidden");
    let source = fixture.path("source");
    let _mount = Mount::new(&["--bind", source.to_str().expect("text")], fixture.path("file"));
    let target = fixture.target("file");
    let result = fixture.commit(&[replace(&fixture.disk, &target, "new")]);
    if is_portable() {
        // POSIX does not tell about mounts.
        assert!(result.expect_err("refused").rolled_back());
        assert_eq!(fixture.text("source"), "old");
        return;
    }
    result.expect("committed");
    assert_eq!((fixture.text("file"), fixture.text("source")), ("new".into(), "new".into()));
    let error = fixture.commit(&[delete(&fixture.disk, &target)]).expect_err("refused");
    assert_eq!(error.error.kind, DiskErrorKind::Busy);
}

#[test]
fn a_full_disk_changes_nothing_and_reports_the_missing_space() {
    let fixture = Fixture::new();
    let _mount = Mount::new(&["-t", "tmpfs", "-o", "size=64k", "tmpfs"], fixture.root.path().to_owned());
    let fixture = Fixture { root: fixture.disk.open_root(fixture.root.path()).expect("a root"), ..fixture };
    for name in ["a", "b", "linked"] {
        fixture.write(name, name);
    }
    fs::hard_link(fixture.path("linked"), fixture.path("linked-too")).expect("a link");
    let large = "x".repeat(40_000);
    let before = fixture.all();
    let replaced = |name: &str| replace(&fixture.disk, &fixture.target(name), &large);
    let sets = [
        vec![replaced("a"), replaced("b")],
        vec![replaced("a"), replaced("linked")],
        vec![create(&fixture.target("new/er"), &large), replaced("linked")],
        vec![replace(&fixture.disk, &fixture.target("a"), &large.repeat(2))],
        vec![replace(&fixture.disk, &fixture.target("linked"), &large.repeat(2))],
        vec![create(&fixture.target("new"), &large.repeat(2))],
    ];
    for set in sets {
        let error = fixture.commit(&set).expect_err("full");
        let DiskErrorKind::NoSpace { required: Some(required), available: Some(available) } =
            error.error.kind
        else {
            panic!("{:?}", error.error);
        };
        assert!(required >= 40_000 && available < 65_536, "{required} {available}");
        assert!(error.rolled_back());
        assert_eq!(fixture.all(), before);
    }
    fixture.commit(&[replaced("a")]).expect("one of them fits");
}

#[test]
fn another_user_writes_what_it_may_and_no_more() {
    let fixture = Fixture::new();
    let open = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("mode");
    open(fixture.dir.path(), 0o755);
    let owned = |name: &str, mode, uid| {
        fixture.write(name, "old");
        open(&fixture.path(name), mode);
        chown(fixture.path(name), Some(uid), Some(uid)).expect("a change of owner, as root");
    };
    owned("mine/foreign", 0o666, 0);
    owned("mine/unwritable", 0o644, 0);
    owned("mine/read-only", 0o444, 1000);
    owned("closed/mine", 0o644, 1000);
    owned("sticky/foreign", 0o666, 0);
    owned("sticky/mine", 0o644, 1000);
    chown(fixture.path("mine"), Some(1000), None).expect("a change of owner, as root");
    open(&fixture.path("sticky"), 0o1777);
    let status = Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", "tests::limits::as_another_user", "--ignored"])
        .env("EDITD_TEST_ROOT", fixture.root.path())
        .gid(1000)
        .uid(1000)
        .status()
        .expect("a process of another user, as root");
    assert!(status.success());
    assert_eq!(fixture.text("closed/mine"), "new");
    let stat = fs::metadata(fixture.path("mine/foreign")).expect("a file");
    assert_eq!((stat.uid(), fixture.text("mine/foreign")), (0, "new".into()));
    let strays = fixture.all().into_keys().filter(|path| path.file_name().is_some_and(is_stray));
    assert_eq!(strays.count(), 0);
}

#[test]
#[ignore = "run by the test above, as another user"]
fn as_another_user() {
    assert_ne!(rustix::process::geteuid().as_raw(), 0);
    let disk = OsDisk::new();
    let root = std::env::var("EDITD_TEST_ROOT").expect("run by the test above");
    let root = disk.open_root(Path::new(&root)).expect("a root");
    let edit = |path: &str| {
        let target = disk.resolve(&root, Path::new(path)).expect("a place");
        let before = disk.stat(&target).expect("a state").expect("there");
        let result = commit(&disk, &[replace(&disk, &target, "new")], Durability::Process);
        let after = disk.stat(&target).expect("a state").expect("there");
        result.map(|_| before.ino == after.ino).map_err(|error| error.error.kind)
    };
    assert_eq!(edit("mine/foreign"), Ok(true), "the owner cannot be given to another inode");
    assert_eq!(edit("closed/mine"), Ok(true), "the folder takes no new file");
    assert_eq!(edit("sticky/foreign"), Ok(true), "the folder keeps what others own");
    assert_eq!(edit("sticky/mine"), Ok(false));
    assert_eq!(edit("mine/unwritable"), Err(DiskErrorKind::PermissionDenied));
    assert_eq!(edit("mine/read-only"), Err(DiskErrorKind::ReadOnly));
}
