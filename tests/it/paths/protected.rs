//! Paths protected by name: every way to change them, whether or not they exist.

use std::fs;
use std::os::unix::fs::symlink;

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Agent, Machine, Outcome, Workspace, hash_of, uri_of};

/// Example names of each family, with their rules.
const NAMES: &[(&str, &str)] = &[
    (".git/config", "version_control"),
    ("sub/.git/hooks/pre-commit", "version_control"),
    (".jj/repo/config.toml", "version_control"),
    (".hg/hgrc", "version_control"),
    (".svn/entries", "version_control"),
    ("new/.git", "version_control"),
    (".ssh/authorized_keys", "keys"),
    ("sub/.ssh/config", "keys"),
    (".gnupg/gpg.conf", "keys"),
    (".aws/credentials", "keys"),
    (".kube/config", "keys"),
    (".netrc", "keys"),
    ("deploy/id_ed25519", "keys"),
    (".bashrc", "startup"),
    (".zshenv", "startup"),
    (".profile", "startup"),
    ("dotfiles/.config/autostart/x.desktop", "startup"),
    ("etc/cron.d/job", "startup"),
    (".env", "secrets"),
    (".env.production", "secrets"),
    (".envrc", "secrets"),
    ("sub/.env.local", "secrets"),
    (".vscode/settings.json", "editor_config"),
    ("sub/.vscode/tasks.json", "editor_config"),
    ("shop.code-workspace", "editor_config"),
    (".idea/workspace.xml", "editor_config"),
    (".zed/settings.json", "editor_config"),
    (".cursor/mcp.json", "agent_config"),
    (".claude/settings.json", "agent_config"),
    (".claude/commands/AGENTS.md", "agent_config"),
    (".claude/hooks/CLAUDE.md", "agent_config"),
    (".claude/agents/reviewer.md", "agent_config"),
    (".cursor/rules/run.sh", "agent_config"),
    (".mcp.json", "agent_config"),
    ("sub/mcp.json", "agent_config"),
    (".codex/config.toml", "agent_config"),
    (".agents/skills/x.md", "agent_config"),
    (".gemini/settings.json", "agent_config"),
    (".roo/mcp.json", "agent_config"),
    (".windsurf/x", "agent_config"),
    (".kiro/x", "agent_config"),
    (".amazonq/x", "agent_config"),
    (".devcontainer/devcontainer.json", "container_config"),
    (".github/workflows/ci.yml", "ci"),
    (".github/hooks/x", "ci"),
    (".gitlab-ci.yml", "ci"),
    (".gitattributes", "hooks"),
    (".gitmodules", "hooks"),
    (".gitconfig", "hooks"),
    (".husky/pre-commit", "hooks"),
    (".githooks/pre-push", "hooks"),
    (".pre-commit-config.yaml", "hooks"),
    (".npmrc", "secrets"),
    ("sub/.pypirc", "secrets"),
    ("tls/server.key", "secrets"),
    ("deploy/id_work", "secrets"),
    ("infra/terraform.tfstate", "secrets"),
    ("infra/prod.auto.tfvars", "secrets"),
    ("credentials.json", "secrets"),
    ("sub/.htpasswd", "secrets"),
    ("backup/mail.gpg", "secrets"),
    (".cargo/credentials.toml", "keys"),
    (".gem/credentials", "keys"),
    (".vimrc", "editor_config"),
    (".gdbinit", "editor_config"),
    (".helix/languages.toml", "editor_config"),
    (".lazy.lua", "editor_config"),
    ("lefthook.toml", "hooks"),
    ("mise.toml", "package_config"),
    ("venv/bin/activate", "dependencies"),
    (".clinerules/rules.md", "agent_config"),
    (".yarnrc.yml", "package_config"),
    (".pnpmfile.cjs", "package_config"),
    (".cargo/config.toml", "package_config"),
    ("rust-toolchain.toml", "package_config"),
    ("node_modules/left-pad/index.js", "dependencies"),
];

const TEXT: &str = "one\n";

/// Returns every kind of change to an existing file, with and without a base.
fn changes(path: &str) -> Vec<Value> {
    let plain = [
        json!({ "kind": "edit", "path": path, "edits": [{ "oldText": "one", "newText": "two" }] }),
        json!({ "kind": "write", "path": path, "content": "two\n" }),
        json!({ "kind": "delete", "path": path }),
        json!({ "kind": "rename", "path": path, "newPath": "taken.txt" }),
    ];
    let based = plain.clone().map(|mut change| {
        change["baseHash"] = json!(hash_of(TEXT));
        change
    });
    let mut changes = Vec::from(plain);
    changes.extend(based);
    changes.push(json!({ "kind": "rename", "path": "a.txt", "newPath": path }));
    changes
}

