//! Renames of symbols by the language servers of attached editors.
//!
//! An editor answers with edits of any files. They are used only if each of them replaces the old name in the current
//! text of its file, so that a server that is wrong about a text changes nothing.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::engine::change::outlined::Outlined;
use crate::engine::change::{EditForm, EditIndex, RequestedChange};
use crate::engine::clients::{Client, RenameAnswer};
use crate::engine::files::observe::Observed;
use crate::engine::files::open_documents::SyncState;
use crate::engine::files::resolve::Purpose;
use crate::engine::{Engine, SessionContext};
use editd_disk::search::FileGlob;
use editd_edit::{Plan, Splice};
use editd_syntax::parsing::rename;
use editd_syntax::{RenameRefusal, Renamed, SymbolEdit, SymbolOp, edit_symbol};
use editd_text::{ContentHash, HashTag, Position, PositionEncoding, Text};
use editd_workspace::{BaseState, NamedVersion, Refusal, RequestedPath};

/// Timeout for the language server of an editor to rename.
pub(crate) const RENAME: Duration = Duration::from_secs(3);

/// A symbol that a request renames, in the current text of its file.
pub(crate) struct SymbolToRename {
    path: PathBuf,
    name: Range<usize>,
    old: String,
    new: String,
    /// Starts of the places in the file that mean the symbol for certain.
    certain: Vec<usize>,
    /// The editors to ask, in this order.
    pub(crate) editors: Vec<RenamingEditor>,
}

/// An editor that may rename a symbol.
pub(crate) struct RenamingEditor {
    pub(crate) client: Arc<dyn Client>,
    pub(crate) file: FileInEditor,
    pub(crate) at: Position,
    pub(crate) encoding: PositionEncoding,
}

/// The name by which an editor knows a file.
#[derive(Clone, Debug)]
pub(crate) enum FileInEditor {
    /// The URI of an open document, as the editor spells it.
    Open(String),
    Closed(PathBuf),
}

/// The places of one file that a language server renames.
#[derive(Clone, Debug)]
pub(crate) struct ServedUses {
    /// Hash of the text that has these places.
    pub(crate) text: ContentHash,
    pub(crate) splices: Vec<Splice>,
    /// The new name.
    new: String,
    /// The line of each place, from 1.
    pub(crate) lines: Vec<u64>,
}

impl ServedUses {
    /// Returns the places as those of a rename in the text that has them.
    pub(crate) fn renamed(&self, text: &str) -> Renamed {
        let first = self.splices.first().and_then(|splice| text.get(splice.range.clone()));
        Renamed {
            old: first.unwrap_or_default().to_owned(),
            new: self.new.clone(),
            splices: self.splices.clone(),
            ..Renamed::default()
        }
    }
}

/// The places that a language server renames in all files, that of the declaration first.
pub(crate) type ServedFiles = Vec<(PathBuf, ServedUses)>;

/// Returns the only edit of a request that renames a symbol with its uses in code, with its file.
pub(crate) fn only_rename(
    files: &[RequestedChange<RequestedPath>],
) -> Option<(&RequestedChange<RequestedPath>, EditIndex, &SymbolEdit)> {
    let edits = files.iter().flat_map(|file| file.kind.edits().iter().map(move |edit| (file, edit)));
    let mut renames = edits.filter_map(|(file, edit)| match &edit.form {
        EditForm::Symbol(symbol) if symbol.op == SymbolOp::Rename => Some((file, edit.of?, symbol)),
        _ => None,
    });
    let only = renames.next()?;
    (renames.next().is_none() && !only.2.comments).then_some(only)
}

impl SymbolToRename {
    pub(crate) fn old_name(&self) -> &str {
        &self.old
    }

    pub(crate) fn new_name(&self) -> &str {
        &self.new
    }
}

impl Engine {
    /// Returns `true` if an attached editor may have a language server that renames.
    pub(crate) fn has_renaming_editors(&self) -> bool {
        self.workspace.update(|w| !w.renaming_editors().is_empty())
    }

    /// Finds a symbol in the current text of its file, and the editors to ask. Returns `None` if there are none, or if
    /// the session has not been given that text: then the request is refused or carried over changes.
    pub(crate) fn symbol_to_rename(
        &self,
        session: &SessionContext,
        (file, base): (&RequestedPath, Option<&NamedVersion>),
        edit: &SymbolEdit,
    ) -> Option<SymbolToRename> {
        let observed = self.observe(self.locate(session, file, Purpose::Read).ok()?).ok()?;
        let hash = observed.content.hash()?;
        let is_known = match base {
            Some(NamedVersion::Hash(named)) => *named == hash,
            Some(NamedVersion::Tag(tag)) => *tag == HashTag::from(hash),
            None => {
                let states = self.base_states(session, &[(observed.version(), None)]);
                matches!(states.first(), Some(BaseState::Fresh(_)))
            }
        };
        let text = observed.text.clone().filter(|_| is_known)?;
        let outlined = Outlined::new(&observed.target.path, &text, self.deadline());
        let wanted = edit_symbol(&text, outlined.outline().ok()?, edit).ok()?.wanted?;
        let certain = match rename(&outlined.version().ok()?, &wanted, self.deadline()) {
            Ok(Ok(renamed)) => {
                let starts = renamed.splices.iter().map(|splice| splice.range.start);
                starts.filter(|start| !renamed.by_name.contains(start)).collect()
            }
            // A server need not look whether the new name is free.
            Ok(Err(
                RenameRefusal::Taken { .. }
                | RenameRefusal::Captured { .. }
                | RenameRefusal::Hidden { .. }
                | RenameRefusal::Keyword,
            )) => return None,
            Ok(Err(_)) | Err(_) => Vec::new(),
        };
        let old = text.get(wanted.name.clone())?.to_owned();
        let start = wanted.name.start;
        let editors = self.editors_for(&observed, &Text::from(text.as_str()), start);
        let path = observed.target.path;
        let (name, new) = (wanted.name, wanted.new);
        (!editors.is_empty()).then_some(SymbolToRename { path, name, old, new, certain, editors })
    }

