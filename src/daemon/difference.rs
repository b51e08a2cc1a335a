//! What changed in a file, shown.

use crate::edit::{Deadline, FileDiff, Labels, Plan, diff_plan, diff_texts};
use crate::workspace::limits::DIFFED_BYTES;
use crate::workspace::{Action, RefusalKind, Snapshot};

use super::observe::Observed;

/// The refusal for a file that is not what its author was given.
pub(crate) fn stale(given: Option<&Snapshot>, now: &Observed, deadline: Deadline) -> RefusalKind {
    let name = shown_path(now);
    let text = now.text.as_ref().map(|text| text.as_str());
    let comparable = given.filter(|_| text.is_some() || now.stat.is_none());
    let diff = comparable.and_then(|given| drift(given, text, &name, deadline));
    RefusalKind::Stale { current: now.truth.hash(), diff, base_known: given.is_some(), proposed: false }
}

/// What changed since a text was given, as a unified diff; `now` is none if the file is gone. Nothing if the
/// two are too large to compare.
pub(crate) fn drift(given: &Snapshot, now: Option<&str>, name: &str, deadline: Deadline) -> Option<String> {
    let text = now.unwrap_or_default();
    if given.text.len_bytes() + text.len() > DIFFED_BYTES {
        return None;
    }
    let labels = Labels { old: Some(name), new: now.is_some().then_some(name) };
    Some(diff_texts(&given.text.to_string(), text, labels, deadline).unified)
}

/// What a change makes of a file, as a unified diff.
pub(super) fn file_diff(
    observed: &Observed,
    action: &Action,
    text: &str,
    plan: &Plan,
    deadline: Deadline,
) -> FileDiff {
    let name = shown_path(observed);
    match action {
        Action::Create => diff_plan(text, plan, Labels { old: None, new: Some(&name) }),
        Action::Delete => diff_texts(text, "", Labels { old: Some(&name), new: None }, deadline),
        Action::Rename { to, .. } => {
            let to = to.strip_prefix(observed.target.root.path()).unwrap_or(to).display().to_string();
            diff_plan(text, plan, Labels { old: Some(&name), new: Some(&to) })
        }
        Action::Edit => diff_plan(text, plan, Labels::same(&name)),
    }
}

/// The path from the root, as diffs show it.
fn shown_path(observed: &Observed) -> String {
    let target = &observed.target;
    target.path.strip_prefix(target.root.path()).unwrap_or(&target.path).display().to_string()
}
