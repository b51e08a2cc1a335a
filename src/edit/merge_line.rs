//! Merge of one changed line: the new text, with the file's own characters where the text stays.

use super::whole_lines::eq_ignoring_whitespace;
use super::{fold, similarity, typography};
use crate::text::Line;

/// Above this many comparisons lines are paired by order only.
const MAX_PAIRINGS: usize = 4096;

/// Merges a line: the file has `actual`, the request replaces `old` with `new`. The common prefix and suffix
/// of `old` and `new` are taken from `actual`; trailing whitespace comes from `new`.
pub(super) fn merge_line(actual: &str, old: &str, new: &str) -> String {
    if actual == old {
        return new.to_owned();
    }
    let trim = |line| fold::trim_end(line, true);
    let (actual, old, body) = (trim(actual), trim(old), trim(new));
    let Some(shared) = shared_boundaries(old, actual) else { return new.to_owned() };
    let head = old.bytes().zip(body.bytes()).take_while(|(old, new)| old == new).count();
    let start = shared[..shared.partition_point(|step| step.0 <= head)].last().copied().unwrap_or_default();
    let tail = old.bytes().rev().zip(body.bytes().rev()).take_while(|(old, new)| old == new).count();
    let room = old.len().min(body.len()) - start.0;
    let least = old.len() - tail.min(room);
    let end = shared[shared.partition_point(|step| step.0 < least)..].first().copied();
    let (old_end, actual_end) = end.unwrap_or((old.len(), actual.len()));
    let kept = old.len() - old_end;
    [&actual[..start.1], &body[start.0..body.len() - kept], &actual[actual_end..], &new[body.len()..]]
        .concat()
}

/// Returns the character boundaries that both lines share, as byte offsets in the one and in the other.
/// Returns `None` if the lines differ in more than whitespace and typography.
fn shared_boundaries(old: &str, actual: &str) -> Option<Vec<(usize, usize)>> {
    if !eq_ignoring_whitespace(old, actual) {
        return None;
    }
    let (old, actual) = (boundaries(old), boundaries(actual));
    let mut actual = actual.into_iter().peekable();
    let mut shared = Vec::with_capacity(old.len());
    for (at, folded) in old {
        while actual.next_if(|&(_, other)| other < folded).is_some() {}
        shared.extend(actual.next_if(|&(_, other)| other == folded).map(|(other, _)| (at, other)));
    }
    Some(shared)
}

/// Returns the character boundaries of a line, as offsets in the line and in its plain form, in which a run
/// of whitespace is one character. There are none inside a range that has another plain form.
fn boundaries(line: &str) -> Vec<(usize, usize)> {
    let mut changed = Vec::new();
    typography::each_folded(line, |range, folded| changed.push((range, folded.to_owned())));
    changed.push((line.len()..line.len(), String::new()));
    let list = Vec::with_capacity(line.len() + 1);
    let mut found = Boundaries { list, folded: 0, in_whitespace: false, end: line.len() };
    let mut at = 0;
    for (range, folded) in changed {
        for (offset, character) in line[at..range.start].char_indices() {
            found.push(at + offset, character.len_utf8(), fold::is_blank(character));
        }
        found.push(range.start, folded.len(), folded == " ");
        at = range.end;
    }
    found.list
}

struct Boundaries {
    list: Vec<(usize, usize)>,
    folded: usize,
    in_whitespace: bool,
    /// Length of the line.
    end: usize,
}

impl Boundaries {
    /// Adds the boundary before a range whose plain form has length `folded_len`. An invisible character does
    /// not end a run of whitespace.
    fn push(&mut self, at: usize, folded_len: usize, blank: bool) {
        if folded_len == 0 && at < self.end {
            self.list.extend((!self.in_whitespace).then_some((at, self.folded)));
            return;
        }
        if !(blank && self.in_whitespace) {
            self.list.push((at, self.folded));
            self.folded += folded_len;
        }
        self.in_whitespace = blank;
    }
}

/// Returns for every new line the old line that it most likely replaces, in order on both sides. Equal
/// numbers of lines are paired one to one.
pub(super) fn pair_up(old: &[Line<'_>], new: &[Line<'_>]) -> Vec<Option<usize>> {
    if old.len() == new.len() || old.len() * new.len() > MAX_PAIRINGS {
        return (0..new.len()).map(|at| Some(at).filter(|&at| at < old.len())).collect();
    }
    let columns = new.len() + 1;
    // best[o * columns + n]: the greatest total similarity of the lines o.. and n.. on.
    let mut best = vec![0.0_f64; (old.len() + 1) * columns];
    let gain = |o: usize, n: usize, best: &[f64]| {
        affix_similarity(old[o].content, new[n].content) + best[(o + 1) * columns + n + 1]
    };
    for o in (0..old.len()).rev() {
        for n in (0..new.len()).rev() {
            let skip = best[(o + 1) * columns + n].max(best[o * columns + n + 1]);
            best[o * columns + n] = gain(o, n, &best).max(skip);
        }
    }
    let mut partners = vec![None; new.len()];
    let (mut o, mut n) = (0, 0);
    while o < old.len() && n < new.len() {
        let here = best[o * columns + n];
        if here <= best[(o + 1) * columns + n] {
            o += 1;
        } else if here <= best[o * columns + n + 1] {
            n += 1;
        } else {
            partners[n] = Some(o);
            (o, n) = (o + 1, n + 1);
        }
    }
    partners
}

/// Returns the share of two lines that their common prefix and suffix make up, 0 to 1; 0 if it is below a
/// third.
fn affix_similarity(old: &str, new: &str) -> f64 {
    let (old, new) = (old.trim().as_bytes(), new.trim().as_bytes());
    let shorter = old.len().min(new.len());
    if shorter == 0 {
        return 0.0;
    }
    let head = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count();
    let ratio = similarity::share((head + tail).min(shorter) * 2, old.len() + new.len());
    if ratio < 1.0 / 3.0 { 0.0 } else { ratio }
}
