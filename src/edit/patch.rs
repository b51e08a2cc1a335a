//! Parses patches: changes to several files in one text, in the formats that models print. Pure.
//!
//! [`parse`] turns a patch into the same [`Edit`]s and [`LineEdit`]s that a request can carry;
//! [`find`](crate::find) and [`locate`](crate::locate) locate them in the files. Line numbers of the
//! patch itself are 1-based, too.

mod anchored;
mod apply_patch;
mod body;
mod leftover;
mod names;
mod search_replace;
mod source;
mod unified;

use std::collections::HashMap;

use crate::{Edit, LineEdit, LinePlace, LineRange, Options};
use editd_text::HashTag;
use source::Source;

/// The format of a patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PatchFormat {
    /// Blocks of `<<<<<<< SEARCH`, `=======` and `>>>>>>> REPLACE` under the name of a file.
    SearchReplace,
    /// Sections between `*** Begin Patch` and `*** End Patch`.
    ApplyPatch,
    /// The output of `diff -u` and `git diff`.
    UnifiedDiff,
    /// Sections `[path#tag]` with edits by line numbers: `PUT` and `CUT`.
    Anchored,
}

/// A file in a patch, with its change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePatch {
    /// Path of the file as written in the patch, without the prefixes that diffs add.
    pub path: String,
    /// Tag of the version whose line numbers the patch uses.
    pub tag: Option<HashTag>,
    /// Line of the patch that first names the file.
    pub line: usize,
    /// The change of the file.
    pub change: PatchChange,
}

/// The change that a patch makes to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatchChange {
    /// Edits the file, renames it, or both.
    Edit {
        /// Edits in order. Empty if the file is only renamed.
        hunks: Vec<PatchHunk>,
        /// New path of the file.
        to: Option<String>,
    },
    /// Edits the file by line numbers, renames it, or both.
    Lines {
        /// Edits in order. Empty if the file is only renamed.
        hunks: Vec<LineHunk>,
        /// New path of the file.
        to: Option<String>,
    },
    /// Creates the file, which must not exist.
    Create {
        /// Content of the file.
        content: String,
        /// `true` if the new file is executable (`new file mode 100755`).
        executable: bool,
    },
    /// Added text without context, which can only go into an empty file.
    Fill {
        /// The added text.
        content: String,
        /// `true` if the file is created if it does not exist.
        creates: bool,
        /// Line of the patch at which the text begins.
        line: usize,
    },
    /// Deletes the file.
    Delete {
        /// Hunks that remove the content the patch expects in the file; together they must leave it empty.
        /// Empty if the patch does not give the content.
        hunks: Vec<PatchHunk>,
    },
}

/// An edit and its position in the patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchHunk {
    /// First line of the hunk in the patch.
    pub line: usize,
    /// The edit.
    pub edit: Edit,
}

/// An edit by line numbers and its position in the patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineHunk {
    /// Line of the operation in the patch.
    pub line: usize,
    /// The edit.
    pub edit: LineHunkEdit,
}

/// An edit by line numbers. Lines that are taken and put elsewhere have the same number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineHunkEdit {
    /// Replaces or inserts lines.
    Lines(LineEdit),
    /// Deletes lines, which may be put elsewhere.
    Take {
        /// Number of the lines within the patch.
        clip: usize,
        /// The lines.
        lines: LineRange,
    },
    /// Inserts lines that the patch takes.
    Put {
        /// Number of the lines within the patch.
        clip: usize,
        /// The place.
        place: LinePlace,
    },
}

/// A syntax error in a patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchError {
    /// Line of the error.
    pub line: usize,
    /// Description of the expected input, as a phrase that can follow "expected".
    pub expected: String,
}

impl PatchError {
    /// Creates an error at a 0-based line index.
    fn at(index: usize, expected: impl Into<String>) -> Self {
        Self { line: index + 1, expected: expected.into() }
    }
}

