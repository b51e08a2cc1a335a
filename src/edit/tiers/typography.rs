//! Tier: characters that look alike may differ: quotes, dashes, spaces, compatibility forms.

use super::super::base::Base;
use super::super::fold::Level;
use super::super::needle::Needle;
use super::search::search;
use super::{Hits, TimedOut};

pub(super) fn locate(base: &Base<'_>, needle: &Needle<'_>, limit: usize) -> Result<Hits, TimedOut> {
    let plain = base.is_ascii() && needle.old.is_ascii();
    if needle.blank || plain {
        return Ok(Hits::default());
    }
    search(base, needle, Level::Typography, limit)
}
