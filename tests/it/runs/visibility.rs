//! Files that become visible or invisible to the snapshot while a command runs: by ignore rules, branches, new
//! repositories, moves and mounts. An undo deletes only what the command has created.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use rstest::rstest;
use serde_json::json;

use super::command::{history, printed, run, undo};
use crate::review::scene::reviewer;
use crate::support::{Machine, Outcome as _, Workspace, eventually};

/// Runs a script outside of editd.
fn shell(folder: &Path, script: &str) {
    let output = Command::new("sh").args(["-ec", script]).current_dir(folder).output().expect("sh");
    assert!(output.status.success(), "{script}: {output:?}");
}

/// Returns a project in a folder of its own, so that a script can use the folder beside it. Two branches have different
/// ignore rules, and files of each kind of rule are there.
fn project() -> (Workspace, Workspace) {
    let outer = Workspace::with(&[("beside/kept.txt", "kept\n"), ("beside/deep/more.txt", "more\n")]);
    let root = outer.path("p");
    fs::create_dir(&root).expect("a folder");
    shell(
        &root,
        "git init -q -b old && git config user.email a@b && git config user.name a
         printf 'tracked\n' > a.txt; mkdir -p src/in sub mnt; echo b > src/b.txt; echo c > src/in/c.txt
         printf '*.log\n' > .gitignore; git add -A; git commit -qm old; git checkout -qb main
         printf '*.log\n.env\n*.db\n/build/\n' > .gitignore; git commit -qam main
         echo notes.txt >> .git/info/exclude
         echo secret > .env; echo data > local.db; echo sub > sub/x.db; echo note > notes.txt
         mkdir -p build/deep; echo made > build/a.bin; echo deep > build/deep/b.bin; echo log > trace.log",
    );
    (Workspace::at(&root), outer)
}

/// Returns the contents of all regular files in a folder with their paths, without git's own.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    fn visit(folder: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
        for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry")) {
            let path = entry.path();
            match entry.file_type().expect("a kind") {
                kind if kind.is_dir() && entry.file_name() != ".git" => visit(&path, found),
                kind if kind.is_file() => drop(found.insert(path.clone(), fs::read(path).expect("a file"))),
                _ => {}
            }
        }
    }
    let mut found = BTreeMap::new();
    visit(folder, &mut found);
    found
}

#[rstest]
#[case::a_rule_is_removed("sed -i '/env/d' .gitignore", ".env")]
#[case::all_rules_are_removed("rm .gitignore", "local.db")]
#[case::a_branch("git checkout -q old", "local.db")]
#[case::a_nested_repository("git init -q sub", "sub/x.db")]
#[case::the_exclude_file(": > .git/info/exclude", "notes.txt")]
#[case::a_stronger_rule("echo '!.env' > .ignore", ".env")]
#[case::an_ignored_folder_is_renamed("mv build out", "out/deep/b.bin")]
#[case::an_ignored_file_is_moved("mv build/a.bin a.bin", "a.bin")]
#[case::a_folder_from_elsewhere("mv ../beside inside", "inside/deep/more.txt")]
#[case::metadata_is_renamed("mv .git saved", "saved/HEAD")]
#[case::and_rewritten_in_place("rm .gitignore; echo more >> .env", ".env")]
#[case::and_replaced("rm .gitignore; echo new > n; mv n .env", ".env")]
fn what_becomes_visible_is_not_deleted(#[case] script: &str, #[case] name: &str) {
    let (machine, (workspace, outer)) = (Machine::start(), project());
    let before = contents(outer.root());
    let output = run(
        &machine,
        &workspace,
        &format!("{script}; mkdir made; echo made > made/new.txt; echo x >> a.txt"),
    );
    assert!(output.status.success(), "{}", printed(&output));
    let after = contents(outer.root());
    for entry in history(&machine, &workspace) {
        undo(&machine, &workspace, &entry["transaction"]);
    }
    let left = contents(outer.root());
    assert_eq!(left.get(&workspace.path(name)), after.get(&workspace.path(name)), "{}", printed(&output));
    for (path, content) in before.iter().filter(|(path, content)| after.get(*path) == Some(content)) {
        assert_eq!(left.get(path), Some(content), "{}", path.display());
    }
    assert!(!workspace.has("made"), "what the command created is deleted");
    assert_eq!(workspace.text("a.txt"), "tracked\n");
    assert!(printed(&output).contains("it was there before the command"), "{}", printed(&output));
}

