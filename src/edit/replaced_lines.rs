//! Lines of a replacement: merged with the file's lines, widened to whole lines, or removed as a whole.

use std::collections::HashSet;
use std::ops::Range;

use super::base::Base;
use super::fold::{Needle, each_folded, is_blank, trim_end};
use super::line_diff::{common_ends, runs};
use super::similarity::share;
use super::tiers::Site;
use super::whole_lines::eq_ignoring_whitespace;
use super::{Deadline, Splice};
use editd_text::{Line, line_end, line_start, lines};

/// Above this many comparisons lines are paired by order only.
const MAX_PAIRINGS: usize = 4096;

/// Merges a line: the file has `actual`, the request replaces `old` with `new`. The common prefix and suffix
/// of `old` and `new` are taken from `actual`; trailing whitespace comes from `new`.
pub(super) fn merge_line(actual: &str, old: &str, new: &str) -> String {
    if actual == old {
        return new.to_owned();
    }
    let trim = |line| trim_end(line, true);
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
    let mut list = Vec::with_capacity(line.len() + 1);
    let (mut at, mut folded_at, mut in_whitespace) = (0, 0, false);
    // Adds the boundary before a range whose plain form has length `folded_len`. An invisible character does not
    // end a run of whitespace.
    let mut push = |at: usize, folded_len: usize, blank: bool| {
        if folded_len == 0 && at < line.len() {
            list.extend((!in_whitespace).then_some((at, folded_at)));
            return;
        }
        if !(blank && in_whitespace) {
            list.push((at, folded_at));
            folded_at += folded_len;
        }
        in_whitespace = blank;
    };
    each_folded(line, |range, folded| {
        let unchanged = line[at..range.start].char_indices();
        unchanged.for_each(|(offset, c)| push(at + offset, c.len_utf8(), is_blank(c)));
        push(range.start, folded.len(), folded == " ");
        at = range.end;
    });
    line[at..].char_indices().for_each(|(offset, c)| push(at + offset, c.len_utf8(), is_blank(c)));
    push(line.len(), 0, false);
    list
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
    let (head, tail) = common_ends(old, new);
    let ratio = share((head + tail) * 2, old.len() + new.len());
    if ratio < 1.0 / 3.0 { 0.0 } else { ratio }
}

/// Removes trailing whitespace from old lines if it differs from the file's, and from new lines that are
/// equal to them.
pub(super) fn drop_spurious_trailing_whitespace<'a>(
    old: &mut [Line<'a>],
    new: &mut [Line<'a>],
    actual: &[Option<Line<'a>>],
    deadline: Deadline,
) {
    let contents = |lines: &[Line<'a>]| -> Vec<&'a str> { lines.iter().map(|line| line.content).collect() };
    let changed = runs(&contents(old), &contents(new), deadline);
    let trimmed = |content: &'a str| trim_end(content, true);
    let mut dropped = HashSet::new();
    for (old, actual) in old.iter_mut().zip(actual) {
        let kept = trimmed(old.content);
        let trailing = &old.content[kept.len()..];
        let matches_file =
            actual.is_none_or(|actual| trailing == &actual.content[trimmed(actual.content).len()..]);
        if kept.is_empty() || !matches_file {
            dropped.insert(old.content);
            old.content = kept;
        }
    }
    let has_blank_line = old.iter().any(|line| line.content.is_empty());
    let (mut at, mut kept) = (0, 0);
    let end = (old.len()..old.len(), new.len()..new.len());
    for (old_run, new_run) in changed.into_iter().chain([end]) {
        // An unchanged line stays as the file has it.
        for (old, new) in old[kept..old_run.start].iter().zip(&mut new[at..new_run.start]) {
            new.content = old.content;
        }
        for new in &mut new[new_run.clone()] {
            if has_blank_line && trimmed(new.content).is_empty() || dropped.contains(new.content) {
                new.content = trimmed(new.content);
            }
        }
        (kept, at) = (old_run.end, new_run.end);
    }
}

/// Widens single-line matches inside a more deeply indented line to the whole line, as matches with another
/// indentation. This is done if writing the new text literally would shift other lines: a removed line
/// would leave its indentation in front of the next one, and of several new lines only the first would be
/// indented like the old one. Returns `None` if the matches should stay as they are.
pub(super) fn widen(base: &str, needle: &Needle<'_>, sites: &[Site]) -> Option<Vec<Site>> {
    let (old, new) = (&*needle.old, &*needle.new);
    let removes_line = new.is_empty() && old.ends_with('\n');
    let becomes_several_lines = old.starts_with(is_blank) && lines(new).count() > 1;
    if needle.blank || lines(old).count() != 1 || !(removes_line || becomes_several_lines) {
        return None;
    }
    let whole = |site: &Site| Some(Site::whole(indentation_before(base, site.range.start)?..site.range.end));
    let widened: Vec<Site> = sites.iter().map(whole).collect::<Option<_>>()?;
    let is_deeper = widened.iter().zip(sites).any(|(whole, site)| whole.range.start < site.range.start);
    let ends_lines =
        old.ends_with('\n') || sites.iter().all(|site| line_end(base, site.range.start).0 == site.range.end);
    (is_deeper && ends_lines).then_some(widened)
}

/// Returns the start of the line that contains `at`, if there is only whitespace before `at`.
pub(super) fn indentation_before(base: &str, at: usize) -> Option<usize> {
    let start = line_start(base, at);
    base[start..at].chars().all(is_blank).then_some(start)
}

/// Returns `true` if the edit removes whole lines although the old text lacks the last line ending. The line
/// ending is then removed too, so that no empty line is left.
pub(super) fn removes_lines(base: &Base<'_>, site: &Site, needle: &Needle<'_>) -> bool {
    let range = &site.range;
    needle.new.is_empty()
        && !needle.blank
        && !needle.old.ends_with('\n')
        && line_start(base.text, range.start) == range.start
        && line_end(base.text, range.end).0 == range.end
}

/// Returns the splice that removes the last lines of a text without a final line ending. The line ending
/// before them goes too, so that the text still has no final one.
pub(super) fn without_last_lines(base: &str, range: Range<usize>) -> Splice {
    let before = lines(&base[line_start(base, range.start.saturating_sub(1))..range.start]).next();
    let ending = before.map_or(0, |line| line.ending.as_str().len());
    Splice { range: range.start - ending..range.end, text: String::new() }
}

/// Joins removals of adjacent last lines. Each of them includes the line ending before it; the joined one
/// includes only the line ending before the first.
pub(super) fn join_removals(base: &str, mut splices: Vec<Splice>) -> Vec<Splice> {
    splices.sort_by_key(|splice| (splice.range.start, splice.range.end));
    let mut joined: Vec<Splice> = Vec::with_capacity(splices.len());
    for splice in splices {
        match joined.last_mut() {
            Some(last)
                if last.text.is_empty() && splice.text.is_empty() && splice.range.start <= last.range.end =>
            {
                // Only removals of whole lines overlap in a line ending; removed parts of lines that touch
                // keep it.
                let shared = splice.range.start < last.range.end;
                last.range.end = last.range.end.max(splice.range.end);
                if shared
                    && last.range.end == base.len()
                    && !base.ends_with(['\n', '\r'])
                    && line_start(base, last.range.start) == last.range.start
                {
                    *last = without_last_lines(base, last.range.clone());
                }
            }
            _ => joined.push(splice),
        }
    }
    joined
}
