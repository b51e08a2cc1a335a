//! Texts with their syntax trees.

use std::ops::Range;

use tree_sitter::{InputEdit, Tree};

use super::errors::{self, SyntaxError};
use super::nearby::{FreeParts, nearby_parts};
use super::outline::outline_of;
use super::parse::{Budget, MAX_CHECK_TIME, MAX_TIME, parse_after};
use super::rename::{After, declared_in, mentions_in, rename_in};
use super::strings::string_lines_in;
use super::tree_edit::{edit, edits_of, followed};
use super::{
    Declared, Language, Mentions, NoSyntax, Outline, Rename, RenameRefusal, Renamed, SymbolChange,
    SymbolEdit, SymbolRefusal, edit_symbol,
};
use editd_edit::{Deadline, Plan, StringLines};

/// Maximum size of the declarations around a change, in bytes, that are parsed although a tree could be followed.
const SMALL_PART: usize = 4_000;

/// A text with its syntax tree, which is built when it is needed. The tree of a changed text is built from that of the
/// text before it, in a fraction of the time: only the surroundings of the changes are parsed again.
///
/// ```
/// use editd_edit::{Deadline, Plan, Splice};
/// use editd_syntax::{FreeParts, Language, ParsedText};
///
/// let mut before = ParsedText::new("def f():\n    return 1\n".to_owned(), Language::Python);
/// let splice = Splice { range: 20..21, text: "(2".to_owned() };
/// let mut after = before.changed(&Plan::new(before.text().len(), vec![splice]).unwrap());
/// assert_eq!(after.text(), "def f():\n    return (2\n");
/// let errors = after.new_errors(&mut before, &mut FreeParts::default(), Deadline::NONE);
/// assert_eq!(errors.unwrap()[0].line, 2);
/// ```
#[derive(Debug)]
pub struct ParsedText {
    language: Language,
    text: String,
    tree: KnownTree,
    /// The result of a rename that was found last, which is probably the next text.
    renamed: Option<After>,
}

/// The part of a tree that is known.
#[derive(Debug, Clone)]
enum KnownTree {
    None,
    /// The tree of an earlier text, moved along with the changes since then.
    Earlier(Tree),
    Current(Tree),
}

impl ParsedText {
    /// Creates a text without a tree.
    pub fn new(text: String, language: Language) -> Self {
        Self { language, text, tree: KnownTree::None, renamed: None }
    }

    /// Returns the result of a plan for this text.
    #[must_use]
    pub fn changed(&mut self, plan: &Plan) -> Self {
        let text = plan.apply(&self.text);
        if let Some((_, tree)) = self.renamed.take().filter(|(renamed, _)| *renamed == text) {
            return Self { language: self.language, text, tree: KnownTree::Current(tree), renamed: None };
        }
        if !plan.fits(&self.text) {
            return Self::new(text, self.language);
        }
        self.followed(text, |old, _| edits_of(old, plan.splices()))
    }

    /// Returns another version of this text.
    #[must_use]
    pub fn replaced(&self, text: String) -> Self {
        self.followed(text, |old, new| vec![edit(old, new)])
    }

    fn followed(&self, text: String, edits: impl FnOnce(&str, &str) -> Vec<InputEdit>) -> Self {
        let tree = match &self.tree {
            KnownTree::Earlier(tree) | KnownTree::Current(tree) => followed(tree, (&self.text, &text), edits),
            KnownTree::None => None,
        };
        let tree = tree.map_or(KnownTree::None, KnownTree::Earlier);
        Self { language: self.language, text, tree, renamed: None }
    }

    /// Returns the text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the language of the text.
    pub fn language(&self) -> Language {
        self.language
    }

    /// Returns `true` if the text, or an earlier one, is known to be free of syntax errors.
    fn is_free_of_errors(&self) -> bool {
        match &self.tree {
            KnownTree::None => false,
            KnownTree::Earlier(tree) | KnownTree::Current(tree) => !tree.root_node().has_error(),
        }
    }

    /// Parses the text, so that its tree is there when it is needed.
    pub fn parse(&mut self, deadline: Deadline) {
        // A text without a tree is parsed again when the tree is needed.
        let _ = self.tree(Budget::new(MAX_CHECK_TIME, deadline));
    }

    /// Returns the tree. A copy shares its nodes.
    fn tree(&mut self, budget: Budget) -> Result<Tree, NoSyntax> {
        let earlier = match &self.tree {
            KnownTree::Current(tree) => return Ok(tree.clone()),
            KnownTree::Earlier(tree) => Some(tree),
            KnownTree::None => None,
        };
        let tree = parse_after(earlier, &self.text, self.language, budget)?;
        self.tree = KnownTree::Current(tree.clone());
        Ok(tree)
    }

    /// Returns the syntax errors that `before` does not have, as [`new_errors`](super::new_errors) does. `free` knows
    /// parts of both texts without errors.
    pub fn new_errors(
        &mut self,
        before: &mut Self,
        free: &mut FreeParts,
        deadline: Deadline,
    ) -> Option<Vec<SyntaxError>> {
        let nearby = nearby_parts(&before.text, &self.text);
        let nearby = nearby.map(|[old, new]| [range_in(&before.text, old), range_in(&self.text, new)]);
        let found = self.errors_of_trees(before, nearby.as_ref(), free, deadline)?;
        let nearby = nearby.map(|[old, new]| [&before.text[old], &self.text[new]]);
        Some(errors::with_indentation(found, (&before.text, &self.text), nearby, self.language))
    }