#[test]
fn a_rejected_review_deletes_only_what_the_command_created() {
    let (machine, (workspace, outer)) = (Machine::configured("review = \"always\"\n"), project());
    let before = contents(outer.root());
    let script = "git checkout -q old; echo made > new.txt; echo x >> a.txt";
    let mut command = machine.command(&["run", "--as", "robin", "--", "sh", "-ec", script]);
    let output = command.current_dir(workspace.root()).output().expect("editd can be run");
    assert!(output.status.success(), "{}", printed(&output));
    let mut person = reviewer(&machine, &workspace);
    let review = eventually("the review", || {
        let listed = person.call("editd/proposals", json!({ "state": "landed" })).done();
        listed["proposals"].get(0).cloned()
    });
    let decision = json!({ "id": review["id"], "revision": review["revision"], "reject": "all" });
    assert_eq!(person.call("editd/decide", decision).done()["state"], "rejected");
    assert_eq!(contents(outer.root()), before, "{}", printed(&output));
}

#[rstest]
#[case::a_rule("echo a.txt >> .gitignore")]
#[case::a_rule_for_a_folder("echo src/ >> .gitignore")]
#[case::a_branch("git checkout -q old; echo '/src' > .ignore")]
#[case::with_a_change("echo /src >> .gitignore; echo more >> src/b.txt; rm src/in/c.txt")]
fn what_becomes_ignored_is_not_recorded_as_deleted(#[case] script: &str) {
    let (machine, (workspace, _outer)) = (Machine::start(), project());
    let before = contents(workspace.root());
    run(&machine, &workspace, &format!("{script}; echo x > new.txt"));
    let past = history(&machine, &workspace);
    assert_eq!(past.len(), 1, "{past:#?}");
    undo(&machine, &workspace, &past[0]["transaction"]);
    assert_eq!(contents(workspace.root()), before);
}

#[test]
fn what_is_ignored_since_the_last_command_is_no_change_of_the_next() {
    let (machine, (workspace, _outer)) = (Machine::start(), project());
    run(&machine, &workspace, "true");
    workspace.put(".gitignore", "*.txt\n");
    run(&machine, &workspace, "echo more >> a.txt; echo x > new.bin");
    workspace.put(".gitignore", "*.log\n");
    let output = run(&machine, &workspace, "echo y > other.bin");
    let past = history(&machine, &workspace);
    assert_eq!(past.len(), 2, "{past:#?}");
    let before = contents(workspace.root());
    for entry in &past {
        undo(&machine, &workspace, &entry["transaction"]);
    }
    let left = contents(workspace.root());
    let gone: BTreeSet<_> = before.keys().filter(|path| !left.contains_key(*path)).collect();
    assert_eq!(gone, [workspace.path("new.bin"), workspace.path("other.bin")].iter().collect(), "{output:?}");
}

/// Rules that exclude everything exclude themselves, too.
#[rstest]
#[case::at_the_top(".gitignore")]
#[case::in_a_folder("src/.ignore")]
fn rules_that_a_command_makes_are_recorded_if_they_exclude_recorded_files(#[case] rules: &str) {
    let (machine, (workspace, _outer)) = (Machine::start(), project());
    let before = contents(workspace.root());
    run(&machine, &workspace, "true");
    run(&machine, &workspace, &format!("echo '*' > {rules}; mkdir cache; echo '*' > cache/.gitignore"));
    let past = history(&machine, &workspace);
    let files = past[0]["files"].as_array().expect("files");
    let changed: Vec<_> = files.iter().map(|file| file["path"].as_str().expect("a path")).collect();
    assert_eq!(changed, [workspace.absolute(rules)], "{past:#?}");
    undo(&machine, &workspace, &past[0]["transaction"]);
    let mut after = contents(workspace.root());
    after.remove(&workspace.path("cache/.gitignore"));
    assert_eq!(after, before);
}

