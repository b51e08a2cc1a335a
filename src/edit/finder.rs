//! Matching of a single edit.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use std::ops::Range;

use super::anchor::Scope;
use super::base::Base;
use super::conflicts::NewTexts;
use super::elided::{placeholder, placeholder_beside_text};
use super::fold::{Fold, Level, Needle, lf_endings, with_lf_endings};
use super::line_diff::trimmed;
use super::order::{Hunks, HunksBefore};
use super::pattern::Pattern;
use super::refusal::LineCounter;
use super::replaced_lines::{removes_lines, widen};
use super::replacement::ReplacementBuilder;
use super::tiers::{Hits, INDENTATION, MANY, Reads, Site, TIERS, Tier, Tolerance};
use super::unwrap::{Unwrapped, unwrapped};
use super::{Closest, Count, Edit, EditRefusalKind, Occurrences, Options, PatternKind, Splice, Strategy};
use super::{closest, offer, similarity, tiers};
use editd_text::{line_end, line_start, lines};

/// Reason for a region whose text matches, but not where the anchor requires it.
const ELSEWHERE: &str =
    "the text is here, but the context lines or the end-of-file marker require another location";

/// Warning for whole lines that were removed.
const LINES_REMOVED: &str =
    "the lines were removed together with their last line ending, which the old text left out";

/// Reason for a region outside of the scope of the edit.
const OUTSIDE: &str = "this is outside of the lines in which the text is searched for";

/// Maximum number of matches of a pattern. A pattern with more is probably a mistake, and each match is remembered.
const MAX_MATCHES: usize = 100_000;

/// Number of replacements built between two deadline checks.
const STRIDE: usize = 256;

/// An edit with its matches.
pub(super) struct LocatedEdit {
    pub(super) edit: usize,
    pub(super) strategy: Strategy,
    pub(super) warnings: Vec<Cow<'static, str>>,
    /// Similarity of the old text and the matched text, 0 to 1.
    pub(super) similarity: f64,
    /// Byte range of the first match.
    pub(super) first: Range<usize>,
    /// Number of matches.
    pub(super) replacements: usize,
    /// Byte ranges of the base that no other edit may overlap.
    pub(super) sites: Vec<Range<usize>>,
    pub(super) splices: Vec<Splice>,
}

type Located = Result<LocatedEdit, EditRefusalKind>;

/// Matches the edits of one call in one base.
pub(super) struct Finder<'a> {
    base: Base<'a>,
    edits: &'a [Edit],
    pub(super) needles: Vec<Needle<'a>>,
    options: &'a Options,
    /// Bytes of new text so far, over all matches.
    new_bytes: Cell<usize>,
}

/// The search for one edit.
struct Search<'s> {
    edit: usize,
    count: Count,
    scope: Scope<'s>,
    /// The hunks before, if the edit is a hunk.
    before: HunksBefore,
    /// Warning about the place that the order of the hunks selected.
    chosen: Cell<Option<String>>,
}

impl<'a> Finder<'a> {
    pub(super) fn new(base: &'a str, edits: &'a [Edit], options: &'a Options) -> Self {
        let needles = edits.iter().map(Needle::new).collect();
        Self { base: Base::new(base, edits, options), edits, needles, options, new_bytes: Cell::default() }
    }

    /// Returns `true` if new text with a placeholder, like "// ... rest unchanged", is refused. Not for exact
    /// matching, which takes texts literally, nor for prose, in which such a line is text.
    fn refuses_placeholders(&self) -> bool {
        self.options.fuzzy && !self.options.prose
    }

