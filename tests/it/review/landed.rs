//! Review of what commands have changed: each hunk is kept or reverted.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Agent, FRENCH, Machine, Outcome, Workspace, eventually, latin, numbered_lines};

use super::scene::{Scene, reviewer, states};

/// Runs a command as the agent. Returns the result of its end.
pub(super) fn run(scene: &mut Scene, change: impl FnOnce(&Workspace)) -> Value {
    let begun = scene.agent.call("editd/runBegin", json!({ "command": "format" })).done();
    change(&scene.workspace);
    scene.agent.call("editd/runEnd", json!({ "run": begun["run"], "exitCode": 0 })).done()
}

/// Returns the landed changes that wait for review, oldest first.
pub(super) fn waiting(scene: &mut Scene) -> Vec<Value> {
    let listed = scene.editor.call("editd/proposals", json!({ "state": "landed" })).done();
    listed["proposals"].as_array().expect("a list").clone()
}

/// Runs a command as the agent. Returns the review of its changes.
pub(super) fn landed(scene: &mut Scene, change: impl FnOnce(&Workspace)) -> Value {
    let ended = run(scene, change);
    let transaction = ended["transactions"][0].clone();
    let review = eventually("the review of a landed change", || {
        waiting(scene).into_iter().find(|review| review["landed"] == transaction)
    });
    scene.fetch(&review)
}

fn capitals() -> String {
    let text = numbered_lines(40);
    text.replace("line 3\n", "LINE 3\n").replace("line 20\n", "LINE 20\n").replace("line 37\n", "LINE 37\n")
}

/// A command that has capitalized lines 3, 20 and 37 of a file, and the review of that.
fn three_hunks() -> (Scene, Value) {
    let mut scene = Scene::new(&[("a.txt", &numbered_lines(40))]);
    let review = landed(&mut scene, |workspace| workspace.put("a.txt", capitals()));
    (scene, review)
}

fn decisions(scene: &mut Scene) -> Vec<Value> {
    let ended = run(scene, |_| {});
    ended["decisions"].as_array().cloned().unwrap_or_default()
}

#[test]
fn a_landed_change_is_shown_like_a_proposal_whose_new_text_is_in_the_file() {
    let (mut scene, review) = three_hunks();
    assert_eq!((&review["state"], &review["author"]), (&json!("landed"), &json!("alice")));
    assert_eq!((&review["label"], states(&review)), (&json!("format"), vec!["pending"; 3]));
    let file = &review["files"][0];
    assert_eq!(file["hashAfter"], scene.workspace.hash("a.txt"));
    let hunk = &file["hunks"][1];
    assert_eq!((&hunk["oldText"], &hunk["newText"]), (&json!("line 20\n"), &json!("LINE 20\n")));
    assert_eq!((&hunk["newStart"], &hunk["newLines"]), (&json!(20), &json!(1)));
    assert!(file["diff"].as_str().unwrap().contains("-line 20\n+LINE 20\n"), "{file:#}");
    let listed = &waiting(&mut scene)[0];
    assert_eq!((&listed["added"], &listed["removed"]), (&json!(3), &json!(3)));
}

#[rstest]
#[case::kept("accept", "applied", capitals())]
#[case::reverted("reject", "rejected", numbered_lines(40))]
fn all_hunks_are_decided_at_once(#[case] decision: &str, #[case] state: &str, #[case] text: String) {
    let (mut scene, review) = three_hunks();
    let done = scene.decide(&review, json!({ decision: "all" })).done();
    assert_eq!((&done["state"], &done["landed"]), (&json!(state), &review["landed"]));
    assert_eq!(scene.workspace.text("a.txt"), text);
    assert_eq!(waiting(&mut scene), [Value::Null; 0]);
}

#[test]
fn keeping_all_hunks_reverts_a_rejected_one_only_if_told_so() {
    let (mut scene, review) = three_hunks();
    scene.decide(&review, json!({ "reject": ["h2"] })).done();
    let refused = scene.decide(&review, json!({ "accept": "all" }));
    assert_eq!(refused.refused("earlier_decision")["hunks"], json!(["h2"]));
    assert_eq!(scene.workspace.text("a.txt"), capitals());
    let done = scene.decide(&review, json!({ "accept": "all", "keepEarlier": true })).done();
    assert_eq!(states(&done), ["accepted", "rejected", "accepted"]);
    assert_eq!(scene.workspace.text("a.txt"), capitals().replace("LINE 20", "line 20"));
}

