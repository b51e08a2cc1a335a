//! Matching of the edits of one call, together or one after the other, as one plan.

use std::cell::OnceCell;
use std::ops::Range;

use super::conflicts;
use super::finder::{Finder, LocatedEdit};
use super::order::HunksBefore;
use super::plan::{Shift, overlap};
use super::refusal::LineCounter;
use super::replaced_lines::{indentation_before, join_removals};
use super::whole_lines::split_indent;
use super::{Edit, EditRefusal, EditRefusalKind, LineRange, Offer, Options, Plan, Splice, Strategy};
use editd_text::{Line, line_end, line_start, lines};

/// Maximum number of refusals per call that list closest regions: more are of no use, and each costs a few
/// milliseconds.
const MAX_EXPLAINED: usize = 16;

/// The result of matching the edits of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundMatch {
    /// The change as a whole.
    pub plan: Plan,
    /// The match of each edit, in order; edits that change nothing have none.
    pub matches: Vec<Match>,
    /// Warnings for the author of the edits.
    pub warnings: Vec<String>,
}

/// The match of one edit.
#[derive(Debug, Clone, PartialEq)]
pub struct Match {
    /// Index of the edit, from 0.
    pub edit: usize,
    /// The tier that found it.
    pub strategy: Strategy,
    /// Similarity of the old text and the matched text, 0 to 1.
    pub similarity: f64,
    /// First line of the first match in the base, from 1.
    pub start_line: usize,
    /// Last line of that match.
    pub end_line: usize,
    /// Number of replaced matches.
    pub replacements: usize,
    /// Lines of each replaced match, in the text in which the edit was matched.
    pub places: Vec<LineRange>,
}

/// Matches every edit in `base` and plans the change, or returns a refusal for each edit without a match. All
/// edits are matched against `base`, not against each other's results, unless they are sequential.
///
/// Differences in line endings between the edits' texts and the base do not matter; a byte order mark at the
/// start of an edit's text is ignored.
///
/// ```
/// use editd_edit::{Edit, EditRefusalKind, Options, Strategy, find};
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
pub fn find(base: &str, edits: &[Edit], options: &Options) -> Result<FoundMatch, Vec<EditRefusal>> {
    if let Some(following) = base.strip_prefix('\u{FEFF}') {
        // The byte order mark is not part of any line.
        let mark = base.len() - following.len();
        let before = |offset: usize| offset.saturating_sub(mark);
        let unscoped = |scope: &Range<usize>| before(scope.start)..before(scope.end);
        let edits: Vec<Edit> = edits
            .iter()
            .map(|edit| Edit { scope: edit.scope.as_ref().map(unscoped), ..edit.clone() })
            .collect();
        let found = find(following, &edits, options).map_err(|refused| {
            refused.into_iter().map(|refusal| refusal.moved_by(mark)).collect::<Vec<_>>()
        })?;
        return Ok(FoundMatch { plan: found.plan.moved_by(mark), ..found });
    }
    if options.sequential && edits.len() > 1 {
        let single: Vec<_> = (0..edits.len()).map(|edit| edit..edit + 1).collect();
        return find_in_sequence(base, edits, &single, options);
    }
    let found = find_together(base, edits, options).map(|(found, _)| found);
    let sections = sections(edits);
    found.or_else(|refused| match sections.len() {
        0 | 1 => Err(refused),
        // The patch may be a series: each section is made for the result of the one before.
        _ => find_in_sequence(base, edits, &sections, options).map_err(|_| refused),
    })
}

/// Returns the edits of each section of a patch.
fn sections(edits: &[Edit]) -> Vec<Range<usize>> {
    let mut sections: Vec<Range<usize>> = Vec::new();
    for (at, edit) in edits.iter().enumerate() {
        let is_next = at == 0 || edits[at - 1].anchor.section != edit.anchor.section;
        match sections.last_mut().filter(|_| !is_next) {
            Some(section) => section.end = at + 1,
            None => sections.push(at..at + 1),
        }
    }
    sections
}

