//! Syntax: outlines of files, edits by the names of symbols, new syntax errors, and colours. Pure, but for [`parsing`].
//!
//! Trees are built by tree-sitter, used, and dropped, unless a [`ParsedText`] keeps one for the next change: an
//! [`Outline`] contains only names and byte ranges of its text. Offsets are bytes of the text's UTF-8, line numbers count from 1. The rules of edits are
//! described at [`edit_symbol`].
//!
//! ```
//! use editd_edit::{Deadline, Plan};
//! use editd_syntax::{Language, SymbolEdit, SymbolOp, edit_symbol, new_errors, outline};
//!
//! let text = "struct Port(u16);\n\nimpl Port {\n    fn open(&self) {}\n}\n";
//! let language = Language::of_path("src/port.rs".as_ref()).unwrap();
//! let outline = outline(text, language, Deadline::NONE)?;
//! let names: Vec<String> = outline.symbols().iter().map(|symbol| outline.path(symbol)).collect();
//! assert_eq!(names, ["Port", "impl Port", "Port.open"]);
//!
//! let edit = SymbolEdit::new("Port.open", SymbolOp::After, "fn close(&self) {}\n");
//! let change = edit_symbol(text, &outline, &edit).unwrap();
//! let after = Plan::new(text.len(), change.splices)?.apply(text);
//! assert!(after.ends_with("    fn open(&self) {}\n    fn close(&self) {}\n}\n"));
//! assert_eq!(new_errors(text, &after, language, Deadline::NONE), Some(vec![]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod change;
mod colour;
mod errors;
mod grammar;
mod indentation;
mod language;
mod lines;
mod nearby;
mod outline;
mod parse;
mod parsed;
pub mod parsing;
mod path;
mod refusal;
mod rename;
mod strings;
mod symbol;
mod tree_edit;
mod uses;

pub use change::{
    NewPlace, Position, SymbolChange, SymbolEdit, SymbolOp, body_lines, delete_symbols, edit_symbol,
    insert_beside, moved_text,
};
pub use colour::{Colour, ColourSpan, MAX_COLOURED_SIZE, colours};
pub use errors::{SyntaxError, SyntaxErrorKind, new_errors};
pub use language::Language;
pub use nearby::{FreeParts, nearby_parts};
pub use outline::outline;
pub use parse::{MAX_CHECK_TIME, MAX_SIZE, MAX_TIME, NoSyntax};
pub use parsed::ParsedText;
pub use path::SymbolPath;
pub use refusal::{BadText, Candidate, SymbolRefusal};
pub use rename::{
    Declared, Mentions, OtherFile, Reach, Rename, RenameRefusal, Renamed, Unclear, Why, declared, is_family,
    mentions, rename, settle,
};
pub use strings::string_lines;
pub use symbol::{Outline, Symbol, SymbolKind};
pub use uses::uses;
