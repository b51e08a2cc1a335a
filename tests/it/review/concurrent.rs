//! Concurrent decisions, withdrawals and disconnects.

use std::collections::HashSet;

use serde_json::json;

use crate::support::{Outcome, numbered_lines};

use super::scene::{Scene, reviewer};

#[test]
fn the_first_decision_wins() {
    let (mut scene, proposal) = Scene::three_hunks();
    let mut second = reviewer(&scene.machine, &scene.workspace);
    scene.decide_on(&proposal, &json!(1), json!({ "accept": ["h1"] })).done();
    let late = json!({ "id": proposal["id"], "revision": 1, "reject": "all" });
    let refused = second.call("editd/decide", late).refused("superseded");
    assert_eq!(refused["currentRevision"], 2);
    let again = json!({ "id": proposal["id"], "revision": 2, "reject": "all", "keepEarlier": true });
    assert_eq!(second.call("editd/decide", again).done()["state"], "partial");
    let refused = scene.decide_on(&proposal, &json!(2), json!({ "accept": "all" })).refused("superseded");
    assert_eq!(refused["currentRevision"], 3);
}

#[test]
fn of_many_concurrent_decisions_one_succeeds() {
    for round in 0..5 {
        let (mut scene, proposal) = Scene::three_hunks();
        let mut editors: Vec<_> = (0..6).map(|_| reviewer(&scene.machine, &scene.workspace)).collect();
        let requests: Vec<_> = editors
            .iter_mut()
            .enumerate()
            .map(|(at, editor)| {
                let what = if at % 2 == 0 { "accept" } else { "reject" };
                let mut decision = json!({ "id": proposal["id"], "revision": 1 });
                decision[what] = json!("all");
                editor.send("editd/decide", decision)
            })
            .collect();
        let discard = json!({ "id": proposal["id"] });
        let discarded = round % 2 == 0 && scene.agent.call("editd/discard", discard).is_ok();
        let mut won = Vec::new();
        for (at, (editor, request)) in editors.iter_mut().zip(requests).enumerate() {
            match editor.answer(request) {
                Ok(done) => won.push((at, done)),
                Err(error) => assert!(["superseded", "busy"].contains(&error.kind()), "{error:?}"),
            }
        }
        assert_eq!(won.len() + usize::from(discarded), 1, "{won:#?} {discarded}");
        let accepted = won.iter().any(|(at, _)| at % 2 == 0);
        assert_eq!(scene.agent.history().len(), usize::from(accepted));
        let text = scene.workspace.text("a.txt");
        assert_eq!(text == numbered_lines(40), !accepted);
        let state = scene.agent.state_of(&proposal);
        let expected = match (discarded, accepted) {
            (true, _) => "discarded",
            (false, true) => "applied",
            (false, false) => "rejected",
        };
        assert_eq!(state, expected);
    }
}

#[test]
fn several_proposals_of_one_file_are_decided_one_after_another() {
    let mut scene = Scene::new(&[("a.txt", &numbered_lines(40))]);
    scene.agent.read("a.txt");
    let proposals: Vec<_> = (1..=8)
        .map(|n| scene.agent.edit("a.txt", &format!("line {}\n", n * 4), &format!("LINE {}\n", n * 4)).done())
        .collect();
    let requests: Vec<_> = proposals
        .iter()
        .map(|proposal| {
            let all = json!({ "id": proposal["id"], "revision": 1, "accept": "all" });
            scene.editor.send("editd/decide", all)
        })
        .collect();
    let transactions: HashSet<_> = requests
        .into_iter()
        .map(|request| scene.editor.answer(request).done()["transaction"].to_string())
        .collect();
    assert_eq!(transactions.len(), 8);
    let text = scene.workspace.text("a.txt");
    assert_eq!(text.matches("LINE").count(), 8, "{text}");
}

#[test]
fn a_reconnected_agent_receives_a_later_decision() {
    let (mut scene, proposal) = Scene::three_hunks();
    scene.agent = scene.machine.agent(&scene.workspace);
    scene.decide(&proposal, json!({ "accept": ["h1"], "reject": "all" })).done();
    let outcome = scene.outcome(&proposal).done();
    assert_eq!(outcome["state"], "partial");
    // The outcome is now the session's base, although the session has never read the file.
    assert_eq!(scene.agent.edit("a.txt", "line 5\n", "x\n").done()["state"], "pending");
}

#[test]
fn a_proposal_stays_pending_without_its_editor() {
    let (mut scene, proposal) = Scene::three_hunks();
    scene.decide(&proposal, json!({ "accept": ["h1"] })).done();
    scene.editor = scene.machine.editor(&scene.workspace);
    assert_eq!(scene.agent.state_of(&proposal), "pending");
    let seen = scene.fetch(&proposal);
    assert_eq!((&seen["revision"], &seen["files"][0]["hunks"][0]["state"]), (&json!(2), &json!("accepted")));
    scene.decide(&proposal, json!({ "accept": "all" })).done();
    assert_eq!(scene.workspace.text("a.txt").matches("LINE").count(), 3);
}
