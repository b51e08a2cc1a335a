//! The order of the hunks of a patch, as evidence for which of several equal places one means.

use super::anchor::Scope;
use super::base::Base;
use super::fold::Needle;
use super::tiers::{Hits, Site};
use super::{Edit, Strategy, TimedOut};

/// The hunks before a hunk.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct HunksBefore {
    /// End of the last one that matched.
    pub(super) end: Option<usize>,
    /// `true` if the one directly before has only context, and so names the place of the next one.
    pub(super) names_place: bool,
}

/// The hunks of one call.
pub(super) struct Hunks<'h> {
    pub(super) edits: &'h [Edit],
    pub(super) needles: &'h [Needle<'h>],
}

impl Hunks<'_> {
    /// Keeps the match that the order of the hunks selects, if the format of the patch has an order. `all` are the
    /// matches in the whole text. Returns a warning that says which one it is.
    pub(super) fn choose(
        &self,
        base: &Base<'_>,
        (edit, scope, before): (usize, &Scope<'_>, HunksBefore),
        (strategy, all): (Strategy, &[Site]),
        hits: &mut Hits,
    ) -> Result<Option<String>, TimedOut> {
        if hits.sites.len() < 2 || !self.edits[edit].anchor.ordered || strategy > Strategy::Typography {
            return Ok(None);
        }
        let after = before.end.unwrap_or(0);
        let named = scope.named_place(base).or_else(|| before.names_place.then_some(after));
        let (chosen, reason) = match named {
            Some(place) => {
                let first = hits.sites.iter().find(|site| site.range.start >= place.max(after));
                (first, "the first one after the context that the patch gives before it".to_owned())
            }
            None => match self.number_of(base, edit)? {
                (number, count) if count == all.len() && !hits.overlap() => {
                    let site = all.get(number).filter(|site| site.range.start >= after);
                    (site, format!("for the patch has {count} hunks with this text"))
                }
                _ => (None, String::new()),
            },
        };
        let Some(chosen) = chosen.cloned() else { return Ok(None) };
        let number = all.iter().take_while(|site| **site != chosen).count() + 1;
        hits.sites = vec![chosen];
        Ok(Some(format!("the old text is in {} places; this is number {number}, {reason}", all.len())))
    }

    /// Returns the number of equal hunks before one, and of all of them. Hunks of context change nothing, so they do
    /// not count.
    fn number_of(&self, base: &Base<'_>, edit: usize) -> Result<(usize, usize), TimedOut> {
        base.deadline.check()?;
        let is_equal = |other: &usize| {
            let (own, needle) = (&self.needles[edit], &self.needles[*other]);
            needle.old == own.old
                && needle.old != needle.new
                && self.edits[*other].anchor == self.edits[edit].anchor
        };
        let equal = (0..self.needles.len()).filter(is_equal);
        Ok(equal.fold((0, 0), |(before, all), other| (before + usize::from(other < edit), all + 1)))
    }
}
