//! Replacement of the whole content of a file.

use super::line_diff::runs;
use super::needle::with_lf_endings;
use super::replacement::ReplacementBuilder;
use super::{Deadline, Plan, TimedOut};
use crate::text::{EolStyle, eol_style, lines};

/// Returns the plan that replaces the content of `base` with `content`.
///
/// If `content` has LF line endings only, its line endings are adapted to `base`: equal lines keep all their
/// bytes, changed lines keep their line ending, new ones take that of the line that they replace or follow.
/// If `content` has a CR, or `literal` is set, it is written byte for byte.
///
/// Returns an error if the deadline passes before the two have been compared.
pub fn rewrite(base: &str, content: &str, literal: bool, deadline: Deadline) -> Result<Plan, TimedOut> {
    if literal || content.contains('\r') {
        return Ok(Plan::between(base, content, deadline));
    }
    let (old, new) = (with_lf_endings(base), with_lf_endings(content));
    let splices = ReplacementBuilder::new(base, 0..base.len(), &old, &new, deadline).splices();
    deadline.check()?;
    let plan = splices.ok().and_then(|splices| Plan::new(base.len(), splices).ok());
    let plan = plan.unwrap_or_else(|| Plan::whole(base, &new));
    let lone_cr = matches!(eol_style(base), EolStyle::Cr | EolStyle::Mixed);
    if lone_cr && with_lf_endings(&plan.apply(base)) != new {
        // A lone CR and an LF can form a CRLF if the text between them is removed.
        return Ok(Plan::between(base, &new, deadline));
    }
    Ok(plan)
}

impl Plan {
    /// Returns the plan that turns `old` into `new`: it changes only lines that differ, and within them only
    /// the differing part. Never cuts a character or a CRLF. After the deadline the plan is coarser, never
    /// wrong.
    pub fn between(old: &str, new: &str, deadline: Deadline) -> Self {
        let split =
            |text| -> Vec<_> { lines(text).map(|line| (line.content, line.ending.as_str())).collect() };
        let (old_lines, new_lines) = (split(old), split(new));
        let (old_starts, new_starts) = (starts(old), starts(new));
        let splices = runs(&old_lines, &new_lines, deadline).into_iter().filter_map(|(there, here)| {
            let text = &new[new_starts[here.start]..new_starts[here.end]];
            super::trim::trimmed(old, old_starts[there.start]..old_starts[there.end], text)
        });
        Self::new(old.len(), splices.collect()).unwrap_or_else(|_| Self::whole(old, new))
    }

    fn whole(old: &str, new: &str) -> Self {
        let splice = super::Splice { range: 0..old.len(), text: new.to_owned() };
        Self::new(old.len(), vec![splice]).unwrap_or_default()
    }
}

/// Returns the start of every line, and the end of the text.
fn starts(text: &str) -> Vec<usize> {
    lines(text).map(|line| line.start).chain([text.len()]).collect()
}
