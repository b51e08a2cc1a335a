//! One changed line: the new wording, with the file's own signs where the wording stays.

use super::whole_lines::same_but_blanks;
use super::{fold, similarity, typography};
use crate::text::Line;

/// Above this many comparisons lines are paired by their order alone.
const MAX_PAIRINGS: usize = 4096;

/// The line to write where the file has `there`, which was asked for as `old` and is to become `new`.
/// What `old` and `new` have in common at their start and end is taken from `there`, and the line ends as
/// `new` does.
pub(super) fn blend(there: &str, old: &str, new: &str) -> String {
    if there == old {
        return new.to_owned();
    }
    let trim = |line| fold::trim_end(line, true);
    let (there, old, body) = (trim(there), trim(old), trim(new));
    let Some(steps) = steps(old, there) else { return new.to_owned() };
    let head = old.bytes().zip(body.bytes()).take_while(|(old, new)| old == new).count();
    let start = steps[..steps.partition_point(|step| step.0 <= head)].last().copied().unwrap_or_default();
    let tail = old.bytes().rev().zip(body.bytes().rev()).take_while(|(old, new)| old == new).count();
    let room = old.len().min(body.len()) - start.0;
    let least = old.len() - tail.min(room);
    let end = steps[steps.partition_point(|step| step.0 < least)..].first().copied();
    let (old_end, there_end) = end.unwrap_or((old.len(), there.len()));
    let kept = old.len() - old_end;
    [&there[..start.1], &body[start.0..body.len() - kept], &there[there_end..], &new[body.len()..]].concat()
}

/// Places where both lines have a whole character behind them, as bytes of the one and of the other.
/// Nothing if the lines do not say the same.
fn steps(old: &str, there: &str) -> Option<Vec<(usize, usize)>> {
    if !same_but_blanks(old, there) {
        return None;
    }
    let (old, there) = (boundaries(old), boundaries(there));
    let mut there = there.into_iter().peekable();
    let mut steps = Vec::with_capacity(old.len());
    for (at, folded) in old {
        while there.next_if(|&(_, other)| other < folded).is_some() {}
        steps.extend(there.next_if(|&(_, other)| other == folded).map(|(other, _)| (at, other)));
    }
    Some(steps)
}

/// Character boundaries of a line, in its own bytes and in those of its plain form, in which a run of
/// blanks is one. Inside a stretch that has another plain form there are none.
fn boundaries(line: &str) -> Vec<(usize, usize)> {
    let mut changed = Vec::new();
    typography::each(line, |range, folded| changed.push((range, folded.to_owned())));
    changed.push((line.len()..line.len(), String::new()));
    let list = Vec::with_capacity(line.len() + 1);
    let mut found = Boundaries { list, folded: 0, in_blanks: false, end: line.len() };
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
    in_blanks: bool,
    /// Where the line ends.
    end: usize,
}

impl Boundaries {
    /// Adds the boundary before a stretch, with the length of its plain form. What is not seen does not end a
    /// run of blanks.
    fn push(&mut self, at: usize, folded_len: usize, blank: bool) {
        if folded_len == 0 && at < self.end {
            self.list.extend((!self.in_blanks).then_some((at, self.folded)));
            return;
        }
        if !(blank && self.in_blanks) {
            self.list.push((at, self.folded));
            self.folded += folded_len;
        }
        self.in_blanks = blank;
    }
}

/// For every new line the old line it most likely is a new version of, in order on both sides. As many
/// lines on both sides are paired one to one.
pub(super) fn pair_up(old: &[Line<'_>], new: &[Line<'_>]) -> Vec<Option<usize>> {
    if old.len() == new.len() || old.len() * new.len() > MAX_PAIRINGS {
        return (0..new.len()).map(|at| Some(at).filter(|&at| at < old.len())).collect();
    }
    let columns = new.len() + 1;
    // best[o * columns + n]: the most likeness to be had from the lines o.. and n.. on.
    let mut best = vec![0.0_f64; (old.len() + 1) * columns];
    let gain = |o: usize, n: usize, best: &[f64]| {
        likeness(old[o].content, new[n].content) + best[(o + 1) * columns + n + 1]
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

/// How much of two lines is common at their ends, 0 to 1; 0 where it is less than a third.
fn likeness(old: &str, new: &str) -> f64 {
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