/// Mounts that a command makes or removes.
#[rstest]
#[case::a_mount_appears("mount --bind ../beside src", "")]
#[case::a_file_system_appears("mount -t tmpfs none src; echo in > src/b.txt", "")]
#[case::a_mount_disappears("umount mnt", "echo under > mnt/under.txt; mount --bind ../beside mnt")]
#[case::a_file_system_disappears("umount src", "mount -t tmpfs none src; echo in > src/b.txt")]
#[case::a_mounted_file_appears("mount --bind ../beside/kept.txt a.txt", "")]
fn mounts_are_no_changes(#[case] script: &str, #[case] first: &str) {
    let (machine, (workspace, outer)) = (Machine::start(), project());
    // The daemon and the commands are in this mount namespace.
    let unmount = scopeguard::guard(workspace.root().to_owned(), |root| {
        let script = "for at in src mnt a.txt; do umount -l $at 2>/dev/null || true; done";
        shell(&root, script);
    });
    shell(workspace.root(), first);
    run(&machine, &workspace, "true");
    let output = run(&machine, &workspace, &format!("{script}; echo x > new.txt"));
    let after = contents(outer.root());
    for entry in history(&machine, &workspace) {
        undo(&machine, &workspace, &entry["transaction"]);
    }
    let mut left = contents(outer.root());
    left.insert(workspace.path("new.txt"), b"x\n".to_vec());
    assert_eq!(left, after, "{}", printed(&output));
    drop(unmount);
    assert_eq!(workspace.text("src/b.txt"), "b\n");
    assert_eq!(workspace.text("src/in/c.txt"), "c\n");
    assert_eq!(workspace.text("a.txt"), "tracked\n");
}

#[test]
fn a_file_that_becomes_visible_is_not_deleted_after_an_edit_of_an_agent() {
    let (machine, (workspace, _outer)) = (Machine::start(), project());
    let mut robin = machine.agent_named("robin", &workspace);
    let begun = robin.call("editd/runBegin", json!({ "command": "make" })).expect("it begins");
    shell(workspace.root(), "rm .gitignore");
    let mut ada = machine.agent_named("ada", &workspace);
    ada.read("local.db");
    ada.edit("local.db", "data", "more data").expect("it is done");
    robin.call("editd/runEnd", json!({ "run": begun["run"] })).expect("it ends");
    for entry in history(&machine, &workspace).iter().filter(|entry| entry["author"] == "robin") {
        undo(&machine, &workspace, &entry["transaction"]);
    }
    assert_eq!(workspace.text("local.db"), "more data\n");
}

#[test]
fn files_of_an_overlay_over_several_file_systems_are_recorded() {
    let (machine, outer) = (Machine::start(), Workspace::empty());
    for name in ["below", "above", "project"] {
        fs::create_dir(outer.path(name)).expect("a folder");
    }
    let unmount = scopeguard::guard(outer.root().to_owned(), |root| {
        shell(&root, "umount -l project above below 2>/dev/null || true");
    });
    shell(
        outer.root(),
        "mount -t tmpfs none below && mount -t tmpfs none above && mkdir above/files above/work
         echo one > below/a.txt
         mount -t overlay none -o xino=off,lowerdir=below,upperdir=above/files,workdir=above/work project",
    );
    let workspace = Workspace::at(&outer.path("project"));
    run(&machine, &workspace, "true");
    run(&machine, &workspace, "echo two > a.txt; echo new > b.txt");
    let past = history(&machine, &workspace);
    assert_eq!(past[0]["files"].as_array().map(Vec::len), Some(2), "{past:#?}");
    undo(&machine, &workspace, &past[0]["transaction"]);
    assert_eq!(workspace.text("a.txt"), "one\n");
    drop(unmount);
}

#[rstest]
#[case::new_text_of_an_earlier_command("mv ../beside/new.rs a.txt", "echo new > ../beside/new.rs")]
#[case::after_a_removal("rm a.txt; mv ../beside/new.rs a.txt", "echo new > ../beside/new.rs")]
#[case::an_ignored_file("mv local.db a.txt", "")]
fn a_recorded_file_that_an_older_one_replaces_is_restored(#[case] script: &str, #[case] first: &str) {
    let (machine, (workspace, _outer)) = (Machine::start(), project());
    run(&machine, &workspace, "true");
    shell(workspace.root(), first);
    run(&machine, &workspace, "true");
    run(&machine, &workspace, script);
    let past = history(&machine, &workspace);
    assert_eq!(past[0]["files"].as_array().map(Vec::len), Some(1), "{past:#?}");
    undo(&machine, &workspace, &past[0]["transaction"]);
    assert_eq!(workspace.text("a.txt"), "tracked\n");
}

