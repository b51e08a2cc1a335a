//! Patches: texts that say what to change in several files, in the formats that models print. Pure.
//!
//! [`parse`] turns such a text into the same [`Edit`]s that a request can carry;
//! [`find`](crate::edit::find) finds their places. Line numbers are those of the patch's text, from 1.

mod apply_patch;
mod body;
mod names;
mod search_replace;
mod source;
mod unified;

use std::collections::HashMap;

use crate::edit::Edit;
use source::Source;

/// How a patch is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PatchFormat {
    /// Blocks of `<<<<<<< SEARCH`, `=======` and `>>>>>>> REPLACE` under the name of a file.
    SearchReplace,
    /// Sections between `*** Begin Patch` and `*** End Patch`.
    ApplyPatch,
    /// What `diff -u` and `git diff` print.
    UnifiedDiff,
}

/// What a patch does to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePatch {
    /// The file, as the patch names it, without the prefixes that diffs add.
    pub path: String,
    /// Where in the patch it is first named.
    pub line: usize,
    /// What happens to it.
    pub change: PatchChange,
}

/// What a patch does to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatchChange {
    /// It is edited, gets another name, or both.
    Edit {
        /// The edits, in order; none where it is only renamed.
        hunks: Vec<PatchHunk>,
        /// Its new name.
        to: Option<String>,
    },
    /// It is created, and must not be there.
    Create {
        /// Its text.
        content: String,
        /// Anybody may run it: `new file mode 100755`.
        executable: bool,
    },
    /// Text without any context, which can only go into a file that has none.
    Fill {
        /// The text.
        content: String,
        /// Whether the file may be made if it is not there.
        creates: bool,
        /// Where in the patch the text begins.
        line: usize,
    },
    /// It is deleted.
    Delete {
        /// What the patch says of its text: what is left when all of it is taken away must be nothing. None
        /// where the patch does not say.
        hunks: Vec<PatchHunk>,
    },
}

/// One edit, and where it stands in the patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchHunk {
    /// Its first line.
    pub line: usize,
    /// What it asks for.
    pub edit: Edit,
}

/// A patch that cannot be understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchError {
    /// The line where it is not what it should be.
    pub line: usize,
    /// What should be there, in words that can follow "expected".
    pub expected: String,
}

impl PatchError {
    /// An error at a line that is counted from 0.
    fn at(index: usize, expected: impl Into<String>) -> Self {
        Self { line: index + 1, expected: expected.into() }
    }
}

impl PatchFormat {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::SearchReplace, Self::ApplyPatch, Self::UnifiedDiff];

    /// Its stable name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::SearchReplace => "search_replace",
            Self::ApplyPatch => "apply_patch",
            Self::UnifiedDiff => "unified_diff",
        }
    }
}

/// Reads a patch: what it does to each file, in the order in which it names them. Without a format the text
/// tells which it is. Prose and fences around it are skipped. All of it is understood, or none.
///
/// ```
/// use editd::patch::{PatchChange, parse};
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
    let files = match format.or_else(|| detect(&source)) {
        Some(PatchFormat::SearchReplace) => search_replace::parse(&source),
        Some(PatchFormat::ApplyPatch) => apply_patch::parse(&source),
        Some(PatchFormat::UnifiedDiff) => unified::parse(&source),
        None => {
            let known = "`<<<<<<< SEARCH`, `*** Begin Patch`, or `--- path` and `+++ path`";
            Err(PatchError::at(0, format!("a patch, which begins with {known}")))
        }
    };
    merge(files?)
}

/// The format whose mark comes first.
fn detect(source: &Source<'_>) -> Option<PatchFormat> {
    (0..source.len()).find_map(|index| {
        if search_replace::begins(source.line(index)) {
            Some(PatchFormat::SearchReplace)
        } else if apply_patch::begins(source.line(index)) {
            Some(PatchFormat::ApplyPatch)
        } else {
            unified::begins(source, index).then_some(PatchFormat::UnifiedDiff)
        }
    })
}

/// One entry for each file. Several sections that edit the same file are one.
fn merge(sections: Vec<FilePatch>) -> Result<Vec<FilePatch>, PatchError> {
    let mut files: Vec<FilePatch> = Vec::with_capacity(sections.len());
    let mut known: HashMap<String, usize> = HashMap::new();
    for section in sections {
        let place = *known.entry(section.path.clone()).or_insert(files.len());
        match files.get_mut(place) {
            None => files.push(section),
            Some(file) => file.join(section)?,
        }
    }
    Ok(files)
}

impl FilePatch {
    /// Whether the file must not be there yet.
    pub fn creates(&self) -> bool {
        matches!(self.change, PatchChange::Create { .. })
    }

    /// Takes up another section about the same file.
    pub fn join(&mut self, other: Self) -> Result<(), PatchError> {
        if let PatchChange::Edit { hunks, to } = &mut self.change
            && let PatchChange::Edit { hunks: more, to: new } = other.change
            && (to.is_none() || new.is_none())
        {
            hunks.extend(more);
            *to = to.take().or(new);
            return Ok(());
        }
        let expected = format!("nothing more about `{}`, which line {} is about", other.path, self.line);
        Err(PatchError { line: other.line, expected })
    }
}

#[cfg(test)]
mod tests;
