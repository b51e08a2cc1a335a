//! Whole lines that are the same but for the blanks before and behind them.

use super::super::base::Base;
use super::super::index::describe;
use super::super::needle::Needle;
use super::super::whole_lines::{Wanted, bare};
use super::{Hits, TimedOut};
use crate::text::lines;

/// Lines compared between two looks at the clock.
const STRIDE: usize = 4096;

pub(super) fn locate(base: &Base<'_>, needle: &Needle<'_>, limit: usize) -> Result<Hits, TimedOut> {
    let mut hits = Hits::default();
    if needle.blank {
        return Ok(hits);
    }
    base.deadline.check()?;
    let wanted = Wanted::new(&needle.old);
    let entries = base.index().entries();
    let Some(last_start) = entries.len().checked_sub(wanted.keys.len()) else { return Ok(hits) };
    let (pivot, key) = wanted.rarest(entries);
    let mut compared = 0;
    for line in (0..=last_start).filter(|line| entries[line + pivot].key == key) {
        compared += 1;
        if compared % STRIDE == 0 {
            base.deadline.check()?;
        }
        let keys = entries[line..].iter().map(|entry| entry.key);
        if !wanted.keys.iter().copied().eq(keys.take(wanted.keys.len())) || !same_lines(base, needle, line) {
            continue;
        }
        hits.sites.extend(wanted.range(base, line));
        if hits.sites.len() >= limit {
            hits.more = true;
            break;
        }
    }
    Ok(hits)
}

fn same_lines(base: &Base<'_>, needle: &Needle<'_>, line: usize) -> bool {
    let asked = lines(&needle.old);
    asked.zip(base.index().lines_from(base.text, line)).all(|(asked, there)| {
        debug_assert_eq!(describe(asked.content).0, describe(there.content).0, "keys were compared");
        bare(asked.content) == bare(there.content)
    })
}
