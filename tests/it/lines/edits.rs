//! Edits that name lines by number.

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Agent, Machine, Outcome, Workspace};

pub(super) const TEXT: &str = "one\ntwo\nthree\nfour\nfive\n";

/// Reads a file with line numbers. Returns its tag.
pub(super) fn anchored(agent: &mut Agent, path: &str) -> String {
    let read = agent.call("editd/read", json!({ "path": path, "anchored": true })).done();
    let anchor = read["anchor"].as_str().expect("an anchor");
    let (named, tag) = anchor.split_once('#').expect("a tag");
    assert_eq!(named, path);
    tag.to_owned()
}

#[expect(clippy::needless_pass_by_value, reason = "a value written at the place of the call reads best")]
pub(super) fn edits(agent: &mut Agent, path: &str, edits: Value) -> crate::support::Answer {
    agent.call("editd/edit", json!({ "path": path, "edits": edits }))
}

#[test]
fn an_anchored_read_names_the_version_and_numbers_the_lines() {
    let (machine, workspace) = (Machine::start(), Workspace::file("src/a.rs", "a\r\nb"));
    let mut agent = machine.agent(&workspace);
    let read = agent.call("editd/read", json!({ "path": "src/a.rs", "anchored": true })).done();
    let tag = &read["hash"].as_str().expect("a hash")[3..9];
    assert_eq!(read["text"], format!("src/a.rs#{tag}\r\n1\ta\r\n2\tb"));
    assert_eq!(read["anchor"], format!("src/a.rs#{tag}"));
    let plain = agent.call("editd/read", json!({ "path": "src/a.rs" })).done();
    assert_eq!((&plain["text"], plain.get("anchor")), (&json!("a\r\nb"), None));
}

#[rstest]
#[case::replaced(json!([{ "lines": "2-3", "newText": "2\n3" }]), "one\n2\n3\nfour\nfive\n")]
#[case::one_line_as_a_number(json!([{ "lines": 2, "newText": "2" }]), "one\n2\nthree\nfour\nfive\n")]
#[case::deleted(json!([{ "lines": "2-4", "delete": true }]), "one\nfive\n")]
#[case::after(json!([{ "after": 5, "newText": "six\n" }]), "one\ntwo\nthree\nfour\nfive\nsix\n")]
#[case::at_the_start(json!([{ "after": 0, "newText": "zero" }]), "zero\none\ntwo\nthree\nfour\nfive\n")]
#[case::before(json!([{ "before": 1, "newText": "zero" }]), "zero\none\ntwo\nthree\nfour\nfive\n")]
#[case::several(
    json!([{ "lines": "5", "newText": "5" }, { "after": 1, "newText": "1a" }, { "lines": "2", "delete": true }]),
    "one\n1a\nthree\nfour\n5\n",
)]
#[case::with_an_edit_of_text(
    json!([{ "oldText": "five", "newText": "5" }, { "lines": "1", "newText": "1" }]),
    "1\ntwo\nthree\nfour\n5\n",
)]
#[case::off_by_one(json!([{ "lines": "1-2", "first": "two", "last": "three", "newText": "x" }]), "one\nx\nfour\nfive\n")]
fn lines_are_edited(#[case] requested: Value, #[case] after: &str) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", TEXT));
    let mut agent = machine.agent(&workspace);
    anchored(&mut agent, "a.txt");
    let done = edits(&mut agent, "a.txt", requested.clone()).done();
    assert_eq!(workspace.text("a.txt"), after);
    let matches = done["files"][0]["matches"].as_array().expect("matches");
    assert_eq!(matches.len(), requested.as_array().expect("a list").len());
    assert!(matches.iter().any(|found| found["strategy"] == "lines"));
    agent.undo().done();
    assert_eq!(workspace.text("a.txt"), TEXT);
}

