//! The user's own path rules.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Agent, Machine, Outcome, Workspace, hash_of};

fn rule(pattern: &str, operations: &[&str], class: &str) -> String {
    format!("[[rules]]\npattern = {pattern:?}\noperations = {operations:?}\nclass = \"{class}\"\n")
}

const ALL: &[&str] = &["create", "modify", "rename", "delete", "read"];

fn write(path: &str) -> Value {
    json!({ "kind": "write", "path": path, "content": "one\n" })
}

fn start(files: &[(&str, &str)]) -> (Machine, Workspace, Agent) {
    let (machine, workspace) = (Machine::start(), Workspace::with(files));
    let agent = machine.agent(&workspace);
    (machine, workspace, agent)
}

#[test]
fn creating_documentation_can_require_opt_in() {
    let (machine, workspace, mut agent) = start(&[("README.md", "one\n"), ("a.txt", "one\n")]);
    let reason = "reason = \"Ask before you write documentation.\"\n";
    machine.write_policy(&(rule("**/*.md", &["create"], "opt_in") + reason));
    agent.read_and_edit("README.md", "one", "two").done();
    for path in ["NOTES.md", "docs/deep/plan.md", "SUMMARY.MD"] {
        let refusal = agent.change(write(path)).refused("protected");
        assert_eq!(
            (&refusal["rule"], &refusal["reason"]),
            (&json!("policy"), &json!("Ask before you write documentation."))
        );
        assert!(refusal["hint"].as_str().expect("a hint").contains("Ask before"), "{refusal}");
    }
    // A rename counts as the creation of the new name.
    agent.read("a.txt");
    let rename = json!({ "kind": "rename", "path": "a.txt", "newPath": "a.md" });
    agent.change(rename).refused("protected");
    agent.change(write("notes.txt")).done();
    assert!(!workspace.has("NOTES.md"));
}

#[test]
fn the_lines_in_a_refusal_allow_the_change() {
    let (machine, workspace, mut agent) = start(&[(".env", "A=1\n"), (".vscode/b.json", "one\n")]);
    let before = rule("**/*.md", &["create"], "opt_in");
    machine.write_policy(&before);
    for change in [
        write(".vscode/[a] {b}.json"),
        json!({ "kind": "rename", "path": ".vscode/b.json", "newPath": "b.json", "baseHash": hash_of("one\n") }),
        json!({ "kind": "edit", "path": ".env", "baseHash": hash_of("A=1\n"),
                "edits": [{ "oldText": "1", "newText": "2" }] }),
        write("NOTES.md"),
    ] {
        let refusal = agent.change(change.clone()).refused("protected");
        assert_eq!(refusal["policy"], json!(machine.policy_file()), "{refusal}");
        let lines = refusal["allow"].as_str().expect("lines to add");
        assert!(refusal["hint"].as_str().expect("a hint").contains(lines), "{refusal}");
        machine.write_policy(&format!("{before}{lines}"));
        agent.change(change).done();
        agent.change(write(".vscode/other.json")).refused("protected");
    }
    assert_eq!(workspace.text(".env"), "A=2\n");
}

#[test]
fn no_policy_can_allow_the_strictest_rules() {
    let (machine, workspace, mut agent) = start(&[(".git/config", "one\n"), (".ssh/config", "one\n")]);
    machine.write_policy(&(rule("**", ALL, "allow") + &rule("**/.git/**", ALL, "tagged")));
    for (path, rule) in [
        (".git/config", "version_control"),
        (".git/hooks/pre-commit", "version_control"),
        (".hg/hgrc", "version_control"),
        (".ssh/config", "keys"),
        (".aws/credentials", "keys"),
    ] {
        let mut change = write(path);
        change["baseHash"] = json!(hash_of("one\n"));
        let refusal = agent.change(change).refused("protected");
        assert_eq!((&refusal["rule"], &refusal["allow"]), (&json!(rule), &Value::Null), "{path}");
        assert!(refusal["hint"].as_str().expect("a hint").contains("No policy can allow it"), "{refusal}");
    }
    // The user can allow keys to be read.
    assert_eq!(agent.read(".ssh/config")["text"], "one\n");
    assert_eq!(workspace.text(".git/config"), "one\n");
}

