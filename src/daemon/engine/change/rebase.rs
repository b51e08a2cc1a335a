//! Rebasing changes onto content that has changed since.

use std::path::Path;
use std::sync::Arc;

use crate::engine::change::compute::{ComputeOptions, ComputedChange, finish};
use crate::engine::change::draft::{Draft, DraftError};
use crate::engine::files::observe::Observed;
use editd_edit::notebook::{broken, is_notebook};
use editd_edit::{
    Deadline, Display, FileDiff, Labels, LineRange, MarkedMerge, MergeError, Plan, diff_plan, diff_texts,
    display_plan, merge, merge_marked, new_file_header,
};
use editd_workspace::limits::DIFFED_BYTES;
use editd_workspace::{
    Action, Coverage, DisplayDiff, NewMode, OnStale, PlannedFile, Refusal, RefusalKind, Since, Snapshot,
};

/// Start of the warning about conflict markers. The line numbers follow.
const MARKERS_WARNING: &str = "Conflict markers are in lines";

/// The edits between the base of a proposal and the current content.
#[derive(Clone, Copy)]
pub(crate) enum Intervening<'p> {
    /// Later edits of the author.
    Own(&'p [Arc<Plan>]),
    /// Text that a user typed in an editor.
    Typing,
    /// Changes by others.
    Others,
}

/// Rebases a proposal's change of one file onto the observed content. Later edits of the author and typed
/// text only shift its offsets. If they touch the change, or others changed the file, a merge is needed,
/// which `on_stale` must allow.
pub(crate) fn rebase_planned(
    file: &PlannedFile,
    intervening: Intervening<'_>,
    observed: Observed,
    rules: &ComputeOptions<'_>,
) -> Result<ComputedChange, Refusal> {
    let about = |kind| Refusal::at(&file.path, kind);
    let before = file.before.as_ref().filter(|_| file.action == Action::Edit);
    let (Some(before), Ok((_, now))) = (before, observed.content()) else {
        return Err(about(stale(file.before.as_deref(), &observed, rules.deadline)));
    };
    let rebased = match intervening {
        Intervening::Own(plans) => {
            plans.iter().try_fold((*file.plan).clone(), |plan, own| plan.rebase_strict(own))
        }
        Intervening::Typing => {
            file.plan.rebase_strict(&Plan::between(&before.text.to_string(), now, rules.deadline))
        }
        Intervening::Others => None,
    };
    let draft = Draft {
        plan: (*file.plan).clone(),
        matches: file.matches.clone(),
        warnings: file.warnings.clone(),
        rebased: file.rebased,
        since: None,
        original_plan: Some((before.hash, file.plan.clone())),
        renamed: Vec::new(),
        renames: Vec::new(),
    };
    let draft = match rebased {
        Some(plan) => {
            let warnings = draft.warnings.into_iter().map(without_line_numbers).collect();
            Draft { plan, warnings, ..draft }
        }
        None if rules.on_stale != OnStale::Reject => {
            rebase(&file.path, (&before.text.to_string(), now), draft, rules).map_err(
                |error| match error {
                    DraftError::File(kind) => about(kind),
                    DraftError::Edits(_) | DraftError::Symbols(_) | DraftError::Cells(_) => {
                        about(RefusalKind::NoChange)
                    }
                },
            )?
        }
        None => return Err(about(stale(Some(before), &observed, rules.deadline))),
    };
    let rules = &ComputeOptions { display: file.shown.as_ref().map(|shown| shown.display), ..*rules };
    // The result contains changes of others that the author has not seen.
    let mut computed =
        finish(observed, Action::Edit, file.format, draft, Coverage::Part, rules).map_err(about)?;
    computed.file.runs_programs = file.runs_programs;
    Ok(computed)
}

