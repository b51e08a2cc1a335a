//! Old texts of one line that stand within a deeper indented line: whole lines are meant, of another indentation.

use super::fold::is_blank;
use super::needle::Needle;
use super::tiers::Site;
use crate::text::{line_end, line_start, lines};

/// The lines that the places stand in, where to write the new text to the letter would move other lines: a line
/// that goes would leave its indentation in front of the next one, and of several new lines only the first would
/// stand where the old one did. None where the places are to be taken as they are.
pub(super) fn whole_lines(base: &str, needle: &Needle<'_>, places: &[Site]) -> Option<Vec<Site>> {
    let (old, new) = (&*needle.old, &*needle.new);
    let goes = new.is_empty() && old.ends_with('\n');
    let grows = old.starts_with(is_blank) && lines(new).count() > 1;
    if needle.blank || lines(old).count() != 1 || !(goes || grows) {
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

/// Where the line of `at` starts, if nothing but blanks stands before.
pub(super) fn indentation_before(base: &str, at: usize) -> Option<usize> {
    let start = line_start(base, at);
    base[start..at].chars().all(is_blank).then_some(start)
}
