//! Old texts that are searched for in lines or in a symbol.

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Agent, Answer, Machine, Outcome, Workspace};

const CODE: &str = "\
class A:
    def f(self):
        rv = 1
        return rv

    def g(self):
        rv = 2
        return rv
";

fn scene() -> (Machine, Workspace, Agent) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.py", CODE));
    let mut agent = machine.agent(&workspace);
    agent.read("a.py");
    (machine, workspace, agent)
}

fn edits(agent: &mut Agent, edits: &Value) -> Answer {
    agent.call("editd/edit", json!({ "path": "a.py", "edits": edits }))
}

fn in_g() -> String {
    let (head, g) = CODE.split_at(CODE.find("    def g").expect("a method"));
    format!("{head}{}", g.replace("rv", "value"))
}

#[rstest]
#[case::symbol(json!({ "symbol": "A.g", "oldText": "rv", "newText": "value", "replaceAll": true }))]
#[case::lines(json!({ "lines": "6-8", "oldText": "rv", "newText": "value", "expect": 2 }))]
#[case::several(json!([
    { "lines": 7, "oldText": "rv", "newText": "value" }, { "lines": "8", "oldText": "rv", "newText": "value" },
]))]
#[case::tolerant(json!({ "symbol": "g", "oldText": "rv = 2\nreturn rv", "newText": "value = 2\nreturn value" }))]
fn only_the_scope_is_changed(#[case] requested: Value) {
    let (_machine, workspace, mut agent) = scene();
    let requested = if requested.is_array() { requested } else { json!([requested]) };
    edits(&mut agent, &requested).done();
    assert_eq!(workspace.text("a.py"), in_g());
}

#[test]
fn a_match_outside_of_the_scope_is_named() {
    let (_machine, workspace, mut agent) = scene();
    let requested = json!([{ "symbol": "A.g", "oldText": "rv = 1", "newText": "x" }]);
    let data = edits(&mut agent, &requested).refused("not_found");
    assert_eq!((&data["scope"], &data["found"]), (&json!("6-8"), &json!(1)), "{data}");
    assert_eq!(data["occurrences"][0]["startLine"], 3, "{data}");
    let requested = json!([{ "lines": "6-8", "oldText": "rv = 3", "newText": "x" }]);
    let data = edits(&mut agent, &requested).refused("not_found");
    assert_eq!(data["closest"][0]["startLine"], 7, "{data}");
    assert_eq!(workspace.text("a.py"), CODE);
}

#[rstest]
#[case::unknown_symbol(json!({ "symbol": "A.h", "oldText": "rv", "newText": "x" }), "not_found")]
#[case::several_symbols_of_the_name(json!({ "symbol": "A.g/3", "oldText": "rv", "newText": "x" }), "ambiguous")]
#[case::lines_after_the_end(json!({ "lines": "8-9", "oldText": "rv", "newText": "x" }), "not_found")]
#[case::several_places(json!({ "symbol": "A.g", "oldText": "rv", "newText": "x" }), "ambiguous")]
fn a_scope_that_is_not_there_is_refused(#[case] requested: Value, #[case] kind: &str) {
    let (_machine, workspace, mut agent) = scene();
    edits(&mut agent, &json!([requested])).refused(kind);
    assert_eq!(workspace.text("a.py"), CODE);
}

#[rstest]
#[case::both(json!({ "symbol": "A.g", "lines": "1-3", "oldText": "rv", "newText": "x" }))]
#[case::insertion(json!({ "after": 3, "oldText": "rv", "newText": "x" }))]
#[case::operation(json!({ "symbol": "A.g", "op": "body", "oldText": "rv", "newText": "x" }))]
#[case::removal(json!({ "lines": "1", "delete": true, "oldText": "rv", "newText": "x" }))]
fn forms_that_mean_something_else_are_not_mixed(#[case] requested: Value) {
    let (_machine, workspace, mut agent) = scene();
    edits(&mut agent, &json!([requested])).refused("invalid_params");
    assert_eq!(workspace.text("a.py"), CODE);
}

#[test]
fn lines_and_symbols_without_an_old_text_are_still_edited() {
    let (_machine, workspace, mut agent) = scene();
    edits(
        &mut agent,
        &json!([{ "lines": "4", "newText": "        return 1" }, { "symbol": "A.g", "op": "delete" }]),
    )
    .done();
    assert_eq!(workspace.text("a.py"), "class A:\n    def f(self):\n        rv = 1\n        return 1\n");
}