/// Rebases a plan for `given` onto `now`: by offsets if the changes are in other locations, otherwise by
/// merging lines.
pub(crate) fn rebase(
    path: &Path,
    (given, now): (&str, &str),
    draft: Draft,
    rules: &ComputeOptions<'_>,
) -> Result<Draft, DraftError> {
    let since = Plan::between(given, now, rules.deadline);
    let mut warnings = draft.warnings;
    warnings.push(
        "The file has changed since it was read; this change was merged with the new content.".to_owned(),
    );
    let wanted = || draft.plan.apply(given);
    let plan = if let Some(plan) = draft.plan.rebase_strict(&since) {
        plan
    } else {
        let merged = merged(given, now, &wanted(), rules.on_stale)?;
        warnings.extend(markers_warning(&merged.conflicts));
        Plan::between(now, &merged.text, rules.deadline)
    };
    if is_notebook(&wanted()) && broken(path, now, &plan).is_some() {
        // Rebasing does not parse JSON, and conflict markers are not valid JSON. A merge that refuses
        // conflicts reports where they are.
        merged(given, now, &wanted(), OnStale::Rebase)?;
        return Err(RefusalKind::Conflict { regions: Vec::new() }.into());
    }
    Ok(Draft { plan, warnings, rebased: true, since: Some(since), ..draft })
}

fn merged(given: &str, now: &str, wanted: &str, on_stale: OnStale) -> Result<MarkedMerge, RefusalKind> {
    let merged = match on_stale {
        OnStale::Mark => merge_marked(given, now, wanted),
        OnStale::Reject | OnStale::Rebase => {
            merge(given, now, wanted).map(|text| MarkedMerge { text, conflicts: Vec::new() })
        }
    };
    merged.map_err(|error| match error {
        MergeError::Conflicts(regions) => RefusalKind::Conflict { regions },
        MergeError::TooLong { .. } => {
            RefusalKind::Timeout { what: "Merging the change with the changes of others" }
        }
    })
}

/// Returns the warning about conflicts that were written into the file.
fn markers_warning(conflicts: &[LineRange]) -> Option<String> {
    let lines: Vec<_> = conflicts.iter().map(|lines| format!("{}-{}", lines.start, lines.end)).collect();
    (!lines.is_empty()).then(|| {
        format!(
            "{MARKERS_WARNING} {} of the result: there the file, between `<<<<<<< file` and \
             `||||||| base`, and this change, between `=======` and `>>>>>>> change`, differ in the same \
             lines. Resolve each conflict and remove the markers.",
            lines.join(", ")
        )
    })
}

/// Removes the line numbers from a warning about conflict markers, because a rebase moves the lines.
fn without_line_numbers(warning: String) -> String {
    if warning.starts_with(MARKERS_WARNING) {
        return "Conflict markers are in the changed lines. Resolve each conflict and remove the markers."
            .to_owned();
    }
    warning
}

/// Returns the refusal for a file that differs from the content that the author was given.
pub(crate) fn stale(given: Option<&Snapshot>, now: &Observed, deadline: Deadline) -> RefusalKind {
    let diff = given.and_then(|given| drift_to(given, now, deadline));
    RefusalKind::Stale { current: now.content.hash(), diff, base_known: given.is_some(), since: Since::Read }
}

/// Returns the unified diff between the given text and the observed one; `None` if the file is not text, or the
/// texts are too large to compare.
pub(crate) fn drift_to(given: &Snapshot, now: &Observed, deadline: Deadline) -> Option<String> {
    let text = now.text.as_ref().map(|text| text.as_str());
    (text.is_some() || !now.exists()).then(|| drift(given, text, &shown_path(now), deadline))?
}

/// Returns the unified diff of the changes of others with which a draft was merged, as [`drift_to`] does.
pub(crate) fn merged_with(
    given: &Snapshot,
    since: Option<&Plan>,
    now: &Observed,
    deadline: Deadline,
) -> Option<String> {
    let Some(since) = since else { return drift_to(given, now, deadline) };
    if given.text.len_bytes() + since.result_len() > DIFFED_BYTES {
        return None;
    }
    let name = shown_path(now);
    let labels = Labels { old: Some(&name), new: Some(&name) };
    Some(diff_plan(&given.text.to_string(), since, labels, deadline).unified)
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
pub(super) fn shown_path(observed: &Observed) -> String {
    let target = &observed.target;
    target.path.strip_prefix(target.root.path()).unwrap_or(&target.path).display().to_string()
}