#[test]
fn each_hunk_is_kept_or_reverted() {
    let (mut scene, review) = three_hunks();
    let part = scene.decide(&review, json!({ "reject": ["h2"] })).done();
    assert_eq!((&part["state"], states(&part)), (&json!("landed"), vec!["pending", "rejected", "pending"]));
    assert_eq!(scene.workspace.text("a.txt"), capitals(), "nothing is written before all hunks are decided");
    let done = scene.decide(&review, json!({ "accept": ["h1", "h3"] })).done();
    assert_eq!(
        (&done["state"], states(&done)),
        (&json!("partial"), vec!["accepted", "rejected", "accepted"])
    );
    assert_eq!(scene.workspace.text("a.txt"), capitals().replace("LINE 20\n", "line 20\n"));
    let history = scene.agent.history();
    assert_eq!(history.len(), 2, "{history:#?}");
    assert_eq!(
        (&history[0]["author"], &history[0]["label"]),
        (&json!("person"), &json!("Undo a part of: format"))
    );
    assert_eq!(history[0]["transaction"], done["transaction"]);
}

#[test]
fn a_reverted_change_counts_as_undone_and_is_restored_by_another_undo() {
    let (mut scene, review) = three_hunks();
    let done = scene.decide(&review, json!({ "reject": "all" })).done();
    let past = scene.agent.history();
    assert_eq!((&past[0]["undoes"], &past[1]["undoneBy"]), (&review["landed"], &done["transaction"]));
    scene.editor.call("editd/undo", json!({ "transaction": done["transaction"] })).done();
    assert_eq!(scene.workspace.text("a.txt"), capitals());
}

#[test]
fn the_agent_is_told_once_what_was_reverted_and_said() {
    let (mut scene, review) = three_hunks();
    assert_eq!(decisions(&mut scene), [Value::Null; 0]);
    let comment = json!([{ "hunk": "h2", "text": "leave this line" }]);
    scene.decide(&review, json!({ "reject": ["h2"], "accept": "all", "comment": comment })).done();
    let told = decisions(&mut scene);
    assert_eq!(told.len(), 1, "{told:#?}");
    assert_eq!((&told[0]["state"], &told[0]["landed"]), (&json!("partial"), &review["landed"]));
    assert_eq!(told[0]["paths"], json!([scene.workspace.absolute("a.txt")]));
    assert_eq!(told[0]["comments"][0]["text"], "leave this line");
    assert_eq!(decisions(&mut scene), [Value::Null; 0]);
}

#[test]
fn the_agent_is_not_told_of_what_was_kept() {
    let (mut scene, review) = three_hunks();
    scene.decide(&review, json!({ "accept": "all" })).done();
    assert_eq!(decisions(&mut scene), [Value::Null; 0]);
}

#[test]
fn a_later_edit_of_other_lines_is_kept_when_a_hunk_is_reverted() {
    let (mut scene, review) = three_hunks();
    scene.workspace.put("a.txt", format!("mine\n{}", capitals()));
    let seen = scene.fetch(&review);
    assert_eq!(seen["files"][0]["hunks"][1]["newStart"], 21);
    scene.decide(&review, json!({ "reject": "all" })).done();
    assert_eq!(scene.workspace.text("a.txt"), format!("mine\n{}", numbered_lines(40)));
}

#[test]
fn a_later_edit_of_the_same_lines_is_overwritten_only_if_the_person_says_so() {
    let (mut scene, review) = three_hunks();
    let mine = capitals().replace("LINE 20\n", "mine\n");
    scene.workspace.put("a.txt", &mine);
    assert_eq!(states(&scene.fetch(&review)), ["pending", "conflicted", "pending"]);
    let part = scene.decide(&review, json!({ "reject": ["h2"], "accept": ["h1", "h3"] })).done();
    assert_eq!((&part["state"], states(&part)[1]), (&json!("landed"), "conflicted"));
    assert_eq!(scene.workspace.text("a.txt"), mine);
    let done = scene.decide(&review, json!({ "take": ["h2"] })).done();
    assert_eq!(done["state"], "partial");
    assert_eq!(scene.workspace.text("a.txt"), capitals().replace("LINE 20\n", "line 20\n"));
}

#[test]
fn a_conflicted_hunk_is_kept_without_a_write() {
    let (mut scene, review) = three_hunks();
    let mine = capitals().replace("LINE 20\n", "mine\n");
    scene.workspace.put("a.txt", &mine);
    let done = scene.decide(&review, json!({ "accept": "all" })).done();
    assert_eq!(done["state"], "applied");
    assert_eq!(scene.workspace.text("a.txt"), mine);
}

#[test]
fn the_person_may_replace_the_text() {
    let (mut scene, review) = three_hunks();
    let content = capitals().replace("LINE 3\n", "Line 3\n").replace("LINE 37\n", "line 37\n");
    let seen = scene.fetch(&review);
    let (path, base) = (&seen["files"][0]["path"], &seen["files"][0]["hashAfter"]);
    let file = json!({ "path": path, "baseHash": base, "content": content });
    let done = scene.decide(&review, json!({ "replace": [file] })).done();
    assert_eq!((&done["state"], states(&done)), (&json!("partial"), vec!["edited", "accepted", "rejected"]));
    assert_eq!(scene.workspace.text("a.txt"), content);
    let told = decisions(&mut scene);
    let diff = told[0]["userEdits"][0]["diff"].as_str().expect("a diff");
    assert!(diff.contains("-LINE 3\n+Line 3\n") && diff.contains("-LINE 37\n+line 37\n"), "{diff}");
}

