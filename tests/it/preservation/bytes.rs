//! Bytes outside of the change are kept.

use rstest::rstest;
use serde_json::json;

use crate::support::{Machine, Outcome, Workspace};

/// Each text contains `word` once; all other bytes must be kept.
#[rstest]
#[case::windows_line_endings(b"a\r\nword\r\nb\r\n".to_vec())]
#[case::old_macintosh_line_endings(b"a\rword\rb\r".to_vec())]
#[case::mixed_line_endings(b"a\r\nb\nc\rd word d\r\n\n\r\r\n".to_vec())]
#[case::a_byte_order_mark("\u{feff}a word\n".as_bytes().to_vec())]
#[case::a_byte_order_mark_and_windows_line_endings("\u{feff}a\r\nword\r\n".as_bytes().to_vec())]
#[case::byte_order_marks_in_the_middle("a\u{feff} word \u{feff}\n".as_bytes().to_vec())]
#[case::no_final_line_ending(b"a\nword".to_vec())]
#[case::several_final_line_endings(b"word\n\n\n\n".to_vec())]
#[case::trailing_whitespace(b"a  \nword  \n \t \nb\t\n".to_vec())]
#[case::mixed_indents(b"\t  a\n  \tword\n\t\tb\n    c\n".to_vec())]
#[case::typography("“a” word ’b’ –\u{a0}— …\u{2009}ﬁ ½\n".as_bytes().to_vec())]
#[case::decomposed_letters("cafe\u{301} word A\u{30a}\n".as_bytes().to_vec())]
#[case::other_separators("a\u{2028}word\u{85}b\u{b}c\u{c}d\n".as_bytes().to_vec())]
#[case::control_characters(b"\x01\x02 word \x1b[31m\x7f\n".to_vec())]
#[case::wide_characters("😀👩‍👩‍👧 word 日本語\n".as_bytes().to_vec())]
#[case::stray_bytes(b"na\xc3\xafve text with a stray \xff byte, word, and more \xc3\xa9t\xc3\xa9\n".to_vec())]
#[case::a_long_line([vec![b'x'; 300_000], b" word ".to_vec(), vec![b'y'; 300_000]].concat())]
fn an_edit_changes_only_its_word(#[case] before: Vec<u8>) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", &before));
    machine.agent(&workspace).read_and_edit("a.txt", "word", "term").done();
    let at = before.windows(4).position(|window| window == b"word").expect("the word");
    let after = [&before[..at], b"term", &before[at + 4..]].concat();
    assert_eq!(workspace.bytes("a.txt"), after);
}

#[test]
fn a_series_of_edits_and_reversals_restores_the_file() {
    let before = "\u{feff}“one”  \r\n\ttwo\n  three \rfour";
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", before));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    for (old, new) in [("one", "1"), ("two", "2"), ("three", "3"), ("four", "4")] {
        agent.edit("a.txt", old, new).done();
    }
    for (old, new) in [("1", "one"), ("2", "two"), ("3", "three"), ("4", "four")] {
        agent.edit("a.txt", old, new).done();
    }
    assert_eq!(workspace.text("a.txt"), before);
}

#[test]
fn new_lines_get_the_line_endings_of_their_surroundings() {
    let before = "a\r\nb\r\nc\nd\n";
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", before));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let edits = json!([
        { "oldText": "a\n", "newText": "a\nafter a\n" },
        { "oldText": "d\n", "newText": "d\nafter d\n" },
    ]);
    agent.call("editd/edit", json!({ "path": "a.txt", "edits": edits })).done();
    assert_eq!(workspace.text("a.txt"), "a\r\nafter a\r\nb\r\nc\nd\nafter d\n");
}
