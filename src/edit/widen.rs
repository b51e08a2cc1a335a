//! Single-line old texts that match inside a more deeply indented line: they are widened to the whole line,
//! as a match with another indentation.

use super::fold::is_blank;
use super::needle::Needle;
use super::tiers::Site;
use crate::text::{line_end, line_start, lines};

/// Widens matches to whole lines, if writing the new text literally would shift other lines: a removed line
/// would leave its indentation in front of the next one, and of several new lines only the first would be
/// indented like the old one. Returns `None` if the matches should stay as they are.
pub(super) fn widen(base: &str, needle: &Needle<'_>, places: &[Site]) -> Option<Vec<Site>> {
    let (old, new) = (&*needle.old, &*needle.new);
    let removes_line = new.is_empty() && old.ends_with('\n');
    let becomes_several_lines = old.starts_with(is_blank) && lines(new).count() > 1;
    if needle.blank || lines(old).count() != 1 || !(removes_line || becomes_several_lines) {
        return None;
    }
    let starts = places.iter().map(|site| indentation_before(base, site.range.start));
    let starts: Vec<usize> = starts.collect::<Option<_>>()?;
    let is_deeper = starts.iter().zip(places).any(|(start, site)| *start < site.range.start);
    let ends_lines =
        old.ends_with('\n') || places.iter().all(|site| line_end(base, site.range.start).0 == site.range.end);
    let whole =
        || starts.iter().zip(places).map(|(start, site)| Site::whole(*start..site.range.end)).collect();
    (is_deeper && ends_lines).then(whole)
}

/// Returns the start of the line that contains `at`, if there is only whitespace before `at`.
pub(super) fn indentation_before(base: &str, at: usize) -> Option<usize> {
    let start = line_start(base, at);
    base[start..at].chars().all(is_blank).then_some(start)
}