#[test]
fn no_policy_reaches_editds_own_files() {
    let mut machine = Machine::asleep("");
    let config = machine.home().join(".config/editd");
    let root = config.parent().expect("a folder");
    fs::create_dir_all(&config).expect("a folder");
    fs::create_dir(root.join("sub")).expect("a folder");
    machine.write_policy(&rule("**", ALL, "allow"));
    for file in [machine.policy_file(), machine.config_file()] {
        fs::copy(&file, config.join(file.file_name().expect("a name"))).expect("a copy");
    }
    machine.serve_with(&[("EDITD_CONFIG", None)]);
    let session =
        json!({ "clientInfo": { "name": "alice" }, "rootUri": format!("file://{}", root.display()) });
    let mut agent = machine.agent_with(session);
    let before = fs::read_to_string(config.join("policy.toml")).expect("the policy");
    for path in ["editd/policy.toml", "editd/config.toml", "editd/POLICY.toml", "sub/../editd/policy.toml"] {
        let mut change = write(path);
        change["baseHash"] = json!(hash_of(&before));
        assert_eq!(agent.change(change).refused("protected")["rule"], "editd", "{path}");
        let rename = json!({ "kind": "rename", "path": path, "newPath": "x.toml" });
        agent.change(rename).refused("protected");
    }
    agent.change(write("sub/a.txt")).done();
    let rename = json!({ "kind": "rename", "path": "sub/a.txt", "newPath": "editd/policy.toml" });
    assert_eq!(agent.change(rename).refused("protected")["rule"], "editd");
    assert_eq!(fs::read_to_string(config.join("policy.toml")).expect("the policy"), before);
}

#[test]
fn the_target_of_a_symlinked_policy_is_protected() {
    let (machine, workspace) = (Machine::start(), Workspace::file("dotfiles/policy.toml", ""));
    symlink(workspace.path("dotfiles/policy.toml"), machine.policy_file()).expect("a link");
    let mut agent = machine.agent(&workspace);
    agent.change(write("a.txt")).done();
    let mut change = write("dotfiles/policy.toml");
    change["baseHash"] = json!(hash_of(""));
    assert_eq!(agent.change(change).refused("protected")["rule"], "editd");
}

#[test]
fn a_later_rule_wins() {
    let (machine, workspace, mut agent) = start(&[]);
    let rules = [
        rule("docs/**", &["create"], "never"),
        rule("docs/drafts", &["create"], "allow"),
        rule("*.tmp", &["create"], "never"),
        rule(&format!("{}/docs/drafts/ok.tmp", workspace.root().display()), &["create"], "allow"),
        rule(".vscode/**", &["create"], "allow"),
        rule(".vscode/tasks.json", &["create"], "opt_in"),
    ];
    machine.write_policy(&rules.concat());
    for (path, allowed) in [
        ("docs/a.md", false),
        ("docs/drafts/a.md", true),
        ("docs/drafts/a.tmp", false),
        ("docs/drafts/ok.tmp", true),
        (".vscode/settings.json", true),
        (".vscode/tasks.json", false),
        ("sub/docs/a.md", false),
        ("docsx/a.md", true),
    ] {
        let answer = agent.change(write(path));
        assert_eq!(answer.is_ok(), allowed, "{path}: {answer:?}");
    }
}

#[test]
fn policy_changes_take_effect_during_a_session() {
    let (machine, workspace, mut agent) = start(&[("a.txt", "one\n"), ("b.txt", "one\n")]);
    agent.read_and_edit("a.txt", "one", "1").done();
    let proposal = agent.propose("a.txt", "1", "one").done();
    machine.write_policy(&rule("a.txt", &["modify"], "never"));
    agent.edit("a.txt", "1", "2").refused("protected");
    agent.apply(&proposal).refused("protected");
    machine.write_policy(&rule("b.txt", &["modify"], "never"));
    agent.edit("a.txt", "1", "2").done();
    agent.read("b.txt");
    agent.edit("b.txt", "one", "2").refused("protected");
    let before = workspace.everything();
    for broken in ["rules = [", "[[rules]]\npattern = \"x\"\n", "[[rule]]\n", "\u{0}"] {
        machine.write_policy(broken);
        for change in [write("c.txt"), json!({ "kind": "delete", "path": "a.txt" })] {
            let error = agent.change(change).fails(-32803);
            assert_eq!(error.kind(), "not_permitted", "{error:?}");
            assert!(error.message.contains("policy.toml"), "{error:?}");
        }
        assert_eq!(agent.read("a.txt")["text"], "2\n");
    }
    assert_eq!(workspace.everything(), before);
    machine.write_policy(&rule("c.txt", &["create"], "never"));
    agent.edit("a.txt", "2", "3").done();
    agent.change(write("c.txt")).refused("protected");
    fs::remove_file(machine.policy_file()).expect("an existing policy");
    agent.change(write("c.txt")).done();
}

