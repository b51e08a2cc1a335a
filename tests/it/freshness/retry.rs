//! Refused changes that are sent again by an id, without their content.

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Agent, Machine, Mcp, Outcome, Workspace, numbered_lines};

fn scene() -> (Machine, Workspace) {
    (Machine::start(), Workspace::file("a.txt", numbered_lines(20)))
}

fn id(refusal: &Value) -> String {
    refusal["retry"].as_str().unwrap_or_else(|| panic!("an id in {refusal}")).to_owned()
}

/// Sends a refused change again.
fn retry(agent: &mut Agent, id: &str, mut more: Value) -> crate::support::Answer {
    more["retry"] = id.into();
    agent.call("editd/edit", more)
}

#[test]
fn a_stale_change_is_merged_without_being_repeated() {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    workspace.put("a.txt", numbered_lines(20).replace("line 7\n", "line seven\n"));
    let refusal = agent.edit("a.txt", "line 9\n", "line nine\n").refused("stale");
    assert!(refusal["hint"].to_string().contains(&id(&refusal)), "{refusal}");
    retry(&mut agent, &id(&refusal), json!({ "onStale": "rebase" })).done();
    let after = numbered_lines(20).replace("line 7\n", "line seven\n").replace("line 9\n", "line nine\n");
    assert_eq!(workspace.text("a.txt"), after);
    // The id is used up.
    let again = retry(&mut agent, &id(&refusal), json!({ "onStale": "rebase" })).refused("missing");
    assert!(again["hint"].to_string().contains("Send the whole change"), "{again}");
    assert_eq!(workspace.text("a.txt"), after);
}

#[test]
fn a_retry_is_refused_when_the_file_has_changed_again() {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    workspace.put("a.txt", numbered_lines(20).replace("line 7\n", "line seven\n"));
    let first = agent.edit("a.txt", "line 9\n", "line nine\n").refused("stale");
    let other = numbered_lines(20).replace("line 7\n", "line seven\n").replace("line 8\n", "line eight\n");
    workspace.put("a.txt", &other);
    let second = retry(&mut agent, &id(&first), json!({ "onStale": "rebase" })).refused("stale");
    assert_eq!(workspace.text("a.txt"), other);
    assert!(second["diff"].to_string().contains("+line eight"), "{second}");
    assert_ne!(id(&first), id(&second));
    retry(&mut agent, &id(&second), json!({ "onStale": "rebase" })).done();
    assert_eq!(workspace.text("a.txt"), other.replace("line 9\n", "line nine\n"));
}

#[test]
fn a_change_of_a_file_that_was_not_read_is_sent_again_after_its_excerpt() {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    let refusal = agent.edit("a.txt", "line 9\n", "line nine\n").refused("unread");
    assert!(refusal["excerpt"].to_string().contains("line 9"), "{refusal}");
    retry(&mut agent, &id(&refusal), json!({})).done();
    assert_eq!(workspace.text("a.txt"), numbered_lines(20).replace("line 9\n", "line nine\n"));
    // Without an excerpt, there is nothing that the author knows.
    workspace.put("b.txt", "one\n");
    let refusal = agent.edit("b.txt", "two", "2").refused("unread");
    assert_eq!(refusal.get("retry"), None, "{refusal}");
}

#[test]
fn an_unread_file_that_changes_before_the_retry_stays_unread() {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    let refusal = agent.edit("a.txt", "line 9\n", "line nine\n").refused("unread");
    workspace.put("a.txt", "new\nline 9\n");
    retry(&mut agent, &id(&refusal), json!({})).refused("unread");
    assert_eq!(workspace.text("a.txt"), "new\nline 9\n");
}

#[test]
fn lines_that_were_not_shown_are_changed_after_their_excerpt() {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    agent.call("editd/read", json!({ "path": "a.txt", "limit": 2 })).done();
    let edits = json!({ "path": "a.txt", "edits": [{ "lines": "9", "newText": "line nine" }] });
    let refusal = agent.call("editd/edit", edits).refused("unread");
    retry(&mut agent, &id(&refusal), json!({})).done();
    assert_eq!(workspace.text("a.txt"), numbered_lines(20).replace("line 9\n", "line nine\n"));
}

