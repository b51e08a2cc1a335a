//! Syntax errors that a change adds.

use serde_json::json;

use super::edits::{CODE, scene};
use crate::support::{Machine, Outcome, Workspace};

#[test]
fn the_author_is_warned_of_new_errors() {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    agent.read("cart.py");
    let done = agent.edit("cart.py", "append(item)", "append(item").done();
    let syntax = &done["files"][0]["syntax"];
    assert_eq!((&syntax[0]["line"], syntax.as_array().map(Vec::len)), (&json!(5), Some(1)), "{syntax}");
    // The error was there before.
    let done = agent.edit("cart.py", "a + b", "b + a").done();
    assert_eq!(done["files"][0].get("syntax"), None);
    let created = json!({ "kind": "write", "path": "new.rs", "content": "fn f( {}\n" });
    let done = agent.change(created).done();
    assert_eq!(done["files"][0]["syntax"][0]["line"], 1);
    let text = json!({ "kind": "write", "path": "new.txt", "content": "fn f( {}\n" });
    assert_eq!(agent.change(text).done()["files"][0].get("syntax"), None);
}

#[test]
fn new_errors_are_refused_if_configured() {
    let machine = Machine::configured("syntax = \"refuse\"\n");
    let workspace = Workspace::file("cart.py", CODE);
    let mut agent = machine.agent(&workspace);
    agent.read("cart.py");
    let refusal = agent.edit("cart.py", "append(item)", "append(item").refused("syntax");
    assert_eq!(refusal["errors"][0]["line"], 5);
    assert_eq!(workspace.text("cart.py"), CODE);
    agent.edit("cart.py", "append(item)", "append(items)").done();
}

#[test]
fn new_errors_are_refused_in_a_file_that_had_one() {
    let machine = Machine::configured("syntax = \"refuse\"\n");
    let code = CODE.replace("return a + b", "return = a + b");
    let workspace = Workspace::file("cart.py", &code);
    let mut agent = machine.agent(&workspace);
    agent.read("cart.py");
    let refusal = agent.edit("cart.py", "append(item)", "append(item").refused("syntax");
    assert_eq!(refusal["errors"][0]["line"], 5);
    let both = json!([
        { "oldText": "append(item)", "newText": "append(item" },
        { "oldText": "return = a + b", "newText": "return a + b" },
    ]);
    agent.call("editd/edit", json!({ "path": "cart.py", "edits": both })).refused("syntax");
    assert_eq!(workspace.text("cart.py"), code);
    agent.edit("cart.py", "append(item)", "append(items)").done();
    agent.edit("cart.py", "return = a + b", "return = b + a").done();
}

#[test]
fn errors_are_not_looked_for_if_configured() {
    let machine = Machine::configured("syntax = \"off\"\n");
    let workspace = Workspace::file("cart.py", CODE);
    let mut agent = machine.agent(&workspace);
    agent.read("cart.py");
    let done = agent.edit("cart.py", "append(item)", "append(item").done();
    assert_eq!(done["files"][0].get("syntax"), None);
}

#[test]
fn a_reviewer_sees_new_errors_also_after_a_restart() {
    let mut machine = Machine::configured("review = \"always\"\n");
    let workspace = Workspace::file("cart.py", CODE);
    let mut agent = machine.agent(&workspace);
    agent.read("cart.py");
    let waiting = agent.edit("cart.py", "append(item)", "append(item").done();
    let id = waiting["id"].as_str().expect("an id").to_owned();
    let syntax = |machine: &Machine| {
        let mut editor = machine.editor(&workspace);
        editor.call("editd/proposal", json!({ "id": id })).done()["files"][0]["syntax"].clone()
    };
    assert_eq!(syntax(&machine)[0]["line"], 5);
    machine.restart();
    assert_eq!(syntax(&machine)[0]["line"], 5);
}

#[test]
fn new_errors_follow_the_text_and_the_decisions() {
    let machine = Machine::configured("review = \"always\"\n");
    let workspace = Workspace::file("cart.py", CODE);
    let mut agent = machine.agent(&workspace);
    agent.read("cart.py");
    let edits = json!([
        { "oldText": "append(item)", "newText": "append(item" },
        { "oldText": "a + b", "newText": "b + a" },
    ]);
    let change = json!({ "kind": "edit", "path": "cart.py", "edits": edits });
    let id = agent.change(change).done()["id"].clone();
    workspace.put("cart.py", format!("# more\n{CODE}"));
    let mut editor = machine.editor(&workspace);
    let seen = editor.call("editd/proposal", json!({ "id": id })).done();
    assert_eq!(seen["files"][0]["syntax"][0]["line"], 6);
    let mut reject = |hunk: &str, revision: &serde_json::Value| {
        editor.call("editd/decide", json!({ "id": id, "revision": revision, "reject": [hunk] })).done()
    };
    let other = reject("h2", &seen["revision"]);
    assert_eq!(other["files"][0]["syntax"][0]["line"], 6, "{other}");
}