/// Returns the changes as patches.
fn patches(path: &str) -> [Value; 4] {
    let wrapped = |text: String| json!({ "patch": { "text": text }, "bases": { path: hash_of(TEXT) } });
    let new = format!("*** Begin Patch\n*** Add File: {path}\n+two\n*** End Patch\n");
    [
        wrapped(format!("*** Begin Patch\n*** Update File: {path}\n-one\n+two\n*** End Patch\n")),
        wrapped(format!("*** Begin Patch\n*** Delete File: {path}\n*** End Patch\n")),
        wrapped(format!("--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-one\n+two\n")),
        json!({ "patch": { "text": new } }),
    ]
}

#[track_caller]
fn assert_refused(agent: &mut Agent, path: &str, rule: &str) {
    for change in changes(path) {
        for method in ["editd/propose", "editd/edit"] {
            let answer = agent.call(method, json!({ "changes": [change] }));
            assert_eq!(answer.refused("protected")["rule"], rule, "{path}: {change}");
        }
    }
    for patch in patches(path) {
        assert_eq!(agent.call("editd/edit", patch.clone()).refused("protected")["rule"], rule, "{patch}");
    }
}

#[test]
fn a_protected_name_is_refused_for_every_change_whether_or_not_it_exists() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", TEXT));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let absent = workspace.everything();
    for (path, rule) in NAMES {
        assert_refused(&mut agent, path, rule);
    }
    assert_eq!(workspace.everything(), absent);
    for (path, rule) in NAMES {
        workspace.put(path, TEXT);
        let there = workspace.everything();
        assert_refused(&mut agent, path, rule);
        assert_eq!(workspace.everything(), there);
    }
}

#[test]
fn every_spelling_of_a_protected_name_is_refused() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", TEXT));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let before = workspace.everything();
    for (path, rule) in NAMES {
        let (first, rest) = path.split_once('/').unwrap_or((path, ""));
        let slash = if rest.is_empty() { "" } else { "/" };
        for spelled in [
            path.to_uppercase(),
            path.replace('s', "\u{17f}"),
            format!("deep/er/{path}"),
            format!("{first}.{slash}{rest}"),
            format!("{first} {slash}{rest}"),
            format!("{first}::$DATA{slash}{rest}"),
            format!("\u{200d}{first}\u{feff}{slash}{rest}"),
            format!("./{path}"),
            format!("x\\{}", path.replace('/', "\\")),
        ] {
            let write = json!({ "kind": "write", "path": spelled, "content": "x\n" });
            assert_eq!(agent.change(write).refused("protected")["rule"], *rule, "{spelled}");
        }
    }
    for (short, rule) in [
        ("GIT~1/config", "version_control"),
        ("SSH~1/config", "keys"),
        ("VSCODE~1/settings.json", "editor_config"),
        ("ENV~1", "secrets"),
        ("NODE_M~1/a.js", "dependencies"),
        ("GI7D29~1", "hooks"),
    ] {
        let write = json!({ "kind": "write", "path": short, "content": "x\n" });
        assert_eq!(agent.change(write).refused("protected")["rule"], rule, "{short}");
    }
    assert_eq!(workspace.everything(), before);
}

#[test]
fn a_symlink_neither_removes_nor_adds_protection() {
    let files = [("a.txt", TEXT), (".vscode/settings.json", TEXT), (".env", TEXT), ("src/b.txt", TEXT)];
    let (machine, workspace) = (Machine::start(), Workspace::with(&files));
    for (link, to) in [
        ("settings", ".vscode/settings.json"),
        ("config", ".vscode"),
        ("values", ".env"),
        (".vscode/b.txt", "../src/b.txt"),
        ("later", ".env.local"),
    ] {
        symlink(to, workspace.path(link)).expect("a link");
    }
    let mut agent = machine.agent(&workspace);
    let before = workspace.everything();
    for (path, rule) in [
        ("settings", "editor_config"),
        ("config/settings.json", "editor_config"),
        ("config/new.json", "editor_config"),
        ("values", "secrets"),
        ("later", "secrets"),
        (".vscode/b.txt", "editor_config"),
    ] {
        let write = json!({ "kind": "write", "path": path, "content": "x\n", "baseHash": hash_of(TEXT) });
        assert_eq!(agent.change(write).refused("protected")["rule"], rule, "{path}");
    }
    agent.try_read("values").refused("protected");
    assert_eq!(workspace.everything(), before);
}

