//! The review of one file: questions about its hunks, and lines edited by the person.

use std::io::Write;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempPath;

use crate::cli::paint::{FAINT, HINT};
use crate::cli::{CliError, Context, root, stream};
use editd_daemon::transport::{Client, whole_text};
use editd_protocol::{AppliedFile, CommentEntry, FileEntry, Hunk, ProposalResult, Read};
use editd_text::{ContentHash, lines};
use editd_workspace::Role;

use super::progress::Progress;
use super::questions::{COMMON, Questions};
use super::several::{Earlier, Scope};
use super::show;

/// State of a proposal whose changes have been made already.
pub(super) const LANDED: &str = "landed";

/// State of a hunk whose lines have changed since it was proposed or made.
pub(super) const CONFLICTED: &str = "conflicted";

/// The answer for a hunk.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Answer {
    Open,
    Accept,
    /// Accepts the hunk over a conflicting change.
    Take,
    Reject,
    Edited(String),
}

/// Action after an answer.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Next {
    /// Send the answers, and continue.
    Continue,
    /// Continue, with this answer for all open hunks of the further files.
    Rest(Rest),
    /// Send this decision about the whole proposal.
    Whole(Value),
    /// Continue with the next file: nothing is left to ask about this one.
    File,
    Quit,
}

/// An answer for all open hunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rest {
    Accept,
    Reject,
}

impl Rest {
    /// Returns `true` if a hunk was decided the other way before.
    pub(super) fn is_contrary(self, hunk: &Hunk) -> bool {
        match self {
            Self::Accept => hunk.state == "rejected",
            Self::Reject => matches!(hunk.state.as_str(), "accepted" | "edited"),
        }
    }

    /// Returns the earlier decision of such hunks, in words.
    pub(super) fn earlier(self, is_landed: bool) -> &'static str {
        match (is_landed, self) {
            (false, Self::Accept) => "rejected",
            (false, Self::Reject) => "accepted",
            (true, Self::Accept) => "to be reverted",
            (true, Self::Reject) => "kept",
        }
    }
}

/// A file of a proposal with answers that were not sent.
pub(super) struct FileReview<'p> {
    pub(super) proposal: &'p ProposalResult,
    pub(super) file: &'p AppliedFile,
    /// `true` if the changes have been made already.
    pub(super) is_landed: bool,
    answers: Vec<Answer>,
    comments: Vec<CommentEntry>,
    pub(super) progress: &'p mut Progress,
}

impl<'p> FileReview<'p> {
    /// Creates a review of the file at an index.
    pub(super) fn new(proposal: &'p ProposalResult, at: usize, progress: &'p mut Progress) -> Self {
        let (file, is_landed) = (&proposal.files[at], proposal.state == LANDED);
        // A hunk whose lines have changed since is edited again.
        let edited = |hunk: &Hunk| progress.edited(&hunk.id).filter(|_| hunk.state == "pending");
        let answer = |hunk| edited(hunk).map_or(Answer::Open, |text| Answer::Edited(text.to_owned()));
        let answers = file.entry.hunks.iter().map(answer).collect();
        Self { proposal, file, is_landed, answers, comments: Vec::new(), progress }
    }

    /// Returns `true` if there are answers to send at once. Edited lines are sent with the last one of the file.
    pub(super) fn has_answers(&self) -> bool {
        self.answers.iter().any(|answer| !matches!(answer, Answer::Open | Answer::Edited(_)))
    }

    /// Returns the ids of the hunks whose decision changes the file, unless their lines have just changed.
    pub(super) fn written(&self) -> Vec<String> {
        let written = if self.is_landed { Answer::Reject } else { Answer::Accept };
        let both = self.file.entry.hunks.iter().zip(&self.answers);
        both.filter(|(_, answer)| **answer == written).map(|(hunk, _)| hunk.id.clone()).collect()
    }

