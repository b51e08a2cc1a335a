//! Ignored and skipped files.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use rstest::rstest;
use serde_json::json;

use crate::support::{Machine, Outcome, Workspace};

use super::scene::{find, lines, list, notice, search};

/// Runs git in a folder, and returns its output.
fn git(folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    command.args(arguments).current_dir(folder);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    let output = command.output().expect("git is installed");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

fn found(files: &[(&str, &str)], pattern: &str) -> Vec<String> {
    let (machine, workspace) = (Machine::start(), Workspace::with(files));
    find(&mut machine.agent(&workspace), &workspace, pattern)
}

#[rstest]
#[case::by_name(&[(".gitignore", "*.log\n")], &["b/x.txt", "x.txt"])]
#[case::a_folder(&[(".gitignore", "b/\n")], &["x.log", "x.txt"])]
#[case::anchored(&[(".gitignore", "/x.log\n")], &["b/x.log", "b/x.txt", "x.txt"])]
#[case::negated(&[(".gitignore", "*.log\n!/x.log\n")], &["b/x.txt", "x.log", "x.txt"])]
#[case::in_a_subfolder(&[("b/.gitignore", "x.*\n")], &["x.log", "x.txt"])]
#[case::negated_in_a_subfolder(&[(".gitignore", "*.log\n"), ("b/.gitignore", "!*.log\n")], &["b/x.log", "b/x.txt", "x.txt"])]
#[case::ignore_file(&[(".ignore", "*.log\n")], &["b/x.txt", "x.txt"])]
#[case::ignore_file_wins(&[(".gitignore", "*.log\n"), (".ignore", "!*.log\n")], &["b/x.log", "b/x.txt", "x.log", "x.txt"])]
#[case::local_exclude(&[(".git/info/exclude", "*.log\n")], &["b/x.txt", "x.txt"])]
#[case::up_to_the_top_of_the_repository(&[(".gitignore", "*.log\n"), ("b/.git/HEAD", "")], &["b/x.log", "b/x.txt", "x.txt"])]
#[case::windows_line_endings(&[(".gitignore", "\u{feff}*.log\r\n")], &["b/x.txt", "x.txt"])]
#[case::invalid_lines(&[(".gitignore", "[\n*.log\n{{{\n")], &["b/x.txt", "x.txt"])]
fn ignore_rules_apply(#[case] rules: &[(&str, &str)], #[case] expected: &[&str]) {
    let files = [("x.txt", ""), ("x.log", ""), ("b/x.txt", ""), ("b/x.log", "")];
    assert_eq!(found(&[files.as_slice(), rules].concat(), "x.*"), expected);
}

#[test]
fn linked_work_trees_and_submodules_use_the_rules_of_their_repository() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    for (name, text) in [
        ("main/.git/info/exclude", "*.log\n"),
        ("main/.git/worktrees/w/commondir", "../..\n"),
        ("main/.git/worktrees/w/gitdir", &format!("{}\n", workspace.absolute("linked/.git"))),
        ("linked/.git", "gitdir: ../main/.git/worktrees/w\n"),
        ("linked/x.log", ""),
        ("linked/x.txt", ""),
        ("main/.git/modules/m/info/exclude", "*.tmp\n"),
        ("main/.git/modules/m/config", "[core]\n\tbare = false\n\tworktree = ../../../m\n"),
        ("main/m/.git", "gitdir: ../.git/modules/m\n"),
        ("main/m/x.tmp", ""),
        ("main/m/x.txt", ""),
    ] {
        workspace.put(name, text);
    }
    for name in ["linked", "main/m"] {
        let tree = Workspace::at(&workspace.path(name));
        assert_eq!(find(&mut machine.agent(&tree), &tree, "x.*"), ["x.txt"], "{name}");
    }
}

#[rstest]
#[case::a_file_without_end("/proc/self/pagemap")]
#[case::a_device("/dev/zero")]
#[case::a_file_that_cannot_be_read("../../.env")]
fn a_link_in_place_of_local_rules_is_not_followed(#[case] target: &str) {
    let machine = Machine::start();
    let files = [(".git", "gitdir: x\n"), (".env", "a.txt\n"), ("a.txt", ""), ("x/info/y", "")];
    let workspace = Workspace::with(&files);
    symlink(target, workspace.path("x/info/exclude")).expect("a link");
    workspace.put("b/.git/info/y", "");
    symlink(target, workspace.path("b/.git/info/exclude")).expect("a link");
    workspace.put("b/a.txt", "");
    let before = machine.peak();
    assert_eq!(find(&mut machine.agent(&workspace), &workspace, "a.txt"), ["a.txt", "b/a.txt"]);
    assert!(machine.peak() < before + (64 << 10), "{} KiB", machine.peak());
}

