//! Similarity of texts.

use rapidfuzz::distance::indel;

/// Maximum number of bytes of each text that are compared: enough for any block that a person would consider
/// one location.
const MAX_COMPARED: usize = 4096;
const MAX_GLANCE: usize = 512;

/// Returns the similarity of two texts, 0 to 1: twice the length of their longest common subsequence over the
/// sum of their lengths, in characters. Only the beginnings of long texts are compared.
pub(super) fn of_texts(one: &str, other: &str) -> f64 {
    let (one, other) = (beginning(one, MAX_COMPARED), beginning(other, MAX_COMPARED));
    if one.is_ascii() && other.is_ascii() {
        return indel::normalized_similarity(one.bytes(), other.bytes());
    }
    indel::normalized_similarity(one.chars(), other.chars())
}

/// Like [`of_texts`], but compares less of each: to select the lines that deserve a full comparison.
pub(super) fn at_a_glance(one: &str, other: &str) -> f64 {
    of_texts(beginning(one, MAX_GLANCE), beginning(other, MAX_GLANCE))
}

/// Returns `true` if both texts are short enough to be compared completely.
pub(super) fn compares_completely(one: &str, other: &str) -> bool {
    one.len().max(other.len()) <= MAX_COMPARED
}

/// Returns `part / whole`, or 0 if `whole` is 0.
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