#[rstest]
#[case::writable_by_others(0o666)]
#[case::writable_by_the_group(0o620)]
fn a_policy_writable_by_others_is_invalid(#[case] mode: u32) {
    let (machine, _workspace, mut agent) = start(&[]);
    machine.write_policy("");
    agent.change(write("a.txt")).done();
    fs::set_permissions(machine.policy_file(), fs::Permissions::from_mode(mode)).expect("a mode");
    let error = agent.change(write("b.txt")).fails(-32803);
    assert!(error.kind() == "not_permitted" && error.message.contains("policy.toml"), "{error:?}");
    fs::set_permissions(machine.policy_file(), fs::Permissions::from_mode(0o600)).expect("a mode");
    agent.change(write("b.txt")).done();
}

#[test]
fn an_unreadable_file_can_be_neither_edited_nor_moved() {
    let (machine, workspace, mut agent) = start(&[("secret/a.txt", "hunter2\n")]);
    machine.write_policy(&rule("secret/**", &["read"], "never"));
    agent.try_read("secret/a.txt").refused("protected");
    let base = json!(hash_of("hunter2\n"));
    for change in [
        json!({ "kind": "edit", "path": "secret/a.txt", "edits": [{ "oldText": "h", "newText": "x" }] }),
        json!({ "kind": "rename", "path": "secret/a.txt", "newPath": "b.txt", "baseHash": base }),
        json!({ "kind": "delete", "path": "secret/a.txt", "baseHash": base }),
        json!({ "kind": "write", "path": "secret/a.txt", "content": "x\n", "baseHash": base }),
    ] {
        let error = agent.change(change).fails(-32803);
        assert!(error.kind() == "protected" && !format!("{error:?}").contains("hunter2"), "{error:?}");
    }
    agent.change(write("secret/new.txt")).done();
    // An invalid policy restricts as much as the last valid one.
    machine.write_policy("rules = [");
    agent.try_read("secret/a.txt").refused("protected");
    assert_eq!(workspace.text("secret/a.txt"), "hunter2\n");
}

#[test]
fn a_rename_rule_applies_to_both_names() {
    let (machine, _workspace, mut agent) = start(&[("fixed/a.txt", "one\n"), ("b.txt", "one\n")]);
    machine.write_policy(&rule("fixed/**", &["rename"], "never"));
    agent.read("fixed/a.txt");
    agent.read("b.txt");
    for (path, to) in [("fixed/a.txt", "c.txt"), ("b.txt", "fixed/b.txt")] {
        agent.change(json!({ "kind": "rename", "path": path, "newPath": to })).refused("protected");
    }
    agent.edit("fixed/a.txt", "one", "two").done();
    agent.change(write("fixed/new.txt")).done();
}

#[test]
fn a_tagged_rule_adds_the_tag() {
    let (machine, _workspace, mut agent) = start(&[]);
    machine.write_policy(&rule("**/*.sql", &["create", "modify"], "tagged"));
    let answer = agent.change(write("db/a.sql")).done();
    assert_eq!(answer["files"][0]["tags"], json!(["executable_config"]));
    // A file allowed by the policy keeps its tag.
    machine.write_policy(&rule(".vscode", ALL, "allow"));
    let answer = agent.change(write(".vscode/a.json")).done();
    assert_eq!(answer["files"][0]["tags"], json!(["executable_config"]));
}

