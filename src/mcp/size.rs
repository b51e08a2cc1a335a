//! How long an answer may be. Every client cuts what is longer, or keeps it from its model, and tells nobody: of
//! those that were measured, Gemini CLI is the first, at 40,000 characters, from which it takes the middle. What an
//! answer has no room for is therefore left out here, where it can be said.

use std::io;

use serde::Serialize;

use crate::protocol::{json_len, json_prefix};

/// Bytes of an answer as JSON, which escapes make longer than the text. It leaves room for what clients put around it.
pub(super) const ANSWER: usize = 32_000;

/// Bytes of a refusal: some clients show both forms of it, and the arguments of the call as well.
pub(super) const REFUSAL: usize = 12_000;

/// Bytes of one text among others, such as a diff. The rest can be read.
const TEXT: usize = 16_000;

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
pub(super) fn keep_fitting<T: Serialize>(items: &mut Vec<T>, room: usize) -> serde_json::Result<usize> {
    keep_fitting_by(items, room, size)
}

/// The same, with texts left aside that are cut later.
pub(super) fn keep_fitting_by<T>(
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
pub(super) fn fit_texts<T: Serialize>(
    output: &mut T,
    texts: impl Fn(&mut T) -> Vec<&mut String>,
) -> serde_json::Result<()> {
    let whole: Vec<_> = texts(output).into_iter().map(std::mem::take).collect();
    let mut room = ANSWER.saturating_sub(size(output)? + NOTICE + CUT * whole.len());
    for (slot, whole) in texts(output).into_iter().zip(whole) {
        *slot = shown(&whole, room);
        room = room.saturating_sub(json_len(slot));
    }
    Ok(())
}

/// A text, cut at the end of a line if there is no room for all of it.
pub(super) fn shown(text: &str, room: usize) -> String {
    let start = json_prefix(text, room.min(TEXT));
    if start.len() == text.len() {
        return text.to_owned();
    }
    let end = start.rfind('\n').map_or(start.len(), |at| at + 1);
    let left = text[end..].lines().count();
    format!("{}(cut: {left} more lines; read the file to see them)\n", &text[..end])
}