#[rstest]
#[case::refused_again(json!({}), false)]
#[case::merged(json!({ "onStale": "rebase" }), true)]
fn line_numbers_keep_their_meaning(#[case] more: Value, #[case] is_made: bool) {
    for edit in [
        json!({ "lines": "2", "newText": "two" }),
        json!({ "after": 2, "newText": "two and a half" }),
        json!({ "move": { "lines": "2" }, "to": { "after": 4 } }),
    ] {
        let (machine, workspace) = scene();
        let mut agent = machine.agent(&workspace);
        agent.read("a.txt");
        workspace.put("a.txt", format!("top\n{}", numbered_lines(20)));
        let edits = json!({ "path": "a.txt", "edits": [edit] });
        let refusal = agent.call("editd/edit", edits.clone()).refused("stale");
        agent.read("a.txt");
        let answer = retry(&mut agent, &id(&refusal), more.clone());
        let first = "top\nline 1\n";
        if is_made {
            answer.done();
            assert!(workspace.text("a.txt").starts_with(first), "{edit}: {}", workspace.text("a.txt"));
            assert_ne!(workspace.text("a.txt"), format!("top\n{}", numbered_lines(20)));
        } else {
            answer.refused("stale");
            assert_eq!(workspace.text("a.txt"), format!("top\n{}", numbered_lines(20)));
        }
    }
}

#[test]
fn a_change_that_was_made_meanwhile_is_not_made_twice() {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    let refusal = agent.edit("a.txt", "line 1\n", "line 10\n").refused("unread");
    agent.read("a.txt");
    agent.edit("a.txt", "line 1\n", "line 10\n").done();
    let after = workspace.text("a.txt");
    retry(&mut agent, &id(&refusal), json!({})).refused("stale");
    assert_eq!(workspace.text("a.txt"), after);
}

#[test]
fn a_conflict_is_sent_again_with_marks() {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    workspace.put("a.txt", numbered_lines(20).replace("line 9\n", "line IX\n"));
    let request =
        json!({ "path": "a.txt", "oldText": "line 9\n", "newText": "line nine\n", "onStale": "rebase" });
    let refusal = agent.call("editd/edit", request).refused("conflict");
    retry(&mut agent, &id(&refusal), json!({ "onConflict": "markers" })).done();
    let text = workspace.text("a.txt");
    assert!(text.contains("<<<<<<<") && text.contains("line IX") && text.contains("line nine"), "{text}");
}

#[rstest]
#[case::short(json!({ "path": "a.txt", "oldText": "x", "newText": "y" }))]
#[case::in_edits(json!({ "path": "a.txt", "edits": [{ "oldText": "x", "newText": "y" }] }))]
#[case::in_changes(json!({ "changes": [{ "kind": "edit", "path": "a.txt", "edits": [{ "oldText": "x", "newText": "y" }] }] }))]
#[case::beside_another(json!({ "path": "a.txt", "edits": [{ "oldText": "b", "newText": "b" }, { "oldText": "x", "newText": "y" }] }))]
fn the_place_of_an_ambiguous_edit_is_added(#[case] request: Value) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "x\nb\nx\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let refusal = agent.call("editd/edit", request).refused("ambiguous");
    retry(&mut agent, &id(&refusal), json!({ "lines": "3" })).done();
    assert_eq!(workspace.text("a.txt"), "x\nb\ny\n");
}

#[test]
fn a_retry_takes_nothing_that_changes_its_content() {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    let first = agent.edit("a.txt", "line 9\n", "line nine\n").refused("unread");
    for (name, value) in [
        ("newText", json!("x")),
        ("edits", json!([])),
        ("baseHash", json!("b3:00")),
        ("patch", json!("x")),
        ("lines", json!("3")),
    ] {
        retry(&mut agent, &id(&first), json!({ name: value })).refused("invalid_params");
    }
    // None of these has used the id up.
    retry(&mut agent, &id(&first), json!({ "path": "a.txt" })).done();
}

#[test]
fn an_id_belongs_to_its_session() {
    let (machine, workspace) = scene();
    let (mut agent, mut other) = (machine.agent(&workspace), machine.agent(&workspace));
    let refusal = agent.edit("a.txt", "line 9\n", "line nine\n").refused("unread");
    retry(&mut other, &id(&refusal), json!({})).refused("missing");
    retry(&mut other, "r999", json!({})).refused("missing");
    assert_eq!(workspace.text("a.txt"), numbered_lines(20));
    retry(&mut agent, &id(&refusal), json!({})).done();
}

