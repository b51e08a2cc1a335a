//! Tests that a commit preserves a file's attributes. They need root, to create files of other users.

use super::*;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};

const ACL: &str = "system.posix_acl_access";

/// An access list in the kernel's format: owner rw, user 1234 r, group r, mask rw, others none.
fn acl() -> Vec<u8> {
    let mut bytes = 2_u32.to_le_bytes().to_vec();
    for (tag, permissions, id) in
        [(1_u16, 6_u16, u32::MAX), (2, 4, 1234), (4, 4, u32::MAX), (16, 6, u32::MAX), (32, 0, u32::MAX)]
    {
        bytes.extend(tag.to_le_bytes());
        bytes.extend(permissions.to_le_bytes());
        bytes.extend(id.to_le_bytes());
    }
    bytes
}

/// Mode, owner, group and attributes of a file.
fn attributes_of(path: &Path) -> (u32, u32, u32, Vec<(String, Vec<u8>)>) {
    let stat = fs::metadata(path).expect("a file");
    let mut attributes: Vec<_> = xattr::list(path)
        .expect("attributes")
        .map(|name| {
            let value = xattr::get(path, &name).expect("a value").unwrap_or_default();
            (name.to_string_lossy().into_owned(), value)
        })
        .collect();
    attributes.sort();
    (stat.mode(), stat.uid(), stat.gid(), attributes)
}

#[test]
fn mode_owner_acl_and_attributes_survive_a_replace() {
    let fixture = Fixture::new();
    for (mode, uid, with_acl, with_xattr) in
        [0o644, 0o755, 0o600, 0o4755, 0o2711].into_iter().flat_map(|mode| {
            [0_u32, 1000].into_iter().flat_map(move |uid| {
                [false, true].into_iter().flat_map(move |a| [false, true].map(|x| (mode, uid, a, x)))
            })
        })
    {
        let path = fixture.path("file");
        fs::remove_file(&path).ok();
        fixture.write("file", "old");
        chown(&path, Some(uid), Some(uid)).expect("a change of owner, as root");
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("a mode");
        if with_acl {
            xattr::set(&path, ACL, &acl()).expect("an ACL");
        }
        if with_xattr {
            xattr::set(&path, "user.note", b"kept").expect("an attribute");
            xattr::set(&path, "user.long", &[7; 1000]).expect("an attribute");
        }
        let before = attributes_of(&path);
        // Held open, so that its inode number cannot be reused for the second replacement.
        let original = fs::File::open(&path).expect("a file");
        let target = fixture.target("file");
        for durability in [Durability::Process, Durability::Full] {
            let change = replace(&fixture.disk, &target, &format!("new {durability:?}"));
            commit(&fixture.disk, &[change], durability).expect("committed");
            assert_eq!(attributes_of(&path), before, "{mode:o} {uid} {with_acl} {with_xattr}");
        }
        assert_eq!(fixture.text("file"), "new Full");
        assert_eq!(original.metadata().expect("a state").nlink(), 0, "it was a replace");
        let moved = rename(&fixture.disk, &target, &fixture.target("moved"), Some("moved"));
        fixture.commit(&[moved]).expect("committed");
        assert_eq!(attributes_of(&fixture.path("moved")), before);
        fs::remove_file(fixture.path("moved")).expect("removed");
    }
}

#[test]
fn a_folders_default_acl_is_given_to_new_files_only() {
    let fixture = Fixture::new();
    fixture.write("old", "old");
    xattr::set(fixture.root.path(), "system.posix_acl_default", &acl()).expect("a default ACL");
    let before = attributes_of(&fixture.path("old"));
    let change = replace(&fixture.disk, &fixture.target("old"), "new");
    fixture.commit(&[change, create(&fixture.target("new"), "new")]).expect("committed");
    assert_eq!(attributes_of(&fixture.path("old")), before);
    fs::write(fixture.path("plain"), "").expect("a file");
    assert_eq!(attributes_of(&fixture.path("new")), attributes_of(&fixture.path("plain")));
}

#[test]
fn privileges_of_a_program_are_not_given_to_changed_code() {
    let fixture = Fixture::new();
    fixture.write("file", "old");
    let capability = [1, 0, 0, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    xattr::set(fixture.path("file"), "security.capability", &capability).expect("a capability, as root");
    fixture.commit(&[replace(&fixture.disk, &fixture.target("file"), "new")]).expect("committed");
    assert!(attributes_of(&fixture.path("file")).3.is_empty());
}

#[test]
fn an_attribute_that_is_not_known_to_be_copyable_keeps_the_inode() {
    let fixture = Fixture::new();
    fixture.write("file", "old");
    xattr::set(fixture.path("file"), "trusted.note", b"kept").expect("an attribute, as root");
    let before =
        (attributes_of(&fixture.path("file")), fs::metadata(fixture.path("file")).expect("a file").ino());
    fixture.commit(&[replace(&fixture.disk, &fixture.target("file"), "new")]).expect("committed");
    assert_eq!(fixture.text("file"), "new");
    assert_eq!(
        (attributes_of(&fixture.path("file")), fs::metadata(fixture.path("file")).expect("a file").ino()),
        before
    );
    assert_eq!(fixture.all().len(), 1);
}

#[test]
fn a_set_user_id_file_with_two_names_keeps_its_mode() {
    let fixture = Fixture::new();
    fixture.write("one", "old");
    fs::hard_link(fixture.path("one"), fixture.path("two")).expect("a link");
    chown(fixture.path("one"), Some(1000), Some(1000)).expect("a change of owner, as root");
    fs::set_permissions(fixture.path("one"), fs::Permissions::from_mode(0o4755)).expect("a mode");
    let before = attributes_of(&fixture.path("one"));
    fixture.commit(&[replace(&fixture.disk, &fixture.target("one"), "new")]).expect("committed");
    assert_eq!(attributes_of(&fixture.path("two")), before);
    assert_eq!(fixture.text("two"), "new");
}
