//! Changes that wait for a person's decision.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::review::scene::reviewer;
use crate::support::{Agent, Machine, Mcp, Outcome, Workspace, eventually, numbered_lines};

struct Scene {
    _machine: Machine,
    workspace: Workspace,
    editor: Agent,
    mcp: Mcp,
}

impl Scene {
    fn new() -> Self {
        let machine = Machine::configured("review = \"auto\"\n");
        let workspace = Workspace::file("a.txt", numbered_lines(40));
        let editor = reviewer(&machine, &workspace);
        let mut mcp = Mcp::start(&machine, &workspace);
        mcp.call("read", json!({ "path": "a.txt" })).done();
        Self { _machine: machine, workspace, editor, mcp }
    }

    fn edit(&mut self, wait: &Value) -> u64 {
        let edits = json!([
            { "oldText": "line 3\n", "newText": "three\n" },
            { "oldText": "line 30\n", "newText": "thirty\n" },
        ]);
        let mut params = json!({ "name": "edit", "arguments": { "path": "a.txt", "edits": edits, "label": "a\u{1b}[31m\nlabel" } });
        params["arguments"]
            .as_object_mut()
            .expect("an object")
            .extend(wait.as_object().expect("an object").clone());
        params["_meta"] = json!({ "progressToken": "t1" });
        self.mcp.send("tools/call", params)
    }

    /// Waits for a pending proposal and returns it.
    fn waiting(&mut self) -> Value {
        let editor = &mut self.editor;
        eventually("a proposal to wait", || {
            let list = editor.call("editd/proposals", json!({ "state": "pending" })).done();
            list["proposals"].get(0).cloned()
        })
    }

    fn decide(&mut self, proposal: &Value, mut decision: Value) {
        decision["id"] = proposal["id"].clone();
        decision["revision"] = proposal["revision"].clone();
        self.editor.call("editd/decide", decision).done();
    }
}

#[test]
fn a_call_waits_for_the_decision_and_reports_progress() {
    let mut scene = Scene::new();
    let call = scene.edit(&json!({}));
    let proposal = scene.waiting();
    let progress = scene.mcp.told("notifications/progress");
    assert_eq!(progress["progressToken"], "t1");
    assert!(progress["message"].as_str().is_some_and(|words| words.contains("a person")), "{progress}");
    let further = scene.mcp.told("notifications/progress");
    assert!(further["progress"].as_f64() > progress["progress"].as_f64(), "{further}");
    scene.decide(&proposal, json!({ "accept": "all", "comment": "fine" }));
    let edited = scene.mcp.called("edit", call).done();
    assert_eq!(
        (&edited.data["state"], &edited.data["files"][0]["lines"]),
        (&json!("applied"), &json!("3, 30"))
    );
    for words in ["State `applied`", "A person said: fine"] {
        assert!(edited.text.contains(words), "{words}: {}", edited.text);
    }
}

#[test]
fn an_undecided_change_is_pending_and_can_be_queried_later() {
    let mut scene = Scene::new();
    let call = scene.edit(&json!({ "waitMs": 100 }));
    let pending = scene.mcp.called("edit", call).done();
    let id = pending.data["id"].as_str().expect("an id").to_owned();
    assert_eq!(pending.data["state"], "pending");
    assert!(pending.text.starts_with("State `pending`"), "{}", pending.text);
    for said in [pending.text.as_str(), pending.data["next"].as_str().expect("what next")] {
        assert!(said.contains("proposal_status") && said.contains(&id), "{said}");
    }
    let listed = scene.mcp.call("proposal_status", json!({ "waitMs": 5 })).done();
    assert_eq!(listed.data["proposals"][0]["id"], id.as_str());
    assert!(!listed.text.contains('\u{1b}') && listed.text.contains("label"), "{:?}", listed.text);
    let asked = scene.mcp.send_call("proposal_status", json!({ "id": id }));
    let proposal = scene.waiting();
    scene.decide(
        &proposal,
        json!({ "accept": ["h1"], "reject": ["h2"], "comment": [{ "hunk": "h2", "text": "no" }] }),
    );
    let decided = scene.mcp.called("proposal_status", asked).done();
    assert_eq!(decided.hash(), scene.workspace.hash("a.txt"));
    for words in [
        "State `partial`",
        "only a part",
        "Part h1 (at old line 3, 1 lines): accepted",
        "Part h2 (at old line 30, 1 lines): rejected",
        "+three",
        "A person said about h2: no",
    ] {
        assert!(decided.text.contains(words), "{words}: {}", decided.text);
    }
    // The result counts as read.
    let more = scene
        .mcp
        .send_call("edit", json!({ "path": "a.txt", "oldText": "three", "newText": "3", "waitMs": 0 }));
    assert_eq!(scene.mcp.called("edit", more).done().data["state"], "pending");
}

