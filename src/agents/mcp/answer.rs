use std::collections::BTreeMap;
use std::fmt::Write as _;

use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::Value;

use editd_protocol::ImageContent;

use super::readable::in_one_line;

/// Maximum number of changed files that an unrelated answer lists.
const MAX_CHANGED: usize = 20;

/// The result of a call.
#[derive(Debug, Default)]
pub(super) struct Answer {
    /// Complete text for models.
    pub(super) text: String,
    /// Further text in a separate block, so that the content of a file cannot imitate it.
    pub(super) after: String,
    /// Structured data; null for an answer that is text only.
    pub(super) data: Value,
    /// Files that the answer shows, in addition to those in the data.
    pub(super) about: Vec<String>,
    /// Images, for models that accept images.
    pub(super) images: Vec<ImageContent>,
    /// Files that the daemon returned completely or with new text, but that the answer shows only in part.
    pub(super) unseen: Vec<String>,
    /// `true` if the answer is a refusal.
    pub(super) is_refusal: bool,
}

impl Answer {
    /// Creates a refusal.
    pub(super) fn refusal(text: String, data: Value) -> Self {
        Self { text, data, is_refusal: true, ..Self::default() }
    }

    /// Returns `true` if the answer shows a file.
    pub(super) fn shows(&self, path: &str) -> bool {
        let files = self.data["files"].as_array().into_iter().flatten();
        let about = files.chain([&self.data, &self.data["error"]]);
        let named = about.into_iter().any(|it| it["path"] == path || it["newPath"] == path);
        named || self.about.iter().any(|it| it == path)
    }

    /// Adds a member to the data, if there is any.
    pub(super) fn add_member(&mut self, name: &str, value: Value) {
        if let Value::Object(data) = &mut self.data {
            data.insert(name.to_owned(), value);
        }
    }

    /// Adds a list of other changed files and their authors.
    pub(super) fn add_changed_files(&mut self, changed: &BTreeMap<String, String>) {
        self.after.push_str("Changed by others since you read them (`changes` shows how):\n");
        for (path, by) in changed.iter().take(MAX_CHANGED) {
            // Writing to a string cannot fail.
            let _ = writeln!(self.after, "{} (by {})", in_one_line(path), in_one_line(by));
        }
        if let Some(more) = changed.len().checked_sub(MAX_CHANGED).filter(|more| *more > 0) {
            let _ = writeln!(self.after, "and {more} more");
        }
        self.add_member("changedByOthers", changed.keys().take(MAX_CHANGED).map(String::as_str).collect());
    }
}

impl From<Answer> for CallToolResult {
    fn from(answer: Answer) -> Self {
        let mut content = vec![ContentBlock::text(answer.text)];
        content.extend(Some(answer.after).filter(|after| !after.is_empty()).map(ContentBlock::text));
        let images = answer.images.into_iter();
        content.extend(images.map(|image| ContentBlock::image(image.data, image.mime_type)));
        let mut result = if answer.is_refusal { Self::error(content) } else { Self::success(content) };
        result.structured_content = Some(answer.data).filter(|data| !data.is_null() && is_short(data));
        result
    }
}

/// Returns `true` if no text in the data contains line breaks. Codex and Claude Code show their model the
/// data instead of all blocks, and a model copies escaped lines badly.
fn is_short(data: &Value) -> bool {
    match data {
        Value::String(text) => !text.contains('\n'),
        Value::Array(items) => items.iter().all(is_short),
        Value::Object(members) => members.values().all(is_short),
        _ => true,
    }
}
