//! Renames of symbols in files that do not declare them.

use std::path::{Path, PathBuf};

use crate::engine::change::compute::ComputeOptions;
use crate::engine::change::lines::{Basis, given_text};
use crate::engine::change::outlined::{Outlined, no_outline};
use crate::engine::change::rebase::stale;
use crate::engine::change::spread::{Spread, UsesElsewhere};
use crate::engine::change::{EditForm, RequestedChange, RequestedEdit};
use crate::engine::concurrent::map_all;
use crate::engine::files::observe::Observed;
use editd_edit::Deadline;
use editd_syntax::parsing::{declared, mentions};
use editd_syntax::{Declared, Mentions, OtherFile, edit_symbol, settle};
use editd_text::{ContentHash, count_line_ends};
use editd_workspace::Refusal;

/// Maximum number of lines that a warning lists.
const LISTED: usize = 20;

/// A change of a file, with the version to which it refers.
type Change = (RequestedChange<Observed>, Basis);

/// The lines in which a name is left in files that are not changed.
pub(crate) struct Left {
    /// The file that declares the symbol.
    pub(crate) home: PathBuf,
    pub(crate) warning: String,
}

/// Finds the uses of a symbol that a request renames in files which do not declare it. Drops the changes of files without
/// such uses, and returns where the name is left in them.
pub(crate) fn fill_uses(
    mut changes: Vec<Change>,
    spread: Option<&Spread>,
    rules: &ComputeOptions<'_>,
) -> Result<(Vec<Change>, Option<Left>), Refusal> {
    let is_home = |change: &Change| {
        spread.is_some_and(|spread| change.0.kind.edits().iter().any(|edit| spread.renames_by(edit)))
    };
    let Some((spread, home)) = spread.zip(changes.iter().position(is_home)) else {
        return Ok((changes, None));
    };
    if spread.is_served() {
        refuse_outdated(&changes, rules)?;
        let left = left_by_server(spread, &changes[home]);
        return Ok((changes, left));
    }
    changes[home].0.kind.retain_edits(|edit| !matches!(edit.form, EditForm::Uses(_)));
    let declared = declared_at(&changes[home], spread, rules)?;
    let Some(declared) = declared else {
        // The edit of the symbol is refused, too, and says why.
        return Ok((without_uses(changes, |_| false), None));
    };
    let (root, path) =
        (changes[home].0.file.target.root.path().to_owned(), changes[home].0.file.target.path.clone());
    let wanting: Vec<usize> = (0..changes.len()).filter(|at| wants_uses(&changes[*at].0)).collect();
    let texts: Vec<String> = wanting.iter().map(|at| text_of(&changes[*at])).collect();
    let paths: Vec<PathBuf> = wanting.iter().map(|at| changes[*at].0.file.target.path.clone()).collect();
    let each = paths.iter().zip(&texts).collect();
    let found = map_all(each, |(path, text)| mentions_of(path, text, &declared, rules.deadline));
    let files: Vec<OtherFile<'_>> =
        paths.iter().zip(&found).map(|(path, mentions)| OtherFile { path, mentions }).collect();
    let settled = settle(&declared, &path, &files);
    let mut left = Vec::new();
    for ((at, text), settled) in wanting.into_iter().zip(&texts).zip(settled) {
        let uses = match settled {
            Ok(renamed) if renamed.splices.is_empty() => {
                let shown = shown(&paths_of(&changes[at]), &root);
                let lines = lines_at(text, renamed.left.iter().map(|(at, _)| *at));
                let whys = renamed.left.iter().map(|(_, why)| *why);
                left.extend(lines.into_iter().zip(whys).map(|(line, why)| format!("{shown}:{line} ({why})")));
                continue;
            }
            Ok(renamed) => UsesElsewhere::Found(renamed),
            Err(refusal) => UsesElsewhere::Refused(refusal),
        };
        for edit in changes[at].0.kind.edits_mut() {
            if matches!(edit.form, EditForm::Uses(_)) {
                edit.form = EditForm::Uses(uses.clone());
            }
        }
    }
    for (path, lines) in spread.left() {
        let shown = shown(path, &root);
        left.extend(lines.iter().map(|line| format!("{shown}:{line} (another language)")));
    }
    left.dedup();
    let is_filled = |edit: &RequestedEdit| !matches!(edit.form, EditForm::Uses(UsesElsewhere::Wanted));
    let changes = without_uses(changes, is_filled);
    let left = (!left.is_empty()).then(|| Left { home: path, warning: warning(&declared.old, &left) });
    Ok((changes, left))
}