type Begins = fn(&Source<'_>, usize) -> bool;
type Parse = fn(&Source<'_>) -> Result<Vec<FilePatch>, PatchError>;

/// All formats with their names on the wire, in the order of [`PatchFormat`].
const FORMATS: [(PatchFormat, &str, Begins, Parse); 4] = [
    (PatchFormat::SearchReplace, "search_replace", search_replace::begins, search_replace::parse),
    (PatchFormat::ApplyPatch, "apply_patch", apply_patch::begins, apply_patch::parse),
    (PatchFormat::UnifiedDiff, "unified_diff", unified::begins, unified::parse),
    (PatchFormat::Anchored, "anchored", anchored::begins, anchored::parse),
];

impl PatchFormat {
    /// All formats.
    pub const ALL: [Self; 4] = [Self::SearchReplace, Self::ApplyPatch, Self::UnifiedDiff, Self::Anchored];

    /// Returns the stable name of the format on the wire.
    pub fn name(self) -> &'static str {
        FORMATS[self as usize].1
    }
}

/// Parses a patch into one entry per file, in the order in which the patch names the files. If no format is
/// given, it is detected from the text. Prose and Markdown fences around the patch are skipped. An error
/// anywhere fails the whole patch.
///
/// ```
/// use editd_edit::patch::{PatchChange, parse};
///
/// let text = "src/door.rs\n<<<<<<< SEARCH\nclosed\n=======\nopen\n>>>>>>> REPLACE\n";
/// let files = parse(text, None).unwrap();
/// assert_eq!(files[0].path, "src/door.rs");
/// let PatchChange::Edit { hunks, .. } = &files[0].change else { panic!("an edit") };
/// assert_eq!((&*hunks[0].edit.old, &*hunks[0].edit.new), ("closed\n", "open\n"));
///
/// let error = parse("*** Begin Patch\n*** Delete File: a\n", None).unwrap_err();
/// assert_eq!((error.line, &*error.expected), (2, "`*** End Patch` at the end"));
/// ```
pub fn parse(text: &str, format: Option<PatchFormat>) -> Result<Vec<FilePatch>, PatchError> {
    let source = Source::new(text).ok_or_else(|| PatchError::at(0, "a text of less than 4 GiB"))?;
    let Some(format) = format.or_else(|| detect(&source)) else {
        let known = "`<<<<<<< SEARCH`, `*** Begin Patch`, `--- path` and `+++ path`, or `[path#tag]`";
        return Err(PatchError::at(0, format!("a patch, which begins with {known}")));
    };
    let (.., parse) = FORMATS[format as usize];
    merge(parse(&source)?)
}

/// Returns the format whose marker comes first.
fn detect(source: &Source<'_>) -> Option<PatchFormat> {
    // An anchored patch may be in the envelope of another format.
    let at = |index| {
        FORMATS.iter().rev().find(|(.., begins, _)| begins(source, index)).map(|(format, ..)| *format)
    };
    (0..source.len()).find_map(at)
}

/// Merges the sections that edit the same file, so that each file has one entry.
fn merge(sections: Vec<FilePatch>) -> Result<Vec<FilePatch>, PatchError> {
    let mut files: Vec<FilePatch> = Vec::with_capacity(sections.len());
    let mut known: HashMap<String, usize> = HashMap::new();
    for section in sections {
        let index = *known.entry(section.path.clone()).or_insert(files.len());
        match files.get_mut(index) {
            None => files.push(section),
            Some(file) => file.join(section)?,
        }
    }
    Ok(files)
}

impl FilePatch {
    /// Returns `true` if the patch requires that the file does not exist yet.
    pub fn creates(&self) -> bool {
        matches!(self.change, PatchChange::Create { .. })
    }

    /// Merges another section about the same file into this one.
    pub fn join(&mut self, mut other: Self) -> Result<(), PatchError> {
        if let PatchChange::Edit { hunks, to } = &mut self.change
            && let PatchChange::Edit { hunks: more, to: new } = &mut other.change
            && (to.is_none() || new.is_none())
        {
            let section = hunks.last().map_or(0, |hunk| hunk.edit.anchor.section + 1);
            for hunk in more.iter_mut() {
                hunk.edit.anchor.section += section;
            }
            hunks.append(more);
            *to = to.take().or(new.take());
            return Ok(());
        }
        if let PatchChange::Create { content, .. } | PatchChange::Fill { content, .. } = &mut self.change
            && let PatchChange::Edit { hunks, to: None } = &other.change
        {
            *content = changed(content, hunks)?;
            return Ok(());
        }
        if let PatchChange::Lines { hunks, to } = &mut self.change
            && let PatchChange::Lines { hunks: more, to: new } = &mut other.change
            && (to.is_none() || new.is_none())
            && self.tag == other.tag
        {
            hunks.append(more);
            *to = to.take().or(new.take());
            return Ok(());
        }
        let expected = format!("no further section for `{}` after the one at line {}", other.path, self.line);
        Err(PatchError { line: other.line, expected })
    }
}

/// Returns the content of a new file after hunks of a later section, which must match it exactly.
fn changed(content: &str, hunks: &[PatchHunk]) -> Result<String, PatchError> {
    let edits: Vec<Edit> = hunks.iter().map(|hunk| hunk.edit.clone()).collect();
    let found = crate::find(content, &edits, &Options { fuzzy: false, ..Options::default() });
    found.map(|found| found.plan.apply(content)).map_err(|refused| {
        let hunk = refused.first().and_then(|refused| hunks.get(refused.edit));
        let expected = "lines that the section above writes into the new file".to_owned();
        PatchError { line: hunk.map_or(1, |hunk| hunk.line), expected }
    })
}

#[cfg(test)]
mod tests;
