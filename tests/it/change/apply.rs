//! Applying proposals: the answer and the resulting file.

use serde_json::{Value, json};

use crate::support::{Machine, Outcome, Workspace, hash_of, numbered_lines};

#[test]
fn an_applied_change_has_every_field() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", numbered_lines(30)));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let proposal = agent.propose("a.txt", "line 15\n", "line fifteen\n").done();
    let applied = agent.apply(&proposal).done();
    let new = numbered_lines(30).replace("line 15\n", "line fifteen\n");
    assert_eq!(workspace.text("a.txt"), new);
    assert_eq!((&applied["id"], &applied["revision"]), (&proposal["id"], &proposal["revision"]));
    assert_eq!(applied["state"], "applied");
    let (before, after) = (&proposal["files"][0], &applied["files"][0]);
    for key in
        ["uri", "path", "action", "hashBefore", "hashAfter", "diff", "added", "removed", "firstChangedLine"]
    {
        assert_eq!(before[key], after[key], "{key}");
    }
    assert_eq!(after["hash"], hash_of(&new));
    assert_eq!((&after["source"], &after["saved"]), (&json!("disk"), &json!(true)));
    assert!(after["snippet"].as_str().is_some_and(|snippet| snippet.contains("line fifteen")), "{after}");
    assert!(after["snippet"].as_str().is_some_and(|snippet| !snippet.contains("line 30")), "{after}");
    assert_eq!(after["mtime"], agent.read("a.txt")["mtime"]);
}

#[test]
fn edit_answers_like_apply() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut agent = machine.agent(&workspace);
    let applied = agent.read_and_edit("a.txt", "one", "two").done();
    assert_eq!(applied["state"], "applied");
    assert!(applied["id"].is_string() && applied["revision"].is_u64(), "{applied}");
    let file = &applied["files"][0];
    assert_eq!((&file["hashBefore"], &file["hash"]), (&json!(hash_of("one\n")), &json!(hash_of("two\n"))));
    assert!(file["diff"].as_str().is_some_and(|diff| diff.contains("-one\n+two\n")), "{file}");
    assert_eq!(agent.state_of(&applied), "applied");
}

#[test]
fn a_proposal_is_applied_once() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "a\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let proposal = agent.propose("a.txt", "a", "ab").done();
    agent.apply(&proposal).done();
    let again = agent.apply(&proposal);
    assert_eq!(workspace.text("a.txt"), "ab\n");
    if let Ok(answer) = again {
        assert_eq!(answer["state"], "applied");
    }
}

#[test]
fn apply_with_another_revision_is_superseded() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let proposal = agent.propose("a.txt", "one", "two").done();
    let revision = proposal["revision"].as_u64().expect("a revision");
    let params = json!({ "id": proposal["id"], "revision": revision + 1 });
    let error = agent.call("editd/apply", params).unwrap_err();
    let data = &error.data;
    assert_eq!((&data["kind"], &data["currentRevision"]), (&json!("superseded"), &json!(revision)));
    assert!(!error.message.contains("has changed"), "nothing has changed: {error:?}");
    assert_eq!(workspace.text("a.txt"), "one\n");
    agent.call("editd/apply", json!({ "id": proposal["id"], "revision": revision })).done();
    assert_eq!(workspace.text("a.txt"), "two\n");
}

#[test]
fn a_proposal_whose_file_has_changed_is_stale() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let proposal = agent.propose("a.txt", "one", "1").done();
    workspace.put("a.txt", "one\nsix\n");
    let data = agent.apply(&proposal).refused("stale");
    assert_eq!(data["currentHash"], hash_of("one\nsix\n"));
    assert!(data["diff"].as_str().is_some_and(|diff| diff.contains("-two\n+six\n")), "{data}");
    assert_eq!(workspace.text("a.txt"), "one\nsix\n");
    assert_eq!(agent.state_of(&proposal), "stale");
}

