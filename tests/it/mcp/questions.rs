//! Changes that only a person can allow, by clients that can ask their user.

use std::fs;
use std::process::Command;

use rstest::rstest;
use serde_json::{Value, json};

use crate::review::scene::reviewer;
use crate::support::{Agent, Called, Machine, Mcp, Outcome, Workspace, eventually, numbered_lines};

const CI: &str = ".github/workflows/ci.yml";
const BUILD: &str = "on: push\njobs: {}\n";
const MAKE: &str = "Make this change";
const REJECT: &str = "Do not make this change";

struct Scene {
    machine: Machine,
    workspace: Workspace,
    mcp: Mcp,
}

/// A question as the client receives it.
struct Question {
    id: Value,
    text: String,
    decisions: Vec<String>,
    /// The advice on how to see the whole change.
    review: String,
}

impl Scene {
    fn new() -> Self {
        Self::with(&[(CI, BUILD), ("a.txt", "one\n")])
    }

    fn with(files: &[(&str, &str)]) -> Self {
        let (machine, workspace) = (Machine::start(), Workspace::with(files));
        let mut mcp = Mcp::with(&machine, workspace.root(), &[]);
        mcp.introduce("2025-06-18", json!({ "elicitation": {} }));
        mcp.call("read", json!({ "path": CI })).done();
        Self { machine, workspace, mcp }
    }

    fn edit(&mut self, more: &Value) -> u64 {
        let mut arguments = json!({ "path": CI, "oldText": "push", "newText": "pull_request" });
        arguments.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        self.mcp.send_call("edit", arguments)
    }

    fn question(&mut self) -> Question {
        let (id, params) = self.mcp.asked_for("elicitation/create");
        let schema = &params["requestedSchema"];
        assert_eq!(schema["required"], json!(["decision"]), "{params}");
        let listed = schema["properties"]["decision"]["enum"].as_array().expect("decisions").iter();
        let review = schema["properties"]["decision"]["description"].as_str().unwrap_or_default();
        Question {
            review: review.to_owned(),
            id,
            text: params["message"].as_str().expect("a text").to_owned(),
            decisions: listed.map(|it| it.as_str().expect("a decision").to_owned()).collect(),
        }
    }

    fn answer(&mut self, question: &Question, action: &str, content: &Value) {
        self.mcp.reply(&question.id, &json!({ "action": action, "content": content }));
    }

    /// Edits the file, and answers the question.
    fn edit_and_answer(&mut self, action: &str, content: &Value) -> Called {
        let call = self.edit(&json!({}));
        let question = self.question();
        self.answer(&question, action, content);
        self.mcp.called("edit", call)
    }

    fn pending(&mut self) -> Value {
        let mut agent = self.machine.agent_named("robot", &self.workspace);
        agent.call("editd/proposals", json!({ "state": "pending" })).done()["proposals"].take()
    }
}

#[test]
fn the_person_at_the_client_allows_a_change() {
    let mut scene = Scene::new();
    let call = scene.edit(&json!({}));
    let question = scene.question();
    for part in
        ["`.github/workflows/ci.yml` is protected by the rule `ci`", "\n-on: push\n+on: pull_request\n"]
    {
        assert!(question.text.contains(part), "{part}: {}", question.text);
    }
    assert_eq!(question.decisions, [MAKE, REJECT]);
    assert_eq!(scene.workspace.text(CI), BUILD, "nothing is written before the answer");
    scene.answer(&question, "accept", &json!({ "decision": MAKE, "comment": "but only here" }));
    let edited = scene.mcp.called("edit", call).done();
    assert_eq!(edited.data["state"], "applied", "{}", edited.text);
    assert!(edited.text.contains("A person said: but only here"), "{}", edited.text);
    assert_eq!(scene.workspace.text(CI), BUILD.replace("push", "pull_request"));
    let mut agent = scene.machine.agent(&scene.workspace);
    let log = agent.call("editd/history", json!({})).done();
    assert_eq!(log["transactions"][0]["author"], "robot");
    // The result counts as read, and each further change is asked about anew.
    let undo = scene.mcp.send_call("undo", json!({}));
    let question = scene.question();
    assert!(question.text.contains("\n+on: push"), "{}", question.text);
    scene.answer(&question, "accept", &json!({ "decision": MAKE }));
    scene.mcp.called("undo", undo).done();
    assert_eq!(scene.workspace.text(CI), BUILD);
}