#[test]
fn a_rejection_and_edits_of_a_person_are_reported() {
    let mut scene = Scene::new();
    let call = scene.edit(&json!({}));
    let proposal = scene.waiting();
    scene.decide(&proposal, json!({ "reject": "all", "comment": "not now" }));
    let rejected = scene.mcp.called("edit", call).done();
    assert_eq!(rejected.data["state"], "rejected");
    assert!(
        rejected.text.contains("State `rejected`: a person rejected it; nothing was changed")
            && rejected.text.contains("not now"),
        "{}",
        rejected.text
    );
    assert!(
        !rejected.text.contains("+three"),
        "a rejected change is not shown as applied: {}",
        rejected.text
    );
    let call = scene.edit(&json!({}));
    let proposal = scene.waiting();
    let content = numbered_lines(40).replace("line 3\n", "tres\n");
    let replace = json!([{ "path": scene.workspace.absolute("a.txt"), "baseHash": scene.workspace.hash("a.txt"), "content": content }]);
    scene.decide(&proposal, json!({ "replace": replace }));
    let edited = scene.mcp.called("edit", call).done();
    assert_eq!(scene.workspace.text("a.txt"), content);
    assert!(edited.text.contains("wrote instead") && edited.text.contains("+tres"), "{}", edited.text);
}

#[test]
fn a_cancelled_call_is_not_answered() {
    let mut scene = Scene::new();
    let call = scene.edit(&json!({}));
    let proposal = scene.waiting();
    scene.mcp.notify("notifications/cancelled", json!({ "requestId": call, "reason": "enough" }));
    // Later calls are answered, and the proposal remains and can be queried.
    let asked = scene.mcp.call("proposal_status", json!({ "id": proposal["id"], "waitMs": 0 })).done();
    assert_eq!(asked.data["state"], "pending");
    scene.decide(&proposal, json!({ "accept": "all" }));
    let asked = scene.mcp.call("proposal_status", json!({ "id": proposal["id"] })).done();
    assert_eq!(asked.data["state"], "applied");
}

#[test]
fn a_client_that_disconnects_while_waiting_ends_only_the_server() {
    let mut scene = Scene::new();
    scene.edit(&json!({}));
    let proposal = scene.waiting();
    let begun = Instant::now();
    let (status, said) = scene.mcp.until_ended();
    assert_eq!((status.code(), said.as_str()), (Some(0), ""));
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    let still = scene.editor.call("editd/proposal", json!({ "id": proposal["id"] })).done();
    assert_eq!(still["state"], "pending");
}

#[test]
fn a_pending_change_is_replaced_or_withdrawn_by_its_author() {
    let mut scene = Scene::new();
    let edit = |old: &str, new: &str| json!({ "path": "a.txt", "oldText": old, "newText": new, "waitMs": 0 });
    let first = scene.mcp.call("edit", edit("line 3\n", "three\n")).data;
    assert_eq!(first["state"], "pending");
    let refused = scene.mcp.call("edit", edit("three\n", "drei\n")).refused("dependency");
    assert!(refused.text.contains("`replaces`"), "{}", refused.text);
    let mut both = edit("line 3\n", "drei\n");
    both["replaces"] = first["id"].clone();
    let second = scene.mcp.call("edit", both).data;
    assert_eq!(second["state"], "pending");
    let closed = scene.mcp.call("proposal_status", json!({ "id": first["id"], "waitMs": 0 })).data;
    assert_eq!(closed["state"], "superseded");
    let withdrawn = scene.mcp.call("undo", json!({ "transaction": second["id"], "waitMs": 1000 }));
    assert_eq!(withdrawn.data["state"], "discarded", "{}", withdrawn.text);
    assert!(withdrawn.text.contains("nothing was changed"), "{}", withdrawn.text);
    let waiting = scene.editor.call("editd/proposals", json!({ "state": "pending" })).done();
    assert_eq!(
        (waiting["proposals"].clone(), scene.workspace.text("a.txt")),
        (json!([]), numbered_lines(40))
    );
}

#[test]
fn an_unknown_transaction_is_refused_with_a_hint() {
    let mut scene = Scene::new();
    let refused = scene.mcp.call("undo", json!({ "transaction": "t000000-1" })).refused("missing");
    let hint = refused.data["error"]["hint"].as_str().expect("a hint");
    assert!(hint.contains("Without `transaction`") && hint.contains("`path`"), "{hint}");
}
