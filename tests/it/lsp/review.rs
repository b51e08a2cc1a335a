//! Review in an editor without the editd plugin, by means of plain LSP.

use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::support::{Agent, Editor, Kind, Machine, Outcome, Workspace, eventually, numbered_lines, uri_of};

pub(super) const TEXT: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\neleven\ntwelve\n";

pub(super) struct Scene {
    pub(super) machine: Machine,
    pub(super) workspace: Workspace,
    pub(super) editor: Editor,
    pub(super) uri: String,
}

/// Starts an editor with `a.txt` open and review enabled.
pub(super) fn scene(more: Value) -> Scene {
    let machine = Machine::configured("review = \"auto\"\n");
    let workspace = Workspace::with(&[("a.txt", TEXT), ("b.txt", "b\n")]);
    let mut all = json!({
        "initializationOptions": { "editd": { "review": true } },
        "capabilities": { "window": { "showDocument": { "support": true } } },
    });
    merge(&mut all, more);
    let editor = Editor::announcing(&machine, &workspace, Kind::Plain, ("editor", "utf-16"), &all).0;
    let uri = editor.open(&workspace, "a.txt");
    Scene { machine, workspace, editor, uri }
}

fn merge(into: &mut Value, more: Value) {
    match (into, more) {
        (Value::Object(into), Value::Object(more)) => {
            for (name, value) in more {
                merge(into.entry(name).or_insert(Value::Null), value);
            }
        }
        (into, more) => *into = more,
    }
}

impl Scene {
    /// Proposes two hunks in `a.txt`, for `two` and `eleven`, and one in `b.txt`.
    pub(super) fn propose(&self) -> (Agent, Value) {
        let mut agent = self.machine.agent(&self.workspace);
        agent.read("a.txt");
        agent.read("b.txt");
        let edits = json!([{ "oldText": "two", "newText": "2" }, { "oldText": "eleven", "newText": "11" }]);
        let changes = json!([
            { "kind": "edit", "path": "a.txt", "edits": edits },
            { "kind": "edit", "path": "b.txt", "edits": [{ "oldText": "b", "newText": "B" }] },
        ]);
        let pending = agent.call("editd/edit", json!({ "label": "Digits", "changes": changes })).done();
        assert_eq!(pending["state"], "pending", "{pending}");
        (agent, pending)
    }

    pub(super) fn actions_at(&self, line: u32) -> Vec<Value> {
        let at = json!({ "line": line, "character": 0 });
        let params = json!({
            "textDocument": { "uri": self.uri }, "range": { "start": at, "end": at },
            "context": { "diagnostics": [] },
        });
        let actions = self.editor.call("textDocument/codeAction", params);
        actions.as_array().unwrap_or_else(|| panic!("no list: {actions}")).clone()
    }

    /// Chooses the action whose title begins with `title`.
    #[track_caller]
    pub(super) fn choose_at(&self, line: u32, title: &str) -> Value {
        let actions = self.actions_at(line);
        let chosen = actions.iter().find(|action| {
            action["title"]
                .as_str()
                .is_some_and(|it| it.strip_prefix("editd: ").unwrap_or(it).starts_with(title))
        });
        let chosen = chosen.unwrap_or_else(|| panic!("no `{title}` among {actions:#?}"));
        self.run(&chosen["command"])
    }

    pub(super) fn run(&self, command: &Value) -> Value {
        let params = json!({ "command": command["command"], "arguments": command["arguments"] });
        self.editor.ask("workspace/executeCommand", params)
    }

    fn messages(&self) -> Vec<String> {
        let told = self.editor.told("window/showMessage");
        told.iter().map(|told| told["message"].as_str().expect("a message").to_owned()).collect()
    }

    fn hints(&self) -> Vec<Value> {
        let told = self.editor.told("textDocument/publishDiagnostics");
        let last = told.iter().rfind(|told| told["uri"] == self.uri);
        last.map(|told| told["diagnostics"].as_array().expect("a list").clone()).unwrap_or_default()
    }
}

fn titles(actions: &[Value]) -> Vec<&str> {
    actions.iter().map(|action| action["title"].as_str().expect("a title")).collect()
}

