//! Sequential edits.

use std::ops::Range;

use super::find::find_together;
use super::occurrences::LineCounter;
use super::{Edit, EditRefusal, EditRefusalKind, FoundMatch, Match, Options, Plan, Splice, Strategy};

/// Matches every edit in the result of the previous ones. Stops at the first edit without a match: later
/// edits were made for a text that will never exist.
///
/// Line numbers of the matches refer to the text that each edit was matched in.
pub(super) fn find_in_sequence(
    base: &str,
    edits: &[Edit],
    options: &Options,
) -> Result<FoundMatch, Vec<EditRefusal>> {
    let mut found = FoundMatch { plan: Plan::empty(base.len()), matches: Vec::new(), warnings: Vec::new() };
    let (mut text, mut steps, mut written) = (base.to_owned(), Vec::new(), Written::default());
    // The index is valid for the base only.
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
                let renumbered = |warning: String| warning.replacen("edit 0", &format!("edit {at}"), 1);
                found.warnings.extend(step.warnings.into_iter().map(renumbered));
                found.warnings.extend(written.warnings(at, &sites));
                let written_now: usize = step.plan.splices().iter().map(|splice| splice.text.len()).sum();
                later.room = later.room.saturating_sub(written_now);
                text = step.plan.apply(&text);
                found.plan = found.plan.then(&step.plan);
                found.matches.extend(step.matches.into_iter().map(|found| Match { edit: at, ..found }));
                written.record(at, step.plan.splices());
                steps.push((at, step.plan));
            }
            Err(refused) if is_idle(&refused) => found.warnings.push(format!("edit {at} changes nothing")),
            Err(refused) => {
                return Err(refused.into_iter().map(|one| EditRefusal { edit: at, ..one }).collect());
            }
        }
    }
    // The edits may cancel each other out.
    if text == base {
        return Err(vec![EditRefusal { edit: 0, kind: EditRefusalKind::NoChange }]);
    }
    Ok(found)
}

fn is_idle(refused: &[EditRefusal]) -> bool {
    refused.iter().all(|refusal| refusal.kind == EditRefusalKind::NoChange)
}

/// Returns `true` if a match is certain whatever the base contains: it is exact, or it overlaps what an
/// earlier edit wrote.
fn is_sure(step: &FoundMatch, sites: &[Range<usize>], written: &Written) -> bool {
    let is_exact = step.matches.iter().all(|found| found.strategy == Strategy::Exact);
    is_exact || !written.warnings(0, sites).is_empty()
}

/// Returns the refusal for an edit whose old text matches exactly in the base, where an earlier edit has
/// replaced it: one text would have two results. A merely similar match elsewhere is then not the intended
/// one.
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

/// Returns `true` if two ranges overlap, or one is empty and inside the other.
fn overlap(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start < other.end && other.start < one.end
}

/// The bytes of the current text that earlier edits wrote, with the index of the edit. A removal is an empty
/// range.
#[derive(Default)]
struct Written(Vec<(Range<usize>, usize)>);

impl Written {
    /// Returns warnings for an edit that changes these ranges.
    fn warnings(&self, edit: usize, sites: &[Range<usize>]) -> Vec<String> {
        let of = |(range, other): &(Range<usize>, usize)| {
            sites.iter().any(|site| overlap(range, site)).then_some((*other, range.is_empty()))
        };
        let mut others: Vec<(usize, bool)> = self.0.iter().filter_map(of).collect();
        others.sort_unstable();
        others.dedup_by_key(|(other, _)| *other);
        let warning = |(other, removed)| {
            if removed {
                return format!("edit {edit} changes text from which edit {other} removed something");
            }
            format!("edit {edit} changes what edit {other} wrote")
        };
        others.into_iter().map(warning).collect()
    }

    /// Records the splices of an edit and moves the known ranges accordingly.
    fn record(&mut self, edit: usize, splices: &[Splice]) {
        let (mut moved, mut fresh) = (Vec::with_capacity(self.0.len() + splices.len()), Vec::new());
        let mut old = std::mem::take(&mut self.0).into_iter().peekable();
        let (mut added, mut removed) = (0, 0);
        for splice in splices {
            while let Some((range, other)) = old.next_if(|(range, _)| range.end <= splice.range.start) {
                moved.push((range.start + added - removed..range.end + added - removed, other));
            }
            let start = splice.range.start + added - removed;
            fresh.push((start..start + splice.text.len(), edit));
            // The rest of the range before or after the splice still belongs to the other edit.
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
