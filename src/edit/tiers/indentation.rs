//! Tier: whole lines that are equal except for whitespace before and after them.

use super::super::base::Base;
use super::super::needle::Needle;
use super::super::whole_lines::{bytes_of, eq_ignoring_indentation, find_lines};
use super::{Hits, Site, TimedOut};
use crate::text::count_lines;

pub(super) fn locate(base: &Base<'_>, needle: &Needle<'_>, limit: usize) -> Result<Hits, TimedOut> {
    if needle.blank {
        return Ok(Hits::default());
    }
    let (starts, more) = find_lines(base, &needle.old, limit, eq_ignoring_indentation)?;
    let (count, ended) = (count_lines(&needle.old), needle.old.ends_with('\n'));
    let site = |line| Site::whole(bytes_of(base, line, count, ended));
    Ok(Hits { sites: starts.into_iter().map(site).collect(), more })
}
