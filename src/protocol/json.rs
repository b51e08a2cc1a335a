use std::cell::Cell;
use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// Maximum number of values in one JSON text, including list items and object members. The largest allowed
/// number of edits in a call needs about half of it. Two bytes of text can make a value, which takes up to a
/// hundred bytes in memory.
pub const JSON_VALUES: usize = 1 << 20;

/// A JSON value without duplicate members, because implementations disagree on which duplicate counts, and
/// with at most [`JSON_VALUES`] values.
#[derive(Clone, Debug, PartialEq)]
pub struct Strict(
    /// The value.
    pub Value,
);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Budget(&Cell::new(JSON_VALUES)).deserialize(deserializer).map(Strict)
    }
}

/// Number of further values allowed.
#[derive(Clone, Copy)]
struct Budget<'a>(&'a Cell<usize>);

impl<'de> DeserializeSeed<'de> for Budget<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        let left = self.0.get().checked_sub(1);
        self.0
            .set(left.ok_or_else(|| D::Error::custom(format!("there are more than {JSON_VALUES} values")))?);
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Budget<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(self)? {
            list.push(item);
        }
        Ok(list.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            let value = members.next_value_seed(self)?;
            if map.contains_key(&name) {
                return Err(A::Error::custom(format!("member `{name}` appears twice")));
            }
            map.insert(name, value);
        }
        Ok(map.into())
    }
}

/// Length of a text within a JSON string, in bytes. Counts the minimal escapes that this program and max
/// others write.
pub fn json_len(text: &str) -> usize {
    let len = |byte| match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 0x08 | 0x0c => 2,
        0..0x20 => 6,
        _ => 1,
    };
    text.bytes().map(len).sum()
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
    fn too_many_values_are_refused() {
        let list = |count: usize| format!("[{}0]", "0,".repeat(count - 1));
        // The list itself counts as a value.
        assert!(serde_json::from_str::<Strict>(&list(JSON_VALUES - 1)).is_ok());
        let error = serde_json::from_str::<Strict>(&list(JSON_VALUES)).unwrap_err();
        assert!(error.to_string().contains("more than 1048576 values"), "{error}");
    }

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
