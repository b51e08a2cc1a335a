//! No match, or more than one: a helpful refusal and an unchanged file.

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Machine, Outcome, Workspace, numbered_lines};

#[track_caller]
fn refused(before: &str, old: &str, new: &str, kind: &str) -> Value {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", before));
    let data = machine.agent(&workspace).read_and_edit("a.txt", old, new).refused(kind);
    assert_eq!(workspace.text("a.txt"), before);
    assert!(data["path"].as_str().is_some_and(|path| path.ends_with("a.txt")), "{data}");
    assert_eq!((&data["change"], &data["edit"]), (&json!(0), &json!(0)), "{data}");
    data
}

#[track_caller]
fn lines_of(data: &Value) -> Vec<u64> {
    let occurrences = data["occurrences"].as_array().unwrap_or_else(|| panic!("no occurrences: {data}"));
    let line = |one: &Value| one["startLine"].as_u64().or_else(|| one["line"].as_u64());
    occurrences.iter().map(|one| line(one).unwrap_or_else(|| panic!("no line in {one}"))).collect()
}

#[rstest]
#[case::twice("x\ny\nx\n", "x", &[1, 3])]
#[case::twice_in_a_line("a a\n", "a", &[1, 1])]
#[case::overlapping("aaa\n", "aa", &[1, 1])]
#[case::by_trailing_whitespace("a  \nb\n-\na \nb\n", "a\nb\n", &[1, 4])]
#[case::by_typography("“q”\n„\n“q”\n", "\"q\"", &[1, 3])]
#[case::by_indentation("\ta();\n\tb();\n-\n\t\ta();\n\t\tb();\n", " a();\n b();\n", &[1, 4])]
fn more_than_one_match_is_ambiguous(#[case] before: &str, #[case] old: &str, #[case] lines: &[u64]) {
    let data = refused(before, old, "new", "ambiguous");
    assert_eq!(lines_of(&data), lines);
    let first = before.split('\n').next().unwrap_or_default().trim();
    assert!(data["occurrences"][0].to_string().contains(&first.replace('"', "\\\"")), "an excerpt: {data}");
}

#[test]
fn an_absent_text_is_not_found_and_the_closest_text_is_shown() {
    let before = numbered_lines(40) + "fn total(items: &[Item]) -> u64 {\n    items.iter().sum()\n}\n";
    let old = "fn total(items: &[Item]) -> u32 {\n    items.iter().sum()\n}\n";
    let data = refused(&before, old, "x\n", "not_found");
    let closest = data["closest"].as_array().unwrap_or_else(|| panic!("no closest: {data}"));
    assert!((1..=3).contains(&closest.len()), "{data}");
    let best = &closest[0];
    assert_eq!((&best["startLine"], &best["endLine"]), (&json!(41), &json!(43)), "{best}");
    assert!(best["similarity"].as_f64().is_some_and(|similarity| (0.6..1.0).contains(&similarity)), "{best}");
    let diff = best["diff"].as_str().unwrap_or_else(|| panic!("no diff: {best}"));
    assert!(diff.contains("u32") && diff.contains("u64"), "{diff}");
}

#[test]
fn an_edit_that_is_already_applied_is_reported() {
    let data = refused("let limit = 20;\n", "let limit = 10;", "let limit = 20;", "not_found");
    assert_eq!(data["alreadyApplied"], true);
    let data = refused("let limit = 20;\n", "let limit = 10;", "let limit = 30;", "not_found");
    assert!(data.get("alreadyApplied").is_none_or(|already| already == false || already.is_null()), "{data}");
}

#[rstest]
#[case::other_quotes("say 'q'\n", "say \"q\"")]
#[case::half_a_character("½ cup\n", "2 cup")]
#[case::half_an_ellipsis("a…b\n", "a.")]
#[case::raised_digits("at most 10⁵ requests\n", "at most 105 requests")]
#[case::a_square("area = x² * 2\n", "x2")]
#[case::a_mathematical_letter("f: ℝ → ℝ\n", "f: R → R")]
#[case::a_space_is_not_optional("f (a)\n", "f(a)")]
#[case::other_letters("Total\n", "total")]
#[case::a_missing_word("one two three\n", "one three")]
#[case::a_missing_line("a();\nb();\nc();\n", "a();\nc();\n")]
#[case::only_whitespace("a\tb\n", "  ")]
#[case::an_empty_file("", "a")]
fn other_differences_are_not_tolerated(#[case] before: &str, #[case] old: &str) {
    refused(before, old, "new", "not_found");
}

#[rstest]
#[case::equal_texts("a\n", "a", "a")]
#[case::only_line_endings("a\r\nb\r\n", "a\nb\n", "a\r\nb\r\n")]
#[case::only_trailing_whitespace("a  \nb\n", "a\nb", "a\nb")]
fn an_edit_without_effect_is_refused(#[case] before: &str, #[case] old: &str, #[case] new: &str) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", before));
    let data = machine.agent(&workspace).read_and_edit("a.txt", old, new).refused("no_change");
    assert_eq!(data["change"], 0);
    assert_eq!(workspace.text("a.txt"), before);
}

#[test]
fn an_empty_old_text_is_refused() {
    refused("some text\n", "", "new", "empty_old_text");
    refused("\n", "", "new", "empty_old_text");
}

#[test]
fn an_empty_old_text_makes_a_missing_file_and_fills_an_empty_one() {
    let (machine, workspace) = (Machine::start(), Workspace::with(&[("empty.txt", ""), ("unread.txt", "")]));
    let mut agent = machine.agent(&workspace);
    agent.read("empty.txt");
    assert_eq!(agent.edit("new/a.txt", "", "new\n").done()["files"][0]["action"], "create");
    agent.edit("empty.txt", "", "filled\n").done();
    assert_eq!(
        (workspace.text("new/a.txt"), workspace.text("empty.txt")),
        ("new\n".into(), "filled\n".into())
    );
    agent.edit("unread.txt", "", "x").refused("unread");
    // It is known now, and not empty.
    assert_eq!(agent.edit("new/a.txt", "", "x").refused("empty_old_text")["edit"], 0);
    let two = json!([{ "oldText": "", "newText": "a" }, { "oldText": "", "newText": "b" }]);
    agent.call("editd/edit", json!({ "path": "no.txt", "edits": two })).refused("missing");
    assert!(!workspace.has("no.txt"));
}

#[test]
fn an_absent_text_in_a_large_file_is_refused_in_time() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", numbered_lines(100_000)));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let old = "line 777 is not here\nline 778 neither\nline 779 is not\nline 780 is not\n";
    let data = agent.edit("a.txt", old, "x\n").refused("not_found");
    assert!(data["closest"].is_array(), "{data}");
}