#[test]
fn an_id_ends_with_the_daemon() {
    let (mut machine, workspace) = scene();
    let refused = |machine: &Machine| {
        let mut agent = machine.agent(&workspace);
        let refusal = agent.edit("a.txt", "line 9\n", "line nine\n").refused("unread");
        (agent, id(&refusal))
    };
    let (_, first) = refused(&machine);
    machine.restart();
    let (mut agent, second) = refused(&machine);
    assert_ne!(first, second, "the ids of two daemons are different");
    retry(&mut agent, &first, json!({})).refused("missing");
    assert_eq!(workspace.text("a.txt"), numbered_lines(20));
    retry(&mut agent, &second, json!({})).done();
}

#[test]
fn changes_that_must_be_different_have_no_id() {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    for (request, name) in [
        (json!({ "path": "a.txt", "oldText": "none", "newText": "x" }), "not_found"),
        (
            json!({ "path": "a.txt", "edits": [{ "oldText": "line 1\n", "newText": "line 1\n" }] }),
            "no_change",
        ),
        (json!({ "path": "none.txt", "oldText": "a", "newText": "x" }), "missing"),
        (
            json!({ "path": "a.txt", "edits": [{ "oldText": "none", "newText": "x" }, { "oldText": "line 1", "newText": "x" }] }),
            "not_found",
        ),
    ] {
        let refusal = agent.call("editd/edit", request).refused(name);
        assert_eq!(refusal.get("retry"), None, "{refusal}");
    }
}

#[test]
fn a_review_that_was_asked_for_is_asked_for_again() {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    let request = json!({ "path": "a.txt", "oldText": "line 9\n", "newText": "line nine\n", "review": true });
    let refusal = agent.call("editd/edit", request).refused("unread");
    let pending = retry(&mut agent, &id(&refusal), json!({})).done();
    assert_eq!(pending["state"], "pending");
    assert_eq!(workspace.text("a.txt"), numbered_lines(20));
}

#[test]
fn a_proposal_is_sent_again() {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    let request = json!({ "path": "a.txt", "oldText": "line 9\n", "newText": "line nine\n" });
    let refusal = agent.call("editd/propose", request).refused("unread");
    let proposed = agent.call("editd/propose", json!({ "retry": id(&refusal) })).done();
    assert_eq!(proposed["files"][0]["added"], 1);
}

#[test]
fn long_requests_are_not_kept_and_old_ones_are_dropped() {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    let long = json!({ "path": "a.txt", "oldText": "line 9\n", "newText": "x".repeat(1 << 20) });
    let refusal = agent.call("editd/edit", long).refused("unread");
    assert_eq!(refusal.get("retry"), None, "{}", refusal["hint"]);
    let first = agent.edit("a.txt", "line 9\n", "line nine\n").refused("unread");
    let large = json!({ "path": "a.txt", "oldText": "line 9\n", "newText": "x".repeat(1 << 19) });
    for _ in 0..40 {
        agent.call("editd/edit", large.clone()).refused("unread");
    }
    retry(&mut agent, &id(&first), json!({})).refused("missing");
    assert_eq!(workspace.text("a.txt"), numbered_lines(20));
}

#[test]
fn a_model_sends_a_refused_patch_again() {
    let (machine, workspace) = scene();
    workspace.put("b.txt", "one\ntwo\nthree\nfour\n");
    let mut mcp = Mcp::start(&machine, &workspace);
    mcp.call("read", json!({ "path": "a.txt" })).done();
    mcp.call("read", json!({ "path": "b.txt" })).done();
    workspace.put("b.txt", "one\ntwo\nthree\nfour\nfive\n");
    let patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n-line 9\n+line nine\n*** Update File: b.txt\n@@\n-one\n+1\n*** End Patch\n";
    let refused = mcp.call("apply_patch", json!({ "patch": patch })).refused("stale");
    let named = refused.text.split("`retry: \"").nth(1).and_then(|rest| rest.split('"').next());
    let id = named.unwrap_or_else(|| panic!("an id in {}", refused.text)).to_owned();
    assert_eq!(refused.text.matches(&id).count(), 1, "{}", refused.text);
    mcp.call("edit", json!({ "retry": id, "onStale": "rebase" })).done();
    assert_eq!(workspace.text("a.txt"), numbered_lines(20).replace("line 9\n", "line nine\n"));
    assert_eq!(workspace.text("b.txt"), "1\ntwo\nthree\nfour\nfive\n");
}
