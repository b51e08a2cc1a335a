//! Lines that are indented and wrapped.

use rstest::rstest;
use serde_json::{Value, json};

use super::edits::edits;
use crate::support::{Agent, Machine, Outcome, Workspace};

const CODE: &str = "\
def f(a):
    \"\"\"Returns the
    sum.\"\"\"
    b = a + 1

    return b


def g(): return 2
h = [
    1,
    2,
]
";

fn scene(text: &str) -> (Machine, Workspace, Agent) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.py", text));
    let mut agent = machine.agent(&workspace);
    agent.read("a.py");
    (machine, workspace, agent)
}

#[rstest]
#[case::indented(json!({ "lines": "4-6", "indent": 1 }), CODE.replace("    b = ", "        b = ").replace("    return b", "        return b"))]
#[case::left(json!({ "lines": 4, "indent": -1 }), CODE.replace("    b = ", "b = "))]
#[case::wrapped(
    json!({ "lines": "4-6", "wrap": { "before": "if a:", "after": "else:\n    return 0" } }),
    CODE.replace("    b = a + 1\n\n    return b\n", "    if a:\n        b = a + 1\n\n        return b\n    else:\n        return 0\n"),
)]
#[case::body_of_a_symbol(
    json!({ "symbol": "f", "wrap": { "before": "with lock:\n" } }),
    CODE.replace("    b = a + 1\n\n    return b\n", "    with lock:\n        b = a + 1\n\n        return b\n"),
)]
#[case::whole_file(
    json!({ "indentFrom": 4, "indentTo": 2 }),
    CODE.replace("    \"\"\"R", "  \"\"\"R").replace("    b = ", "  b = ").replace("    return b", "  return b").replace("    1", "  1").replace("    2", "  2").replace("    sum", "  sum"),
)]
fn lines_are_reshaped_and_it_can_be_undone(#[case] edit: Value, #[case] after: String) {
    let (_machine, workspace, mut agent) = scene(CODE);
    edits(&mut agent, "a.py", json!([edit])).done();
    assert_eq!(workspace.text("a.py"), after);
    agent.undo().done();
    assert_eq!(workspace.text("a.py"), CODE);
}

#[test]
fn a_symbol_is_indented_and_its_strings_stay() {
    let (_machine, workspace, mut agent) = scene(CODE);
    let done = edits(&mut agent, "a.py", json!([{ "symbol": "f", "indent": 1 }])).done();
    let after = "    def f(a):\n        \"\"\"Returns the\n        sum.\"\"\"\n        b = a + 1\n\n        return b\n";
    assert!(workspace.text("a.py").starts_with(after), "{}", workspace.text("a.py"));
    assert_eq!(done["files"][0]["warnings"], json!([]), "a docstring moves along: {done}");
    let text = "def f():\n    return '''a\n    b'''\n";
    workspace.put("b.py", text);
    agent.read("b.py");
    let done = edits(&mut agent, "b.py", json!([{ "symbol": "f", "indent": 1 }])).done();
    assert_eq!(workspace.text("b.py"), "    def f():\n        return '''a\n    b'''\n");
    let warnings = done["files"][0]["warnings"].to_string();
    assert!(warnings.contains("inside a string: line 3"), "{done}");
}

