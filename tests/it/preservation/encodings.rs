//! Edits keep the encoding of a file.

use rstest::rstest;
use serde_json::json;

use crate::support::{FRENCH, Machine, Outcome, Workspace, latin, utf16};

#[rstest]
#[case::little(u16::to_le_bytes)]
#[case::big(u16::to_be_bytes)]
fn utf_16_is_kept(#[case] to_bytes: fn(u16) -> [u8; 2]) {
    let before = "first “word”\r\nsecond 😀\nthird";
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", utf16(before, to_bytes)));
    let mut agent = machine.agent(&workspace);
    let applied = agent.read_and_edit("a.txt", "second 😀", "zwölf 日本 😀").done();
    let after = utf16(&before.replace("second", "zwölf 日本"), to_bytes);
    assert_eq!(workspace.bytes("a.txt"), after);
    assert_eq!(applied["files"][0]["hash"], workspace.hash("a.txt"));
    agent.edit("a.txt", "first", "erstes").done();
}

#[test]
fn a_legacy_encoding_is_kept() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", latin(FRENCH)));
    let applied = machine.agent(&workspace).read_and_edit("a.txt", "naïf.", "naïf et calme.").done();
    assert_eq!(workspace.bytes("a.txt"), latin(&FRENCH.replace("naïf.", "naïf et calme.")));
    assert_eq!(applied["files"][0]["hash"], workspace.hash("a.txt"));
}

#[test]
fn a_guessed_encoding_accepts_ascii_only() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", latin(FRENCH)));
    let mut agent = machine.agent(&workspace);
    agent.read_and_edit("a.txt", "garçon naïf", "garçon rêveur").refused("encoding");
    agent.edit("a.txt", "garçon naïf", "garçon 😀").refused("encoding");
    assert_eq!(workspace.bytes("a.txt"), latin(FRENCH));
    agent.edit("a.txt", "garçon naïf", "garçon calme").done();
}

#[test]
fn a_guessed_encoding_that_is_named_accepts_its_characters() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", latin(FRENCH)));
    let mut agent = machine.agent(&workspace);
    let encoding = agent.read("a.txt")["encoding"].as_str().expect("a name").to_owned();
    let edit = |new: &str, encoding: &str| {
        let edits = json!([{ "oldText": "garçon naïf", "newText": new }]);
        json!({ "kind": "edit", "path": "a.txt", "edits": edits, "encoding": encoding })
    };
    agent.change(edit("garçon 😀", &encoding)).refused("encoding");
    let other = agent.change(edit("garçon rêveur", "windows-1251")).refused("encoding");
    assert!(other["reason"].as_str().expect("a reason").contains("not as windows-1251"), "{other}");
    agent.change(edit("garçon rêveur", "no-such-encoding")).invalid("changes[0].encoding");
    assert_eq!(workspace.bytes("a.txt"), latin(FRENCH));
    agent.change(edit("garçon rêveur", &encoding)).done();
    assert_eq!(workspace.bytes("a.txt"), latin(&FRENCH.replace("garçon naïf", "garçon rêveur")));
    agent.call("editd/undo", json!({})).done();
    assert_eq!(workspace.bytes("a.txt"), latin(FRENCH));
}

#[test]
fn any_text_can_be_removed_from_a_legacy_file() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", latin(FRENCH)));
    machine.agent(&workspace).read_and_edit("a.txt", "déjà à la fenêtre ", "").done();
    assert_eq!(workspace.bytes("a.txt"), latin(&FRENCH.replace("déjà à la fenêtre ", "")));
}

#[rstest]
#[case::of_python("a.py", "# -*- coding: latin-1 -*-\nx = 'garçon naïf, déjà vu'\n", "ê", "€")]
#[case::of_xml(
    "a.xml",
    "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n<a>garçon naïf, déjà vu</a>\n",
    "ê",
    "€"
)]
#[case::of_html("a.html", "<html><meta charset=\"windows-1252\">\n<p>garçon naïf, déjà vu</p>\n", "€", "ł")]
fn a_declared_encoding_that_agrees_with_the_guess_is_trusted(
    #[case] path: &str,
    #[case] text: &str,
    #[case] taken: &str,
    #[case] refused: &str,
) {
    let (machine, workspace) = (Machine::start(), Workspace::file(path, latin(text)));
    let mut agent = machine.agent(&workspace);
    agent.read(path);
    agent.edit(path, "vu", refused).refused("encoding");
    assert_eq!(workspace.bytes(path), latin(text));
    agent.edit(path, "vu", taken).done();
    let expected = text.replace("vu", taken);
    assert_eq!(workspace.bytes(path), encoding_rs::WINDOWS_1252.encode(&expected).0.into_owned());
}
