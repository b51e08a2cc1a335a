use serde_json::{Value, json};

use editd_protocol::ReadResult;

use super::target::Target;

/// The whole text of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WholeText {
    /// The text.
    pub text: String,
    /// `true` if a line was too long to be read completely.
    pub is_truncated: bool,
}

/// Reads the whole text of a file in pages, with a function that sends the request. Returns `None` if the
/// content does not have this hash.
pub fn whole_text<E>(
    target: &Target,
    hash: &str,
    mut read: impl FnMut(&Value) -> Result<ReadResult, E>,
) -> Result<Option<WholeText>, E> {
    let mut whole = WholeText { text: String::new(), is_truncated: false };
    let mut offset = 1;
    loop {
        let result = read(&json!({ "uri": target.uri(), "offset": offset, "raw": true }))?;
        let Some(page) = result.text().filter(|_| result.hash == hash) else { return Ok(None) };
        whole.text.push_str(&page.text);
        if page.end_line >= page.total_lines {
            whole.is_truncated |= page.truncated;
            return Ok(Some(whole));
        }
        if !whole.text.ends_with(['\n', '\r']) {
            // The line was truncated, so its line ending is missing.
            whole.text.push('\n');
            whole.is_truncated = true;
        }
        offset = page.end_line + 1;
    }
}
