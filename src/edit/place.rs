//! The place of one edit.

use std::cell::{Cell, OnceCell};
use std::ops::Range;

use super::anchor::{NoScope, Scope};
use super::base::Base;
use super::closest;
use super::conflicts::NewTexts;
use super::dedented;
use super::elided::{placeholder, placeholder_beside_text};
use super::needle::{Needle, plain_ends};
use super::removal::removes_lines;
use super::similarity;
use super::tiers::{Hits, MANY, Reads, Site, TIERS, Tier, Tolerance, indentation};
use super::unwrap::{Unwrapped, unwrapped};
use super::weave::Weave;
use super::{Count, Edit, EditRefusalKind, Occurrences, Options, Splice, Strategy, TimedOut};
use crate::text::{line_end, line_start, lines};

/// Said of a text that is there, but not where an anchor wants it.
const ELSEWHERE: &str =
    "the text stands here, but the lines of context, or the end of the file, say that another place is meant";

/// Said of whole lines that are replaced by nothing.
const LINES_GO: &str = "the lines were removed with the line end behind them, which the old text left out";

/// Places written between two looks at the clock.
const STRIDE: usize = 256;

/// An edit that has its places.
pub(super) struct Placed {
    pub(super) edit: usize,
    pub(super) strategy: Strategy,
    pub(super) warnings: Vec<&'static str>,
    /// How near the old text came to what is there, 0 to 1.
    pub(super) similarity: f64,
    /// The first place.
    pub(super) first: Range<usize>,
    /// How many places there are.
    pub(super) replacements: usize,
    /// Bytes of the base that the edit accounts for.
    pub(super) sites: Vec<Range<usize>>,
    pub(super) splices: Vec<Splice>,
}

/// Looks for the edits of one call in one base.
pub(super) struct Finder<'a> {
    base: Base<'a>,
    edits: &'a [Edit],
    pub(super) needles: Vec<Needle<'a>>,
    fuzzy: bool,
    /// `true` if lines that leave code out in words are refused. Exact matching takes texts as they are, and prose
    /// leaves no code out.
    finds_placeholders: bool,
    room: usize,
    /// Bytes of new text so far.
    taken: Cell<usize>,
}

/// One edit on its way to its place.
struct Search<'s> {
    edit: usize,
    count: Count,
    scope: Scope<'s>,
    /// Where the hunk before it ends, for a hunk that has one.
    behind: Option<usize>,
}

impl<'a> Finder<'a> {
    pub(super) fn new(base: &'a str, edits: &'a [Edit], options: &Options) -> Self {
        let needles = edits.iter().map(Needle::new).collect();
        Self {
            base: Base::new(base, edits, options),
            edits,
            needles,
            fuzzy: options.fuzzy,
            finds_placeholders: options.fuzzy && !options.prose,
            room: options.room,
            taken: Cell::default(),
        }
    }