#[test]
fn only_editors_with_review_and_without_the_plugin_get_the_capabilities() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let announced = |kind, more: &Value| {
        let (_, can) = Editor::announcing(&machine, &workspace, kind, ("editor", "utf-16"), more);
        ["codeActionProvider", "executeCommandProvider"].map(|name| can[name].is_object())
    };
    let review = json!({ "initializationOptions": { "editd": { "review": true } } });
    assert_eq!(announced(Kind::Plain, &review), [true, true]);
    assert_eq!(announced(Kind::Poor, &review), [true, true]);
    assert_eq!(announced(Kind::Plain, &json!({})), [false, false]);
    assert_eq!(announced(Kind::Plugin, &review), [false, false]);
    let more = json!({ "initializationOptions": { "editd": { "review": true } }, "capabilities": {
        "textDocument": { "codeLens": {} }, "workspace": { "textDocumentContent": {} } } });
    let (_, can) = Editor::announcing(&machine, &workspace, Kind::Plain, ("editor", "utf-16"), &more);
    assert!(can["codeLensProvider"].is_object(), "{can}");
    assert_eq!(can["workspace"]["textDocumentContent"]["schemes"], json!(["editd"]));
    let commands = can["executeCommandProvider"]["commands"].as_array().expect("commands").len();
    assert_eq!((commands, &can["codeActionProvider"]["codeActionKinds"][0]), (10, &json!("quickfix")));
}

#[test]
fn proposals_are_announced_once_and_offered_at_their_lines() {
    let scene = scene(json!({}));
    assert_eq!(scene.actions_at(1), [] as [Value; 0]);
    scene.propose();
    eventually("a message", || scene.messages().first().cloned());
    let by = "(alice: Digits)";
    assert_eq!(
        titles(&scene.actions_at(1))[..2],
        [format!("editd: accept this change {by}"), format!("editd: reject this change {by}"),]
    );
    let elsewhere = scene.actions_at(5);
    assert!(!titles(&elsewhere).iter().any(|title| title.contains("this change")), "{elsewhere:?}");
    assert!(titles(&elsewhere)[0].starts_with("editd: accept all 2 changes in this file"), "{elsewhere:?}");
    scene.editor.type_at_start(&scene.uri, "zero\n");
    scene.editor.settle();
    let moved = scene.actions_at(2);
    assert!(
        titles(&moved)[0].starts_with("editd: accept this change"),
        "the hunk moves with the text: {moved:?}"
    );
    let said = "editd: alice proposes 3 changes in 2 files (Digits)";
    assert_eq!(scene.messages(), [said]);
}

#[test]
fn hunks_are_decided_one_by_one_and_applied_at_the_end() {
    let scene = scene(json!({}));
    let (mut agent, pending) = scene.propose();
    scene.choose_at(1, "accept this change");
    assert_eq!(scene.editor.text(&scene.uri), TEXT, "not before all is decided");
    assert!(!titles(&scene.actions_at(1))[0].contains("this change"));
    scene.choose_at(10, "reject this change");
    scene.choose_at(0, "go to the next change");
    let shown = eventually("a document to be shown", || scene.editor.requests("window/showDocument").pop());
    assert_eq!(shown["uri"], uri_of(&scene.workspace.path("b.txt")));
    let command =
        json!({ "command": "editd.acceptAll", "arguments": [{ "id": pending["id"], "revision": 3 }] });
    assert_eq!(scene.run(&command)["error"], Value::Null);
    assert_eq!(scene.editor.text(&scene.uri), TEXT.replace("two", "2"));
    assert_eq!(scene.workspace.text("b.txt"), "B\n");
    let outcome = agent.call("editd/proposal", json!({ "id": pending["id"] })).done();
    assert_eq!(outcome["state"], "partial");
    assert_eq!(scene.actions_at(1), [] as [Value; 0]);
}

#[test]
fn a_conflicted_hunk_is_decided_separately() {
    let scene = scene(json!({}));
    scene.propose();
    scene.editor.replace(&scene.uri, "two", "zwei");
    assert!(titles(&scene.actions_at(1))[0].starts_with("editd: replace what is there now with this"));
    scene.choose_at(5, "accept all 2 changes in this file");
    scene.choose_at(1, "keep what is there now");
    let list = scene.actions_at(5);
    assert_eq!(list.len(), 2, "only navigation to b.txt is left: {list:?}");
}