#[test]
fn nested_braces_in_rules_end_no_daemon() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "x\n"));
    workspace.put(".gitignore", format!("{}a{}\n", "{".repeat(20_000), "}".repeat(20_000)));
    workspace.put("b/.gitignore", format!("{}a{}\n", "{".repeat(2_000), "}".repeat(2_000)));
    let (mut agent, pid) = (machine.agent(&workspace), machine.pid());
    assert_eq!(find(&mut agent, &workspace, "*.txt"), ["a.txt"]);
    agent.call("editd/runBegin", json!({ "command": "x" })).done();
    for nested in [50, 51, 400] {
        let pattern = format!("{}a{}", "{".repeat(nested), "}".repeat(nested));
        let found = agent.call("editd/find", json!({ "pattern": pattern }));
        if nested > 50 {
            found.refused("invalid_params");
        } else {
            found.done();
        }
    }
    assert_eq!(machine.pid(), pid);
    assert_eq!(find(&mut agent, &workspace, "*.txt"), ["a.txt"]);
}

/// Git knows no alternatives in rules.
#[test]
fn braces_in_rules_are_signs_as_in_git() {
    let names = ["a.b", "a.c", "a.{b,c}", "{x}", "x{y", "x}y", "xzy", "k]{", "k", "q\\{"];
    let rules = ["a.{b,c}", "\\{x\\}", "x[{z]y", "x[]}]y", "x[!{]y", "{x", "k]{", "q\\\\{", "[{"];
    for rule in rules {
        let (machine, workspace) = (Machine::start(), Workspace::empty());
        for name in names {
            workspace.put(name, "");
        }
        git(workspace.root(), &["init", "-q"]);
        workspace.put(".gitignore", format!("{rule}\n.*\n"));
        let listed = git(
            workspace.root(),
            &["-c", "core.quotePath=false", "ls-files", "-z", "--others", "--exclude-standard"],
        );
        let mut expected: Vec<_> = listed.split('\0').filter(|name| !name.is_empty()).collect();
        expected.sort_unstable();
        let mut found = find(&mut machine.agent(&workspace), &workspace, "*");
        found.retain(|name| !name.starts_with('.'));
        found.sort_unstable();
        assert_eq!(found, expected, "{rule}");
    }
}

#[rstest]
#[case::by_a_pointer(&[])]
#[case::by_a_pointer_to_metadata(&[("commondir", ".")])]
#[case::by_the_folder_of_the_repository(&[("commondir", "OUTSIDE")])]
fn a_pointer_out_of_the_root_reads_nothing_unless_it_is_returned(#[case] metadata: &[(&str, &str)]) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", ""));
    let outside = workspace.outside("elsewhere");
    fs::create_dir_all(outside.join("info")).expect("a folder");
    fs::write(outside.join("info/exclude"), "a.txt\n").expect("a file");
    let (mut folder, outside) = (outside.clone(), outside.to_str().expect("UTF-8"));
    for (name, text) in metadata {
        if *text == "OUTSIDE" {
            folder = workspace.path("x");
            workspace.put("x/y", "");
        }
        fs::write(folder.join(name), text.replace("OUTSIDE", outside)).expect("a file");
    }
    workspace.put(".git", format!("gitdir: {}\n", folder.display()));
    assert_eq!(find(&mut machine.agent(&workspace), &workspace, "a.txt"), ["a.txt"]);
}

#[test]
fn settings_of_git_without_end_are_not_read() {
    let (mut machine, workspace) = (Machine::asleep(""), Workspace::file("a.txt", ""));
    symlink("/proc/self/pagemap", machine.home().join(".gitconfig")).expect("a link");
    machine.serve();
    let before = machine.peak();
    assert_eq!(find(&mut machine.agent(&workspace), &workspace, "a.txt"), ["a.txt"]);
    assert!(machine.peak() < before + (64 << 10), "{} KiB", machine.peak());
}

#[test]
fn rules_of_the_enclosing_repository_apply() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    for (name, text) in [
        ("repo/.git/HEAD", ""),
        ("repo/.gitignore", "*.log\n"),
        ("repo/a/.ignore", "b/*.tmp\n"),
        (".gitignore", "*.txt\n"),
        ("repo/a/b/x.log", ""),
        ("repo/a/b/x.tmp", ""),
        ("repo/a/b/x.txt", ""),
    ] {
        workspace.put(name, text);
    }
    let inner = Workspace::at(&workspace.path("repo/a/b"));
    assert_eq!(find(&mut machine.agent(&inner), &inner, "x.*"), ["x.txt"]);
    let mut outer = machine.agent(&workspace);
    let below = outer.call("editd/find", json!({ "pattern": "x.*", "path": "repo/a/b" })).done();
    assert_eq!(super::scene::paths(&below, &workspace), ["repo/a/b/x.txt"]);
}

#[test]
fn global_rules_of_the_user_apply() {
    let (mut machine, workspace) = (Machine::asleep(""), Workspace::with(&[("a.txt", ""), ("a.swp", "")]));
    fs::create_dir_all(machine.home().join(".config/git")).expect("a folder");
    fs::write(machine.home().join(".config/git/ignore"), "*.swp\n").expect("rules");
    machine.serve();
    assert_eq!(find(&mut machine.agent(&workspace), &workspace, "a.*"), ["a.txt"]);
}

