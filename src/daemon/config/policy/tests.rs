use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;

const GOOD: &str =
    "[[rules]]\npattern = \"**/*.md\"\noperations = [\"create\", \"read\"]\nclass = \"opt_in\"\n";

struct Scene {
    folder: tempfile::TempDir,
    file: PolicyFile,
}

fn scene() -> Scene {
    let folder = tempfile::tempdir().unwrap();
    let file = PolicyFile::beside(&folder.path().join("config.toml"), Some("/home/ada".into()));
    Scene { folder, file }
}

impl Scene {
    fn put(&self, text: impl AsRef<[u8]>) {
        std::fs::write(self.file.path(), text).unwrap();
    }

    fn error(&self) -> String {
        self.file.current().error.clone().expect("an error")
    }

    fn rules(&self) -> usize {
        let policy = self.file.current();
        assert_eq!(policy.error, None);
        policy.rules.rules.len()
    }
}

#[test]
fn a_policy_is_read_when_it_changes() {
    let scene = scene();
    assert!(!scene.file.current().exists);
    scene.put(GOOD);
    assert_eq!(scene.rules(), 1);
    scene.put(GOOD.repeat(2));
    assert_eq!(scene.rules(), 2);
    // Same length, and within the same tick of the clock.
    scene.put(GOOD.repeat(2).replacen("**/*.md", "!*/*.md", 1));
    assert!(scene.error().contains("rule 1"), "{}", scene.error());
    scene.put(GOOD);
    assert_eq!(scene.rules(), 1);
    std::fs::remove_file(scene.file.path()).unwrap();
    assert!(!scene.file.current().exists);
    assert_eq!(scene.rules(), 0);
    symlink("nowhere", scene.file.path()).unwrap();
    scene.error();
    std::fs::remove_file(scene.file.path()).unwrap();
    assert_eq!(scene.rules(), 0);
}

#[test]
fn an_unchanged_policy_is_not_read_again() {
    let scene = scene();
    scene.put(GOOD);
    let old = SystemTime::now() - std::time::Duration::from_secs(3600);
    File::options().write(true).open(scene.file.path()).unwrap().set_modified(old).unwrap();
    let first = scene.file.current();
    assert!(Arc::ptr_eq(&first, &scene.file.current()), "its bytes are the same");
    let known = scene.file.known.lock();
    let stamp = known.stamp.unwrap();
    assert!(stamp.is_recent(), "its inode has changed just now");
    assert!(!Stamp { changed: (0, 0), ..stamp }.is_recent());
}

#[test]
fn an_invalid_policy_is_an_error_with_its_location() {
    let scene = scene();
    let rule = |fields: &str| format!("[[rules]]\n{fields}\n");
    let pattern = "pattern = \"a\"\n";
    let operations = "operations = [\"create\"]\n";
    let class = "class = \"never\"\n";
    for (text, named) in [
        ("rules = [".to_owned(), "policy.toml"),
        ("\u{0}".to_owned(), "policy.toml"),
        ("[[rule]]\n".to_owned(), "rule"),
        (rule(&format!("{pattern}{operations}")), "class"),
        (rule(&format!("{pattern}{class}")), "operations"),
        (rule(&format!("{operations}{class}")), "pattern"),
        (rule(&format!("{pattern}{operations}{class}tag = \"x\"")), "tag"),
        (rule(&format!("{pattern}{class}operations = [\"chmod\"]")), "chmod"),
        (rule(&format!("{pattern}{class}operations = []")), "rule 1"),
        (rule(&format!("{pattern}{operations}class = \"maybe\"")), "maybe"),
        (rule(&format!("pattern = \"a[\"\n{operations}{class}")), "rule 1"),
        (rule(&format!("{pattern}{operations}{class}reason = \"{}\"", "x".repeat(501))), "reason"),
        (rule(&format!("{pattern}{operations}{class}")).repeat(1001), "1000"),
    ] {
        scene.put(text);
        let error = scene.error();
        assert!(error.contains(named) && error.contains("policy.toml"), "{error}");
    }
    scene.put([0xff]);
    assert!(scene.error().contains("UTF-8"));
    scene.put(vec![b' '; POLICY_BYTES as usize + 1]);
    assert!(scene.error().contains("larger"));
}

#[test]
fn an_invalid_policy_keeps_its_restrictions() {
    let scene = scene();
    let allowed = GOOD.replace("opt_in", "allow").replace(".md", ".txt");
    scene.put(format!("{GOOD}{allowed}"));
    assert_eq!(scene.rules(), 2);
    scene.put("rules = [");
    assert_eq!(scene.file.current().rules.rules.len(), 1);
    scene.put("rules = {");
    assert_eq!(scene.file.current().rules.rules.len(), 1);
}

#[test]
fn a_policy_that_others_can_write_is_refused() {
    let scene = scene();
    scene.put(GOOD);
    for mode in [0o666, 0o620, 0o602] {
        std::fs::set_permissions(scene.file.path(), PermissionsExt::from_mode(mode)).unwrap();
        assert!(scene.error().contains("written by others"), "{mode:o}");
    }
    std::fs::set_permissions(scene.file.path(), PermissionsExt::from_mode(0o600)).unwrap();
    assert_eq!(scene.rules(), 1);
    if rustix::process::geteuid().is_root() {
        std::os::unix::fs::chown(scene.file.path(), Some(65534), None).unwrap();
        assert!(scene.error().contains("another user"));
    }
}

#[test]
fn a_folder_or_pipe_is_refused_without_blocking() {
    let scene = scene();
    std::fs::create_dir(scene.file.path()).unwrap();
    scene.error();
    std::fs::remove_dir(scene.file.path()).unwrap();
    let made = std::process::Command::new("mkfifo").arg(scene.file.path()).status().unwrap();
    assert!(made.success());
    assert!(scene.error().contains("not a regular file"));
}

#[test]
fn an_absolute_pattern_is_resolved_up_to_its_first_wildcard() {
    let scene = scene();
    let there = scene.folder.path().canonicalize().unwrap().join("there");
    std::fs::create_dir(&there).unwrap();
    symlink(&there, scene.folder.path().join("link")).unwrap();
    let link = scene.folder.path().join("link").display().to_string();
    let there = there.display().to_string();
    for (pattern, resolved) in [
        (format!("{link}/a.txt"), format!("{there}/a.txt")),
        (format!("{link}/*.txt"), format!("{there}/*.txt")),
        (format!("{link}/**"), format!("{there}/**")),
        (format!("{link}*/a"), format!("{link}*/a")),
        ("/no/such/*".to_owned(), "/no/such/*".to_owned()),
        ("~/x/*.md".to_owned(), "/home/ada/x/*.md".to_owned()),
        ("docs/**".to_owned(), "docs/**".to_owned()),
    ] {
        let found = resolve_pattern(pattern.clone(), Some(Path::new("/home/ada"))).unwrap();
        assert_eq!(found, resolved, "{pattern}");
    }
    assert!(resolve_pattern("~/x".to_owned(), None).is_err());
}
