//! Matching lines and how they are reported.

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Machine, Outcome, Workspace, numbered_lines, utf16};

use super::scene::{lines, notice, rows, search};

#[rstest]
#[case::a_text(json!({ "pattern": "two" }), &["a.txt:2:two", "b/c.txt:1:two and Two"])]
#[case::a_regex(json!({ "pattern": "^t\\w+$" }), &["a.txt:2:two", "a.txt:3:three"])]
#[case::any_case(json!({ "pattern": "^TWO", "ignoreCase": true }), &["a.txt:2:two", "b/c.txt:1:two and Two"])]
#[case::a_literal(json!({ "pattern": "f(x)", "literal": true }), &["b/c.txt:2:f(x)"])]
#[case::an_alias_for_literal(json!({ "pattern": "f(", "fixedString": true }), &["b/c.txt:2:f(x)"])]
#[case::in_a_folder(json!({ "pattern": "two", "path": "b" }), &["b/c.txt:1:two and Two"])]
#[case::in_a_folder_with_a_slash(json!({ "pattern": "two", "path": "b/" }), &["b/c.txt:1:two and Two"])]
#[case::in_the_root(json!({ "pattern": "one", "path": "." }), &["a.txt:1:one"])]
#[case::in_a_file(json!({ "pattern": "two", "path": "a.txt" }), &["a.txt:2:two"])]
#[case::nothing(json!({ "pattern": "zzz" }), &[])]
#[case::by_name(json!({ "pattern": "two", "glob": "c.*" }), &["b/c.txt:1:two and Two"])]
#[case::by_path(json!({ "pattern": "two", "glob": "b/**" }), &["b/c.txt:1:two and Two"])]
#[case::by_several_names(json!({ "pattern": "one|x", "glob": "{a,c}.txt" }), &["a.txt:1:one", "b/c.txt:2:f(x)"])]
#[case::by_excluded_name(json!({ "pattern": "two", "glob": "!c.txt" }), &["a.txt:2:two"])]
#[case::not_in_a_folder(json!({ "pattern": "two", "glob": "!b" }), &["a.txt:2:two"])]
#[case::a_glob_relative_to_the_folder(json!({ "pattern": "two", "path": "b", "glob": "b/**" }), &[])]
fn lines_match(#[case] params: Value, #[case] expected: &[&str]) {
    let files = [("a.txt", "one\ntwo\nthree\n"), ("b/c.txt", "two and Two\nf(x)\n")];
    let (machine, workspace) = (Machine::start(), Workspace::with(&files));
    assert_eq!(lines(&mut machine.agent(&workspace), &workspace, params), expected);
}

#[test]
fn an_absolute_glob_and_a_uri_name_the_same_files() {
    let (machine, workspace) =
        (Machine::start(), Workspace::with(&[("a/x.rs", "one\n"), ("b/x.rs", "one\n")]));
    let mut agent = machine.agent(&workspace);
    let glob = workspace.absolute("a/*.rs");
    assert_eq!(lines(&mut agent, &workspace, json!({ "pattern": "one", "glob": glob })), ["a/x.rs:1:one"]);
    let uri = crate::support::uri_of(&workspace.path("b"));
    assert_eq!(lines(&mut agent, &workspace, json!({ "pattern": "one", "uri": uri })), ["b/x.rs:1:one"]);
}

#[rstest]
#[case::crlf(b"one\r\ntwo\r\n", "two$")]
#[case::no_final_line_ending(b"one\ntwo", "two$")]
#[case::mixed(b"one\r\ntwo\n", "two$")]
fn line_endings_are_not_part_of_a_line(#[case] bytes: &[u8], #[case] pattern: &str) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", bytes));
    let found = search(&mut machine.agent(&workspace), json!({ "pattern": pattern, "context": 1 }));
    assert_eq!(rows(&found, &workspace), ["a.txt:2:two"]);
    assert_eq!(found["matches"][0]["before"], json!(["one"]));
}

