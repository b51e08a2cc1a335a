//! Renames of symbols with their uses in the same text.
//!
//! A walk (`walk`) finds all identifiers with the old and the new name and tells by the tables of the language
//! (`names`) which of them declare, use or label something, and in which scopes. `decide` selects those that mean the
//! symbol. Everything else is left and reported. `elsewhere` does the same for files that do not declare the symbol.

mod decide;
mod elsewhere;
mod found;
mod names;
mod table;
mod types;
mod walk;

use std::ops::Range;

use serde::{Deserialize, Serialize};
use tree_sitter::{Node, Tree};

use super::lines::Lines;
use super::parse::{Budget, MAX_TIME, next_beside, parse, parse_after};
use super::tree_edit::{edits_of, followed};
use super::{Language, NoSyntax, SymbolKind};
use editd_edit::{Deadline, Plan, Splice};
pub use elsewhere::{Declared, Mentions, OtherFile, Reach, declared, is_family, mentions, settle};
pub(super) use elsewhere::{declared_in, mentions_in};
use found::Shorthand;
pub use found::Why;

/// A rename of a symbol and its uses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rename {
    /// Bytes of the name in the declaration.
    pub name: Range<usize>,
    /// Kind of the symbol.
    pub kind: SymbolKind,
    /// New name.
    pub new: String,
    /// Also renames whole words in comments and strings.
    pub comments: bool,
    /// Other files are renamed, too, so that they import the new name.
    pub elsewhere: bool,
}

/// The changes that a rename makes, and the places that it leaves.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Renamed {
    /// Old name.
    pub old: String,
    /// New name.
    pub new: String,
    /// Changes of the text, sorted and disjoint, one for each renamed place.
    pub splices: Vec<Splice>,
    /// Starts of member accesses among them that were renamed because no other type of the text has such a member.
    pub by_name: Vec<usize>,
    /// Starts of the places that are left, in the order of the text, with the reason.
    pub left: Vec<(usize, Why)>,
    /// A type of the text, and one outside of it from which it inherits and which may have the member, too.
    pub inherits: Option<(String, String)>,
}

/// The reason why a rename is refused. Nothing is changed then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum RenameRefusal {
    /// The uses of a name cannot be known in this language.
    #[error("the uses of a name cannot be known in {language}")]
    NotOffered {
        /// The language.
        language: Language,
    },
    /// The text has a syntax error, so its scopes are uncertain.
    #[error("the file has a syntax error in line {line}")]
    Broken {
        /// Line of the error.
        line: usize,
    },
    /// The new name is declared already in the same place.
    #[error("the new name is declared or used already in line {line}")]
    Taken {
        /// Line of the other declaration.
        line: usize,
    },
    /// At a use, the new name would mean something else.
    #[error("in line {line}, the new name would mean what line {by} declares")]
    Captured {
        /// Line of the use.
        line: usize,
        /// Line of the other declaration.
        by: usize,
    },
    /// The new name is used for something else that would be hidden.
    #[error("line {line} already uses the new name for something else")]
    Hidden {
        /// Line of the use.
        line: usize,
    },
    /// The new name is a keyword.
    #[error("the new name is a keyword")]
    Keyword,
    /// With the new name, the text would be read differently.
    #[error("with the new name, line {line} would be read differently")]
    Reread {
        /// First line that would be read differently.
        line: usize,
    },
    /// It is not certain what belongs to the symbol.
    #[error("{reason} (line {line})")]
    Unclear {
        /// Line of what makes it unclear.
        line: usize,
        /// Reason.
        reason: Unclear,
    },
}

impl RenameRefusal {
    /// Returns the line of what stands in the way.
    pub fn line(&self) -> Option<usize> {
        match *self {
            Self::NotOffered { .. } | Self::Keyword => None,
            Self::Broken { line }
            | Self::Taken { line }
            | Self::Captured { line, .. }
            | Self::Hidden { line }
            | Self::Reread { line }
            | Self::Unclear { line, .. } => Some(line),
        }
    }
}

/// The reason why it is not certain what belongs to a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, strum::Display)]
pub enum Unclear {
    /// The syntax does not show where the name is visible.
    #[strum(to_string = "the syntax does not show where the name is visible")]
    Declaration,
    /// A constructor has the name of its type, or a fixed one.
    #[strum(to_string = "a constructor has the name of its type, or a fixed one")]
    Constructor,
    /// The member implements or overrides one of a type outside of the file.
    #[strum(to_string = "the member implements or overrides one that is declared elsewhere")]
    Implements,
    /// The language gives the name a meaning.
    #[strum(to_string = "the language gives the name a meaning")]
    Special,
    /// An import declares the same name.
    #[strum(to_string = "an import declares the same name")]
    Import,
    /// A function has a variable with this name, which the functions that it calls see, too.
    #[strum(
        to_string = "a function has a variable with this name, which the functions that it calls see, too"
    )]
    Dynamic,
}

