//! Writing a whole file over another.

use super::line_diff::runs;
use super::needle::plain_ends;
use super::weave::Weave;
use super::{Deadline, Plan, TimedOut};
use crate::text::{EolStyle, eol_style, lines};

/// The plan that makes `base` say what `content` says.
///
/// Content with LF line ends only says nothing about line ends: equal lines keep all their bytes, changed
/// ones their ending, new ones get the ending of what they replace or stand behind. Content that has a CR
/// itself, or is `literal`, is taken as sent, to the byte.
///
/// An error if the deadline passes before the two have been compared.
pub fn rewrite(base: &str, content: &str, literal: bool, deadline: Deadline) -> Result<Plan, TimedOut> {
    if literal || content.contains('\r') {
        return Ok(Plan::between(base, content, deadline));
    }
    let (old, new) = (plain_ends(base), plain_ends(content));
    let splices = Weave::new(base, 0..base.len(), &old, &new, deadline).splices();
    deadline.check()?;
    let plan = splices.ok().and_then(|splices| Plan::new(base.len(), splices).ok());
    let plan = plan.unwrap_or_else(|| Plan::whole(base, &new));
    let lone_cr = matches!(eol_style(base), EolStyle::Cr | EolStyle::Mixed);
    if lone_cr && plain_ends(&plan.apply(base)) != new {
        // Lone CRs among LFs can become one line end with them where what lay between goes.
        return Ok(Plan::between(base, &new, deadline));
    }
    Ok(plan)
}

impl Plan {
    /// The plan that leads from `old` to `new`: changed lines, and within them no more than what changed.
    /// Never cuts a character or a CRLF. Once the deadline has passed the plan is coarser, never wrong.
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

/// Where every line starts, and the end of the text.
fn starts(text: &str) -> Vec<usize> {
    lines(text).map(|line| line.start).chain([text.len()]).collect()
}