#[test]
fn a_requested_path_is_searched_even_if_it_is_ignored() {
    let files = [(".gitignore", "out/\n*.log\n"), ("out/a.txt", "one\n"), ("x.log", "one\n")];
    let (machine, workspace) = (Machine::start(), Workspace::with(&files));
    let mut agent = machine.agent(&workspace);
    let nothing = search(&mut agent, json!({ "pattern": "^one" }));
    assert_eq!(nothing["matches"], json!([]));
    assert!(notice(&nothing).contains("2 files and folders ignored by `.gitignore`"), "{nothing}");
    let params = |path: &str| json!({ "pattern": "one", "path": path });
    assert_eq!(lines(&mut agent, &workspace, params("out")), ["out/a.txt:1:one"]);
    assert_eq!(lines(&mut agent, &workspace, params("x.log")), ["x.log:1:one"]);
    assert_eq!(list(&mut agent, &workspace, "out"), ["out/a.txt"]);
}

#[test]
fn hidden_files_are_included_and_version_control_is_not() {
    let files = [
        (".hidden/a.txt", "one\n"),
        (".a.txt", "one\n"),
        (".git/config", "one\n"),
        (".GIT./x", "one\n"),
        ("b/.hg/store", "one\n"),
        ("b/.svn/x", "one\n"),
        ("b/.jj/x", "one\n"),
        ("c/.git", "gitdir: one\n"),
        ("bare/HEAD", "one\n"),
        ("bare/objects/x", "one\n"),
        ("bare/refs/x", "one\n"),
        ("bare/tree/.git", "gitdir: ..\n"),
        ("bare/tree/a.txt", "one\n"),
    ];
    let (machine, workspace) = (Machine::start(), Workspace::with(&files));
    let mut agent = machine.agent(&workspace);
    let expected = [".a.txt:1:one", ".hidden/a.txt:1:one", "bare/tree/a.txt:1:one"];
    assert_eq!(lines(&mut agent, &workspace, json!({ "pattern": "one" })), expected);
    assert_eq!(list(&mut agent, &workspace, "."), [".a.txt", ".hidden/", "b/", "bare/", "c/"]);
    assert_eq!(list(&mut agent, &workspace, "c"), [""; 0]);
    for path in [".git", ".git/config", "b/.hg"] {
        let nothing = search(&mut agent, json!({ "pattern": "one", "path": path }));
        assert_eq!(nothing["matches"], json!([]));
        assert!(notice(&nothing).contains("version control"), "{nothing}");
    }
}

#[test]
fn a_bare_repository_is_skipped_with_a_notice() {
    let files = [("bare/HEAD", ""), ("bare/objects/x", ""), ("bare/refs/x", ""), ("bare/a.txt", "one\n")];
    let (machine, workspace) = (Machine::start(), Workspace::with(&files));
    let mut agent = machine.agent(&workspace);
    for (method, params) in [
        ("editd/search", json!({ "pattern": "one" })),
        ("editd/search", json!({ "pattern": "one", "path": "bare" })),
        ("editd/find", json!({ "pattern": "a.txt" })),
        ("editd/list", json!({ "path": "bare" })),
    ] {
        let nothing = agent.call(method, params).done();
        assert!(notice(&nothing).contains("`HEAD`, `objects` and `refs`"), "{nothing}");
    }
    assert_eq!(agent.read("bare/a.txt")["text"], "one\n");
}

#[test]
fn a_list_reports_ignored_entries() {
    let files = [(".gitignore", "*.log\nout\n"), ("a.log", ""), ("out/a", ""), ("b.txt", "")];
    let (machine, workspace) = (Machine::start(), Workspace::with(&files));
    let answer = machine.agent(&workspace).call("editd/list", json!({})).done();
    assert_eq!(super::scene::paths(&answer, &workspace), [".gitignore", "b.txt"]);
    assert!(notice(&answer).contains("2 files and folders are left out"), "{answer}");
    assert_eq!(answer["truncated"], false);
}

#[test]
fn oversized_and_special_rule_files_are_skipped() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    workspace.put(".gitignore", "a.txt\n".repeat(100_000));
    workspace.put("b/.gitignore", "a.txt\n".repeat(10_001));
    workspace.put("b/a.txt", "one\n");
    let fifo = workspace.path("c/.gitignore");
    workspace.put("c/a.txt", "one\n");
    rustix::fs::mknodat(rustix::fs::CWD, fifo, rustix::fs::FileType::Fifo, 0o600.into(), 0).expect("a pipe");
    let found = lines(&mut machine.agent(&workspace), &workspace, json!({ "pattern": "^one" }));
    assert_eq!(found, ["a.txt:1:one", "b/a.txt:1:one", "c/a.txt:1:one"]);
}
