//! Edits of one call that get in each other's way.

use std::collections::HashMap;
use std::ops::Range;

use memchr::memmem;

use super::needle::{Needle, plain_ends};
use super::occurrences::LineCounter;
use super::place::Placed;
use super::{EditRefusal, EditRefusalKind, Plan};
use crate::text::{Line, LineEnding, lines};

/// Above this many edits it is not tried out which of them depends on which.
const MANY_EDITS: usize = 32;

/// The new texts of all edits of a call, to look in for what an old text may depend on.
pub(super) struct NewTexts<'n> {
    needles: &'n [Needle<'n>],
    /// All of them, one behind the other.
    joined: String,
    /// Where each begins.
    starts: Vec<usize>,
    /// Which edit brings a line in; none if several do.
    sources: HashMap<&'n str, Option<usize>>,
}

impl<'n> NewTexts<'n> {
    pub(super) fn of(needles: &'n [Needle<'n>]) -> Self {
        let (mut joined, mut starts) = (String::new(), Vec::with_capacity(needles.len()));
        let mut sources: HashMap<&str, Option<usize>> = HashMap::new();
        for (edit, needle) in needles.iter().enumerate() {
            starts.push(joined.len());
            joined.push_str(&needle.new);
            // Stands in no text that is searched for lines.
            joined.push('\0');
            for line in lines(&needle.new) {
                let source = sources.entry(line.content).or_insert(Some(edit));
                *source = source.filter(|&source| source == edit);
            }
        }
        Self { needles, joined, starts, sources }
    }

    /// An edit that brings in the text that the edit at `edit` looks for: in its new text, not in its old.
    pub(super) fn source_of(&self, edit: usize) -> Option<usize> {
        let wanted = &self.needles[edit];
        if wanted.blank || self.needles.len() < 2 || self.no_other_has_a_line_of(edit) {
            return None;
        }
        let finder = memmem::Finder::new(wanted.old.as_bytes());
        let mut from = 0;
        while let Some(at) = finder.find(self.joined.as_bytes().get(from..)?) {
            let other = self.starts.partition_point(|&start| start <= from + at) - 1;
            if other != edit && finder.find(self.needles[other].old.as_bytes()).is_none() {
                return Some(other);
            }
            from = *self.starts.get(other + 1)?;
        }
        None
    }

    /// Whether a line that is whole in the old text is in no other edit's new text: then that is not there
    /// either.
    fn no_other_has_a_line_of(&self, edit: usize) -> bool {
        let inner = lines(&self.needles[edit].old).skip(1).filter(|line| line.ending != LineEnding::None);
        let alone = |line: Line<'_>| match self.sources.get(line.content) {
            None => true,
            Some(source) => *source == Some(edit),
        };
        inner.into_iter().any(alone)
    }
}

/// Turns `NotFound` into `Dependency` where the text would stand in the result of the edits that were
/// placed.
pub(super) fn explain(base: &str, needles: &[Needle<'_>], placed: &[Placed], refused: &mut [EditRefusal]) {
    let missing = |refusal: &&mut EditRefusal| matches!(refusal.kind, EditRefusalKind::NotFound { .. });
    if placed.is_empty() || placed.len() > MANY_EDITS {
        return;
    }
    let mut whole: Option<String> = None;
    for refusal in refused.iter_mut().filter(missing).take(MANY_EDITS) {
        let wanted = memmem::Finder::new(needles[refusal.edit].old.as_bytes());
        let whole = whole.get_or_insert_with(|| result(base, placed));
        if wanted.find(whole.as_bytes()).is_none() {
            continue;
        }
        let writes =
            |one: &&Placed| wanted.find(result(base, std::slice::from_ref(*one)).as_bytes()).is_some();
        let other_edit = placed.iter().find(writes).or(placed.last()).map_or(0, |other| other.edit);
        refusal.kind = EditRefusalKind::Dependency { other_edit };
    }
}

/// What `base` would be after these edits, every line end an LF; empty if they collide.
fn result(base: &str, placed: &[Placed]) -> String {
    let splices = placed.iter().flat_map(|placed| placed.splices.iter().cloned()).collect();
    let plan = Plan::new(base.len(), splices).ok();
    plan.map_or_else(String::new, |plan| plain_ends(&plan.apply(base)).into_owned())
}

/// Refusals of edits whose places have bytes in common with an earlier edit's. An edit that repeats
/// another is dropped with a warning instead.
pub(super) fn between(base: &str, placed: &mut Vec<Placed>, warnings: &mut Vec<String>) -> Vec<EditRefusal> {
    let mut sites: Vec<(Range<usize>, usize)> = Vec::new();
    for (at, placed) in placed.iter().enumerate() {
        sites.extend(placed.sites.iter().map(|site| (site.clone(), at)));
    }
    sites.sort_by_key(|(site, at)| (site.start, site.end, *at));
    let mut refused: Vec<EditRefusal> = Vec::new();
    let mut repeated: Vec<usize> = Vec::new();
    // The site that reaches farthest so far.
    let mut far: Option<(Range<usize>, usize)> = None;
    for (site, at) in sites {
        if let Some((before, other)) = &far
            && site.start < before.end
            && *other != at
        {
            let (first, second) = (&placed[(*other).min(at)], &placed[(*other).max(at)]);
            if repeats(first, second) {
                repeated.push((*other).max(at));
            } else if refused.iter().all(|refusal| refusal.edit != second.edit) {
                let (mine, theirs) = if *other < at { (&site, before) } else { (before, &site) };
                refused
                    .push(EditRefusal { edit: second.edit, kind: collision(base, mine, theirs, first.edit) });
            }
        }
        if far.as_ref().is_none_or(|(before, _)| site.end > before.end) {
            far = Some((site, at));
        }
    }
    drop_repeated(placed, repeated, warnings);
    refused
}

fn repeats(one: &Placed, other: &Placed) -> bool {
    one.sites == other.sites && one.splices == other.splices
}

fn collision(base: &str, mine: &Range<usize>, theirs: &Range<usize>, other_edit: usize) -> EditRefusalKind {
    let mut counter = LineCounter::new(base);
    let (lines, other_lines) = (counter.lines(mine), counter.lines(theirs));
    if mine == theirs {
        EditRefusalKind::Contradiction { other_edit, lines }
    } else {
        EditRefusalKind::Overlap { other_edit, lines, other_lines }
    }
}

fn drop_repeated(placed: &mut Vec<Placed>, mut repeated: Vec<usize>, warnings: &mut Vec<String>) {
    repeated.sort_unstable();
    repeated.dedup();
    for at in repeated.into_iter().rev() {
        let dropped = placed.remove(at);
        warnings.push(format!("edit {} repeats another edit and was dropped", dropped.edit));
    }
}
