use std::path::Path;

use serde_json::{Value, json};

use super::command::{Command, Place, Say};
use super::{Waiting, WaitingHunk, counted};

/// Proposals that are offered for one place; a longer menu helps nobody.
const OFFERED: usize = 3;
/// What accepts or rejects what the cursor is in: editors show that there is some.
const FIX: &str = "quickfix";
/// What is about more than that.
const SOURCE: &str = "source.editd";
/// LSP's tag for what a model has made.
const GENERATED: u32 = 1;

/// What an editor asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// First line of the selection, from 0.
    pub first: u32,
    /// Its last line.
    pub last: u32,
    /// The kinds that it wants, or all.
    pub only: Option<Vec<String>>,
    /// Whether nobody asked for it: the editor wants to know whether to show that there is something.
    pub automatic: bool,
    /// Whether it knows the tag for what a model has made.
    pub tags: bool,
}

impl Wanted {
    fn wants(&self, kind: &str) -> bool {
        let is_of = |only: &String| {
            only.is_empty()
                || kind == only
                || kind.strip_prefix(only.as_str()).is_some_and(|rest| rest.starts_with('.'))
        };
        self.only.as_ref().is_none_or(|only| only.iter().any(is_of))
    }
}

/// LSP's code actions for a place in a file: first what is about the place itself, then its file and the rest.
pub fn code_actions(waiting: &[Waiting], path: &Path, wanted: &Wanted) -> Vec<Value> {
    let touched = |one: &Waiting| one.within(path).any(|hunk| hunk.touches(wanted.first, wanted.last));
    let mut here: Vec<_> = waiting.iter().filter(|one| one.within(path).next().is_some()).collect();
    // Stable: those that came first stay first.
    here.sort_by_key(|one| !touched(one));
    here.truncate(OFFERED);
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
        let from = Place { path: path.display().to_string(), line: wanted.first };
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
    wanted: &'a Wanted,
    actions: Vec<Value>,
}

impl List<'_> {
    fn add(&mut self, kind: &str, title: &str, command: &Command) {
        if !self.wanted.wants(kind) {
            return;
        }
        let title = format!("editd: {title}");
        let mut action = json!({ "title": title, "kind": kind, "command": command.titled(&title) });
        let is_text_of_a_model = matches!(
            command,
            Command::Hunks { say: Say::Accept | Say::Take, .. }
                | Command::File { yes: true, .. }
                | Command::All { yes: true, .. }
        );
        if self.wanted.tags && is_text_of_a_model {
            action["tags"] = json!([GENERATED]);
        }
        self.actions.push(action);
    }

    fn hunk(&mut self, one: &Waiting, hunk: &WaitingHunk) {
        let (yes, no) = if hunk.conflicted {
            ("take this over what is there now", "keep what is there now")
        } else {
            match hunk.kind.as_deref() {
                Some("create") => ("create this file", "do not create this file"),
                Some("delete") => ("delete this file", "do not delete this file"),
                Some("rename") => ("rename this file", "do not rename this file"),
                Some("encoding") => ("write this file in the other encoding", "keep this file's encoding"),
                _ => ("accept this change", "reject this change"),
            }
        };
        for (say, title) in [(hunk.yes(), yes), (Say::Reject, no)] {
            let (id, revision, hunks) = (one.id.clone(), one.revision, vec![hunk.id.clone()]);
            self.add(FIX, &format!("{title} ({})", one.by()), &Command::Hunks { say, id, revision, hunks });
        }
    }

    /// Not where it would be the same as the change at the cursor.
    fn file(&mut self, one: &Waiting, path: &Path) {
        let touches = |hunk: &WaitingHunk| hunk.touches(self.wanted.first, self.wanted.last);
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

    fn all(&mut self, one: &Waiting) {
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
