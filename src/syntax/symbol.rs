//! Symbols and outlines.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::{Language, SymbolPath, SymbolRefusal};
use editd_edit::LineRange;

/// The kind of a symbol, named as in the Language Server Protocol where it has a name for it.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    Serialize,
    Deserialize,
    strum::IntoStaticStr,
    strum::Display,
    strum::EnumString,
)]
#[strum(serialize_all = "snake_case")]
pub enum SymbolKind {
    /// A function.
    Function,
    /// A function of a type.
    Method,
    /// A constructor.
    Constructor,
    /// A class.
    Class,
    /// A structure or a union.
    Struct,
    /// An enumeration.
    Enum,
    /// An interface or a protocol.
    Interface,
    /// A trait.
    Trait,
    /// An implementation block of Rust, or an extension of Swift.
    Impl,
    /// A module or a namespace.
    Module,
    /// A type alias.
    Type,
    /// A constant.
    Constant,
    /// A variable.
    Variable,
    /// A field of a class, or an associated constant.
    Field,
    /// A property with accessors.
    Property,
    /// A macro.
    Macro,
    /// A key of JSON, YAML or TOML.
    Key,
    /// A table of TOML.
    Table,
    /// A section of Markdown, from its heading to the next one of its level or above.
    Section,
    /// A rule of CSS.
    Rule,
    /// An element of HTML with an id.
    Element,
}

/// A declaration, or another part of a file that has a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Symbol {
    /// Name as in the declaration, without the names of the symbols around it.
    pub name: String,
    /// Kind of the symbol.
    pub kind: SymbolKind,
    /// Index of the symbol that contains it.
    pub parent: Option<usize>,
    /// Bytes of the whole declaration: with decorators, attributes, visibility, the comment attached above, a
    /// comment behind it, and `;` or `,`. Whole lines with their ending, unless other code is on them.
    pub range: Range<usize>,
    /// Lines of the range.
    pub lines: LineRange,
    /// Bytes of the body: inside its braces, after the colon, or the value. `None` if there is none.
    pub body: Option<Range<usize>>,
    /// First line of the declaration without attributes and body, at most 120 characters.
    pub signature: String,
    /// Parts of the range.
    pub(super) parts: Parts,
    /// Bytes of the name in the declaration.
    pub(super) name_range: Option<Range<usize>>,
    /// Line of the first syntax error inside the declaration.
    pub(super) broken: Option<usize>,
    /// Names before the own name in its path that come from the declaration itself, for example the receiver
    /// of a method in Go.
    pub(super) qualifiers: Vec<String>,
    /// Name in the paths of the symbols inside, if it is another one than `name`.
    pub(super) scope: Option<String>,
    /// Bytes of the node around the declaration, with its delimiters. Neighbors have the same one.
    pub(super) block: Range<usize>,
    /// Punctuation between the symbol and its neighbors.
    pub(super) separator: Separator,
}

/// Parts of the range of a symbol, as offsets: comments, attributes, declaration, and what follows it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Parts {
    /// Comments attached above, from the first character to the last one.
    pub(super) comments: Option<Range<usize>>,
    /// Start of the attributes, or of the declaration if there are none.
    pub(super) head: usize,
    /// Start of the declaration without attributes.
    pub(super) bare: usize,
    /// End of the declaration, after `;` and before `,`.
    pub(super) end: usize,
    /// Comment behind the declaration, in its last line.
    pub(super) trailing: Option<Range<usize>>,
    /// `true` if the range consists of whole lines.
    pub(super) whole_lines: bool,
}

/// Punctuation between items of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) enum Separator {
    /// None, or it is part of the declaration.
    #[default]
    None,
    /// A comma between items.
    Comma {
        /// Offset of the comma after this symbol.
        after: Option<usize>,
        /// Offset of the comma before it.
        before: Option<usize>,
    },
}

/// The symbols of a text, in the order of their start; a symbol comes before the symbols inside it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outline {
    pub(super) language: Language,
    pub(super) symbols: Vec<Symbol>,
    pub(super) text_len: usize,
}

impl Outline {
    /// Returns the language of the text.
    pub fn language(&self) -> Language {
        self.language
    }

    /// Returns the symbols.
    pub fn symbols(&self) -> &[Symbol] {
        &self.symbols
    }

    /// Returns the number of symbols around a symbol.
    pub fn depth(&self, symbol: &Symbol) -> usize {
        std::iter::successors(symbol.parent, |&parent| self.symbols.get(parent)?.parent).count()
    }

    /// Returns the path of a symbol: its names from the outermost to its own, with dots between.
    pub fn path(&self, symbol: &Symbol) -> String {
        self.segments(symbol).join(".")
    }

    /// Returns the bytes of the symbol that a reference means: the whole declaration. Refuses a symbol with a syntax
    /// error inside, because its end is uncertain.
    pub fn extent(&self, path: &SymbolPath) -> Result<Range<usize>, SymbolRefusal> {
        let symbol = self.resolve(path)?;
        match symbol.broken {
            Some(line) => Err(SymbolRefusal::Broken { line }),
            None => Ok(symbol.range.clone()),
        }
    }

    /// Returns the lines of the symbol that a reference means, under the same conditions.
    pub fn lines_of(&self, path: &SymbolPath) -> Result<LineRange, SymbolRefusal> {
        self.extent(path)?;
        Ok(self.resolve(path)?.lines)
    }

    /// Returns the symbols before and after a symbol in its block. To move a symbol past one of them, delete it
    /// and insert its text beside the other one.
    pub fn neighbors(&self, symbol: &Symbol) -> (Option<&Symbol>, Option<&Symbol>) {
        let mut before = None;
        let mut is_behind = false;
        for other in &self.symbols {
            if other == symbol {
                is_behind = true;
            } else if other.parent == symbol.parent && other.block == symbol.block {
                if is_behind {
                    return (before, Some(other));
                }
                before = Some(other);
            }
        }
        (before, None)
    }

    /// Returns the names of which the path of a symbol consists.
    pub(super) fn segments<'a>(&'a self, symbol: &'a Symbol) -> Vec<&'a str> {
        let around: Vec<&Symbol> =
            std::iter::successors(self.parent(symbol), |parent| self.parent(parent)).collect();
        let mut segments = Vec::new();
        for parent in around.into_iter().rev() {
            segments.extend(parent.qualifiers.iter().map(String::as_str));
            segments.push(parent.scope.as_deref().unwrap_or(&parent.name));
        }
        segments.extend(symbol.qualifiers.iter().map(String::as_str));
        segments.push(&symbol.name);
        segments
    }

    fn parent(&self, symbol: &Symbol) -> Option<&Symbol> {
        self.symbols.get(symbol.parent?)
    }
}
