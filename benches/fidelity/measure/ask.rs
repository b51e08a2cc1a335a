//! The request for a change, as a model words it.

use std::ops::Range;

use editd::edit::{Edit, Options};

use super::change::{self, Change, Part, is_unique};
use super::plain::{count, lf};
use super::rng::Rng;
use super::sources::File;

/// A line of a request. A kept one stands in both texts, and may read differently there.
#[derive(Clone, Debug)]
pub(crate) struct AskLine {
    pub(crate) part: Part,
    pub(crate) old: String,
    pub(crate) new: String,
}

#[derive(Clone, Debug)]
pub(crate) struct Ask {
    pub(crate) lines: Vec<AskLine>,
    /// Whether both texts end with a line end.
    pub(crate) ended: bool,
}

impl Ask {
    /// The request that says it as it is.
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

    /// Whether both texts begin and end with words, so that a blank line there is one too many.
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

    /// Rewords a kept line in both texts.
    pub(crate) fn misremember(&mut self, at: usize, text: &str) {
        text.clone_into(&mut self.lines[at].old);
        text.clone_into(&mut self.lines[at].new);
    }

    /// Lines that are kept, for those kinds that touch context only.
    pub(crate) fn kept(&self) -> Vec<usize> {
        (0..self.lines.len()).filter(|&at| self.lines[at].part == Part::Keep).collect()
    }

    /// Kept lines between two kept lines: neither at the block's edge nor beside a change.
    pub(crate) fn sheltered(&self) -> Vec<usize> {
        let keeps = |at: usize| self.lines[at].part == Part::Keep && !self.lines[at].old.trim().is_empty();
        (1..self.lines.len().saturating_sub(1)).filter(|&at| (at - 1..=at + 1).all(keeps)).collect()
    }
}

/// What must come of a case.
#[derive(Clone, Debug)]
pub(crate) enum Outcome {
    /// These bytes. Lines of the base are what may change on the way; all else is another place.
    Becomes {
        text: String,
        lines: Vec<Range<usize>>,
    },
    /// These bytes or a refusal: careful people would differ on which, but nothing else may come out.
    BecomesOrRefused {
        text: String,
        lines: Vec<Range<usize>>,
    },
    Refused,
}

/// One request with what must come of it.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) base: String,
    pub(crate) edits: Vec<Edit>,
    pub(crate) options: Options,
    pub(crate) outcome: Outcome,
}

impl Case {
    pub(crate) fn refused(base: String, edits: Vec<Edit>) -> Self {
        Self { base, edits, options: Options::default(), outcome: Outcome::Refused }
    }

    /// The case with a refusal as good as the bytes.
    pub(crate) fn or_refused(self) -> Self {
        let outcome = match self.outcome {
            Outcome::Becomes { text, lines } => Outcome::BecomesOrRefused { text, lines },
            other => other,
        };
        Self { outcome, ..self }
    }

    /// The case of one change that a request asks for in other words than the file's. Nothing if the
    /// words are the file's after all, or if the block stands in more than one place.
    pub(crate) fn tolerated(file: &File, change: &Change, ask: &Ask) -> Option<Self> {
        Self::tolerated_as(file, change, ask, &ask.old_text())
    }

    /// The same, where the old text is reworded as a whole.
    pub(crate) fn tolerated_as(file: &File, change: &Change, ask: &Ask, old: &str) -> Option<Self> {
        let literal = count(&lf(&file.text()), &lf(old)) > 0;
        if literal || ask.old_text() == ask.new_text() || !is_unique(file, change) || !change.is_clear() {
            return None;
        }
        Self::becomes(file, std::slice::from_ref(change), vec![Edit::new(old, ask.new_text())])
    }

    /// The case of a change of which `done` has a part already.
    pub(crate) fn tolerated_in(done: &File, file: &File, change: &Change, ask: &Ask) -> Option<Self> {
        let there = count(&lf(&done.text()), &lf(&ask.old_text())) > 0;
        let case = Self::becomes(file, std::slice::from_ref(change), vec![ask.edit()])?;
        (!there && is_unique(file, change)).then(|| Self { base: done.text(), ..case })
    }

    /// The case of changes whose requests are known to be good. Nothing where one blank line is to stay: a new
    /// text of nothing says that the lines go.
    pub(crate) fn becomes(file: &File, changes: &[Change], edits: Vec<Edit>) -> Option<Self> {
        let stays = |change: &Change| change.count(Part::Keep) + change.count(Part::Put) > 0;
        let is_open = |edit: &Edit| edit.new.is_empty() && !edit.old.ends_with('\n');
        if edits.iter().any(is_open) && changes.iter().any(stays) {
            return None;
        }
        let text = change::result(file, changes)?;
        let lines = changes.iter().map(Change::lines).collect();
        let outcome = Outcome::Becomes { text, lines };
        Some(Self { base: file.text(), edits, options: Options::default(), outcome })
    }
}
