//! Size limits of answers. Clients silently cut longer answers or withhold them from the model. Among the
//! measured clients, Gemini CLI has the lowest limit, 40,000 characters, beyond which it removes the middle.
//! Therefore this module omits the excess, so that the answer can state the omission.

use serde::Serialize;
use serde_json::Value;

use editd_protocol::{fitting, json_len, json_prefix};

use editd_workspace::limits::TOOL_LIST;

use super::coerce::without_nulls;

/// Maximum size of an answer, in bytes of JSON including escapes. It leaves space for additions of the
/// client.
pub(super) const ANSWER: usize = TOOL_LIST + NOTICE;

/// Maximum size of a refusal as text, and as data, in bytes. The model can read or request the rest.
pub(super) const REFUSAL: usize = 1_500;

/// Maximum size of one text among several, such as a diff, in bytes. The model can read the rest or request
/// the text on its own.
const TEXT: usize = 16_000;

/// Maximum number of lines of a diff in the answer to a change.
const LINES: usize = 12;

/// Average length of these lines, in bytes.
const LINE: usize = 100;

/// Advice on how to see the omitted part.
pub(super) const READ: &str = "read the file to see them";

/// Reserved size for the note that a text is cut, in bytes.
const CUT: usize = 64;

/// Maximum size of a list, in bytes. The rest is reserved for the notice.
pub(super) const LIST: usize = TOOL_LIST;

/// Reserved size for a notice about omissions, in bytes.
const NOTICE: usize = 500;

/// Converts an output to data, without members that are null.
pub(super) fn data_of(output: &impl Serialize) -> serde_json::Result<Value> {
    let mut data = serde_json::to_value(output)?;
    without_nulls(&mut data);
    Ok(data)
}

/// Returns the size of the data of an output, in bytes; 0 if it cannot be serialized, which the answer
/// reports.
pub(super) fn size(output: &impl Serialize) -> usize {
    data_of(output).map_or(0, |data| data.to_string().len())
}

/// Truncates a list to the given size, but keeps at least the first item. Returns the number of omitted
/// items.
pub(super) fn keep_fitting<T>(items: &mut Vec<T>, space: usize, size: impl Fn(&T) -> usize) -> usize {
    let all = items.len();
    items.truncate(fitting(items, space, size));
    all - items.len()
}

/// Cuts the long texts of an answer to the space that the rest of the answer leaves. Earlier texts take
/// precedence.
pub(super) fn fit_texts(rest: usize, texts: Vec<&mut String>) {
    let mut space = ANSWER.saturating_sub(rest + NOTICE + CUT * texts.len());
    let max = if texts.len() > 1 { TEXT } else { ANSWER };
    for text in texts {
        *text = shown(text, space.min(max), READ);
        space = space.saturating_sub(json_len(text));
    }
}

/// Cuts a text at the end of a line if it does not fit. `rest` describes how to see the rest.
pub(super) fn shown(text: &str, space: usize, rest: &str) -> String {
    truncated(text, usize::MAX, space, rest)
}

/// Cuts a diff that the reader mostly knows or can obtain in full.
pub(super) fn beginning(text: &str) -> String {
    truncated(text, LINES, LINES * LINE, READ)
}

/// Returns `true` if [`beginning`] returns the text uncut.
pub(super) fn is_beginning(text: &str) -> bool {
    text.len() <= LINES * LINE && text.lines().count() <= LINES
}

fn truncated(text: &str, lines: usize, space: usize, rest: &str) -> String {
    let start = json_prefix(text, space);
    let by_space = if start.len() < text.len() { start.rfind('\n') } else { None };
    let by_space = by_space.map_or(start.len(), |at| at + 1);
    let by_lines = text.match_indices('\n').nth(lines - 1).map_or(text.len(), |(at, _)| at + 1);
    let end = by_space.min(by_lines);
    if end == text.len() {
        return text.to_owned();
    }
    let left = text[end..].lines().count();
    let line_ending = if text[..end].ends_with('\n') { "" } else { "\n" };
    format!("{}{line_ending}(cut: {left} more lines; {rest})\n", &text[..end])
}
