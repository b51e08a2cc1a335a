//! The tiers of matching, strictest first. A new tier needs a file with its `locate`, a [`Strategy`], and an
//! entry in [`TIERS`]. Requests with line numbers or escapes go through the strict tiers once more without
//! them: that is a separate strategy without a file here (`edit/unwrap.rs`).

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
use super::whole_lines::LineEq;
use super::{Strategy, TimedOut};

/// A tier of matching.
pub(super) struct Tier {
    pub(super) strategy: Strategy,
    /// Warning for the author of an edit that this tier matched.
    pub(super) warning: &'static str,
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
    /// The request without line numbers or surplus escapes, where it has them.
    Unwrapped,
    /// The request as it is given, and if that has no match, without line numbers or surplus escapes.
    Both,
}

/// Finds the matches of a needle, up to a limit.
type Locate = fn(&Base<'_>, &Needle<'_>, usize) -> Result<Hits, TimedOut>;

const INDENTATION: &str = "the indentation differs from the file's; the new text was re-indented";

/// All tiers, strictest first. The first tier with a match decides; later tiers are not tried.
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
        warning: "trailing whitespace differs from the file's",
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
    // A request without its line numbers or escapes starts again with the first tier.
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
        warning: "runs of whitespace inside lines differ from the file's",
        tolerance: Tolerance::Indentation,
        reads: Reads::Both,
        locate: inner_space::locate,
    },
    Tier {
        strategy: Strategy::Elision,
        warning: "lines that the old text elides were left unchanged",
        tolerance: Tolerance::Indentation,
        reads: Reads::Both,
        locate: elision::locate,
    },
    Tier {
        strategy: Strategy::DriftedContext,
        warning: "context lines of the old text differ from the file's; the lines of the file were kept",
        tolerance: Tolerance::Indentation,
        reads: Reads::Both,
        locate: drifted_context::locate,
    },
];

/// Finds the matches of a block that cover as many lines as the block has.
fn block_hits(base: &Base<'_>, block: &Block<'_>, limit: usize, eq: LineEq) -> Result<Hits, TimedOut> {
    let (starts, more) = block.find_lines(base, limit, eq)?;
    let part = |line| Site::of_parts(vec![block.part(base, line, block.core().len())]);
    Ok(Hits { sites: starts.into_iter().filter_map(part).collect(), more })
}

/// Returns the tier for lines with another indentation.
pub(super) fn indentation() -> &'static Tier {
    TIERS.iter().find(|tier| tier.strategy == Strategy::Indentation).unwrap_or(&TIERS[0])
}

/// Finds the matches of another tier that are whole lines.
fn whole_lines(locate: Locate, base: &Base<'_>, needle: &Needle<'_>, limit: usize) -> Result<Hits, TimedOut> {
    let mut hits = locate(base, needle, limit)?;
    hits.sites.retain(|site| base.is_whole_lines(&site.range));
    Ok(hits)
}

/// Number of matches after which counting may stop: it would be slow if they overlap.
pub(super) const MANY: usize = 1000;

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
    pub(super) parts: Vec<Part>,
}

/// A part of a match, with the corresponding part of the needle's texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
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
    pub(super) fn overlap(&self) -> bool {
        self.sites.windows(2).any(|pair| pair[1].range.start < pair[0].range.end)
    }

    /// Keeps only the match that starts at or after an offset, if there is exactly one.
    pub(super) fn keep_only_one_after(&mut self, offset: usize) {
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
    /// Creates a match of the whole needle.
    pub(super) fn whole(range: Range<usize>) -> Self {
        Self { range, parts: Vec::new() }
    }

    /// Creates a match from parts of the needle; `None` without a part.
    pub(super) fn of_parts(parts: Vec<Part>) -> Option<Self> {
        let range = parts.first()?.range.start..parts.last()?.range.end;
        Some(Self { range, parts })
    }

    /// Returns the ranges of the base that the match covers.
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
