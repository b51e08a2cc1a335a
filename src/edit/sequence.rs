//! Edits that are meant one after the other.

use std::ops::Range;

use super::find::find_together;
use super::occurrences::LineCounter;
use super::{Edit, EditRefusal, EditRefusalKind, Found, Match, Options, Plan, Splice, Strategy};

/// Looks for every edit in the result of those before it. The first one that has no place ends the
/// search: what comes after it was meant for a text that there will never be.
///
/// The lines of the matches are lines of the text that each edit was looked for in.
pub(super) fn find_in_sequence(
    base: &str,
    edits: &[Edit],
    options: &Options,
) -> Result<Found, Vec<EditRefusal>> {
    let mut found = Found { plan: Plan::empty(base.len()), matches: Vec::new(), warnings: Vec::new() };
    let (mut text, mut steps, mut written) = (base.to_owned(), Vec::new(), Written::default());
    // An index knows the lines of the base only.
    let mut later = Options { index: None, ..options.clone() };
    later.sequential = false;
    for (at, edit) in edits.iter().enumerate() {
        let options = if steps.is_empty() { options } else { &later };
        let step = find_together(&text, std::slice::from_ref(edit), options);
        let refused = |kind| Err(vec![EditRefusal { edit: at, kind }]);
        if options.deadline.check().is_err() {
            return refused(EditRefusalKind::Timeout);
        }
        if !step.as_ref().is_ok_and(|(step, sites)| is_sure(step, sites, &written))
            && let Some(kind) = contradiction(base, edit, &steps, &later)
        {
            return refused(kind);
        }
        match step {
            Ok((step, sites)) => {
                let named = |said: String| said.replacen("edit 0", &format!("edit {at}"), 1);
                found.warnings.extend(step.warnings.into_iter().map(named));
                found.warnings.extend(written.met(at, &sites));
                let written_now: usize = step.plan.splices().iter().map(|splice| splice.text.len()).sum();
                later.room = later.room.saturating_sub(written_now);
                text = step.plan.apply(&text);
                found.plan = found.plan.then(&step.plan);
                found.matches.extend(step.matches.into_iter().map(|found| Match { edit: at, ..found }));
                written.take(at, step.plan.splices());
                steps.push((at, step.plan));
            }
            Err(refused) if is_idle(&refused) => found.warnings.push(format!("edit {at} changes nothing")),
            Err(refused) => {
                return Err(refused.into_iter().map(|one| EditRefusal { edit: at, ..one }).collect());
            }
        }
    }
    // Edits may undo each other.
    if text == base {
        return Err(vec![EditRefusal { edit: 0, kind: EditRefusalKind::NoChange }]);
    }
    Ok(found)
}

fn is_idle(refused: &[EditRefusal]) -> bool {
    refused.iter().all(|refusal| refusal.kind == EditRefusalKind::NoChange)
}

/// Whether a place is the one that is meant, whatever stood in the base: it is literally so, or it is where
/// an earlier edit wrote.
fn is_sure(step: &Found, sites: &[Range<usize>], written: &Written) -> bool {
    let is_exact = step.matches.iter().all(|found| found.strategy == Strategy::Exact);
    is_exact || !written.met(0, sites).is_empty()
}

/// The refusal of an edit whose text stood in the base to the letter, where an earlier edit has put
/// something else: the same text is given two results. A place that is only like it elsewhere is then not
/// what was meant.
fn contradiction(
    base: &str,
    edit: &Edit,
    steps: &[(usize, Plan)],
    options: &Options,
) -> Option<EditRefusalKind> {
    if steps.is_empty() {
        return None;
    }
    let exact = Options { fuzzy: false, ..options.clone() };
    let (_, sites) = find_together(base, std::slice::from_ref(edit), &exact).ok()?;
    let mut before = Plan::empty(base.len());
    for (other_edit, step) in steps {
        before = before.then(step);
        let met =
            sites.iter().find(|site| before.splices().iter().any(|splice| overlap(&splice.range, site)));
        if let Some(site) = met {
            let lines = LineCounter::new(base).lines(site);
            return Some(EditRefusalKind::Contradiction { other_edit: *other_edit, lines });
        }
    }
    None
}

/// Whether two ranges have bytes in common, or the one is a place inside the other.
fn overlap(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start < other.end && other.start < one.end
}

/// Which bytes of the text, as it is after the edits so far, were written by which edit. A removal is an
/// empty range.
#[derive(Default)]
struct Written(Vec<(Range<usize>, usize)>);

impl Written {
    /// Warnings for an edit that is about these places.
    fn met(&self, edit: usize, sites: &[Range<usize>]) -> Vec<String> {
        let of = |(range, other): &(Range<usize>, usize)| {
            sites.iter().any(|site| overlap(range, site)).then_some((*other, range.is_empty()))
        };
        let mut others: Vec<(usize, bool)> = self.0.iter().filter_map(of).collect();
        others.sort_unstable();
        others.dedup_by_key(|(other, _)| *other);
        let said = |(other, removed)| {
            if removed {
                return format!("edit {edit} changes text that edit {other} removed something from");
            }
            format!("edit {edit} changes what edit {other} wrote")
        };
        others.into_iter().map(said).collect()
    }

    /// Takes over what an edit did, and moves what is there along.
    fn take(&mut self, edit: usize, splices: &[Splice]) {
        let (mut moved, mut fresh) = (Vec::with_capacity(self.0.len() + splices.len()), Vec::new());
        let mut old = std::mem::take(&mut self.0).into_iter().peekable();
        let (mut added, mut removed) = (0, 0);
        for splice in splices {
            while let Some((range, other)) = old.next_if(|(range, _)| range.end <= splice.range.start) {
                moved.push((range.start + added - removed..range.end + added - removed, other));
            }
            let start = splice.range.start + added - removed;
            fresh.push((start..start + splice.text.len(), edit));
            // What is left of it before or behind the splice is still the other edit's.
            while let Some((range, other)) = old.next_if(|(range, _)| range.start < splice.range.end) {
                if range.start < splice.range.start {
                    moved.push((range.start + added - removed..start, other));
                }
                if range.end > splice.range.end {
                    let end = start + splice.text.len();
                    fresh.push((end..end + range.end - splice.range.end, other));
                }
            }
            (added, removed) = (added + splice.text.len(), removed + splice.range.len());
        }
        moved.extend(
            old.map(|(range, other)| (range.start + added - removed..range.end + added - removed, other)),
        );
        moved.extend(fresh);
        moved.sort_by_key(|(range, _)| (range.start, range.end));
        self.0 = moved;
    }
}