    /// Asks about the next open hunk.
    pub(super) fn ask_next(&mut self) -> Result<Next, CliError> {
        let hunks = &self.file.entry.hunks;
        let is_left = |at: &usize| {
            is_open(&hunks[*at])
                && self.answers[*at] == Answer::Open
                && !self.progress.is_skipped(&hunks[*at].id)
        };
        let Some(at) = (0..hunks.len()).find(is_left) else {
            // Edited lines wait for the other hunks of the file.
            let waits = self.answers.iter().any(|answer| matches!(answer, Answer::Edited(_)));
            let is_complete = waits && !self.has_open_beside_edits();
            return Ok(if is_complete { Next::Continue } else { Next::File });
        };
        if self.progress.shows(&hunks[at]) {
            let mut out = stream::stdout();
            show::heading(&mut out, (self.file, self.is_landed), &hunks[at], (at + 1, hunks.len()))?;
            show::hunk(&mut out, self.file, &hunks[at])?;
        }
        self.ask_about(at)
    }

    /// Returns `true` if a hunk with lines is neither decided nor edited.
    fn has_open_beside_edits(&self) -> bool {
        let mut both = self.file.entry.hunks.iter().zip(&self.answers);
        both.any(|(hunk, answer)| hunk.kind.is_none() && is_open(hunk) && *answer == Answer::Open)
    }

    fn ask_about(&mut self, at: usize) -> Result<Next, CliError> {
        let hunk = &self.file.entry.hunks[at];
        let is_touched = hunk.state == CONFLICTED;
        // A decision that would change lines which have changed since needs its own answer.
        let (may_accept, may_reject) = (!is_touched || self.is_landed, !is_touched || !self.is_landed);
        let Questions { question, answers } = Questions::about(self.is_landed, is_touched);
        loop {
            let Some(answer) = stream::ask_line(&format!("{HINT}{question}{HINT:#} "))? else {
                return Ok(Next::Quit);
            };
            let several = match answer.as_str() {
                "A" if may_accept => Some((Scope::Proposal, Rest::Accept)),
                "D" if may_reject => Some((Scope::Proposal, Rest::Reject)),
                "a" if may_accept => Some((Scope::File, Rest::Accept)),
                "d" if may_reject => Some((Scope::File, Rest::Reject)),
                _ => None,
            };
            if let Some((scope, rest)) = several {
                match self.ask_about_several(at, scope, rest)? {
                    None => continue,
                    Some(Earlier::Change) => return Ok(Next::Whole(self.decision_on_all(scope, rest))),
                    Some(Earlier::Stay) => {}
                }
                self.answer_rest(at, rest);
                return Ok(if scope == Scope::Proposal { Next::Rest(rest) } else { Next::Continue });
            }
            match answer.to_lowercase().as_str() {
                "t" if is_touched => self.answers[at] = Answer::Take,
                "y" | "yes" if may_accept => self.answers[at] = Answer::Accept,
                "n" | "no" if may_reject => self.answers[at] = Answer::Reject,
                "e" => match self.edited(hunk)? {
                    Some(answer) => self.answers[at] = answer,
                    None => continue,
                },
                "c" => {
                    if let Some(text) =
                        stream::ask_line("Comment for the author: ")?.filter(|text| !text.is_empty())
                    {
                        let path = Some(self.file.entry.path.clone());
                        self.comments.push(CommentEntry { path, hunk: Some(hunk.id.clone()), text });
                        return Ok(Next::Continue);
                    }
                    continue;
                }
                "s" => self.progress.skip(&hunk.id),
                "q" => return Ok(Next::Quit),
                _ => {
                    writeln!(stream::stdout(), "{FAINT}{answers}\n{COMMON}{FAINT:#}")?;
                    continue;
                }
            }
            return Ok(Next::Continue);
        }
    }

    /// Sets the answer of all unanswered hunks from `at` on. Conflicted hunks can only keep their current text this
    /// way, because overwriting it needs its own answer.
    pub(super) fn answer_rest(&mut self, at: usize, rest: Rest) {
        let both = self.answers.iter_mut().zip(&self.file.entry.hunks).skip(at);
        for (other, hunk) in both.filter(|(other, _)| **other == Answer::Open) {
            match rest {
                Rest::Accept if hunk.state == "pending" || self.is_landed && is_open(hunk) => {
                    *other = Answer::Accept;
                }
                Rest::Reject if hunk.state == "pending" || !self.is_landed && is_open(hunk) => {
                    *other = Answer::Reject;
                }
                _ => {}
            }
        }
    }

