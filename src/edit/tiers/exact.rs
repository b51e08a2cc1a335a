//! Tier: the text as it is given, except for line endings.

use super::super::base::Base;
use super::super::fold::Level;
use super::super::needle::Needle;
use super::search::search;
use super::{Hits, TimedOut};

pub(super) fn locate(base: &Base<'_>, needle: &Needle<'_>, limit: usize) -> Result<Hits, TimedOut> {
    search(base, needle, Level::LineEndings, limit)
}
