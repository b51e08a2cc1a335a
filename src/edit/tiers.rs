//! The tiers of matching, strictest first. To add one: a file with its `locate`, a [`Strategy`], and a
//! line in [`TIERS`].

mod exact;
mod indentation;
mod search;
mod trailing_blanks;
mod typography;

use std::ops::Range;

use super::base::Base;
use super::needle::Needle;
use super::{Strategy, TimedOut};

/// One way to tell that a place is meant.
pub(super) struct Tier {
    pub(super) strategy: Strategy,
    /// What to tell the author when this tier was needed.
    pub(super) warning: &'static str,
    /// Whether leading blanks may differ, so that new lines have to be re-indented.
    pub(super) reindent: bool,
    pub(super) locate: Locate,
}

/// Finds places for a needle, up to a limit.
type Locate = fn(&Base<'_>, &Needle<'_>, usize) -> Result<Hits, TimedOut>;

/// Strictest first. The first tier with any place decides; a tier never sees a needle that a stricter
/// one found.
pub(super) const TIERS: &[Tier] = &[
    Tier { strategy: Strategy::Exact, warning: "", reindent: false, locate: exact::locate },
    Tier {
        strategy: Strategy::TrailingBlanks,
        warning: "blanks at line ends differ from the file's",
        reindent: false,
        locate: trailing_blanks::locate,
    },
    Tier {
        strategy: Strategy::Typography,
        warning: "quotes, dashes or special characters differ from the file's",
        reindent: false,
        locate: typography::locate,
    },
    Tier {
        strategy: Strategy::Indentation,
        warning: "the indentation differs from the file's; the new text was re-indented",
        reindent: true,
        locate: indentation::locate,
    },
];

/// Hits after which it is plain that a text stands in too many places; counting on would be slow where
/// the hits overlap each other.
pub(super) const MANY: usize = 1000;

/// The places found for a needle, in order of the file.
#[derive(Debug, Default)]
pub(super) struct Hits {
    /// Bytes of the base.
    pub(super) sites: Vec<Range<usize>>,
    /// Whether the search stopped at its limit.
    pub(super) more: bool,
}

impl Hits {
    pub(super) fn overlap(&self) -> bool {
        self.sites.windows(2).any(|pair| pair[1].start < pair[0].end)
    }

    fn ends_in_overlap(&self) -> bool {
        matches!(&self.sites[..], [.., one, other] if other.start < one.end)
    }
}
