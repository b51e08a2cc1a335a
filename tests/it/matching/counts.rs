//! `replaceAll` and `expectedReplacements`.

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Answer, Machine, Outcome, Workspace};

fn edit_with_count(before: &str, old: &str, new: &str, count: &Value) -> (Answer, String) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", before));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let mut params = json!({ "path": "a.txt", "oldText": old, "newText": new });
    params.as_object_mut().expect("an object").extend(count.as_object().expect("an object").clone());
    (agent.call("editd/edit", params), workspace.text("a.txt"))
}

fn all() -> Value {
    json!({ "replaceAll": true })
}

fn expecting(count: u64) -> Value {
    json!({ "expectedReplacements": count })
}

#[rstest]
#[case::all("a b a\na\n", "a", "x", all(), "x b x\nx\n", 3)]
#[case::all_of_one("a b\n", "a", "x", all(), "x b\n", 1)]
#[case::the_new_holds_the_old("a a\n", "a", "aa", all(), "aa aa\n", 2)]
#[case::as_many_as_expected("a b a\na\n", "a", "x", expecting(3), "x b x\nx\n", 3)]
#[case::one_expected("a b\n", "a", "x", expecting(1), "x b\n", 1)]
#[case::across_different_line_endings(
    "a\r\nb\r\nc\na\nb\nc\n",
    "a\nb\n",
    "x\ny\n",
    all(),
    "x\r\ny\r\nc\nx\ny\nc\n",
    2
)]
#[case::across_lines("k: 1\nv\nk: 1\nv\n", "1\nv", "2\nv", all(), "k: 2\nv\nk: 2\nv\n", 2)]
#[case::one_tolerated_match("it’s a\n", "it's a", "it's b", all(), "it’s b\n", 1)]
#[case::one_tolerated_match_expected("it’s a\n", "it's a", "it's b", expecting(1), "it’s b\n", 1)]
fn replacements_are_counted(
    #[case] before: &str,
    #[case] old: &str,
    #[case] new: &str,
    #[case] count: Value,
    #[case] after: &str,
    #[case] replacements: u64,
) {
    let (answer, text) = edit_with_count(before, old, new, &count);
    let applied = answer.done();
    assert_eq!(text, after);
    assert_eq!(applied["files"][0]["matches"][0]["replacements"], replacements);
}

#[rstest]
#[case::none("a()\nb()\n", None)]
#[case::one("a()\nb()\nif x:\n    a()\n    b()\n", Some("1 place has"))]
#[case::several("a()\nb()\n  a()\n  b()\n\ta()\n\tb()\n", Some("2 places have"))]
#[case::of_other_text("a()\nb()\n  a()\n  c()\n", None)]
fn places_with_another_indentation_are_counted_beside_exact_ones(
    #[case] before: &str,
    #[case] counted: Option<&str>,
) {
    let (answer, text) = edit_with_count(before, "a()\nb()\n", "a()\nc()\n", &all());
    assert_eq!(text, before.replacen("b()", "c()", 1));
    let file = answer.done()["files"][0].clone();
    assert_eq!(file["matches"][0]["replacements"], 1);
    let warnings = file["warnings"].as_array().expect("a list").iter().filter_map(Value::as_str);
    let said: Vec<&str> = warnings.filter(|warning| warning.contains("another indentation")).collect();
    assert_eq!(said.len(), usize::from(counted.is_some()), "{said:?}");
    assert!(counted.is_none_or(|counted| said[0].contains(counted)), "{said:?}");
}

#[rstest]
#[case::fewer("a b\n", 2, 1)]
#[case::more("a b a\na\n", 2, 3)]
#[case::more_than_one("a a\n", 1, 2)]
fn a_different_count_is_refused_with_the_locations(
    #[case] before: &str,
    #[case] expected: u64,
    #[case] found: usize,
) {
    let (answer, text) = edit_with_count(before, "a", "x", &expecting(expected));
    let data = answer.refused("count_mismatch");
    assert_eq!((&data["expected"], &data["found"]), (&json!(expected), &json!(found)));
    assert_eq!(data["occurrences"].as_array().map(Vec::len), Some(found), "{data}");
    assert_eq!(text, before);
}

#[rstest]
#[case::all(all())]
#[case::expected(expecting(1))]
#[case::under_its_short_name(json!({ "expect": 1 }))]
fn overlapping_matches_are_taken_from_the_left(#[case] count: Value) {
    let (answer, text) = edit_with_count("aaa\n", "aa", "x", &count);
    assert_eq!(answer.done()["files"][0]["matches"][0]["replacements"], 1);
    assert_eq!(text, "xa\n");
}

#[test]
fn overlapping_matches_are_ambiguous_if_one_is_wanted() {
    let (answer, text) = edit_with_count("aaa\n", "aa", "x", &json!({}));
    answer.refused("ambiguous");
    assert_eq!(text, "aaa\n");
}

#[test]
fn a_count_that_stopped_early_is_reported() {
    let (answer, _) = edit_with_count(&"foo\n".repeat(5000), "foo", "x", &json!({}));
    let data = answer.refused("ambiguous");
    assert_eq!((&data["found"], &data["more"]), (&json!(1000), &json!(true)), "{data}");
}

#[rstest]
#[case::removed_lines("if a:\n    log()\nelse:\n        log()\nend\n", "log()\n", "", "if a:\nelse:\nend\n")]
#[case::parts_of_lines("    a, b\n        a\n", "a", "x", "    x, b\n        x\n")]
fn all_occurrences_are_replaced_at_any_indentation(
    #[case] before: &str,
    #[case] old: &str,
    #[case] new: &str,
    #[case] after: &str,
) {
    let (answer, text) = edit_with_count(before, old, new, &all());
    answer.done();
    assert_eq!(text, after);
}

#[rstest]
#[case::all(all())]
#[case::expected(expecting(2))]
fn an_absent_text_is_not_found(#[case] count: Value) {
    let (answer, text) = edit_with_count("a b c\n", "absent", "x", &count);
    answer.refused("not_found");
    assert_eq!(text, "a b c\n");
}

#[test]
fn several_tolerated_matches_are_never_replaced_together() {
    let (answer, text) = edit_with_count("it’s\nit’s\n", "it's", "x", &all());
    let data = answer.refused("not_found");
    assert_eq!(data["closest"].as_array().map(Vec::len), Some(2), "{data}");
    assert_eq!(text, "it’s\nit’s\n");
}

#[test]
fn replace_all_replaces_exact_matches_only() {
    let (answer, text) = edit_with_count("it's\nit’s\nit's\n", "it's", "x", &all());
    answer.done();
    assert_eq!(text, "x\nit’s\nx\n");
}

#[test]
fn ten_thousand_occurrences_are_replaced_at_once() {
    let before = "some filler around the word here, and a good deal more to make it long\n".repeat(10_000);
    let (answer, text) = edit_with_count(&before, "word", "term", &expecting(10_000));
    answer.done();
    assert_eq!(text, before.replace("word", "term"));
}
