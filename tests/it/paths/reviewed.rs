//! Changes that require review by a path rule: build pipelines, settings of agents, and files that the user's
//! policy marks as `review`.

use rstest::rstest;
use serde_json::{Value, json};

use crate::review::scene::reviewer;
use crate::support::{Agent, Machine, Outcome, Workspace, hash_of};

const CI: &str = ".github/workflows/ci.yml";
const SETTINGS: &str = ".claude/settings.json";
const TEXT: &str = "one\n";

struct Scene {
    machine: Machine,
    workspace: Workspace,
    agent: Agent,
}

fn scene(config: &str) -> Scene {
    let files = [(CI, TEXT), (SETTINGS, TEXT), (".mcp.json", TEXT), ("a.txt", TEXT), ("b.txt", TEXT)];
    let (machine, workspace) = (Machine::configured(config), Workspace::with(&files));
    let mut agent = machine.agent(&workspace);
    agent.read_all(&files.map(|(path, _)| path));
    Scene { machine, workspace, agent }
}

impl Scene {
    #[track_caller]
    fn assert_unchanged(&self) {
        for path in [CI, SETTINGS, ".mcp.json", "a.txt", "b.txt"] {
            assert_eq!(self.workspace.text(path), TEXT, "{path}");
        }
        assert!(!self.workspace.has(".circleci/config.yml"));
    }
}

fn decide(editor: &mut Agent, proposal: &Value, decision: &str) -> Value {
    let seen = editor.call("editd/proposal", json!({ "id": proposal["id"] })).done();
    let params = json!({ "id": proposal["id"], "revision": seen["revision"], decision: "all" });
    editor.call("editd/decide", params).done()
}

fn edit(path: &str) -> Value {
    json!({ "kind": "edit", "path": path, "edits": [{ "oldText": "one", "newText": "two" }] })
}

/// Returns every kind of change to a path that requires review.
fn changes() -> Vec<Value> {
    vec![
        edit(CI),
        edit(SETTINGS),
        json!({ "kind": "write", "path": ".mcp.json", "content": "two\n" }),
        json!({ "kind": "write", "path": ".circleci/config.yml", "content": "two\n" }),
        json!({ "kind": "delete", "path": CI }),
        json!({ "kind": "rename", "path": CI, "newPath": "ci.yml" }),
        json!({ "kind": "rename", "path": "a.txt", "newPath": ".circleci/config.yml" }),
    ]
}

#[rstest]
fn a_change_waits_for_a_watching_editor_regardless_of_configuration(
    #[values("auto", "off", "always")] review: &str,
    #[values(0, 1, 2, 3, 4, 5, 6)] number: usize,
) {
    let mut scene = scene(&format!("review = \"{review}\"\n"));
    let mut editor = reviewer(&scene.machine, &scene.workspace);
    let change = changes().swap_remove(number);
    let before = scene.workspace.everything();
    let params = json!({ "changes": [change.clone()], "review": false });
    let waits = scene.agent.call("editd/edit", params.clone()).done();
    assert_eq!(waits["state"], "pending", "{waits}");
    assert_eq!(scene.workspace.everything(), before);
    decide(&mut editor, &waits, "reject");
    assert_eq!(scene.workspace.everything(), before);
    let waits = scene.agent.call("editd/edit", params).done();
    assert_eq!(decide(&mut editor, &waits, "accept")["state"], "applied");
    assert_ne!(scene.workspace.everything(), before);
}

