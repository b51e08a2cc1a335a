//! Fields of the answer to a read.

use std::time::{Duration, SystemTime};

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Machine, Workspace, hash_of, put_mtime, uri_of};

fn read(bytes: impl AsRef<[u8]>) -> Value {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", bytes));
    machine.agent(&workspace).read("a.txt")
}

#[test]
fn a_read_has_every_field() {
    let text = "fn main() {\n    run();\n}\n";
    let (machine, workspace) = (Machine::start(), Workspace::file("src/a.rs", text));
    let instant = SystemTime::UNIX_EPOCH + Duration::new(1_000_000_000, 123_456_789);
    put_mtime(&workspace.path("src/a.rs"), instant);
    let read = machine.agent(&workspace).read("src/a.rs");
    assert_eq!(read["text"], text);
    assert_eq!(read["uri"], uri_of(&workspace.path("src/a.rs")));
    assert!(read["path"].as_str().expect("a path").ends_with("src/a.rs"));
    assert_eq!(read["hash"], hash_of(text));
    assert_eq!(read["size"], text.len());
    assert_eq!(read["mtime"], "2001-09-09T01:46:40.123456789Z");
    assert_eq!((&read["bom"], &read["eol"]), (&json!(false), &json!("lf")));
    assert_eq!(read["indent"], json!({ "style": "spaces", "width": 4 }));
    assert_eq!(read["source"], "disk");
    assert_eq!(
        (&read["startLine"], &read["endLine"], &read["totalLines"]),
        (&json!(1), &json!(3), &json!(3))
    );
    assert_eq!(read["truncated"], false);
}

#[test]
fn uri_and_path_of_a_read_name_the_file() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a folder/ü 100%.txt", "one\n"));
    let mut agent = machine.agent(&workspace);
    let first = agent.read("a folder/ü 100%.txt");
    for field in ["uri", "path"] {
        let again = agent.call("editd/read", json!({ field: first[field] })).expect("the same file");
        assert_eq!(again, first);
    }
}

#[rstest]
#[case::nothing("", "none", 0)]
#[case::one_line_without_a_line_ending("a", "none", 1)]
#[case::one_line("a\n", "lf", 1)]
#[case::no_final_line_ending("a\nb", "lf", 2)]
#[case::an_empty_line("\n", "lf", 1)]
#[case::windows("a\r\nb\r\n", "crlf", 2)]
#[case::old_macintosh("a\rb\r", "cr", 2)]
#[case::two_kinds("a\r\nb\n", "mixed", 2)]
#[case::three_kinds("a\r\nb\nc\rd", "mixed", 4)]
#[case::other_separators_are_text("a\u{2028}b\u{85}c\u{b}d\u{c}e\n", "lf", 1)]
fn line_endings_are_detected_and_kept(#[case] text: &str, #[case] eol: &str, #[case] lines: u64) {
    let read = read(text);
    assert_eq!(read["text"], text);
    assert_eq!((&read["eol"], &read["totalLines"]), (&json!(eol), &json!(lines)));
    assert_eq!(read["endLine"], lines);
}

#[rstest]
#[case::tabs("{\n\ta\n\t\tb\n}\n", json!({ "style": "tabs" }))]
#[case::two("a:\n  b:\n    c: 1\n  d: 2\n", json!({ "style": "spaces", "width": 2 }))]
#[case::four("def f():\n    if x:\n        y\n    z\n", json!({ "style": "spaces", "width": 4 }))]
#[case::flat("a\nb\n", json!({ "style": "none" }))]
#[case::both("{\n\ta\n    b\n\tc\n    d\n}\n", json!({ "style": "mixed" }))]
fn the_indentation_is_detected(#[case] text: &str, #[case] indent: Value) {
    let found = read(text)["indent"].clone();
    assert_eq!(found["style"], indent["style"], "{found}");
    if indent["style"] == "spaces" {
        assert_eq!(found["width"], indent["width"], "{found}");
    }
}

#[test]
fn an_empty_file_has_a_notice() {
    let read = read("");
    assert_eq!((&read["startLine"], &read["endLine"]), (&json!(1), &json!(0)));
    assert_eq!((&read["text"], &read["size"], &read["truncated"]), (&json!(""), &json!(0), &json!(false)));
    assert!(read["notice"].as_str().is_some_and(|notice| notice.contains("empty")), "{read}");
}

#[test]
fn the_hash_depends_only_on_the_bytes() {
    let files =
        [("a.txt", "same\n"), ("b.txt", "same\n"), ("c.txt", "same\r\n"), ("d.txt", "\u{feff}same\n")];
    let (machine, workspace) = (Machine::start(), Workspace::with(&files));
    let (mut one, mut other) = (machine.agent(&workspace), machine.agent_named("bob", &workspace));
    for (name, bytes) in files {
        assert_eq!(one.read(name)["hash"], hash_of(bytes), "{name}");
        assert_eq!(other.read(name)["hash"], hash_of(bytes), "{name}");
        assert_eq!(one.read(name)["hash"], hash_of(bytes), "{name}");
    }
}

#[test]
fn a_read_returns_the_current_content_on_disk() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut agent = machine.agent(&workspace);
    let date = workspace.path("a.txt").metadata().expect("a file").modified().expect("its time");
    for text in ["one\n", "two\n", "six\n"] {
        workspace.put("a.txt", text);
        put_mtime(&workspace.path("a.txt"), date);
        let read = agent.read("a.txt");
        assert_eq!((&read["text"], &read["hash"]), (&json!(text), &json!(hash_of(text))));
    }
}
