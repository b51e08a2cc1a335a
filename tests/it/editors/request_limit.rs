//! An editor exceeds its limit of concurrent requests. Its notifications are still processed.

use std::thread;

use serde_json::{Value, json};

use crate::support::{Agent, Answer, Editor, Kind, Machine, Outcome, Workspace, eventually};

const CONFIG: &str = "review = \"always\"\n[limits]\nrequests_in_flight = 4\n";
/// Maximum number of queued requests.
const QUEUE: usize = 256;
const CANCELLED: i64 = -32800;

struct Scene {
    _machine: Machine,
    workspace: Workspace,
    agent: Agent,
    person: Agent,
    proposal: Value,
}

/// A change is pending for a user whose editor may have four requests in flight.
fn scene() -> Scene {
    let (machine, workspace) = (Machine::configured(CONFIG), Workspace::file("a.txt", "one\n"));
    let mut agent = machine.agent(&workspace);
    let person = machine.editor(&workspace);
    agent.read("a.txt");
    let proposal = agent.edit("a.txt", "one", "1").done();
    Scene { _machine: machine, workspace, agent, person, proposal }
}

impl Scene {
    /// Sends this many requests that wait for the decision.
    fn send_waits(&mut self, times: usize) -> Vec<u64> {
        let wait = json!({ "id": self.proposal["id"], "waitMs": 60_000 });
        (0..times).map(|_| self.person.send("editd/proposal", wait.clone())).collect()
    }

    fn discard(&mut self) {
        self.agent.call("editd/discard", json!({ "id": self.proposal["id"] })).done();
    }

    fn answers(&mut self, asked: Vec<u64>) -> Vec<Answer> {
        asked.into_iter().map(|id| self.person.answer(id)).collect()
    }
}

#[test]
fn all_proposals_can_be_accepted_concurrently() {
    const FILES: usize = 24;
    let (machine, workspace) = (Machine::configured(CONFIG), Workspace::empty());
    let names: Vec<String> = (0..FILES).map(|number| format!("{number}.txt")).collect();
    let editor = Editor::start(&machine, &workspace, Kind::Plugin);
    let mut agent = machine.agent(&workspace);
    let open = |name: &String| {
        workspace.put(name, "one\n");
        editor.open(&workspace, name)
    };
    let uris: Vec<String> = names.iter().map(open).collect();
    let propose = |name: &String| agent.read_and_edit(name, "one", "1").done();
    let proposals: Vec<Value> = names.iter().map(propose).collect();
    let decided: Vec<Value> = thread::scope(|scope| {
        let decide = |proposal: &Value| {
            let all = json!({ "id": proposal["id"], "revision": 1, "accept": "all" });
            let editor = &editor;
            scope.spawn(move || editor.call("editd/decide", all))
        };
        let threads: Vec<_> = proposals.iter().map(decide).collect();
        threads.into_iter().map(|thread| thread.join().expect("an answer")).collect()
    });
    assert!(decided.iter().all(|answer| answer["state"] == "applied"), "{decided:#?}");
    for (uri, name) in uris.iter().zip(&names) {
        assert_eq!((editor.text(uri), workspace.text(name)), ("1\n".to_owned(), "1\n".to_owned()));
    }
}

#[test]
fn typing_is_processed_while_requests_wait() {
    let mut scene = scene();
    let asked = scene.send_waits(20);
    let uri = format!("file://{}", scene.workspace.absolute("a.txt"));
    let document = json!({ "uri": uri, "languageId": "text", "version": 1, "text": "one\n" });
    scene.person.notify("textDocument/didOpen", json!({ "textDocument": document }));
    let typed =
        json!({ "textDocument": { "uri": uri, "version": 2 }, "contentChanges": [{ "text": "typed\n" }] });
    scene.person.notify("textDocument/didChange", typed);
    eventually("the typed text to be the current content", || {
        (scene.agent.read("a.txt")["text"] == "typed\n").then_some(())
    });
    scene.discard();
    for answer in scene.answers(asked) {
        assert_eq!(answer.done()["state"], "discarded");
    }
}

#[test]
fn the_queue_is_limited() {
    let mut scene = scene();
    let asked = scene.send_waits(4 + QUEUE + 5);
    let too_many = asked[4 + QUEUE..].to_vec();
    for refused in scene.answers(too_many) {
        refused.refused("busy");
    }
    scene.discard();
    for answer in scene.answers(asked[..4 + QUEUE].to_vec()) {
        assert_eq!(answer.done()["state"], "discarded");
    }
    assert_eq!(
        scene.person.call("editd/proposal", json!({ "id": scene.proposal["id"] })).done()["state"],
        "discarded"
    );
}

#[test]
fn queued_requests_can_be_cancelled() {
    let mut scene = scene();
    let asked = scene.send_waits(6);
    scene.person.notify("$/cancelRequest", json!({ "id": asked[5] }));
    scene.person.answer(asked[5]).fails(CANCELLED);
    scene.person.notify("$/cancelRequest", json!({ "id": asked[0] }));
    scene.person.answer(asked[0]).fails(CANCELLED);
    scene.discard();
    for answer in scene.answers(asked[1..5].to_vec()) {
        assert_eq!(answer.done()["state"], "discarded");
    }
}

#[test]
fn queued_requests_are_processed_in_order() {
    let mut scene = scene();
    scene.workspace.put("b.txt", "0\n");
    scene.person.read("b.txt");
    let asked = scene.send_waits(4);
    // Each edit matches only the result of the previous one.
    let edit = |number: usize| json!({ "path": "b.txt", "oldText": format!("{number}\n"), "newText": format!("{}\n", number + 1) });
    let edits: Vec<u64> = (0..50).map(|number| scene.person.send("editd/edit", edit(number))).collect();
    scene.discard();
    for answer in scene.answers(edits) {
        answer.done();
    }
    assert_eq!(scene.workspace.text("b.txt"), "50\n");
    scene.answers(asked);
}
