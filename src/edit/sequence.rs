//! Edits that are meant one after the other.

use super::find::find_together;
use super::{Edit, EditRefusal, EditRefusalKind, Found, Options, Plan};

/// Looks for every edit in the result of those before it. The first one that has no place ends the
/// search: what comes after it was meant for a text that there will never be.
///
/// The lines of the matches are lines of the text that each edit was looked for in.
pub(super) fn find_in_sequence(
    base: &str,
    edits: &[Edit],
    options: &Options,
) -> Result<Found, Vec<EditRefusal>> {
    let mut found = Found { plan: Plan::empty(base.len()), matches: Vec::new(), warnings: Vec::new() };
    let mut text = base.to_owned();
    let mut options = options.clone();
    for (at, edit) in edits.iter().enumerate() {
        match find_together(&text, std::slice::from_ref(edit), &options) {
            Ok(step) => {
                text = step.plan.apply(&text);
                found.plan = found.plan.then(&step.plan);
                found
                    .matches
                    .extend(step.matches.into_iter().map(|found| super::Match { edit: at, ..found }));
                let named =
                    step.warnings.into_iter().map(|said| said.replacen("edit 0", &format!("edit {at}"), 1));
                found.warnings.extend(named);
                // It knows the lines of the base only.
                options.index = None;
            }
            Err(refused) if is_idle(&refused) => found.warnings.push(format!("edit {at} changes nothing")),
            Err(refused) => {
                return Err(refused.into_iter().map(|one| EditRefusal { edit: at, ..one }).collect());
            }
        }
    }
    // Edits may undo each other.
    if text == base {
        return Err(vec![EditRefusal { edit: 0, kind: EditRefusalKind::NoChange }]);
    }
    Ok(found)
}

fn is_idle(refused: &[EditRefusal]) -> bool {
    refused.iter().all(|refusal| refusal.kind == EditRefusalKind::NoChange)
}
