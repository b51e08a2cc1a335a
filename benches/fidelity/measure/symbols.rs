//! Edits of symbols by their names, in real files.
//!
//! The functions of a file are found by its layout (`layout.rs`), without a parser, and only where the layout
//! leaves no doubt. The expected bytes are those of lines that are replaced, inserted or removed.

pub(crate) mod layout;
mod ops;
pub(crate) mod texts;

use std::ops::Range;

use editd_edit::{Deadline, Plan};
use editd_syntax::{Language, SymbolEdit, SymbolOp, edit_symbol, outline};

use super::ask::Outcome;
use super::judge::Judge;
use super::kinds::{Kind, kinds};
use super::meant::{self, Hunk};
use super::plain::{indent, renamed};
use super::rng::Rng;
use super::sources::{File, in_unit};
use super::vocabulary::{noun, number, verb};
use layout::{Function, mentions};

kinds! {
    Kind<Case>;
    ops: replaced_whole replaced_declaration replaced_without_indentation replaced_with_other_indentation
        replaced_in_crlf body_replaced body_without_indentation inserted_before inserted_after
        inserted_without_indentation deleted renamed_here named_by_path named_by_line named_by_ordinal constructor_by_line
        unknown_name ambiguous_name error_inside;
}

#[derive(Clone, Debug)]
pub(crate) struct Case {
    text: String,
    language: Language,
    edit: SymbolEdit,
    outcome: Outcome,
}

impl Judge for Case {
    fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    fn text(&self) -> &str {
        &self.text
    }

    fn run(&self) -> Result<Plan, String> {
        let outline =
            outline(&self.text, self.language, Deadline::NONE).map_err(|error| format!("{error:?}"))?;
        let name = |refusal: editd_syntax::SymbolRefusal| -> &'static str { (&refusal).into() };
        let change =
            edit_symbol(&self.text, &outline, &self.edit).map_err(|refusal| name(refusal).to_owned())?;
        Plan::new(self.text.len(), change.splices).map_err(|error| format!("{error:?}"))
    }

    fn request(&self) -> String {
        let SymbolEdit { symbol, op, new, .. } = &self.edit;
        format!("---- {:?}: {op:?} {symbol}\n{new}\n", self.language)
    }
}

/// A function of a file, with the reference that a request uses.
struct Drawn {
    language: Language,
    file: File,
    all: Vec<Function>,
    one: Function,
    reference: String,
}

/// Draws a function whose name is unique in its file.
fn drawn(rng: &mut Rng) -> Option<Drawn> {
    let text = texts::text(rng);
    let one = rng.pick(&text.functions).clone();
    let lines: Vec<&str> = text.file.lines.iter().map(|line| line.text.as_str()).collect();
    let (all, called) = mentions(&lines, &one.name);
    let alone = text.functions.iter().filter(|other| other.name == one.name).count() == 1;
    let reference = one.name.clone();
    let (language, file) = (text.language, text.file.clone());
    // Another declaration of the name is no call.
    let unique = alone && all == called && declarations(&lines, &one.name) == 1;
    (unique && one.whole.len() <= 60).then(|| Drawn {
        language,
        file,
        all: text.functions.clone(),
        one,
        reference,
    })
}

/// Returns the number of lines that may declare a name.
pub(crate) fn declarations(lines: &[&str], name: &str) -> usize {
    let starts = ["fn ", "def ", "function ", "func ", "macro_rules! ", ") ", "class ", "struct ", "mod "];
    let declares = |line: &&&str| {
        starts.iter().any(|start| line.contains(&format!("{start}{name}")))
            || line.trim_start().starts_with(name)
            || line.trim_end().ends_with('{') && line.contains(&format!("{name}("))
            || line.contains(&format!("{name}("))
                && !line.contains(['.', '='])
                && line.trim_end().ends_with(')')
    };
    lines.iter().filter(declares).count()
}

impl Drawn {
    fn text(&self, at: usize) -> &str {
        &self.file.lines[at].text
    }

    fn texts(&self, lines: Range<usize>) -> Vec<String> {
        self.file.lines[lines].iter().map(|line| line.text.clone()).collect()
    }

    fn depth(&self) -> &str {
        indent(self.text(self.one.head))
    }

    fn declaration(&self) -> Range<usize> {
        self.one.head..self.one.whole.end
    }

    /// Returns a statement that fits into the body, with its indentation.
    fn statement(&self, rng: &mut Rng) -> String {
        let end = match self.language {
            Language::Python | Language::Lua | Language::Go => "",
            _ => ";",
        };
        let depth = indent(self.text(self.one.body.start));
        format!("{depth}{}_{}({}){end}", verb(rng), noun(rng), number(rng))
    }

    /// Returns the lines of the body with a new statement at the start.
    fn new_body(&self, rng: &mut Rng) -> Vec<String> {
        [vec![self.statement(rng)], self.texts(self.one.body.clone())].concat()
    }

    /// Returns lines of the function with a new statement at the start of the body.
    fn with_statement(&self, rng: &mut Rng, lines: Range<usize>) -> Vec<String> {
        let mut new = self.texts(lines.clone());
        new.insert(self.one.body.start - lines.start, self.statement(rng));
        new
    }

    /// Returns another function: the declaration with another name.
    fn other(&self, rng: &mut Rng) -> Vec<String> {
        let mut new = self.texts(self.declaration());
        let last = self.one.name.rsplit('.').next().unwrap_or_default();
        new[0] = renamed(&new[0], last, &format!("{}_{}", verb(rng), noun(rng)));
        new
    }

    /// Returns the number of blank lines to the next function, or to the one before it, in the same block.
    fn gap(&self, after: bool) -> Option<usize> {
        let blank = |at: &usize| self.text(*at).trim().is_empty();
        let whole = &self.one.whole;
        let beside = if after {
            let gap = (whole.end..self.file.lines.len()).take_while(blank).count();
            (gap, self.all.iter().find(|other| other.whole.start == whole.end + gap)?)
        } else {
            let gap = (0..whole.start).rev().take_while(blank).count();
            (gap, self.all.iter().find(|other| other.whole.end + gap == whole.start)?)
        };
        (indent(self.text(beside.1.head)) == self.depth()).then_some(beside.0)
    }

    fn case(&self, op: SymbolOp, new: &[String], hunk: Hunk) -> Option<Case> {
        let around = hunk.lines.start.saturating_sub(1)..hunk.lines.end + 1;
        let lines = Vec::from_iter([around]);
        let text = meant::changed(&self.file, &[hunk])?.text();
        let outcome = Outcome::Becomes { text, lines };
        Some(Case { outcome, ..self.refused(&self.reference, op, new) })
    }

    fn refused(&self, reference: &str, op: SymbolOp, new: &[String]) -> Case {
        let edit = SymbolEdit::new(reference, op, new.join("\n") + "\n");
        Case { text: self.file.text(), language: self.language, edit, outcome: Outcome::Refused }
    }

    /// Returns lines without the indentation of the function. Returns `None` if one of them is less deep.
    fn bare(&self, lines: &[String]) -> Option<Vec<String>> {
        let line = |line: &String| match line.strip_prefix(self.depth()) {
            _ if line.trim().is_empty() => Some(line.clone()),
            rest => rest.map(str::to_owned),
        };
        lines.iter().map(line).collect()
    }
}