#[test]
fn keys_and_secrets_cannot_be_read_but_all_other_files_can() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", TEXT));
    let mut agent = machine.agent(&workspace);
    for (path, rule) in NAMES {
        let unreadable = ["keys", "secrets"].contains(rule);
        if unreadable {
            agent.try_read(path).refused("protected");
        } else {
            agent.try_read(path).refused("missing");
        }
        workspace.put(path, TEXT);
        let read = agent.try_read(path);
        if unreadable {
            let error = read.fails(-32803);
            assert_eq!(error.data["rule"], *rule, "{path}");
            assert!(!format!("{error:?}").contains(&hash_of(TEXT)), "{error:?}");
        } else {
            assert_eq!(read.done()["text"], TEXT, "{path}");
        }
    }
}

#[test]
fn a_refusal_reveals_nothing_about_an_unreadable_file() {
    let (machine, workspace) = (Machine::start(), Workspace::file(".env", "PASSWORD=hunter2\n"));
    let mut agent = machine.agent(&workspace);
    for change in changes(".env").into_iter().take(8) {
        let error = agent.change(change).fails(-32803);
        let said = format!("{error:?}");
        assert!(!said.contains("hunter2") && !said.contains(&workspace.hash(".env")), "{said}");
    }
}

#[rstest]
#[case(".gitignore")]
#[case(".github/CODEOWNERS")]
#[case("environment.ts")]
#[case(".env.example")]
#[case("sub/.env.sample")]
#[case(".env.template")]
#[case("src/id_map.rs")]
#[case("src/keys.rs")]
#[case("ssh/config.md")]
#[case("src/vscode/settings.json")]
#[case("profile")]
#[case("docs/env.md")]
#[case("keys/readme.md")]
#[case("a~1.txt")]
fn similar_names_are_not_protected(#[case] path: &str) {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let mut agent = machine.agent(&workspace);
    agent.change(json!({ "kind": "write", "path": path, "content": "one\n" })).done();
    agent.edit(path, "one", "two").done();
    agent.change(json!({ "kind": "rename", "path": path, "newPath": "b.txt" })).done();
    agent.change(json!({ "kind": "delete", "path": "b.txt" })).done();
}

#[test]
fn one_protected_file_prevents_a_whole_set() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", TEXT));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let changes = vec![
        json!({ "kind": "edit", "path": "a.txt", "edits": [{ "oldText": "one", "newText": "two" }] }),
        json!({ "kind": "write", "path": ".mcp.json", "content": "{}\n" }),
    ];
    assert_eq!(agent.changes(changes).refused("protected")["change"], 1);
    assert_eq!(workspace.text("a.txt"), TEXT);
}

/// Returns `initialize` parameters with this root.
fn session(root: &std::path::Path) -> Value {
    json!({ "clientInfo": { "name": "alice" }, "workspaceFolders": [{ "uri": uri_of(root), "name": "x" }] })
}

#[test]
fn a_root_below_a_protected_folder_gives_no_access() {
    let files = [(".git/HEAD", "x\n"), (".vscode/a.json", TEXT), ("node_modules/p/a.js", TEXT)];
    let (machine, workspace) = (Machine::start(), Workspace::with(&files));
    for (root, path, rule) in [
        (".vscode", "a.json", "editor_config"),
        ("node_modules/p", "a.js", "dependencies"),
        ("node_modules", "p/new.js", "dependencies"),
    ] {
        let mut agent = machine.agent_with(session(&workspace.path(root)));
        let write = json!({ "kind": "write", "path": path, "content": "x\n", "baseHash": hash_of(TEXT) });
        assert_eq!(agent.change(write).refused("protected")["rule"], rule, "{root}");
    }
    // A file as a root is protected by its location as well.
    let mut agent = machine.agent_with(session(&workspace.path(".vscode/a.json")));
    agent.edit(&workspace.absolute(".vscode/a.json"), "one", "two").refused("protected");
}

#[rstest]
#[case(".claude/worktrees/x")]
#[case("node_modules/shop")]
#[case(".codex/worktrees/12/shop")]
fn a_separate_work_tree_is_editable_anywhere(#[case] place: &str, #[values(true, false)] linked: bool) {
    let (machine, workspace) = (Machine::start(), Workspace::file(".git/HEAD", "x\n"));
    workspace.put(&format!("{place}/src/a.txt"), TEXT);
    workspace.put(&format!("{place}/.vscode/a.json"), TEXT);
    if linked {
        let metadata = workspace.outside("elsewhere/.git/worktrees/x");
        let mark = workspace.path(&format!("{place}/.git"));
        fs::create_dir_all(&metadata).expect("folders");
        fs::write(metadata.join("commondir"), "../..\n").expect("a file of git");
        fs::write(metadata.join("gitdir"), format!("{}\n", mark.display())).expect("a file of git");
        fs::write(mark, format!("gitdir: {}\n", metadata.display())).expect("a mark");
    } else {
        for name in ["HEAD", "objects/x", "refs/x"] {
            workspace.put(&format!("{place}/.git/{name}"), "x\n");
        }
    }
    for root in [place.to_owned(), format!("{place}/src")] {
        let mut agent = machine.agent_with(session(&workspace.path(&root)));
        agent.read(&workspace.absolute(&format!("{place}/src/a.txt")));
        agent.change(json!({ "kind": "write", "path": "b.txt", "content": "x\n" })).done();
    }
    // Inside it, the rules apply as in any other workspace.
    let mut agent = machine.agent_with(session(&workspace.path(place)));
    agent.change(json!({ "kind": "write", "path": ".vscode/b.json", "content": "x\n" })).refused("protected");
}

