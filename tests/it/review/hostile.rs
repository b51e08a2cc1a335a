//! Invalid decisions, large reviews, and paths that changed since the proposal.

use std::os::unix::fs::symlink;
use std::time::{Duration, Instant};

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Machine, Outcome, Workspace, numbered_lines};

use super::scene::{Scene, hunk_ids, states};

#[rstest]
#[case::no_hunk(json!({ "accept": ["h4"] }), "accept[0]")]
#[case::no_number(json!({ "reject": ["h1", "hx"] }), "reject[1]")]
#[case::zero(json!({ "accept": ["h0"] }), "accept[0]")]
#[case::another_form(json!({ "accept": ["h01"] }), "accept[0]")]
#[case::a_word(json!({ "accept": "some" }), "accept")]
#[case::a_number(json!({ "accept": 1 }), "accept")]
#[case::no_hunk_to_take(json!({ "take": ["h0"] }), "take[0]")]
#[case::to_take_all(json!({ "take": "all" }), "take")]
#[case::accepted_and_taken(json!({ "accept": ["h1"], "take": ["h1"] }), "take")]
#[case::taken_and_not(json!({ "take": ["h2"], "reject": ["h1", "h2"] }), "reject")]
#[case::both_ways(json!({ "accept": ["h1"], "reject": ["h1"] }), "reject")]
#[case::all_both_ways(json!({ "accept": "all", "reject": "all" }), "reject")]
#[case::nothing(json!({}), "accept")]
#[case::nothing_again(json!({ "accept": [], "comment": "  " }), "accept")]
#[case::another_file(json!({ "replace": [{ "path": "/etc/passwd", "content": "x" }] }), "replace[0].path")]
#[case::no_hash(json!({ "replace": [{ "path": "PATH", "baseHash": "x", "content": "x" }] }), "replace[0].baseHash")]
#[case::a_comment_elsewhere(json!({ "comment": [{ "path": "/x", "text": "x" }] }), "comment[0].path")]
#[case::a_comment_on_nothing(json!({ "comment": [{ "hunk": "h9", "text": "x" }] }), "comment[0].hunk")]
#[case::an_unknown_field(json!({ "accept": "all", "force": true }), "force")]
fn an_invalid_decision_is_refused_and_decides_nothing(#[case] decision: Value, #[case] field: &str) {
    let (mut scene, proposal) = Scene::three_hunks();
    let path = scene.workspace.absolute("a.txt");
    let decision: Value = serde_json::from_str(&decision.to_string().replace("PATH", &path)).unwrap();
    scene.decide(&proposal, decision).invalid(field);
    assert_eq!(scene.fetch(&proposal)["revision"], 1);
}

#[test]
fn a_hunk_and_its_replaced_file_contradict_each_other() {
    let (mut scene, proposal) = Scene::three_hunks();
    let seen = scene.fetch(&proposal);
    let file = json!({ "path": seen["files"][0]["path"], "baseHash": seen["files"][0]["hashBefore"], "content": "x" });
    scene.decide(&proposal, json!({ "replace": [file.clone()], "accept": ["h1"] })).invalid("accept");
    scene.decide(&proposal, json!({ "replace": [file.clone()], "take": ["h1"] })).invalid("take");
    scene.decide(&proposal, json!({ "replace": [file.clone(), file] })).invalid("replace[1].path");
}

#[test]
fn unknown_proposals_and_revisions_are_refused() {
    let (mut scene, proposal) = Scene::three_hunks();
    let all = json!({ "accept": "all" });
    scene.decide_on(&json!({ "id": "p000000-1" }), &json!(1), all.clone()).refused("unknown_proposal");
    for revision in [0, 2, 4_000_000_000_u32] {
        let refused = scene.decide_on(&proposal, &json!(revision), all.clone()).refused("superseded");
        assert_eq!(refused["currentRevision"], 1);
    }
    scene.decide_on(&proposal, &json!(-1), all).invalid("revision");
}

#[test]
fn a_thousand_hunks_are_decided_one_by_one_in_time() {
    let mut scene = Scene::new(&[("a.txt", &numbered_lines(20_000))]);
    scene.agent.read("a.txt");
    let edit = |at: usize| json!({ "oldText": format!("line {}\n", at * 20), "newText": format!("LINE {}\n", at * 20) });
    let edits: Vec<_> = (1..=1000).map(edit).collect();
    let proposal = scene.agent.call("editd/edit", json!({ "path": "a.txt", "edits": edits })).done();
    assert_eq!(hunk_ids(&proposal).len(), 1000);
    scene.workspace.put("a.txt", format!("new\n{}", numbered_lines(20_000)).replace("line 10011\n", ""));
    let begun = Instant::now();
    for at in 1..=8 {
        let decision = json!({ "id": proposal["id"], "revision": at, "accept": [format!("h{at}")] });
        scene.editor.call("editd/decide", decision).done();
    }
    let done = scene.decide(&proposal, json!({ "accept": "all" })).done();
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    assert_eq!((&done["state"], states(&done).len()), (&json!("applied"), 1000));
    assert_eq!(scene.workspace.text("a.txt").matches("LINE").count(), 1000);
    // The stored outcome is bounded, but lists every hunk.
    let outcome = scene.outcome(&proposal).done();
    assert_eq!(states(&outcome), vec!["accepted"; 1000]);
}

