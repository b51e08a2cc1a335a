//! The tiers of matching, strictest first. To add one: a file with its `locate`, a [`Strategy`], and an
//! entry in [`TIERS`]. Requests with line numbers or escapes go through the strict tiers once more without
//! them: that is a strategy of its own and has no file here (`edit/unwrap.rs`).

mod drifted_context;
mod edges;
mod elision;
mod exact;
mod indentation;
mod inner_space;
mod search;
mod trailing_blanks;
mod typography;

use std::ops::Range;

use super::base::Base;
use super::block::Block;
use super::needle::Needle;
use super::whole_lines::Alike;
use super::{Strategy, TimedOut};

/// One way to tell that a place is meant.
pub(super) struct Tier {
    pub(super) strategy: Strategy,
    /// What to tell the author when this tier was needed.
    pub(super) warning: &'static str,
    /// What may differ in the lines that are found.
    pub(super) tolerance: Tolerance,
    /// Whether it also serves requests that are not literal, or only those.
    pub(super) reads: Reads,
    pub(super) locate: Locate,
}

/// What may differ between lines that are taken for the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tolerance {
    /// Nothing but line ends.
    Exact,
    /// Blanks at line ends, and signs.
    Blanks,
    /// Leading blanks too, between whole lines: new lines have to be re-indented.
    Indentation,
}

/// Which readings of a request a tier looks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reads {
    /// The request as it is given.
    Given,
    /// The request without line numbers or surplus escapes, where it has them.
    Unwrapped,
    /// As given, and where that stands nowhere, unwrapped.
    Both,
}

/// Finds places for a needle, up to a limit.
type Locate = fn(&Base<'_>, &Needle<'_>, usize) -> Result<Hits, TimedOut>;

const INDENTATION: &str = "the indentation differs from the file's; the new text was re-indented";

/// Strictest first. The first tier with any place decides; a tier never sees a needle that a stricter
/// one found.
pub(super) const TIERS: &[Tier] = &[
    Tier {
        strategy: Strategy::Exact,
        warning: "",
        tolerance: Tolerance::Exact,
        reads: Reads::Given,
        locate: exact::locate,
    },
    Tier {
        strategy: Strategy::TrailingBlanks,
        warning: "blanks at line ends differ from the file's",
        tolerance: Tolerance::Blanks,
        reads: Reads::Given,
        locate: trailing_blanks::locate,
    },
    Tier {
        strategy: Strategy::Typography,
        warning: "quotes, dashes or special characters differ from the file's",
        tolerance: Tolerance::Blanks,
        reads: Reads::Given,
        locate: typography::locate,
    },
    Tier {
        strategy: Strategy::Indentation,
        warning: INDENTATION,
        tolerance: Tolerance::Indentation,
        reads: Reads::Given,
        locate: indentation::locate,
    },
    // A request without its line numbers or escapes starts again.
    Tier {
        strategy: Strategy::PrefixesEscapes,
        warning: "",
        tolerance: Tolerance::Exact,
        reads: Reads::Unwrapped,
        locate: |base, needle, limit| whole_lines(exact::locate, base, needle, limit),
    },
    Tier {
        strategy: Strategy::PrefixesEscapes,
        warning: "",
        tolerance: Tolerance::Blanks,
        reads: Reads::Unwrapped,
        locate: |base, needle, limit| whole_lines(trailing_blanks::locate, base, needle, limit),
    },
    Tier {
        strategy: Strategy::PrefixesEscapes,
        warning: "",
        tolerance: Tolerance::Blanks,
        reads: Reads::Unwrapped,
        locate: |base, needle, limit| whole_lines(typography::locate, base, needle, limit),
    },
    Tier {
        strategy: Strategy::PrefixesEscapes,
        warning: INDENTATION,
        tolerance: Tolerance::Indentation,
        reads: Reads::Unwrapped,
        locate: |base, needle, limit| whole_lines(indentation::locate, base, needle, limit),
    },
    Tier {
        strategy: Strategy::Edges,
        warning: "blank lines at the edges of the old text are not in the file",
        tolerance: Tolerance::Indentation,
        reads: Reads::Both,
        locate: edges::locate,
    },
    Tier {
        strategy: Strategy::InnerSpace,
        warning: "runs of blanks inside lines differ from the file's",
        tolerance: Tolerance::Indentation,
        reads: Reads::Both,
        locate: inner_space::locate,
    },
    Tier {
        strategy: Strategy::Elision,
        warning: "lines that the old text leaves out were kept as they are",
        tolerance: Tolerance::Indentation,
        reads: Reads::Both,
        locate: elision::locate,
    },
    Tier {
        strategy: Strategy::DriftedContext,
        warning: "unchanged lines of the old text differ from the file's, which were kept",
        tolerance: Tolerance::Indentation,
        reads: Reads::Both,
        locate: drifted_context::locate,
    },
];

