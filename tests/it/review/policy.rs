//! When a person has to decide.

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Machine, Outcome, Workspace};

use super::scene::{Scene, reviewer};

fn edit(scene: &mut Scene, more: &Value) -> Value {
    scene.agent.read("a.txt");
    let mut params = json!({ "path": "a.txt", "oldText": "one", "newText": "1" });
    for (name, value) in more.as_object().into_iter().flatten() {
        params[name] = value.clone();
    }
    scene.agent.call("editd/edit", params).done()
}

#[rstest]
#[case::off("off", json!({}), "applied")]
#[case::off_but_asked_for("off", json!({ "review": true }), "pending")]
#[case::auto("auto", json!({}), "pending")]
#[case::auto_and_less_asked_for("auto", json!({ "review": false }), "pending")]
#[case::always("always", json!({ "review": false }), "pending")]
fn the_configuration_decides_and_a_request_may_ask_for_more(
    #[case] review: &str,
    #[case] more: Value,
    #[case] state: &str,
) {
    let mut scene = Scene::configured(&format!("review = \"{review}\"\n"), &[("a.txt", "one\n")]);
    assert_eq!(edit(&mut scene, &more)["state"], state);
}

#[rstest]
#[case("auto", json!({}), "applied")]
#[case("auto", json!({ "review": true }), "pending")]
#[case("always", json!({}), "pending")]
fn with_nobody_there_it_waits_only_where_that_is_wanted(
    #[case] review: &str,
    #[case] more: Value,
    #[case] state: &str,
) {
    let config = format!("review = \"{review}\"\n");
    let (machine, workspace) = (Machine::configured(&config), Workspace::file("a.txt", "one\n"));
    // An editor that does not review is nobody.
    let _editor = machine.editor(&workspace);
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let mut params = json!({ "path": "a.txt", "oldText": "one", "newText": "1" });
    for (name, value) in more.as_object().into_iter().flatten() {
        params[name] = value.clone();
    }
    let answer = agent.call("editd/edit", params).done();
    assert_eq!(answer["state"], state);
    assert_eq!(workspace.text("a.txt"), if state == "applied" { "1\n" } else { "one\n" });
}

#[test]
fn an_editor_elsewhere_watches_nothing_here() {
    let machine = Machine::configured("review = \"auto\"\n");
    let (workspace, elsewhere) = (Workspace::file("a.txt", "one\n"), Workspace::empty());
    let _editor = reviewer(&machine, &elsewhere);
    let mut agent = machine.agent(&workspace);
    assert_eq!(agent.read_and_edit("a.txt", "one", "1").done()["state"], "applied");
}

#[test]
fn one_watched_file_of_a_set_is_enough_and_a_new_name_counts() {
    let machine = Machine::configured("review = \"auto\"\n");
    let workspace = Workspace::with(&[("a.txt", "one\n"), ("watched/b.txt", "two\n")]);
    let mut session = workspace.session("person");
    let uri = crate::support::uri_of(&workspace.path("watched"));
    session["workspaceFolders"] = json!([{ "uri": uri, "name": "watched" }]);
    session["initializationOptions"] = json!({ "editd": { "review": true } });
    let mut editor = crate::support::Agent::connect_as_editor(&machine);
    editor.initialize(session).done();
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    agent.read("watched/b.txt");
    let rename = json!({ "kind": "rename", "path": "a.txt", "newPath": "watched/a.txt" });
    let moved = agent.change(rename).done();
    assert_eq!(moved["state"], "pending");
    let edit = |path: &str, old: &str| json!({ "kind": "edit", "path": path, "edits": [{ "oldText": old, "newText": "x" }] });
    let both = agent.changes(vec![edit("a.txt", "one"), edit("watched/b.txt", "two")]).done();
    assert_eq!(both["state"], "pending");
    assert_eq!(agent.edit("a.txt", "one", "1").done()["state"], "applied");
}

#[test]
fn a_person_at_an_editor_is_not_asked_unless_they_ask() {
    let mut scene = Scene::configured("review = \"always\"\n", &[("a.txt", "one\ntwo\n")]);
    assert_eq!(scene.editor.read_and_edit("a.txt", "one", "1").done()["state"], "applied");
    let asked = json!({ "path": "a.txt", "oldText": "two", "newText": "2", "review": true });
    let waits = scene.editor.call("editd/edit", asked).done();
    assert_eq!(waits["state"], "pending");
    scene.decide(&waits, json!({ "accept": "all" })).done();
    assert_eq!(scene.workspace.text("a.txt"), "1\n2\n");
}

#[test]
fn an_agent_cannot_decide_nor_apply_what_waits() {
    let (mut scene, proposal) = Scene::three_hunks();
    let all = json!({ "id": proposal["id"], "revision": 1, "accept": "all" });
    scene.agent.call("editd/decide", all).refused("not_permitted");
    for review in [json!({}), json!({ "review": false })] {
        let mut params = review;
        params["id"] = proposal["id"].clone();
        assert_eq!(scene.agent.call("editd/apply", params).done()["state"], "pending");
    }
    // Saying that it reviews makes no agent an editor.
    let mut session = scene.workspace.session("alice");
    session["capabilities"] = json!({ "experimental": { "editd": { "review": true } } });
    session["initializationOptions"] = json!({ "editd": { "review": true } });
    let mut other = scene.machine.agent_with(session);
    other
        .call("editd/decide", json!({ "id": proposal["id"], "revision": 1, "accept": "all" }))
        .refused("not_permitted");
    assert!(scene.agent.history().is_empty());
}

#[test]
fn a_proposal_is_reviewed_when_it_is_applied() {
    let mut scene = Scene::new(&[("a.txt", "one\n")]);
    scene.agent.read("a.txt");
    let proposal = scene.agent.propose("a.txt", "one", "1").done();
    assert_eq!(proposal["state"], "proposed");
    let applied = scene.agent.apply(&proposal).done();
    assert_eq!((&applied["state"], &applied["revision"]), (&json!("pending"), &json!(1)));
    assert_eq!(scene.editor.told_of_proposal(&proposal)["state"], "pending");
    scene.decide(&proposal, json!({ "accept": "all" })).done();
    assert_eq!(scene.workspace.text("a.txt"), "1\n");
}