#[rstest]
#[case::no_such_line(json!({ "lines": "4-90", "indent": 1 }), "not_found", "90")]
#[case::too_little(json!({ "lines": "3-9", "indent": -1 }), "syntax", "Line 9 of")]
#[case::blank(json!({ "lines": "7-8", "indent": 1 }), "syntax", "no code")]
#[case::leaves_its_block(json!({ "lines": "6-9", "wrap": { "before": "if a:" } }), "syntax", "Line 9 of")]
#[case::cuts_a_block(json!({ "lines": "1-4", "wrap": { "before": "if a:" } }), "syntax", "line 6 of")]
#[case::in_a_string(json!({ "lines": "3-4", "wrap": { "before": "if a:" } }), "syntax", "inside a string")]
#[case::body_in_a_line(json!({ "symbol": "g", "wrap": { "before": "if a:" } }), "not_found", "no lines of its own")]
#[case::half_of_a_list(json!({ "lines": 11, "wrap": { "before": "if a:" } }), "syntax", "would add syntax errors")]
#[case::unknown_symbol(json!({ "symbol": "unknown", "indent": 1 }), "not_found", "no symbol")]
#[case::placeholder(json!({ "symbol": "f", "wrap": { "before": "# ... existing code ..." } }), "placeholder", "omits code")]
fn a_refusal_says_why_and_changes_nothing(#[case] edit: Value, #[case] kind: &str, #[case] words: &str) {
    let (_machine, workspace, mut agent) = scene(CODE);
    let answer = edits(&mut agent, "a.py", json!([edit]));
    let error = answer.expect_err("a refusal");
    assert_eq!(error.data["kind"], kind, "{error:?}");
    assert!(error.message.contains(words), "{}", error.message);
    assert_eq!(workspace.text("a.py"), CODE);
}

#[rstest]
#[case::both(json!({ "lines": 4, "indent": 1, "wrap": { "before": "x" } }), "indent")]
#[case::zero(json!({ "lines": 4, "indent": 0 }), "indent")]
#[case::many(json!({ "lines": 4, "indent": 21 }), "indent")]
#[case::without_lines(json!({ "indent": 1 }), "lines")]
#[case::without_end(json!({ "indentFrom": 2 }), "indentTo")]
#[case::without_start(json!({ "indentTo": 2 }), "indentFrom")]
#[case::equal(json!({ "indentFrom": 2, "indentTo": 2 }), "indentTo")]
#[case::no_columns(json!({ "indentFrom": 0, "indentTo": 2 }), "indentFrom")]
#[case::empty_wrap(json!({ "lines": 4, "wrap": {} }), "wrap")]
#[case::with_text(json!({ "lines": 4, "indent": 1, "newText": "x" }), "newText")]
#[case::with_old_text(json!({ "oldText": "b", "newText": "c", "indent": 1 }), "oldText")]
#[case::after_a_line(json!({ "after": 4, "indent": 1 }), "indent")]
fn members_that_do_not_fit_are_refused(#[case] edit: Value, #[case] name: &str) {
    let (_machine, workspace, mut agent) = scene(CODE);
    let error = edits(&mut agent, "a.py", json!([edit])).expect_err("a refusal");
    assert_eq!(error.code, -32602, "{error:?}");
    assert!(error.message.contains(&format!("edits[0].{name}")), "{}", error.message);
    assert_eq!(workspace.text("a.py"), CODE);
}

#[test]
fn lines_that_were_not_shown_are_unread() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.py", CODE));
    let mut agent = machine.agent(&workspace);
    agent.call("editd/read", json!({ "path": "a.py", "limit": 4 })).done();
    edits(&mut agent, "a.py", json!([{ "symbol": "f", "wrap": { "before": "if a:" } }])).refused("unread");
    edits(&mut agent, "a.py", json!([{ "indentFrom": 4, "indentTo": 2 }])).refused("unread");
    edits(&mut agent, "a.py", json!([{ "lines": 4, "wrap": { "before": "if a:" } }])).done();
}

