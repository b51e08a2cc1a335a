//! Several edits of a file in one call.

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Answer, Machine, Mcp, Outcome, Workspace};

fn all(before: &str, edits: &[(&str, &str)], more: &Value) -> (Answer, String) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", before));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let edits: Vec<Value> =
        edits.iter().map(|(old, new)| json!({ "oldText": old, "newText": new })).collect();
    let mut params = json!({ "path": "a.txt", "edits": edits });
    params.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    (agent.call("editd/edit", params), workspace.text("a.txt"))
}

#[rstest]
#[case::in_order("a\nb\nc\n", &[("a", "1"), ("c", "3")], "1\nb\n3\n")]
#[case::out_of_order("a\nb\nc\n", &[("c", "3"), ("a", "1")], "1\nb\n3\n")]
#[case::side_by_side("abc\n", &[("a", "xx"), ("b", ""), ("c", "z")], "xxz\n")]
#[case::lines_side_by_side("a\nb\n", &[("a\n", "1\n"), ("b\n", "2\n")], "1\n2\n")]
#[case::a_swap("left right\n", &[("left", "right"), ("right", "left")], "right left\n")]
#[case::longer_and_shorter(
    "one two three\n",
    &[("one", "a longer text"), ("three", "")],
    "a longer text two \n",
)]
#[case::of_different_tiers("a  \nb\nit’s\n", &[("a\nb", "a\nc"), ("it's", "it's not")], "a  \nc\nit’s not\n")]
fn edits_are_matched_against_the_original_text(
    #[case] before: &str,
    #[case] edits: &[(&str, &str)],
    #[case] after: &str,
) {
    let (answer, text) = all(before, edits, &json!({}));
    let applied = answer.done();
    assert_eq!(text, after);
    let matches = applied["files"][0]["matches"].as_array().expect("matches");
    let indices: Vec<u64> = matches.iter().filter_map(|one| one["edit"].as_u64()).collect();
    assert_eq!(indices.len(), edits.len());
    assert!((0..edits.len() as u64).all(|index| indices.contains(&index)), "{indices:?}");
}

#[rstest]
#[case::overlap("abc\n", &[("ab", "x"), ("bc", "y")], "overlap")]
#[case::one_inside_the_other("a b c\n", &[("a b c", "x"), ("b", "y")], "overlap")]
#[case::contradiction("a\n", &[("a", "x"), ("a", "y")], "contradiction")]
#[case::dependency("foo\n", &[("foo", "bar"), ("bar", "baz")], "dependency")]
fn conflicting_edits_are_refused(#[case] before: &str, #[case] edits: &[(&str, &str)], #[case] kind: &str) {
    let (answer, text) = all(before, edits, &json!({}));
    let data = answer.refused(kind);
    assert_eq!(text, before);
    let named = data["edits"].as_array().unwrap_or_else(|| panic!("no edits: {data}"));
    let mut indices: Vec<u64> = named.iter().filter_map(|one| one["edit"].as_u64()).collect();
    indices.sort_unstable();
    assert_eq!(indices, [0, 1], "both edits are named: {data}");
}

#[test]
fn one_edit_without_effect_among_others_is_a_warning() {
    let (answer, text) = all("a\nb\n", &[("a", "a"), ("b", "c")], &json!({}));
    let applied = answer.done();
    assert_eq!(text, "a\nc\n");
    assert!(
        applied["files"][0]["warnings"].as_array().is_some_and(|warnings| !warnings.is_empty()),
        "{applied}"
    );
}

#[test]
fn only_edits_without_effect_are_no_change() {
    let (answer, text) = all("a\nb\n", &[("a", "a"), ("b", "b")], &json!({}));
    answer.refused("no_change");
    assert_eq!(text, "a\nb\n");
}

#[test]
fn one_failing_edit_fails_the_whole_call() {
    let (answer, text) = all("a\nb\n", &[("a", "x"), ("absent", "y")], &json!({}));
    assert_eq!(answer.refused("not_found")["edit"], 1);
    assert_eq!(text, "a\nb\n");
}

#[test]
fn a_thousand_edits_in_one_call_are_applied() {
    let lines: Vec<String> = (0..1_000).map(|number| format!("[{number}] old")).collect();
    let edits: Vec<(String, String)> =
        (0..1_000).map(|number| (format!("[{number}] old"), format!("[{number}] new"))).collect();
    let edits: Vec<(&str, &str)> = edits.iter().map(|(old, new)| (old.as_str(), new.as_str())).collect();
    let before = lines.join("\n");
    let (answer, text) = all(&before, &edits, &json!({}));
    answer.done();
    assert_eq!(text, before.replace("old", "new"));
}

#[test]
fn a_repeated_edit_is_applied_once_and_every_client_kind_warns() {
    const WARNING: &str = "edit 1 repeats another edit and was dropped";
    let edits = json!([{ "oldText": "b", "newText": "B" }, { "oldText": "b", "newText": "B" }]);
    let (machine, workspace) =
        (Machine::start(), Workspace::with(&["a.txt", "b.txt", "c.txt"].map(|name| (name, "a\nb\n"))));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let done = agent.call("editd/edit", json!({ "path": "a.txt", "edits": edits })).done();
    assert_eq!(done["files"][0]["warnings"], json!([WARNING]));
    let mut mcp = Mcp::start(&machine, &workspace);
    mcp.call("read", json!({ "path": "b.txt" })).done();
    let called = mcp.call("edit", json!({ "path": "b.txt", "edits": edits })).done();
    assert!(called.text.contains(WARNING), "{}", called.text);
    let request = json!({ "path": workspace.absolute("c.txt"), "edits": edits }).to_string();
    let output = machine.run_with_input(&["edit", "--yes", "--json", "-"], &request);
    assert!(String::from_utf8_lossy(&output.stderr).contains(WARNING), "{output:?}");
    for path in ["a.txt", "b.txt", "c.txt"] {
        assert_eq!(workspace.text(path), "a\nB\n");
    }
}