#[rstest]
#[case::chosen("accept", json!({ "decision": REJECT, "comment": "not now" }), "not now")]
#[case::declined("decline", Value::Null, "a person rejected it")]
fn the_person_rejects_a_change(#[case] action: &str, #[case] content: Value, #[case] said: &str) {
    let mut scene = Scene::new();
    let rejected = scene.edit_and_answer(action, &content);
    assert_eq!(rejected.data["state"], "rejected", "{}", rejected.text);
    assert!(rejected.text.contains(said), "{}", rejected.text);
    assert_eq!((scene.workspace.text(CI), scene.pending()), (BUILD.to_owned(), json!([])));
}

#[rstest]
#[case::closed("cancel", Value::Null)]
#[case::nothing_chosen("accept", json!({}))]
#[case::nothing_at_all("accept", Value::Null)]
#[case::another_value("accept", json!({ "decision": "yes" }))]
#[case::another_type("accept", json!({ "decision": true }))]
fn a_question_without_an_answer_leaves_the_refusal(#[case] action: &str, #[case] content: Value) {
    let mut scene = Scene::new();
    let refused = scene.edit_and_answer(action, &content).refused("protected");
    assert!(refused.text.contains("The user was asked and closed the question"), "{}", refused.text);
    assert_eq!((scene.workspace.text(CI), scene.pending()), (BUILD.to_owned(), json!([])));
}

#[test]
fn a_client_that_cannot_show_the_question_gets_the_refusal() {
    let mut scene = Scene::new();
    let call = scene.edit(&json!({}));
    let question = scene.question();
    let error = json!({ "code": -32601, "message": "Method not found" });
    scene.mcp.wire.send(&json!({ "jsonrpc": "2.0", "id": question.id, "error": error }));
    scene.mcp.called("edit", call).refused("protected");
    assert_eq!(scene.pending(), json!([]));
}

#[rstest]
#[case::opt_in("write", json!({ "path": ".vscode/settings.json", "content": "{}\n" }), "protected")]
#[case::secret("write", json!({ "path": ".env", "content": "KEY=1\n" }), "protected")]
#[case::never("write", json!({ "path": ".git/config", "content": "" }), "protected")]
#[case::among_others("apply_patch", json!({ "patch": "*** Begin Patch\n*** Add File: .env\n+KEY=1\n*** Add File: .github/workflows/b.yml\n+on: push\n*** End Patch\n" }), "protected")]
#[case::nothing_to_ask_about("edit", json!({ "path": CI, "oldText": "absent", "newText": "b" }), "not_found")]
#[case::not_read("edit", json!({ "path": ".github/workflows/other.yml", "oldText": "one", "newText": "b" }), "unread")]
fn a_change_that_a_person_cannot_allow_is_not_asked_about(
    #[case] tool: &str,
    #[case] arguments: Value,
    #[case] kind: &str,
) {
    let mut scene = Scene::with(&[(CI, BUILD), (".github/workflows/other.yml", "one\n")]);
    scene.mcp.call(tool, arguments).refused(kind);
    assert_eq!(scene.pending(), json!([]));
}

#[rstest]
#[case::a_new_file("write", json!({ "path": ".github/workflows/new.yml", "content": "on: push\n" }))]
#[case::a_patch("apply_patch", json!({ "patch": "*** Begin Patch\n*** Add File: .github/workflows/new.yml\n+on: push\n*** End Patch\n" }))]
#[case::settings_of_agents("write", json!({ "path": ".claude/settings.json", "content": "{}\n" }))]
#[case::with_a_review("write", json!({ "path": ".github/workflows/new.yml", "content": "on: push\n", "wait_ms": 9000 }))]
fn any_form_of_a_change_is_asked_about(#[case] tool: &str, #[case] arguments: Value) {
    let mut scene = Scene::new();
    let call = scene.mcp.send_call(tool, arguments);
    let question = scene.question();
    scene.answer(&question, "accept", &json!({ "decision": MAKE }));
    let made = scene.mcp.called(tool, call).done();
    assert_eq!(made.data["state"], "applied", "{}", made.text);
}

#[test]
fn a_question_shows_the_other_files_of_a_change_too() {
    let mut scene = Scene::new();
    scene.mcp.call("read", json!({ "path": "a.txt" })).done();
    let call = scene.mcp.send_call(
        "edit",
        json!({ "edits": [
            { "path": CI, "oldText": "push", "newText": "pull_request" },
            { "path": "a.txt", "oldText": "one", "newText": "two" },
        ] }),
    );
    let question = scene.question();
    assert!(question.text.ends_with("\n`a.txt`:\n-one\n+two"), "{}", question.text);
    scene.answer(&question, "decline", &Value::Null);
    scene.mcp.called("edit", call).done();
    assert_eq!(scene.workspace.text("a.txt"), "one\n");
}