const RULES: [&str; 8] = ["*.db", "/d0/", "d1", "*.txt", "!d0/keep.db", "/d2/*.txt", "!*.db", "d1/d2/"];
const PLACES: [&str; 6] = ["", "d0/", "d1/", "d2/", "d1/d2/", "../beside/"];
const NAMES: [&str; 4] = ["x.db", "keep.db", "y.txt", "z.rs"];

fn place() -> impl Strategy<Value = &'static str> {
    prop::sample::select(&PLACES[..])
}

fn inside() -> impl Strategy<Value = &'static str> {
    prop::sample::select(&PLACES[..5])
}

fn name() -> impl Strategy<Value = &'static str> {
    prop::sample::select(&NAMES[..])
}

/// A command line that may fail. `$n` is a text that no other file has.
fn step() -> impl Strategy<Value = String> {
    let rule = || prop::sample::select(&RULES[..]);
    let rules = prop::sample::select(&[".gitignore", "d1/.gitignore", ".ignore", ".git/info/exclude"][..]);
    let mounted = || prop::sample::select(&["d0", "d1", "d2", "d1/d2"][..]);
    prop_oneof![
        3 => (rules.clone(), rule()).prop_map(|(at, rule)| format!("echo '{rule}' >> {at}")),
        2 => (rules.clone(), rule()).prop_map(|(at, rule)| format!("grep -vxF '{rule}' {at} > ../r; cat ../r > {at}")),
        1 => rules.prop_map(|at| format!("rm -f {at}")),
        2 => Just("git checkout -q main || git checkout -q -f main".to_owned()),
        2 => Just("git checkout -q other || git checkout -q -f other".to_owned()),
        1 => mounted().prop_map(|at| format!("[ -e {at}/.git ] && rm -rf {at}/.git || git init -q {at}")),
        2 => (place(), name()).prop_map(|(at, name)| format!("[ -d {at}. ] && echo new$n > {at}{name}")),
        2 => (place(), name()).prop_map(|(at, name)| format!("[ -f {at}{name} ] && echo more$n >> {at}{name}")),
        1 => (inside(), name()).prop_map(|(at, name)| format!("rm -f {at}{name}")),
        3 => (place(), name(), place(), name())
            .prop_map(|(a, b, c, d)| format!("[ -e {c}{d} ] || mv {a}{b} {c}{d}")),
        2 => (mounted(), mounted()).prop_map(|(a, b)| format!("[ -e {b}x ] || mv {a} {b}x; [ -e {a} ] || mv {b}x {a}")),
        1 => mounted().prop_map(|at| format!("[ -e moved ] || mv {at} moved")),
        1 => mounted().prop_map(|at| format!("[ -e {at} ] || mv moved {at}")),
        1 => mounted().prop_map(|at| format!("mount --bind ../beside {at}")),
        1 => mounted().prop_map(|at| format!("mount -t tmpfs none {at} && echo in$n > {at}/x.db")),
        2 => mounted().prop_map(|at| format!("umount {at}")),
    ]
}

/// Runs steps with texts that differ. The texts begin with the name of the run.
fn steps(of: &str, steps: &[String]) -> String {
    let step = |(at, step): (usize, &String)| format!("n={of}{at}; {step}");
    let steps: Vec<_> = steps.iter().enumerate().map(step).collect();
    format!("exec 2>/dev/null; set +e; :; {}\ntrue", steps.join("\n"))
}

/// Returns the device and inode number of each file below a folder.
fn numbers(folder: &Path) -> BTreeMap<PathBuf, (u64, u64)> {
    let of = |path: &PathBuf| fs::metadata(path).map(|state| (state.dev(), state.ino())).expect("a state");
    contents(folder).into_keys().map(|path| (path.clone(), of(&path))).collect()
}

/// Returns the files below a folder by device and inode number, with the lines that they contain.
fn inodes(folder: &Path) -> BTreeMap<(u64, u64), Vec<u8>> {
    let of = |path: &PathBuf| fs::metadata(path).map(|state| (state.dev(), state.ino())).expect("a state");
    contents(folder).into_iter().map(|(path, content)| (of(&path), content)).collect()
}

