//! Code actions, code lenses and diagnostics for hunks that wait for the user.

use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use editd_edit::{Deadline, Excerpt, LinePart};
use editd_text::{Position, PositionEncoding, Text, with_codes};

use super::command::{AllArgument, Command, Decision, FileArgument, HunksArgument, Location};
use super::{DecidedHunk, PendingHunk, PendingProposal, counted, one_line};

/// Maximum number of proposals offered at one location; a longer menu would not be usable.
const MAX_PROPOSALS: usize = 3;
/// Kind of the actions that decide about the hunk at the cursor. Editors indicate that quick fixes exist.
const FIX: &str = "quickfix";
/// Kind of all other actions.
const SOURCE: &str = "source.editd";
/// `CodeActionTag.LLMGenerated` of LSP.
const GENERATED: u32 = 1;
/// `DiagnosticSeverity.Hint` of LSP.
const HINT: u32 = 4;
/// Maximum number of lines of the new text in a hint.
const SHOWN_LINES: usize = 8;
/// Maximum number of characters of each line.
const SHOWN_CHARACTERS: usize = 400;
/// Time to compare the words of long lines.
const COMPARING: Duration = Duration::from_millis(50);

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
        list.all(one, path);
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
            Command::Hunks(decision, _) | Command::File(decision, _) | Command::All(decision, _)
                if *decision != Decision::Reject
        );
        if self.wanted.tags && is_generated {
            action["tags"] = json!([GENERATED]);
        }
        self.actions.push(action);
    }

    fn hunk(&mut self, one: &PendingProposal, hunk: &PendingHunk) {
        let (yes, no) = if one.landed { landed_titles(hunk) } else { titles(hunk) };
        for (decision, title) in one.decisions(hunk).into_iter().zip([yes, no]) {
            self.add(FIX, &format!("{title} ({})", one.by()), &one.decide(decision, hunk));
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
        for (decision, verb) in one.alternatives() {
            let contrary = one.contrary(decision, Some(path));
            let (id, revision, path) = (one.id.clone(), one.revision, path.display().to_string());
            let command = Command::File(decision, FileArgument { id, revision, path });
            if contrary.is_empty() {
                self.add(SOURCE, &format!("{verb} {what} in this file ({})", one.by()), &command);
            } else {
                self.several(one, (decision, verb), (count, "in this file"), &contrary, &command);
            }
        }
    }

    /// Adds the actions for a whole proposal of several files. The user sees only one of them, so their titles name
    /// the others.
    fn all(&mut self, one: &PendingProposal, path: &Path) {
        let files = one.files();
        if files < 2 {
            return;
        }
        let (changes, files) =
            (counted(one.hunks.len(), "change", "changes"), counted(files, "file", "files"));
        for (decision, verb) in one.alternatives() {
            // To reject a proposal writes nothing, so the user need not know what is in the other files.
            let names = decision != Decision::Reject || one.landed;
            let files = if names { format!("{files}: {}", one.named(path)) } else { files.clone() };
            let contrary = one.contrary(decision, None);
            let keep_earlier = !contrary.is_empty();
            let argument = AllArgument { id: one.id.clone(), revision: one.revision, keep_earlier };
            let command = Command::All(decision, argument);
            if contrary.is_empty() {
                self.add(SOURCE, &format!("{verb} all {changes} in {files} ({})", one.by()), &command);
            } else {
                let place = format!("in {files}");
                self.several(one, (decision, verb), (one.hunks.len(), &place), &contrary, &command);
            }
        }
    }

    /// Adds two actions: one for the undecided changes, and one that also turns earlier decisions round. Both
    /// titles name these decisions.
    fn several(
        &mut self,
        one: &PendingProposal,
        (decision, verb): (Decision, &str),
        (count, place): (usize, &str),
        contrary: &[&DecidedHunk],
        undecided: &Command,
    ) {
        let others = counted(count, "other change", "other changes");
        let earlier = contrary.len();
        let is = if earlier == 1 { "is" } else { "are" };
        let (outcome, earlier_verdict) = match (decision, one.landed) {
            (Decision::Reject, false) => (format!("{earlier} {is} applied"), "accepted"),
            (_, true) if decision != Decision::Reject => (format!("{earlier} {is} reverted"), "reverted"),
            (_, true) => (format!("{earlier} {is} kept"), "kept"),
            _ => (format!("{earlier} {is} not applied"), "rejected"),
        };
        self.add(SOURCE, &format!("{verb} {others} {place}; {outcome} ({})", one.by()), undecided);
        let open = one.hunks.iter().filter(|hunk| {
            let is_in_place = contrary.iter().any(|decided| decided.path == hunk.path);
            matches!(undecided, Command::All(..)) || is_in_place
        });
        let hunks = open.map(|hunk| &hunk.id).chain(contrary.iter().map(|decided| &decided.id)).cloned();
        let argument = HunksArgument { id: one.id.clone(), revision: one.revision, hunks: hunks.collect() };
        let title = format!("{verb} {others} {place}, and {earlier} {earlier_verdict} before ({})", one.by());
        self.add(SOURCE, &title, &Command::Hunks(decision, argument));
    }
}

