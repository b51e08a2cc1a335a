//! Messages between a program and its parsers: a length in four bytes, and a value in the format of `postcard`.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::{Declared, Language, Rename, SymbolEdit};
use editd_edit::Plan;

/// Maximum length of a message, in bytes: two texts of the maximum size, or the outline of a text that consists of
/// declarations.
pub(super) const MAX_MESSAGE: usize = 256 << 20;

/// A request to a parser.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Request<'a> {
    pub(super) language: Language,
    #[serde(borrow)]
    pub(super) task: Task<'a>,
}

/// Something to find out about a text.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Task<'a> {
    /// Answered with the result of [`outline`](crate::outline()).
    Outline {
        #[serde(borrow)]
        text: Cow<'a, str>,
    },
    /// Like `Outline`, for a version that the parser keeps. Answered with an [`OfVersion`].
    OutlineOf { version: Version<'a> },
    /// Keeps the tree of a version. Answered with an [`OfVersion`] of nothing.
    Keep { version: Version<'a> },
    /// Answered with the result of [`uses`](crate::uses).
    Uses { text: Cow<'a, str>, name: Cow<'a, str> },
    /// Answered with an [`OfVersion`] of the result of [`edit_symbols`](crate::ParsedText::edit_symbols).
    EditSymbols { version: Version<'a>, edits: Vec<Cow<'a, SymbolEdit>> },
    /// Answered with an [`OfVersion`] of the result of [`rename`](crate::rename()).
    Rename { version: Version<'a>, wanted: Cow<'a, Rename> },
    /// Answered with an [`OfVersion`] of the result of [`declared`](crate::declared).
    Declared { version: Version<'a>, wanted: Cow<'a, Rename> },
    /// Answered with an [`OfVersion`] of the result of [`mentions`](crate::mentions).
    Mentions { version: Version<'a>, declared: Cow<'a, Declared> },
    /// Answered with an [`OfVersion`] of the result of [`string_lines`](crate::string_lines).
    StringLines { version: Version<'a> },
    /// Answered with an [`OfVersion`] of the syntax errors that a plan adds, as
    /// [`new_errors`](crate::new_errors) returns them.
    NewErrors { version: Version<'a>, plan: Cow<'a, Plan> },
    /// Answered with the result of [`colours`](crate::colours).
    Colours { text: Cow<'a, str> },
}

/// The answer about a version of a file.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum OfVersion<T> {
    /// The parser does not have the text of the version.
    NeedsText,
    Known(T),
}

/// A version of a file, which the parser keeps.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Version<'a> {
    /// Tells files apart.
    pub(super) file: u64,
    /// Hash of the text.
    pub(super) hash: [u8; 16],
    /// The text, unless the parser may have it.
    #[serde(borrow)]
    pub(super) text: Option<Cow<'a, str>>,
}

/// Returns a value as a message.
pub(super) fn message(value: &impl Serialize) -> Result<Vec<u8>, postcard::Error> {
    let mut message = postcard::to_extend(value, vec![0; 4])?;
    let length = u32::try_from(message.len() - 4).map_err(|_| postcard::Error::SerializeBufferFull)?;
    message[..4].copy_from_slice(&length.to_le_bytes());
    Ok(message)
}