#[test]
fn a_proposal_is_rebased_over_its_sessions_own_edits() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", numbered_lines(20)));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let proposal = agent.propose("a.txt", "line 15\n", "line fifteen\n").done();
    agent.edit("a.txt", "line 2\n", "line two\nand a half\n").done();
    agent.edit("a.txt", "line 19\n", "").done();
    let applied = agent.apply(&proposal).done();
    assert_eq!(applied["revision"], proposal["revision"]);
    let expected = numbered_lines(20)
        .replace("line 2\n", "line two\nand a half\n")
        .replace("line 19\n", "")
        .replace("line 15\n", "line fifteen\n");
    assert_eq!(workspace.text("a.txt"), expected);
    assert_eq!(applied["files"][0]["hash"], hash_of(&expected));
    assert_eq!(applied["files"][0]["hashAfter"], hash_of(&expected));
}

#[test]
fn a_proposal_is_stale_if_its_sessions_own_edit_changed_its_lines() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo\nthree\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let proposal = agent.propose("a.txt", "two", "2").done();
    agent.edit("a.txt", "two", "zwei").done();
    agent.apply(&proposal).refused("stale");
    assert_eq!(workspace.text("a.txt"), "one\nzwei\nthree\n");
}

#[test]
fn another_sessions_edit_elsewhere_in_the_file_makes_a_proposal_stale() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", numbered_lines(20)));
    let (mut agent, mut other) = (machine.agent(&workspace), machine.agent_named("bob", &workspace));
    agent.read("a.txt");
    let proposal = agent.propose("a.txt", "line 15\n", "line fifteen\n").done();
    other.read_and_edit("a.txt", "line 2\n", "line two\n").done();
    agent.apply(&proposal).refused("stale");
    assert!(!workspace.text("a.txt").contains("fifteen"));
}

#[test]
fn with_rebase_a_proposal_is_merged_with_intermediate_changes() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", numbered_lines(20)));
    let (mut agent, mut other) = (machine.agent(&workspace), machine.agent_named("bob", &workspace));
    agent.read("a.txt");
    let params =
        json!({ "path": "a.txt", "oldText": "line 15\n", "newText": "line fifteen\n", "onStale": "rebase" });
    let proposal = agent.call("editd/propose", params).done();
    other.read_and_edit("a.txt", "line 2\n", "line two\n").done();
    let applied = agent.apply(&proposal).done();
    let expected =
        numbered_lines(20).replace("line 2\n", "line two\n").replace("line 15\n", "line fifteen\n");
    assert_eq!(workspace.text("a.txt"), expected);
    let rebased = &applied["files"][0]["rebased"];
    assert!(!rebased.is_null() && rebased != &Value::Bool(false), "{applied}");
}

#[test]
fn with_rebase_a_proposal_whose_lines_changed_conflicts() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo\nthree\n"));
    let (mut agent, mut other) = (machine.agent(&workspace), machine.agent_named("bob", &workspace));
    agent.read("a.txt");
    let params = json!({ "path": "a.txt", "oldText": "two", "newText": "2", "onStale": "rebase" });
    let proposal = agent.call("editd/propose", params).done();
    other.read_and_edit("a.txt", "two", "zwei").done();
    let data = agent.apply(&proposal).refused("conflict");
    assert!(data["regions"].as_array().is_some_and(|regions| regions.len() == 1), "{data}");
    assert_eq!(workspace.text("a.txt"), "one\nzwei\nthree\n");
}

#[test]
fn a_proposal_already_carried_out_by_another_program_is_recognized_by_its_hash() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "a\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let proposal = agent.propose("a.txt", "a", "ab").done();
    workspace.put("a.txt", "ab\n");
    assert_eq!(agent.apply(&proposal).done()["state"], "applied");
    assert_eq!(workspace.text("a.txt"), "ab\n");
    assert_eq!(agent.state_of(&proposal), "applied");
}