#[test]
fn numbers_of_a_scope_move_with_own_changes() {
    let (_machine, workspace, mut agent) = scene();
    let tag = workspace.hash("a.py")[3..9].to_owned();
    edits(&mut agent, &json!([{ "after": 0, "newText": "import a\n" }])).done();
    // A change within the scope does not matter.
    edits(&mut agent, &json!([{ "oldText": "rv = 2", "newText": "rv = 2\n        rv = 3" }])).done();
    let edit = json!([{ "lines": "6-8", "oldText": "rv", "newText": "value", "replaceAll": true }]);
    agent.call("editd/edit", json!({ "path": format!("a.py#{tag}"), "edits": edit })).done();
    let expected = in_g().replace("value = 2\n", "value = 2\n        value = 3\n");
    assert_eq!(workspace.text("a.py"), format!("import a\n{expected}"));
}

#[test]
fn a_scope_is_stale_after_changes_of_others_and_can_be_rebased() {
    let (_machine, workspace, mut agent) = scene();
    workspace.put("a.py", format!("# rv\n{CODE}"));
    let edit = json!([{ "lines": "6-8", "oldText": "rv", "newText": "value", "replaceAll": true }]);
    edits(&mut agent, &edit).refused("stale");
    agent.call("editd/edit", json!({ "path": "a.py", "edits": edit, "onStale": "rebase" })).done();
    assert_eq!(workspace.text("a.py"), format!("# rv\n{}", in_g()));
}

/// Others have written the text within the scope again.
#[rstest]
#[case::lines(json!({ "lines": "6-8" }))]
#[case::symbol(json!({ "symbol": "A.g" }))]
fn a_scope_with_another_place_by_others_is_not_rebased(#[case] scope: Value) {
    let (_machine, workspace, mut agent) = scene();
    let changed = CODE.replace("        rv = 2\n", "        rv = 2\n        print(rv)\n");
    assert_ne!(changed, CODE);
    workspace.put("a.py", &changed);
    let mut edit = json!({ "oldText": "rv", "newText": "value", "replaceAll": true });
    edit.as_object_mut().expect("an edit").extend(scope.as_object().expect("a scope").clone());
    agent
        .call("editd/edit", json!({ "path": "a.py", "edits": [edit], "onStale": "rebase" }))
        .refused("stale");
    assert_eq!(workspace.text("a.py"), changed);
}

#[test]
fn a_scope_in_a_sequence_follows_the_earlier_edits() {
    let (_machine, workspace, mut agent) = scene();
    let edits = json!([
        { "oldText": "class A:\n", "newText": "import a\n\nclass A:\n" },
        { "symbol": "A.g", "oldText": "rv", "newText": "value", "replaceAll": true },
        { "lines": "6-8", "oldText": "value", "newText": "rv", "replaceAll": true },
        { "lines": "6-8", "oldText": "rv", "newText": "value", "expect": 2 },
    ]);
    agent.call("editd/edit", json!({ "path": "a.py", "edits": edits, "sequential": true })).done();
    assert_eq!(workspace.text("a.py"), format!("import a\n\n{}", in_g()));
}

#[test]
fn only_lines_of_the_scope_that_were_shown_are_changed() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.py", CODE));
    let mut agent = machine.agent(&workspace);
    agent.call("editd/read", json!({ "path": "a.py", "limit": 7 })).done();
    edits(&mut agent, &json!([{ "symbol": "A.f", "oldText": "rv", "newText": "x", "replaceAll": true }]))
        .done();
    let all = json!([{ "symbol": "A.g", "oldText": "rv", "newText": "value", "replaceAll": true }]);
    let data = edits(&mut agent, &all).refused("unread");
    assert_eq!(data["lines"], "8-8", "{data}");
}

#[test]
fn a_file_without_a_grammar_has_no_symbols() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", CODE));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let edit = json!([{ "symbol": "A.g", "oldText": "rv", "newText": "x", "replaceAll": true }]);
    agent.call("editd/edit", json!({ "path": "a.txt", "edits": edit })).refused("syntax");
}