/// Renames a symbol and its uses in a text. Returns the changes, or the reason why they are refused.
///
/// An identifier is renamed only if the syntax shows that it means the symbol; the others with the name are listed,
/// and so are its whole words in comments and strings, unless these are renamed, too. Member accesses whose object
/// the syntax does not show are renamed if no other type of the text has a member with the name, and listed, too.
///
/// ```
/// use editd_edit::{Deadline, Plan};
/// use editd_syntax::{Language, Rename, SymbolKind, rename};
///
/// let text = "def total(x):\n    return x\n\ndef other(total):\n    return total\n\nprint(total(1))\n";
/// let wanted = Rename { name: 4..9, kind: SymbolKind::Function, new: "sum_of".to_owned(), comments: false, elsewhere: false };
/// let renamed = rename(text, Language::Python, &wanted, Deadline::NONE)?.unwrap();
/// let after = Plan::new(text.len(), renamed.splices).unwrap().apply(text);
/// assert_eq!(after, "def sum_of(x):\n    return x\n\ndef other(total):\n    return total\n\nprint(sum_of(1))\n");
/// assert_eq!(renamed.left.len(), 2);
/// # Ok::<(), editd_syntax::NoSyntax>(())
/// ```
pub fn rename(
    text: &str,
    language: Language,
    wanted: &Rename,
    deadline: Deadline,
) -> Result<Result<Renamed, RenameRefusal>, NoSyntax> {
    let budget = Budget::new(MAX_TIME, deadline);
    let tree = parse(text, language, budget)?;
    Ok(rename_in(text, &tree, language, wanted, budget)?.map(|(renamed, _)| renamed))
}

/// The text after a rename, with its tree.
pub(super) type After = (String, Tree);

/// Renames a symbol in a text with this tree, as [`rename`] does. Also returns the result.
pub(super) fn rename_in(
    text: &str,
    tree: &Tree,
    language: Language,
    wanted: &Rename,
    budget: Budget,
) -> Result<Result<(Renamed, After), RenameRefusal>, NoSyntax> {
    let Some(names) = names::names(language) else { return Ok(Err(RenameRefusal::NotOffered { language })) };
    let Some(old) = text.get(wanted.name.clone()).map(str::to_owned) else { return Err(NoSyntax::Failed) };
    let lines = Lines::new(text);
    if let Some(error) = first_error(tree) {
        return Ok(Err(RenameRefusal::Broken { line: lines.of(error) + 1 }));
    }
    let is_member_like = wanted.new.starts_with('#');
    // A member of JavaScript can have the name of a keyword.
    let declared = tree.root_node().descendant_for_byte_range(wanted.name.start, wanted.name.end);
    let is_free = declared.is_some_and(|node| node.kind() == "property_identifier")
        || names.soft_keywords.contains(&wanted.new.as_str());
    let is_keyword = names.values.contains(&wanted.new.as_str()) || is_keyword(language, &wanted.new);
    if is_keyword && !is_free || is_member_like != old.starts_with('#') {
        return Ok(Err(RenameRefusal::Keyword));
    }
    let mut walked = walk::walk(text, tree, names, (&old, &wanted.new), budget)?;
    let decided = match decide::decide(&mut walked, &wanted.name, wanted.kind) {
        Ok(decided) => decided,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let start = |at: usize| walked.found[at].range.start;
    let mut splices: Vec<Splice> = Vec::new();
    let mut expanded = Vec::new();
    for &at in &decided.renamed {
        let found = &walked.found[at];
        if found.is_element && lowers(&old, &wanted.new) {
            return Ok(Err(RenameRefusal::Reread { line: walked.line(found.range.start) }));
        }
        let text = match found.shorthand {
            Some(Shorthand::Export) if wanted.elsewhere => wanted.new.clone(),
            Some(shorthand) => {
                expanded.push(found.range.start);
                written(shorthand, &old, &wanted.new, text[found.range.end..].trim_start())
            }
            None => wanted.new.clone(),
        };
        splices.push(Splice { range: found.range.clone(), text });
    }
    let mut left: Vec<(usize, Why)> = decided.left.iter().map(|&(at, why)| (start(at), why)).collect();
    let identifiers: Vec<usize> =
        walked.found.iter().filter(|found| !found.is_new).map(|it| it.range.start).collect();
    for at in words(text, &old) {
        if identifiers.binary_search(&at).is_ok() {
            continue;
        }
        let why = why_no_name(tree, at, old.len());
        if why == Why::Text && wanted.comments {
            splices.push(Splice { range: at..at + old.len(), text: wanted.new.clone() });
        } else {
            left.push((at, why));
        }
    }
    splices.sort_by_key(|splice| splice.range.start);
    left.sort_unstable();
    let after = after(text, tree, language, &splices, budget)?;
    if let Some(at) = reread((tree, &after.1), &expanded, budget)? {
        return Ok(Err(RenameRefusal::Reread { line: lines.of(at) + 1 }));
    }
    let by_name = decided.by_name.iter().map(|&at| start(at)).collect();
    let (new, inherits) = (wanted.new.clone(), decided.inherits);
    Ok(Ok((Renamed { old, new, splices, by_name, left, inherits }, after)))
}

/// Returns the text of a name that stands for a member and a variable, with the new name for the variable. `behind` is
/// the text that follows.
fn written(shorthand: Shorthand, old: &str, new: &str, behind: &str) -> String {
    match shorthand {
        Shorthand::Pair => format!("{old}: {new}"),
        // It has another name for other files already.
        Shorthand::Export if behind.starts_with("as") => new.to_owned(),
        Shorthand::Export => format!("{new} as {old}"),
    }
}

/// Returns `true` if a component of JSX would become an element of HTML, or the other way.
fn lowers(old: &str, new: &str) -> bool {
    let is_lower = |name: &str| name.starts_with(|c: char| c.is_lowercase());
    is_lower(old) != is_lower(new)
}

/// Returns `true` if a word is a token of its own in a language.
fn is_keyword(language: Language, word: &str) -> bool {
    let grammar = language.grammar();
    // The first one is the end of the text.
    let mut ids = 1..u16::try_from(grammar.node_kind_count()).unwrap_or(u16::MAX);
    let is_token = |id: u16| grammar.node_kind_is_visible(id) && !grammar.node_kind_is_named(id);
    ids.any(|id| is_token(id) && grammar.node_kind_for_id(id) == Some(word))
}

/// Returns the start of the first syntax error.
fn first_error(tree: &Tree) -> Option<usize> {
    let root = tree.root_node();
    if !root.has_error() {
        return None;
    }
    let mut node = root;
    loop {
        if node.is_error() || node.is_missing() {
            return Some(node.start_byte());
        }
        let mut cursor = node.walk();
        let inner = node.children(&mut cursor).find(|child| child.has_error() || child.is_missing());
        match inner {
            Some(inner) => node = inner,
            None => return Some(node.start_byte()),
        }
    }
}

/// Returns the starts of the whole words of a text that are equal to a name.
fn words(text: &str, name: &str) -> Vec<usize> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let begins = name.starts_with(is_word);
    let is_whole = |at: &usize| {
        let before = text[..*at].chars().next_back().is_some_and(is_word);
        let after = text[at + name.len()..].chars().next().is_some_and(is_word);
        !(after || before && begins)
    };
    text.match_indices(name).map(|(at, _)| at).filter(is_whole).collect()
}

