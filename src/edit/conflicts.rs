//! Conflicts between edits of one call.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use memchr::memmem;

use super::finder::LocatedEdit;
use super::fold::{Needle, with_lf_endings};
use super::refusal::LineCounter;
use super::{Deadline, EditRefusal, EditRefusalKind, Plan};
use editd_text::{LineEnding, lines};

/// Maximum number of edits for which dependencies are determined.
const MANY_EDITS: usize = 32;

/// The new texts of all edits of a call, in which the old text of another edit may occur.
pub(super) struct NewTexts<'n> {
    needles: &'n [Needle<'n>],
    /// The edit that contains a line in its new text; `None` if several do.
    sources: HashMap<&'n str, Option<usize>>,
}

impl<'n> NewTexts<'n> {
    pub(super) fn of(needles: &'n [Needle<'n>]) -> Self {
        let mut sources: HashMap<&str, Option<usize>> = HashMap::new();
        for (edit, needle) in needles.iter().enumerate() {
            for line in lines(&needle.new) {
                let source = sources.entry(line.content).or_insert(Some(edit));
                *source = source.filter(|&source| source == edit);
            }
        }
        Self { needles, sources }
    }

    /// Returns an edit with the old text of the edit at `edit` in its new text, but not in its old text.
    pub(super) fn source_of(&self, edit: usize) -> Option<usize> {
        let wanted = &self.needles[edit];
        if wanted.blank || self.needles.len() < 2 || self.no_other_has_a_line_of(edit) {
            return None;
        }
        let finder = memmem::Finder::new(wanted.old.as_bytes());
        let has_wanted = |text: &str| finder.find(text.as_bytes()).is_some();
        let mut others = self.needles.iter().enumerate().filter(|(other, _)| *other != edit);
        others.find(|(_, other)| has_wanted(&other.new) && !has_wanted(&other.old)).map(|(other, _)| other)
    }

    /// Returns `true` if a whole line of the old text is in no other edit's new text: then the old text is
    /// not there either.
    fn no_other_has_a_line_of(&self, edit: usize) -> bool {
        let mut inner = lines(&self.needles[edit].old).skip(1).filter(|line| line.ending != LineEnding::None);
        inner.any(|line| self.sources.get(line.content).is_none_or(|source| *source == Some(edit)))
    }
}

/// Turns `NotFound` into `Dependency` if the result of the located edits contains the text. Ends at the deadline.
pub(super) fn explain(
    base: &str,
    needles: &[Needle<'_>],
    located: &[LocatedEdit],
    refused: &mut [EditRefusal],
    deadline: Deadline,
) {
    let missing = |refusal: &&mut EditRefusal| matches!(refusal.kind, EditRefusalKind::NotFound { .. });
    if located.is_empty() || located.len() > MANY_EDITS {
        return;
    }
    let mut combined: Option<String> = None;
    for refusal in refused.iter_mut().filter(missing).take(MANY_EDITS) {
        if deadline.check().is_err() {
            return;
        }
        let wanted = memmem::Finder::new(needles[refusal.edit].old.as_bytes());
        let combined = combined.get_or_insert_with(|| result(base, located));
        if wanted.find(combined.as_bytes()).is_none() {
            continue;
        }
        let writes = |one: &&LocatedEdit| {
            deadline.check().is_err()
                || wanted.find(result(base, std::slice::from_ref(*one)).as_bytes()).is_some()
        };
        let other_edit = located.iter().find(writes).or(located.last()).map_or(0, |other| other.edit);
        refusal.kind = EditRefusalKind::Dependency { other_edit };
    }
}

/// Returns `base` after these edits, with LF line endings; empty if they conflict.
fn result(base: &str, located: &[LocatedEdit]) -> String {
    let splices = located.iter().flat_map(|located| located.splices.iter().cloned()).collect();
    let plan = Plan::new(base.len(), splices).ok();
    plan.map_or_else(String::new, |plan| with_lf_endings(&plan.apply(base)).into_owned())
}

/// Returns refusals for edits whose matches overlap those of an earlier edit. An edit that repeats another is
/// dropped with a warning instead. Ends with the refusal of an edit at the deadline.
pub(super) fn between(
    base: &str,
    located: &mut Vec<LocatedEdit>,
    warnings: &mut Vec<String>,
    deadline: Deadline,
) -> Vec<EditRefusal> {
    let sites_of = |(at, located): (usize, &LocatedEdit)| -> Vec<(Range<usize>, usize)> {
        located.sites.iter().map(|site| (site.clone(), at)).collect()
    };
    let mut sites: Vec<_> = located.iter().enumerate().flat_map(sites_of).collect();
    sites.sort_by_key(|(site, at)| (site.start, site.end, *at));
    let mut refused: BTreeMap<usize, EditRefusalKind> = BTreeMap::new();
    let mut repeated: BTreeSet<usize> = BTreeSet::new();
    let mut counter = LineCounter::new(base);
    // The site with the greatest end so far.
    let mut farthest: Option<(Range<usize>, usize)> = None;
    for (site, at) in sites {
        if let Some((before, other)) = &farthest
            && site.start < before.end
            && *other != at
        {
            let (first, second) = (&located[(*other).min(at)], &located[(*other).max(at)]);
            if first.sites == second.sites && first.splices == second.splices {
                repeated.insert((*other).max(at));
            } else if deadline.check().is_err() {
                refused.insert(second.edit, EditRefusalKind::Timeout);
                break;
            } else if let Entry::Vacant(refusal) = refused.entry(second.edit) {
                let (mine, theirs) = if *other < at { (&site, before) } else { (before, &site) };
                refusal.insert(collision(&mut counter, mine, theirs, first.edit));
            }
        }
        if farthest.as_ref().is_none_or(|(before, _)| site.end > before.end) {
            farthest = Some((site, at));
        }
    }
    for at in repeated.into_iter().rev() {
        let dropped = located.remove(at);
        warnings.push(format!("edit {} repeats another edit and was dropped", dropped.edit));
    }
    refused.into_iter().map(|(edit, kind)| EditRefusal { edit, kind }).collect()
}

fn collision(
    counter: &mut LineCounter<'_>,
    mine: &Range<usize>,
    theirs: &Range<usize>,
    other_edit: usize,
) -> EditRefusalKind {
    let (lines, other_lines) = (counter.lines(mine), counter.lines(theirs));
    if mine == theirs {
        EditRefusalKind::Contradiction { other_edit, lines }
    } else {
        EditRefusalKind::Overlap { other_edit, lines, other_lines }
    }
}
