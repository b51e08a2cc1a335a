//! From the edits of one call to one plan.

use std::cell::OnceCell;
use std::ops::Range;

use super::conflicts;
use super::dedented::indentation_before;
use super::occurrences::LineCounter;
use super::place::{Finder, Placed};
use super::removal::join_removals;
use super::sequence::find_in_sequence;
use super::whole_lines::split_indent;
use super::{Edit, EditRefusal, EditRefusalKind, Options, Plan, Strategy};
use crate::text::{Line, line_end, line_start, lines};

/// Refusals of a call that list closest regions: nobody reads more, and each costs a few milliseconds.
const EXPLAINED: usize = 16;

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
    if let Some(behind) = base.strip_prefix('\u{FEFF}') {
        // The mark is not part of any line.
        let found = find(behind, edits, options)?;
        return Ok(Found { plan: found.plan.behind(base.len() - behind.len()), ..found });
    }
    if options.sequential && edits.len() > 1 {
        return find_in_sequence(base, edits, options);
    }
    find_together(base, edits, options).map(|(found, _)| found)
}

/// [`find`] for edits that are all meant for `base`, with the bytes of it that they account for.
pub(super) fn find_together(
    base: &str,
    edits: &[Edit],
    options: &Options,
) -> Result<(Found, Vec<Range<usize>>), Vec<EditRefusal>> {
    let finder = Finder::new(base, edits, options);
    let needles = &finder.needles;
    let news = OnceCell::new();
    let mut warnings = Vec::new();
    let (mut placed, mut refused) = (Vec::new(), Vec::new());
    // Where the last hunk that has a place ends.
    let mut reached: Option<usize> = None;
    for (edit, needle) in needles.iter().enumerate() {
        let hunk = needle.whole_lines;
        let behind = reached.filter(|_| hunk);
        if needle.old == needle.new && !needle.old.is_empty() {
            warnings.push(format!("edit {edit} changes nothing: its old and new text are the same"));
            if hunk && let Ok(context) = finder.place(edit, behind, false, &news) {
                reached = Some(context.first.end);
            }
            continue;
        }
        match finder.place(edit, behind, refused.len() < EXPLAINED, &news) {
            Ok(found) => {
                reached = if hunk { Some(found.first.end) } else { reached };
                placed.push(found);
            }
            Err(kind) => refused.push(EditRefusal { edit, kind }),
        }
    }
    conflicts::explain(base, needles, &placed, &mut refused);
    refused.extend(conflicts::between(base, &mut placed, &mut warnings));
    if !refused.is_empty() {
        refused.sort_by_key(|refusal| refusal.edit);
        return Err(refused);
    }
    let matches = describe(base, &placed, edits, &mut warnings);
    let (mut splices, mut sites) = (Vec::new(), Vec::new());
    for placed in placed {
        splices.extend(placed.splices);
        sites.extend(placed.sites);
    }
    match Plan::new(base.len(), join_removals(base, splices)) {
        Ok(plan) if !plan.is_empty() => Ok((Found { plan, matches, warnings }, sites)),
        _ => Err(vec![EditRefusal { edit: 0, kind: EditRefusalKind::NoChange }]),
    }
}

fn describe(base: &str, placed: &[Placed], edits: &[Edit], warnings: &mut Vec<String>) -> Vec<Match> {
    let mut counter = LineCounter::new(base);
    let mut describe = |placed: &Placed| {
        let lines = counter.lines(&placed.first);
        for warning in &placed.warnings {
            warnings.push(format!("edit {}, line {}: {warning}", placed.edit, lines.start));
        }
        if matches!(placed.strategy, Strategy::Exact | Strategy::TrailingBlanks | Strategy::Typography)
            && let Some(shallow) = loses_depth(base, placed.first.start, &edits[placed.edit])
        {
            let (edit, line) = (placed.edit, lines.start);
            let which = if shallow.is_empty() { String::new() } else { format!(", also `{shallow}`") };
            warnings.push(format!(
                "edit {edit}: line {line} is indented deeper than the old text; the new text was written as given{which}"
            ));
        }
        if placed.strategy == Strategy::Exact && within_a_word(base, &placed.first) {
            warnings.push(format!(
                "edit {}, line {}: the place begins or ends within a word",
                placed.edit, lines.start
            ));
        }
        if placed.splices.is_empty() {
            warnings.push(format!("edit {} changes nothing: the text is there already", placed.edit));
        }
        Match {
            edit: placed.edit,
            strategy: placed.strategy,
            similarity: placed.similarity,
            start_line: lines.start,
            end_line: lines.end,
            replacements: placed.replacements,
        }
    };
    placed.iter().map(&mut describe).collect()
}

/// Whether a place cuts a word, as `total` cuts `subtotal`.
fn within_a_word(base: &str, place: &Range<usize>) -> bool {
    let word = |character: char| character.is_alphanumeric() || character == '_';
    let text = &base[place.clone()];
    text.starts_with(word) && base[..place.start].ends_with(word)
        || text.ends_with(word) && base[place.end..].starts_with(word)
}

/// The first new line that stands less deep than the line that the place starts in, if the place does not take
/// in that line's indentation. What is found literally is written literally, but it is not what was meant if
/// the request was dedented. An empty text where the blanks of a line that goes are left before the next one.
fn loses_depth<'e>(base: &str, start: usize, edit: &'e Edit) -> Option<&'e str> {
    let line = &base[line_start(base, start)..];
    let indent = split_indent(&line[..line_end(line, 0).0]).0;
    let inside = line_start(base, start) < start;
    if !inside || indent.is_empty() {
        return None;
    }
    let leads = indentation_before(base, start).is_some();
    if leads && edit.new.is_empty() && edit.old.ends_with('\n') && lines(&edit.old).count() == 1 {
        return Some("");
    }
    // A depth that further old lines have is the file's.
    let known = |depth: &str| lines(&edit.old).skip(1).any(|line| split_indent(line.content).0 == depth);
    let shallow = |line: &Line<'_>| {
        let (depth, said) = split_indent(line.content);
        !said.is_empty() && !depth.starts_with(indent) && !known(depth)
    };
    lines(&edit.new).skip(1).find(shallow).map(|line| line.content.trim())
}

#[cfg(test)]
mod tests;