/// Runs a command in a random project and undoes it. What was there before the command, and what it has left, must
/// still be there.
fn undo_deletes_only_what_was_created(before: &[String], during: &[String]) -> Result<(), TestCaseError> {
    let (machine, outer) =
        (Machine::start(), Workspace::with(&[("beside/x.db", "beside\n"), ("beside/y.txt", "b\n")]));
    let root = outer.path("p");
    fs::create_dir(&root).expect("a folder");
    let unmount = scopeguard::guard(root.clone(), |root| {
        shell(
            &root,
            "for i in 1 2 3 4 5 6 7 8; do grep -o \" $PWD/[^ ]*\" /proc/self/mountinfo | sort -r | xargs -r umount -l || true; done",
        );
    });
    shell(&root, "git init -q -b main && git config user.email a@b && git config user.name a
        mkdir -p d0 d1/d2 d2; for at in . d0 d1 d2 d1/d2; do for f in x.db keep.db y.txt z.rs; do echo first $at $f > $at/$f; done; done
        printf '*.db\\n/d0/\\n' > .gitignore; git add -A; git commit -qm main; git checkout -qb other
        printf 'd1\\n*.txt\\n' > .gitignore; git rm -q --cached z.rs; git commit -qam other; git checkout -q main -f");
    let workspace = Workspace::at(&root);
    run(&machine, &workspace, "true");
    shell(&root, &steps("before", before));
    let known = history(&machine, &workspace).len();
    let (old, places) = (inodes(outer.root()), numbers(outer.root()));
    let during = steps("during", during);
    run(&machine, &workspace, &format!("echo made > made.rs; {during}"));
    let after = inodes(outer.root());
    // A file that has taken the name of another one is replaced by it again. The history keeps its text.
    let took_a_name = |path: &PathBuf, number: &(u64, u64)| places.get(path).is_some_and(|was| was != number);
    let replacing: BTreeSet<_> = numbers(outer.root())
        .into_iter()
        .filter(|(path, number)| took_a_name(path, number))
        .map(|it| it.1)
        .collect();
    let past = history(&machine, &workspace);
    let mut agent = machine.agent_named("robin", &workspace);
    for entry in &past[..past.len() - known] {
        if let Err(error) = agent.call("editd/undo", json!({ "transaction": entry["transaction"] })) {
            // Only what cannot be undone was changed.
            prop_assert!(
                error.data["kind"] == "no_change",
                "{:#?}\n{} {:#}",
                entry,
                error.message,
                error.data
            );
        }
    }
    // A text that was there before the command, and that the command has left, is still there.
    let left: BTreeSet<_> = contents(outer.root()).into_values().collect();
    // The number of a deleted file may be that of a new one, which does not begin with the old text.
    let is_old = |inode: &(u64, u64), text: &[u8]| old.get(inode).is_some_and(|was| text.starts_with(was));
    let is_kept = |inode: &(u64, u64), text: &[u8]| is_old(inode, text) && !replacing.contains(inode);
    for (inode, text) in after.iter().filter(|(inode, text)| is_kept(inode, text)) {
        let is_there = left.contains(text) || left.contains(&old[inode]);
        prop_assert!(is_there, "{:?} {:?}\n{:#?}", inode, String::from_utf8_lossy(text), past);
    }
    prop_assert!(!workspace.has("made.rs"), "{:#?}", past);
    drop(unmount);
    Ok(())
}

/// Steps before and during a command.
fn scene() -> impl Strategy<Value = (Vec<String>, Vec<String>)> {
    (prop::collection::vec(step(), 0..6), prop::collection::vec(step(), 1..8))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, max_shrink_iters: 60, ..ProptestConfig::default() })]
    #[test]
    fn an_undo_deletes_only_what_the_command_created((before, during) in scene()) {
        undo_deletes_only_what_was_created(&before, &during)?;
    }
}

/// Tries random projects and commands for a while.
pub(super) fn try_undos_for(length: Duration) -> u32 {
    let (began, mut cases) = (Instant::now(), 0);
    while began.elapsed() < length {
        let config = ProptestConfig {
            cases: 10,
            max_shrink_iters: 60,
            failure_persistence: None,
            ..ProptestConfig::default()
        };
        let tried = TestRunner::new(config)
            .run(&scene(), |(before, during)| undo_deletes_only_what_was_created(&before, &during));
        if let Err(error) = tried {
            panic!("{error}");
        }
        cases += 10;
    }
    cases
}
