//! Parsing within limits.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::time::Duration;

use memchr::{memchr_iter, memchr2_iter};
use serde::{Deserialize, Serialize};
use tree_sitter::{ParseOptions, Parser, Tree, TreeCursor};

use super::Language;
use editd_edit::{Deadline, ProcessorTime};

/// Maximum size of a parsed text, in bytes. Larger files are mostly generated, and parsing them takes longer
/// than an edit should.
pub const MAX_SIZE: usize = 1_000_000;

/// Maximum processor time for the outline of a text, which a client has asked for.
pub const MAX_TIME: Duration = Duration::from_millis(500);

/// Maximum processor time for parsing each of the two texts of an edit, whose author waits for other things.
pub const MAX_CHECK_TIME: Duration = Duration::from_millis(50);

/// Number of steps of the parser before the time is checked, in a text of at most [`SMALL`] bytes. Most such texts
/// take fewer, so a busy machine does not decide about them. In a large text, a few steps can take a second.
const UNCHECKED: usize = 8;
/// Maximum size of a text for which the time is not checked at first.
const SMALL: usize = 10_000;

/// The reason why a text was not parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum NoSyntax {
    /// The text exceeds [`MAX_SIZE`].
    #[error("the file has {size} bytes; symbols are offered up to {MAX_SIZE}")]
    TooLarge {
        /// Size of the text, in bytes.
        size: usize,
    },
    /// The text is indented so deeply that its grammar could fail.
    #[error("the lines of the file are indented too deeply")]
    TooDeep,
    /// Parsing took longer than [`MAX_TIME`] or [`MAX_CHECK_TIME`], or than the caller allowed.
    #[error("parsing the file takes too long")]
    TooSlow,
    /// The parser ended without a result: its grammar has a defect, or needs too much memory for the text.
    #[error("the parser fails on the file")]
    Failed,
}

/// The processor time that a call may take, and the deadline of its caller.
#[derive(Debug, Clone, Copy)]
pub(super) struct Budget {
    own: ProcessorTime,
    caller: Deadline,
}

impl Budget {
    pub(super) fn new(time: Duration, caller: Deadline) -> Self {
        Self { own: ProcessorTime::after(time), caller }
    }

    pub(super) fn check(self) -> Result<(), NoSyntax> {
        self.own.check().and_then(|()| self.caller.check()).map_err(|_| NoSyntax::TooSlow)
    }
}

/// Parses a text.
pub(super) fn parse(text: &str, language: Language, budget: Budget) -> Result<Tree, NoSyntax> {
    parse_after(None, text, language, budget)
}

/// Parses a text. `old` is the tree of an earlier version, moved along with the changes since then.
pub(super) fn parse_after(
    old: Option<&Tree>,
    text: &str,
    language: Language,
    budget: Budget,
) -> Result<Tree, NoSyntax> {
    if text.len() > MAX_SIZE {
        return Err(NoSyntax::TooLarge { size: text.len() });
    }
    if is_too_deep(text, language) {
        return Err(NoSyntax::TooDeep);
    }
    let bytes = with_line_feeds(text);
    let mut parser = Parser::new();
    parser.set_language(&language.grammar()).map_err(|_| NoSyntax::TooSlow)?;
    let unchecked = if bytes.len() <= SMALL { UNCHECKED } else { 0 };
    let mut steps = 0_usize;
    let mut progress = |_: &tree_sitter::ParseState| {
        steps += 1;
        let is_over = steps > unchecked && budget.check().is_err();
        if is_over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let tree = parser.parse_with_options(&mut |at, _| &bytes[at.min(bytes.len())..], old, Some(options));
    tree.ok_or(NoSyntax::TooSlow)
}

/// Moves to the node behind the current one and outside of it, in the order of the text. Returns `false` at the end.
pub(super) fn next_beside(cursor: &mut TreeCursor<'_>) -> bool {
    loop {
        if cursor.goto_next_sibling() {
            return true;
        }
        if !cursor.goto_parent() {
            return false;
        }
    }
}

/// Returns `true` if a text seems to have more nested blocks than a grammar can store. Both grammars write one block
/// too many into a buffer of 1,024 bytes and abort the process: at 254 blocks of YAML, at about 500 of Python. This
/// check is cheap and finds usual texts. For texts that are made to pass it, parse in another process.
pub(super) fn is_too_deep(text: &str, language: Language) -> bool {
    let most = match language {
        Language::Yaml => 120,
        Language::Python => 400,
        // Its scanner reads the rest of a run of `#` at each of them.
        #[cfg(feature = "all-grammars")]
        Language::Swift => return text.contains(&"#".repeat(256)),
        _ => return false,
    };
    let opens = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'-' | b'?' | b':');
    let bytes = text.as_bytes();
    let mut starts = std::iter::once(0).chain(memchr2_iter(b'\n', b'\r', bytes).map(|at| at + 1));
    starts.any(|start| bytes[start..].iter().take_while(opens).take(most + 1).count() > most)
}

/// Returns the bytes of a text with LF for each lone CR, because to most grammars only LF ends a line.
pub(super) fn with_line_feeds(text: &str) -> Cow<'_, [u8]> {
    let bytes = text.as_bytes();
    let lone = |at: &usize| bytes.get(at + 1) != Some(&b'\n');
    let lone: Vec<usize> = memchr_iter(b'\r', bytes).filter(lone).collect();
    if lone.is_empty() {
        return Cow::Borrowed(bytes);
    }
    let mut replaced = bytes.to_vec();
    for at in lone {
        replaced[at] = b'\n';
    }
    Cow::Owned(replaced)
}