#[test]
fn a_thousand_conflicts_in_one_line_fit_into_an_answer() {
    let mut scene = Scene::new(&[("a.txt", &numbered_lines(4000))]);
    scene.agent.read("a.txt");
    let edit = |at: usize| json!({ "oldText": format!("line {}\n", at * 4), "newText": format!("LINE {}\n", at * 4) });
    let edits: Vec<_> = (1..=1000).map(edit).collect();
    let proposal = scene.agent.call("editd/edit", json!({ "path": "a.txt", "edits": edits })).done();
    scene.workspace.put("a.txt", "x".repeat(1 << 20));
    let seen = scene.fetch(&proposal);
    assert_eq!(states(&seen), vec!["conflicted"; 1000]);
    assert!(seen.to_string().len() < 32 << 20);
}

#[test]
fn accepting_does_not_follow_a_symlink_created_since() {
    let mut scene = Scene::new(&[("folder/a.txt", "one\n")]);
    scene.agent.read("folder/a.txt");
    let proposal = scene.agent.edit("folder/a.txt", "one", "1").done();
    let outside = scene.workspace.outside("elsewhere");
    std::fs::create_dir(&outside).expect("a folder");
    std::fs::write(outside.join("a.txt"), "one\n").expect("a file");
    std::fs::rename(scene.workspace.path("folder"), scene.workspace.path("moved")).expect("moved");
    symlink(&outside, scene.workspace.path("folder")).expect("a link");
    let refused = scene.decide(&proposal, json!({ "take": ["h1"] }));
    refused.refused_as_any(&["outside_workspace", "not_a_file"]);
    assert_eq!(std::fs::read_to_string(outside.join("a.txt")).unwrap(), "one\n");
    // The proposal can be rejected, which closes it.
    assert_eq!(scene.decide(&proposal, json!({ "reject": "all" })).done()["state"], "rejected");
}

#[test]
fn accepting_does_not_override_path_rules() {
    let mut scene = Scene::new(&[("a.txt", "one\n")]);
    scene.agent.read("a.txt");
    let proposal = scene.agent.edit("a.txt", "one", "1").done();
    scene
        .machine
        .write_policy("[[rules]]\npattern = \"a.txt\"\nclass = \"never\"\noperations = [\"modify\"]\n");
    scene.decide(&proposal, json!({ "accept": "all" })).done();
    scene.decide(&proposal, json!({ "take": ["h1"] })).refused("protected");
    assert_eq!(scene.workspace.text("a.txt"), "one\n");
    scene.decide(&proposal, json!({ "reject": "all" })).done();
}

#[test]
fn an_editor_with_other_roots_can_decide() {
    let (mut scene, proposal) = Scene::three_hunks();
    let elsewhere = Workspace::empty();
    scene.editor = scene.machine.editor(&elsewhere);
    assert_eq!(scene.decide(&proposal, json!({ "accept": "all" })).done()["state"], "applied");
}

#[test]
fn pending_proposals_count_towards_the_limit_of_their_author() {
    let machine = Machine::configured("review = \"always\"\n[limits]\nproposals = 3\n");
    let workspace = Workspace::file("a.txt", numbered_lines(40));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let mut waiting = Vec::new();
    for number in 10..13 {
        waiting.push(agent.edit("a.txt", &format!("line {number}\n"), "x\n").done());
    }
    agent.edit("a.txt", "line 20\n", "x\n").refused("busy");
    agent.call("editd/discard", json!({ "id": waiting[0]["id"] })).done();
    assert_eq!(agent.edit("a.txt", "line 20\n", "x\n").done()["state"], "pending");
    machine.agent_named("bob", &workspace).read_and_edit("a.txt", "line 30\n", "x\n").done();
}

#[test]
fn an_agent_does_not_see_other_authors_pending_proposals() {
    let (mut scene, proposal) = Scene::three_hunks();
    let mut other = scene.machine.agent_named("bob", &scene.workspace);
    for method in ["editd/proposal", "editd/apply", "editd/discard"] {
        other
            .call(
                method,
                json!({ "id": proposal["id"], "waitMs": 1 }).as_object().map_or(json!({}), |fields| {
                    let mut fields = fields.clone();
                    if method == "editd/discard" {
                        fields.remove("waitMs");
                    }
                    Value::Object(fields)
                }),
            )
            .refused("unknown_proposal");
    }
    assert!(other.told_so_far().is_empty());
    scene.decide(&proposal, json!({ "accept": "all" })).done();
}
