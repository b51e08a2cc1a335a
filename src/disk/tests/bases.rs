//! Tests of the store of base texts.

use super::*;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("there").permissions().mode() & 0o777
}

/// Total size of the stored texts.
fn size(folder: &Path) -> u64 {
    let files = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry"));
    let texts = files.filter(|file| file.file_name() != ".part");
    texts.map(|file| file.metadata().expect("there").len()).sum()
}

#[test]
fn texts_come_back_by_name_and_only_their_owner_can_read_them() {
    let dir = tempfile::tempdir().expect("a folder");
    let folder = dir.path().join("state/bases");
    let store = BaseStore::open(&folder, 100).expect("a store");
    assert!(store.put("b3:00ff", b"text").expect("put"));
    assert_eq!(store.get("b3:00ff").expect("no error").as_deref(), Some(b"text".as_slice()));
    assert_eq!(store.get("b3:none").expect("no error"), None);
    assert_eq!((mode(&folder), mode(&folder.join("b3:00ff"))), (0o700, 0o600));
    fs::remove_file(folder.join("b3:00ff")).expect("removed by someone else");
    assert_eq!(store.get("b3:00ff").expect("no error"), None);
}

#[test]
fn the_oldest_texts_go_when_there_are_too_many_bytes() {
    let dir = tempfile::tempdir().expect("a folder");
    let store = BaseStore::open(dir.path(), 10).expect("a store");
    for name in ["a", "b", "c"] {
        assert!(store.put(name, b"1234").expect("put"));
    }
    let there = |name| store.get(name).expect("no error").is_some();
    assert_eq!((there("a"), there("b"), there("c"), size(dir.path())), (false, true, true, 8));
    assert!(store.put("b", b"12").expect("put again, so it is the newest"));
    assert!(store.put("d", b"12345").expect("put"));
    assert_eq!((there("b"), there("c"), there("d"), size(dir.path())), (true, false, true, 7));
    assert!(!store.put("huge", b"12345678901").expect("not kept"));
    assert!(there("b") && !there("huge"));
}

#[test]
fn a_reopened_store_knows_its_texts_and_keeps_to_its_limit() {
    let dir = tempfile::tempdir().expect("a folder");
    let store = BaseStore::open(dir.path(), 100).expect("a store");
    for name in ["a", "b", "c"] {
        store.put(name, b"1234").expect("put");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    fs::write(dir.path().join(".part"), "torn").expect("what a killed process left");
    let store = BaseStore::open(dir.path(), 9).expect("a store");
    assert_eq!(size(dir.path()), 8);
    assert!(store.get("a").expect("no error").is_none());
    store.put("d", b"1").expect("put");
    assert!(!dir.path().join(".part").exists());
}

#[test]
fn a_name_never_leads_out_of_the_folder() {
    let dir = tempfile::tempdir().expect("a folder");
    let store = BaseStore::open(dir.path(), 100).expect("a store");
    let long = "x".repeat(201);
    for name in ["", ".", "..", "../x", "/etc/passwd", "a/b", ".part", "nul\0", long.as_str()] {
        assert_eq!(store.put(name, b"").expect_err(name).kind(), ErrorKind::InvalidInput);
        assert_eq!(store.get(name).expect_err(name).kind(), ErrorKind::InvalidInput);
    }
}
