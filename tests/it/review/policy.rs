//! Conditions under which a change needs a review.

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
fn a_request_may_ask_for_review_beyond_the_configuration(
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
fn without_a_reviewer_a_change_waits_only_if_required(
    #[case] review: &str,
    #[case] more: Value,
    #[case] state: &str,
) {
    let config = format!("review = \"{review}\"\n");
    let (machine, workspace) = (Machine::configured(&config), Workspace::file("a.txt", "one\n"));
    // An editor without review support does not count as a reviewer.
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

#[rstest]
#[case::wrapped(json!({ "lines": "2", "wrap": { "before": "try:", "after": "finally:\n    pass" } }))]
#[case::indented(json!({ "indentFrom": 4, "indentTo": 2 }))]
#[case::moved(json!({ "move": { "lines": "4" }, "to": { "after": 0 } }))]
#[case::moved_by_name(json!({ "move": { "symbol": "f" }, "to": { "path": "b.py" } }))]
#[case::renamed(json!({ "symbol": "f", "op": "rename", "newText": "g" }))]
#[case::in_all_files(json!({ "glob": "*.py", "oldText": "f", "newText": "g", "word": true, "expect": 3 }))]
#[case::pattern(json!({ "oldText": "x = (.)", "regex": true, "newText": "y = $1" }))]
fn each_form_of_an_edit_waits_for_its_review(#[case] edit: Value) {
    let files = [("a.py", "def f():\n    return 1\n\nx = f()\n"), ("b.py", "import f\n")];
    let mut scene = Scene::configured("review = \"always\"\n", &files);
    scene.agent.read_all(&["a.py", "b.py"]);
    let texts = |scene: &Scene| ["a.py", "b.py"].map(|name| scene.workspace.text(name));
    let before = texts(&scene);
    let mut call = json!({ "edits": [edit] });
    if call["edits"][0].get("glob").is_none() {
        call["path"] = "a.py".into();
    }
    let done = scene.agent.call("editd/edit", call).done();
    assert_eq!((&done["state"], texts(&scene)), (&json!("pending"), before.clone()));
    let decided = scene.decide(&done, json!({ "accept": "all" })).done();
    assert_eq!(decided["state"], "applied", "{decided}");
    assert_ne!(texts(&scene), before);
}

#[test]
fn an_editor_with_other_roots_does_not_watch_these_files() {
    let machine = Machine::configured("review = \"auto\"\n");
    let (workspace, elsewhere) = (Workspace::file("a.txt", "one\n"), Workspace::empty());
    let _editor = reviewer(&machine, &elsewhere);
    let mut agent = machine.agent(&workspace);
    assert_eq!(agent.read_and_edit("a.txt", "one", "1").done()["state"], "applied");
}

#[test]
fn one_watched_file_or_new_name_in_a_set_requires_review() {
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
fn an_editors_own_change_is_reviewed_only_on_request() {
    let mut scene = Scene::configured("review = \"always\"\n", &[("a.txt", "one\ntwo\n")]);
    assert_eq!(scene.editor.read_and_edit("a.txt", "one", "1").done()["state"], "applied");
    let asked = json!({ "path": "a.txt", "oldText": "two", "newText": "2", "review": true });
    let waits = scene.editor.call("editd/edit", asked).done();
    assert_eq!(waits["state"], "pending");
    scene.decide(&waits, json!({ "accept": "all" })).done();
    assert_eq!(scene.workspace.text("a.txt"), "1\n2\n");
}

#[test]
fn an_agent_can_neither_decide_nor_apply_a_pending_proposal() {
    let (mut scene, proposal) = Scene::three_hunks();
    let all = json!({ "id": proposal["id"], "revision": 1, "accept": "all" });
    scene.agent.call("editd/decide", all).refused("not_permitted");
    for review in [json!({}), json!({ "review": false })] {
        let mut params = review;
        params["id"] = proposal["id"].clone();
        assert_eq!(scene.agent.call("editd/apply", params).done()["state"], "pending");
    }
    // Announcing review support does not make an agent an editor.
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
    assert_eq!(scene.editor.proposal_notification(&proposal)["state"], "pending");
    scene.decide(&proposal, json!({ "accept": "all" })).done();
    assert_eq!(scene.workspace.text("a.txt"), "1\n");
}

#[rstest]
#[case::another_name(true, "pending")]
#[case::no_other_name(false, "applied")]
fn a_file_with_a_name_in_the_folder_of_a_reviewer_is_reviewed_under_all_names(
    #[case] is_linked: bool,
    #[case] state: &str,
) {
    let machine = Machine::configured("review = \"auto\"\nhard_links = true\n");
    let (watched, other) = (Workspace::file("a.txt", "one\n"), Workspace::empty());
    if is_linked {
        std::fs::hard_link(watched.path("a.txt"), other.path("b.txt")).expect("a link");
    } else {
        other.put("b.txt", "one\n");
    }
    let _editor = reviewer(&machine, &watched);
    let mut agent = machine.agent(&other);
    assert_eq!(agent.read_and_edit("b.txt", "one", "two").done()["state"], state);
    assert_eq!(watched.text("a.txt"), "one\n");
}
