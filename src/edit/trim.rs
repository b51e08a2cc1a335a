//! Replacements without what they have in common with what they replace.

use std::ops::Range;

use super::Splice;

/// The splice that puts `text` in place of `range`, without what the two have in common at their ends.
/// Nothing if they are the same. Never cuts a character or a CRLF.
pub(super) fn trimmed(base: &str, range: Range<usize>, text: &str) -> Option<Splice> {
    let there = &base[range.clone()];
    if there == text {
        return None;
    }
    let head = common_head(there, text);
    let tail = common_tail(&there[head..], &text[head..]);
    let range = range.start + head..range.end - tail;
    Some(Splice { range, text: text[head..text.len() - tail].to_owned() })
}

/// Bytes that two texts have in common at their start, short of a cut character or CRLF.
pub(super) fn common_head(one: &str, other: &str) -> usize {
    let equal = one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count();
    let whole = |at: usize| one.is_char_boundary(at) && other.is_char_boundary(at);
    let mut at = equal;
    while !whole(at) || at > 0 && one.as_bytes()[at - 1] == b'\r' && at < one.len().max(other.len()) {
        at -= 1;
    }
    at
}

/// Bytes that two texts have in common at their end, short of a cut character or CRLF.
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
