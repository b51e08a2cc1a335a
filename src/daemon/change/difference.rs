//! Diffs of files, for refusals and for computed changes.

use crate::edit::{
    Deadline, Display, FileDiff, Labels, Plan, diff_plan, diff_texts, display_plan, new_file_header,
};
use crate::workspace::limits::DIFFED_BYTES;
use crate::workspace::{Action, DisplayDiff, NewMode, RefusalKind, Since, Snapshot};

use super::compute::ComputeOptions;
use crate::daemon::files::observe::Observed;

/// Returns the refusal for a file that differs from the content that the author was given.
pub(crate) fn stale(given: Option<&Snapshot>, now: &Observed, deadline: Deadline) -> RefusalKind {
    let name = shown_path(now);
    let text = now.text.as_ref().map(|text| text.as_str());
    let comparable = given.filter(|_| text.is_some() || !now.exists());
    let diff = comparable.and_then(|given| drift(given, text, &name, deadline));
    RefusalKind::Stale { current: now.content.hash(), diff, base_known: given.is_some(), since: Since::Read }
}

/// Returns the unified diff between the given text and the current one. `now` is `None` if the file is gone.
/// Returns `None` if the texts are too large to compare.
pub(crate) fn drift(given: &Snapshot, now: Option<&str>, name: &str, deadline: Deadline) -> Option<String> {
    let text = now.unwrap_or_default();
    if given.text.len_bytes() + text.len() > DIFFED_BYTES {
        return None;
    }
    let labels = Labels { old: Some(name), new: now.is_some().then_some(name) };
    Some(diff_texts(&given.text.to_string(), text, labels, deadline).unified)
}

/// Returns the effect of a change on a file as a unified diff, and in the requested format.
pub(crate) fn file_diff(
    observed: &Observed,
    action: &Action,
    text: &str,
    plan: &Plan,
    rules: &ComputeOptions,
) -> (FileDiff, Option<DisplayDiff>) {
    let name = shown_path(observed);
    let to = match action {
        Action::Rename { to, .. } => {
            to.strip_prefix(observed.target.root.path()).unwrap_or(to).display().to_string()
        }
        _ => name.clone(),
    };
    let labels =
        Labels { old: (!action.creates()).then_some(&name), new: (*action != Action::Delete).then_some(&to) };
    let removal = || Plan::between(text, "", rules.deadline);
    let plan = if *action == Action::Delete { &removal() } else { plan };
    let mut diff = diff_plan(text, plan, labels, rules.deadline);
    if action.is_executable() {
        diff.unified.insert_str(0, &new_file_header(&to, NewMode::EXECUTABLE));
    }
    let shown = rules.display.map(|display| {
        let text = match display {
            Display::Unified => diff.unified.clone(),
            _ => display_plan(text, plan, labels, display, rules.deadline),
        };
        DisplayDiff { display, text: text.into() }
    });
    (diff, shown)
}

/// Returns the path relative to the root, as diffs show it.
fn shown_path(observed: &Observed) -> String {
    let target = &observed.target;
    target.path.strip_prefix(target.root.path()).unwrap_or(&target.path).display().to_string()
}