    /// Opens the new lines, which are the current ones of a landed change, in the person's editor. Returns `None` if they cannot be edited or were not
    /// changed.
    fn edited(&mut self, hunk: &Hunk) -> Result<Option<Answer>, CliError> {
        let created = created(&self.file.entry).filter(|_| hunk.before.is_none());
        let Some(new) = hunk.new_text.as_ref().or(created.as_ref()) else {
            writeln!(stream::stdout(), "This hunk has no lines to edit.")?;
            return Ok(None);
        };
        match in_editor(&self.file.entry.path, new) {
            Ok((text, _)) if text == *new => {
                writeln!(stream::stdout(), "Nothing was edited.")?;
                Ok(None)
            }
            Ok((text, _)) if hunk.old_text.as_ref() == Some(&text) => Ok(Some(Answer::Reject)),
            Ok((text, file)) => {
                self.progress.edit(&hunk.id, &text, file)?;
                Ok(Some(Answer::Edited(text)))
            }
            Err(problem) => {
                show::problem(&problem)?;
                Ok(None)
            }
        }
    }

    /// Returns the decision to send, or `None` if there are no answers. Returns an error if edited lines
    /// cannot be sent.
    pub(super) fn decision(self, context: &Context) -> Result<Option<Value>, String> {
        // Edited lines decide every hunk of the file, so they wait until all others are decided.
        let waits = self.has_open_beside_edits();
        let Self { file, is_landed, answers, comments, .. } = self;
        let is_edited = !waits && answers.iter().any(|answer| matches!(answer, Answer::Edited(_)));
        let is_unsent = |answer: &Answer| matches!(answer, Answer::Open | Answer::Edited(_));
        if !is_edited && answers.iter().all(is_unsent) && comments.is_empty() {
            return Ok(None);
        }
        let both = || file.entry.hunks.iter().zip(&answers);
        // The new content of an edited file decides its hunks with lines.
        let ids = |wanted: Answer| -> Vec<&str> {
            let named =
                both().filter(|(hunk, answer)| **answer == wanted && (!is_edited || hunk.kind.is_some()));
            named.map(|(hunk, _)| hunk.id.as_str()).collect()
        };
        let mut decision = json!({
            "accept": ids(Answer::Accept),
            "take": ids(Answer::Take),
            "reject": ids(Answer::Reject),
            "comment": comments,
        });
        if is_edited {
            let texts: Vec<_> = both().map(|(hunk, answer)| text(hunk, answer, is_landed)).collect();
            let whole = content(context, (file, is_landed), &texts)?;
            let entry = &file.entry;
            let (path, base) = (&entry.path, if is_landed { &entry.hash_after } else { &entry.hash_before });
            decision["replace"] = json!([{ "path": path, "baseHash": base, "content": whole }]);
        }
        Ok(Some(decision))
    }
}

pub(super) fn is_open(hunk: &Hunk) -> bool {
    matches!(hunk.state.as_str(), "pending" | CONFLICTED)
}

/// Returns the text that replaces the lines of a hunk, or `None` if they stay unchanged.
fn text<'a>(hunk: &'a Hunk, answer: &'a Answer, is_landed: bool) -> Option<&'a str> {
    match answer {
        Answer::Edited(text) => Some(text),
        Answer::Reject | Answer::Take if is_landed => hunk.old_text.as_deref(),
        // The hunk was rejected earlier.
        Answer::Open if is_landed && hunk.state == "rejected" => hunk.old_text.as_deref(),
        _ if is_landed => None,
        Answer::Accept | Answer::Take => hunk.new_text.as_deref(),
        // The hunk was accepted earlier.
        Answer::Open if hunk.state == "accepted" => hunk.new_text.as_deref(),
        Answer::Open | Answer::Reject => None,
    }
}

/// Opens a text in the person's editor. Returns the edited text and its file, or an error message.
fn in_editor(path: &str, text: &str) -> Result<(String, TempPath), String> {
    let name =
        Path::new(path).file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    // Removed when dropped. Only its owner can read it.
    let file = tempfile::Builder::new().prefix("editd-").suffix(&format!("-{name}")).tempfile();
    let file = file.and_then(|mut file| file.write_all(text.as_bytes()).map(|()| file.into_temp_path()));
    let file = file.map_err(|error| format!("the lines cannot be edited: {error}"))?;
    let editor = ["VISUAL", "EDITOR"]
        .into_iter()
        .find_map(|name| std::env::var(name).ok().filter(|it| !it.trim().is_empty()));
    let editor = editor.unwrap_or_else(|| "vi".to_owned());
    // Runs the editor in a shell, as git does, because the variable may contain arguments.
    let status =
        Command::new("sh").arg("-c").arg(format!("{editor} \"$@\"")).arg(&editor).arg(&file).status();
    match status {
        Ok(status) if status.success() => {
            let edited = std::fs::read_to_string(&file)
                .map_err(|error| format!("the lines cannot be read: {error}"))?;
            Ok((with_final_ending(text, edited), file))
        }
        Ok(status) => Err(format!("`{editor}` ended with {status}, so nothing was edited")),
        Err(error) => Err(format!("`{editor}` cannot be run: {error}")),
    }
}

