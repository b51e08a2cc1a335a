//! Tests of files that take the names of links and folders, and of folders that take those of files.

use super::crash::{Setup, kill_everywhere, killed_commit, restart};
use super::sets::Contents;
use super::*;
use std::os::unix::fs::symlink;

/// Lays out links and folders, and returns a workspace on a disk that can fail.
fn scene() -> Setup<OsDisk> {
    let (fixture, folder) = (Fixture::new(), tempfile::tempdir().expect("a folder"));
    for name in ["d/x", "d/in/y", "p", "outer/w", "outer/l"] {
        fixture.write(name, name);
    }
    fs::create_dir(fixture.path("d/in/empty")).expect("a folder");
    symlink("outer/l", fixture.path("l")).expect("a link");
    symlink("outer", fixture.path("lf")).expect("a link");
    Setup {
        disk: FailingDisk::new(OsDisk::new()),
        root: fixture.root.clone(),
        journal: folder.path().to_owned(),
        changes: |setup| changes(&setup.disk, &setup.root),
        contents: |setup| contents(setup.root.path()),
        real: Some((fixture, folder)),
    }
}

/// Returns the location of a file in place of the link or folder `first`.
fn in_place_of(disk: &dyn Disk, root: &Root, first: &str, path: &str) -> Target {
    let beside = disk.resolve(root, Path::new(".editd")).expect("a place");
    let stat = disk.peek(root, Path::new(first)).expect("a state").filter(|stat| stat.kind() != Kind::File);
    beside.in_place_of(&root.path().join(path), stat)
}

fn changes(disk: &dyn Disk, root: &Root) -> Vec<Change> {
    let at = |path: &str| disk.resolve(root, Path::new(path)).expect("a place");
    let in_place = |first: &str, path: &str| create(&in_place_of(disk, root, first, path), "new");
    vec![
        delete(disk, &at("d/x")),
        delete(disk, &at("d/in/y")),
        delete(disk, &at("p")),
        in_place("l", "l"),
        in_place("lf", "lf/deep/z"),
        in_place("lf", "lf/w"),
        in_place("d", "d"),
        in_place("p", "p/q"),
    ]
}

/// Returns the content of files, the targets of links, and `None` for folders.
fn contents(folder: &Path) -> Contents {
    let mut all = Contents::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_symlink() {
            let target = fs::read_link(&path).expect("a link");
            all.insert(path, Some(format!("-> {}", target.display()).into_bytes()));
        } else if path.is_dir() {
            all.extend(contents(&path));
            all.insert(path, None);
        } else {
            let bytes = fs::read(&path).expect("a file");
            all.insert(path, Some(bytes));
        }
    }
    all
}

fn expected_after(ws: &Path) -> Contents {
    let files = [("d", "new"), ("l", "new"), ("lf/deep/z", "new"), ("lf/w", "new"), ("p/q", "new")];
    let kept = [("outer/w", "outer/w"), ("outer/l", "outer/l")];
    let folders = ["lf", "lf/deep", "p", "outer"].map(|name| (ws.join(name), None));
    let files = files.into_iter().chain(kept).map(|(name, text)| (ws.join(name), Some(text.into())));
    files.chain(folders).collect()
}

#[test]
fn names_of_another_kind_are_taken_or_kept_whichever_primitive_fails() {
    let arms: [fn(&FailingDisk<OsDisk>, usize); 2] =
        [|disk, k| disk.fail_at(k, DiskErrorKind::Io), |disk, k| disk.fail_late_at(k, DiskErrorKind::Io)];
    for arm in arms {
        for k in 1.. {
            let setup = scene();
            let (before, changes) = (contents(setup.root.path()), (setup.changes)(&setup));
            let own = TestJournal::on(setup.disk.inner());
            arm(&setup.disk, k);
            let result = own.commit(&setup.disk, &changes, Durability::Full);
            let after = contents(setup.root.path());
            match &result {
                Ok(done) if done.iter().all(|done| done.leftover.is_none()) => {
                    assert_eq!(after, expected_after(setup.root.path()), "k = {k}");
                }
                Ok(_) => panic!("k = {k}: {result:?}"),
                Err(error) => {
                    assert!(error.rolled_back(), "k = {k}: {:?}", error.not_undone);
                    assert_eq!(after, before, "k = {k}: {error}");
                }
            }
            if setup.disk.calls() < k {
                assert!(result.is_ok() && k > 60, "only {k} primitives");
                break;
            }
        }
    }
}

#[test]
fn names_of_another_kind_are_taken_or_kept_after_a_kill_at_any_call() {
    for durability in [Durability::Process, Durability::Full] {
        kill_everywhere(scene, durability, false, |setup, done, _, at| {
            let now = contents(setup.root.path());
            let (expected, before) = (expected_after(setup.root.path()), before(setup.root.path()));
            assert!(now == expected || (!done && now == before), "{at:?}: {now:#?}");
        });
    }
}

