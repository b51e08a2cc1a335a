use std::path::Path;

use serde_json::{Value, json};

use super::command::{Command, Decision, Location};
use super::{PendingHunk, PendingProposal, counted};

/// Maximum number of proposals offered at one location; a longer menu would not be usable.
const MAX_PROPOSALS: usize = 3;
/// Kind of the actions that decide about the hunk at the cursor. Editors indicate that quick fixes exist.
const FIX: &str = "quickfix";
/// Kind of all other actions.
const SOURCE: &str = "source.editd";
/// `CodeActionTag.LLMGenerated` of LSP.
const GENERATED: u32 = 1;

/// A request for code actions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CodeActionQuery {
    /// First line of the selection, from 0.
    pub first: u32,
    /// Last line of the selection.
    pub last: u32,
    /// Requested kinds, or `None` for all.
    pub only: Option<Vec<String>>,
    /// `true` if the editor sent the request by itself, to find out whether to indicate that actions exist.
    pub automatic: bool,
    /// `true` if the editor supports the tag for generated code.
    pub tags: bool,
}

impl CodeActionQuery {
    fn wants(&self, kind: &str) -> bool {
        let is_of = |only: &String| {
            only.is_empty()
                || kind == only
                || kind.strip_prefix(only.as_str()).is_some_and(|rest| rest.starts_with('.'))
        };
        self.only.as_ref().is_none_or(|only| only.iter().any(is_of))
    }
}

/// Returns the LSP code actions for a location in a file: first those for the hunks at the location, then
/// those for the file, then the rest.
pub fn code_actions(waiting: &[PendingProposal], path: &Path, wanted: &CodeActionQuery) -> Vec<Value> {
    let touched =
        |one: &PendingProposal| one.within(path).any(|hunk| hunk.touches(wanted.first, wanted.last));
    let mut here: Vec<_> = waiting.iter().filter(|one| one.within(path).next().is_some()).collect();
    // The sort is stable: otherwise the order of the proposals stays as it is.
    here.sort_by_key(|one| !touched(one));
    here.truncate(MAX_PROPOSALS);
    let mut list = List { wanted, actions: Vec::new() };
    for one in &here {
        for hunk in one.within(path).filter(|hunk| hunk.touches(wanted.first, wanted.last)) {
            list.hunk(one, hunk);
        }
    }
    if wanted.automatic {
        return list.actions;
    }
    for one in &here {
        list.file(one, path);
    }
    for one in &here {
        list.all(one);
    }
    if !waiting.is_empty() {
        let from = Location { path: path.display().to_string(), line: wanted.first };
        list.add(SOURCE, "go to the next change", &Command::Go { forward: true, from: Some(from.clone()) });
        list.add(SOURCE, "go to the previous change", &Command::Go { forward: false, from: Some(from) });
    }
    for one in &here {
        let title = format!("show the diff ({})", one.by());
        list.add(SOURCE, &title, &Command::ShowDiff { id: Some(one.id.clone()) });
    }
    list.actions
}

struct List<'a> {
    wanted: &'a CodeActionQuery,
    actions: Vec<Value>,
}

impl List<'_> {
    fn add(&mut self, kind: &str, title: &str, command: &Command) {
        if !self.wanted.wants(kind) {
            return;
        }
        let title = format!("editd: {title}");
        let mut action = json!({ "title": title, "kind": kind, "command": command.titled(&title) });
        let is_generated = matches!(
            command,
            Command::Hunks { say: Decision::Accept | Decision::Take, .. }
                | Command::File { yes: true, .. }
                | Command::All { yes: true, .. }
        );
        if self.wanted.tags && is_generated {
            action["tags"] = json!([GENERATED]);
        }
        self.actions.push(action);
    }

    fn hunk(&mut self, one: &PendingProposal, hunk: &PendingHunk) {
        let (yes, no) = if hunk.conflicted {
            ("replace what is there now with this", "keep what is there now")
        } else {
            match hunk.kind.as_deref() {
                Some("create") => ("create this file", "do not create this file"),
                Some("delete") => ("delete this file", "do not delete this file"),
                Some("rename") => ("rename this file", "do not rename this file"),
                Some("encoding") => ("write this file in the other encoding", "keep this file's encoding"),
                _ => ("accept this change", "reject this change"),
            }
        };
        for (say, title) in [(hunk.acceptance(), yes), (Decision::Reject, no)] {
            let (id, revision, hunks) = (one.id.clone(), one.revision, vec![hunk.id.clone()]);
            self.add(FIX, &format!("{title} ({})", one.by()), &Command::Hunks { say, id, revision, hunks });
        }
    }

    /// Adds the actions for a file, unless its only change is the one at the cursor.
    fn file(&mut self, one: &PendingProposal, path: &Path) {
        let touches = |hunk: &PendingHunk| hunk.touches(self.wanted.first, self.wanted.last);
        let count = one.within(path).count();
        if count == 1 && one.within(path).any(touches) {
            return;
        }
        let what = if count == 1 { "the change".to_owned() } else { format!("all {count} changes") };
        for (yes, verb) in [(true, "accept"), (false, "reject")] {
            let (id, revision, path) = (one.id.clone(), one.revision, path.display().to_string());
            let title = format!("{verb} {what} in this file ({})", one.by());
            self.add(SOURCE, &title, &Command::File { yes, id, revision, path });
        }
    }

    fn all(&mut self, one: &PendingProposal) {
        let files = one.files();
        if files < 2 {
            return;
        }
        let what = format!(
            "all {} in {}",
            counted(one.hunks.len(), "change", "changes"),
            counted(files, "file", "files")
        );
        for (yes, verb) in [(true, "accept"), (false, "reject")] {
            let (id, revision) = (one.id.clone(), one.revision);
            self.add(SOURCE, &format!("{verb} {what} ({})", one.by()), &Command::All { yes, id, revision });
        }
    }
}
