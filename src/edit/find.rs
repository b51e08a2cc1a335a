//! From the edits of one call to one plan.

use std::ops::Range;

use super::base::Base;
use super::conflicts::{self, Placed};
use super::fold::is_blank;
use super::needle::{Needle, plain_ends};
use super::occurrences::LineCounter;
use super::sequence::find_in_sequence;
use super::tiers::{Hits, MANY, TIERS, Tier};
use super::weave::Weave;
use super::{
    Count, Edit, EditRefusal, EditRefusalKind, Occurrences, Options, Plan, Splice, Strategy, TimedOut,
};
use super::{closest, similarity};
use crate::text::{Line, line_start, lines};

/// Refusals of a call that list closest regions: nobody reads more, and each costs a few milliseconds.
const EXPLAINED: usize = 16;

/// Places written between two looks at the clock.
const STRIDE: usize = 256;

/// Where the edits of a call go.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The change as a whole.
    pub plan: Plan,
    /// How each edit was found, in order; idle edits have none.
    pub matches: Vec<Match>,
    /// What the author should know, in words.
    pub warnings: Vec<String>,
}

/// How one edit was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Match {
    /// Index of the edit, from 0.
    pub edit: usize,
    /// The tier that found it.
    pub strategy: Strategy,
    /// How near the old text came to what is there, 0 to 1.
    pub similarity: f64,
    /// First line of its (first) place in the base, from 1.
    pub start_line: usize,
    /// Last line of that place.
    pub end_line: usize,
    /// Places that are replaced.
    pub replacements: usize,
}

/// Finds the place of every edit in `base` and plans the change, or says of every edit that has no place
/// why. All edits are looked for in `base`, not in each other's results, unless they are sequential.
///
/// Line ends of the edits' texts do not matter; a byte order mark at their head is ignored.
///
/// ```
/// use editd::edit::{Edit, EditRefusalKind, Options, Strategy, find};
///
/// let base = "if ready:\r\n\tprint(“go”)\r\n";
/// let edit = Edit::new("    print(\"go\")\n", "    print(\"go\", now)\n");
/// let found = find(base, &[edit], &Options::default()).unwrap();
/// assert_eq!(found.matches[0].strategy, Strategy::Indentation);
/// assert_eq!(found.plan.apply(base), "if ready:\r\n\tprint(“go”, now)\r\n");
///
/// let refused = find("a = 1\na = 1\n", &[Edit::new("a = 1", "a = 2")], &Options::default()).unwrap_err();
/// assert!(matches!(refused[0].kind, EditRefusalKind::Ambiguous { .. }));
/// ```
pub fn find(base: &str, edits: &[Edit], options: &Options) -> Result<Found, Vec<EditRefusal>> {
    if options.sequential && edits.len() > 1 {
        return find_in_sequence(base, edits, options);
    }
    find_together(base, edits, options)
}

/// [`find`] for edits that are all meant for `base`.
pub(super) fn find_together(
    base: &str,
    edits: &[Edit],
    options: &Options,
) -> Result<Found, Vec<EditRefusal>> {
    let finder = Finder { base: Base::new(base, options), edits, fuzzy: options.fuzzy };
    let needles: Vec<_> = edits.iter().map(Needle::new).collect();
    let mut warnings = Vec::new();
    let (mut placed, mut refused) = (Vec::new(), Vec::new());
    for (edit, needle) in needles.iter().enumerate() {
        if needle.old == needle.new && !needle.old.is_empty() {
            warnings.push(format!("edit {edit} changes nothing: its old and new text are the same"));
            continue;
        }
        match finder.place(edit, &needles, refused.len() < EXPLAINED) {
            Ok(found) => placed.push(found),
            Err(kind) => refused.push(EditRefusal { edit, kind }),
        }
    }
    conflicts::explain(base, &needles, &placed, &mut refused);
    refused.extend(conflicts::between(base, &mut placed, &mut warnings));
    if !refused.is_empty() {
        refused.sort_by_key(|refusal| refusal.edit);
        return Err(refused);
    }
    let matches = describe(base, &placed, edits, &mut warnings);
    let splices = placed.into_iter().flat_map(|placed| placed.splices).collect();
    match Plan::new(base.len(), splices) {
        Ok(plan) if !plan.is_empty() => Ok(Found { plan, matches, warnings }),
        _ => Err(vec![EditRefusal { edit: 0, kind: EditRefusalKind::NoChange }]),
    }
}

struct Finder<'a> {
    base: Base<'a>,
    edits: &'a [Edit],
    fuzzy: bool,
}

