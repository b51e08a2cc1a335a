//! Blank lines at the edges of the old text aside.

use super::super::base::Base;
use super::super::block::Block;
use super::super::needle::Needle;
use super::super::whole_lines::same_but_indentation;
use super::{Hits, TimedOut, block_hits};

pub(super) fn locate(base: &Base<'_>, needle: &Needle<'_>, limit: usize) -> Result<Hits, TimedOut> {
    match Block::of(needle).filter(Block::has_edges) {
        Some(block) => block_hits(base, &block, limit, same_but_indentation),
        None => Ok(Hits::default()),
    }
}
