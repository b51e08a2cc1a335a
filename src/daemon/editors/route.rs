//! Which way a change of a file takes.

use lsp_types::TextEdit;

use crate::config::SaveMode;
use crate::disk::Target;
use crate::edit::{Deadline, Plan};
use crate::protocol::text_edits;
use crate::text::{Encoding, EolStyle, Text, eol_style, fold_line_ends};
use crate::workspace::buffers::Buffer;
use crate::workspace::{Action, EditorRefusal, Refusal, RefusalKind};

use crate::daemon::Core;
use crate::daemon::commit::Due;
use crate::daemon::copies::{Copy, Standing};
use crate::daemon::failure::refusal_of;
use crate::daemon::observe::Observed;
use crate::daemon::work::Worked;

use super::Editor;

/// A change that goes through an editor.
#[derive(Debug)]
pub(crate) struct EditorPart {
    pub(crate) editor: Editor,
    /// The document as it is.
    pub(crate) buffer: Buffer,
    /// Over its text.
    pub(crate) plan: Plan,
    pub(crate) edits: Vec<TextEdit>,
    /// What it is to hold.
    pub(crate) after: Text,
    /// Whether it is saved afterwards.
    pub(crate) save: Saving,
}

/// Whether a document is saved after an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Saving {
    No,
    /// If the person says so.
    Ask,
    Yes,
}

/// A file that its editor would not write as it was.
enum Harm {
    LineEnds,
    Bytes,
}

impl Core {
    /// Decides for each file which way it takes, or says why there is none.
    pub(crate) fn route(&self, due: &mut [Due]) -> Result<(), Refusal> {
        for due in due {
            let part = self
                .part(&due.worked)
                .map_err(|kind| Refusal::at(&due.worked.observed.target.path, kind).of_change(due.index))?;
            due.through = part;
        }
        Ok(())
    }

    fn part(&self, worked: &Worked) -> Result<Option<EditorPart>, RefusalKind> {
        let Some(copies) = &worked.observed.open else { return Ok(None) };
        let owner = copies.owner();
        if worked.file.action != Action::Edit {
            // These are done on the disk; unsaved text would have nowhere to go.
            return if copies.iter().any(Copy::holds_unsaved) {
                let what = worked.file.action.name();
                Err(self.refused(owner, format!("it holds unsaved text, which a {what} would strand")))
            } else {
                Ok(None)
            };
        }
        let can = |editor: &Editor| editor.abilities.apply_edits || editor.abilities.apply_edit;
        let editor = self.editor(owner.buffer.id.session).filter(can);
        match (harm(&worked.observed), owner.buffer.trouble, editor) {
            (None, None, Some(editor)) => {
                let part = self.through(worked, owner, editor);
                if part.save != Saving::No {
                    self.require_writable(&worked.observed.target)?;
                }
                Ok(Some(part))
            }
            // Below a text that is on the disk as it is, the disk can be written.
            _ if owner.is_clean() => Ok(None),
            (Some(harm), ..) => Err(RefusalKind::Encoding { detail: harm.detail() }),
            (_, Some(trouble), _) => Err(self.refused(owner, trouble.to_string())),
            (_, _, None) => Err(self.refused(owner, "it cannot apply edits".to_owned())),
        }
    }

    /// An editor that is to save would find out too late, or write what is not to be written.
    fn require_writable(&self, target: &Target) -> Result<(), RefusalKind> {
        let Some(entry) = target.entry() else { return Ok(()) };
        self.disk.examine(&entry, None).map(drop).map_err(|error| refusal_of(&error))
    }

    fn refused(&self, owner: &Copy, reason: String) -> RefusalKind {
        RefusalKind::Editor(EditorRefusal::Refused { reason, editor: self.editor_name(owner) })
    }

    fn through(&self, worked: &Worked, owner: &Copy, editor: Editor) -> EditorPart {
        let buffer = owner.buffer.clone();
        let text = worked.observed.text.as_ref().map_or("", |text| text);
        let plan = if buffer.text.eq_str(text) {
            (*worked.file.plan).clone()
        } else {
            in_document(&buffer.text, &worked.file.plan.apply(text), self.deadline())
        };
        let mut after = buffer.text.clone();
        plan.apply_to(&mut after);
        let edits = text_edits(&buffer.text, &plan, buffer.encoding);
        let save = match (editor.abilities.save, owner.standing, self.config.save) {
            (false, ..) => Saving::No,
            (_, Standing::Same, _) | (_, _, SaveMode::Always) => Saving::Yes,
            (_, _, SaveMode::Ask) => Saving::Ask,
            (_, _, SaveMode::Never) => Saving::No,
        };
        EditorPart { editor, buffer, plan, edits, after, save }
    }
}

/// The plan that makes of a document what the file is to hold, in the line ends that the document has.
fn in_document(shown: &Text, wanted: &str, deadline: Deadline) -> Plan {
    let shown = shown.to_string();
    let folded = fold_line_ends(wanted);
    let wanted =
        if eol_style(&shown) == EolStyle::Crlf { folded.replace('\n', "\r\n") } else { folded.into_owned() };
    Plan::between(&shown, &wanted, deadline)
}

/// What would happen to the file if its editor saved it. Editors have one kind of line end for a file, and write
/// what is no text in their encoding as something else.
fn harm(observed: &Observed) -> Option<Harm> {
    let snapshot = observed.disk_snapshot()?;
    if snapshot.format.encoding == Encoding::Utf8Stray {
        return Some(Harm::Bytes);
    }
    let disk = snapshot.text.to_string();
    matches!(eol_style(&disk), EolStyle::Mixed | EolStyle::Cr).then_some(Harm::LineEnds)
}

impl Harm {
    fn detail(&self) -> String {
        match self {
            Self::LineEnds => "its line ends are mixed, and the editor that holds unsaved text of it would write all of them alike",
            Self::Bytes => "some of its bytes are no text, and the editor that holds unsaved text of it would not keep them",
        }
        .to_owned()
    }
}
