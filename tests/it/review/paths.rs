//! Review of links, folders and permissions that an undo of a command restores.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Outcome, Workspace};

use super::landed::{landed, run};
use super::scene::{Scene, hunk_ids, states};

/// Returns a scene with a script, a link to it, and the transaction of a command that has removed the link, taken away
/// the permission to execute the script, and `more`.
fn changed(config: &str, more: impl FnOnce(&Workspace)) -> (Scene, Value) {
    let mut scene =
        Scene::configured(config, &[("run.sh", "one\n"), ("a.txt", "one\n"), (".env", "KEY=1\n")]);
    set_mode(&scene.workspace, "run.sh", 0o755);
    symlink("run.sh", scene.workspace.path("link")).expect("a link");
    let ended = run(&mut scene, |workspace| {
        fs::remove_file(workspace.path("link")).expect("a link");
        set_mode(workspace, "run.sh", 0o644);
        more(workspace);
    });
    let transaction = ended["transactions"][0].clone();
    assert!(transaction.is_string(), "{ended:#}");
    (scene, transaction)
}

fn set_mode(workspace: &Workspace, name: &str, mode: u32) {
    fs::set_permissions(workspace.path(name), Permissions::from_mode(mode)).expect("permissions");
}

fn mode_of(workspace: &Workspace, name: &str) -> u32 {
    fs::metadata(workspace.path(name)).expect("a file").permissions().mode() & 0o777
}

/// Returns the name, kind, old and new text or state of each hunk.
fn shown(workspace: &Workspace, proposal: &Value) -> Vec<[String; 4]> {
    let text = |value: &Value| value.as_str().unwrap_or_default().trim().to_owned();
    let files = proposal["files"].as_array().expect("files").iter();
    let hunks = files.flat_map(|file| {
        let root = workspace.path("").display().to_string();
        let name = text(&file["path"]).replace(root.trim_end_matches('/'), "");
        let hunks = file["hunks"].as_array().expect("hunks").iter();
        hunks.map(move |hunk| {
            let side = |state: &str, lines: &str| hunk.get(state).map_or_else(|| text(&hunk[lines]), text);
            [name.clone(), text(&hunk["kind"]), side("before", "oldText"), side("after", "newText")]
        })
    });
    hunks.collect()
}

fn of(hunks: &[[&str; 4]]) -> Vec<[String; 4]> {
    hunks.iter().map(|hunk| hunk.map(str::to_owned)).collect()
}

#[rstest]
#[case::auto("review = \"auto\"\n")]
#[case::always("review = \"always\"\n")]
fn an_undo_of_links_and_permissions_waits_for_review(#[case] config: &str) {
    let (mut scene, transaction) = changed(config, |_| {});
    let waits = scene.agent.call("editd/undo", json!({ "transaction": transaction })).done();
    assert_eq!((&waits["state"], states(&waits)), (&json!("pending"), vec!["pending"; 2]), "{waits:#}");
    assert!(fs::symlink_metadata(scene.workspace.path("link")).is_err());
    assert_eq!(mode_of(&scene.workspace, "run.sh"), 0o644);
    let proposal = scene.fetch(&waits);
    let expected =
        [["/link", "link", "missing", "link to run.sh"], ["/run.sh", "permissions", "file 644", "file 755"]];
    assert_eq!(shown(&scene.workspace, &proposal), of(&expected));
    let paths = proposal["paths"].as_array().expect("paths");
    assert_eq!((&paths[0]["before"], &paths[0]["after"]), (&json!("missing"), &json!("link to run.sh")));

    let done = scene.decide(&waits, json!({ "accept": "all" })).done();
    assert_eq!((&done["state"], states(&done)), (&json!("applied"), vec!["accepted"; 2]), "{done:#}");
    assert_eq!(fs::read_link(scene.workspace.path("link")).expect("a link").to_str(), Some("run.sh"));
    assert_eq!(mode_of(&scene.workspace, "run.sh"), 0o755);
    let history = scene.agent.history();
    assert_eq!((&history[1]["undone"], &history[0]["undoes"]), (&json!(true), &transaction));
}