/// Like [`find`] for edits that all apply to `base`. Also returns the bytes of the base that the edits
/// account for.
fn find_together(
    base: &str,
    edits: &[Edit],
    options: &Options,
) -> Result<(FoundMatch, Vec<Range<usize>>), Vec<EditRefusal>> {
    let finder = Finder::new(base, edits, options);
    let needles = &finder.needles;
    let new_texts = OnceCell::new();
    let mut warnings = Vec::new();
    let (mut located, mut refused) = (Vec::new(), Vec::new());
    let mut hunks_before = HunksBefore::default();
    for (edit, needle) in needles.iter().enumerate() {
        if options.deadline.check().is_err() {
            refused.push(EditRefusal { edit, kind: EditRefusalKind::Timeout });
            return Err(refused);
        }
        let hunk = needle.whole_lines;
        let before = if hunk { hunks_before } else { HunksBefore::default() };
        if edits[edit].kind.is_pattern() {
            match finder.locate_pattern(edit, refused.len() < MAX_EXPLAINED) {
                Ok(found) => located.push(found),
                Err(kind) => refused.push(EditRefusal { edit, kind }),
            }
            continue;
        }
        if needle.old == needle.new && !needle.old.is_empty() {
            warnings.push(format!("edit {edit} changes nothing: its old and new text are the same"));
            if hunk {
                let context = finder.locate(edit, before, false, &new_texts).ok();
                hunks_before.names_place = context.is_some();
                hunks_before.end = context.map(|context| context.first.end).or(before.end);
            }
            continue;
        }
        hunks_before.names_place &= !hunk;
        match finder.locate(edit, before, refused.len() < MAX_EXPLAINED, &new_texts) {
            Ok(found) => {
                hunks_before.end = if hunk { Some(found.first.end) } else { hunks_before.end };
                located.push(found);
            }
            Err(mut kind) => {
                if options.offers {
                    add_offer(base, &finder, edit, options, &mut kind);
                }
                refused.push(EditRefusal { edit, kind });
            }
        }
    }
    conflicts::explain(base, needles, &located, &mut refused, options.deadline);
    refused.extend(conflicts::between(base, &mut located, &mut warnings, options.deadline));
    if !refused.is_empty() {
        refused.sort_by_key(|refusal| refusal.edit);
        return Err(refused);
    }
    let matches = describe(base, &located, edits, &mut warnings);
    let (mut splices, mut sites) = (Vec::new(), Vec::new());
    for located in located {
        splices.extend(located.splices);
        sites.extend(located.sites);
    }
    match Plan::new(base.len(), join_removals(base, splices)) {
        Ok(plan) if !plan.is_empty() => Ok((FoundMatch { plan, matches, warnings }, sites)),
        _ => Err(vec![EditRefusal { edit: 0, kind: EditRefusalKind::NoChange }]),
    }
}

/// Adds the change that an edit without a match probably means to its refusal.
fn add_offer(base: &str, finder: &Finder<'_>, edit: usize, options: &Options, refused: &mut EditRefusalKind) {
    if let EditRefusalKind::NotFound { closest, already_applied: false, offer } = refused
        && let Some(nearest) = finder.nearest(edit, closest)
    {
        // The diff is that of the edit which an acceptance makes.
        let alone = Options { offers: false, ..options.clone() };
        let found = find_together(base, std::slice::from_ref(&nearest), &alone);
        *offer =
            found.ok().map(|(found, _)| Box::new(Offer::new(base, nearest, &found.plan, options.deadline)));
    }
}

fn describe(base: &str, located: &[LocatedEdit], edits: &[Edit], warnings: &mut Vec<String>) -> Vec<Match> {
    let mut counter = LineCounter::new(base);
    let describe = |located: &LocatedEdit| {
        let (edit, lines) = (located.edit, counter.lines(&located.first));
        for warning in &located.warnings {
            warnings.push(format!("edit {edit}, line {}: {warning}", lines.start));
        }
        let is_pattern = edits[edit].kind.is_pattern();
        if matches!(located.strategy, Strategy::Exact | Strategy::TrailingBlanks | Strategy::Typography)
            && !is_pattern
            && let Some(shallow) = under_indented_line(base, located.first.start, &edits[edit])
        {
            let line = lines.start;
            let detail = if shallow.is_empty() { String::new() } else { format!(", including `{shallow}`") };
            warnings.push(format!(
                "edit {edit}: line {line} is indented deeper than the old text; the new text was written as given{detail}"
            ));
        }
        if located.strategy == Strategy::Exact && !is_pattern && within_a_word(base, &located.first) {
            let line = lines.start;
            warnings.push(format!("edit {edit}, line {line}: the match begins or ends within a word"));
        }
        if located.splices.is_empty() {
            warnings.push(format!("edit {edit} changes nothing: the file already has the new text"));
        }
        Match {
            edit,
            strategy: located.strategy,
            similarity: located.similarity,
            start_line: lines.start,
            end_line: lines.end,
            replacements: located.replacements,
            places: match located.replacements {
                0 | 1 => vec![lines],
                _ => located.sites.iter().map(|site| counter.lines(site)).collect(),
            },
        }
    };
    located.iter().map(describe).collect()
}