#[test]
fn startup_files_of_the_user_are_never_changed() {
    let machine = Machine::start();
    let home = machine.home();
    fs::create_dir_all(home.join(".config")).expect("folders");
    fs::write(home.join(".bashrc"), TEXT).expect("a file");
    machine.write_policy(
        "[[rules]]\npattern = \"**\"\noperations = [\"create\", \"modify\", \"read\"]\nclass = \"allow\"\n",
    );
    let mut one = machine.agent_with(session(&home.join(".bashrc")));
    let path = home.join(".bashrc").display().to_string();
    one.read(&path);
    let refusal = one.edit(&path, "one", "two").refused("protected");
    assert_eq!((&refusal["rule"], &refusal["allow"]), (&json!("startup"), &Value::Null));
    let mut folder = machine.agent_with(session(&home.join(".config")));
    for path in ["autostart/x.desktop", "systemd/user/x.service", "fish/config.fish"] {
        let write = json!({ "kind": "write", "path": path, "content": "x\n" });
        assert_eq!(folder.change(write).refused("protected")["rule"], "startup", "{path}");
    }
    folder.change(json!({ "kind": "write", "path": "shop/settings", "content": "x\n" })).done();
}

#[rstest]
#[case(".local/bin", "ls", "startup")]
#[case(".config/nvim", "init.lua", "editor_config")]
#[case(".config/nvim", "lua/plugins/a.lua", "editor_config")]
#[case(".config/Code/User", "settings.json", "editor_config")]
fn a_root_in_the_home_folder_does_not_open_the_settings_of_programs(
    #[case] root: &str,
    #[case] path: &str,
    #[case] rule: &str,
) {
    let machine = Machine::start();
    let root = machine.home().join(root);
    fs::create_dir_all(&root).expect("folders");
    let write = json!({ "kind": "write", "path": path, "content": "x\n" });
    let refusal = machine.agent_with(session(&root)).change(write).refused("protected");
    assert_eq!(refusal["rule"], rule);
    assert!(!root.join(path).exists());
}

#[test]
fn a_folder_cannot_be_turned_into_a_repository() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let mut agent = machine.agent(&workspace);
    let write = |path: &str| json!({ "kind": "write", "path": path, "content": "x\n" });
    let all = vec![write("x/config"), write("x/objects/a"), write("x/refs/a"), write("x/HEAD")];
    assert_eq!(agent.changes(all).refused("protected")["rule"], "bare_repository");
    agent.change(write("x/config")).done();
    agent.change(write("x/objects/a")).done();
    agent.change(write("x/refs/a")).done();
    agent.change(write("x/head")).refused("protected");
    agent.change(json!({ "kind": "rename", "path": "x/config", "newPath": "x/HEAD" })).refused("protected");
}

#[test]
fn no_other_method_reveals_an_unreadable_file() {
    let (machine, workspace) =
        (Machine::start(), Workspace::with(&[("secret.txt", "key = 12\n"), ("a.txt", "one\n")]));
    let mut agent = machine.agent(&workspace);
    agent.read("secret.txt");
    let open = agent.propose("secret.txt", "12", "13").done();
    agent.edit("secret.txt", "key", "KEY").done();
    agent.read("a.txt");
    agent.edit("a.txt", "one", "two").done();
    machine.write_policy("[[rules]]\npattern = \"secret.txt\"\noperations = [\"read\"]\nclass = \"never\"\n");
    agent.call("editd/proposal", json!({ "id": open["id"] })).refused("protected");
    agent.call("editd/discard", json!({ "id": open["id"] })).refused("protected");
    agent.call("editd/blame", json!({ "path": "secret.txt" })).refused("protected");
    for (method, list) in [("editd/proposals", "proposals"), ("editd/history", "transactions")] {
        let answer = agent.call(method, json!({})).done();
        assert_eq!(answer[list].as_array().expect("a list").len(), 1, "{answer}");
        assert!(!answer.to_string().contains("secret.txt"), "{answer}");
    }
}