#[test]
fn links_and_permissions_are_accepted_and_rejected_one_by_one() {
    let (mut scene, transaction) =
        changed("review = \"always\"\n", |workspace| workspace.put("a.txt", "two\n"));
    let waits = scene.agent.call("editd/undo", json!({ "transaction": transaction })).done();
    let proposal = scene.fetch(&waits);
    let expected = [
        ["/a.txt", "", "two", "one"],
        ["/link", "link", "missing", "link to run.sh"],
        ["/run.sh", "permissions", "file 644", "file 755"],
    ];
    assert_eq!(shown(&scene.workspace, &proposal), of(&expected));
    assert_eq!(hunk_ids(&proposal), ["h1", "h2", "h3"]);
    let still = scene.decide(&waits, json!({ "accept": ["h1"] })).done();
    assert_eq!(
        (&still["state"], states(&still)),
        (&json!("pending"), vec!["accepted", "pending", "pending"])
    );
    assert_eq!(scene.workspace.text("a.txt"), "two\n");

    let done = scene.decide(&waits, json!({ "accept": ["h3"], "reject": ["h2"] })).done();
    assert_eq!(done["state"], "partial", "{done:#}");
    assert_eq!(states(&done), ["accepted", "rejected", "accepted"]);
    assert_eq!(
        (scene.workspace.text("a.txt"), mode_of(&scene.workspace, "run.sh")),
        ("one\n".to_owned(), 0o755)
    );
    assert!(fs::symlink_metadata(scene.workspace.path("link")).is_err());
    let again = scene.agent.call("editd/undo", json!({ "transaction": transaction })).done();
    assert_eq!(shown(&scene.workspace, &again), of(&[["/link", "link", "missing", "link to run.sh"]]));
}

#[test]
fn a_rejected_undo_of_links_changes_nothing_and_can_be_reopened() {
    let (mut scene, transaction) = changed("review = \"always\"\n", |_| {});
    let waits = scene.agent.call("editd/undo", json!({ "transaction": transaction })).done();
    assert_eq!(scene.decide(&waits, json!({ "reject": "all" })).done()["state"], "rejected");
    assert!(fs::symlink_metadata(scene.workspace.path("link")).is_err());
    let reopened = scene.editor.call("editd/reopen", json!({ "id": waits["id"] })).done();
    assert_eq!(states(&reopened), ["pending"; 2]);
    assert_eq!(scene.decide(&reopened, json!({ "accept": "all" })).done()["state"], "applied");
    assert_eq!(mode_of(&scene.workspace, "run.sh"), 0o755);
}

#[test]
fn an_undo_of_links_waits_through_a_restart() {
    let (mut scene, transaction) = changed("review = \"always\"\n", |_| {});
    let waits = scene.agent.call("editd/undo", json!({ "transaction": transaction })).done();
    let before = scene.fetch(&waits);
    let Scene { mut machine, workspace, .. } = scene;
    machine.restart();
    let (agent, editor) = (machine.agent(&workspace), super::scene::reviewer(&machine, &workspace));
    let mut scene = Scene { machine, workspace, agent, editor };
    assert_eq!(scene.fetch(&waits)["files"], before["files"]);
    assert_eq!(scene.decide(&waits, json!({ "accept": "all" })).done()["state"], "applied");
    assert!(fs::read_link(scene.workspace.path("link")).is_ok());
}

#[test]
fn a_link_that_another_program_has_made_since_is_not_replaced() {
    let (mut scene, transaction) = changed("review = \"always\"\n", |_| {});
    let waits = scene.agent.call("editd/undo", json!({ "transaction": transaction })).done();
    symlink("a.txt", scene.workspace.path("link")).expect("a link");
    scene.decide(&waits, json!({ "accept": "all" })).refused("stale");
    assert_eq!(mode_of(&scene.workspace, "run.sh"), 0o644);
    let done = scene.decide(&waits, json!({ "accept": ["h2"], "reject": ["h1"] })).done();
    assert_eq!((&done["state"], mode_of(&scene.workspace, "run.sh")), (&json!("partial"), 0o755));
    assert_eq!(fs::read_link(scene.workspace.path("link")).expect("a link").to_str(), Some("a.txt"));
}

