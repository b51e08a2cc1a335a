//! A fast JSON serializer for outgoing messages.
//!
//! `serde_json` checks the bytes of a text one at a time for characters to escape. For a read of a large
//! file, this takes longer than everything else, so this serializer checks eight bytes at a time.

use serde_json::Value;

/// Serializes a value without whitespace, byte for byte as `serde_json` does.
pub(super) fn serialize(value: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    append(value, &mut out);
    out
}

fn append(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::Null => out.extend_from_slice(b"null"),
        Value::Bool(true) => out.extend_from_slice(b"true"),
        Value::Bool(false) => out.extend_from_slice(b"false"),
        Value::Number(number) => out.extend_from_slice(number.to_string().as_bytes()),
        Value::String(text) => append_text(text, out),
        Value::Array(values) => append_list(values, *b"[]", out, append),
        Value::Object(members) => append_list(members, *b"{}", out, |(name, value), out| {
            append_text(name, out);
            out.push(b':');
            append(value, out);
        }),
    }
}

fn append_list<T>(
    items: impl IntoIterator<Item = T>,
    [open, close]: [u8; 2],
    out: &mut Vec<u8>,
    append_item: impl Fn(T, &mut Vec<u8>),
) {
    out.push(open);
    for (at, item) in items.into_iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        append_item(item, out);
    }
    out.push(close);
}

fn append_text(text: &str, out: &mut Vec<u8>) {
    out.reserve(text.len() + 2);
    out.push(b'"');
    let mut rest = text.as_bytes();
    loop {
        let (plain, special) = rest.split_at(plain_len(rest));
        out.extend_from_slice(plain);
        let Some((&byte, further)) = special.split_first() else { break };
        append_escaped(byte, out);
        rest = further;
    }
    out.push(b'"');
}

/// Returns the number of bytes before the first byte to escape.
fn plain_len(bytes: &[u8]) -> usize {
    let (words, rest) = bytes.as_chunks::<8>();
    for (at, word) in words.iter().enumerate() {
        let special = special_in(u64::from_le_bytes(*word));
        if special != 0 {
            return at * 8 + special.trailing_zeros() as usize / 8;
        }
    }
    let special = |byte: &u8| matches!(byte, ..0x20 | b'"' | b'\\');
    words.len() * 8 + rest.iter().position(special).unwrap_or(rest.len())
}

/// Returns a mask whose lowest set bit is in the lowest byte to escape, or 0 if there is none.
fn special_in(word: u64) -> u64 {
    const ONES: u64 = u64::MAX / 0xff;
    // The subtraction sets the highest bit of each byte below the bound, unless it was set before. A borrow
    // corrupts only bytes above a byte that is found.
    let less = |word: u64, bound: u8| word.wrapping_sub(ONES * u64::from(bound)) & !word;
    let is = |byte: u8| less(word ^ (ONES * u64::from(byte)), 1);
    (less(word, 0x20) | is(b'"') | is(b'\\')) & (ONES << 7)
}

fn append_escaped(byte: u8, out: &mut Vec<u8>) {
    let short = match byte {
        b'"' | b'\\' => byte,
        0x08 => b'b',
        b'\t' => b't',
        b'\n' => b'n',
        0x0c => b'f',
        b'\r' => b'r',
        _ => return out.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
    };
    out.extend_from_slice(&[b'\\', short]);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Map, Number, json};

    use super::*;

    /// Any text, with a bias towards characters that are escaped or differ from those by one bit.
    fn texts() -> impl Strategy<Value = String> {
        let special = prop::sample::select(vec![
            '"', '\\', '\0', '\x1f', ' ', '!', '#', ']', '[', '\x7f', '\u{80}', 'Ä', '𝄞',
        ]);
        let char = prop_oneof![special, proptest::char::range('\0', ' '), any::<char>(), Just('a')];
        prop::collection::vec(char, 0..40).prop_map(String::from_iter)
    }

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_map(|float| Number::from_f64(float).map_or(Value::Null, Value::Number)),
            texts().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            let members = prop::collection::vec((texts(), inner.clone()), 0..6);
            prop_oneof![
                prop::collection::vec(inner, 0..6).prop_map(Value::from),
                members.prop_map(|members| Value::Object(Map::from_iter(members))),
            ]
        })
    }

    proptest! {
        #[test]
        fn equals_the_output_of_serde_json(value in values()) {
            prop_assert_eq!(String::from_utf8(serialize(&value)).unwrap(), value.to_string());
        }
    }

    #[test]
    fn every_byte_is_handled_at_every_offset() {
        for byte in 0..0x80_u8 {
            for before in 0..17 {
                let text = format!("{}{}{}", "é".repeat(before % 3), "a".repeat(before), char::from(byte))
                    + "\u{1}b\"";
                let value = json!(text);
                assert_eq!(serialize(&value), value.to_string().into_bytes(), "{text:?}");
            }
        }
    }
}
