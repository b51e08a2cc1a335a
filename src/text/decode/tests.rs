use proptest::prelude::*;
use rstest::rstest;

use super::*;
use crate::Unencodable;

fn format(name: &str, bom: bool, guessed: bool) -> Format {
    Format { encoding: Encoding::from_label(name).unwrap(), bom, guessed }
}

#[rstest]
#[case(b"", "", format("utf-8", false, false))]
#[case("é".as_bytes(), "é", format("utf-8", false, false))]
#[case(b"\xEF\xBB\xBFa", "a", format("utf-8", true, false))]
#[case(b"\xFF\xFEa\0", "a", format("utf-16le", true, false))]
#[case(b"\xFE\xFF\0a", "a", format("utf-16be", true, false))]
#[case(b"a\0b\0\n\0", "ab\n", format("utf-16le", false, true))]
#[case(b"\0a\0b", "ab", format("utf-16be", false, true))]
#[case(b"caf\xE9 au lait, d\xE9j\xE0 vu\n", "café au lait, déjà vu\n", format("windows-1252", false, true))]
#[case(b"caf\xC3\xA9 \xFF", "café \u{10FFFF}", format("utf-8-stray", false, false))]
fn the_encoding_is_found(#[case] bytes: &[u8], #[case] text: &str, #[case] format: Format) {
    let decoded = decode(bytes, None).unwrap();
    assert_eq!((&*decoded.text, decoded.format), (text, format));
    assert_eq!(*format.encode(text).unwrap(), *bytes);
    let kept = (format != Format::UTF8).then(|| bytes.to_vec());
    assert_eq!(decode_vec(bytes.to_vec()), Ok(DecodedVec { text: text.to_owned(), format, bytes: kept }));
}

#[rstest]
#[case(b"a\0b", None, NotText::Binary)]
#[case(b"\x7FELF\x02\x01\x01\0\0\0", None, NotText::Binary)]
#[case(b"\xFF\xFE\0\0a\0\0\0", None, NotText::Binary)]
#[case(b"\xFF\xFEa", None, NotText::Encoding)]
#[case(b"\xFF\xFE\x00\xD8a\0", None, NotText::Encoding)]
#[case(b"\xE9", Some("utf-8"), NotText::Encoding)]
#[case(b"\x81\x30", Some("shift_jis"), NotText::Encoding)]
fn bytes_that_would_not_round_trip_are_refused(
    #[case] bytes: &[u8],
    #[case] declared: Option<&str>,
    #[case] expected: NotText,
) {
    assert_eq!(decode(bytes, declared.and_then(Encoding::from_label)), Err(expected));
    if declared.is_none() {
        assert_eq!(decode_vec(bytes.to_vec()), Err((bytes.to_vec(), expected)));
    }
}

#[test]
fn a_declared_encoding_is_used() {
    let decoded = decode(b"\xE9", Encoding::from_label("ISO-8859-2")).unwrap();
    assert_eq!((&*decoded.text, decoded.format), ("é", format("iso-8859-2", false, false)));
}

#[test]
fn characters_used_for_strays_are_distinguished_from_strays() {
    let bytes = ["é\u{10FF80}é".as_bytes(), b"\xFF"].concat();
    let decoded = decode(&bytes, None).unwrap();
    assert_ne!(decoded.format.encoding, Encoding::Utf8Stray);
    assert_eq!(*decoded.format.encode(&decoded.text).unwrap(), *bytes);
}

#[test]
fn a_character_that_cannot_be_encoded_is_reported() {
    let western = format("windows-1252", false, true);
    assert_eq!(western.encode("né😀x"), Err(Unencodable { offset: 3, character: '😀' }));
    assert!(western.takes("plain") && !western.takes("é"));
    assert!(Format::UTF8.takes("é"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]
    #[test]
    fn bytes_are_refused_or_round_trip(
        bytes in prop_oneof![
            proptest::collection::vec(any::<u8>(), 0..64),
            proptest::collection::vec(1_u8.., 0..64),
            "[a-zé😀\r\n]{0,20}".prop_map(String::into_bytes),
            ("[a-zé]{0,20}", any::<u8>()).prop_map(|(text, byte)| [text.as_bytes(), &[byte]].concat()),
        ],
        declared in proptest::option::of(prop_oneof![Just("shift_jis"), Just("gbk"), Just("utf-16le")]),
    ) {
        if let Ok(decoded) = decode(&bytes, declared.and_then(Encoding::from_label)) {
            prop_assert_eq!(&*decoded.format.encode(&decoded.text).unwrap(), &*bytes);
            prop_assert!(!decoded.format.bom || !bytes.is_empty());
        }
    }
}