#[test]
fn a_decision_on_a_closed_proposal_is_refused_with_a_message() {
    let scene = scene(json!({}));
    let (mut agent, pending) = scene.propose();
    let actions = scene.actions_at(1);
    agent.call("editd/discard", json!({ "id": pending["id"] })).done();
    let answer = scene.run(&actions[0]["command"]);
    assert!(answer["error"]["message"].is_string(), "{answer}");
    let said = eventually("words", || scene.messages().into_iter().find(|said| !said.contains("proposes")));
    assert!(said.starts_with("editd: The proposal "), "{said}");
    for (name, arguments) in [("editd.accept", json!([])), ("editd.unheardOf", json!([]))] {
        let answer = scene.run(&json!({ "command": name, "arguments": arguments }));
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
}

#[test]
fn navigation_wraps_around_all_files() {
    let scene = scene(json!({}));
    scene.propose();
    let mut seen = Vec::new();
    let mut from = json!({ "path": scene.workspace.absolute("a.txt"), "line": 5 });
    for (at, command) in ["editd.next", "editd.next", "editd.next", "editd.previous"].iter().enumerate() {
        scene.run(&json!({ "command": command, "arguments": [from] }));
        let shown =
            eventually("a document", || scene.editor.requests("window/showDocument").get(at).cloned());
        let uri = shown["uri"].as_str().expect("a URI").to_owned();
        let line = shown["selection"]["start"]["line"].as_u64().expect("a line");
        from = json!({ "path": uri.strip_prefix("file://"), "line": line });
        seen.push((uri.ends_with("a.txt"), line));
    }
    assert_eq!(seen, [(true, 10), (false, 0), (true, 1), (false, 0)]);
}

#[test]
fn the_diff_is_a_read_only_file_that_is_removed_with_the_proposal() {
    let scene = scene(json!({}));
    let (mut agent, pending) = scene.propose();
    scene.choose_at(1, "show the diff");
    let shown = eventually("a document", || scene.editor.requests("window/showDocument").pop());
    let path = shown["uri"].as_str().and_then(|uri| uri.strip_prefix("file://")).expect("a file").to_owned();
    let diff = std::fs::read_to_string(&path).expect("a diff");
    assert!(
        diff.starts_with("alice: Digits\n") && diff.contains("-two\n+2\n") && diff.contains("+B\n"),
        "{diff}"
    );
    let mode = std::fs::metadata(&path).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o400);
    assert!(path.starts_with(scene.machine.runtime().to_str().expect("text")));
    scene.choose_at(1, "accept this change");
    eventually("the diff of the remaining hunks", || {
        (!std::fs::read_to_string(&path).unwrap_or_default().is_empty()).then_some(())
    });
    agent.call("editd/discard", json!({ "id": pending["id"] })).done();
    eventually("the diff to be removed", || (!std::path::Path::new(&path).exists()).then_some(()));
}

#[test]
fn an_editor_that_cannot_show_documents_gets_their_paths() {
    let scene = scene(json!({ "capabilities": { "window": null } }));
    scene.propose();
    scene.choose_at(5, "show the diff");
    scene.choose_at(5, "go to the next change");
    let messages = scene.messages();
    assert!(messages.iter().any(|said| said.contains(".diff")), "{messages:?}");
    assert!(messages.iter().any(|said| said.ends_with("a.txt, line 11.")), "{messages:?}");
    assert_eq!(scene.editor.requests("window/showDocument"), [] as [Value; 0]);
}

#[test]
fn lenses_are_above_the_hunks_and_refreshed() {
    let scene = scene(json!({ "capabilities": {
        "textDocument": { "codeLens": {} }, "workspace": { "codeLens": { "refreshSupport": true } } } }));
    let lenses =
        || scene.editor.call("textDocument/codeLens", json!({ "textDocument": { "uri": scene.uri } }));
    assert_eq!(lenses(), json!([]));
    scene.propose();
    eventually("a refresh request", || scene.editor.requests("workspace/codeLens/refresh").pop());
    let shown = lenses();
    assert_eq!(shown.as_array().map(Vec::len), Some(6), "{shown}");
    assert_eq!(
        (&shown[0]["range"]["start"]["line"], &shown[3]["range"]["start"]["line"]),
        (&json!(1), &json!(10))
    );
    scene.run(&shown[1]["command"]);
    eventually("a second refresh request", || {
        (scene.editor.requests("workspace/codeLens/refresh").len() == 2).then_some(())
    });
    assert_eq!(lenses().as_array().map(Vec::len), Some(3));
}

#[test]
fn hints_mark_waiting_hunks_until_they_are_decided() {
    let scene = scene(json!({}));
    let (mut agent, pending) = scene.propose();
    let hints = eventually("hints", || Some(scene.hints()).filter(|hints| hints.len() == 2));
    assert_eq!((&hints[0]["severity"], &hints[0]["source"]), (&json!(4), &json!("editd")));
    assert_eq!(
        hints[0]["range"],
        json!({ "start": { "line": 1, "character": 0 }, "end": { "line": 1, "character": 3 } })
    );
    assert_eq!(hints[0]["message"], "alice wants this instead (Digits):\n2");
    scene.editor.type_at_start(&scene.uri, "zero\n");
    eventually("hints at other lines", || {
        scene.hints().first().filter(|hint| hint["range"]["start"]["line"] == 2).map(drop)
    });
    agent.call("editd/discard", json!({ "id": pending["id"] })).done();
    eventually("no hints", || scene.hints().is_empty().then_some(()));
    let quiet = self::scene(json!({ "initializationOptions": { "editd": { "hints": false } } }));
    quiet.propose();
    eventually("a message", || quiet.messages().first().cloned());
    assert_eq!(quiet.editor.told("textDocument/publishDiagnostics"), [] as [Value; 0]);
}