/// Returns the lines in which a language server has left a name.
fn left_by_server(spread: &Spread, home: &Change) -> Option<Left> {
    let name = home.0.kind.edits().iter().find_map(|edit| match &edit.form {
        EditForm::Renamed(_, uses) => Some(uses.renamed(&text_of(home)).old),
        _ => None,
    })?;
    let root = home.0.file.target.root.path();
    let of_file = |(path, lines): &(PathBuf, Vec<u64>)| {
        let shown = shown(path, root);
        lines.iter().map(|line| format!("{shown}:{line}")).collect::<Vec<_>>()
    };
    let left: Vec<String> = spread.left().iter().flat_map(of_file).collect();
    let warning = || warning(&name, &left);
    (!left.is_empty()).then(|| Left { home: paths_of(home), warning: warning() })
}

/// Refuses the places of a language server in a text that has changed since it was asked.
fn refuse_outdated(changes: &[Change], rules: &ComputeOptions<'_>) -> Result<(), Refusal> {
    for change in changes {
        let served = change.0.kind.edits().iter().find_map(|edit| match &edit.form {
            EditForm::Renamed(_, uses) | EditForm::Uses(UsesElsewhere::Served(uses)) => Some(uses.text),
            _ => None,
        });
        if served.is_some_and(|served| served != ContentHash::of(text_of(change).as_bytes())) {
            let (RequestedChange { file, index, .. }, _) = change;
            let kind = stale(None, file, rules.deadline);
            return Err(Refusal::at(&file.target.path, kind).of_change(*index));
        }
    }
    Ok(())
}

/// Removes the edits for uses that `keeps` does not keep, and the changes that have no others.
fn without_uses(mut changes: Vec<Change>, keeps: impl Fn(&RequestedEdit) -> bool) -> Vec<Change> {
    changes.retain_mut(|(change, _)| {
        if !change.kind.edits().iter().any(|edit| matches!(edit.form, EditForm::Uses(_))) {
            return true;
        }
        change.kind.retain_edits(|edit| !matches!(edit.form, EditForm::Uses(_)) || keeps(edit));
        !change.kind.edits().is_empty()
    });
    changes
}

fn wants_uses(change: &RequestedChange<Observed>) -> bool {
    change.kind.edits().iter().any(|edit| matches!(edit.form, EditForm::Uses(_)))
}

fn paths_of(change: &Change) -> PathBuf {
    change.0.file.target.path.clone()
}

fn shown(path: &Path, root: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).display().to_string()
}

/// Returns the text of the version to which a change refers; the current one for a file that was never given.
fn text_of((change, basis): &Change) -> String {
    let current = || change.file.text.as_ref().map(ToString::to_string);
    given_text(&change.file, basis).or_else(current).unwrap_or_default()
}

/// Returns how other files can name the symbol that a change renames, or `None` if it cannot be renamed at all.
fn declared_at(
    change: &Change,
    spread: &Spread,
    rules: &ComputeOptions<'_>,
) -> Result<Option<Declared>, Refusal> {
    let (RequestedChange { file, kind, index, .. }, basis) = change;
    let Some(text) = given_text(file, basis) else { return Ok(None) };
    let outlined = Outlined::new(&file.target.path, &text, rules.deadline);
    let mut edits = kind.edits().iter().filter(|edit| spread.renames_by(edit));
    let edit = edits.find_map(|edit| if let EditForm::Symbol(edit) = &edit.form { Some(edit) } else { None });
    let (Some(edit), Ok(outline), Ok(version)) = (edit, outlined.outline(), outlined.version()) else {
        return Ok(None);
    };
    let Some(wanted) = edit_symbol(&text, outline, edit).ok().and_then(|change| change.wanted) else {
        return Ok(None);
    };
    let found = declared(&version, &wanted, rules.deadline);
    found.map(Some).map_err(|reason| Refusal::at(&file.target.path, no_outline(reason)).of_change(*index))
}

fn mentions_of(path: &Path, text: &str, declared: &Declared, deadline: Deadline) -> Mentions {
    let outlined = Outlined::new(path, text, deadline);
    let found = outlined.version().ok().and_then(|version| mentions(&version, declared, deadline).ok());
    found.unwrap_or_else(|| Mentions::of_words(text, declared))
}

/// Returns the lines of offsets, which are in the order of the text.
fn lines_at(text: &str, offsets: impl Iterator<Item = usize>) -> Vec<usize> {
    let (mut line, mut counted) = (1, 0);
    let line_of = |offset: usize| {
        line += count_line_ends(&text[counted..offset]);
        counted = offset;
        line
    };
    offsets.map(line_of).collect()
}

fn warning(name: &str, left: &[String]) -> String {
    let listed = left.iter().take(LISTED).cloned().collect::<Vec<_>>().join(", ");
    let more = match left.len().saturating_sub(LISTED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("left `{name}` elsewhere: {listed}{more}")
}