/// Returns `true` if a match cuts a word, as `total` cuts `subtotal`.
fn within_a_word(base: &str, site: &Range<usize>) -> bool {
    let word = |character: char| character.is_alphanumeric() || character == '_';
    let text = &base[site.clone()];
    text.starts_with(word) && base[..site.start].ends_with(word)
        || text.ends_with(word) && base[site.end..].starts_with(word)
}

/// Returns the first new line that is less indented than the line in which the match starts, if the match
/// does not include the indentation of that line. An exact match is written literally, but the result is
/// probably wrong if the request lost its indentation. Returns an empty string if a removed line would leave
/// its indentation in front of the next one.
fn under_indented_line<'e>(base: &str, start: usize, edit: &'e Edit) -> Option<&'e str> {
    let line = &base[line_start(base, start)..];
    let indent = split_indent(&line[..line_end(line, 0).0]).0;
    let inside = line_start(base, start) < start;
    if !inside || indent.is_empty() {
        return None;
    }
    let at_indentation = indentation_before(base, start).is_some();
    if at_indentation && edit.new.is_empty() && edit.old.ends_with('\n') && lines(&edit.old).count() == 1 {
        return Some("");
    }
    // An indentation that later old lines have too is the file's.
    let known_indent =
        |depth: &str| lines(&edit.old).skip(1).any(|line| split_indent(line.content).0 == depth);
    let shallow = |line: &Line<'_>| {
        let (depth, body) = split_indent(line.content);
        !body.is_empty() && !depth.starts_with(indent) && !known_indent(depth)
    };
    lines(&edit.new).skip(1).find(shallow).map(|line| line.content.trim())
}

/// Matches every step, one or several edits, in the result of the previous ones. Stops at the first step without a
/// match: later edits were made for a text that will never exist.
///
/// Line numbers of the matches refer to the text that each edit was matched in.
fn find_in_sequence(
    base: &str,
    edits: &[Edit],
    sequence: &[Range<usize>],
    options: &Options,
) -> Result<FoundMatch, Vec<EditRefusal>> {
    let mut found = FoundMatch { plan: Plan::empty(base.len()), matches: Vec::new(), warnings: Vec::new() };
    let (mut text, mut steps, mut written) = (base.to_owned(), Vec::new(), Written::default());
    // The index is valid for the base only.
    let mut later = Options { index: None, sequential: false, offers: false, ..options.clone() };
    for range in sequence {
        let (at, edits) = (range.start, &edits[range.clone()]);
        let options = if steps.is_empty() { options } else { &later };
        let moved = edits.iter().map(|edit| {
            let after_all = |scope: &Range<usize>| {
                steps.iter().fold(scope.clone(), |scope, (_, step)| scope_after(step, &scope))
            };
            Edit { scope: edit.scope.as_ref().map(after_all), ..edit.clone() }
        });
        let step = find_together(&text, &moved.collect::<Vec<_>>(), options);
        let refused = |kind| Err(vec![EditRefusal { edit: at, kind }]);
        if options.deadline.check().is_err() {
            return refused(EditRefusalKind::Timeout);
        }
        if !step.as_ref().is_ok_and(|(step, sites)| is_sure(step, sites, &written))
            && let Some(kind) = edits.iter().find_map(|edit| contradiction(base, edit, &steps, &later))
        {
            return refused(kind);
        }
        match step {
            Ok((step, _)) => {
                found
                    .warnings
                    .extend(step.warnings.into_iter().map(|warning| renumbered(warning, |edit| edit + at)));
                let written_now: usize = step.plan.splices().iter().map(|splice| splice.text.len()).sum();
                later.room = later.room.saturating_sub(written_now);
                text = step.plan.apply(&text);
                found.plan = found.plan.then(&step.plan);
                found
                    .matches
                    .extend(step.matches.into_iter().map(|found| Match { edit: at + found.edit, ..found }));
                written.record(step.plan.splices());
                steps.push((at, step.plan));
            }
            Err(refused) if refused.iter().all(|one| one.kind == EditRefusalKind::NoChange) => {
                found.warnings.push(format!("edit {at} changes nothing"));
            }
            Err(refused) => {
                return Err(refused
                    .into_iter()
                    .map(|one| EditRefusal { edit: at + one.edit, ..one })
                    .collect());
            }
        }
    }
    // The edits may cancel each other out.
    if text == base {
        return Err(vec![EditRefusal { edit: 0, kind: EditRefusalKind::NoChange }]);
    }
    Ok(found)
}

