//! The check of a change for new syntax errors, in the configured way.

use std::path::Path;

use crate::config::SyntaxMode;
use crate::engine::change::compute::ComputeOptions;
use crate::engine::files::observe::Observed;
use editd_edit::Plan;
use editd_syntax::parsing::{FileVersion, NewErrors};
use editd_syntax::{Language, MAX_SIZE, SyntaxError};
use editd_text::Format;
use editd_workspace::{Action, PlannedFile};

/// Begins to look for the syntax errors that a plan adds to the text of a file. `path` is that of the result. Returns
/// `None` if the result cannot have any.
pub(super) fn check(
    path: &Path,
    observed: &Observed,
    plan: &Plan,
    rules: &ComputeOptions<'_>,
) -> Option<NewErrors> {
    // A plan for a large file is applied only if its result can be parsed.
    let is_checked = rules.syntax != SyntaxMode::Off && !plan.is_empty() && plan.result_len() <= MAX_SIZE;
    let version = version_of(path, observed).filter(|version| is_checked && plan.fits(version.text))?;
    Some(NewErrors::begin(&version, plan, rules.deadline))
}

pub(super) fn version_of<'a>(path: &'a Path, observed: &'a Observed) -> Option<FileVersion<'a>> {
    let text = observed.text.as_ref().map_or("", |text| text.as_str());
    let snapshot = observed.content.snapshot().filter(|snapshot| snapshot.format == Format::UTF8);
    let (hash, language) = (snapshot.map(|snapshot| snapshot.hash), Language::of(path, text)?);
    Some(FileVersion { path, text, hash, language })
}

/// Returns the syntax errors that a plan adds to the text of a file. `path` is that of the result.
pub(crate) fn new_errors(
    path: &Path,
    observed: &Observed,
    plan: &Plan,
    rules: &ComputeOptions<'_>,
) -> Vec<SyntaxError> {
    let check = check(path, observed, plan, rules);
    check.and_then(|check| check.finish(&version_of(path, observed)?, plan)).unwrap_or_default()
}

/// Returns the path of a file after its change.
pub(super) fn path_after(file: &PlannedFile) -> &Path {
    if let Action::Rename { to, .. } = &file.action { to } else { &file.path }
}
