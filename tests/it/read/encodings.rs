//! Text in other encodings.

use rstest::rstest;
use serde_json::json;

use crate::support::{FRENCH, Machine, Workspace, hash_of, latin, utf16};

#[rstest]
#[case::utf_8("naïve 😀\n".as_bytes().to_vec(), "utf8", false, "naïve 😀\n")]
#[case::utf_8_with_a_byte_order_mark("\u{feff}naïve\n".as_bytes().to_vec(), "utf8", true, "naïve\n")]
#[case::utf_16_little(utf16("naïve 😀\r\nb\r\n", u16::to_le_bytes), "utf16le", true, "naïve 😀\r\nb\r\n")]
#[case::utf_16_big(utf16("naïve 😀\nb\n", u16::to_be_bytes), "utf16be", true, "naïve 😀\nb\n")]
fn an_encoding_is_detected(
    #[case] bytes: Vec<u8>,
    #[case] encoding: &str,
    #[case] bom: bool,
    #[case] text: &str,
) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", &bytes));
    let read = machine.agent(&workspace).read("a.txt");
    let name = read["encoding"].as_str().expect("an encoding").to_lowercase().replace(['-', '_'], "");
    assert_eq!((name.as_str(), &read["text"], &read["bom"]), (encoding, &json!(text), &json!(bom)));
    assert_eq!((&read["hash"], &read["size"]), (&json!(hash_of(&bytes)), &json!(bytes.len())));
}

#[test]
fn a_legacy_encoding_is_guessed() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", latin(FRENCH)));
    let read = machine.agent(&workspace).read("a.txt");
    assert_eq!(read["text"], FRENCH);
    let name = read["encoding"].as_str().expect("an encoding").to_lowercase();
    assert!(name.contains("1252") || name.contains("8859"), "{name}");
    assert_eq!((&read["hash"], &read["totalLines"]), (&json!(hash_of(latin(FRENCH))), &json!(3)));
}

#[test]
fn a_byte_order_mark_alone_is_an_empty_text() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "\u{feff}"));
    let read = machine.agent(&workspace).read("a.txt");
    assert_eq!((&read["text"], &read["bom"], &read["totalLines"]), (&json!(""), &json!(true), &json!(0)));
    assert_eq!(read["size"], 3);
}
