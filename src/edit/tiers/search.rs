//! Search in a folded view, for the tiers that match text rather than whole lines.

use std::ops::Range;

use memchr::memmem;

use super::super::base::Base;
use super::super::fold::{Fold, Level, is_blank};
use super::super::index::describe;
use super::super::needle::{Asked, Needle};
use super::{Hits, MANY, Site, TimedOut};
use crate::text::{LineEnding, line_end, line_start, lines};

/// Hits between two looks at the clock.
const STRIDE: usize = 256;

/// All places of `needle` in the view of `level`, overlapping ones too, up to `limit`.
pub(super) fn search(
    base: &Base<'_>,
    needle: &Needle<'_>,
    level: Level,
    limit: usize,
) -> Result<Hits, TimedOut> {
    base.deadline.check()?;
    let asked = needle.at(level);
    if level > Level::LineEnds && base.folds_line_ends_only(level) && asked == needle.at(Level::LineEnds) {
        // The exact tier has looked for the same text in the same view.
        return Ok(Hits::default());
    }
    let whole_lines = needle.whole_lines;
    let place = Place { base: base.text, view: base.view(level), asked: &asked, level, whole_lines };
    let mut hits = Hits::default();
    let mut seen = 0_usize;
    for at in candidates(base, &asked, needle, &place)? {
        hits.sites.extend(place.raw(at..at + asked.text.len()).map(Site::whole));
        if hits.sites.len() >= limit || hits.sites.len() > MANY && hits.ends_in_overlap() {
            hits.more = true;
            return Ok(hits);
        }
        seen += 1;
        if seen.is_multiple_of(STRIDE) {
            base.deadline.check()?;
        }
    }
    if !needle.blank {
        hits.sites.extend(place.at_end().map(Site::whole));
    }
    Ok(hits)
}

/// Where the text stands in the view, overlapping ones too, in order.
fn candidates<'v>(
    base: &'v Base<'_>,
    asked: &'v Asked<'_>,
    needle: &Needle<'_>,
    place: &Place<'v>,
) -> Result<Box<dyn Iterator<Item = usize> + 'v>, TimedOut> {
    let view = place.view;
    let (haystack, wanted) = (view.text().as_bytes(), asked.text.as_bytes());
    if base.sorts()
        && let Some((offset, key)) = inner_line(base, &asked.text, needle.whole_lines)
    {
        // A line that is whole in the text is a line of the base, wherever the text stands.
        let starts = base.lines_with(key).map(move |line| view.line_at(base.index().start(base.text, line)));
        let starts = starts.filter_map(move |start| start.checked_sub(offset));
        return Ok(Box::new(starts.filter(move |&at| haystack[at..].starts_with(wanted))));
    }
    if place.level == Level::LineEnds
        && let Some(places) = base.places_of_short(&asked.text)?
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

/// The rarest among the first lines that are whole in `text` and say something: where it starts and its key.
/// The first line is whole if all are.
fn inner_line(base: &Base<'_>, text: &str, whole_lines: bool) -> Option<(usize, u32)> {
    const TRIED: usize = 4;
    let inner = lines(text).skip(usize::from(!whole_lines)).filter(|line| line.ending != LineEnding::None);
    let keyed = inner.map(|line| (line.start, describe(line.content).0)).filter(|&(_, key)| key != 0);
    keyed.take(TRIED).min_by_key(|&(_, key)| base.count_of(key))
}

fn first_len(haystack: &[u8], at: usize) -> usize {
    let continues = |byte: &&u8| **byte & 0xC0 == 0x80;
    1 + haystack[at + 1..].iter().take_while(continues).count()
}

struct Place<'a> {
    base: &'a str,
    view: &'a Fold<'a>,
    asked: &'a Asked<'a>,
    level: Level,
    whole_lines: bool,
}

impl Place<'_> {
    /// The bytes of the base for a hit in the view; nothing if it cuts one of its characters.
    fn raw(&self, hit: Range<usize>) -> Option<Range<usize>> {
        let before = self.view.ends_at(hit.start)?;
        // Blanks that fill their line up to here are the line: who takes the line end takes them too.
        let lead =
            !before.is_empty() && (self.asked.lead || line_start(self.base, before.end) == before.start);
        // The last line's own blanks belong to it, as they do on the lines above.
        let trail = self.level > Level::LineEnds && !self.asked.text.ends_with('\n');
        let after = self.view.ends_at(hit.end)?;
        let start = if lead { before.start } else { before.end };
        let end = if trail { after.end } else { after.start };
        let rest = self.base.get(end..)?;
        // A last line of blanks that is not ended is a line all the same; behind the last line is none.
        let nothing = self.asked.text.ends_with('\n') && self.base[..end].ends_with(['\n', '\r']);
        let fits = !self.asked.ends_line || rest.starts_with(['\n', '\r']) || rest.is_empty() && !nothing;
        // A line of blanks is a line, not the end of another one.
        let begins = !(self.whole_lines || self.asked.lead)
            || start == 0
            || self.base[..start].ends_with(['\n', '\r']);
        (fits && begins && start < end && !self.is_dedented_block(&(start..end))).then_some(start..end)
    }

    /// Whether lines start inside the blanks before one: whole lines with another indentation, which a looser
    /// tier is for. What is there to the letter is taken to the letter.
    fn is_dedented_block(&self, place: &Range<usize>) -> bool {
        let before = &self.base[line_start(self.base, place.start)..place.start];
        let inside = !before.is_empty() && before.chars().all(is_blank);
        let asked = &self.asked.text;
        let block = asked.trim_end_matches('\n').contains('\n') || asked.starts_with(is_blank);
        let whole_end = asked.ends_with('\n') || line_end(self.base, place.end).0 == place.end;
        self.level > Level::LineEnds && inside && block && whole_end
    }

    /// The place where the end of the file stands for the line end that the old text ends in.
    fn at_end(&self) -> Option<Range<usize>> {
        let (text, asked) = (self.view.text(), self.asked.text.strip_suffix('\n')?);
        let ended = self.base.ends_with(['\n', '\r']);
        if ended || !text.ends_with(asked) || asked.is_empty() {
            return None;
        }
        let range = self.raw(text.len() - asked.len()..text.len())?;
        Some(range.start..self.base.len())
    }
}
