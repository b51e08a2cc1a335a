//! Tier: runs of whitespace inside lines may have another length. A run never equals no whitespace.

use super::super::base::Base;
use super::super::block::Block;
use super::super::needle::Needle;
use super::super::whole_lines::eq_ignoring_whitespace;
use super::{Hits, TimedOut, block_hits};

pub(super) fn locate(base: &Base<'_>, needle: &Needle<'_>, limit: usize) -> Result<Hits, TimedOut> {
    match Block::of(needle) {
        Some(block) => block_hits(base, &block, limit, eq_ignoring_whitespace),
        None => Ok(Hits::default()),
    }
}