    fn errors_of_trees(
        &mut self,
        before: &mut Self,
        nearby: Option<&[Range<usize>; 2]>,
        free: &mut FreeParts,
        deadline: Deadline,
    ) -> Option<Vec<SyntaxError>> {
        let budget = || Budget::new(MAX_CHECK_TIME, deadline);
        let language = self.language;
        // Of a text without errors, following the tree is faster than parsing large parts.
        let is_small = nearby.is_some_and(|parts| parts.iter().all(|part| part.len() <= SMALL_PART));
        let is_followed = before.is_free_of_errors() && !is_small;
        let mut are_free = |before: &Self, after: &Self| {
            let parts = nearby.cloned().map(|[old, new]| [&before.text[old], &after.text[new]]);
            parts.is_some_and(|parts| free.contain(parts, language, deadline))
        };
        if !is_followed && are_free(before, self) {
            return Some(Vec::new());
        }
        let tree = self.tree(budget()).ok()?;
        if !tree.root_node().has_error() || is_followed && are_free(before, self) {
            return Some(Vec::new());
        }
        let (trees, texts) =
            ((&before.tree(budget()).ok()?, &tree), (before.text.as_str(), self.text.as_str()));
        let found = errors::compared(texts, trees, self.language, deadline);
        if found.is_empty() {
            return Some(found);
        }
        // A parser that takes over parts of an earlier tree may recover from an error elsewhere.
        errors::new_errors_of_whole(texts.0, texts.1, self.language, deadline)
    }

    /// Returns the places of a rename, as [`rename`](super::rename()) does.
    pub fn rename(
        &mut self,
        wanted: &Rename,
        deadline: Deadline,
    ) -> Result<Result<Renamed, RenameRefusal>, NoSyntax> {
        let budget = Budget::new(MAX_TIME, deadline);
        let tree = self.tree(budget)?;
        let found = rename_in(&self.text, &tree, self.language, wanted, budget)?;
        Ok(found.map(|(renamed, after)| {
            self.renamed = Some(after);
            renamed
        }))
    }

    /// Returns the changes that edits of symbols make, each as [`edit_symbol`] does, and with the places of a rename.
    pub fn edit_symbols<'e>(
        &mut self,
        edits: impl IntoIterator<Item = &'e SymbolEdit>,
        deadline: Deadline,
    ) -> Result<Vec<Result<SymbolChange, SymbolRefusal>>, NoSyntax> {
        let outline = self.outline(deadline)?;
        edits.into_iter().map(|edit| self.edit_symbol(&outline, edit, deadline)).collect()
    }

    fn edit_symbol(
        &mut self,
        outline: &Outline,
        edit: &SymbolEdit,
        deadline: Deadline,
    ) -> Result<Result<SymbolChange, SymbolRefusal>, NoSyntax> {
        let change = match edit_symbol(&self.text, outline, edit) {
            Ok(change) => change,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let Some(wanted) = &change.wanted else { return Ok(Ok(change)) };
        let uses = self.rename(wanted, deadline)?;
        Ok(uses.map(|uses| change.with_uses(uses)).map_err(SymbolRefusal::from))
    }

    /// Returns how other files can name a symbol, as [`declared`](super::declared) does.
    pub fn declared(&mut self, wanted: &Rename, deadline: Deadline) -> Result<Declared, NoSyntax> {
        let budget = Budget::new(MAX_TIME, deadline);
        let tree = self.tree(budget)?;
        declared_in((&self.text, &tree, self.language), wanted, budget)
    }

    /// Finds the places with the name of a symbol of another file, as [`mentions`](super::mentions) does.
    pub fn mentions(&mut self, declared: &Declared, deadline: Deadline) -> Result<Mentions, NoSyntax> {
        let budget = Budget::new(MAX_TIME, deadline);
        let tree = self.tree(budget)?;
        mentions_in((&self.text, &tree, self.language), declared, budget)
    }

    /// Returns the lines that begin inside a string, as [`string_lines`](super::string_lines) does.
    pub fn string_lines(&mut self, deadline: Deadline) -> Result<Vec<StringLines>, NoSyntax> {
        let budget = Budget::new(MAX_TIME, deadline);
        let tree = self.tree(budget)?;
        string_lines_in(&self.text, &tree, budget)
    }

    /// Returns the symbols of the text, as [`outline`](super::outline()) does.
    pub fn outline(&mut self, deadline: Deadline) -> Result<Outline, NoSyntax> {
        let budget = Budget::new(MAX_TIME, deadline);
        let tree = self.tree(budget)?;
        outline_of(&self.text, &tree, self.language, budget)
    }
}

/// Returns the range of a part of a text.
fn range_in(text: &str, part: &str) -> Range<usize> {
    let start = part.as_ptr() as usize - text.as_ptr() as usize;
    start..start + part.len()
}

#[cfg(test)]
mod tests;