    /// Returns the editors that may rename what is at an offset: those that show the file first.
    fn editors_for(&self, observed: &Observed, text: &Text, offset: usize) -> Vec<RenamingEditor> {
        let open = observed.open.iter().flat_map(|open| &open.all);
        let is_current = |state: SyncState| matches!(state, SyncState::Same | SyncState::Unsaved);
        if open.clone().any(|document| !is_current(document.sync_state)) {
            return Vec::new();
        }
        let mut sessions = self.workspace.update(|w| w.renaming_editors());
        let mut documents: Vec<_> = open.map(|document| &document.buffer).collect();
        documents.sort_by_key(|buffer| std::cmp::Reverse(buffer.focused));
        let mut editors = Vec::new();
        for buffer in documents {
            let Some(at) = sessions.iter().position(|(session, _)| *session == buffer.id.session) else {
                continue;
            };
            sessions.remove(at);
            let Some(client) = self.clients.get(buffer.id.session) else { continue };
            let at = buffer.position_in_editor(text.position_of(offset, buffer.encoding));
            let file = FileInEditor::Open(buffer.id.uri.clone());
            editors.push(RenamingEditor { client, file, at, encoding: buffer.encoding });
        }
        let path = &observed.target.path;
        for (session, roots) in sessions {
            if let Some(client) = self.clients.get(session)
                && roots.iter().any(|root| path.starts_with(root))
            {
                let encoding = PositionEncoding::Utf16;
                let (file, at) = (FileInEditor::Closed(path.clone()), text.position_of(offset, encoding));
                editors.push(RenamingEditor { client, file, at, encoding });
            }
        }
        editors
    }

    /// Turns the answer of a language server into places of the current texts. Returns the reason why it is not used,
    /// if there is one to tell, and a refusal for a file that the session may not change.
    pub(crate) fn served_uses(
        &self,
        session: &SessionContext,
        symbol: &SymbolToRename,
        (answer, encoding): (RenameAnswer, PositionEncoding),
        glob: Option<&FileGlob>,
    ) -> Result<Result<ServedFiles, Option<String>>, Refusal> {
        let RenameAnswer { files, reason, encoding: own } = answer;
        if reason.is_some() {
            return Ok(Err(reason));
        }
        let encoding = own.unwrap_or(encoding);
        let mut served: ServedFiles = Vec::new();
        for (path, edits) in files {
            let target = self.locate(session, &RequestedPath::of(&path), Purpose::Edit)?;
            let is_home = target.path == symbol.path;
            let below = target.path.strip_prefix(target.root.path()).unwrap_or(&target.path);
            if !is_home && glob.is_some_and(|glob| !glob.admits(&target.path, below)) {
                let reason = format!("it would also change {}, which the glob excludes", below.display());
                return Ok(Err(Some(reason)));
            }
            let observed = self.observe(target)?;
            let Some(text) = observed.text.clone() else { return Ok(Err(None)) };
            let rope = Text::from(text.as_str());
            let document = observed.open.as_ref().map(|open| &open.owner().buffer);
            let byte = |at: Position| {
                let at = document.map_or(at, |document| document.position_in_text(at));
                rope.byte_of(at, encoding)
            };
            let mut splices: Vec<Splice> = edits
                .into_iter()
                .map(|edit| Splice { range: byte(edit.start)..byte(edit.end), text: edit.new })
                .collect();
            splices.sort_by_key(|splice| splice.range.start);
            splices.dedup();
            let is_rename = |splice: &Splice| {
                text.get(splice.range.clone()) == Some(&symbol.old) && has_word(&splice.text, &symbol.new)
            };
            let is_plan = Plan::new(text.len(), splices.clone()).is_ok();
            let has = |start: &usize| splices.iter().any(|splice| splice.range.start == *start);
            // A server that has not loaded all files yet may know only a part of the places.
            let is_whole = !is_home || has(&symbol.name.start) && symbol.certain.iter().all(has);
            if !is_plan || !splices.iter().all(is_rename) || !is_whole {
                return Ok(Err(None));
            }
            let line = |splice: &Splice| rope.position_of(splice.range.start, encoding).line as u64 + 1;
            let uses = ServedUses {
                text: ContentHash::of(text.as_bytes()),
                lines: splices.iter().map(line).collect(),
                splices,
                new: symbol.new.clone(),
            };
            match served.iter_mut().find(|(path, _)| *path == observed.target.path) {
                Some(_) => return Ok(Err(None)),
                None if is_home => served.insert(0, (observed.target.path, uses)),
                None if uses.splices.is_empty() => {}
                None => served.push((observed.target.path, uses)),
            }
        }
        let is_used = served.first().is_some_and(|(path, _)| *path == symbol.path);
        Ok(if is_used { Ok(served) } else { Err(None) })
    }
}

/// Returns `true` if a text has a name as a whole word.
fn has_word(text: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    text.match_indices(name).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + name.len()..]);
        !before.ends_with(is_word) && !after.starts_with(is_word)
    })
}
