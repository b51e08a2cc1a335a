//! Parsers keep the trees of changed files: what they find does not depend on it.

use rstest::rstest;
use rustix::process::{Signal, kill_process};
use serde_json::{Value, json};

use crate::hostile::parsers::parsers_of;
use crate::support::{Agent, Machine, Outcome, Workspace, eventually};

/// No syntax errors.
const NONE: [u64; 0] = [];

/// Python with many functions, each of which returns its number.
fn functions(count: usize) -> String {
    let function = |at: usize| format!("def f{at}(a):\n    b = [{at},\n         a]\n    return b, {at}\n\n");
    (0..count).map(function).collect()
}

/// Changes the number that a function returns, and returns the lines of the new syntax errors.
fn returns(agent: &mut Agent, file: &str, function: usize, old: &str, new: &str) -> Vec<u64> {
    let context = |value: &str| format!("    return b, {value}\n\ndef f{}(a)", function + 1);
    let done = agent.edit(file, &context(old), &context(new)).done();
    lines_of(&done["files"][0])
}

fn lines_of(file: &Value) -> Vec<u64> {
    let errors = file["syntax"].as_array().into_iter().flatten();
    errors.map(|error| error["line"].as_u64().expect("a line")).collect()
}

/// Returns the line of the return of a function.
fn line_of(function: usize) -> u64 {
    5 * function as u64 + 4
}

#[test]
fn errors_are_found_after_any_number_of_changes() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.py", functions(155)));
    let mut agent = machine.agent(&workspace);
    agent.read("a.py");
    for round in 0..5 {
        let at = 25 * round + 3;
        let own = at.to_string();
        assert_eq!(returns(&mut agent, "a.py", at, &own, "(1)"), NONE, "{round}");
        assert_eq!(returns(&mut agent, "a.py", at, "(1)", "(1"), [line_of(at)], "{round}");
        // An old error is none of the next change.
        assert_eq!(returns(&mut agent, "a.py", at + 20, &(at + 20).to_string(), "2"), NONE, "{round}");
        assert_eq!(returns(&mut agent, "a.py", at, "(1", "(1)"), NONE, "{round}");
    }
}

#[rstest]
#[case::of_a_program("")]
#[case::with_a_mark("\u{feff}")]
fn changes_of_others_are_followed(#[case] mark: &str) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.py", ""));
    let mut text = functions(155);
    workspace.put("a.py", format!("{mark}{text}"));
    let (mut agent, mut other) =
        (machine.agent_named("robin", &workspace), machine.agent_named("kim", &workspace));
    for round in 0..3 {
        agent.read("a.py");
        let at = 50 * round + 1;
        assert_eq!(returns(&mut agent, "a.py", at, &at.to_string(), "x("), [line_of(at)]);
        other.read("a.py");
        assert_eq!(returns(&mut other, "a.py", at, "x(", "x()"), NONE);
        // Another program moves everything.
        text = format!("import os\n\n\n\n\n{}", functions(155));
        workspace.put("a.py", format!("{mark}{text}"));
        other.read("a.py");
        assert_eq!(returns(&mut other, "a.py", at, &at.to_string(), "y)"), [line_of(at) + 5]);
        workspace.put("a.py", format!("{mark}{}", functions(155)));
    }
}

/// The first change does not wait for a parser to start.
#[test]
fn a_read_has_its_file_parsed() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.py", functions(155)));
    let mut agent = machine.agent(&workspace);
    assert_eq!(parsers_of(&machine).len(), 0);
    agent.read("a.py");
    eventually("a parser", || (parsers_of(&machine).len() == 1).then_some(()));
    assert_eq!(returns(&mut agent, "a.py", 5, "5", "(5"), [line_of(5)]);
    // Only agents change what they have read.
    let (machine, workspace) = (Machine::start(), Workspace::file("a.py", functions(155)));
    machine.editor(&workspace).call("editd/read", json!({ "path": workspace.path("a.py") })).done();
    machine.agent(&workspace).call("editd/status", json!({})).done();
    assert_eq!(parsers_of(&machine).len(), 0);
}

#[test]
fn a_parser_that_ends_loses_only_its_trees() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.py", functions(155)));
    let mut agent = machine.agent(&workspace);
    agent.read("a.py");
    for at in [5, 6, 7, 8] {
        assert_eq!(returns(&mut agent, "a.py", at, &at.to_string(), "(1"), [line_of(at)]);
        assert_eq!(returns(&mut agent, "a.py", at, "(1", "1"), NONE);
        for parser in parsers_of(&machine) {
            kill_process(parser, Signal::KILL).expect("a kill");
        }
    }
}

/// Creates files with many functions, which an agent has read.
fn files(count: usize) -> (Machine, Workspace, Agent, Vec<String>) {
    let names: Vec<String> = (0..count).map(|file| format!("f{file}.py")).collect();
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", ""));
    for name in &names {
        workspace.put(name, functions(155));
    }
    let mut agent = machine.agent(&workspace);
    for name in &names {
        agent.read(name);
    }
    (machine, workspace, agent, names)
}

/// More files than parsers, in one change.
#[test]
fn every_file_of_a_set_is_checked() {
    let (_machine, _workspace, mut agent, names) = files(12);
    for round in 0..3 {
        let change = |(at, name): (usize, &String)| {
            let opening = if at % 3 == round { "(" } else { "" };
            let old = if round == 0 { 9 } else { round };
            let [old, new] = [old.to_string(), format!("{opening}{}", round + 1)]
                .map(|value| format!("    return b, {value}\n\ndef f10(a)"));
            json!({ "kind": "edit", "path": name, "edits": [{ "oldText": old, "newText": new }] })
        };
        let changes: Vec<Value> = names.iter().enumerate().map(change).collect();
        if round == 0 {
            let done = agent.call("editd/propose", json!({ "changes": changes.clone() })).done();
            assert_eq!(lines_of(&done["files"][0]), [line_of(9)], "{done}");
        }
        let done = agent.call("editd/edit", json!({ "changes": changes })).done();
        for (at, file) in done["files"].as_array().expect("files").iter().enumerate() {
            let expected = if at % 3 == round { vec![line_of(9)] } else { Vec::new() };
            assert_eq!(lines_of(file), expected, "{round} {at}");
        }
        for (_, name) in names.iter().enumerate().filter(|(at, _)| at % 3 == round) {
            let [wrong, right] =
                ["(", ""].map(|opening| format!("    return b, {opening}{}\n\ndef f10(a)", round + 1));
            agent.edit(name, &wrong, &right).done();
        }
    }
}

/// The parsers check the first files of a change when the outlines of the last ones are needed.
#[test]
fn checks_of_a_set_do_not_wait_for_each_other() {
    let (_machine, _workspace, mut agent, names) = files(10);
    for name in &names {
        assert_eq!(returns(&mut agent, name, 5, "5", "(5)"), NONE);
    }
    let change = |(at, name): (usize, &String)| {
        let edit = if at < 8 {
            json!({ "oldText": "return b, 9\n", "newText": "return b, (9\n" })
        } else {
            json!({ "symbol": "f9", "op": "body", "newText": "return (a" })
        };
        json!({ "kind": "edit", "path": name, "edits": [edit] })
    };
    let changes: Vec<Value> = names.iter().enumerate().map(change).collect();
    let done = agent.call("editd/edit", json!({ "changes": changes })).done();
    for (at, file) in done["files"].as_array().expect("files").iter().enumerate() {
        let line = if at < 8 { line_of(9) } else { line_of(9) - 2 };
        assert_eq!(lines_of(file), [line], "{at}: {file}");
    }
}
