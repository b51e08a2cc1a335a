//! Tier: trailing whitespace may differ, on either side.

use super::super::base::Base;
use super::super::fold::Level;
use super::super::needle::Needle;
use super::search::search;
use super::{Hits, TimedOut};

pub(super) fn locate(base: &Base<'_>, needle: &Needle<'_>, limit: usize) -> Result<Hits, TimedOut> {
    if needle.blank {
        return Ok(Hits::default());
    }
    search(base, needle, Level::TrailingBlanks, limit)
}
