//! Slip: new lines that repeat the line before or after the ones they replace.
//!
//! Lines may be repeated on purpose, so they are dropped only if the text proves the slip: the line before
//! opens a block and the line after closes it, the new lines repeat them with their indentation, where deeper
//! lines stood, and without them the brackets are balanced as before.

use super::indentation::indented;
use crate::indent::{bracket_steps, opens_block};
use crate::whole_lines::{closes_block, depth, split_indent};

/// Maximum number of lines that are recognized as repeated on each side.
const REPEATED: usize = 3;

/// The lines around the new ones.
pub(super) struct Around<'a> {
    /// Lines before the place, in order.
    pub(super) before: &'a [&'a str],
    /// Lines that are replaced.
    pub(super) replaced: &'a [&'a str],
    /// Lines after the place, in order.
    pub(super) after: &'a [&'a str],
}

/// Returns how many lines at the start and at the end of `new` repeat the lines around the place.
pub(super) fn repeated(new: &[&str], around: &Around<'_>) -> (usize, usize) {
    let heads = (0..=REPEATED).rev().filter(|&head| head == 0 || around.repeats_before(new, head));
    for head in heads {
        let rest = &new[head..];
        let tails = (0..=REPEATED).rev().filter(|&tail| tail == 0 || around.repeats_after(rest, tail));
        for tail in tails {
            let kept = &rest[..rest.len() - tail];
            if balance(kept) == balance(around.replaced) {
                return (head, tail);
            }
        }
    }
    (0, 0)
}

/// Returns the new lines with the indentation that all of them lack, if only then they repeat a line before or
/// after the place, and the brackets prove that they do: as given, they would not be balanced.
pub(super) fn shifted(new: &[&str], around: &Around<'_>) -> Option<Vec<String>> {
    let is_outermost = |line: &&str| !line.trim().is_empty() && depth(line) == 0;
    let is_sound = balance(new) == balance(around.replaced) || repeated(new, around) != (0, 0);
    if is_sound || !new.iter().any(is_outermost) {
        return None;
    }
    [around.before.last(), around.after.first()].into_iter().flatten().find_map(|line| {
        let lines = indented(new, split_indent(line).0);
        let read: Vec<&str> = lines.iter().map(String::as_str).collect();
        (repeated(&read, around) != (0, 0)).then_some(lines)
    })
}

impl Around<'_> {
    fn repeats_before(&self, new: &[&str], count: usize) -> bool {
        let (Some(start), true) = (self.before.len().checked_sub(count), new.len() > count) else {
            return false;
        };
        let repeated = &self.before[start..];
        let opens = repeated.last().is_some_and(|line| opens_block(line));
        let inner = self.replaced.iter().chain(self.after).find(|line| !line.trim().is_empty());
        opens
            && repeated.iter().zip(new).all(|(line, new)| line.trim_end() == new.trim_end())
            && inner.is_some_and(|inner| depth(inner) > depth(new[count - 1]))
    }

    fn repeats_after(&self, new: &[&str], count: usize) -> bool {
        let (Some(repeated), true) = (self.after.get(..count), new.len() > count) else { return false };
        let end = &new[new.len() - count..];
        let closes = repeated.first().is_some_and(|line| closes_block(line));
        let inner = self.replaced.iter().rev().chain(self.before.iter().rev());
        let inner = inner.copied().find(|line| !line.trim().is_empty());
        closes
            && repeated.iter().zip(end).all(|(line, new)| line.trim_end() == new.trim_end())
            && inner.is_some_and(|inner| depth(inner) > depth(end[0]))
    }
}

/// Returns how many brackets more the lines open than they close.
pub(super) fn balance(lines: &[&str]) -> isize {
    lines.iter().flat_map(|line| bracket_steps(line)).sum()
}

/// Returns `true` if the lines close a block that they did not open.
pub(super) fn closes_outer(lines: &[&str]) -> bool {
    let mut open = 0;
    lines.iter().flat_map(|line| bracket_steps(line)).any(|sign| {
        open += sign;
        open < 0
    })
}