#[test]
fn lines_are_reshaped_where_they_are_now() {
    let (machine, workspace, mut agent) = scene(CODE);
    let mut other = machine.agent_named("kim", &workspace);
    other.read("a.py");
    other.edit("a.py", "def f(a):", "import os\n\n\ndef f(a):").done();
    let wrap = json!([{ "lines": "4-6", "wrap": { "before": "if a:" } }]);
    edits(&mut agent, "a.py", wrap.clone()).refused("stale");
    let rebase = json!({ "path": "a.py", "edits": wrap, "onStale": "rebase" });
    let done = agent.call("editd/edit", rebase).done();
    assert_eq!(done["files"][0]["rebased"], true, "{done}");
    let after = "    if a:\n        b = a + 1\n\n        return b\n";
    assert!(workspace.text("a.py").contains(after), "{}", workspace.text("a.py"));
    // Their own changes make no numbers stale.
    agent.read("a.py");
    edits(&mut agent, "a.py", json!([{ "after": 0, "newText": "# A comment" }])).done();
    let tag = &agent.read("a.py")["hash"].as_str().expect("a hash")[3..9].to_owned();
    edits(&mut agent, "a.py", json!([{ "after": 0, "newText": "# Another" }])).done();
    let path = format!("a.py#{tag}");
    agent.call("editd/edit", json!({ "path": path, "edits": [{ "lines": "8-11", "indent": 1 }] })).done();
    assert!(
        workspace.text("a.py").contains("        if a:\n            b = a"),
        "{}",
        workspace.text("a.py")
    );
}

#[test]
fn several_forms_in_one_call_refer_to_one_version() {
    let (_machine, workspace, mut agent) = scene(CODE);
    let wanted = json!([
        { "oldText": "a + 1", "newText": "a + 2" },
        { "lines": 9, "newText": "def g():\n    return 2" },
        { "lines": 6, "wrap": { "before": "if b:", "after": "return 0" } },
    ]);
    edits(&mut agent, "a.py", wanted).done();
    let text = workspace.text("a.py");
    assert!(
        text.contains(
            "    b = a + 2\n\n    if b:\n        return b\n    return 0\n\n\ndef g():\n    return 2\n"
        ),
        "{text}"
    );
    let overlapping = json!([{ "lines": "4-6", "indent": 1 }, { "lines": "5-6", "indent": 1 }]);
    agent.read("a.py");
    edits(&mut agent, "a.py", overlapping).refused("overlap");
}

#[test]
fn the_answer_tells_where_the_lines_are_now() {
    let (_machine, workspace, mut agent) = scene(CODE);
    let wrap = json!({ "lines": "4-6", "wrap": { "before": "if a:", "after": "return 0" } });
    let done = edits(&mut agent, "a.py", json!([wrap])).done();
    assert_eq!(done["files"][0]["shifts"], json!([{ "line": 4, "by": 1 }, { "line": 7, "by": 2 }]), "{done}");
    let text = workspace.text("a.py");
    assert_eq!(text.lines().nth(3 + 1), Some("        b = a + 1"));
    assert_eq!(text.lines().nth(8 + 2), Some("def g(): return 2"));
    let deleted =
        json!([{ "lines": "4-5", "delete": true }, { "oldText": "    1,\n", "newText": "    1,\n    3,\n" }]);
    agent.read("a.py");
    let done = edits(&mut agent, "a.py", deleted).done();
    assert_eq!(
        done["files"][0]["shifts"],
        json!([{ "line": 6, "by": -2 }, { "line": 14, "by": -1 }]),
        "{done}"
    );
}

/// The lines of a file that was read in parts are known after an edit in many places.
#[test]
fn an_edit_in_many_places_leaves_the_lines_known() {
    let lines: String = (0..900).map(|at| format!("    line {at}\n")).collect::<Vec<_>>().concat();
    let (machine, workspace) = (Machine::start(), Workspace::file("a.py", &lines));
    let mut agent = machine.agent(&workspace);
    agent.call("editd/read", json!({ "path": "a.py", "limit": 450 })).done();
    agent.call("editd/read", json!({ "path": "a.py", "offset": 451, "limit": 440 })).done();
    let many = json!({ "oldText": "    line", "newText": "line", "replaceAll": true, "lines": "1-800" });
    edits(&mut agent, "a.py", json!([many])).done();
    edits(&mut agent, "a.py", json!([{ "lines": 850, "newText": "x" }])).done();
    edits(&mut agent, "a.py", json!([{ "lines": 895, "newText": "x" }])).refused("unread");
}