    /// Matches one edit. `explain` asks for the closest regions if there is no match. `new_texts` is shared
    /// by all edits of a call. `before` describes the hunks before, if the edit is a hunk.
    pub(super) fn locate<'f>(
        &'f self,
        edit: usize,
        before: HunksBefore,
        explain: bool,
        new_texts: &OnceCell<NewTexts<'f>>,
    ) -> Located {
        let (needle, edit_request) = (&self.needles[edit], &self.edits[edit]);
        self.base.is_applied.set(false);
        let scope = Scope::new(&self.base, &edit_request.anchor)?;
        let search = Search { edit, count: edit_request.count, scope, before, chosen: Cell::default() };
        if needle.old.is_empty() {
            return self.insertion(&search, needle);
        }
        if let Some(line) =
            self.refuses_placeholders().then(|| placeholder(&needle.old, &needle.new)).flatten()
        {
            return Err(placeholder_refusal(needle, line));
        }
        let exact = self.hits(&search, &TIERS[0], needle)?;
        if !exact.sites.is_empty() {
            let mut located = self.decide(&search, needle, &TIERS[0], exact)?;
            located.warnings.extend(self.left_elsewhere(&search, needle, &located)?.map(Cow::from));
            return Ok(located);
        }
        if let Some(other_edit) = new_texts.get_or_init(|| NewTexts::of(&self.needles)).source_of(edit) {
            return Err(EditRefusalKind::Dependency { other_edit });
        }
        if self.options.fuzzy
            && let Some(located) = self.tolerant(&search, needle)?
        {
            return Ok(located);
        }
        if let Some(within) = &edit_request.scope {
            return Err(self.not_in_scope(needle, within, explain)?);
        }
        let mut refused = closest::not_found(&self.base, needle, explain);
        if let (true, EditRefusalKind::NotFound { closest, .. }) = (search.scope.narrows(), &mut refused) {
            let is_unexplained = |region: &&mut Closest| region.similarity >= 1.0 && region.reason.is_empty();
            for region in closest.iter_mut().filter(is_unexplained) {
                ELSEWHERE.clone_into(&mut region.reason);
            }
        }
        Err(refused)
    }

    /// Returns the edit that probably is meant by one without a match, see [`Offer`](super::Offer).
    pub(super) fn nearest(&self, edit: usize, closest: &[Closest]) -> Option<Edit> {
        let is_scoped = self.edits[edit].scope.is_some();
        let nearest = offer::nearest(&self.base, &self.needles[edit], closest, is_scoped)?;
        let is_inside = match (&self.edits[edit].scope, &nearest.scope) {
            (Some(within), Some(scope)) => contains(within, scope),
            _ => true,
        };
        is_inside.then_some(nearest)
    }

    /// Returns the refusal for a text without a match in the scope of its edit: it may stand elsewhere.
    fn not_in_scope(
        &self,
        needle: &Needle<'_>,
        within: &Range<usize>,
        explain: bool,
    ) -> Result<EditRefusalKind, EditRefusalKind> {
        let scope = LineCounter::new(self.base.text).lines(within);
        let elsewhere = (TIERS[0].locate)(&self.base, needle, MANY)?;
        if !elsewhere.sites.is_empty() {
            let occurrences = Occurrences::of(self.base.text, &elsewhere);
            return Ok(EditRefusalKind::OutsideScope { scope, occurrences });
        }
        let mut refused = closest::not_found(&self.base, needle, explain);
        if let EditRefusalKind::NotFound { closest, already_applied, .. } = &mut refused {
            let is_inside =
                |region: &Closest| scope.start <= region.start_line && region.end_line <= scope.end;
            if closest.iter().any(is_inside) {
                closest.retain(is_inside);
            }
            for region in closest.iter_mut().filter(|region| !is_inside(region)) {
                let reason = std::mem::take(&mut region.reason);
                let separator = if reason.is_empty() { "" } else { "; " };
                region.reason = format!("{reason}{separator}{OUTSIDE}");
            }
            let scoped = with_lf_endings(&self.base.text[within.clone()]);
            *already_applied &= scoped.contains(needle.new.trim_end_matches('\n'));
        }
        Ok(refused)
    }

    /// Matches an edit whose old text is a pattern.
    pub(super) fn locate_pattern(&self, edit: usize, explain: bool) -> Located {
        let (request, needle) = (&self.edits[edit], &self.needles[edit]);
        let pattern = Pattern::new(request.kind, &request.old, &request.new);
        let no_match = |scope| EditRefusalKind::NoMatch { scope, within_words: Occurrences::default() };
        // The caller has checked the pattern.
        let Ok(pattern) = pattern else { return Err(no_match(None)) };
        let base = self.base.text;
        let view = self.base.view(Level::LineEndings);
        if !pattern.is_affordable(view.text.len()) {
            return Err(EditRefusalKind::Timeout);
        }
        let within = request.scope.clone().unwrap_or(0..base.len());
        let found = self.matches_of(&pattern, view, &within)?;
        if found.is_empty() {
            return Err(self.no_match_of(edit, &within, explain)?);
        }
        let occurrences = || Occurrences::at(base, found.iter().map(|(range, _)| range.clone()));
        match request.count {
            Count::Exactly(expected) if expected as usize != found.len() => {
                let (found, occurrences) = (found.len(), occurrences());
                return Err(EditRefusalKind::CountMismatch { expected, found, occurrences });
            }
            Count::One if found.len() > 1 => {
                return Err(EditRefusalKind::Ambiguous { occurrences: occurrences() });
            }
            Count::One | Count::All | Count::Exactly(_) => {}
        }
        // Only what the request itself writes can be a placeholder.
        let may_elide = self.refuses_placeholders() && placeholder("", &needle.new).is_some();
        let mut splices: Vec<Splice> = Vec::with_capacity(found.len());
        for (number, (range, new)) in found.iter().enumerate() {
            if number % STRIDE == 0 {
                self.base.deadline.check()?;
            }
            let old = lf_endings(&base[range.clone()]);
            if may_elide && let Some(line) = placeholder(&old, new) {
                return Err(placeholder_refusal(needle, line));
            }
            if old.contains('\n') || new.contains('\n') {
                let built = ReplacementBuilder::new(base, range.clone(), &old, new, self.base.deadline);
                splices.extend(built.splices().unwrap_or_default());
            } else {
                splices.extend(trimmed(base, range.clone(), new));
            }
        }
        self.base.deadline.check()?;
        Ok(LocatedEdit {
            edit,
            strategy: Strategy::Exact,
            warnings: pattern.warning().into_iter().map(Cow::from).collect(),
            similarity: 1.0,
            first: found.first().map_or(0..0, |(range, _)| range.clone()),
            replacements: found.len(),
            sites: found.into_iter().map(|(range, _)| range).collect(),
            splices,
        })
    }

    /// Returns the matches of a pattern in a range of the base, each with its new text.
    fn matches_of(
        &self,
        pattern: &Pattern,
        view: &Fold<'_>,
        within: &Range<usize>,
    ) -> Result<Vec<(Range<usize>, String)>, EditRefusalKind> {
        let mut found = Vec::new();
        pattern.each_match(&view.text, self.range_in(view, within), |one| {
            if found.len() % STRIDE == 0 {
                self.base.deadline.check()?;
            }
            if found.len() == MAX_MATCHES {
                return Err(EditRefusalKind::TooManyMatches { limit: MAX_MATCHES });
            }
            self.reserve(1, one.new.len())?;
            found.push((raw_range(view, &one.range), one.new));
            Ok(())
        })?;
        Ok(found)
    }

    /// Returns the first places at which a pattern matches in a range of the base.
    fn places_of(&self, pattern: &Pattern, within: &Range<usize>) -> Occurrences {
        let view = self.base.view(Level::LineEndings);
        let mut found = Vec::new();
        let ended = pattern.each_match(&view.text, self.range_in(view, within), |one| {
            found.push(raw_range(view, &one.range));
            if found.len() < MANY { Ok(()) } else { Err(()) }
        });
        Occurrences { more: ended.is_err(), ..Occurrences::at(self.base.text, found.into_iter()) }
    }

    /// Returns a range of the base as a range of its view with LF line endings.
    fn range_in(&self, view: &Fold<'_>, range: &Range<usize>) -> Range<usize> {
        let offset = |offset: usize| {
            let line = line_start(self.base.text, offset);
            // The rest of the line has no line ending, which is all that the view folds.
            view.view_offset_of_line(line) + (offset - line)
        };
        offset(range.start)..offset(range.end).min(view.text.len())
    }

    /// Returns the refusal for a pattern without a match in a range of the base.
    fn no_match_of(
        &self,
        edit: usize,
        within: &Range<usize>,
        explain: bool,
    ) -> Result<EditRefusalKind, EditRefusalKind> {
        let (request, base) = (&self.edits[edit], self.base.text);
        let lines = request.scope.as_ref().map(|_| LineCounter::new(base).lines(within));
        let places = |kind: PatternKind, range: &Range<usize>| {
            let pattern = Pattern::new(kind, &request.old, "").ok();
            pattern.map_or_else(Occurrences::default, |pattern| self.places_of(&pattern, range))
        };
        if let Some(scope) = lines {
            let occurrences = places(request.kind, &(0..base.len()));
            if occurrences.total > 0 {
                return Ok(EditRefusalKind::OutsideScope { scope, occurrences });
            }
        }
        let anywhere = PatternKind { word: false, ..request.kind };
        let within_words = if request.kind.word { places(anywhere, within) } else { Occurrences::default() };
        if within_words.total > 0 || request.kind.regex {
            return Ok(EditRefusalKind::NoMatch { scope: lines, within_words });
        }
        match &request.scope {
            Some(within) => self.not_in_scope(&self.needles[edit], within, explain),
            None => Ok(closest::not_found(&self.base, &self.needles[edit], explain)),
        }
    }

    /// Returns a warning if not all places are replaced, as requested, because some have another indentation.
    fn left_elsewhere(
        &self,
        search: &Search<'_>,
        needle: &Needle<'_>,
        located: &LocatedEdit,
    ) -> Result<Option<String>, EditRefusalKind> {
        let has_several_lines = needle.old.trim_end_matches('\n').contains('\n');
        if search.count != Count::All || !self.options.fuzzy || !has_several_lines {
            return Ok(None);
        }
        let hits = (INDENTATION.locate)(&self.base, needle, MANY)?;
        let within = self.edits[search.edit].scope.as_ref();
        let is_left = |site: &&Site| {
            if within.is_some_and(|within| !contains(within, &site.range)) {
                return false;
            }
            let at = located.sites.partition_point(|replaced| replaced.end <= site.range.start);
            located.sites.get(at).is_none_or(|replaced| replaced.start >= site.range.end)
        };
        Ok(match (hits.sites.iter().filter(is_left).count(), hits.more) {
            (0, _) => None,
            (1, false) => {
                Some("1 place has this text with another indentation and was left unchanged".to_owned())
            }
            (left, more) => {
                let least = if more { "at least " } else { "" };
                Some(format!(
                    "{least}{left} places have this text with another indentation and were left unchanged"
                ))
            }
        })
    }

    fn hits(&self, search: &Search<'_>, tier: &Tier, needle: &Needle<'_>) -> Result<Hits, EditRefusalKind> {
        let replaces_all = search.count != Count::One && tier.strategy == Strategy::Exact
            || search.count == Count::All && tier.strategy == Strategy::Indentation;
        // To narrow the matches, all of them have to be known.
        let ordered = self.edits[search.edit].anchor.ordered;
        let within = self.edits[search.edit].scope.as_ref();
        let narrows = search.scope.narrows() || search.before.end.is_some() || ordered || within.is_some();
        let limit = if replaces_all || narrows { usize::MAX } else { MANY };
        let mut hits = (tier.locate)(&self.base, needle, limit)?;
        if hits.more && replaces_all && tier.strategy == Strategy::Exact {
            hits = tiers::exact_apart(&self.base, needle, within.cloned())?;
        }
        if tier.reads == Reads::Unwrapped {
            hits.sites.retain(|site| self.base.is_whole_lines(&site.range));
        }
        if let Some(within) = within {
            hits.sites.retain(|site| contains(within, &site.range));
        }
        let all = if ordered { hits.sites.clone() } else { Vec::new() };
        search.scope.narrow(&self.base, &needle.old, tier.strategy, &mut hits);
        if let Some(after) = search.before.end {
            hits.keep_only(|site| site.range.start >= after);
        }
        let hunks = Hunks { edits: self.edits, needles: &self.needles };
        let place = (search.edit, &search.scope, search.before);
        search.chosen.set(hunks.choose(&self.base, place, (tier.strategy, &all), &mut hits)?);
        Ok(hits)
    }

    /// Returns the match of the strictest tolerant tier that has any.
    fn tolerant(
        &self,
        search: &Search<'_>,
        needle: &Needle<'_>,
    ) -> Result<Option<LocatedEdit>, EditRefusalKind> {
        let readings: OnceCell<Vec<Unwrapped>> = OnceCell::new();
        for tier in &TIERS[1..] {
            if tier.reads != Reads::Unwrapped {
                let hits = self.hits(search, tier, needle)?;
                if !hits.sites.is_empty() {
                    return self.decide(search, needle, tier, hits).map(Some);
                }
            }
            if tier.reads != Reads::Given {
                let readings = readings.get_or_init(|| unwrapped(needle));
                if let Some(located) = self.unwrapped_match(search, tier, readings)? {
                    return Ok(Some(located));
                }
            }
        }
        Ok(None)
    }

    /// Returns the match of the likeliest unwrapped reading of an edit that has one. Readings that match at
    /// different locations are ambiguous. If an undecided reading writes different text at the same location,
    /// none is used.
    fn unwrapped_match(
        &self,
        search: &Search<'_>,
        tier: &Tier,
        readings: &[Unwrapped],
    ) -> Result<Option<LocatedEdit>, EditRefusalKind> {
        let mut found: Option<LocatedEdit> = None;
        for reading in readings.iter().filter(|reading| !reading.needle.blank) {
            let hits = self.hits(search, tier, &reading.needle)?;
            if hits.sites.is_empty() {
                continue;
            }
            let mut located = match self.decide(search, &reading.needle, tier, hits) {
                // A likelier reading already has an unambiguous result.
                Err(EditRefusalKind::NotFound { .. }) if found.is_some() => continue,
                located => located?,
            };
            located.warnings.insert(0, reading.warning.into());
            let Some(known) = &found else {
                found = Some(located);
                continue;
            };
            if known.first != located.first {
                let sites = [known, &located].map(|located| Site::whole(located.first.clone())).into();
                let occurrences = Occurrences::of(self.base.text, &Hits::complete(sites));
                return Err(EditRefusalKind::Ambiguous { occurrences });
            }
            if reading.undecided && known.splices != located.splices {
                return Ok(None);
            }
        }
        Ok(found)
    }

    /// Accepts the matches of a tier, or refuses the edit if their number is not the expected one. A tolerant
    /// tier must have a single match, whatever the count. Several that differ in indentation are all replaced on
    /// request: each has to prove the indentation of its new lines.
    fn decide(&self, search: &Search<'_>, needle: &Needle<'_>, tier: &Tier, mut hits: Hits) -> Located {
        let is_exact = tier.strategy == Strategy::Exact;
        let replaces_all = is_exact || search.count == Count::All && tier.strategy == Strategy::Indentation;
        if replaces_all && search.count != Count::One {
            hits.drop_overlapping();
        }
        let found = hits.sites.len();
        let occurrences = || Occurrences::of(self.base.text, &hits);
        match search.count {
            Count::Exactly(expected) if expected as usize != found && (is_exact || expected != 1) => {
                Err(EditRefusalKind::CountMismatch { expected, found, occurrences: occurrences() })
            }
            // The caller wants all places, but each can only be tolerated alone.
            Count::All if found > 1 && !replaces_all => {
                Err(closest::several(&self.base, needle, &hits.sites))
            }
            Count::All | Count::Exactly(_) if replaces_all && hits.more => {
                Err(EditRefusalKind::TooManyMatches { limit: MANY })
            }
            count if found > 1 && (!replaces_all || count == Count::One) => {
                Err(EditRefusalKind::Ambiguous { occurrences: occurrences() })
            }
            _ => self.located(search, needle, tier, hits.sites),
        }
    }

    fn located(&self, search: &Search<'_>, needle: &Needle<'_>, tier: &Tier, found: Vec<Site>) -> Located {
        if self.refuses_placeholders()
            && tier.strategy != Strategy::Elision
            && let Some(line) = placeholder_beside_text(&needle.old, &needle.new)
        {
            return Err(placeholder_refusal(needle, line));
        }
        let widened = (self.options.fuzzy && tier.tolerance != Tolerance::Indentation)
            .then(|| widen(self.base.text, needle, &found))
            .flatten();
        let (tier, locations) = widened.map_or((tier, found), |lines| (&INDENTATION, lines));
        self.reserve(locations.len(), needle.new.len())?;
        let mut splices: Vec<Splice> = Vec::with_capacity(locations.len());
        for (number, site) in locations.iter().enumerate() {
            if number % STRIDE == 0 {
                self.base.deadline.check()?;
            }
            let written = ReplacementBuilder::all(&self.base, site, needle, tier.tolerance);
            splices
                .extend(written.map_err(|unclear| closest::unclear(&self.base, needle, site, unclear.line))?);
        }
        self.base.deadline.check()?;
        let first = locations.first().map_or(0..0, |site| site.range.clone());
        let similarity = match tier.strategy {
            Strategy::Exact => 1.0,
            _ => locations.first().map_or(0.0, |site| self.similarity_to(needle, site)),
        };
        let replacements = locations.len();
        let removes = locations.iter().any(|site| removes_lines(&self.base, site, needle));
        let of_patch = self.edits[search.edit].anchor.whole_lines;
        let sites = if of_patch && replacements == 1 && locations.iter().all(|site| site.parts.is_empty()) {
            vec![changed_lines(self.base.text, &first, &splices)]
        } else {
            locations.into_iter().flat_map(Site::ranges).collect()
        };
        Ok(LocatedEdit {
            edit: search.edit,
            strategy: tier.strategy,
            warnings: tier
                .warning
                .into_iter()
                .chain(removes.then_some(LINES_REMOVED))
                .map(Cow::from)
                .chain(search.chosen.take().map(Cow::from))
                .collect(),
            similarity,
            first,
            replacements,
            sites,
            splices,
        })
    }

    /// Counts the new text of all matches towards the size limit, `Options::room`.
    fn reserve(&self, locations: usize, text: usize) -> Result<(), EditRefusalKind> {
        let size = locations.saturating_mul(text).saturating_add(self.new_bytes.get());
        if size > self.options.room {
            return Err(EditRefusalKind::TooLarge { limit: self.options.room, size });
        }
        self.new_bytes.set(size);
        Ok(())
    }

    /// Returns the similarity of the old text and a match.
    fn similarity_to(&self, needle: &Needle<'_>, site: &Site) -> f64 {
        let base = self.base.text;
        if site.parts.is_empty() {
            return similarity::of_texts(&needle.old, &with_lf_endings(&base[site.range.clone()]));
        }
        let old: String = site.parts.iter().map(|part| &needle.old[part.old.clone()]).collect();
        let actual: String = site.parts.iter().map(|part| &base[part.range.clone()]).collect();
        similarity::of_texts(&old, &with_lf_endings(&actual))
    }

    /// Places an edit that only adds text, at the location that its anchor names.
    fn insertion(&self, search: &Search<'_>, needle: &Needle<'_>) -> Located {
        let points = search.scope.insertion_points(&self.base);
        let &at = match &points[..] {
            [] => return Err(EditRefusalKind::EmptyOldText),
            [at] => at,
            several => {
                let sites = several.iter().map(|&at| Site::whole(at..at)).collect();
                let occurrences = Occurrences::of(self.base.text, &Hits::complete(sites));
                return Err(EditRefusalKind::Ambiguous { occurrences });
            }
        };
        if let Some(line) = self.refuses_placeholders().then(|| placeholder("", &needle.new)).flatten() {
            return Err(placeholder_refusal(needle, line));
        }
        let splices = ReplacementBuilder::insertion(self.base.text, at, &needle.new);
        Ok(LocatedEdit {
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

/// Returns a range of the view with LF line endings as a range of the base.
fn raw_range(view: &Fold<'_>, range: &Range<usize>) -> Range<usize> {
    let raw = |offset: usize| view.raw_offsets(offset).map_or(offset, |raw| raw.start);
    raw(range.start)..raw(range.end)
}

/// Returns `true` if a range contains another one.
fn contains(outer: &Range<usize>, inner: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// Creates the refusal for a placeholder line in the new text.
fn placeholder_refusal(needle: &Needle<'_>, line: usize) -> EditRefusalKind {
    let text = lines(&needle.new).nth(line - 1).map_or("", |line| line.content.trim()).to_owned();
    EditRefusalKind::Placeholder { line, text }
}

/// Returns the lines of a match that its splices change: the hunks of a patch may share context lines. If
/// lines are only inserted, returns a line next to them, so that no other edit inserts at the same point.
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
