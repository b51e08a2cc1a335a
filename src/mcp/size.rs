//! How long an answer may be. Every client cuts what is longer, or keeps it from its model, and tells nobody: of
//! those that were measured, Gemini CLI is the first, at 40,000 characters, from which it takes the middle. What an
//! answer has no room for is therefore left out here, where it can be said.

use std::io;

use serde::Serialize;

use crate::protocol::{json_len, json_prefix};

/// Bytes of an answer as JSON, which escapes make longer than the text. It leaves room for what clients put around it.
pub(super) const ANSWER: usize = 32_000;

/// Bytes of a refusal: some clients show the arguments of the call as well.
pub(super) const REFUSAL: usize = 12_000;

/// Bytes of a text that others have changed: the rest can be asked for.
pub(super) const STALE: usize = 1_600;

/// Bytes of one text among others, such as a diff. The rest can be read, or asked for alone.
const TEXT: usize = 16_000;

/// Lines of a difference in the answer to a change.
const LINES: usize = 40;

/// Bytes of each of them, on average.
const LINE: usize = 100;

/// The way to see the part that is cut.
pub(super) const READ: &str = "read the file to see them";

/// Bytes that say that a text is cut.
const CUT: usize = 64;

/// Bytes of a list: the rest says what is left out.
pub(super) const LIST: usize = ANSWER - NOTICE;

/// Bytes that are kept for saying what is left out.
const NOTICE: usize = 500;

/// Bytes of a value as JSON.
pub(super) fn size(value: &impl Serialize) -> serde_json::Result<usize> {
    struct Count(usize);
    impl io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    serde_json::to_writer(&mut count, value)?;
    Ok(count.0)
}

/// Leaves out the last of a list that there is no room for; tells how many. The first stays.
pub(super) fn keep_fitting<T>(
    items: &mut Vec<T>,
    room: usize,
    size: impl Fn(&T) -> serde_json::Result<usize>,
) -> serde_json::Result<usize> {
    let (mut taken, all) = (0, items.len());
    for (index, item) in items.iter().enumerate() {
        taken += size(item)? + 1;
        if taken > room && index > 0 {
            items.truncate(index);
            break;
        }
    }
    Ok(all - items.len())
}

/// Cuts the long texts of an answer to the room that the rest of it leaves them, the first first.
pub(super) fn fit_texts(rest: usize, texts: Vec<&mut String>) {
    let mut room = ANSWER.saturating_sub(rest + NOTICE + CUT * texts.len());
    let most = if texts.len() > 1 { TEXT } else { ANSWER };
    for text in texts {
        *text = shown(text, room.min(most), READ);
        room = room.saturating_sub(json_len(text));
    }
}

/// A text, cut at the end of a line if there is no room for all of it. `rest` says how to see the rest.
pub(super) fn shown(text: &str, room: usize, rest: &str) -> String {
    begun(text, usize::MAX, room, rest)
}

/// The beginning of a difference that its reader knows in the main, or can have whole.
pub(super) fn beginning(text: &str) -> String {
    begun(text, LINES, LINES * LINE, READ)
}

/// Returns whether the beginning is all of it.
pub(super) fn is_beginning(text: &str) -> bool {
    text.len() <= LINES * LINE && text.lines().count() <= LINES
}

fn begun(text: &str, lines: usize, room: usize, rest: &str) -> String {
    let start = json_prefix(text, room);
    let by_room = if start.len() < text.len() { start.rfind('\n') } else { None };
    let by_room = by_room.map_or(start.len(), |at| at + 1);
    let by_lines = text.match_indices('\n').nth(lines - 1).map_or(text.len(), |(at, _)| at + 1);
    let end = by_room.min(by_lines);
    if end == text.len() {
        return text.to_owned();
    }
    let left = text[end..].lines().count();
    let line_end = if text[..end].ends_with('\n') { "" } else { "\n" };
    format!("{}{line_end}(cut: {left} more lines; {rest})\n", &text[..end])
}
