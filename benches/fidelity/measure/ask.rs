//! The request for a change, as a model writes it.

use std::ops::Range;

use editd_edit::{Edit, Options};

use super::change::{self, Change, Part, is_unique};
use super::plain::{count, lf};
use super::rng::Rng;
use super::sources::File;

/// A line of a request. A kept line is in both texts, possibly with different content.
#[derive(Clone, Debug)]
pub(crate) struct AskLine {
    pub(crate) part: Part,
    pub(crate) old: String,
    pub(crate) new: String,
}

#[derive(Clone, Debug)]
pub(crate) struct Ask {
    pub(crate) lines: Vec<AskLine>,
    /// `true` if both texts end with a line ending.
    pub(crate) ended: bool,
}

impl Ask {
    /// Returns the exact request for a change.
    pub(crate) fn verbatim(rng: &mut Rng, change: &Change) -> Self {
        let line = |step: &change::Step| AskLine {
            part: step.part,
            old: if step.part == Part::Put { String::new() } else { step.text.clone() },
            new: if step.part == Part::Cut { String::new() } else { step.text.clone() },
        };
        let empty = change.count(Part::Keep) + change.count(Part::Put) == 0;
        Self { lines: change.steps.iter().map(line).collect(), ended: empty || rng.percent(40) }
    }

    pub(crate) fn old_lines(&self) -> Vec<&str> {
        self.lines.iter().filter(|line| line.part != Part::Put).map(|line| line.old.as_str()).collect()
    }

    pub(crate) fn new_lines(&self) -> Vec<&str> {
        self.lines.iter().filter(|line| line.part != Part::Cut).map(|line| line.new.as_str()).collect()
    }

    pub(crate) fn old_text(&self) -> String {
        self.text(&self.old_lines())
    }

    pub(crate) fn new_text(&self) -> String {
        self.text(&self.new_lines())
    }

    fn text(&self, lines: &[&str]) -> String {
        let end = if self.ended && !lines.is_empty() { "\n" } else { "" };
        lines.join("\n") + end
    }

    pub(crate) fn edit(&self) -> Edit {
        Edit::new(self.old_text(), self.new_text())
    }

    /// Returns `true` if both texts begin and end with non-blank lines, so that a blank line there is
    /// surplus.
    pub(crate) fn has_firm_edges(&self) -> bool {
        let firm = |line: Option<&&str>| line.is_some_and(|line| !line.trim().is_empty());
        [self.old_lines(), self.new_lines()].iter().all(|lines| firm(lines.first()) && firm(lines.last()))
    }

    /// Rewords every line of the old text.
    pub(crate) fn map_old(&mut self, mut to: impl FnMut(&str) -> String) {
        for line in self.lines.iter_mut().filter(|line| line.part != Part::Put) {
            line.old = to(&line.old);
        }
    }

    /// Rewords every line of the new text.
    pub(crate) fn map_new(&mut self, mut to: impl FnMut(&str) -> String) {
        for line in self.lines.iter_mut().filter(|line| line.part != Part::Cut) {
            line.new = to(&line.new);
        }
    }

    /// Rewords every line of both texts in the same way.
    pub(crate) fn map_both(&mut self, to: impl Fn(&str) -> String) {
        self.map_old(&to);
        self.map_new(&to);
    }

    /// Replaces a kept line in both texts.
    pub(crate) fn misremember(&mut self, at: usize, text: &str) {
        text.clone_into(&mut self.lines[at].old);
        text.clone_into(&mut self.lines[at].new);
    }

    /// Returns the kept lines, for kinds that alter only context.
    pub(crate) fn kept(&self) -> Vec<usize> {
        (0..self.lines.len()).filter(|&at| self.lines[at].part == Part::Keep).collect()
    }

    /// Returns kept lines between two kept lines: neither at the edge of the block nor next to a change.
    pub(crate) fn sheltered(&self) -> Vec<usize> {
        let keeps = |at: usize| self.lines[at].part == Part::Keep && !self.lines[at].old.trim().is_empty();
        (1..self.lines.len().saturating_sub(1)).filter(|&at| (at - 1..=at + 1).all(keeps)).collect()
    }
}

/// Expected outcome of a case.
#[derive(Clone, Debug)]
pub(crate) enum Outcome {
    /// The expected text. Only `lines` of the base may change; a change elsewhere is in a wrong location.
    Becomes {
        text: String,
        lines: Vec<Range<usize>>,
    },
    /// The expected text or a refusal, if both are reasonable.
    BecomesOrRefused {
        text: String,
        lines: Vec<Range<usize>>,
    },
    Refused,
}

/// A request with its expected outcome.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) base: String,
    pub(crate) edits: Vec<Edit>,
    pub(crate) options: Options,
    pub(crate) outcome: Outcome,
    /// The text that was meant by a request that must be refused, if it is known.
    pub(crate) meant: Option<String>,
}

impl Case {
    pub(crate) fn refused(base: String, edits: Vec<Edit>) -> Self {
        Self { base, edits, options: Options::default(), outcome: Outcome::Refused, meant: None }
    }

    /// Adds the text that was meant by a request that must be refused.
    pub(crate) fn meaning(self, file: &File, change: &Change) -> Self {
        Self { meant: change::result(file, std::slice::from_ref(change)), ..self }
    }

    /// Allows a refusal as well.
    pub(crate) fn or_refused(self) -> Self {
        let outcome = match self.outcome {
            Outcome::Becomes { text, lines } => Outcome::BecomesOrRefused { text, lines },
            other => other,
        };
        Self { outcome, ..self }
    }

    /// Returns the case of one change whose request differs from the file's text. Returns `None` if the
    /// request matches literally after all, or if the block occurs more than once.
    pub(crate) fn tolerated(file: &File, change: &Change, ask: &Ask) -> Option<Self> {
        Self::tolerated_as(file, change, ask, &ask.old_text())
    }

    /// Like [`Case::tolerated`], with an old text that was altered as a whole.
    pub(crate) fn tolerated_as(file: &File, change: &Change, ask: &Ask, old: &str) -> Option<Self> {
        let literal = count(&lf(&file.text()), &lf(old)) > 0;
        if literal || ask.old_text() == ask.new_text() || !is_unique(file, change) || !change.is_clear() {
            return None;
        }
        Self::becomes(file, std::slice::from_ref(change), vec![Edit::new(old, ask.new_text())])
    }

    /// Returns the case of a change that is partly applied in `done` already.
    pub(crate) fn tolerated_in(done: &File, file: &File, change: &Change, ask: &Ask) -> Option<Self> {
        let there = count(&lf(&done.text()), &lf(&ask.old_text())) > 0;
        let case = Self::becomes(file, std::slice::from_ref(change), vec![ask.edit()])?;
        (!there && is_unique(file, change)).then(|| Self { base: done.text(), ..case })
    }

    /// Returns the case of changes with valid requests. Returns `None` if a single blank line should remain,
    /// because an empty new text deletes the lines.
    pub(crate) fn becomes(file: &File, changes: &[Change], edits: Vec<Edit>) -> Option<Self> {
        let stays = |change: &Change| change.count(Part::Keep) + change.count(Part::Put) > 0;
        let is_open = |edit: &Edit| edit.new.is_empty() && !edit.old.ends_with('\n');
        if edits.iter().any(is_open) && changes.iter().any(stays) {
            return None;
        }
        let text = change::result(file, changes)?;
        let lines = changes.iter().map(Change::lines).collect();
        let outcome = Outcome::Becomes { text, lines };
        Some(Self { base: file.text(), edits, options: Options::default(), outcome, meant: None })
    }
}