#[test]
fn applying_again_returns_the_same_answer_while_the_files_are_unchanged() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let proposal = agent.propose("a.txt", "one", "two").done();
    let first = agent.apply(&proposal).done();
    let again = agent.apply(&proposal).done();
    assert_eq!((&again["state"], &again["transaction"]), (&first["state"], &first["transaction"]));
    assert_eq!(again["files"][0]["hash"], first["files"][0]["hash"]);
}

#[test]
fn applying_again_returns_the_outcome_regardless_of_the_current_file() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "x\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let proposal = agent.propose("a.txt", "x\n", "x\nx2\n").done();
    let first = agent.apply(&proposal).done();
    for now in ["top\nx\nx2\n", "x\n"] {
        workspace.put("a.txt", now);
        let again = agent.apply(&proposal).done();
        assert_eq!((&again["state"], &again["transaction"]), (&json!("applied"), &first["transaction"]));
        // The answer does not count as a read of the current file.
        assert!(again["files"][0].get("hash").is_none(), "{again}");
        assert_eq!(workspace.text("a.txt"), now);
    }
    std::fs::remove_file(workspace.path("a.txt")).expect("a file");
    assert_eq!(agent.apply(&proposal).done()["transaction"], first["transaction"]);
    assert!(!workspace.path("a.txt").exists());
}

#[test]
fn applying_again_after_another_proposal_does_not_repeat_the_change() {
    let (machine, workspace) = (Machine::start(), Workspace::with(&[("a.txt", "one\ntwo\n"), ("b.txt", "")]));
    let mut agent = machine.agent(&workspace);
    agent.read_all(&["a.txt", "b.txt"]);
    let (a, b) = (agent.propose("a.txt", "one", "1").done(), agent.propose("a.txt", "two", "2").done());
    let rename = json!([{ "kind": "rename", "path": "b.txt", "newPath": "c.txt" }]);
    let rename = agent.call("editd/propose", json!({ "changes": rename })).done();
    let all = [a, b, rename];
    let transactions = all.each_ref().map(|proposal| agent.apply(proposal).done()["transaction"].clone());
    assert_eq!(
        all.each_ref().map(|proposal| agent.apply(proposal).done()["transaction"].clone()),
        transactions
    );
    assert_eq!(workspace.text("a.txt"), "1\n2\n");
}

#[test]
fn discarding_an_applied_proposal_is_refused_as_already_applied() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let proposal = agent.propose("a.txt", "one", "1").done();
    let applied = agent.apply(&proposal).done();
    let data = agent.call("editd/discard", json!({ "id": proposal["id"] })).refused("superseded");
    assert_eq!((&data["state"], &data["transaction"]), (&json!("applied"), &applied["transaction"]));
    let hint = data["hint"].as_str().unwrap_or_default();
    assert!(hint.contains("do not make it again") && !hint.contains("ropose"), "{hint}");
}

#[test]
fn of_two_proposals_for_one_location_the_first_applied_wins() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo\n"));
    let (mut agent, mut other) = (machine.agent(&workspace), machine.agent_named("bob", &workspace));
    agent.read("a.txt");
    other.read("a.txt");
    let (mine, theirs) =
        (agent.propose("a.txt", "one", "1").done(), other.propose("a.txt", "one", "uno").done());
    other.apply(&theirs).done();
    agent.apply(&mine).refused("stale");
    assert_eq!(workspace.text("a.txt"), "uno\ntwo\n");
}

#[test]
fn a_proposed_creation_does_not_overwrite_a_file_created_since() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let mut agent = machine.agent(&workspace);
    let change = json!({ "kind": "write", "path": "a.txt", "content": "mine\n" });
    let proposal = agent.call("editd/propose", json!({ "changes": [change] })).done();
    workspace.put("a.txt", "theirs\n");
    agent.apply(&proposal).refused_as_any(&["stale", "exists", "unread"]);
    assert_eq!(workspace.text("a.txt"), "theirs\n");
}
