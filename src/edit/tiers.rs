//! The tiers of matching, strictest first. A new tier needs a function that locates matches, a [`Strategy`],
//! and an entry in [`TIERS`]. Tiers that match text are here, tiers that match whole lines in `blocks`.

mod blocks;
mod drift;

pub(super) use drift::{Alignment, DriftCheck, alignments, head, is_significant, names};

use std::ops::Range;

use memchr::memmem;

use super::base::{Base, key_and_pairs};
use super::fold::{Fold, Level, Needle, Pattern, is_blank};

use super::{Strategy, TimedOut};
use editd_text::{LineEnding, line_end, line_start, lines};

/// Number of matches after which counting may stop: it would be slow if they overlap.
pub(super) const MANY: usize = 1000;
/// Number of hits between two deadline checks.
const STRIDE: usize = 256;

/// A tier of matching.
pub(super) struct Tier {
    pub(super) strategy: Strategy,
    /// Warning for the author of an edit that this tier matched.
    pub(super) warning: Option<&'static str>,
    /// Tolerated difference between the matched lines and the old text.
    pub(super) tolerance: Tolerance,
    /// Readings of a request that the tier matches.
    pub(super) reads: Reads,
    pub(super) locate: Locate,
}

/// Tolerated difference between lines that count as equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tolerance {
    /// Line endings only.
    Exact,
    /// Trailing whitespace and typography.
    Blanks,
    /// Indentation too, of whole lines: new lines have to be re-indented.
    Indentation,
}

/// The readings of a request that a tier matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reads {
    /// The request as it is given.
    Given,
    /// The request without line numbers or surplus escapes, where it has them. Matches must be whole lines.
    Unwrapped,
    /// The request as it is given, and if that has no match, without line numbers or surplus escapes.
    Both,
}

/// Finds the matches of a needle, up to a limit.
type Locate = fn(&Base<'_>, &Needle<'_>, usize) -> Result<Hits, TimedOut>;

impl Tier {
    const fn new(strategy: Strategy, tolerance: Tolerance, reads: Reads, locate: Locate) -> Self {
        Self { strategy, warning: None, tolerance, reads, locate }
    }

    const fn warning(self, warning: &'static str) -> Self {
        Self { warning: Some(warning), ..self }
    }
}

/// The tier for lines with another indentation.
pub(super) const INDENTATION: Tier =
    Tier::new(Strategy::Indentation, Tolerance::Indentation, Reads::Given, blocks::indentation)
        .warning(REINDENTED);

const REINDENTED: &str = "the indentation differs from the file's; the new text was re-indented";

/// All tiers, strictest first. The first tier with a match decides; later tiers are not tried.
pub(super) const TIERS: &[Tier] = &[
    Tier::new(Strategy::Exact, Tolerance::Exact, Reads::Given, exact),
    Tier::new(Strategy::TrailingBlanks, Tolerance::Blanks, Reads::Given, trailing_blanks)
        .warning("trailing whitespace differs from the file's"),
    Tier::new(Strategy::Typography, Tolerance::Blanks, Reads::Given, typography)
        .warning("quotes, dashes or special characters differ from the file's"),
    INDENTATION,
    // A request without its line numbers or escapes starts again with the first tier.
    unwrapped(Tolerance::Exact, exact),
    unwrapped(Tolerance::Blanks, trailing_blanks),
    unwrapped(Tolerance::Blanks, typography),
    unwrapped(Tolerance::Indentation, blocks::indentation).warning(REINDENTED),
    Tier::new(Strategy::Edges, Tolerance::Indentation, Reads::Both, blocks::edges)
        .warning("blank lines at the edges of the old text are not in the file"),
    Tier::new(Strategy::InnerSpace, Tolerance::Indentation, Reads::Both, blocks::inner_space)
        .warning("runs of whitespace inside lines differ from the file's"),
    Tier::new(Strategy::Elision, Tolerance::Indentation, Reads::Both, blocks::elision)
        .warning("lines that the old text elides were left unchanged"),
    Tier::new(Strategy::DriftedContext, Tolerance::Indentation, Reads::Both, blocks::drifted_context)
        .warning("context lines of the old text differ from the file's; the lines of the file were kept"),
];