#[rstest]
fn a_change_is_refused_without_a_reviewer(#[values("auto", "off")] review: &str) {
    let mut scene = scene(&format!("review = \"{review}\"\n"));
    // An editor without review support does not count as a reviewer, nor does one with other roots.
    let (_without_review, elsewhere) = (scene.machine.editor(&scene.workspace), Workspace::empty());
    let _with_other_roots = reviewer(&scene.machine, &elsewhere);
    for change in changes() {
        for method in ["editd/propose", "editd/edit"] {
            let refusal = scene.agent.call(method, json!({ "changes": [change] })).refused("protected");
            let of_agents = [SETTINGS, ".mcp.json"].map(Value::from).contains(&change["path"]);
            let rule = if of_agents { "agent_config" } else { "ci" };
            assert_eq!(refusal["rule"], rule, "{change}");
            let (hint, lines) = (refusal["hint"].as_str().expect("a hint"), &refusal["allow"]);
            assert!(hint.ends_with(lines.as_str().expect("lines to add")), "{refusal}");
            for part in ["an editor", "review = \"always\"", "`review: true`", "policy.toml"] {
                assert!(hint.contains(part), "{part}: {hint}");
            }
        }
    }
    scene.assert_unchanged();
}

#[test]
fn without_an_editor_a_change_waits_if_configuration_or_request_require_review() {
    let mut always = scene("review = \"always\"\n");
    let mut asked = scene("review = \"off\"\n");
    let waits = [
        always.agent.change(edit(CI)).done(),
        asked.agent.call("editd/edit", json!({ "changes": [edit(CI)], "review": true })).done(),
    ];
    for (scene, waits) in [&always, &asked].into_iter().zip(&waits) {
        assert_eq!(waits["state"], "pending");
        scene.assert_unchanged();
        let mut person = scene.machine.editor(&scene.workspace);
        decide(&mut person, waits, "accept");
        assert_eq!(scene.workspace.text(CI), "two\n");
    }
}

#[test]
fn instructions_for_agents_are_changed_without_review() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let mut agent = machine.agent(&workspace);
    for path in [
        "AGENTS.md",
        "docs/CLAUDE.md",
        "GEMINI.md",
        ".github/copilot-instructions.md",
        ".claude/CLAUDE.md",
        ".cursor/rules/style.mdc",
        ".junie/guidelines.md",
    ] {
        agent.change(json!({ "kind": "write", "path": path, "content": TEXT })).done();
        assert_eq!(agent.edit(path, "one", "two").done()["state"], "applied", "{path}");
        agent.change(json!({ "kind": "rename", "path": path, "newPath": "x.md" })).done();
        agent.change(json!({ "kind": "delete", "path": "x.md" })).done();
    }
    agent
        .change(json!({ "kind": "write", "path": ".claude/commands/CLAUDE.md", "content": TEXT }))
        .refused("protected");
}

#[test]
fn one_reviewed_file_makes_a_whole_set_wait() {
    let mut scene = scene("review = \"off\"\n");
    let set = || json!({ "changes": [edit("a.txt"), edit(CI), edit("b.txt"), edit(SETTINGS)] });
    let error = scene.agent.call("editd/edit", set()).fails(-32803);
    let change_indices: Vec<_> =
        error.data["refusals"].as_array().expect("refusals").iter().map(|it| &it["change"]).collect();
    assert_eq!(change_indices, [1, 3]);
    let mut editor = reviewer(&scene.machine, &scene.workspace);
    let waits = scene.agent.call("editd/edit", set()).done();
    assert_eq!((&waits["state"], waits["files"].as_array().map(Vec::len)), (&json!("pending"), Some(4)));
    scene.assert_unchanged();
    decide(&mut editor, &waits, "accept");
    assert_eq!((scene.workspace.text("a.txt"), scene.workspace.text(CI)), ("two\n".into(), "two\n".into()));
}

#[test]
fn patches_wait_as_well_and_their_refusals_name_the_line() {
    let mut scene = scene("review = \"off\"\n");
    let text = format!(
        "*** Begin Patch\n*** Update File: a.txt\n-one\n+two\n*** Update File: {CI}\n-one\n+two\n*** End Patch\n"
    );
    let patch = json!({ "patch": { "text": text } });
    let refusal = scene.agent.call("editd/edit", patch.clone()).refused("protected");
    assert_eq!((&refusal["patchLine"], &refusal["change"]), (&json!(5), &json!(1)));
    let mut editor = reviewer(&scene.machine, &scene.workspace);
    let waits = scene.agent.call("editd/edit", patch).done();
    assert_eq!(waits["state"], "pending");
    scene.assert_unchanged();
    decide(&mut editor, &waits, "accept");
    assert_eq!(scene.workspace.text(CI), "two\n");
}