impl Finder<'_> {
    /// `explain` says whether the closest regions are wanted where there is no place.
    fn place(&self, edit: usize, needles: &[Needle<'_>], explain: bool) -> Result<Placed, EditRefusalKind> {
        let needle = &needles[edit];
        if needle.old.is_empty() {
            return Err(EditRefusalKind::EmptyOldText);
        }
        let timed_out = |_: TimedOut| EditRefusalKind::Timeout;
        let limit = if self.edits[edit].count == Count::One { MANY } else { usize::MAX };
        let exact = (TIERS[0].locate)(&self.base, needle, limit).map_err(timed_out)?;
        if !exact.sites.is_empty() {
            return self.exact(edit, needle, exact);
        }
        if let Some(other_edit) = conflicts::written_by(edit, needles) {
            return Err(EditRefusalKind::Dependency { other_edit });
        }
        for tier in TIERS[1..].iter().filter(|_| self.fuzzy) {
            let hits = (tier.locate)(&self.base, needle, MANY).map_err(timed_out)?;
            if !hits.sites.is_empty() {
                return self.tolerated(edit, needle, tier, hits);
            }
        }
        Err(closest::not_found(&self.base, needle, explain))
    }

    fn exact(&self, edit: usize, needle: &Needle<'_>, hits: Hits) -> Result<Placed, EditRefusalKind> {
        let found = hits.sites.len();
        let occurrences = || Occurrences::of(self.base.text, &hits);
        match self.edits[edit].count {
            Count::One if found > 1 => Err(EditRefusalKind::Ambiguous { occurrences: occurrences() }),
            Count::Exactly(expected) if expected as usize != found => {
                Err(EditRefusalKind::CountMismatch { expected, found, occurrences: occurrences() })
            }
            _ if hits.overlap() => Err(EditRefusalKind::Ambiguous { occurrences: occurrences() }),
            _ => self.placed(edit, needle, &TIERS[0], hits.sites),
        }
    }

    /// A tolerant tier serves one place only, whatever the count.
    fn tolerated(
        &self,
        edit: usize,
        needle: &Needle<'_>,
        tier: &Tier,
        hits: Hits,
    ) -> Result<Placed, EditRefusalKind> {
        let found = hits.sites.len();
        let occurrences = || Occurrences::of(self.base.text, &hits);
        match self.edits[edit].count {
            Count::Exactly(expected) if expected != 1 && expected as usize != found => {
                Err(EditRefusalKind::CountMismatch { expected, found, occurrences: occurrences() })
            }
            _ if found > 1 => Err(EditRefusalKind::Ambiguous { occurrences: occurrences() }),
            _ => self.placed(edit, needle, tier, hits.sites),
        }
    }

    fn placed(
        &self,
        edit: usize,
        needle: &Needle<'_>,
        tier: &Tier,
        sites: Vec<Range<usize>>,
    ) -> Result<Placed, EditRefusalKind> {
        let mut splices: Vec<Splice> = Vec::with_capacity(sites.len());
        for (number, site) in sites.iter().enumerate() {
            if number % STRIDE == 0 {
                self.base.deadline.check().map_err(|_| EditRefusalKind::Timeout)?;
            }
            let weave = Weave::new(self.base.text, site.clone(), &needle.old, &needle.new, tier.reindent);
            splices.extend(weave.splices());
        }
        Ok(Placed { edit, strategy: tier.strategy, warning: tier.warning, sites, splices })
    }
}

fn describe(base: &str, placed: &[Placed], edits: &[Edit], warnings: &mut Vec<String>) -> Vec<Match> {
    let mut counter = LineCounter::new(base);
    let mut describe = |placed: &Placed| {
        let first = placed.sites.first()?;
        let lines = counter.lines(first);
        if !placed.warning.is_empty() {
            warnings.push(format!("edit {}, line {}: {}", placed.edit, lines.start, placed.warning));
        }
        if placed.strategy == Strategy::Exact && loses_depth(base, first.start, &edits[placed.edit]) {
            let line = lines.start;
            warnings.push(format!(
                "edit {}: line {line} is indented deeper than the old text; the new text was written as given",
                placed.edit
            ));
        }
        if placed.splices.is_empty() {
            warnings.push(format!("edit {} changes nothing: the text is there already", placed.edit));
        }
        let similarity = match placed.strategy {
            Strategy::Exact => 1.0,
            _ => {
                similarity::of_texts(&plain_ends(&edits[placed.edit].old), &plain_ends(&base[first.clone()]))
            }
        };
        Some(Match {
            edit: placed.edit,
            strategy: placed.strategy,
            similarity,
            start_line: lines.start,
            end_line: lines.end,
            replacements: placed.sites.len(),
        })
    };
    placed.iter().filter_map(&mut describe).collect()
}

/// Whether a place starts inside or right behind the blanks that its line starts with, and new lines in it
/// are indented less than those blanks. What is found literally is written literally, but it is not what
/// was meant if the request was dedented.
fn loses_depth(base: &str, start: usize, edit: &Edit) -> bool {
    let before = &base[line_start(base, start)..start];
    if before.is_empty() || !before.chars().all(is_blank) || lines(&edit.old).count() > 1 {
        return false;
    }
    let shallow = |line: Line<'_>| !line.content.trim().is_empty() && !line.content.starts_with(before);
    let inside = edit.old.starts_with(is_blank) && lines(&edit.new).count() > 1;
    inside || lines(&edit.new).skip(1).any(shallow)
}

#[cfg(test)]
mod tests;