#[test]
fn a_recovery_of_a_folder_in_the_way_that_is_killed_is_finished_by_the_next() {
    let setup = || Setup {
        changes: |setup: &Setup<OsDisk>| {
            let at = |path: &str| setup.disk.resolve(&setup.root, Path::new(path)).expect("a place");
            let new = in_place_of(&setup.disk, &setup.root, "d", "d");
            vec![delete(&setup.disk, &at("d/x")), delete(&setup.disk, &at("d/in/y")), create(&new, "new")]
        },
        ..scene()
    };
    kill_everywhere(setup, Durability::Process, true, |setup, done, _, at| {
        let (now, before) = (contents(setup.root.path()), before(setup.root.path()));
        let mut expected = before.clone();
        let folder = setup.root.path().join("d");
        expected.retain(|path, _| !path.starts_with(&folder));
        expected.insert(folder, Some(b"new".to_vec()));
        assert!(now == expected || (!done && now == before), "{at:?}: {now:#?}");
    });
}

/// Returns the content of the scene, in another workspace.
fn before(ws: &Path) -> Contents {
    let scene = scene();
    let moved = |path: &Path| ws.join(path.strip_prefix(scene.root.path()).expect("below"));
    contents(scene.root.path()).into_iter().map(|(path, content)| (moved(&path), content)).collect()
}

#[test]
fn what_another_program_puts_into_a_folder_in_the_way_stays() {
    for (theirs, k) in
        ["d/mine", "d/in/mine"].into_iter().flat_map(|theirs| (1..200).map(move |k| (theirs, k)))
    {
        let setup = scene();
        let changes = (setup.changes)(&setup);
        let own = TestJournal::on(setup.disk.inner());
        let mine = setup.root.path().join(theirs);
        let written = Arc::new(parking_lot::Mutex::new(false));
        let (at, wrote) = (mine.clone(), written.clone());
        setup.disk.run_at(k, move || *wrote.lock() = fs::write(&at, "mine").is_ok());
        let result = own.commit(&setup.disk, &changes, Durability::Process);
        if setup.disk.calls() < k {
            assert!(k > 60);
            continue;
        }
        let now = contents(setup.root.path());
        if *written.lock() {
            let error = result.expect_err("the folder is not empty");
            assert!(error.rolled_back(), "{k}: {error:?}");
            let mut expected = before(setup.root.path());
            expected.insert(mine, Some(b"mine".to_vec()));
            assert_eq!(now, expected, "{k}");
        } else {
            result.expect("the folder is gone");
            assert_eq!(now, expected_after(setup.root.path()), "{k}");
        }
    }
}

#[test]
fn a_link_that_is_replaced_at_the_last_moment_stays() {
    for k in 1.. {
        let setup = scene();
        let changes = (setup.changes)(&setup);
        let own = TestJournal::on(setup.disk.inner());
        let link = setup.root.path().join("l");
        let at = link.clone();
        setup.disk.run_at(k, move || {
            if at.is_symlink() {
                fs::remove_file(&at).expect("removed");
                symlink("mine", &at).expect("a link");
            }
        });
        let result = own.commit(&setup.disk, &changes, Durability::Process);
        if setup.disk.calls() < k {
            assert!(k > 60);
            return;
        }
        match result {
            Ok(_) => assert_eq!(contents(setup.root.path()), expected_after(setup.root.path()), "{k}"),
            Err(error) => {
                let mut expected = before(setup.root.path());
                expected.insert(link, Some(b"-> mine".to_vec()));
                assert!(error.rolled_back(), "{k}: {error:?}");
                assert_eq!(contents(setup.root.path()), expected, "{k}");
            }
        }
    }
}

#[test]
fn a_name_that_another_program_takes_before_the_next_start_stays() {
    for theirs in ["d", "l", "lf"] {
        let mut taken = 0;
        for k in 1.. {
            let setup = scene();
            let changes = (setup.changes)(&setup);
            killed_commit(&setup.disk, &setup.journal, &changes, (k, Durability::Process));
            if setup.disk.calls() < k {
                assert!(taken > 0, "{theirs}");
                break;
            }
            let path = setup.root.path().join(theirs);
            if path.symlink_metadata().is_ok() {
                continue;
            }
            taken += 1;
            fs::write(&path, "theirs").expect("a file");
            let (recovery, rescued) = restart(setup.disk.inner(), &setup.journal);
            assert!(
                recovery.failed.is_empty() && recovery.left.contains(&path),
                "{theirs} {k}: {recovery:?}"
            );
            assert_eq!(fs::read_to_string(&path).expect("a file"), "theirs");
            let now = contents(setup.root.path());
            let stray = now.keys().find(|path| path.file_name().is_some_and(is_stray));
            assert_eq!(stray, None, "{theirs} {k}: {now:#?}");
            for text in ["d/x", "d/in/y", "p", "outer/w", "outer/l"] {
                let is_there = now.values().flatten().any(|content| content == text.as_bytes());
                assert!(
                    is_there || rescued.iter().any(|(_, kept)| kept == text),
                    "{theirs} {k}: {text} is lost"
                );
            }
        }
    }
}
