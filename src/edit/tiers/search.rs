//! Search in a folded view, for the tiers that match text instead of whole lines.

use std::ops::Range;

use memchr::memmem;

use super::super::base::Base;
use super::super::fold::{Fold, Level, is_blank};
use super::super::index::key_and_pairs;
use super::super::needle::{Needle, Pattern};
use super::{Hits, MANY, Site, TimedOut};
use crate::text::{LineEnding, line_end, line_start, lines};

/// Number of hits between two deadline checks.
const STRIDE: usize = 256;

/// Finds all matches of `needle` in the view of `level`, overlapping ones too, up to `limit`.
pub(super) fn search(
    base: &Base<'_>,
    needle: &Needle<'_>,
    level: Level,
    limit: usize,
) -> Result<Hits, TimedOut> {
    base.deadline.check()?;
    let pattern = needle.at(level);
    if level > Level::LineEndings
        && base.folds_line_endings_only(level)
        && pattern == needle.at(Level::LineEndings)
    {
        // The exact tier has searched the same view for the same text.
        return Ok(Hits::default());
    }
    let whole_lines = needle.whole_lines;
    let context =
        MatchContext { base: base.text, view: base.view(level), pattern: &pattern, level, whole_lines };
    let mut hits = Hits::default();
    let mut checked = 0_usize;
    for at in candidates(base, &pattern, needle, &context)? {
        hits.sites.extend(context.raw(at..at + pattern.text.len()).map(Site::whole));
        if hits.sites.len() >= limit || hits.sites.len() > MANY && hits.ends_in_overlap() {
            hits.more = true;
            return Ok(hits);
        }
        checked += 1;
        if checked.is_multiple_of(STRIDE) {
            base.deadline.check()?;
        }
    }
    if !needle.blank {
        hits.sites.extend(context.at_end().map(Site::whole));
    }
    Ok(hits)
}

/// Returns the offsets of the pattern in the view, overlapping ones too, in order.
fn candidates<'v>(
    base: &'v Base<'_>,
    pattern: &'v Pattern<'_>,
    needle: &Needle<'_>,
    context: &MatchContext<'v>,
) -> Result<Box<dyn Iterator<Item = usize> + 'v>, TimedOut> {
    let view = context.view;
    let (haystack, wanted) = (view.text().as_bytes(), pattern.text.as_bytes());
    if base.groups_by_key()
        && let Some((offset, key)) = inner_line(base, &pattern.text, needle.whole_lines)
    {
        // A whole line of the pattern is a line of the base wherever the pattern matches.
        let starts = base
            .lines_with(key)
            .map(move |line| view.view_offset_of_line(base.index().start(base.text, line)));
        let starts = starts.filter_map(move |start| start.checked_sub(offset));
        return Ok(Box::new(starts.filter(move |&at| haystack[at..].starts_with(wanted))));
    }
    if context.level == Level::LineEndings
        && let Some(places) = base.offsets_of_short(&pattern.text)?
    {
        return Ok(Box::new(places.iter().copied()));
    }
    let finder = memmem::Finder::new(wanted);
    let mut from = 0;
    Ok(Box::new(std::iter::from_fn(move || {
        let at = from + finder.find(haystack.get(from..)?)?;
        from = at + first_len(haystack, at);
        Some(at)
    })))
}

/// Returns the start and the key of the rarest of the first whole lines in `text` that are not blank. The
/// first line is whole only if `whole_lines` is set.
fn inner_line(base: &Base<'_>, text: &str, whole_lines: bool) -> Option<(usize, u32)> {
    const TRIED: usize = 4;
    let inner = lines(text).skip(usize::from(!whole_lines)).filter(|line| line.ending != LineEnding::None);
    let keyed = inner.map(|line| (line.start, key_and_pairs(line.content).0)).filter(|&(_, key)| key != 0);
    keyed.take(TRIED).min_by_key(|&(_, key)| base.count_of(key))
}

fn first_len(haystack: &[u8], at: usize) -> usize {
    let continues = |byte: &&u8| **byte & 0xC0 == 0x80;
    1 + haystack[at + 1..].iter().take_while(continues).count()
}

struct MatchContext<'a> {
    base: &'a str,
    view: &'a Fold<'a>,
    pattern: &'a Pattern<'a>,
    level: Level,
    whole_lines: bool,
}

impl MatchContext<'_> {
    /// Maps a hit in the view to the base. Returns `None` if the hit cuts a character or does not fit the
    /// pattern.
    fn raw(&self, hit: Range<usize>) -> Option<Range<usize>> {
        let before = self.view.raw_offsets(hit.start)?;
        // Whitespace that makes up a whole line belongs to the match, because its line ending does.
        let leading_blank_line = !before.is_empty()
            && (self.pattern.leading_blank_line || line_start(self.base, before.end) == before.start);
        // Trailing whitespace of the last line belongs to the match, as on the lines above.
        let trail = self.level > Level::LineEndings && !self.pattern.text.ends_with('\n');
        let after = self.view.raw_offsets(hit.end)?;
        let start = if leading_blank_line { before.start } else { before.end };
        let end = if trail { after.end } else { after.start };
        let rest = self.base.get(end..)?;
        // A whitespace-only last line without a line ending is still a line; after a final line ending there
        // is none.
        let past_last_line = self.pattern.text.ends_with('\n') && self.base[..end].ends_with(['\n', '\r']);
        let fits =
            !self.pattern.ends_line || rest.starts_with(['\n', '\r']) || rest.is_empty() && !past_last_line;
        // A whitespace-only line must match a whole line, not the end of another one.
        let begins_line = !(self.whole_lines || self.pattern.leading_blank_line)
            || start == 0
            || self.base[..start].ends_with(['\n', '\r']);
        (fits && begins_line && start < end && !self.is_less_indented_block(&(start..end)))
            .then_some(start..end)
    }

    /// Returns `true` if the match is of whole lines that start inside the indentation of a line: these are
    /// whole lines with another indentation, left to a looser tier. The exact tier takes them literally.
    fn is_less_indented_block(&self, site: &Range<usize>) -> bool {
        let before = &self.base[line_start(self.base, site.start)..site.start];
        let inside = !before.is_empty() && before.chars().all(is_blank);
        let pattern = &self.pattern.text;
        let block = pattern.trim_end_matches('\n').contains('\n') || pattern.starts_with(is_blank);
        let whole_end = pattern.ends_with('\n') || line_end(self.base, site.end).0 == site.end;
        self.level > Level::LineEndings && inside && block && whole_end
    }

    /// Returns the match at the end of the file, if the end of the file matches the last line ending of the
    /// old text.
    fn at_end(&self) -> Option<Range<usize>> {
        let (text, pattern) = (self.view.text(), self.pattern.text.strip_suffix('\n')?);
        let ended = self.base.ends_with(['\n', '\r']);
        if ended || !text.ends_with(pattern) || pattern.is_empty() {
            return None;
        }
        let range = self.raw(text.len() - pattern.len()..text.len())?;
        Some(range.start..self.base.len())
    }
}
