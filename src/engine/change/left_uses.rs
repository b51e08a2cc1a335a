//! Uses of a name that a rename of its declaration leaves as they are.

use crate::edit::Deadline;
use crate::engine::change::draft::Draft;
use crate::engine::change::rebase::shown_path;
use crate::engine::files::observe::Observed;
use crate::parsing::uses;
use crate::syntax::Language;

/// Maximum number of lines that a warning lists.
const LISTED: usize = 20;

/// Returns a warning for each name that a change replaces in its declaration only and that the result still has.
pub(super) fn left_uses(file: &Observed, draft: &Draft, deadline: Deadline) -> Vec<String> {
    let Some(language) = Language::of_path(&file.target.path) else { return Vec::new() };
    let before = file.text.as_ref().map_or("", |text| text.as_str());
    if draft.renamed.is_empty() || !draft.plan.fits(before) {
        return Vec::new();
    }
    let after = draft.plan.apply(before);
    let path = shown_path(file);
    let warning = |name: &String| match uses(&after, language, name, deadline) {
        Ok(lines) if lines.is_empty() => None,
        Ok(lines) => Some(format!(
            "only the declaration of `{name}` was renamed; the name is still used in {path}, {}",
            listed(&lines)
        )),
        Err(reason) => Some(format!(
            "only the declaration of `{name}` was renamed; its uses in {path} were not looked for: {reason}"
        )),
    };
    draft.renamed.iter().filter_map(warning).collect()
}

fn listed(lines: &[usize]) -> String {
    let numbers: Vec<_> = lines.iter().take(LISTED).map(ToString::to_string).collect();
    let more = match lines.len().saturating_sub(LISTED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let word = if lines.len() == 1 { "line" } else { "lines" };
    format!("{word} {}{more}", numbers.join(", "))
}