/// Returns the text of a file that will be created, taken from its diff. Returns `None` for other changes,
/// and if the diff does not contain the whole text.
fn created(entry: &FileEntry) -> Option<String> {
    let hash = entry.hash_after.as_deref().filter(|_| entry.action == "create")?;
    let mut text: String = diff_body(&entry.diff).filter_map(|line| line.strip_prefix('+')).collect();
    if diff_body(&entry.diff).last().is_some_and(|line| line.starts_with('\\')) {
        text.pop();
    }
    (ContentHash::of(text.as_bytes()).to_string() == hash).then_some(text)
}

/// Returns the lines below the first header of a diff.
pub(super) fn diff_body(diff: &str) -> impl Iterator<Item = &str> {
    diff.split_inclusive('\n').skip_while(|line| !line.starts_with("@@")).skip(1)
}

/// Restores the original presence or absence of a final line ending, because editors add one.
fn with_final_ending(before: &str, mut edited: String) -> String {
    let ends = |text: &str| text.ends_with(['\n', '\r']);
    if !edited.is_empty() && ends(before) && !ends(&edited) {
        edited.push('\n');
    } else if !ends(before) && edited.ends_with('\n') {
        edited.pop();
    }
    edited
}

/// Returns the whole file with the lines of its hunks replaced by these texts.
fn content(
    context: &Context,
    (file, is_landed): (&AppliedFile, bool),
    texts: &[Option<&str>],
) -> Result<String, String> {
    let entry = &file.entry;
    let hash = if is_landed { &entry.hash_after } else { &entry.hash_before };
    let now = match hash.as_deref() {
        Some(hash) => text_with_hash(context, &entry.path, hash)?,
        None => String::new(),
    };
    let starts: Vec<usize> = lines(&now).map(|line| line.start).chain([now.len()]).collect();
    let at = |line: usize| starts.get(line).copied().unwrap_or(now.len());
    let (mut whole, mut copied) = (String::with_capacity(now.len()), 0);
    for (hunk, text) in entry.hunks.iter().zip(texts) {
        let is_text = hunk.kind.as_deref().is_none_or(|kind| kind == "create");
        let Some(text) = text.filter(|_| is_text) else { continue };
        let (first, count) = match hunk.kind {
            // The hunk of a new file names no lines.
            Some(_) if is_landed => (0, starts.len()),
            None if is_landed => (hunk.new_start, hunk.new_lines),
            _ => (hunk.old_start, hunk.old_lines),
        };
        let first = first.saturating_sub(usize::from(count > 0));
        let (start, end) = (at(first), at(first + count));
        if start < copied {
            return Err("two hunks now change the same lines; decide them without editing".to_owned());
        }
        whole.push_str(&now[copied..start]);
        whole.push_str(text);
        copied = end;
    }
    whole.push_str(&now[copied..]);
    Ok(whole)
}

/// Reads the text of a file. Returns an error if its content does not have this hash.
fn text_with_hash(context: &Context, path: &str, hash: &str) -> Result<String, String> {
    let target = root::of_file(Path::new(path)).map_err(|error| error.to_string())?;
    let mut client = Client::connect(&context.places, Role::Editor, context.spawn, Some(&target.root))
        .map_err(|error| error.to_string())?;
    let read = |params: &Value| client.call::<Read>(params);
    match whole_text(&target, hash, read).map_err(|error| error.to_string())? {
        None => Err("the file has changed in the meantime; review it again".to_owned()),
        Some(whole) if whole.is_truncated => {
            Err("the file has lines that are too long to edit here".to_owned())
        }
        Some(whole) => Ok(whole.text),
    }
}
