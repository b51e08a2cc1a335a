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

/// The grammar of Python accepts these texts.
#[test]
fn the_indentation_of_python_is_checked() {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    agent.read("cart.py");
    let mut lines_of = |old: &str, new: &str| -> Vec<u64> {
        let done = agent.edit("cart.py", old, new).done();
        let errors = done["files"][0]["syntax"].as_array().cloned().unwrap_or_default();
        errors.iter().map(|error| error["line"].as_u64().expect("a line")).collect()
    };
    let line = 1 + CODE.lines().position(|line| line.contains("append(item)")).expect("the line") as u64;
    let indentation =
        " ".repeat(CODE.lines().nth(line as usize - 1).map_or(0, |line| line.len() - line.trim().len()));
    let own = |more: &str| format!("{more}self.items.append(item)\n");
    assert_eq!(
        lines_of(&own(&indentation), &own(&format!("{indentation}  "))),
        [0; 0],
        "the block is deeper as a whole"
    );
    assert_eq!(lines_of(&own(""), &(own("") + &own(&format!("{indentation}    ")))), [line + 1]);
    assert_eq!(lines_of(&own(&format!("{indentation}    ")), ""), [0; 0]);
    assert_eq!(
        lines_of(&own(&format!("{indentation}  ")), &format!("{indentation}  # nothing\n")),
        [line - 1]
    );
}

#[test]
fn a_script_has_the_language_of_its_first_line() {
    let script = "#!/usr/bin/env bash\n\nf() {\n  echo a\n}\n\nf\n";
    let (machine, workspace) = (Machine::start(), Workspace::file("deploy", script));
    let mut agent = machine.agent(&workspace);
    agent.read("deploy");
    let edit = json!([{ "symbol": "f", "op": "body", "newText": "echo b" }]);
    agent.call("editd/edit", json!({ "path": "deploy", "edits": edit })).done();
    assert_eq!(workspace.text("deploy"), script.replace("echo a", "echo b"));
    let done = agent.edit("deploy", "echo b\n}", "echo b").done();
    assert!(done["files"][0]["syntax"][0]["line"].is_u64(), "{done}");
    let outline = agent.call("editd/outline", json!({ "path": "deploy" })).done();
    assert_eq!(outline["language"], "bash", "{outline}");
}