#[test]
fn an_earlier_proposal_is_checked_when_it_is_applied() {
    let mut scene = scene("review = \"off\"\n");
    let mut editor = reviewer(&scene.machine, &scene.workspace);
    let proposal = scene.agent.propose(CI, "one", "two").done();
    let ordinary = scene.agent.propose("a.txt", "one", "two").done();
    // An editor that does not say goodbye is waited for.
    editor.call("shutdown", json!({})).done();
    drop(editor);
    crate::support::eventually("the editor to be disconnected", || {
        let status = scene.agent.call("editd/status", json!({})).done();
        (status["sessions"] == 1).then_some(())
    });
    scene.agent.apply(&proposal).refused("protected");
    scene.machine.write_policy(&rule("a.txt", &["modify"], "review"));
    scene.agent.apply(&ordinary).refused("protected");
    scene.assert_unchanged();
    let mut editor = reviewer(&scene.machine, &scene.workspace);
    for (proposal, path) in [(&proposal, CI), (&ordinary, "a.txt")] {
        let params = json!({ "id": proposal["id"], "review": false });
        let waits = scene.agent.call("editd/apply", params).done();
        assert_eq!(waits["state"], "pending", "{path}");
        assert_eq!(scene.workspace.text(path), TEXT);
        decide(&mut editor, &waits, "accept");
        assert_eq!(scene.workspace.text(path), "two\n");
        assert_eq!(scene.agent.apply(proposal).done()["state"], "applied");
    }
}

#[test]
fn an_undo_requires_review_like_the_change() {
    let mut scene = scene("review = \"off\"\n");
    let mut editor = reviewer(&scene.machine, &scene.workspace);
    let waits = scene.agent.change(edit(CI)).done();
    decide(&mut editor, &waits, "accept");
    let back = scene.agent.call("editd/undo", json!({ "path": CI, "review": false })).done();
    assert_eq!((&back["state"], scene.workspace.text(CI)), (&json!("pending"), "two\n".to_owned()));
    decide(&mut editor, &back, "reject");
    editor.call("shutdown", json!({})).done();
    drop(editor);
    crate::support::eventually("the editor to be disconnected", || {
        let status = scene.agent.call("editd/status", json!({})).done();
        (status["sessions"] == 1).then_some(())
    });
    assert_eq!(scene.agent.call("editd/undo", json!({ "path": CI })).refused("protected")["rule"], "ci");
    assert_eq!(scene.workspace.text(CI), "two\n");
    let mut editor = reviewer(&scene.machine, &scene.workspace);
    let back = scene.agent.call("editd/undo", json!({ "path": CI })).done();
    decide(&mut editor, &back, "accept");
    assert_eq!(scene.workspace.text(CI), TEXT);
}

#[test]
fn a_repeated_request_refers_to_the_pending_proposal() {
    let mut scene = scene("review = \"off\"\n");
    let request = json!({ "changes": [edit(CI)], "requestId": "r1" });
    scene.agent.call("editd/edit", request.clone()).refused("protected");
    let mut editor = reviewer(&scene.machine, &scene.workspace);
    let waits = scene.agent.call("editd/edit", request.clone()).done();
    let again = scene.agent.call("editd/edit", request.clone()).done();
    assert_eq!((&again["state"], &again["id"]), (&json!("pending"), &waits["id"]));
    scene.assert_unchanged();
    decide(&mut editor, &waits, "accept");
    assert_eq!(scene.agent.call("editd/edit", request).done()["id"], waits["id"]);
    assert_eq!(scene.workspace.text(CI), "two\n");
}