#[test]
fn a_pattern_can_start_at_the_home_folder() {
    let machine = Machine::asleep("");
    let root = machine.home().join("shop");
    fs::create_dir(&root).expect("a root");
    machine.write_policy(&rule("~/shop/docs/**", &["create"], "never"));
    let mut machine = machine;
    machine.serve();
    let session =
        json!({ "clientInfo": { "name": "alice" }, "rootUri": format!("file://{}", root.display()) });
    let mut agent = machine.agent_with(session);
    agent.change(write("docs/a.md")).refused("protected");
    agent.change(write("sub/docs/a.md")).done();
}

/// Checks the documented example with a matching project.
#[test]
fn the_documented_example_works_as_described() {
    let document = include_str!("../../../docs/configuration.md");
    let example = document.split("```toml\n").find(|part| part.contains("[[rules]]")).expect("an example");
    let example = example.split("```").next().expect("its end");
    let machine = Machine::asleep("");
    let root = machine.home().join("src/shop");
    fs::create_dir_all(root.join("db/migrations")).expect("a root");
    fs::write(root.join("db/migrations/2024-01.sql"), "one\n").expect("a file");
    machine.write_policy(example);
    let mut machine = machine;
    machine.serve();
    let session =
        json!({ "clientInfo": { "name": "alice" }, "rootUri": format!("file://{}", root.display()) });
    let mut agent = machine.agent_with(session);
    for (path, allowed) in [
        ("NOTES.md", false),
        ("docs/releases/1.0.md", true),
        (".vscode/tasks.json", true),
        (".vscode/settings.json", false),
        (".env.test", true),
        (".env", false),
        ("db/migrations/2024-02.sql", true),
        ("src/prices/eu.toml", false),
    ] {
        assert_eq!(agent.change(write(path)).is_ok(), allowed, "{path}");
    }
    agent.read("db/migrations/2024-01.sql");
    agent.edit("db/migrations/2024-01.sql", "one", "two").refused("protected");
    agent.read(".env.test");
}

#[rstest]
#[case::none(None, "built-in")]
#[case::whole(Some("[[rules]]\npattern = \"a\"\noperations = [\"read\"]\nclass = \"never\"\n"), "rules: 1")]
#[case::with_a_review(
    Some("[[rules]]\npattern = \"a\"\noperations = [\"modify\"]\nclass = \"review\"\n"),
    "rules: 1 (1 of class review)"
)]
#[case::broken(Some("rules = ["), "nothing will be written")]
fn doctor_and_status_report_the_policy(#[case] policy: Option<&str>, #[case] expected: &str) {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    if let Some(policy) = policy {
        machine.write_policy(policy);
    }
    let doctor = machine.run(&["doctor"]);
    let report = String::from_utf8_lossy(&doctor.stdout).into_owned();
    assert!(report.contains(expected) && report.contains("policy.toml"), "{report}");
    assert_eq!(doctor.status.success(), expected != "nothing will be written", "{report}");
    let status = machine.agent(&workspace).call("editd/status", json!({})).done();
    let printed = machine.run(&["status"]);
    let printed = String::from_utf8_lossy(&printed.stdout).into_owned();
    assert_eq!(status["policy"].is_null(), policy.is_none(), "{status}");
    assert_eq!(printed.contains("policy.toml"), policy.is_some(), "{printed}");
    let broken = expected.starts_with("nothing");
    assert_eq!(status["policy"]["error"].is_string(), broken, "{status}");
    assert_eq!(printed.contains("nothing is written"), broken, "{printed}");
}

#[test]
fn an_undo_is_checked_like_any_change() {
    let (machine, workspace, mut agent) = start(&[("gone.txt", "one\n")]);
    agent.change(write("made.txt")).done();
    agent.read("gone.txt");
    agent.change(json!({ "kind": "delete", "path": "gone.txt" })).done();
    machine.write_policy(&rule("gone.txt", &["create"], "never"));
    agent.call("editd/undo", json!({ "path": "gone.txt" })).refused("protected");
    machine.write_policy(&rule("made.txt", &["delete"], "never"));
    agent.call("editd/undo", json!({ "path": "made.txt" })).refused("protected");
    agent.call("editd/undo", json!({ "path": "gone.txt" })).done();
    assert!(workspace.has("gone.txt") && workspace.has("made.txt"));
}