#[rstest]
#[case::beyond_the_end(json!([{ "lines": "5-6", "newText": "x" }]), "not_found", "has 5 lines")]
#[case::other_text(json!([{ "lines": "2", "first": "ten", "newText": "x" }]), "not_found", "`first`")]
#[case::twice(json!([{ "lines": "2-3", "newText": "x" }, { "lines": "3", "delete": true }]), "overlap", "edits[0]")]
#[case::text_and_lines(json!([{ "oldText": "two", "newText": "x" }, { "lines": "2", "delete": true }]), "overlap", "edits[0]")]
#[case::no_change(json!([{ "lines": "2", "newText": "two" }]), "no_change", "")]
#[case::reversed(json!([{ "lines": "3-2", "newText": "x" }]), "invalid_params", "the last line comes before the first")]
#[case::no_lines(json!([{ "lines": "two", "newText": "x" }]), "invalid_params", "`12-15`")]
#[case::line_zero(json!([{ "before": 0, "newText": "x" }]), "invalid_params", "counted from 1")]
#[case::no_new_text(json!([{ "lines": "2" }]), "invalid_params", "`delete`")]
#[case::delete_and_new_text(json!([{ "lines": "2", "newText": "x", "delete": true }]), "invalid_params", "delete")]
#[case::two_places(json!([{ "lines": "2", "after": 3, "newText": "x" }]), "invalid_params", "lines")]
#[case::two_forms(json!([{ "after": 2, "oldText": "two", "newText": "x" }]), "invalid_params", "oldText")]
#[case::no_form(json!([{ "newText": "x" }]), "invalid_params", "oldText")]
#[case::first_without_lines(json!([{ "oldText": "two", "newText": "x", "first": "two" }]), "invalid_params", "first")]
fn lines_that_cannot_be_edited_are_refused(#[case] requested: Value, #[case] kind: &str, #[case] says: &str) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", TEXT));
    let mut agent = machine.agent(&workspace);
    anchored(&mut agent, "a.txt");
    let error = edits(&mut agent, "a.txt", requested).expect_err("a refusal");
    assert_eq!(error.kind(), kind, "{error:?}");
    assert!(error.message.contains(says), "{}", error.message);
    assert_eq!(workspace.text("a.txt"), TEXT);
}

#[test]
fn sequential_edits_cannot_name_lines() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", TEXT));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let params = json!({ "path": "a.txt", "sequential": true, "edits": [{ "lines": "2", "newText": "x" }] });
    agent.call("editd/edit", params).refused("invalid_params");
}

#[test]
fn lines_that_were_not_shown_are_refused_and_shown() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", TEXT));
    let mut agent = machine.agent(&workspace);
    edits(&mut agent, "a.txt", json!([{ "lines": "2", "newText": "x" }])).refused("unread");
    agent.call("editd/read", json!({ "path": "a.txt", "limit": 1 })).done();
    let unread = edits(&mut agent, "a.txt", json!([{ "lines": "1-2", "newText": "x" }])).refused("unread");
    assert_eq!(unread["excerpt"], "1\tone\n2\ttwo\n3\tthree\n4\tfour\n");
    assert_eq!(unread["lines"], "1-2");
    edits(&mut agent, "a.txt", json!([{ "lines": "5", "newText": "x" }])).refused("unread");
    edits(&mut agent, "a.txt", json!([{ "lines": "1-2", "newText": "x" }])).done();
    assert_eq!(workspace.text("a.txt"), "x\nthree\nfour\nfive\n");
}

#[rstest]
#[case::after(json!({ "after": 3, "newText": "x" }), Some("one\n\n  \nx\nfour\nfive\n"))]
#[case::replaced(json!({ "lines": "2-3", "newText": "x" }), Some("one\nx\nfour\nfive\n"))]
#[case::with_a_line_that_was_shown(json!({ "lines": "1-3", "newText": "x" }), Some("x\nfour\nfive\n"))]
#[case::with_a_line_that_was_not(json!({ "lines": "3-4", "newText": "x" }), None)]
#[case::pattern(json!({ "oldText": "(?m)^[ ]+$", "regex": true, "replaceAll": true, "newText": "" }), Some("one\n\n\nfour\nfive\n"))]
fn blank_lines_need_not_be_shown(#[case] edit: Value, #[case] after: Option<&str>) {
    let text = "one\n\n  \nfour\nfive\n";
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", text));
    let mut agent = machine.agent(&workspace);
    agent.call("editd/read", json!({ "path": "a.txt", "limit": 1 })).done();
    let answer = edits(&mut agent, "a.txt", json!([edit]));
    match after {
        Some(_) => drop(answer.done()),
        None => drop(answer.refused("unread")),
    }
    assert_eq!(workspace.text("a.txt"), after.unwrap_or(text));
}