    /// `explain` says whether the closest regions are wanted where there is no place. `news` is the same for
    /// all edits of a call. `behind` is where the hunk before ends, if the edit is a hunk that follows one.
    pub(super) fn place<'f>(
        &'f self,
        edit: usize,
        behind: Option<usize>,
        explain: bool,
        news: &OnceCell<NewTexts<'f>>,
    ) -> Result<Placed, EditRefusalKind> {
        let (needle, asked) = (&self.needles[edit], &self.edits[edit]);
        self.base.done.set(false);
        let scope = Scope::new(&self.base, &asked.anchor).map_err(|none| match none {
            NoScope::Missing(line) => closest::missing_context(&self.base, line),
            NoScope::TimedOut => EditRefusalKind::Timeout,
        })?;
        let search = Search { edit, count: asked.count, scope, behind };
        if needle.old.is_empty() {
            return self.inserted(&search, needle);
        }
        if let Some(line) = self.finds_placeholders.then(|| placeholder(&needle.old, &needle.new)).flatten() {
            return Err(says_what_is_left_out(needle, line));
        }
        let limit = if asked.count == Count::One { MANY } else { usize::MAX };
        let exact = self.hits(&search, &TIERS[0], needle, limit)?;
        if !exact.sites.is_empty() {
            return self.exact(&search, needle, exact);
        }
        if let Some(other_edit) = news.get_or_init(|| NewTexts::of(&self.needles)).source_of(edit) {
            return Err(EditRefusalKind::Dependency { other_edit });
        }
        if self.fuzzy
            && let Some(placed) = self.tolerated(&search, needle)?
        {
            return Ok(placed);
        }
        let mut refused = closest::not_found(&self.base, needle, explain);
        if let (true, EditRefusalKind::NotFound { closest, .. }) = (search.scope.narrows(), &mut refused) {
            for region in
                closest.iter_mut().filter(|region| region.similarity >= 1.0 && region.reason.is_empty())
            {
                ELSEWHERE.clone_into(&mut region.reason);
            }
        }
        Err(refused)
    }

    fn hits(
        &self,
        search: &Search<'_>,
        tier: &Tier,
        needle: &Needle<'_>,
        limit: usize,
    ) -> Result<Hits, EditRefusalKind> {
        // To narrow them down, all places have to be known.
        let narrows = search.scope.narrows() || search.behind.is_some();
        let limit = if narrows { usize::MAX } else { limit };
        let mut hits =
            (tier.locate)(&self.base, needle, limit).map_err(|_: TimedOut| EditRefusalKind::Timeout)?;
        search.scope.narrow(&self.base, &needle.old, tier.strategy, &mut hits);
        if let Some(behind) = search.behind {
            hits.keep_the_only_one_behind(behind);
        }
        Ok(hits)
    }

    fn exact(&self, search: &Search<'_>, needle: &Needle<'_>, hits: Hits) -> Result<Placed, EditRefusalKind> {
        let found = hits.sites.len();
        let occurrences = || Occurrences::of(self.base.text, &hits);
        match search.count {
            Count::One if found > 1 => Err(EditRefusalKind::Ambiguous { occurrences: occurrences() }),
            Count::Exactly(expected) if expected as usize != found => {
                Err(EditRefusalKind::CountMismatch { expected, found, occurrences: occurrences() })
            }
            _ if hits.overlap() => Err(EditRefusalKind::Ambiguous { occurrences: occurrences() }),
            _ => self.placed(search, needle, &TIERS[0], hits.sites),
        }
    }

    /// The place by the strictest tolerant tier that has any.
    fn tolerated(&self, search: &Search<'_>, needle: &Needle<'_>) -> Result<Option<Placed>, EditRefusalKind> {
        let readings: OnceCell<Vec<Unwrapped>> = OnceCell::new();
        for tier in &TIERS[1..] {
            if tier.reads != Reads::Unwrapped {
                let hits = self.hits(search, tier, needle, MANY)?;
                if !hits.sites.is_empty() {
                    return self.only_place(search, needle, tier, hits).map(Some);
                }
            }
            if tier.reads != Reads::Given {
                let readings = readings.get_or_init(|| unwrapped(needle));
                if let Some(placed) = self.by_reading(search, tier, readings)? {
                    return Ok(Some(placed));
                }
            }
        }
        Ok(None)
    }

    /// The place by one of the other ways to read a request. Ways that lead to different places are
    /// ambiguous; of ways that write different things in one place none is taken.
    fn by_reading(
        &self,
        search: &Search<'_>,
        tier: &Tier,
        readings: &[Unwrapped],
    ) -> Result<Option<Placed>, EditRefusalKind> {
        let mut found: Option<Placed> = None;
        for reading in readings.iter().filter(|reading| !reading.needle.blank) {
            let hits = self.hits(search, tier, &reading.needle, MANY)?;
            if hits.sites.is_empty() {
                continue;
            }
            let mut placed = match self.only_place(search, &reading.needle, tier, hits) {
                // What a likelier reading writes is clear.
                Err(EditRefusalKind::NotFound { .. }) if found.is_some() => continue,
                placed => placed?,
            };
            placed.warnings.insert(0, reading.warning);
            let Some(known) = &found else {
                found = Some(placed);
                continue;
            };
            if known.first != placed.first {
                let sites = [known, &placed].map(|placed| Site::whole(placed.first.clone())).into();
                let occurrences = Occurrences::of(self.base.text, &Hits { sites, more: false });
                return Err(EditRefusalKind::Ambiguous { occurrences });
            }
            if reading.undecided && known.splices != placed.splices {
                return Ok(None);
            }
        }
        Ok(found)
    }

    /// A tolerant tier serves one place only, whatever the count.
    fn only_place(
        &self,
        search: &Search<'_>,
        needle: &Needle<'_>,
        tier: &Tier,
        hits: Hits,
    ) -> Result<Placed, EditRefusalKind> {
        let found = hits.sites.len();
        let occurrences = || Occurrences::of(self.base.text, &hits);
        match search.count {
            Count::Exactly(expected) if expected != 1 && expected as usize != found => {
                Err(EditRefusalKind::CountMismatch { expected, found, occurrences: occurrences() })
            }
            _ if found > 1 => Err(EditRefusalKind::Ambiguous { occurrences: occurrences() }),
            _ => self.placed(search, needle, tier, hits.sites),
        }
    }

    fn placed(
        &self,
        search: &Search<'_>,
        needle: &Needle<'_>,
        tier: &Tier,
        places: Vec<Site>,
    ) -> Result<Placed, EditRefusalKind> {
        if self.finds_placeholders
            && tier.strategy != Strategy::Elision
            && let Some(line) = placeholder_beside_text(&needle.old, &needle.new)
        {
            return Err(says_what_is_left_out(needle, line));
        }
        let meant = (self.fuzzy && tier.tolerance != Tolerance::Indentation)
            .then(|| dedented::whole_lines(self.base.text, needle, &places))
            .flatten();
        let (tier, places) = meant.map_or((tier, places), |lines| (indentation(), lines));
        self.take(places.len(), needle.new.len())?;
        let mut splices: Vec<Splice> = Vec::with_capacity(places.len());
        for (number, site) in places.iter().enumerate() {
            if number % STRIDE == 0 {
                self.base.deadline.check().map_err(|_| EditRefusalKind::Timeout)?;
            }
            let written = Weave::all(&self.base, site, needle, tier.tolerance);
            splices.extend(written.map_err(|unclear| closest::unclear(&self.base, needle, site, unclear))?);
        }
        self.base.deadline.check().map_err(|_| EditRefusalKind::Timeout)?;
        let first = places.first().map_or(0..0, |site| site.range.clone());
        let similarity = match tier.strategy {
            Strategy::Exact => 1.0,
            _ => places.first().map_or(0.0, |site| self.resemblance(needle, site)),
        };
        let replacements = places.len();
        let removes = places.iter().any(|site| removes_lines(&self.base, site, needle));
        let warnings = [Some(tier.warning).filter(|said| !said.is_empty()), removes.then_some(LINES_GO)];
        let of_patch = self.edits[search.edit].anchor.whole_lines;
        let sites = if of_patch && replacements == 1 && places.iter().all(|site| site.parts.is_empty()) {
            vec![changed_lines(self.base.text, &first, &splices)]
        } else {
            places.into_iter().flat_map(Site::ranges).collect()
        };
        Ok(Placed {
            edit: search.edit,
            strategy: tier.strategy,
            warnings: warnings.into_iter().flatten().collect(),
            similarity,
            first,
            replacements,
            sites,
            splices,
        })
    }

    /// Takes room for a text in so many places.
    fn take(&self, places: usize, text: usize) -> Result<(), EditRefusalKind> {
        let size = places.saturating_mul(text).saturating_add(self.taken.get());
        if size > self.room {
            return Err(EditRefusalKind::TooLarge { limit: self.room, size });
        }
        self.taken.set(size);
        Ok(())
    }

    /// How near the old text comes to a place.
    fn resemblance(&self, needle: &Needle<'_>, site: &Site) -> f64 {
        if site.parts.is_empty() {
            return similarity::of_texts(&needle.old, &plain_ends(&self.base.text[site.range.clone()]));
        }
        let old: String = site.parts.iter().map(|part| &needle.old[part.old.clone()]).collect();
        let there: String = site.parts.iter().map(|part| &self.base.text[part.range.clone()]).collect();
        similarity::of_texts(&old, &plain_ends(&there))
    }

    /// The place of an edit that only adds, where its anchor says where.
    fn inserted(&self, search: &Search<'_>, needle: &Needle<'_>) -> Result<Placed, EditRefusalKind> {
        let points = search.scope.insertion_points(&self.base);
        let &at = match &points[..] {
            [] => return Err(EditRefusalKind::EmptyOldText),
            [at] => at,
            several => {
                let sites = several.iter().map(|&at| Site::whole(at..at)).collect();
                let occurrences = Occurrences::of(self.base.text, &Hits { sites, more: false });
                return Err(EditRefusalKind::Ambiguous { occurrences });
            }
        };
        let splices = Weave::insertion(self.base.text, at, &needle.new);
        Ok(Placed {
            edit: search.edit,
            strategy: Strategy::Exact,
            warnings: Vec::new(),
            similarity: 1.0,
            first: at..at,
            replacements: 1,
            sites: Vec::new(),
            splices,
        })
    }
}

/// The refusal for a line of the new text that leaves code out in words.
fn says_what_is_left_out(needle: &Needle<'_>, line: usize) -> EditRefusalKind {
    let text = lines(&needle.new).nth(line - 1).map_or("", |line| line.content.trim()).to_owned();
    EditRefusalKind::Placeholder { line, text }
}

/// The lines of a place that its splices change: the hunks of a patch may share lines of context. Of a place
/// that only gets more lines it is one beside them, so that no other edit adds at the same point.
fn changed_lines(base: &str, site: &Range<usize>, splices: &[Splice]) -> Range<usize> {
    let (Some(first), Some(last)) = (splices.first(), splices.last()) else { return site.clone() };
    let start = line_start(base, first.range.start);
    let begins_line = line_start(base, last.range.end) == last.range.end;
    let end = if begins_line { last.range.end } else { line_end(base, last.range.end).1 };
    match (start < end, site.start < start) {
        (true, _) => start..end,
        (false, true) => line_start(base, start - 1)..start,
        (false, false) => start..line_end(base, start).1,
    }
}
