use crate::text::ContentHash;

/// The reason why the editors that have a file open prevent a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EditorRefusal {
    /// More than one text could be the current content of the file.
    Contested {
        /// The kind of contradiction.
        reason: Contest,
        /// The editors that hold these texts.
        editors: Vec<String>,
    },
    /// The editor could not apply the change or declined it.
    Refused {
        /// The reason.
        reason: String,
        /// The editor.
        editor: String,
    },
    /// The editor's text after the change is not the expected one.
    Unverified {
        /// Description of the difference.
        reason: String,
        /// Hash of the editor's text.
        actual: Option<ContentHash>,
    },
}

/// The texts that contradict each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contest {
    /// Two editors hold different unsaved texts.
    TwoEditors,
    /// The editor's text and the file have both changed since they were equal.
    BufferAndDisk,
    /// The file has changed, and the editor still shows the old text.
    EditorOutdated,
}

impl Contest {
    /// Returns the name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::TwoEditors => "two_editors",
            Self::BufferAndDisk => "buffer_and_disk",
            Self::EditorOutdated => "editor_outdated",
        }
    }
}

pub(super) fn name(refusal: &EditorRefusal) -> &'static str {
    match refusal {
        EditorRefusal::Contested { .. } => "contested",
        EditorRefusal::Refused { .. } => "editor_refused",
        EditorRefusal::Unverified { .. } => "verify_failed",
    }
}

pub(super) fn message(refusal: &EditorRefusal, file: &str) -> String {
    match refusal {
        EditorRefusal::Contested { reason: Contest::TwoEditors, editors } => {
            format!("Different unsaved texts of {file} are open in {}.", editors.join(" and "))
        }
        EditorRefusal::Contested { reason: Contest::BufferAndDisk, editors } => {
            let editor = editors.join(" and ");
            format!("{file} has unsaved text in {editor}, and another program has changed it on disk since.")
        }
        EditorRefusal::Contested { reason: Contest::EditorOutdated, editors } => {
            let editor = editors.join(" and ");
            format!("{file} was changed on disk, and {editor} still shows the old text.")
        }
        EditorRefusal::Refused { reason, editor } => {
            format!("{editor}, which has {file} open, did not apply the change: {reason}.")
        }
        EditorRefusal::Unverified { reason, .. } => {
            format!("The editor's text of {file} is not the expected text: {reason}.")
        }
    }
}

pub(super) fn hint(refusal: &EditorRefusal) -> &'static str {
    match refusal {
        EditorRefusal::Contested { reason: Contest::TwoEditors, .. } => {
            "Ask the user to save the file in one editor and reload it in the other."
        }
        EditorRefusal::Contested { reason: Contest::BufferAndDisk, .. } => {
            "Ask the user to save or reload the file in the editor."
        }
        EditorRefusal::Contested { reason: Contest::EditorOutdated, .. } => {
            "Ask the user to reload the file in the editor, then send the change again."
        }
        EditorRefusal::Refused { .. } => {
            "Nothing was changed. Read the file again and send the change once more; if that fails too, ask the user to close the file."
        }
        EditorRefusal::Unverified { .. } => "Read the file again before anything else is changed in it.",
    }
}
