/// Bytes that a text takes within a string of JSON, as it is written here and by most others: with as few escapes
/// as there can be.
pub fn json_len(text: &str) -> usize {
    text.bytes().map(byte_len).sum()
}

fn byte_len(byte: u8) -> usize {
    match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 0x08 | 0x0c => 2,
        0..0x20 => 6,
        _ => 1,
    }
}

/// As much of the beginning of a text as takes no more than `most` bytes of JSON.
pub fn json_prefix(text: &str, most: usize) -> &str {
    let mut taken = 0;
    let end = text.char_indices().find_map(|(at, char)| {
        taken += json_len(char.encode_utf8(&mut [0; 4]));
        (taken > most).then_some(at)
    });
    end.map_or(text, |end| &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_as_long_as_serde_writes_it() {
        let every: String =
            (0..0x300).filter_map(char::from_u32).chain("\u{2028}\u{10ffff}".chars()).collect();
        let written = serde_json::to_string(&every).expect("JSON");
        assert_eq!(json_len(&every), written.len() - 2);
    }

    #[test]
    fn a_prefix_fits_and_splits_no_character() {
        assert_eq!(json_prefix("a\nb", 2), "a");
        assert_eq!(json_prefix("a\nb", 3), "a\n");
        assert_eq!(json_prefix("aé", 2), "a");
        assert_eq!(json_prefix("aé", 3), "aé");
        assert_eq!(json_prefix("", 0), "");
    }
}
