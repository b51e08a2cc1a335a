//! Tier: blank lines at the start and end of the old text may be absent from the file.

use super::super::base::Base;
use super::super::block::Block;
use super::super::needle::Needle;
use super::super::whole_lines::eq_ignoring_indentation;
use super::{Hits, TimedOut, block_hits};

pub(super) fn locate(base: &Base<'_>, needle: &Needle<'_>, limit: usize) -> Result<Hits, TimedOut> {
    match Block::of(needle).filter(Block::has_edges) {
        Some(block) => block_hits(base, &block, limit, eq_ignoring_indentation),
        None => Ok(Hits::default()),
    }
}
