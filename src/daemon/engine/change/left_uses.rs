//! Reports of renames: the places that were renamed, and those that were left.

use crate::engine::change::draft::Draft;
use crate::engine::change::rebase::shown_path;
use crate::engine::files::observe::Observed;
use editd_edit::{Deadline, Plan};
use editd_syntax::parsing::uses;
use editd_syntax::{Language, Renamed, Why};
use editd_text::lines;

/// Maximum number of lines that a warning lists.
const LISTED: usize = 20;

/// Returns a warning for each name that a change replaces in its declaration only and that the result still has.
pub(super) fn left_uses(file: &Observed, draft: &Draft, deadline: Deadline) -> Vec<String> {
    let before = file.text.as_ref().map_or("", |text| text.as_str());
    let Some(language) = Language::of(&file.target.path, before) else { return Vec::new() };
    if draft.renamed.is_empty() && draft.renames.is_empty() || !draft.plan.fits(before) {
        return Vec::new();
    }
    let after = draft.plan.apply(before);
    let path = shown_path(file);
    let starts: Vec<usize> = lines(&after).map(|line| line.start).collect();
    let mut reports: Vec<String> = Vec::new();
    for renamed in &draft.renames {
        if draft.rebased {
            reports.extend(of_rebased(
                renamed,
                &uses(&after, language, &renamed.old, deadline).unwrap_or_default(),
                &path,
            ));
        } else {
            reports.extend(report(renamed, &path, |offset| line_after(&draft.plan, &starts, offset)));
        }
    }
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
    reports.extend(draft.renamed.iter().filter_map(warning));
    reports
}

/// Describes a rename. `line` returns the line of the result for an offset before the change.
fn report(renamed: &Renamed, path: &str, line: impl Fn(usize) -> usize) -> Vec<String> {
    let lines = |offsets: &mut dyn Iterator<Item = usize>| {
        let mut lines: Vec<usize> = offsets.map(&line).collect();
        lines.dedup();
        lines
    };
    let (old, new) = (&renamed.old, &renamed.new);
    let places = renamed.splices.len();
    let word = if places == 1 { "place" } else { "places" };
    let of = listed(&lines(&mut renamed.splices.iter().map(|splice| splice.range.start)));
    let mut reasons: Vec<Why> = renamed.left.iter().map(|(_, why)| *why).collect();
    reasons.sort_unstable();
    reasons.dedup();
    let left: Vec<String> = reasons
        .into_iter()
        .map(|reason| {
            let of = renamed.left.iter().filter(|(_, why)| *why == reason).map(|(offset, _)| *offset);
            format!("{} ({reason})", listed(&lines(&mut of.into_iter())))
        })
        .collect();
    let left = if left.is_empty() { String::new() } else { format!("; left {}", left.join(", ")) };
    let mut reports = vec![format!("renamed `{old}` to `{new}` in {places} {word} of {path}, {of}{left}")];
    if !renamed.by_name.is_empty() {
        let of = listed(&lines(&mut renamed.by_name.iter().copied()));
        reports.push(format!(
            "the syntax does not show the type in {of}; `{old}` was renamed there because no other type of {path} has it"
        ));
    }
    if let Some((inner, outer)) = &renamed.inherits {
        reports.push(format!(
            "`{inner}` inherits from `{outer}`, which is not in this file and may have `{old}`, too"
        ));
    }
    reports
}

/// Describes a rename that was merged with the changes of others: they may have added uses.
fn of_rebased(renamed: &Renamed, lines: &[usize], path: &str) -> Vec<String> {
    let (old, new, places) = (&renamed.old, &renamed.new, renamed.splices.len());
    let left = if lines.is_empty() { String::new() } else { format!("; left `{old}` in {}", listed(lines)) };
    vec![format!("renamed `{old}` to `{new}` in {places} places of {path}{left}")]
}

/// Returns the line of the result of a plan in which an offset of the text before is. `starts` are those of the lines of
/// the result.
fn line_after(plan: &Plan, starts: &[usize], offset: usize) -> usize {
    let mut moved = offset;
    for splice in plan.splices().iter().take_while(|splice| splice.range.start <= offset) {
        if splice.range.end <= offset && splice.range.start < offset {
            moved = moved + splice.text.len() - splice.range.len();
        } else if splice.range.is_empty() {
            moved += splice.text.len();
        }
    }
    starts.partition_point(|start| *start <= moved).max(1)
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
