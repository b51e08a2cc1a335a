//! `sequential: true`: each edit is matched against the result of the previous edits.

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Answer, Machine, Outcome, Workspace};

fn in_sequence(before: &str, edits: &[(&str, &str)]) -> (Answer, String) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", before));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let edits: Vec<Value> =
        edits.iter().map(|(old, new)| json!({ "oldText": old, "newText": new })).collect();
    let params = json!({ "path": "a.txt", "edits": edits, "sequential": true });
    (agent.call("editd/edit", params), workspace.text("a.txt"))
}

#[rstest]
#[case::a_dependency("foo\n", &[("foo", "bar"), ("bar", "baz")], "baz\n")]
#[case::half_of_it("abc\n", &[("ab", "xz"), ("zc", "yy")], "xyy\n")]
#[case::one_inside_the_other("a b c\n", &[("a b c", "a B c"), ("B", "y")], "a y c\n")]
#[case::line_endings_of_the_file("a\r\nb\r\n", &[("a\n", "c\nd\n"), ("d\nb\n", "e\n")], "c\r\ne\r\n")]
fn a_later_edit_can_match_text_of_an_earlier_edit(
    #[case] before: &str,
    #[case] edits: &[(&str, &str)],
    #[case] after: &str,
) {
    let (answer, text) = in_sequence(before, edits);
    let applied = answer.done();
    assert_eq!(text, after);
    let warnings = applied["files"][0]["warnings"].to_string();
    assert!(!warnings.contains("wrote"), "it was asked for: {warnings}");
}

#[test]
fn independent_edits_cause_no_warning() {
    let (answer, text) = in_sequence("a\nb\n", &[("b", "2"), ("a", "1")]);
    assert_eq!(answer.done()["files"][0]["warnings"], json!([]));
    assert_eq!(text, "1\n2\n");
}

#[test]
fn two_replacements_of_the_same_text_are_a_contradiction() {
    let (answer, text) = in_sequence("x\na\n", &[("a", "b"), ("x", "y"), ("a", "c")]);
    let data = answer.refused("contradiction");
    assert_eq!(data["edits"][0], json!({ "edit": 2, "startLine": 2, "endLine": 2 }), "{data}");
    assert_eq!(data["edits"][1]["edit"], 0, "{data}");
    assert_eq!(text, "x\na\n");
}

#[test]
fn an_absent_text_is_not_found_in_a_sequence() {
    let (answer, text) = in_sequence("a\n", &[("a", "b"), ("z", "c")]);
    assert_eq!(answer.refused("not_found")["edit"], 1);
    assert_eq!(text, "a\n");
}

#[test]
fn a_refused_dependency_suggests_sequential() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "foo\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let edits = json!([{ "oldText": "foo", "newText": "bar" }, { "oldText": "bar", "newText": "baz" }]);
    let mut params = json!({ "path": "a.txt", "edits": edits });
    let data = agent.call("editd/edit", params.clone()).refused("dependency");
    assert!(data["hint"].as_str().is_some_and(|hint| hint.contains("sequential: true")), "{data}");
    params["sequential"] = json!(true);
    agent.call("editd/edit", params).done();
    assert_eq!(workspace.text("a.txt"), "baz\n");
}

#[test]
fn a_proposed_sequence_is_one_change() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "foo\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let edits = json!([{ "oldText": "foo", "newText": "bar" }, { "oldText": "bar", "newText": "baz" }]);
    let params = json!({ "path": "a.txt", "edits": edits, "sequential": true });
    let proposal = agent.call("editd/propose", params).done();
    let diff = proposal["files"][0]["diff"].as_str().expect("a diff");
    assert!(diff.contains("-foo\n+baz\n") && !diff.contains("bar"), "{diff}");
    agent.apply(&proposal).done();
    assert_eq!(workspace.text("a.txt"), "baz\n");
}