#[test]
fn a_long_change_is_cut_and_the_choice_says_so() {
    let mut scene = Scene::new();
    let call = scene.mcp.send_call("write", json!({ "path": CI, "content": numbered_lines(900) }));
    let question = scene.question();
    assert!(question.text.len() < 4_500, "{}", question.text.len());
    let last = question.text.lines().last().expect("a line");
    assert!(last.starts_with("… ") && last.ends_with(" more lines"), "{last}");
    assert_eq!(question.decisions, ["Make the whole change, also what is not shown here", REJECT]);
    assert!(
        question.review.contains(scene.pending()[0]["id"].as_str().expect("an id")),
        "{}",
        question.review
    );
    let decision = question.decisions[0].clone();
    scene.answer(&question, "accept", &json!({ "decision": decision }));
    scene.mcp.called("write", call).done();
    assert_eq!(scene.workspace.text(CI), numbered_lines(900));
}

#[test]
fn characters_that_a_person_does_not_see_are_shown_by_their_codes() {
    let mut scene = Scene::new();
    let text = "on: push\u{202e}\r\n\u{1b}[2J\u{200b}# \u{1f600}\tend\n";
    let call = scene.mcp.send_call("write", json!({ "path": CI, "content": text }));
    let question = scene.question();
    for shown in ["+on: push⟨U+202E⟩⟨U+000D⟩\n", "+⟨U+001B⟩[2J⟨U+200B⟩# \u{1f600}\tend"] {
        assert!(question.text.contains(shown), "{shown}: {}", question.text);
    }
    scene.answer(&question, "decline", &Value::Null);
    scene.mcp.called("write", call).done();
}

#[test]
fn a_decision_elsewhere_closes_the_form() {
    let mut scene = Scene::new();
    let call = scene.edit(&json!({}));
    let question = scene.question();
    let pending = scene.pending();
    let mut editor = reviewer(&scene.machine, &scene.workspace);
    let accept = json!({ "id": pending[0]["id"], "revision": pending[0]["revision"], "accept": "all" });
    editor.call("editd/decide", accept).done();
    scene.mcp.called("edit", call).done();
    assert_eq!(scene.mcp.told("notifications/cancelled")["requestId"], question.id);
    // A late answer changes nothing.
    scene.answer(&question, "decline", &Value::Null);
    assert_eq!(scene.workspace.text(CI), BUILD.replace("push", "pull_request"));
    scene.mcp.call("read", json!({ "path": CI })).done();
}

#[test]
fn a_cancelled_call_withdraws_the_change_and_closes_the_form() {
    let mut scene = Scene::new();
    let call = scene.edit(&json!({}));
    let question = scene.question();
    scene.mcp.notify("notifications/cancelled", json!({ "requestId": call }));
    assert_eq!(scene.mcp.told("notifications/cancelled")["requestId"], question.id);
    eventually("the change to be withdrawn", || (scene.pending() == json!([])).then_some(()));
    scene.answer(&question, "accept", &json!({ "decision": MAKE }));
    scene.mcp.call("read", json!({ "path": CI })).done();
    assert_eq!(scene.workspace.text(CI), BUILD);
}

#[test]
fn a_change_waits_on_if_the_call_does_not_wait_for_the_answer() {
    let mut scene = Scene::new();
    let call = scene.edit(&json!({ "waitMs": 100 }));
    let question = scene.question();
    let pending = scene.mcp.called("edit", call).done();
    assert_eq!(pending.data["state"], "pending", "{}", pending.text);
    let id = pending.data["id"].clone();
    // The form is still open.
    scene.answer(&question, "accept", &json!({ "decision": MAKE, "comment": "fine" }));
    let status = scene.mcp.call("proposal_status", json!({ "id": id, "waitMs": 20_000 })).done();
    assert_eq!(status.data["state"], "applied", "{}", status.text);
    assert!(status.text.contains("A person said: fine"), "{}", status.text);
}

#[test]
fn lines_that_change_while_the_person_reads_are_not_overwritten() {
    let mut scene = Scene::new();
    let call = scene.edit(&json!({ "waitMs": 2000 }));
    let question = scene.question();
    fs::write(scene.workspace.path(CI), BUILD.replace("push", "workflow_dispatch")).expect("a file");
    scene.answer(&question, "accept", &json!({ "decision": MAKE }));
    let pending = scene.mcp.called("edit", call).done();
    assert_eq!(pending.data["state"], "pending", "{}", pending.text);
    assert_eq!(scene.workspace.text(CI), BUILD.replace("push", "workflow_dispatch"));
}

#[test]
fn a_reviewing_editor_decides_instead_of_the_client() {
    let mut scene = Scene::new();
    let mut editor: Agent = reviewer(&scene.machine, &scene.workspace);
    let call = scene.edit(&json!({}));
    let proposal = eventually("a proposal to wait", || {
        let list = editor.call("editd/proposals", json!({ "state": "pending" })).done();
        list["proposals"].get(0).cloned()
    });
    let accept = json!({ "id": proposal["id"], "revision": proposal["revision"], "accept": "all" });
    editor.call("editd/decide", accept).done();
    scene.mcp.called("edit", call).done();
    assert_eq!(scene.workspace.text(CI), BUILD.replace("push", "pull_request"));
}