#[test]
fn each_match_has_its_context() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", numbered_lines(30)));
    let mut agent = machine.agent(&workspace);
    let found = search(&mut agent, json!({ "pattern": "line (1|2|4|20|30)$", "context": 2 }));
    let matches: Vec<_> = found["matches"].as_array().expect("matches").iter().collect();
    let around = |index: usize| (matches[index]["before"].clone(), matches[index]["after"].clone());
    assert_eq!(around(0), (json!([]), json!(["line 2", "line 3"])));
    assert_eq!(around(1), (json!(["line 1"]), json!(["line 3", "line 4"])));
    assert_eq!(around(2), (json!(["line 2", "line 3"]), json!(["line 5", "line 6"])));
    assert_eq!(around(3), (json!(["line 18", "line 19"]), json!(["line 21", "line 22"])));
    assert_eq!(around(4), (json!(["line 28", "line 29"]), json!([])));
    let few = search(&mut agent, json!({ "pattern": "line (1|2)$", "context": 2, "limit": 1 }));
    assert_eq!(
        few["matches"][0]["after"],
        json!(["line 2"]),
        "the search stops at the first match beyond the limit"
    );
    let many = search(&mut agent, json!({ "pattern": "line 25$", "context": 1_000 }));
    assert_eq!(many["matches"][0]["before"].as_array().expect("lines").len(), 20);
}

#[test]
fn files_with_a_byte_order_mark_are_text() {
    let marked = |to_bytes| utf16("\u{feff}eins\nzwölf\n", to_bytes);
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    workspace.put("a.txt", marked(u16::to_le_bytes));
    workspace.put("b.txt", marked(u16::to_be_bytes));
    workspace.put("c.txt", "\u{feff}eins\nzwölf\n");
    let mut agent = machine.agent(&workspace);
    assert_eq!(
        lines(&mut agent, &workspace, json!({ "pattern": "^eins$|zwölf" })),
        ["a.txt:1:eins", "a.txt:2:zwölf", "b.txt:1:eins", "b.txt:2:zwölf", "c.txt:1:eins", "c.txt:2:zwölf"]
    );
}

#[test]
fn invalid_utf_8_does_not_hide_a_line() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", b"caf\xe9 one\n"));
    let found = lines(&mut machine.agent(&workspace), &workspace, json!({ "pattern": "one" }));
    assert_eq!(found, ["a.txt:1:caf\u{fffd} one"]);
}

#[test]
fn a_file_with_a_zero_byte_near_the_beginning_is_skipped_for_any_limit() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    workspace.put("early.bin", b"needle\0needle\n");
    workspace.put("first.bin", [b"needle\n".repeat(1_000).as_slice(), b"\0"].concat());
    workspace.put("late.txt", [b"needle\n".repeat(2_000).as_slice(), b"\0"].concat());
    let mut agent = machine.agent(&workspace);
    for (limit, expected) in [(1, 1), (100, 100), (1_000, 1_000)] {
        let found = search(&mut agent, json!({ "pattern": "needle", "limit": limit }));
        let matches = found["matches"].as_array().expect("a list");
        assert_eq!(matches.len(), expected);
        assert!(matches.iter().all(|found| found["path"] == workspace.absolute("late.txt")), "{found}");
    }
    for (name, is_text) in [("early.bin", false), ("first.bin", false), ("late.txt", true)] {
        assert_eq!(agent.try_read(name).is_ok(), is_text, "{name}: the rule for reading is the same");
    }
    let nothing = search(&mut agent, json!({ "pattern": "other" }));
    assert!(notice(&nothing).contains("2 files that are not text"), "{nothing}");
}

/// A client reads the lines that it found by their numbers.
#[test]
fn line_numbers_are_the_same_as_in_a_read() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let text = "b\r\nneedle 2\rx needle 3\r\r\nx\nneedle 6\r\n\r\nneedle 8\r";
    workspace.put("mixed.txt", text);
    workspace.put("returns.txt", "b\rneedle\r".repeat(50_000));
    workspace.put("wide.txt", utf16(&format!("\u{feff}{text}"), u16::to_le_bytes));
    let mut agent = machine.agent(&workspace);
    for (pattern, name, numbers) in [
        ("needle", "mixed.txt", vec![2, 3, 6, 8]),
        ("^needle", "mixed.txt", vec![2, 6, 8]),
        ("^$", "mixed.txt", vec![4, 7]),
        ("b$", "mixed.txt", vec![1]),
        ("needle", "wide.txt", vec![2, 3, 6, 8]),
        ("^needle$", "returns.txt", (1..=1_000).map(|number| 2 * number).collect()),
    ] {
        let found = search(&mut agent, json!({ "pattern": pattern, "path": name, "limit": 1_000 }));
        let matches = found["matches"].as_array().expect("a list");
        let found: Vec<_> = matches.iter().map(|found| found["line"].as_u64().expect("a number")).collect();
        assert_eq!(found, numbers, "{pattern} in {name}");
        for found in matches.iter().take(10) {
            let params = json!({ "path": name, "offset": found["line"], "limit": 1 });
            let read = agent.call("editd/read", params).done();
            let line = read["text"].as_str().expect("a text");
            assert_eq!(line.trim_end_matches(['\r', '\n']), found["text"], "{name}");
        }
    }
}