#[test]
fn no_symlink_or_spelling_bypasses_the_review() {
    let mut scene = scene("review = \"off\"\n");
    let link =
        |name: &str, to: &str| std::os::unix::fs::symlink(to, scene.workspace.path(name)).expect("a link");
    link("ci", CI);
    link("flows", ".github/workflows");
    link("CLAUDE.md", SETTINGS);
    link(".claude/AGENTS.md", "settings.json");
    let base = json!(hash_of(TEXT));
    for path in [
        "ci",
        "flows/ci.yml",
        "flows/new.yml",
        "CLAUDE.md",
        ".claude/AGENTS.md",
        ".GitHub/Workflows/x.yml",
        "CLAUDE~1/settings.json",
    ] {
        let write = json!({ "kind": "write", "path": path, "content": "two\n", "baseHash": base });
        scene.agent.change(write).refused("protected");
    }
    scene.assert_unchanged();
}

#[test]
fn an_editors_own_change_needs_no_review() {
    let mut scene = scene("review = \"off\"\n");
    let mut person = scene.machine.editor(&scene.workspace);
    assert_eq!(person.read_and_edit(CI, "one", "two").done()["state"], "applied");
    let proposal = {
        let _editor = reviewer(&scene.machine, &scene.workspace);
        scene.agent.propose(SETTINGS, "one", "two").done()
    };
    assert_eq!(person.apply(&proposal).done()["state"], "applied");
}

fn rule(pattern: &str, operations: &[&str], class: &str) -> String {
    format!("[[rules]]\npattern = {pattern:?}\noperations = {operations:?}\nclass = \"{class}\"\n")
}

const WRITING: &[&str] = &["create", "modify", "rename", "delete"];

#[test]
fn a_policy_overrides_the_rule_for_pipelines() {
    let mut scene = scene("review = \"off\"\n");
    let _editor = reviewer(&scene.machine, &scene.workspace);
    scene.machine.write_policy(&rule(".github/workflows/**", WRITING, "opt_in"));
    assert_eq!(scene.agent.change(edit(CI)).refused("protected")["rule"], "policy");
    scene.machine.write_policy(&rule(".github/workflows/**", WRITING, "allow"));
    assert_eq!(scene.agent.change(edit(CI)).done()["state"], "applied");
    assert_eq!(scene.agent.change(edit(SETTINGS)).done()["state"], "pending");
}

#[test]
fn a_policy_can_require_review_for_any_file() {
    let mut scene = scene("review = \"off\"\n");
    let all = ["read", "create", "modify", "rename", "delete"];
    let reason = "reason = \"Money moves here.\"\n";
    scene.workspace.put(".env", TEXT);
    scene.workspace.put(".vscode/a.json", TEXT);
    scene.machine.write_policy(&(rule("**", &all, "review") + reason));
    let refusal = scene.agent.change(edit("a.txt")).refused("protected");
    assert_eq!((&refusal["rule"], &refusal["reason"]), (&json!("policy"), &json!("Money moves here.")));
    assert!(refusal["hint"].as_str().expect("a hint").contains("Money moves here."), "{refusal}");
    let _editor = reviewer(&scene.machine, &scene.workspace);
    assert_eq!(scene.agent.change(edit("a.txt")).done()["state"], "pending");
    assert_eq!(scene.agent.read_and_edit(".vscode/a.json", "one", "two").done()["state"], "pending");
    // The rule does not affect reads: unreadable files stay unreadable, and all others are read without
    // review.
    scene.agent.try_read(".env").refused("protected");
    assert_eq!(scene.agent.read("b.txt")["text"], TEXT);
    scene.machine.write_policy(&rule("**", &["read"], "review"));
    assert_eq!(scene.agent.change(edit("b.txt")).fails(-32803).kind(), "not_permitted");
    let report = scene.machine.run(&["doctor"]);
    let report = String::from_utf8_lossy(&report.stdout).into_owned();
    assert!(report.contains("a read cannot wait for a decision"), "{report}");
}