#[test]
fn partial_reads_add_up_and_cut_lines_do_not_count() {
    let long = format!("one\n{}\nthree\n", "x".repeat(100));
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", &long));
    let mut agent = machine.agent(&workspace);
    for line in 1..=3 {
        let window = json!({ "path": "a.txt", "offset": line, "limit": 1, "maxColumns": 50 });
        agent.call("editd/read", window).done();
    }
    edits(&mut agent, "a.txt", json!([{ "lines": "2", "newText": "two" }])).refused("unread");
    edits(&mut agent, "a.txt", json!([{ "lines": "1", "newText": "1" }, { "lines": "3", "newText": "3" }]))
        .done();
    assert_eq!(workspace.text("a.txt"), long.replace("one", "1").replace("three", "3"));
}

#[test]
fn lines_of_a_byte_order_mark_and_of_utf_16_are_edited() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "\u{feff}é😀\nb\n"));
    let utf16: Vec<u8> = "\u{feff}x\r\ny😀\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    std::fs::write(workspace.path("b.txt"), utf16).expect("a write");
    let mut agent = machine.agent(&workspace);
    agent.read_all(&["a.txt", "b.txt"]);
    edits(&mut agent, "a.txt", json!([{ "lines": "1", "newText": "ü" }])).done();
    assert_eq!(workspace.text("a.txt"), "\u{feff}ü\nb\n");
    edits(&mut agent, "b.txt", json!([{ "after": 1, "newText": "z\n" }])).done();
    let bytes = std::fs::read(workspace.path("b.txt")).expect("a file");
    let expected: Vec<u8> = "\u{feff}x\r\nz\r\ny😀\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(bytes, expected);
}

/// Numbers at which arithmetic overflows, and ranges of more lines than a machine can count.
#[rstest]
#[case::a_range(json!({ "lines": format!("1-{}", u64::MAX), "newText": "x" }))]
#[case::the_last_line(json!({ "lines": u64::MAX, "newText": "x" }))]
#[case::the_last_lines(json!({ "lines": format!("{}-{}", u64::MAX - 1, u64::MAX), "delete": true }))]
#[case::after(json!({ "after": u64::MAX, "newText": "x" }))]
#[case::after_a_known_line(json!({ "after": u64::MAX, "first": "x", "newText": "x" }))]
#[case::before(json!({ "before": u64::MAX, "last": "x", "newText": "x" }))]
#[case::moved(json!({ "move": { "lines": format!("2-{}", u64::MAX) }, "to": { "after": 0 } }))]
#[case::copied(json!({ "copy": { "lines": "1" }, "to": { "after": u64::MAX }, "reindent": true }))]
#[case::copied_before(json!({ "copy": { "lines": "1" }, "to": { "before": u64::MAX }, "reindent": true }))]
fn numbers_of_no_line_are_refused(#[case] edit: Value) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", TEXT));
    let mut agent = machine.agent(&workspace);
    edits(&mut agent, "a.txt", json!([edit])).refused_as_any(&["unread", "not_found"]);
    agent.call("editd/read", json!({ "path": "a.txt", "offset": u64::MAX })).done();
    edits(&mut agent, "a.txt", json!([edit])).refused_as_any(&["unread", "not_found"]);
    let tag = anchored(&mut agent, "a.txt");
    edits(&mut agent, "a.txt", json!([edit])).refused("not_found");
    // In another version, all lines have other numbers.
    workspace.put("a.txt", format!("zero\n{TEXT}"));
    agent.read("a.txt");
    edits(&mut agent, "a.txt", json!([edit])).refused_as_any(&["ambiguous", "not_found"]);
    edits(&mut agent, &format!("a.txt#{tag}"), json!([edit])).refused_as_any(&["stale", "not_found"]);
    let rebase = json!({ "path": format!("a.txt#{tag}"), "edits": [edit], "onStale": "rebase" });
    agent.call("editd/edit", rebase).refused("not_found");
    assert_eq!(workspace.text("a.txt"), format!("zero\n{TEXT}"));
}

#[rstest]
#[case("PUT 18446744073709551615:\n+x\n")]
#[case("PUT >18446744073709551615:\n+x\n")]
#[case("PUT <18446744073709551615:\n+x\n")]
#[case("CUT 1.=18446744073709551615\n")]
fn numbers_of_no_line_are_refused_in_patches(#[case] operation: &str) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", TEXT));
    let mut agent = machine.agent(&workspace);
    let tag = anchored(&mut agent, "a.txt");
    agent.call("editd/edit", json!({ "patch": format!("[a.txt#{tag}]\n{operation}") })).refused("not_found");
    assert_eq!(workspace.text("a.txt"), TEXT);
}