#[test]
fn agents_can_neither_decide_nor_discard_a_landed_change() {
    let (mut scene, review) = three_hunks();
    let id = json!({ "id": review["id"] });
    let decision = json!({ "id": review["id"], "revision": 1, "accept": "all" });
    for (method, params) in [("editd/decide", decision), ("editd/discard", id.clone())] {
        assert!(scene.agent.call(method, params).is_err(), "{method}");
    }
    assert_eq!(scene.agent.call("editd/apply", id).done()["state"], "landed");
    assert_eq!(scene.fetch(&review)["state"], "landed");
    assert_eq!(scene.workspace.text("a.txt"), capitals());
}

#[test]
fn a_landed_change_survives_a_restart() {
    let (mut scene, review) = three_hunks();
    scene.decide(&review, json!({ "accept": ["h1"] })).done();
    let before = scene.fetch(&review);
    scene.machine.restart();
    scene.agent = scene.machine.agent(&scene.workspace);
    scene.editor = reviewer(&scene.machine, &scene.workspace);
    assert_eq!(scene.fetch(&review), before);
    scene.decide(&review, json!({ "reject": "all" })).done();
    assert_eq!(scene.workspace.text("a.txt"), numbered_lines(40).replace("line 3\n", "LINE 3\n"));
}

#[test]
fn an_undo_of_the_change_closes_its_review() {
    let (mut scene, review) = three_hunks();
    let undo = scene.agent.call("editd/undo", json!({ "transaction": review["landed"] })).done();
    assert_eq!((&undo["state"], &scene.fetch(&review)["state"]), (&json!("pending"), &json!("landed")));
    scene.decide(&undo, json!({ "accept": "all" })).done();
    let seen = scene.fetch(&review);
    assert_eq!((&seen["state"], &seen["reason"]), (&json!("rejected"), &json!("the change was undone")));
    assert_eq!(waiting(&mut scene), [Value::Null; 0]);
}

#[test]
fn a_change_that_is_undone_at_once_has_no_review() {
    let mut scene = Scene::new(&[("a.txt", "0\n"), ("b.txt", "0\n")]);
    for number in 1..=20 {
        let ended = run(&mut scene, |workspace| workspace.put("a.txt", format!("{number}\n")));
        scene.editor.call("editd/undo", json!({ "transaction": ended["transactions"][0] })).done();
    }
    // The reviews open in order.
    let last = landed(&mut scene, |workspace| workspace.put("b.txt", "1\n"));
    let waiting: Vec<_> = waiting(&mut scene).iter().map(|review| review["id"].clone()).collect();
    assert_eq!(waiting, [last["id"].clone()]);
}

#[test]
fn files_of_all_kinds_are_kept_or_reverted() {
    let files: [(&str, &[u8]); 4] =
        [("gone.txt", b"one\ntwo\n"), ("data", b"\0\xff\n"), ("latin.txt", &latin(FRENCH)), ("empty", b"")];
    for decision in ["accept", "reject"] {
        let mut scene = Scene::new(&[]);
        for (name, bytes) in files {
            scene.workspace.put(name, bytes);
        }
        let before = scene.workspace.everything();
        let review = landed(&mut scene, |workspace| {
            fs::remove_file(workspace.path("gone.txt")).expect("a file");
            workspace.put("data", b"\0\xfe\n");
            workspace.put("latin.txt", FRENCH);
            fs::remove_file(workspace.path("empty")).expect("a file");
            workspace.put("new.txt", "new\n");
            fs::create_dir(workspace.path("deep")).expect("a folder");
            workspace.put("deep/image.bin", b"\x89\0\n");
        });
        let kinds: Vec<_> = review["files"].as_array().expect("files").iter().map(kind_of).collect();
        let mut kinds: Vec<_> = kinds.iter().map(|(name, kind)| (name.as_str(), kind.as_str())).collect();
        kinds.sort_unstable();
        let expected = [
            ("data", "binary"),
            ("empty", "delete"),
            ("gone.txt", "delete"),
            ("image.bin", "create"),
            ("latin.txt", "encoding"),
            ("new.txt", "create"),
        ];
        assert_eq!(kinds, expected, "{review:#}");
        let after = scene.workspace.everything();
        scene.decide(&review, json!({ decision: "all" })).done();
        let expected = if decision == "accept" { after } else { before };
        assert_eq!(scene.workspace.everything(), expected, "{decision}");
    }
}

