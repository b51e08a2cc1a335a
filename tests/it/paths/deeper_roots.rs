//! A deeper root allows nothing that a root above it forbids, whatever the folder contains.

use std::fs;
use std::path::Path;
use std::process::Command;

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Agent, Framing, Machine, Outcome, Workspace, uri_of};

const FOLDERS: [&str; 16] = [
    ".vscode",
    ".idea",
    ".zed",
    ".claude",
    ".claude/commands",
    ".cursor",
    ".github/workflows",
    ".circleci",
    ".husky",
    ".githooks",
    ".devcontainer",
    ".cargo/config.d",
    ".venv/bin",
    "node_modules/p",
    ".config/fish",
    ".envs",
];

fn session(root: &Path) -> Value {
    json!({ "clientInfo": { "name": "alice" }, "workspaceFolders": [{ "uri": uri_of(root), "name": "x" }] })
}

fn agent(machine: &Machine, root: &Path) -> Agent {
    machine.agent_with(session(root))
}

/// Returns the rule that refuses to create a file, or null.
fn rule(agent: &mut Agent, path: &Path) -> Value {
    let change = json!({ "kind": "write", "path": path, "content": "x\n" });
    match agent.call("editd/propose", json!({ "changes": [change] })) {
        Ok(_) => Value::Null,
        Err(error) => error.data["rule"].clone(),
    }
}

fn put_repository(workspace: &Workspace, folder: &str) {
    for name in ["HEAD", "objects/x", "refs/x", "info/x"] {
        workspace.put(&format!("{folder}/{name}"), "x\n");
    }
}

#[rstest]
#[case::subversion(&[".svn/wc.db", ".svn/entries", ".svn/format"])]
#[case::mercurial(&[".hg/requires", ".hg/00changelog.i", ".hg/store/x"])]
#[case::jujutsu(&[".jj/working_copy/type", ".jj/repo/store/type"])]
#[case::empty(&[])]
fn metadata_in_a_clone_makes_no_folder_a_workspace(#[case] files: &[&str]) {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    put_repository(&workspace, ".git");
    for folder in FOLDERS {
        for mark in files {
            workspace.put(&format!("{folder}/{mark}"), "1\n");
        }
        if files.is_empty() {
            for mark in [".svn", ".hg", ".jj", ".git"] {
                fs::create_dir_all(workspace.path(&format!("{folder}/{mark}"))).expect("a folder");
            }
        }
    }
    let mut above = agent(&machine, workspace.root());
    for folder in FOLDERS {
        let (root, file) = (workspace.path(folder), workspace.path(&format!("{folder}/tasks.json")));
        let forbidden = rule(&mut above, &file);
        assert!(forbidden.is_string(), "{folder}");
        assert_eq!(rule(&mut agent(&machine, &root), &file), forbidden, "{folder}");
    }
}

#[test]
fn a_secret_below_such_a_folder_cannot_be_read() {
    let files = [(".envs/.svn/wc.db", "x"), (".envs/prod", "KEY=1\n")];
    let (machine, workspace) = (Machine::start(), Workspace::with(&files));
    let mut agent = agent(&machine, &workspace.path(".envs"));
    agent.try_read("prod").refused("protected");
}

#[test]
fn a_rule_of_the_user_applies_below_every_root() {
    let (machine, workspace) = (Machine::start(), Workspace::file("secret/a.txt", "one\n"));
    put_repository(&workspace, ".git");
    put_repository(&workspace, "secret/.git");
    machine.write_policy(
        "[[rules]]\npattern = \"secret/**\"\noperations = [\"create\", \"modify\", \"read\"]\nclass = \"never\"\n",
    );
    let mut agent = agent(&machine, &workspace.path("secret"));
    agent.try_read("a.txt").refused("protected");
    assert_eq!(rule(&mut agent, Path::new("b.txt")), "policy");
}

