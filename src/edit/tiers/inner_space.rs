//! How long runs of blanks inside lines are aside. A run never equals none.

use super::super::base::Base;
use super::super::block::Block;
use super::super::needle::Needle;
use super::super::whole_lines::same_but_blanks;
use super::{Hits, TimedOut, block_hits};

pub(super) fn locate(base: &Base<'_>, needle: &Needle<'_>, limit: usize) -> Result<Hits, TimedOut> {
    match Block::of(needle) {
        Some(block) => block_hits(base, &block, limit, same_but_blanks),
        None => Ok(Hits::default()),
    }
}