/// Returns the name of a file and the kind of its first hunk.
fn kind_of(file: &Value) -> (String, String) {
    let name = file["path"].as_str().expect("a path").rsplit('/').next().unwrap_or_default();
    (name.to_owned(), file["hunks"][0]["kind"].as_str().unwrap_or_default().to_owned())
}

#[test]
fn permissions_and_links_are_restored_when_everything_is_reverted() {
    let mut scene = Scene::new(&[("a.sh", "one\n"), ("b.txt", "b\n")]);
    symlink("a.sh", scene.workspace.path("link")).expect("a link");
    let review = landed(&mut scene, |workspace| {
        workspace.put("a.sh", "two\n");
        fs::set_permissions(workspace.path("a.sh"), Permissions::from_mode(0o755)).expect("permissions");
        fs::remove_file(workspace.path("link")).expect("a link");
        symlink("b.txt", workspace.path("link")).expect("a link");
    });
    scene.decide(&review, json!({ "reject": "all" })).done();
    assert_eq!(scene.workspace.text("a.sh"), "one\n");
    let mode = fs::metadata(scene.workspace.path("a.sh")).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o644);
    assert_eq!(fs::read_link(scene.workspace.path("link")).expect("a link").to_str(), Some("a.sh"));
}

#[rstest]
#[case::off("review = \"off\"\n", false)]
#[case::always("review = \"always\"\n", true)]
fn the_configuration_decides_what_is_reviewed(#[case] config: &str, #[case] expected: bool) {
    let mut scene = Scene::configured(config, &[("a.txt", "one\n")]);
    run(&mut scene, |workspace| workspace.put("a.txt", "two\n"));
    if expected {
        eventually("the review", || waiting(&mut scene).pop());
    } else {
        // The queue would have been worked on when the next command ends.
        run(&mut scene, |_| {});
        assert_eq!(waiting(&mut scene), [Value::Null; 0]);
    }
}

#[test]
fn without_a_reviewer_nothing_waits() {
    let (machine, workspace) =
        (Machine::configured("review = \"auto\"\n"), Workspace::file("a.txt", "one\n"));
    let (agent, editor) = (machine.agent(&workspace), machine.editor(&workspace));
    let mut scene = Scene { machine, workspace, agent, editor };
    run(&mut scene, |workspace| workspace.put("a.txt", "two\n"));
    run(&mut scene, |_| {});
    assert_eq!(waiting(&mut scene), [Value::Null; 0]);
}

#[test]
fn a_person_who_types_the_command_does_not_review_it() {
    let mut scene = Scene::new(&[("a.txt", "one\n")]);
    let mut session = scene.workspace.session("terminal");
    session["capabilities"]["experimental"]["editd"]["agent"] = json!(true);
    scene.agent = Agent::connect_as_editor(&scene.machine);
    scene.agent.initialize(session).done();
    run(&mut scene, |workspace| workspace.put("a.txt", "two\n"));
    run(&mut scene, |_| {});
    assert_eq!(waiting(&mut scene), [Value::Null; 0]);
}

#[test]
fn a_landed_change_does_not_stop_the_agents_next_edits() {
    let (mut scene, review) = three_hunks();
    scene.agent.read("a.txt");
    let proposal = scene.agent.edit("a.txt", "line 10\n", "ten\n").done();
    assert_eq!(proposal["state"], "pending");
    scene.decide(&proposal, json!({ "accept": "all" })).done();
    scene.decide(&review, json!({ "reject": "all" })).done();
    assert_eq!(scene.workspace.text("a.txt"), numbered_lines(40).replace("line 10\n", "ten\n"));
}

#[test]
fn reviews_of_successive_commands_are_reverted_newest_first() {
    let (mut scene, first) = three_hunks();
    let twice = capitals().replace("LINE 20\n", "LINE TWENTY\n");
    let second = landed(&mut scene, |workspace| workspace.put("a.txt", twice));
    assert_eq!(states(&scene.fetch(&first)), ["pending", "conflicted", "pending"]);
    scene.decide(&second, json!({ "reject": "all" })).done();
    assert_eq!(states(&scene.fetch(&first)), ["pending"; 3]);
    scene.decide(&first, json!({ "reject": "all" })).done();
    assert_eq!(scene.workspace.text("a.txt"), numbered_lines(40));
}

#[test]
fn errors_that_a_revert_would_add_are_not_shown_as_new() {
    let mut scene = Scene::new(&[("cart.py", "def total(items:\n    return 0\n")]);
    let fixed = "def total(items):\n    return 0\n";
    let review = landed(&mut scene, |workspace| workspace.put("cart.py", fixed));
    assert_eq!(review["files"][0].get("syntax"), None);
    scene.workspace.put("cart.py", format!("{fixed}# more\n"));
    assert_eq!(scene.fetch(&review)["files"][0].get("syntax"), None);
}
