//! `write`: sets the whole content of a new or existing file.

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{FRENCH, Machine, Outcome, Workspace, latin, utf16};

/// Returns the bytes of a file after a session has read and written it.
fn written(before: &[u8], mut change: Value) -> Vec<u8> {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", before));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    change["kind"] = json!("write");
    change["path"] = json!("a.txt");
    agent.change(change).done();
    workspace.bytes("a.txt")
}

#[rstest]
#[case::plain("a\nb\n", "a\nc\n", "a\nc\n")]
#[case::windows("a\r\nb\r\n", "a\nc\nd\n", "a\r\nc\r\nd\r\n")]
#[case::old_macintosh("a\rb\r", "a\nc\n", "a\rc\r")]
#[case::a_mark("\u{feff}a\nb\n", "a\nc\n", "\u{feff}a\nc\n")]
#[case::a_mark_that_is_sent_too("\u{feff}a\nb\n", "\u{feff}a\nc\n", "\u{feff}a\nc\n")]
#[case::mixed_ends_of_equal_lines("a\r\nb\nc\r\nd\n", "a\nb\nX\nd\n", "a\r\nb\nX\r\nd\n")]
#[case::no_final_end("a\nb", "a\nc", "a\nc")]
#[case::the_final_end_is_content("a\nb\n", "a\nb", "a\nb")]
#[case::an_end_is_added("a\nb", "a\nb\n", "a\nb\n")]
fn bytes_that_the_content_does_not_change_are_preserved(
    #[case] before: &str,
    #[case] content: &str,
    #[case] after: &str,
) {
    let bytes = written(before.as_bytes(), json!({ "content": content }));
    assert_eq!(String::from_utf8(bytes).expect("UTF-8"), after);
}

#[test]
fn literal_content_is_written_as_sent() {
    let bytes = written(b"a\r\nb\r\n", json!({ "content": "a\nc\n", "literal": true }));
    assert_eq!(bytes, b"a\nc\n");
}

#[test]
fn the_encoding_is_preserved() {
    let before = utf16("one\r\ntwo\r\n", u16::to_le_bytes);
    let after = utf16("one\r\nzwö 😀\r\n", u16::to_le_bytes);
    assert_eq!(written(&before, json!({ "content": "one\nzwö 😀\n" })), after);
}

#[test]
fn an_explicit_legacy_encoding_accepts_non_ascii_text() {
    let content = FRENCH.replace("café", "théâtre");
    let change = json!({ "content": content, "encoding": "windows-1252" });
    assert_eq!(written(&latin(FRENCH), change), latin(&content));
}

#[test]
fn a_guessed_encoding_accepts_only_ascii_text() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", latin(FRENCH)));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let content = FRENCH.replace("café", "théâtre");
    agent.change(json!({ "kind": "write", "path": "a.txt", "content": content })).refused("encoding");
    assert_eq!(workspace.bytes("a.txt"), latin(FRENCH));
}

#[test]
fn text_that_an_encoding_cannot_represent_is_refused() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", latin(FRENCH)));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let change =
        json!({ "kind": "write", "path": "a.txt", "content": "日本語\n", "encoding": "windows-1252" });
    agent.change(change).refused("encoding");
    assert_eq!(workspace.bytes("a.txt"), latin(FRENCH));
}

#[test]
fn writing_the_same_content_is_not_a_change() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "a\r\nb\r\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    for content in ["a\nb\n", "a\r\nb\r\n"] {
        agent.change(json!({ "kind": "write", "path": "a.txt", "content": content })).refused("no_change");
    }
    assert_eq!(workspace.text("a.txt"), "a\r\nb\r\n");
}
