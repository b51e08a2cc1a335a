//! Properties over random files: an edit changes only its own text, or is refused.

use std::cell::RefCell;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestError, TestRunner};
use serde_json::json;

use crate::support::{Agent, Documents, Machine, Outcome, Workspace};

const WORD: &[u8] = b"Zq7Marker";
const NEW: &[u8] = b"replaced by this";

/// Runs `check` on many values against one daemon, and panics with the smallest failing value.
fn for_many<S>(cases: u32, strategy: &S, check: impl Fn(S::Value) -> Result<(), TestCaseError>)
where
    S: Strategy,
    S::Value: std::fmt::Debug,
{
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 500, ..Config::default() };
    match TestRunner::new(config).run(strategy, check) {
        Ok(()) => {}
        Err(TestError::Fail(reason, value)) => panic!("{reason}\nsmallest: {value:?}"),
        Err(TestError::Abort(reason)) => panic!("{reason}"),
    }
}

fn piece() -> impl Strategy<Value = Vec<u8>> {
    let words = [
        "one",
        "  two",
        "\t\tthree",
        "“four”",
        "fünf",
        "😀",
        "cafe\u{301}",
        "\u{a0}",
        "a b ",
        "½",
        "\u{2028}",
    ];
    let ends = ["\n", "\r\n", "\r", "\n\n", "  \n", "\t\r\n"];
    prop_oneof![
        4 => proptest::sample::select(words.to_vec()).prop_map(|word| word.as_bytes().to_vec()),
        4 => proptest::sample::select(ends.to_vec()).prop_map(|end| end.as_bytes().to_vec()),
        1 => proptest::collection::vec(1..=255_u8, 1..12),
    ]
}

fn text() -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(piece(), 0..30).prop_map(|pieces| pieces.concat())
}

/// Replaces the word in the middle of a file. Returns `true` if the edit was applied.
fn edit_word(
    agent: &mut Agent,
    workspace: &Workspace,
    before: &[u8],
    after: &[u8],
) -> Result<bool, TestCaseError> {
    let file = [before, WORD, after].concat();
    workspace.put("a.txt", &file);
    if agent.try_read("a.txt").is_err() {
        prop_assert_eq!(workspace.bytes("a.txt"), file);
        return Ok(false);
    }
    let (old, new) = (String::from_utf8_lossy(WORD), String::from_utf8_lossy(NEW));
    let answer = agent.edit("a.txt", &old, &new);
    let expected = if answer.is_ok() { [before, NEW, after].concat() } else { file };
    prop_assert_eq!(workspace.bytes("a.txt"), expected);
    Ok(answer.is_ok())
}

#[test]
fn an_edit_changes_its_own_bytes_or_none() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let agent = RefCell::new(machine.agent(&workspace));
    for_many(300, &(text(), text()), |(before, after)| {
        edit_word(&mut agent.borrow_mut(), &workspace, &before, &after).map(drop)
    });
}

#[test]
fn any_utf_8_text_can_be_edited() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let agent = RefCell::new(machine.agent(&workspace));
    let any = || "[^\u{0}]{0,80}";
    for_many(200, &(any(), any()), |(before, after): (String, String)| {
        let done = edit_word(&mut agent.borrow_mut(), &workspace, before.as_bytes(), after.as_bytes())?;
        prop_assert!(done, "a text in UTF-8 can be edited");
        Ok(())
    });
}

#[test]
fn a_simple_client_and_the_daemon_produce_the_same_text() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let agent = RefCell::new(machine.agent(&workspace));
    let lines = || proptest::collection::vec("[a-c😀é]{0,4}(\n|\r\n)", 0..12);
    for_many(200, &(lines(), lines()), |(old, new): (Vec<String>, Vec<String>)| {
        let (old, new) = (old.concat(), new.concat());
        let mut agent = agent.borrow_mut();
        workspace.put("a.txt", &old);
        agent.read("a.txt");
        let change = json!({ "kind": "write", "path": "a.txt", "content": new, "literal": true });
        let Ok(proposal) = agent.call("editd/propose", json!({ "changes": [change] })) else {
            prop_assert_eq!(old, new, "only an unchanged text is refused");
            return Ok(());
        };
        let mut client = Documents::new(&[(&workspace.path("a.txt"), &old)]);
        client.apply(&proposal["workspaceEdit"], "utf-16");
        agent.apply(&proposal).done();
        prop_assert_eq!(&workspace.text("a.txt"), &new);
        prop_assert_eq!(client, Documents::new(&[(&workspace.path("a.txt"), &new)]));
        Ok(())
    });
}
