/// Length of a text within a JSON string, in bytes. Counts the minimal escapes that this program and max
/// others write.
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

/// Returns the longest prefix of a text that takes at most `max` bytes as JSON.
pub fn json_prefix(text: &str, max: usize) -> &str {
    let mut taken = 0;
    let end = text.char_indices().find_map(|(at, char)| {
        taken += json_len(char.encode_utf8(&mut [0; 4]));
        (taken > max).then_some(at)
    });
    end.map_or(text, |end| &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_length_is_that_of_the_text_written_by_serde() {
        let every: String =
            (0..0x300).filter_map(char::from_u32).chain("\u{2028}\u{10ffff}".chars()).collect();
        let written = serde_json::to_string(&every).expect("JSON");
        assert_eq!(json_len(&every), written.len() - 2);
    }

    #[test]
    fn a_prefix_fits_and_does_not_split_a_character() {
        assert_eq!(json_prefix("a\nb", 2), "a");
        assert_eq!(json_prefix("a\nb", 3), "a\n");
        assert_eq!(json_prefix("aé", 2), "a");
        assert_eq!(json_prefix("aé", 3), "aé");
        assert_eq!(json_prefix("", 0), "");
    }
}
