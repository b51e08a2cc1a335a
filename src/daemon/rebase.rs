//! A change that is carried over to a file that is not what it was made for.

use std::path::Path;
use std::sync::Arc;

use crate::edit::{self, LineRange, Marked, MergeError, Plan};
use crate::notebook::{broken, is_notebook};
use crate::workspace::{Action, Coverage, OnStale, PlannedFile, Refusal, RefusalKind};

use super::difference::stale;
use super::draft::Drafted;
use super::observe::Observed;
use super::work::{Rules, Trouble, Worked, finish};

/// How a warning about conflict markers begins; the lines follow.
const MARKED: &str = "Conflict markers stand in lines";

/// What came between a proposal and the file as it is now.
#[derive(Clone, Copy)]
pub(crate) enum Through<'p> {
    /// The author's own later edits.
    Own(&'p [Arc<Plan>]),
    /// What a person typed in an editor.
    Typing,
    /// What others did.
    Others,
}

/// Carries a proposal's change of one file through the author's own later edits, or merges it with what
/// others did, so that it applies to what was just observed.
pub(crate) fn carry(
    file: &PlannedFile,
    through: Through<'_>,
    observed: Observed,
    rules: &Rules<'_>,
) -> Result<Worked, Refusal> {
    let about = |kind| Refusal::at(&file.path, kind);
    let before = file.before.as_ref().filter(|_| file.action == Action::Edit);
    let (Some(before), Ok((_, now))) = (before, observed.content()) else {
        return Err(about(stale(file.before.as_deref(), &observed, rules.deadline)));
    };
    let carried = match through {
        Through::Own(plans) => plans.iter().try_fold((*file.plan).clone(), |plan, own| plan.map_through(own)),
        Through::Typing => {
            file.plan.map_through(&Plan::between(&before.text.to_string(), now, rules.deadline))
        }
        Through::Others => None,
    };
    let drafted = Drafted {
        plan: (*file.plan).clone(),
        matches: file.matches.clone(),
        warnings: file.warnings.clone(),
        rebased: file.rebased,
        alone: Some((before.hash, file.plan.clone())),
    };
    let drafted = match carried {
        Some(plan) => {
            let warnings = drafted.warnings.into_iter().map(without_lines).collect();
            Drafted { plan, warnings, ..drafted }
        }
        None if rules.on_stale != OnStale::Reject => {
            rebase(&file.path, (&before.text.to_string(), now), drafted, rules).map_err(|trouble| {
                match trouble {
                    Trouble::File(kind) => about(kind),
                    Trouble::Edits(_) | Trouble::Cells(_) => about(RefusalKind::NoChange),
                }
            })?
        }
        None => return Err(about(stale(Some(before), &observed, rules.deadline))),
    };
    let rules = &Rules { display: file.shown.as_ref().map(|shown| shown.display), ..*rules };
    // What others wrote meanwhile is in the result, and its author was not shown it.
    let mut worked =
        finish(observed, Action::Edit, file.format, drafted, Coverage::Part, rules).map_err(about)?;
    worked.file.tags.clone_from(&file.tags);
    Ok(worked)
}

/// Carries a plan for `given` over to `now`: by offsets where what changed lies elsewhere, else by a merge
/// of lines.
pub(super) fn rebase(
    path: &Path,
    (given, now): (&str, &str),
    drafted: Drafted,
    rules: &Rules<'_>,
) -> Result<Drafted, Trouble> {
    let drift = Plan::between(given, now, rules.deadline);
    let mut warnings = drafted.warnings;
    warnings.push("The file has changed since it was read; this change was merged with that.".to_owned());
    let wanted = || drafted.plan.apply(given);
    let plan = if let Some(plan) = drafted.plan.map_through(&drift) {
        plan
    } else {
        let merged = merged(given, now, &wanted(), rules.on_stale)?;
        warnings.extend(marked(&merged.conflicts));
        Plan::between(now, &merged.text, rules.deadline)
    };
    if is_notebook(&wanted()) && broken(path, now, &plan).is_some() {
        // Lines and offsets know nothing of JSON, and conflict markers are none. A merge that refuses
        // conflicts says where they are.
        merged(given, now, &wanted(), OnStale::Rebase)?;
        return Err(RefusalKind::Conflict { regions: Vec::new() }.into());
    }
    Ok(Drafted { plan, warnings, rebased: true, ..drafted })
}

fn merged(given: &str, now: &str, wanted: &str, on_stale: OnStale) -> Result<Marked, RefusalKind> {
    let merged = match on_stale {
        OnStale::Mark => edit::merge_marked(given, now, wanted),
        OnStale::Reject | OnStale::Rebase => {
            edit::merge(given, now, wanted).map(|text| Marked { text, conflicts: Vec::new() })
        }
    };
    merged.map_err(|error| match error {
        MergeError::Conflicts(regions) => RefusalKind::Conflict { regions },
        MergeError::TooLong { .. } => {
            RefusalKind::Timeout { what: "Merging the change with what others did" }
        }
    })
}

/// What the author has to know of conflicts that were written into the file.
fn marked(conflicts: &[LineRange]) -> Option<String> {
    let lines: Vec<_> = conflicts.iter().map(|lines| format!("{}-{}", lines.start, lines.end)).collect();
    (!lines.is_empty()).then(|| {
        format!(
            "{MARKED} {} of the result: there the file, between `<<<<<<< file` and \
             `||||||| base`, and this change, between `=======` and `>>>>>>> change`, differ in the same \
             lines. Settle each and remove the markers.",
            lines.join(", ")
        )
    })
}

/// The same where what was marked has moved.
fn without_lines(warning: String) -> String {
    if warning.starts_with(MARKED) {
        return "Conflict markers stand in the changed lines. Settle each and remove the markers.".to_owned();
    }
    warning
}
