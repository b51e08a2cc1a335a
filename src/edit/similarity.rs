//! How much two texts resemble each other.

use rapidfuzz::distance::indel;

/// Bytes of each text that are compared: enough for any block that a person would call one place.
const COMPARED: usize = 4096;
const GLANCE: usize = 512;

/// 0 to 1: twice the characters in common, in order, over the characters of both. Of long texts only the
/// beginnings are compared.
pub(super) fn of_texts(one: &str, other: &str) -> f64 {
    let (one, other) = (beginning(one, COMPARED), beginning(other, COMPARED));
    if one.is_ascii() && other.is_ascii() {
        return indel::normalized_similarity(one.bytes(), other.bytes());
    }
    indel::normalized_similarity(one.chars(), other.chars())
}

/// The same by less of each: to see which of many lines are worth a closer look.
pub(super) fn at_a_glance(one: &str, other: &str) -> f64 {
    of_texts(beginning(one, GLANCE), beginning(other, GLANCE))
}

/// Whether both texts are short enough to be compared to their ends.
pub(super) fn compares(one: &str, other: &str) -> bool {
    one.len().max(other.len()) <= COMPARED
}

/// `part` of `whole` as a number; 0 of nothing.
pub(super) fn share(part: usize, whole: usize) -> f64 {
    let number = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    if whole == 0 { 0.0 } else { number(part) / number(whole) }
}

fn beginning(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
