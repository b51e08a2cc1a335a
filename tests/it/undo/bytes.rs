//! Tests that an undo restores files byte for byte, in any encoding.

use std::cell::RefCell;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestError, TestRunner};
use rstest::rstest;
use serde_json::json;

use crate::support::{FRENCH, Machine, Outcome, Workspace, latin, utf16};

#[rstest]
#[case::crlf(b"one\r\ntwo  \r\nthree".to_vec(), "two", "2")]
#[case::mixed(b"one\r\ntwo\nthree\rfour\n".to_vec(), "two\n", "2\n")]
#[case::bom(b"\xef\xbb\xbfone\r\ntwo\r\n".to_vec(), "one", "1")]
#[case::utf16_le(utf16("one\r\ntwo\r\n", u16::to_le_bytes), "two", "2")]
#[case::utf16_be(utf16("ön\ntwö\n", u16::to_be_bytes), "twö", "2")]
#[case::latin(latin(FRENCH), "garcon", "ami")]
#[case::latin_without_its_accents(latin("un\ndeux\ncaf\u{e9}\n"), "caf", "the")]
#[case::strays([FRENCH.as_bytes(), b"\xff\n"].concat(), "forêt", "pré")]
fn an_edited_file_is_restored(#[case] bytes: Vec<u8>, #[case] old: &str, #[case] new: &str) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", &bytes));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let answer = agent.edit("a.txt", old, new);
    if let Ok(done) = answer {
        assert_ne!(workspace.bytes("a.txt"), bytes);
        let redo = agent.undo_this(&done).done();
        assert_eq!(workspace.bytes("a.txt"), bytes);
        agent.undo_this(&redo).done();
        assert_eq!(workspace.hash("a.txt"), done["files"][0]["hash"]);
    } else {
        assert_eq!(old, "garcon", "only absent text is not found: {answer:?}");
    }
}

#[test]
fn text_removed_under_a_guessed_encoding_is_restored() {
    let bytes = latin(FRENCH);
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", &bytes));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    // Only ASCII remains, so that the content no longer reveals the encoding.
    let write = json!({ "kind": "write", "path": "a.txt", "content": "plain\n" });
    agent.change(write).done();
    agent.undo().done();
    assert_eq!(workspace.bytes("a.txt"), bytes);
}

#[test]
fn a_change_of_encoding_is_reverted() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "é\r\ntwo\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let write = json!({ "kind": "write", "path": "a.txt", "content": "é\r\ntwo\n", "encoding": "utf-16le" });
    let done = agent.change(write).done();
    assert_eq!(workspace.bytes("a.txt").len(), 14);
    agent.undo_this(&done).done();
    assert_eq!(workspace.text("a.txt"), "é\r\ntwo\n");
}

#[test]
fn random_files_are_restored_after_random_edits() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let agent = RefCell::new(machine.agent(&workspace));
    let piece = prop_oneof![
        6 => "[a-z é\u{2028}😀]{0,8}".prop_map(String::into_bytes),
        5 => proptest::sample::select(vec!["\n", "\r\n", "\r", "\n\n"]).prop_map(|end| end.as_bytes().to_vec()),
        1 => proptest::collection::vec(1..=255_u8, 1..6),
    ];
    let file = proptest::collection::vec(piece, 1..20).prop_map(|pieces| pieces.concat());
    let edits = proptest::collection::vec((any::<prop::sample::Index>(), 1_usize..9, "[a-z\né]{0,6}"), 1..5);
    let check = |(bytes, edits): (Vec<u8>, Vec<(prop::sample::Index, usize, String)>)| {
        let mut agent = agent.borrow_mut();
        workspace.put("a.txt", &bytes);
        let Ok(read) = agent.try_read("a.txt") else { return Ok(()) };
        let mut text: Vec<char> = read["text"].as_str().unwrap().chars().collect();
        let mut done = Vec::new();
        for (place, length, new) in edits {
            let from = place.index(text.len() + 1);
            let to = (from + length).min(text.len());
            text.splice(from..to, new.chars());
            let content: String = text.iter().collect();
            let write = json!({ "kind": "write", "path": "a.txt", "content": content, "literal": true });
            if let Ok(answer) = agent.change(write) {
                done.push((answer, workspace.bytes("a.txt")));
            }
        }
        // Undo one by one, each to its own bytes.
        while let Some((answer, after)) = done.pop() {
            prop_assert_eq!(workspace.bytes("a.txt"), after);
            agent.undo_this(&answer).done();
        }
        prop_assert_eq!(workspace.bytes("a.txt"), bytes);
        Ok(())
    };
    let config = Config { cases: 150, failure_persistence: None, max_shrink_iters: 300, ..Config::default() };
    match TestRunner::new(config).run(&(file, edits), check) {
        Ok(()) => {}
        Err(TestError::Fail(reason, value)) => panic!("{reason}\nsmallest: {value:?}"),
        Err(TestError::Abort(reason)) => panic!("{reason}"),
    }
}
