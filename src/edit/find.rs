//! Turns the edits of one call into one plan.

use std::cell::OnceCell;
use std::ops::Range;

use super::conflicts;
use super::finder::{Finder, LocatedEdit};
use super::occurrences::LineCounter;
use super::removal::join_removals;
use super::sequence::find_in_sequence;
use super::whole_lines::split_indent;
use super::widen::indentation_before;
use super::{Edit, EditRefusal, EditRefusalKind, Options, Plan, Strategy};
use crate::text::{Line, line_end, line_start, lines};

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
}

/// Matches every edit in `base` and plans the change, or returns a refusal for each edit without a match. All
/// edits are matched against `base`, not against each other's results, unless they are sequential.
///
/// Differences in line endings between the edits' texts and the base do not matter; a byte order mark at the
/// start of an edit's text is ignored.
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
pub fn find(base: &str, edits: &[Edit], options: &Options) -> Result<FoundMatch, Vec<EditRefusal>> {
    if let Some(following) = base.strip_prefix('\u{FEFF}') {
        // The byte order mark is not part of any line.
        let found = find(following, edits, options)?;
        return Ok(FoundMatch { plan: found.plan.moved_by(base.len() - following.len()), ..found });
    }
    if options.sequential && edits.len() > 1 {
        return find_in_sequence(base, edits, options);
    }
    find_together(base, edits, options).map(|(found, _)| found)
}

/// Like [`find`] for edits that all apply to `base`. Also returns the bytes of the base that the edits
/// account for.
pub(super) fn find_together(
    base: &str,
    edits: &[Edit],
    options: &Options,
) -> Result<(FoundMatch, Vec<Range<usize>>), Vec<EditRefusal>> {
    let finder = Finder::new(base, edits, options);
    let needles = &finder.needles;
    let new_texts = OnceCell::new();
    let mut warnings = Vec::new();
    let (mut located, mut refused) = (Vec::new(), Vec::new());
    // End of the last hunk that matched.
    let mut reached: Option<usize> = None;
    for (edit, needle) in needles.iter().enumerate() {
        let hunk = needle.whole_lines;
        let after = reached.filter(|_| hunk);
        if needle.old == needle.new && !needle.old.is_empty() {
            warnings.push(format!("edit {edit} changes nothing: its old and new text are the same"));
            if hunk && let Ok(context) = finder.locate(edit, after, false, &new_texts) {
                reached = Some(context.first.end);
            }
            continue;
        }
        match finder.locate(edit, after, refused.len() < MAX_EXPLAINED, &new_texts) {
            Ok(found) => {
                reached = if hunk { Some(found.first.end) } else { reached };
                located.push(found);
            }
            Err(kind) => refused.push(EditRefusal { edit, kind }),
        }
    }
    conflicts::explain(base, needles, &located, &mut refused);
    refused.extend(conflicts::between(base, &mut located, &mut warnings));
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

fn describe(base: &str, located: &[LocatedEdit], edits: &[Edit], warnings: &mut Vec<String>) -> Vec<Match> {
    let mut counter = LineCounter::new(base);
    let mut describe = |located: &LocatedEdit| {
        let lines = counter.lines(&located.first);
        for warning in &located.warnings {
            warnings.push(format!("edit {}, line {}: {warning}", located.edit, lines.start));
        }
        if matches!(located.strategy, Strategy::Exact | Strategy::TrailingBlanks | Strategy::Typography)
            && let Some(shallow) = under_indented_line(base, located.first.start, &edits[located.edit])
        {
            let (edit, line) = (located.edit, lines.start);
            let detail = if shallow.is_empty() { String::new() } else { format!(", including `{shallow}`") };
            warnings.push(format!(
                "edit {edit}: line {line} is indented deeper than the old text; the new text was written as given{detail}"
            ));
        }
        if located.strategy == Strategy::Exact && within_a_word(base, &located.first) {
            warnings.push(format!(
                "edit {}, line {}: the match begins or ends within a word",
                located.edit, lines.start
            ));
        }
        if located.splices.is_empty() {
            warnings
                .push(format!("edit {} changes nothing: the file already has the new text", located.edit));
        }
        Match {
            edit: located.edit,
            strategy: located.strategy,
            similarity: located.similarity,
            start_line: lines.start,
            end_line: lines.end,
            replacements: located.replacements,
        }
    };
    located.iter().map(&mut describe).collect()
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

#[cfg(test)]
mod tests;
