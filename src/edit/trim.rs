//! Replacements without common beginnings and ends.

use std::ops::Range;

use super::Splice;

/// Returns the splice that replaces `range` with `text`, without what the two have in common at their ends.
/// Returns `None` if they are equal. Never cuts a character or a CRLF.
pub(super) fn trimmed(base: &str, range: Range<usize>, text: &str) -> Option<Splice> {
    let actual = &base[range.clone()];
    if actual == text {
        return None;
    }
    let head = common_head(actual, text);
    let tail = common_tail(&actual[head..], &text[head..]);
    let range = range.start + head..range.end - tail;
    Some(Splice { range, text: text[head..text.len() - tail].to_owned() })
}

/// Returns the length of the common prefix of two texts, in bytes, without cutting a character or CRLF.
pub(super) fn common_head(one: &str, other: &str) -> usize {
    let equal = one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count();
    let whole = |at: usize| one.is_char_boundary(at) && other.is_char_boundary(at);
    let mut at = equal;
    while !whole(at) || at > 0 && one.as_bytes()[at - 1] == b'\r' && at < one.len().max(other.len()) {
        at -= 1;
    }
    at
}

/// Returns the length of the common suffix of two texts, in bytes, without cutting a character or CRLF.
pub(super) fn common_tail(one: &str, other: &str) -> usize {
    let equal = one.bytes().rev().zip(other.bytes().rev()).take_while(|(one, other)| one == other).count();
    let cuts = |text: &str, tail: usize| {
        let at = text.len() - tail;
        !text.is_char_boundary(at) || text[at..].starts_with('\n') && text[..at].ends_with('\r')
    };
    let mut tail = equal;
    while tail > 0 && (cuts(one, tail) || cuts(other, tail)) {
        tail -= 1;
    }
    tail
}