#[test]
fn a_rule_that_allows_a_folder_allows_no_workspace_below_one_of_that_name() {
    let (machine, outer) = (Machine::start(), Workspace::empty());
    put_repository(&outer, "docs/shop/.git");
    machine.write_policy(
        "[[rules]]\npattern = \"docs/**\"\noperations = [\"create\", \"read\"]\nclass = \"allow\"\n",
    );
    let mut agent = agent(&machine, &outer.path("docs/shop"));
    assert_eq!(rule(&mut agent, Path::new(".env")), "secrets");
    assert_eq!(rule(&mut agent, Path::new("docs/.env")), Value::Null);
}

fn git(folder: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always"]);
    command.args(arguments).current_dir(folder);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    let output = command.output().expect("git is installed");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Creates a repository with a commit.
fn put_commit(folder: &Path) {
    fs::create_dir_all(folder).expect("a folder");
    git(folder, &["init", "-q"]);
    git(folder, &["commit", "-q", "--allow-empty", "-m", "x"]);
}

#[rstest]
#[case::plain("plain")]
#[case::named_like_a_work_tree("x/worktrees/y")]
fn a_submodule_is_part_of_the_work_tree_around_it(#[case] name: &str) {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let module = workspace.outside("module");
    put_commit(&module);
    git(workspace.root(), &["init", "-q"]);
    git(workspace.root(), &["submodule", "-q", "add", "--name", name, "../module", ".claude"]);
    let mut agent = agent(&machine, &workspace.path(".claude"));
    assert_eq!(rule(&mut agent, Path::new("settings.json")), "agent_config");
}

/// The metadata of such a submodule lies beside that of the work tree, without a folder `.git` in its path.
#[rstest]
#[case::linked(&["clone", "-q", "shop", "main"], &["worktree", "add", "-q", "../work"], "main")]
#[case::separate(&["clone", "-q", "--separate-git-dir=meta", "shop", "work"], &["status"], "work")]
#[case::bare(&["clone", "-q", "--bare", "shop", "bare.git"], &["worktree", "add", "-q", "../work"], "bare.git")]
fn a_submodule_of_another_kind_of_work_tree_is_part_of_it(
    #[case] clone: &[&str],
    #[case] add: &[&str],
    #[case] from: &str,
) {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let (module, shop) = (workspace.path("module"), workspace.path("shop"));
    put_commit(&module);
    fs::create_dir(&shop).expect("a folder");
    git(&shop, &["init", "-q"]);
    let module = module.to_str().expect("text");
    git(&shop, &["submodule", "-q", "add", "--name", "a/worktrees/b", module, ".claude"]);
    git(&shop, &["commit", "-q", "-m", "x"]);
    git(workspace.root(), clone);
    git(&workspace.path(from), add);
    git(&workspace.path("work"), &["submodule", "-q", "update", "--init"]);
    let mut agent = agent(&machine, &workspace.path("work/.claude"));
    assert_eq!(rule(&mut agent, Path::new("settings.json")), "agent_config");
}

#[test]
fn a_linked_work_tree_of_a_submodule_is_a_workspace() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let module = workspace.outside("module");
    put_commit(&module);
    git(workspace.root(), &["init", "-q"]);
    git(workspace.root(), &["submodule", "-q", "add", "../module", "lib"]);
    git(&workspace.path("lib"), &["worktree", "add", "-q", "../.claude/worktrees/w"]);
    let mut agent = agent(&machine, &workspace.path(".claude/worktrees/w"));
    assert_eq!(rule(&mut agent, Path::new("a.txt")), Value::Null);
}

#[test]
fn a_mark_in_a_repository_without_a_work_tree_opens_nothing() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    put_repository(&workspace, "bare");
    workspace.put("bare/hooks/.svn/wc.db", "x");
    let mut agent = Agent::connect(&machine, Framing::Lines);
    agent.initialize(session(&workspace.path("bare/hooks"))).refused("outside_workspace");
}

#[test]
fn a_linked_work_tree_is_a_workspace_below_any_folder() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let shop = workspace.path("modules/shop");
    put_commit(&shop);
    git(&shop, &["worktree", "add", "-q", ".claude/worktrees/w"]);
    let mut agent = agent(&machine, &shop.join(".claude/worktrees/w"));
    assert_eq!(rule(&mut agent, Path::new("a.txt")), Value::Null);
    assert_eq!(rule(&mut agent, Path::new(".claude/settings.json")), "agent_config");
}
