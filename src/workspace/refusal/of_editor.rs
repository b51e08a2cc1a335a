use crate::text::ContentHash;

/// Why a change cannot go through the editors that have the file open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EditorRefusal {
    /// More than one text could be what the file is.
    Contested {
        /// Which.
        reason: Contest,
        /// The editors that hold them.
        editors: Vec<String>,
    },
    /// The editor cannot or would not apply it.
    Refused {
        /// Why, in words.
        reason: String,
        /// The editor.
        editor: String,
    },
    /// What the editor holds afterwards is not what was asked for.
    Unverified {
        /// What was seen, in words.
        reason: String,
        /// Hash of what it holds.
        actual: Option<ContentHash>,
    },
}

/// Between which texts it cannot be told what a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contest {
    /// Two editors hold different unsaved texts.
    TwoEditors,
    /// The editor's text and the file have both changed since they were the same.
    BufferAndDisk,
    /// The file has changed, and the editor still shows the old text.
    EditorOutdated,
}

impl Contest {
    /// The name on the wire.
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
            format!("{file} has unsaved text in {editor}, and was changed on disk by another program since.")
        }
        EditorRefusal::Contested { reason: Contest::EditorOutdated, editors } => {
            let editor = editors.join(" and ");
            format!("{file} was changed on disk, and {editor} still shows what it was before.")
        }
        EditorRefusal::Refused { reason, editor } => {
            format!("{editor}, which has {file} open, did not apply the change: {reason}.")
        }
        EditorRefusal::Unverified { reason, .. } => {
            format!("The editor's text of {file} is not what was asked for: {reason}.")
        }
    }
}

pub(super) fn hint(refusal: &EditorRefusal) -> &'static str {
    match refusal {
        EditorRefusal::Contested { reason: Contest::TwoEditors, .. } => {
            "Ask the user to save the file in one editor and to load it again in the other."
        }
        EditorRefusal::Contested { reason: Contest::BufferAndDisk, .. } => {
            "Ask the user to save the file or to load it again in the editor."
        }
        EditorRefusal::Contested { reason: Contest::EditorOutdated, .. } => {
            "Ask the user to load the file again in the editor, then send the change again."
        }
        EditorRefusal::Refused { .. } => {
            "Nothing was changed. Read the file again and send the change once more; if that fails too, ask the user to close the file."
        }
        EditorRefusal::Unverified { .. } => "Read the file again before anything else is changed in it.",
    }
}