#[rstest]
#[case::nothing(json!({}))]
#[case::addresses_only(json!({ "elicitation": { "url": {} } }))]
fn a_client_without_forms_gets_the_refusal(#[case] capabilities: Value) {
    let (machine, workspace) = (Machine::start(), Workspace::with(&[(CI, BUILD)]));
    let mut mcp = Mcp::with(&machine, workspace.root(), &[]);
    mcp.introduce("2025-11-25", capabilities);
    mcp.call("read", json!({ "path": CI })).done();
    let refused =
        mcp.call("edit", json!({ "path": CI, "oldText": "push", "newText": "b" })).refused("protected");
    assert!(!refused.text.contains("was asked"), "{}", refused.text);
}

#[test]
fn a_server_in_an_enforced_command_does_not_ask() {
    let (machine, workspace) = (Machine::start(), Workspace::with(&[(CI, BUILD)]));
    let editd = machine.command(&["mcp"]);
    let program = editd.get_program().to_owned();
    let mut command: Command = machine.command(&["run", "--enforce", "--"]);
    command.arg(program).arg("mcp").current_dir(workspace.root());
    let mut mcp = Mcp::of(command);
    mcp.introduce("2025-06-18", json!({ "elicitation": { "form": {} } }));
    mcp.call("read", json!({ "path": CI })).done();
    mcp.call("edit", json!({ "path": CI, "oldText": "push", "newText": "b" })).refused("protected");
    assert_eq!(workspace.text(CI), BUILD);
}

/// A client of the revision without sessions.
struct Stateless {
    workspace: Workspace,
    mcp: Mcp,
    _machine: Machine,
}

impl Stateless {
    fn new() -> Self {
        let (machine, workspace) = (Machine::start(), Workspace::with(&[(CI, BUILD)]));
        let mcp = Mcp::with(&machine, workspace.root(), &[]);
        let mut scene = Self { workspace, mcp, _machine: machine };
        scene.call("read", json!({ "path": CI }), &json!({}));
        scene
    }

    fn call(&mut self, tool: &str, arguments: Value, more: &Value) -> Value {
        let mut params = json!({ "name": tool, "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "stateless", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": { "elicitation": { "form": {} } },
        } });
        params["arguments"] = arguments;
        params.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        self.mcp.request("tools/call", params)["result"].take()
    }

    fn edit(&mut self, more: &Value) -> Value {
        self.call("edit", json!({ "path": CI, "oldText": "push", "newText": "pull_request" }), more)
    }
}

#[rstest]
#[case::made(json!({ "action": "accept", "content": { "decision": MAKE } }), "applied", "pull_request")]
#[case::rejected(json!({ "action": "decline" }), "rejected", "push")]
#[case::closed(json!({ "action": "cancel" }), "protected", "push")]
#[case::nonsense(json!("yes"), "protected", "push")]
fn a_client_without_sessions_sends_the_answer_with_the_next_call(
    #[case] reply: Value,
    #[case] state: &str,
    #[case] left: &str,
) {
    let mut scene = Stateless::new();
    let asked = scene.edit(&json!({}));
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let question = &asked["inputRequests"]["change"];
    assert_eq!(question["method"], "elicitation/create");
    assert!(
        question["params"]["message"].as_str().is_some_and(|text| text.contains("+on: pull_request")),
        "{asked}"
    );
    let sent = json!({ "requestState": asked["requestState"], "inputResponses": { "change": reply } });
    let done = scene.edit(&sent);
    let data = &done["structuredContent"];
    let said = data["state"].as_str().or(data["error"]["kind"].as_str());
    assert_eq!((said, scene.workspace.text(CI)), (Some(state), BUILD.replace("push", left)), "{done}");
    // An answer counts once.
    let again = scene.edit(&sent);
    assert_eq!(again["structuredContent"]["error"]["kind"], "invalid_params", "{again}");
    assert_eq!(scene.workspace.text(CI), BUILD.replace("push", left));
}

#[test]
fn a_client_without_sessions_cannot_decide_about_other_changes() {
    let mut scene = Stateless::new();
    let refused = scene.edit(&json!({
        "requestState": "p1", "inputResponses": { "change": { "action": "accept", "content": { "decision": MAKE } } },
    }));
    assert_eq!(refused["structuredContent"]["error"]["kind"], "invalid_params", "{refused}");
    assert_eq!(scene.workspace.text(CI), BUILD);
}