/// Runs a command that removes a link with this name and target, without a review. Returns its transaction.
fn without_link(scene: &mut Scene, name: &str, target: &str) -> Value {
    let path = scene.workspace.path(name);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    symlink(target, &path).expect("a link");
    run(scene, |_| fs::remove_file(&path).expect("a link"))["transactions"][0].clone()
}

const FILES: [(&str, &str); 3] = [(".env", "KEY=1\n"), ("evil.json", "{}\n"), ("sub/x", "")];

#[rstest]
#[case::settings(".vscode/tasks.json", "../evil.json")]
#[case::settings_of_agents(".claude/settings.json", "../evil.json")]
#[case::target("notes.txt", ".env")]
#[case::target_by_another_way("notes.txt", "sub/../.env")]
fn agents_restore_no_link_that_they_could_not_make(#[case] name: &str, #[case] target: &str) {
    let mut scene = Scene::configured("review = \"off\"\n", &FILES);
    scene.editor.call("shutdown", Value::Null).done();
    scene.editor.notify("exit", Value::Null);
    scene.editor.until_closed();
    let transaction = without_link(&mut scene, name, target);
    scene.agent.call("editd/undo", json!({ "transaction": transaction })).refused("protected");
    assert!(fs::symlink_metadata(scene.workspace.path(name)).is_err());
}

#[test]
fn a_rule_that_requires_a_review_holds_for_a_link_also_where_nothing_else_is_reviewed() {
    let mut scene = Scene::configured("review = \"off\"\n", &FILES);
    let transaction = without_link(&mut scene, ".claude/settings.json", "../evil.json");
    let waits = scene.agent.call("editd/undo", json!({ "transaction": transaction })).done();
    assert_eq!(waits["state"], "pending");
    assert_eq!(scene.decide(&waits, json!({ "accept": "all" })).done()["state"], "applied");
    assert!(fs::read_link(scene.workspace.path(".claude/settings.json")).is_ok());
}

#[test]
fn agents_restore_no_permissions_of_secrets() {
    let (mut scene, transaction) =
        changed("review = \"auto\"\n", |workspace| set_mode(workspace, ".env", 0o600));
    scene.agent.call("editd/undo", json!({ "transaction": transaction })).refused("protected");
    assert_eq!(mode_of(&scene.workspace, ".env"), 0o600);
    // A person may.
    scene.editor.call("editd/undo", json!({ "transaction": transaction })).done();
    assert_eq!(mode_of(&scene.workspace, ".env"), 0o644);
}

#[test]
fn a_landed_change_shows_its_links_and_permissions() {
    let mut scene = Scene::new(&[("run.sh", "one\n")]);
    let review = landed(&mut scene, |workspace| {
        workspace.put("run.sh", "two\n");
        set_mode(workspace, "run.sh", 0o755);
        symlink("run.sh", workspace.path("link")).expect("a link");
        workspace.put("new/in/x", "x\n");
        fs::create_dir(workspace.path("empty")).expect("a folder");
    });
    let expected = [
        ["/run.sh", "", "one", "two"],
        ["/run.sh", "permissions", "file 644", "file 755"],
        ["/new/in/x", "create", "", ""],
        ["/empty", "folder", "missing", "folder 755"],
        ["/link", "link", "missing", "link to run.sh"],
    ];
    let mut found = shown(&scene.workspace, &review);
    found.iter_mut().filter(|hunk| hunk[1] == "create").for_each(|hunk| hunk[3].clear());
    assert_eq!(found, of(&expected));
    let link = review["files"].as_array().expect("files").last().expect("a link")["hunks"][0]["id"].clone();
    let done = scene.decide(&review, json!({ "reject": [link], "accept": "all" })).done();
    assert_eq!(done["state"], "partial", "{done:#}");
    assert!(fs::symlink_metadata(scene.workspace.path("link")).is_err());
    assert_eq!(
        (scene.workspace.text("run.sh"), mode_of(&scene.workspace, "run.sh")),
        ("two\n".to_owned(), 0o755)
    );
    assert!(scene.workspace.path("empty").is_dir() && scene.workspace.path("new/in/x").is_file());
}