/// The places of a block that stands on as many lines as it has.
fn block_hits(base: &Base<'_>, block: &Block<'_>, limit: usize, alike: Alike) -> Result<Hits, TimedOut> {
    let (starts, more) = block.places(base, limit, alike)?;
    let part = |line| Site::of_parts(vec![block.part(base, line, block.core().len())]);
    Ok(Hits { sites: starts.into_iter().filter_map(part).collect(), more })
}

/// The tier for lines of another indentation.
pub(super) fn indentation() -> &'static Tier {
    TIERS.iter().find(|tier| tier.strategy == Strategy::Indentation).unwrap_or(&TIERS[0])
}

/// The places of another tier that are whole lines.
fn whole_lines(locate: Locate, base: &Base<'_>, needle: &Needle<'_>, limit: usize) -> Result<Hits, TimedOut> {
    let mut hits = locate(base, needle, limit)?;
    hits.sites.retain(|site| base.is_whole_lines(&site.range));
    Ok(hits)
}

/// Hits after which it is plain that a text stands in too many places; counting on would be slow where
/// the hits overlap each other.
pub(super) const MANY: usize = 1000;

/// The places found for a needle, in order of the file.
#[derive(Debug, Default)]
pub(super) struct Hits {
    pub(super) sites: Vec<Site>,
    /// Whether the search stopped at its limit.
    pub(super) more: bool,
}

/// One place, and how the needle lies on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Site {
    /// Bytes of the base.
    pub(super) range: Range<usize>,
    /// The stretches that are replaced, in order. None means the whole place by the whole needle, line by
    /// line.
    pub(super) parts: Vec<Part>,
}

/// A stretch of a place, and the stretch of the needle's texts that belongs there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    /// Bytes of the base.
    pub(super) range: Range<usize>,
    /// Bytes of the needle's old text, whole lines.
    pub(super) old: Range<usize>,
    /// Bytes of its new text.
    pub(super) new: Range<usize>,
    /// For every line of the old text, its lines in the stretch: one, or none if the file lacks it. What
    /// lies between two is the file's alone. Empty means line by line.
    pub(super) spans: Vec<Range<usize>>,
}

impl Hits {
    pub(super) fn overlap(&self) -> bool {
        self.sites.windows(2).any(|pair| pair[1].range.start < pair[0].range.end)
    }

    /// Of several places keeps the one that starts at an offset or behind it, if it is the only one there.
    pub(super) fn keep_the_only_one_behind(&mut self, offset: usize) {
        let mut later = self.sites.iter().filter(|site| site.range.start >= offset);
        if let (Some(site), None) = (later.next(), later.next()) {
            self.sites = vec![site.clone()];
        }
    }

    fn ends_in_overlap(&self) -> bool {
        matches!(&self.sites[..], [.., one, other] if other.range.start < one.range.end)
    }
}

impl Site {
    /// A place for the whole needle.
    pub(super) fn whole(range: Range<usize>) -> Self {
        Self { range, parts: Vec::new() }
    }

    /// A place for some stretches of the needle, at least one.
    pub(super) fn of_parts(parts: Vec<Part>) -> Option<Self> {
        let range = parts.first()?.range.start..parts.last()?.range.end;
        Some(Self { range, parts })
    }

    /// The bytes that it accounts for.
    pub(super) fn ranges(self) -> Vec<Range<usize>> {
        if self.parts.is_empty() {
            return vec![self.range];
        }
        self.parts.into_iter().map(|part| part.range).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_strategy_has_a_tier_in_its_order() {
        let mut tried: Vec<_> = TIERS.iter().map(|tier| tier.strategy).collect();
        tried.dedup();
        assert_eq!(tried, Strategy::ALL);
    }
}
