//! Parameters and results about the symbols of files.

use lsp_types::Uri;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use editd_syntax::{Outline, Symbol, SymbolOp, SyntaxError};

use super::propose::names_only;

/// Operation on a symbol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = names_only)]
pub enum SymbolOpParam {
    /// Replaces the declaration.
    #[default]
    Replace,
    /// Replaces the body.
    Body,
    /// Inserts text before it.
    Before,
    /// Inserts text after it.
    After,
    /// Deletes it.
    Delete,
    /// Replaces its name in the declaration and in its uses in the file.
    Rename,
    /// Replaces its name in the declaration.
    RenameHere,
}

impl From<SymbolOpParam> for SymbolOp {
    fn from(param: SymbolOpParam) -> Self {
        match param {
            SymbolOpParam::Replace => Self::Replace,
            SymbolOpParam::Body => Self::Body,
            SymbolOpParam::Before => Self::Before,
            SymbolOpParam::After => Self::After,
            SymbolOpParam::Delete => Self::Delete,
            SymbolOpParam::Rename => Self::Rename,
            SymbolOpParam::RenameHere => Self::RenameHere,
        }
    }
}

/// Parameters of `editd/outline`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OutlineParams {
    /// Absolute, or relative to the root.
    #[schemars(required)]
    #[serde(alias = "file_path", alias = "filePath", skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// A `file:` URI instead of `path`.
    #[schemars(skip)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
    /// Only symbols whose name (`Class.method`) matches this regular expression.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
}

/// Result of `editd/outline`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OutlineResult {
    /// URI of the file.
    pub uri: Uri,
    /// Canonical path of the file.
    pub path: String,
    /// Hash of the file.
    pub hash: String,
    /// Language of the file.
    pub language: String,
    /// Number of lines of the file.
    pub total_lines: usize,
    /// Symbols in the order of the file; a symbol comes before those inside it.
    pub symbols: Vec<SymbolEntry>,
    /// Number of further symbols.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more: usize,
}

/// A symbol of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SymbolEntry {
    /// Name with those of the symbols around it, such as `Class.method`.
    pub symbol: String,
    /// Kind, as in LSP: `function`, `class` and so on.
    pub kind: String,
    /// First line, from 1.
    pub start_line: usize,
    /// Last line.
    pub end_line: usize,
    /// Number of symbols around it.
    pub depth: usize,
    /// First line of the declaration.
    pub signature: String,
}

/// A symbol that was found in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FoundSymbol {
    /// Canonical path of the file.
    pub path: String,
    /// The symbol.
    #[serde(flatten)]
    pub symbol: SymbolEntry,
}

/// A syntax error that a change adds to a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SyntaxEntry {
    /// Line of the new text, from 1.
    pub line: usize,
    /// Text of the line, shortened.
    pub excerpt: String,
}

impl SymbolEntry {
    /// Converts a symbol of an outline.
    pub fn of(outline: &Outline, symbol: &Symbol) -> Self {
        Self {
            symbol: outline.path(symbol),
            kind: symbol.kind.to_string(),
            start_line: symbol.lines.start,
            end_line: symbol.lines.end,
            depth: outline.depth(symbol),
            signature: symbol.signature.clone(),
        }
    }
}

impl From<&SyntaxError> for SyntaxEntry {
    fn from(error: &SyntaxError) -> Self {
        Self { line: error.line, excerpt: error.excerpt.clone() }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
pub(super) fn is_zero(number: &usize) -> bool {
    *number == 0
}