#[test]
fn editd_documents_show_the_current_and_the_proposed_text() {
    let scene = scene(json!({ "capabilities": { "workspace": { "textDocumentContent": {} } } }));
    let (_, pending) = scene.propose();
    let id = pending["id"].as_str().expect("an id");
    let content = |uri: &str| {
        let answer = scene.editor.ask("workspace/textDocumentContent", json!({ "uri": uri }));
        answer["result"]["text"].as_str().map(str::to_owned)
    };
    scene.editor.type_at_start(&scene.uri, "zero\n");
    let path = scene.workspace.absolute("a.txt");
    let now = format!("zero\n{TEXT}");
    assert_eq!(content(&format!("editd:///{id}/base{path}")), Some(now.clone()));
    let proposed = now.replace("two", "2").replace("eleven", "11");
    assert_eq!(content(&format!("editd:///{id}/proposed{path}")), Some(proposed));
    scene.choose_at(5, "show the diff");
    let shown = eventually("a document", || scene.editor.requests("window/showDocument").pop());
    let diff = content(shown["uri"].as_str().expect("a URI")).expect("a diff");
    assert!(diff.contains("-two\n+2\n"), "{diff}");
    for uri in ["editd:///", "file:///a", &format!("editd:///{id}/base/nowhere"), "editd:///p0-0/base/a"] {
        assert_eq!(content(uri), None, "{uri}");
    }
}

#[test]
fn acceptance_is_tagged_as_generated_if_the_editor_supports_tags() {
    let scene = scene(json!({ "capabilities": {
        "textDocument": { "codeAction": { "tagSupport": { "valueSet": [1] } } } } }));
    scene.propose();
    let actions = scene.actions_at(1);
    assert_eq!((&actions[0]["tags"], &actions[1]["tags"]), (&json!([1]), &Value::Null));
}

#[test]
fn a_decision_in_one_editor_removes_the_hints_in_the_others() {
    let scene = scene(json!({}));
    let more = json!({ "initializationOptions": { "editd": { "review": true } } });
    let other =
        Editor::announcing(&scene.machine, &scene.workspace, Kind::Plain, ("other", "utf-8"), &more).0;
    let uri = other.open(&scene.workspace, "b.txt");
    let (mut agent, pending) = scene.propose();
    let hints =
        || other.told("textDocument/publishDiagnostics").pop().map(|told| told["diagnostics"].clone());
    eventually("a hint in the other", || {
        hints().filter(|hints| hints.as_array().is_some_and(|it| it.len() == 1))
    });
    scene.choose_at(5, "reject all 3 changes");
    eventually("no hint in the other", || hints().filter(|hints| *hints == json!([])));
    assert_eq!((agent.state_of(&pending), other.text(&uri)), ("rejected".to_owned(), "b\n".to_owned()));
}

#[test]
fn a_new_file_is_shown_as_a_diff_and_created_on_acceptance() {
    let scene = scene(json!({}));
    let mut agent = scene.machine.agent(&scene.workspace);
    let change = json!({ "kind": "write", "path": "new.txt", "content": "hello\n" });
    let pending = agent.changes(vec![change]).done();
    scene.choose_at(0, "go to the next change");
    let shown = eventually("a document", || scene.editor.requests("window/showDocument").pop());
    assert!(shown["uri"].as_str().is_some_and(|uri| uri.contains("/diffs/")), "{shown}");
    let command =
        json!({ "command": "editd.acceptAll", "arguments": [{ "id": pending["id"], "revision": 1 }] });
    assert_eq!(scene.run(&command)["error"], Value::Null);
    assert_eq!(scene.workspace.text("new.txt"), "hello\n");
}

#[test]
fn earlier_proposals_are_announced_to_a_new_editor() {
    let machine = Machine::configured("review = \"always\"\n");
    let workspace = Workspace::file("a.txt", numbered_lines(5));
    let elsewhere = Workspace::file("b.txt", "b\n");
    machine.agent(&elsewhere).read_and_edit("b.txt", "b", "B").done();
    for number in 1..=2 {
        let mut agent = machine.agent_named(&format!("agent{number}"), &workspace);
        agent.read_and_edit("a.txt", &format!("line {number}\n"), "x\n").done();
    }
    let more = json!({ "initializationOptions": { "editd": { "review": true } } });
    let editor = Editor::announcing(&machine, &workspace, Kind::Plain, ("editor", "utf-8"), &more).0;
    let said = eventually("a message", || editor.told("window/showMessage").pop());
    assert_eq!(said["message"], "editd: 2 proposals wait for you");
}