/// Returns the reason why a word of a text is no identifier.
fn why_no_name(tree: &Tree, at: usize, len: usize) -> Why {
    let mut node = tree.root_node().descendant_for_byte_range(at, at + len);
    let texts = ["comment", "string", "heredoc", "char", "jsx_text", "template", "text", "raw", "regex"];
    while let Some(found) = node {
        let kind = found.kind();
        if kind.starts_with("preproc_arg") || kind.starts_with("macro") {
            return Why::Macro;
        }
        if found.parent().is_some() && texts.iter().any(|text| kind.contains(text)) {
            return Why::Text;
        }
        node = found.parent();
    }
    Why::Unclear
}

/// Returns the text after the changes, with its tree.
fn after(
    text: &str,
    tree: &Tree,
    language: Language,
    splices: &[Splice],
    budget: Budget,
) -> Result<After, NoSyntax> {
    let plan = Plan::new(text.len(), splices.to_vec()).map_err(|_| NoSyntax::Failed)?;
    let new_text = plan.apply(text);
    let earlier = followed(tree, (text, &new_text), |old, _| edits_of(old, plan.splices()));
    let tree = parse_after(earlier.as_ref(), &new_text, language, budget)?;
    Ok((new_text, tree))
}

/// Returns the first place that the grammar would read differently after the changes, besides names that become a pair.
fn reread(
    (before, after): (&Tree, &Tree),
    expanded: &[usize],
    budget: Budget,
) -> Result<Option<usize>, NoSyntax> {
    let (mut one, mut other) = (before.walk(), after.walk());
    let mut visited = 0_usize;
    loop {
        visited += 1;
        if visited.is_multiple_of(walk::STRIDE) {
            budget.check()?;
        }
        let (old, new) = (one.node(), other.node());
        let is_expanded = is_pair(old) && expanded.contains(&old.start_byte());
        if !is_expanded && (old.kind_id() != new.kind_id() || old.child_count() != new.child_count()) {
            return Ok(Some(old.start_byte()));
        }
        // The new tree has parts of the old one that were not read again.
        let is_same = old.id() == new.id();
        if !is_expanded && !is_same && one.goto_first_child() {
            if !other.goto_first_child() {
                return Ok(Some(old.start_byte()));
            }
            continue;
        }
        if !next_beside(&mut one) {
            return Ok(if next_beside(&mut other) { Some(old.start_byte()) } else { None });
        }
        if !next_beside(&mut other) {
            return Ok(Some(old.start_byte()));
        }
    }
}

/// Returns `true` for a node that becomes a pair.
fn is_pair(node: Node<'_>) -> bool {
    let kinds = ["export_specifier", "shorthand_field_initializer"];
    kinds.contains(&node.kind()) || node.kind().starts_with("shorthand_property_identifier")
}

#[cfg(test)]
mod tests;
