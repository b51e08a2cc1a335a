use std::collections::BTreeMap;
use std::fmt::Write as _;

use rmcp::model::{CallToolResult, ContentBlock};
use serde::Serialize;
use serde_json::Value;

use super::output::in_one_line;

/// Files of which an answer about something else says that they have changed.
const NEWS: usize = 20;

/// The result of a call.
#[derive(Debug, Default)]
pub(super) struct Answer {
    /// All of it, for models.
    pub(super) text: String,
    /// What else is to be told, in a block of its own: a file may hold what looks like it.
    after: String,
    /// Its data; null for an answer that is text only.
    data: Value,
    /// Files that it shows, besides those in the data.
    about: Vec<String>,
    /// An image, which only clients can show.
    image: Option<Image>,
    /// Files that the daemon has given whole, or new text of, of which the answer shows a part only.
    pub(super) unseen: Vec<String>,
    /// Whether it says why nothing was done.
    is_refusal: bool,
}

/// A picture for models that see.
#[derive(Debug)]
pub(super) struct Image {
    pub(super) mime_type: String,
    /// In base64.
    pub(super) data: String,
}

impl Answer {
    /// An answer that is text only: lists, and lines of files.
    pub(super) fn text(text: String) -> Self {
        Self { text, ..Self::default() }
    }

    /// An answer with data.
    pub(super) fn new(text: String, data: &impl Serialize) -> serde_json::Result<Self> {
        Ok(Self { text, data: serde_json::to_value(data)?, ..Self::default() })
    }

    /// Sets the files that it shows.
    pub(super) fn about(self, about: Vec<String>) -> Self {
        Self { about, ..self }
    }

    /// The same with an image.
    pub(super) fn with_image(self, image: Image) -> Self {
        Self { image: Some(image), ..self }
    }

    /// The same, of which some files are shown in part only.
    pub(super) fn with_unseen(self, unseen: Vec<String>) -> Self {
        Self { unseen, ..self }
    }

    /// Why nothing was done.
    pub(super) fn refusal(text: String, data: Value) -> Self {
        Self { text, data, is_refusal: true, ..Self::default() }
    }

    /// Whether it is about a file.
    pub(super) fn tells_of(&self, path: &str) -> bool {
        let files = self.data["files"].as_array().into_iter().flatten();
        let about = files.chain([&self.data, &self.data["error"]]);
        let named = about.into_iter().any(|it| it["path"] == path || it["newPath"] == path);
        named || self.about.iter().any(|it| it == path)
    }

    /// Adds a member to the data, where there is any.
    pub(super) fn add_member(&mut self, name: &str, value: Value) {
        if let Value::Object(data) = &mut self.data {
            data.insert(name.to_owned(), value);
        }
    }

    /// Adds which other files were changed, and by whom.
    pub(super) fn add_news(&mut self, news: &BTreeMap<String, String>) {
        self.after.push_str("Changed by others since you read them (`changes` shows how):\n");
        for (path, by) in news.iter().take(NEWS) {
            // A string takes all.
            let _ = writeln!(self.after, "{} (by {})", in_one_line(path), in_one_line(by));
        }
        if let Some(more) = news.len().checked_sub(NEWS).filter(|more| *more > 0) {
            let _ = writeln!(self.after, "and {more} more");
        }
        self.add_member("changedByOthers", news.keys().take(NEWS).map(String::as_str).collect());
    }
}

impl From<Answer> for CallToolResult {
    fn from(answer: Answer) -> Self {
        let mut content = vec![ContentBlock::text(answer.text)];
        content.extend(Some(answer.after).filter(|after| !after.is_empty()).map(ContentBlock::text));
        let image = answer.image.map(|image| ContentBlock::image(image.data, image.mime_type));
        content.extend(image);
        let mut result = if answer.is_refusal { Self::error(content) } else { Self::success(content) };
        result.structured_content = Some(answer.data).filter(|data| !data.is_null() && is_short(data));
        result
    }
}

/// Returns whether no text in it has line ends. Codex and Claude Code show their model the data in place of all blocks,
/// where there is any, and a model copies badly from lines that are escaped.
fn is_short(data: &Value) -> bool {
    match data {
        Value::String(text) => !text.contains('\n'),
        Value::Array(items) => items.iter().all(is_short),
        Value::Object(members) => members.values().all(is_short),
        _ => true,
    }
}
