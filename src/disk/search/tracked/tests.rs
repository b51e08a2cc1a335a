use super::*;
use std::process::Command;

fn git(folder: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(arguments).current_dir(folder);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    assert!(command.status().unwrap().success(), "{arguments:?}");
}

#[test]
fn the_index_of_every_form_is_read() {
    for (options, update) in [
        (&["init", "-q"][..], &["update-index", "--index-version", "2"][..]),
        (&["init", "-q"], &["update-index", "--index-version", "3"]),
        (&["init", "-q"], &["update-index", "--index-version", "4"]),
        (&["init", "-q", "--object-format=sha256"], &["update-index", "--index-version", "2"]),
    ] {
        let folder = tempfile::tempdir().unwrap();
        git(folder.path(), options);
        assert_eq!(Tracked::read(folder.path()).unwrap(), Some(Tracked::default()));
        let names = ["a", "sub/b.txt", "sub/deep/\u{e9}", "sub-c", "exactly8", "x/with space"];
        for name in names {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, name).unwrap();
        }
        git(folder.path(), &["add", "-A"]);
        git(folder.path(), &["add", "-N", "."]);
        git(folder.path(), update);
        let tracked = Tracked::read(folder.path()).unwrap().unwrap();
        let mut sorted = names;
        sorted.sort_unstable();
        let found: Vec<_> = (0..tracked.ends.len()).map(|at| tracked.name(at)).collect();
        assert_eq!(found, sorted.map(str::as_bytes), "{update:?}");
        assert!(tracked.is_in(Path::new("sub")) && !tracked.is_in(Path::new("su")));
        assert!(tracked.holds(Path::new("a")) && !tracked.holds(Path::new("sub")));
    }
}

#[test]
fn a_damaged_or_split_index_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    git(folder.path(), &["init", "-q"]);
    fs::write(folder.path().join("a"), "").unwrap();
    git(folder.path(), &["add", "a"]);
    let index = folder.path().join(".git/index");
    let whole = fs::read(&index).unwrap();
    for length in 1..whole.len() {
        fs::write(&index, &whole[..length]).unwrap();
        assert!(Tracked::read(folder.path()).is_err(), "{length}");
    }
    fs::write(&index, &whole).unwrap();
    git(folder.path(), &["update-index", "--split-index"]);
    assert!(Tracked::read(folder.path()).is_err());
}

#[test]
fn the_paths_of_a_sparse_index_are_sorted() {
    let names = [&b"a"[..], b"sub-c", b"sub"];
    let ends = names.iter().scan(0, |end, name| {
        *end += name.len() as u32;
        Some(*end)
    });
    let tracked = Tracked::of(names.concat(), ends.collect());
    for name in ["a", "sub-c", "sub", "sub/below"] {
        assert!(tracked.holds(Path::new(name)), "{name}");
    }
    assert!(!tracked.holds(Path::new("sub-")) && !tracked.is_in(Path::new("s")));
}

#[test]
fn a_folder_without_git_has_no_index() {
    assert_eq!(Tracked::read(tempfile::tempdir().unwrap().path()).unwrap(), None);
}
