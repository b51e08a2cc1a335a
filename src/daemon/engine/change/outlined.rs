//! The symbols and strings of a version of a file, found at most once for all edits of a change.

use std::cell::OnceCell;
use std::path::Path;

use editd_edit::{Deadline, StringLines};
use editd_syntax::parsing::{FileVersion, outline_of, string_lines};
use editd_syntax::{Language, NoSyntax, Outline};
use editd_workspace::RefusalKind;

/// A version of a file with its symbols, which a parser finds when they are needed.
pub(crate) struct Outlined<'a> {
    path: &'a Path,
    text: &'a str,
    deadline: Deadline,
    outline: OnceCell<Outline>,
}

impl<'a> Outlined<'a> {
    pub(crate) fn new(path: &'a Path, text: &'a str, deadline: Deadline) -> Self {
        Self { path, text, deadline, outline: OnceCell::new() }
    }

    /// Creates another version of a file, with the same deadline.
    pub(crate) fn of_other<'b>(&self, path: &'b Path, text: &'b str) -> Outlined<'b> {
        Outlined::new(path, text, self.deadline)
    }

    pub(crate) fn path(&self) -> &'a Path {
        self.path
    }

    pub(crate) fn text(&self) -> &'a str {
        self.text
    }

    /// Returns the version for a parser. Refuses a file whose language is not known.
    pub(crate) fn version(&self) -> Result<FileVersion<'a>, RefusalKind> {
        let Self { path, text, .. } = *self;
        let language = Language::of(path, text).ok_or_else(no_grammar)?;
        Ok(FileVersion { path, text, hash: None, language })
    }

    /// Returns the symbols.
    pub(crate) fn outline(&self) -> Result<&Outline, RefusalKind> {
        if let Some(outline) = self.outline.get() {
            return Ok(outline);
        }
        let outline = outline_of(&self.version()?, self.deadline).map_err(no_outline)?;
        Ok(self.outline.get_or_init(|| outline))
    }

    /// Returns the lines that begin inside a string; none if there is no tree.
    pub(crate) fn string_lines(&self) -> Vec<StringLines> {
        let version = self.version().ok();
        version.and_then(|version| string_lines(&version, self.deadline).ok()).unwrap_or_default()
    }
}

pub(crate) fn no_outline(reason: NoSyntax) -> RefusalKind {
    RefusalKind::NoSyntax(reason.to_string())
}

/// Returns the refusal for a file whose language is not known.
pub(crate) fn no_grammar() -> RefusalKind {
    RefusalKind::NoSyntax("there is no grammar for files with such a name".to_owned())
}
