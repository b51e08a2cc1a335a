//! The byte order mark of an open document. Some editors hide it, others keep it in the text as an invisible character.

use editd_edit::Plan;
use editd_text::{Position, PositionEncoding, Text};

use super::{Buffer, TextChange};

const MARK: char = '\u{feff}';

/// The characters U+FEFF at the start of a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    /// Number of them that belong to the content of the file: all but its byte order mark.
    in_content: usize,
    /// `true` if the editor's text begins with one more. [`Buffer::text`] omits it.
    is_kept: bool,
}

impl Mark {
    /// Splits the text of an editor. `in_content` is the number of characters U+FEFF at the start of the content of the
    /// file, without its byte order mark. Returns the text without the mark that the editor keeps.
    pub fn split(text: &str, in_content: usize) -> (Self, &str) {
        let is_kept = text.chars().take_while(|character| *character == MARK).count() > in_content;
        let rest = if is_kept { text.strip_prefix(MARK).unwrap_or(text) } else { text };
        (Self { in_content, is_kept }, rest)
    }

    /// Returns the number of characters U+FEFF at the start of the content of the file.
    pub(super) fn in_content(self) -> usize {
        self.in_content
    }
}

impl Buffer {
    /// Returns the text and a plan for [`Self::text`] as the editor sees them, with the mark that it keeps.
    pub fn as_in_editor(&self, plan: &Plan) -> (Text, Plan) {
        let (mut text, mut plan) = (self.text.clone(), plan.clone());
        if self.mark.is_kept {
            text.splice(0..0, MARK.encode_utf8(&mut [0; 4]));
            plan = plan.moved_by(MARK.len_utf8());
        }
        (text, plan)
    }

    /// Returns the position in [`Self::text`] of a position that the editor reports.
    pub fn position_in_text(&self, at: Position) -> Position {
        let mark = self.mark_len();
        let is_behind = self.mark.is_kept && at.line == 0;
        Position { character: at.character.saturating_sub(if is_behind { mark } else { 0 }), ..at }
    }

    /// Returns the position in the editor of a position in [`Self::text`].
    pub fn position_in_editor(&self, at: Position) -> Position {
        let is_behind = self.mark.is_kept && at.line == 0;
        Position { character: at.character + if is_behind { self.mark_len() } else { 0 }, ..at }
    }

    /// Returns the length of a mark in the unit of the editor.
    fn mark_len(&self) -> usize {
        match self.encoding {
            PositionEncoding::Utf8 => MARK.len_utf8(),
            PositionEncoding::Utf16 => MARK.len_utf16(),
            PositionEncoding::Utf32 => 1,
        }
    }

    /// Replaces a range between two positions of the editor.
    pub(super) fn splice(&mut self, (start, end): (Position, Position), change: &TextChange) {
        let (encoding, begins) = (self.encoding, start.line == 0);
        if self.mark.is_kept && begins {
            self.text.splice(0..0, MARK.encode_utf8(&mut [0; 4]));
            self.mark.is_kept = false;
        }
        let (start, end) = (self.position_in_text(start), self.position_in_text(end));
        let range = self.text.byte_of(start, encoding)..self.text.byte_of(end, encoding);
        self.text.splice(range, &change.text);
        if begins {
            self.split_mark();
        }
    }

    /// Takes the mark out of the text if the editor keeps it.
    fn split_mark(&mut self) {
        let head = (self.mark.in_content + 1) * MARK.len_utf8();
        let head = self.text.slice(0..head).unwrap_or_default();
        self.mark = Mark::split(&head, self.mark.in_content).0;
        if self.mark.is_kept {
            self.text.splice(0..MARK.len_utf8(), "");
        }
    }
}