const fn unwrapped(tolerance: Tolerance, locate: Locate) -> Tier {
    Tier::new(Strategy::PrefixesEscapes, tolerance, Reads::Unwrapped, locate)
}

/// The matches of a needle, in file order.
#[derive(Debug, Default)]
pub(super) struct Hits {
    pub(super) sites: Vec<Site>,
    /// `true` if the search stopped at its limit.
    pub(super) more: bool,
}

/// A match of a needle in the base.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Site {
    /// Bytes of the base.
    pub(super) range: Range<usize>,
    /// The parts that are replaced, in order. Empty if the whole needle replaces the whole match, line by
    /// line.
    pub(super) parts: Vec<SitePart>,
}

/// A part of a match, with the corresponding part of the needle's texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SitePart {
    /// Bytes of the base.
    pub(super) range: Range<usize>,
    /// Bytes of the needle's old text, whole lines.
    pub(super) old: Range<usize>,
    /// Bytes of the needle's new text.
    pub(super) new: Range<usize>,
    /// For every line of the old text, its lines in the part: one, or none if the file lacks the line. A line
    /// between two spans is only in the file. Empty if lines correspond one to one.
    pub(super) spans: Vec<Range<usize>>,
}

impl Hits {
    /// Creates the matches of a search that did not stop at its limit.
    pub(super) fn complete(sites: Vec<Site>) -> Self {
        Self { sites, more: false }
    }

    pub(super) fn overlap(&self) -> bool {
        self.sites.windows(2).any(|pair| pair[1].range.start < pair[0].range.end)
    }

    /// Drops matches that overlap one before them that stays.
    pub(super) fn drop_overlapping(&mut self) {
        let mut end = 0;
        self.sites.retain(|site| {
            let stays = site.range.start >= end;
            end = if stays { site.range.end } else { end };
            stays
        });
    }

    /// Keeps only the match that `is_wanted` accepts, if there is exactly one.
    pub(super) fn keep_only(&mut self, is_wanted: impl FnMut(&&Site) -> bool) {
        let wanted: Vec<&Site> = self.sites.iter().filter(is_wanted).take(2).collect();
        if let [site] = wanted[..] {
            self.sites = vec![site.clone()];
        }
    }

    fn ends_in_overlap(&self) -> bool {
        matches!(&self.sites[..], [.., one, other] if other.range.start < one.range.end)
    }
}

impl Site {
    /// Creates a match of the whole needle.
    pub(super) fn whole(range: Range<usize>) -> Self {
        Self { range, parts: Vec::new() }
    }

    /// Creates a match of one part of the needle.
    fn of_part(part: SitePart) -> Self {
        Self { range: part.range.clone(), parts: vec![part] }
    }

    /// Returns the ranges of the base that the match covers.
    pub(super) fn ranges(self) -> Vec<Range<usize>> {
        if self.parts.is_empty() {
            return vec![self.range];
        }
        self.parts.into_iter().map(|part| part.range).collect()
    }
}

/// Finds the text as it is given, except for line endings.
fn exact(base: &Base<'_>, needle: &Needle<'_>, limit: usize) -> Result<Hits, TimedOut> {
    search(base, needle, Level::LineEndings, limit)
}