/// Returns the titles of the actions that make a proposed change or do not.
fn titles(hunk: &PendingHunk) -> (&'static str, &'static str) {
    match hunk.kind.as_deref() {
        _ if hunk.conflicted => ("replace what is there now with this", "keep what is there now"),
        Some("create") => ("create this file", "do not create this file"),
        Some("delete") => ("delete this file", "do not delete this file"),
        Some("rename") => ("rename this file", "do not rename this file"),
        Some("encoding") => ("write this file in the other encoding", "keep this file's encoding"),
        _ => ("accept this change", "reject this change"),
    }
}

/// Returns the titles of the actions that keep a landed change or revert it.
fn landed_titles(hunk: &PendingHunk) -> (&'static str, &'static str) {
    match hunk.kind.as_deref() {
        _ if hunk.conflicted => ("keep what is there now", "replace what is there now with the earlier text"),
        Some("create") => ("keep this new file", "remove this new file"),
        Some("delete") => ("keep this file deleted", "restore this file"),
        Some("encoding") => ("keep this file's new encoding", "restore this file's earlier encoding"),
        _ => ("keep this change", "revert this change"),
    }
}

impl PendingProposal {
    /// Returns the decisions about several hunks, with their verbs.
    fn alternatives(&self) -> [(Decision, &'static str); 2] {
        let (yes, no) = if self.landed { ("keep", "revert") } else { ("accept", "reject") };
        [(Decision::Accept, yes), (Decision::Reject, no)]
    }

    /// Returns the hunks, of a file or of all, that were decided the other way earlier.
    fn contrary(&self, decision: Decision, path: Option<&Path>) -> Vec<&DecidedHunk> {
        let is_contrary = |decided: &&DecidedHunk| decided.accepted == (decision == Decision::Reject);
        let is_here = |decided: &&DecidedHunk| path.is_none_or(|path| decided.path == path);
        self.decided.iter().filter(is_contrary).filter(is_here).collect()
    }

    /// Returns the decisions for and against a hunk in its current state.
    fn decisions(&self, hunk: &PendingHunk) -> [Decision; 2] {
        match (hunk.conflicted, self.landed) {
            (false, _) => [Decision::Accept, Decision::Reject],
            (true, false) => [Decision::Take, Decision::Reject],
            (true, true) => [Decision::Accept, Decision::Take],
        }
    }

    /// Returns the command that decides about a hunk.
    fn decide(&self, decision: Decision, hunk: &PendingHunk) -> Command {
        let hunks = vec![hunk.id.clone()];
        Command::Hunks(decision, HunksArgument { id: self.id.clone(), revision: self.revision, hunks })
    }
}

/// Returns the LSP code lenses for a file whose last line is `last`, counted from 0. Each hunk gets one lens
/// to accept it, one to reject it, and one to show the diff of its proposal.
pub fn code_lenses(waiting: &[PendingProposal], path: &Path, last: u32) -> Vec<Value> {
    let of = |one: &PendingProposal| {
        one.within(path).flat_map(|hunk| of_hunk(one, hunk, last)).collect::<Vec<_>>()
    };
    waiting.iter().flat_map(of).collect()
}

fn of_hunk(one: &PendingProposal, hunk: &PendingHunk, last: u32) -> [Value; 3] {
    let at = json!({ "line": hunk.line.min(last), "character": 0 });
    let (yes, no) = match (hunk.conflicted, one.landed) {
        (false, false) => ("accept", "reject"),
        (true, false) => ("take theirs", "keep mine"),
        (false, true) => ("keep", "revert"),
        (true, true) => ("keep mine", "restore the earlier text"),
    };
    let [for_it, against_it] = one.decisions(hunk);
    let lenses = [
        one.decide(for_it, hunk).titled(&format!("{yes} ({})", one.by())),
        one.decide(against_it, hunk).titled(no),
        Command::ShowDiff { id: Some(one.id.clone()) }.titled("diff"),
    ];
    lenses.map(|command| json!({ "range": { "start": at, "end": at }, "command": command }))
}

/// Returns an LSP diagnostic for each hunk that waits in a document. The range covers the lines of the hunk, the
/// message contains the other side: the new lines, or those before a landed change.
pub fn hints(
    waiting: &[PendingProposal],
    path: &Path,
    text: &Text,
    encoding: PositionEncoding,
) -> Vec<Value> {
    let of = |one: &PendingProposal| {
        let hint = |hunk: &PendingHunk| {
            json!({
                "range": range(hunk, text, encoding), "severity": HINT, "source": "editd",
                "code": format!("{} {}", one.id, hunk.id), "message": message(one, hunk),
            })
        };
        one.within(path).map(hint).collect::<Vec<_>>()
    };
    waiting.iter().flat_map(of).collect()
}

/// Returns the range of the lines of a hunk, without the last line ending. The range of an insertion is the
/// line after it, or the last line at the end of the text.
fn range(hunk: &PendingHunk, text: &Text, encoding: PositionEncoding) -> Value {
    let last_line = text.line_count().saturating_sub(1);
    let first = (hunk.line as usize).min(last_line);
    let last = (first + (hunk.lines as usize).saturating_sub(1)).min(last_line);
    let end = text.byte_of(Position { line: last, character: usize::MAX }, PositionEncoding::Utf32);
    let end = text.position_of(end, encoding);
    json!({
        "start": { "line": first, "character": 0 },
        "end": { "line": end.line, "character": end.character },
    })
}

fn message(one: &PendingProposal, hunk: &PendingHunk) -> String {
    let wants = if one.landed { landed_change(hunk) } else { proposed_change(hunk) };
    let mut message = format!("{} {wants}", one_line(&one.author));
    if let Some(label) = one.label.as_deref().filter(|label| !label.trim().is_empty()) {
        message.extend([" (", &one_line(label), ")"]);
    }
    let excerpt = Excerpt::of(&hunk.own_text, &hunk.other_text, Deadline::after(COMPARING));
    let mut lines = excerpt.new.iter();
    let before_first = if one.landed { ". Before:\n" } else { ":\n" };
    for (at, line) in lines.by_ref().take(SHOWN_LINES).enumerate() {
        message.push_str(if at == 0 { before_first } else { "\n" });
        message.push_str(&excerpt_of(line));
    }
    let left = lines.count();
    if left > 0 {
        message.extend(["\n… ", &left.to_string(), " more"]);
    }
    message
}

/// Returns a line of which unchanged text may be left out. Control and hidden characters are shown by their codes.
fn excerpt_of(line: &[LinePart<'_>]) -> String {
    let mut text = String::new();
    for part in line {
        match part {
            LinePart::Shown(shown) => text.push_str(shown.trim_end_matches(['\n', '\r'])),
            LinePart::Omitted(_) => text.push('…'),
        }
    }
    let end = text.char_indices().nth(SHOWN_CHARACTERS).map_or(text.len(), |(end, _)| end);
    let mut shown = with_codes(&text[..end]);
    let left = text[end..].chars().count();
    if left > 0 {
        let _ = write!(shown, "… {left} more characters");
    }
    shown
}

fn proposed_change(hunk: &PendingHunk) -> &'static str {
    match (hunk.kind.as_deref(), hunk.lines, hunk.other_text.is_empty()) {
        _ if hunk.conflicted => "wants this here, but these lines have changed since",
        (Some("create"), ..) => "wants to create this file",
        (Some("delete"), ..) => "wants to delete this file",
        (Some("rename"), ..) => "wants to rename this file",
        (Some("encoding"), ..) => "wants to write this file in another encoding",
        (Some("whole"), ..) => "wants to change this file",
        (Some("link"), _, true) => "wants to remove this link",
        (Some("link"), ..) => "wants a link here",
        (Some("folder"), _, true) => "wants to remove this folder",
        (Some("folder"), ..) => "wants a folder here",
        (Some("permissions"), ..) => "wants other permissions of this file",
        (_, 0, _) => "wants new lines before this one",
        (_, 1, true) => "wants to delete this line",
        (_, _, true) => "wants to delete these lines",
        _ => "wants this instead",
    }
}

fn landed_change(hunk: &PendingHunk) -> &'static str {
    match (hunk.kind.as_deref(), hunk.lines, hunk.other_text.is_empty()) {
        _ if hunk.conflicted => "has changed this, and these lines have changed again since",
        (Some("create"), ..) => "has created this file",
        (Some("delete"), ..) => "has deleted this file",
        (Some("encoding"), ..) => "has written this file in another encoding",
        (Some("whole"), ..) => "has changed this file",
        (Some("link"), _, true) => "has created this link",
        (Some("link"), ..) => "has changed or removed this link",
        (Some("folder"), _, true) => "has created this folder",
        (Some("folder"), ..) => "has removed this folder",
        (Some("permissions"), ..) => "has changed the permissions of this file",
        (_, 0, _) => "has deleted lines before this one",
        (_, 1, true) => "has added this line",
        (_, _, true) => "has added these lines",
        _ => "has changed this",
    }
}