/// Returns a scope after the changes of a plan. A line that was changed stays in the scope, and a line that was
/// inserted before its first line or after its last one is outside.
fn scope_after(plan: &Plan, scope: &Range<usize>) -> Range<usize> {
    let after = |at: usize, is_start: bool| {
        let mut shift = Shift::default();
        for splice in plan.splices() {
            let range = &splice.range;
            let is_behind = range.start > at || range.start == at && (!range.is_empty() || !is_start);
            if is_behind || is_start && range.start == at && !splice.text.ends_with('\n') {
                break;
            }
            if range.end > at {
                // The border lies in what the splice replaced.
                let start = shift.apply(range.start);
                return if is_start { start } else { start + splice.text.len() };
            }
            shift.pass(splice);
        }
        shift.apply(at)
    };
    let (start, end) = (after(scope.start, true), after(scope.end, false));
    start..end.max(start)
}

/// Replaces the number of the edit at the start of a warning, as in `edit 2: …`.
pub fn renumbered(warning: String, number: impl FnOnce(usize) -> usize) -> String {
    let Some(rest) = warning.strip_prefix("edit ") else { return warning };
    let digits = rest.len() - rest.trim_start_matches(|sign: char| sign.is_ascii_digit()).len();
    match rest[..digits].parse::<usize>() {
        Ok(edit) => format!("edit {}{}", number(edit), &rest[digits..]),
        Err(_) => warning,
    }
}

/// Returns `true` if a match is certain whatever the base contains: it is exact, or it overlaps what an
/// earlier edit wrote.
fn is_sure(step: &FoundMatch, sites: &[Range<usize>], written: &Written) -> bool {
    let is_exact = step.matches.iter().all(|found| found.strategy == Strategy::Exact);
    is_exact || written.touches(sites)
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
        let changes =
            |site: &&Range<usize>| before.splices().iter().any(|splice| overlap(&splice.range, site));
        if let Some(site) = sites.iter().find(changes) {
            let lines = LineCounter::new(base).lines(site);
            return Some(EditRefusalKind::Contradiction { other_edit: *other_edit, lines });
        }
    }
    None
}

/// The bytes of the current text that earlier edits wrote. A removal is an empty range.
#[derive(Default)]
struct Written(Vec<Range<usize>>);

impl Written {
    /// Returns `true` if earlier edits have written or removed something in these ranges.
    fn touches(&self, sites: &[Range<usize>]) -> bool {
        self.0.iter().any(|range| sites.iter().any(|site| overlap(range, site)))
    }

    /// Records the splices of an edit and moves the known ranges accordingly.
    fn record(&mut self, splices: &[Splice]) {
        let mut moved = Vec::with_capacity(self.0.len() + splices.len());
        let mut old = std::mem::take(&mut self.0).into_iter().peekable();
        let mut shift = Shift::default();
        for splice in splices {
            while let Some(range) = old.next_if(|range| range.end <= splice.range.start) {
                moved.push(shift.apply_to_range(&range));
            }
            let start = shift.apply(splice.range.start);
            let end = start + splice.text.len();
            moved.push(start..end);
            // The rest of the range before or after the splice still belongs to the other edit.
            while let Some(range) = old.next_if(|range| range.start < splice.range.end) {
                if range.start < splice.range.start {
                    moved.push(shift.apply(range.start)..start);
                }
                if range.end > splice.range.end {
                    moved.push(end..end + range.end - splice.range.end);
                }
            }
            shift.pass(splice);
        }
        moved.extend(old.map(|range| shift.apply_to_range(&range)));
        moved.sort_by_key(|range| (range.start, range.end));
        self.0 = moved;
    }
}

#[cfg(test)]
mod tests;