/// Finds the text as it is given, from the start of a range of the base on, without matches that overlap.
pub(super) fn exact_apart(
    base: &Base<'_>,
    needle: &Needle<'_>,
    within: Option<Range<usize>>,
) -> Result<Hits, TimedOut> {
    let (level, pattern) = (Level::LineEndings, needle.at(Level::LineEndings));
    let view = base.view(level);
    let context =
        MatchContext { base: base.text, view, pattern: &pattern, level, whole_lines: needle.whole_lines };
    let start = within.map_or(0, |within| view.view_offset_of_line(line_start(base.text, within.start)));
    let finder = memmem::Finder::new(pattern.text.as_bytes());
    let mut hits = Hits::default();
    for (checked, at) in finder.find_iter(&view.text.as_bytes()[start..]).enumerate() {
        if checked % STRIDE == 0 {
            base.deadline.check()?;
        }
        let at = start + at;
        hits.sites.extend(context.raw(at..at + pattern.text.len()).map(Site::whole));
    }
    if !needle.blank {
        hits.sites.extend(context.at_end().map(Site::whole));
    }
    Ok(hits)
}

/// Finds the text with other trailing whitespace, on either side.
fn trailing_blanks(base: &Base<'_>, needle: &Needle<'_>, limit: usize) -> Result<Hits, TimedOut> {
    search(base, needle, Level::TrailingBlanks, limit)
}

/// Finds the text with characters that look alike: quotes, dashes, spaces, compatibility forms.
fn typography(base: &Base<'_>, needle: &Needle<'_>, limit: usize) -> Result<Hits, TimedOut> {
    if base.is_ascii() && needle.old.is_ascii() {
        return Ok(Hits::default());
    }
    search(base, needle, Level::Typography, limit)
}

/// Finds all matches of `needle` in the view of `level`, overlapping ones too, up to `limit`.
fn search(base: &Base<'_>, needle: &Needle<'_>, level: Level, limit: usize) -> Result<Hits, TimedOut> {
    if needle.blank && level > Level::LineEndings {
        return Ok(Hits::default());
    }
    base.deadline.check()?;
    let pattern = needle.at(level);
    if level > Level::LineEndings
        && base.folds_line_endings_only(level)
        && pattern == needle.at(Level::LineEndings)
    {
        // The exact tier has searched the same view for the same text.
        return Ok(Hits::default());
    }
    let view = base.view(level);
    let context =
        MatchContext { base: base.text, view, pattern: &pattern, level, whole_lines: needle.whole_lines };
    let mut hits = Hits::default();
    for (checked, at) in candidates(base, &context)?.enumerate() {
        if checked % STRIDE == 0 {
            base.deadline.check()?;
        }
        hits.sites.extend(context.raw(at..at + pattern.text.len()).map(Site::whole));
        if hits.sites.len() >= limit || hits.sites.len() > MANY && hits.ends_in_overlap() {
            hits.more = true;
            return Ok(hits);
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
    context: &MatchContext<'v>,
) -> Result<Box<dyn Iterator<Item = usize> + 'v>, TimedOut> {
    let (view, pattern) = (context.view, context.pattern);
    let (haystack, wanted) = (view.text.as_bytes(), pattern.text.as_bytes());
    if base.groups_by_key()
        && let Some((offset, key)) = inner_line(base, &pattern.text, context.whole_lines)
    {
        // A whole line of the pattern is a line of the base wherever the pattern matches.
        let starts = base.lines_with(key).map(move |line| view.view_offset_of_line(base.start_of(line)));
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
        let (text, pattern) = (&*self.view.text, self.pattern.text.strip_suffix('\n')?);
        let ended = self.base.ends_with(['\n', '\r']);
        if ended || !text.ends_with(pattern) || pattern.is_empty() {
            return None;
        }
        let range = self.raw(text.len() - pattern.len()..text.len())?;
        Some(range.start..self.base.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_strategy_has_a_tier_in_its_order() {
        let mut tried: Vec<_> = TIERS.iter().map(|tier| tier.strategy).collect();
        tried.dedup();
        let mut named = Strategy::NAMES.map(|(strategy, _)| strategy).to_vec();
        // Edits that name lines or symbols are not matched.
        named.retain(|strategy| {
            !matches!(strategy, Strategy::Lines | Strategy::Symbol | Strategy::LanguageServer)
        });
        assert_eq!(tried, named);
    }
}