#[test]
fn a_long_line_is_truncated_around_the_match() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let many = |count| "\u{1f600}".repeat(count);
    workspace.put("a.txt", format!("{}\n", many(2_000)));
    workspace.put("b.txt", format!("{}needle\n", many(5_000)));
    workspace.put("c.txt", format!("{}needle{}\n", many(5_000), many(200_000)));
    workspace.put("d.txt", format!("needle{}\n", "y".repeat(1_000_000)));
    workspace.put("e.txt", format!("needle{}\n", many(2_000)));
    let mut agent = machine.agent(&workspace);
    let found = search(&mut agent, json!({ "pattern": "needle" }));
    let text = |index: usize| found["matches"][index]["text"].as_str().expect("a text");
    assert_eq!(text(0), many(1_994) + "needle");
    assert_eq!(text(1), many(994) + "needle" + &many(1_000));
    assert_eq!(text(2), format!("needle{}", "y".repeat(1_994)));
    assert_eq!(text(3), "needle".to_owned() + &many(1_994));
    assert!(notice(&found).contains("2,000"), "{found}");
    let whole = search(&mut agent, json!({ "pattern": "\u{1f600}", "path": "a.txt" }));
    assert_eq!((&whole["matches"][0]["text"], whole.get("notice")), (&json!(many(2_000)), None));
}

#[rstest]
#[case::open_group("f(", "pattern", "unclosed group")]
#[case::bad_class("[z-a]", "pattern", "range")]
#[case::a_line_ending("a\\nb", "pattern", "within one line")]
#[case::nothing("", "pattern", "empty")]
#[case::endless("(\\w{1000}){1000}", "pattern", "not a regular expression")]
fn an_invalid_pattern_is_refused(#[case] pattern: &str, #[case] field: &str, #[case] why: &str) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "f(x)\n"));
    let error = machine.agent(&workspace).call("editd/search", json!({ "pattern": pattern })).fails(-32602);
    assert_eq!(error.data["field"], field);
    assert!(error.message.contains(why), "{}", error.message);
    assert!(!error.message.contains('\n'), "{}", error.message);
}

#[test]
fn an_invalid_regex_suggests_a_literal_search() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "f(x)\n"));
    let mut agent = machine.agent(&workspace);
    let error = agent.call("editd/search", json!({ "pattern": "f(" })).fails(-32602);
    assert!(error.message.contains("`literal: true`"), "{}", error.message);
    assert_eq!(lines(&mut agent, &workspace, json!({ "pattern": "f(", "literal": true })), ["a.txt:1:f(x)"]);
    let error = agent.call("editd/search", json!({ "pattern": "a\nb", "literal": true })).fails(-32602);
    assert!(error.message.contains("within one line"), "{}", error.message);
}

#[rstest]
#[case::no_pattern(json!({}), "pattern")]
#[case::not_a_string(json!({ "pattern": 7 }), "pattern")]
#[case::no_limit(json!({ "pattern": "x", "limit": 0 }), "limit")]
#[case::an_unknown_field(json!({ "pattern": "x", "regex": true }), "regex")]
#[case::a_bad_glob(json!({ "pattern": "x", "glob": "{a" }), "glob")]
#[case::an_empty_glob(json!({ "pattern": "x", "glob": "" }), "glob")]
#[case::two_paths(json!({ "pattern": "x", "path": ".", "uri": "file:///x" }), "uri")]
#[case::no_path(json!({ "pattern": "x", "path": "" }), "path")]
#[case::a_long_pattern(json!({ "pattern": "x".repeat(10_001) }), "pattern")]
fn an_invalid_parameter_is_named(#[case] params: Value, #[case] field: &str) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "x\n"));
    let error = machine.agent(&workspace).call("editd/search", params).fails(-32602);
    assert_eq!(error.data["field"], field, "{error:?}");
}
